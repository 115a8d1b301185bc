// Package signal finds the learnings that agents announce in what they write:
//
//	<swarm>LEARNING_LOCAL:This API requires an authentication header</swarm>
//	<swarm>LEARNING_GLOBAL:All test files end in .test.ts</swarm>
//
// The tag may also be axiom or chorus, the name DISCOVERY_LOCAL or DISCOVERY_GLOBAL. White space may
// surround the name. Tags and names are matched as written above, in this case.
//
// # What is payload
//
// Everything from the colon to the closing tag of the same family, whatever it holds: <, >, colons,
// quotes, lines, look-alike tags, and whole signals that are no learnings (they are skipped with their own
// closing tag). A closing tag in code (`</swarm>`) does not end it when another one does. The opening
// of a learning outside code does: two learnings are never one.
//
// # What is code
//
// Examples in Markdown code are no signals (code.go): fences, also in lists and quotes, and code spans.
// A code span may run over line ends, for 2 KiB, up to the end of its paragraph, list item or table row, or to a
// line that begins with a signal. Indented text is not code, for terminals and transcripts indent what
// they show. A fence that is never closed lasts to the end of its text, as CommonMark has it; when it
// hid signals, a warning has their number and its line. Each text value of a JSON transcript is a
// text of its own, so that a message cut inside a fence hides nothing of the next one.
//
// # What is JSON
//
// A line that is a JSON object or array, or a member of one in an indented file, is decoded, and
// every string value in it is scanned as a text (json.go). Signals that are spread over several values,
// as in records of a stream of tokens, are not put together.
package signal

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/pattern"
)

// Signal is a learning as announced.
type Signal struct {
	Name    string // LEARNING_LOCAL, LEARNING_GLOBAL, DISCOVERY_LOCAL or DISCOVERY_GLOBAL
	Global  bool   // for all agents, not only for the one that found it out
	Content string // valid UTF-8 with LF line ends, no white space around it, never empty
	Line    int    // of the opening tag, from 1
	Source  Source // of the text
}

// Source is the author of a text in a JSON transcript, by the role or type of the object around it
// (json.go). Only the agent's own words are learnings: the output of a tool can have any author.
type Source string

const (
	Unmarked  Source = ""          // plain text, or JSON without a role
	Assistant Source = "assistant" // the agent itself
	User      Source = "user"
	System    Source = "system"
	Tool      Source = "tool" // arguments or result of a tool call
)

// Codes of warnings.
const (
	Malformed = "malformed"  // never closed, no name or colon, or closed by another family's tag
	Unknown   = "unknown"    // a signal that is no learning, or a misspelt name
	Empty     = "empty"      // nothing after the colon
	TooLong   = "too_long"   // more content than allowed
	OpenFence = "open_fence" // a code fence that is never closed hid signals
	Omitted   = "omitted"    // there were more warnings than are kept
)

// Warning is something that looks like a signal and was not taken for one.
type Warning struct {
	Code string
	Line int // from 1; 0 for Omitted
	Text string
}

const (
	// DefaultMax is the longest content in bytes, as much as a section of a record holds by default.
	DefaultMax = 256 << 10
	// MaxWarnings are kept of one scan; one more has the number of the others.
	MaxWarnings = 1000
)

// Scan reads r to its end and calls found for each learning, in order. A content of more than max
// bytes is a warning; 0 or less means DefaultMax. What is wrong with a signal is never an error:
// an error comes from r or from found, ends the scan, and is returned with the warnings so far.
func Scan(r io.Reader, max int, found func(Signal) error) ([]Warning, error) {
	if max <= 0 {
		max = DefaultMax
	}
	s := &scanner{max: max, found: found}
	src, failed := io.ReadAll(r)
	err := s.text(bytes.TrimPrefix(src, []byte(bom)), 1, 0, Unmarked)
	if err == nil && failed != nil {
		err = fault.New(fault.Unavailable, "the text could not be read: %v", failed)
	}
	if s.omitted > 0 {
		s.warnings = append(s.warnings, Warning{Code: Omitted, Text: strconv.Itoa(s.omitted) + " more warnings are left out"})
	}
	return s.warnings, err
}

