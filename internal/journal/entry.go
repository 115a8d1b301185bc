package journal

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strconv"
	"time"
	"unicode/utf8"

	"sdd/internal/lines"
)

// Op is the kind of an entry of the journal.
type Op string

const (
	Save        Op = "save"
	Remove      Op = "remove"
	Undo        Op = "undo"        // Source is the entry undone
	Overwritten Op = "overwritten" // Source are the entries whose change the file lacks
	Displaced   Op = "displaced"   // an editor's text that a save displaced: its version is After
	Resolved    Op = "resolved"    // Source are the closed notes, or the changes that undo leaves
)

// Entry is one line of the journal. The first fields have this order in the file; parseHead reads them without the rest.
type Entry struct {
	ID     string `json:"id"`
	Op     Op     `json:"op"`
	Record string `json:"record"`
	Path   string `json:"path"`
	Before string `json:"before"` // etag of the file, "" when there was none
	After  string `json:"after"`

	Revision int       `json:"revision,omitempty"` // of the version After, where it has one
	Time     time.Time `json:"time"`
	Lock     string    `json:"lock,omitempty"` // identity that guards the record, when it is not Record
	Use      string    `json:"use,omitempty"`
	Tool     string    `json:"tool,omitempty"`
	Session  string    `json:"session,omitempty"`
	Action   string    `json:"action,omitempty"` // the call that it is a part of
	Own      bool      `json:"own,omitempty"`    // no caller asked for it
	Source   []string  `json:"source,omitempty"`
	Sections []Change  `json:"sections,omitempty"`
	Patch    []Hunk    `json:"patch,omitempty"` // makes the version After from Before
}

// Change is the text of one section before and after, "" for none. The text before the first section is a section without a name.
type Change struct {
	Name   string `json:"name"`
	Before string `json:"before"`
	After  string `json:"after"`
	Whole  bool   `json:"whole,omitempty"` // the caller gave the whole section
}

// Identity returns the identity whose lock guarded the save.
func (e *Entry) Identity() string { return cmp.Or(e.Lock, e.Record) }

// ActionID returns the action of the entry: its own id when no call with several changes made it.
func (e *Entry) ActionID() string { return cmp.Or(e.Action, e.ID) }

// line returns the bytes to append: the entry between two line ends, so that a partial line from a crash spoils only itself.
func (e *Entry) line() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('\n')
	enc := json.NewEncoder(&b) // ends the line
	enc.SetEscapeHTML(false)
	err := enc.Encode(e)
	return b.Bytes(), err
}

func parseEntry(line []byte) (Entry, bool) {
	var e Entry
	err := json.Unmarshal(line, &e)
	return e, err == nil && e.ID != "" && e.Op != ""
}

// firstString returns the JSON string at the start of b, and its length there.
func firstString(b []byte) (text string, n int, ok bool) {
	if n = stringEnd(b); n < 0 {
		return "", 0, false
	}
	token := b[1 : n-1]
	if bytes.IndexByte(token, '\\') < 0 {
		return string(token), n, true
	}
	return text, n, json.Unmarshal(b[:n], &text) == nil
}

// head is the part of an entry that the journal keeps in memory.
type head struct {
	id            string
	op            Op
	record, path  string
	before, after string
}

// parseHead reads the first fields of a line, some ten times faster than all of it.
func parseHead(line []byte) (h head, ok bool) {
	if len(line) < 2 || line[len(line)-1] != '}' {
		return head{}, false
	}
	var op string
	rest := line[1:]
	for _, f := range []struct {
		key string
		to  *string
	}{{`"id":`, &h.id}, {`,"op":`, &op}, {`,"record":`, &h.record}, {`,"path":`, &h.path}, {`,"before":`, &h.before},
		{`,"after":`, &h.after}} {
		if !bytes.HasPrefix(rest, []byte(f.key)) {
			return head{}, false
		}
		rest = rest[len(f.key):]
		text, n, ok := firstString(rest)
		if !ok {
			return head{}, false
		}
		*f.to, rest = text, rest[n:]
	}
	h.op = Op(op)
	return h, op != "" && h.id != ""
}

// stringEnd returns the length of the JSON string at the start of b, -1 when there is none.
func stringEnd(b []byte) int {
	if len(b) == 0 || b[0] != '"' {
		return -1
	}
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

// etagBits packs an etag; 0 means no file.
func etagBits(tag string) uint64 {
	n, _ := strconv.ParseUint(tag, 16, 64)
	return n
}

// Hunk replaces the bytes Start to End of one version by Text.
type Hunk struct {
	Start int    `json:"s"`
	End   int    `json:"e"`
	Text  string `json:"t,omitempty"`
}

// Patch returns the hunks that turn before into after, nil when JSON cannot carry them. In linear time, so not always the shortest.
func Patch(before, after []byte) []Hunk {
	if !utf8.Valid(after) {
		return nil
	}
	once := onceOnly(after)
	var out []Hunk
	for i, j := 0, 0; ; {
		n := commonLines(before[i:], after[j:])
		i, j = i+n, j+n
		if i == len(before) && j == len(after) {
			return out
		}
		h := Hunk{Start: i, End: len(before)}
		to := len(after)
		for at := i; at < h.End; at += len(lines.First(before[at:])) {
			if there, ok := once[string(lines.First(before[at:]))]; ok && there >= j {
				h.End, to = at, there // here both texts continue alike
			}
		}
		h.Text = string(after[j:to])
		out = append(out, h)
		i, j = h.End, to
	}
}

// onceOnly maps the lines that b has only once, without fillers, to their offsets.
func onceOnly(b []byte) map[string]int {
	at := map[string]int{}
	for i := 0; i < len(b); {
		line := lines.First(b[i:])
		if _, twice := at[string(line)]; twice || len(line) < 8 {
			at[string(line)] = -1
		} else {
			at[string(line)] = i
		}
		i += len(line)
	}
	return at
}

// commonLines returns how many bytes of whole lines a and b have in common at the start.
func commonLines(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	if n == len(a) && n == len(b) {
		return n
	}
	return bytes.LastIndexByte(a[:n], '\n') + 1
}

// Apply returns the version that p makes from before.
func Apply(before []byte, p []Hunk) ([]byte, bool) {
	var out []byte
	at := 0
	for _, h := range p {
		if h.Start < at || h.End < h.Start || h.End > len(before) {
			return nil, false
		}
		out = append(append(out, before[at:h.Start]...), h.Text...)
		at = h.End
	}
	return append(out, before[at:]...), true
}