const (
	bom   = "\ufeff"
	slack = 8 << 10 // looked at beyond a payload: white space and tags
)

type scanner struct {
	max      int
	found    func(Signal) error
	warnings []Warning
	omitted  int
}

func (s *scanner) warn(code string, line int, text string) {
	if len(s.warnings) == MaxWarnings {
		s.omitted++
		return
	}
	s.warnings = append(s.warnings, Warning{code, line, text})
}

// open is a learning whose closing tag was not found in reach: malformed, or too long if that is the next tag outside code.
type open struct {
	tag  tag
	line int
}

func (s *scanner) malformed(o *open, why string) {
	if o.line == 0 {
		return
	}
	s.warn(Malformed, o.line, o.tag.opening()+o.tag.name+": "+why)
	o.line = 0
}

// text scans one text: the whole input, or at depth 1 and more a string in it, all of which has one line.
func (s *scanner) text(v []byte, line, depth int, from Source) error {
	c := code{lineStart: true, json: depth < maxDepth}
	var pending open
	counted := 0
	for at := 0; ; {
		var event event
		at, event = c.next(v, at)
		if depth == 0 {
			line += bytes.Count(v[counted:at], []byte("\n"))
			counted = at
		}
		n, err := 0, error(nil)
		switch event {
		case none:
			s.malformed(&pending, "it is never closed")
			if c.fence.length > 0 && c.hidden > 0 {
				if depth == 0 {
					line -= bytes.Count(v[c.fence.at:], []byte("\n"))
				}
				s.warn(OpenFence, line,
					"the code fence that begins here is never closed; signals after it that were ignored: "+strconv.Itoa(c.hidden))
			}
			return nil
		case jsonLine:
			if n, err = s.jsonLine(v[at:], line, depth, from); n > 0 {
				c.lineStart = false
			}
		case hiddenTag:
			var t tag
			t, n = parseTag(v[at:])
			if c.fence.length > 0 && t.learning() && t.colon {
				c.hidden++
			}
		default:
			n, err = s.tag(v[at:], line, &pending, from, &c)
		}
		if err != nil {
			return err
		}
		at += n
	}
}

// tag handles the tag outside code that v begins with, and returns how many bytes are done with.
func (s *scanner) tag(v []byte, line int, pending *open, from Source, c *code) (int, error) {
	t, n := parseTag(v)
	if t.closing {
		if pending.line > 0 && pending.tag.family == t.family {
			s.warn(TooLong, pending.line, pending.tag.opening()+pending.tag.name+": the content has more than "+strconv.Itoa(s.max)+" bytes")
			pending.line = 0
		}
		s.malformed(pending, "it is closed by </"+t.family+">")
		return n, nil
	}
	s.malformed(pending, "it is never closed")
	switch {
	case t.name == "":
		s.warn(Malformed, line, t.opening()+" is not followed by a name and a colon")
	case !t.colon && (t.learning() || !t.ends):
		s.warn(Malformed, line, t.opening()+t.name+" is not followed by a colon")
	case !t.learning():
		s.warn(Unknown, line, strconv.Quote(t.name)+" is no learning; those are "+strings.Join(names[:], ", "))
	default:
		end, ok := payload(v[n:min(len(v), n+s.max+slack)], t.family)
		if !ok {
			*pending = open{t, line}
			return n, nil
		}
		content := clean(v[n : n+end])
		n += end + len("</>") + len(t.family)
		c.lineStart = false
		switch {
		case content == "":
			s.warn(Empty, line, t.opening()+t.name+": there is nothing after the colon")
		case len(content) > s.max:
			s.warn(TooLong, line, fmt.Sprintf("%s%s: the content has %d bytes, at most %d are allowed", t.opening(), t.name, len(content), s.max))
		default:
			return n, s.found(Signal{Name: t.name, Global: strings.HasSuffix(t.name, "_GLOBAL"), Content: content, Line: line, Source: from})
		}
	}
	return n, nil
}

var lineEnd = pattern.Late(`\r+\n`)

// clean is a payload as content.
func clean(b []byte) string {
	text := lineEnd().ReplaceAllString(strings.TrimSpace(string(b)), "\n")
	return strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", "\ufffd"), "\ufffd")
}
