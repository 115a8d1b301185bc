package grep

import (
	"path"
	"regexp"
	"strconv"
	"strings"

	"sdd/internal/pattern"
)

// A long query is often the report of a bug: a title, then text with code, stack traces and the answers to a template's questions.
// readReport separates them, because they are worth different amounts.

// passage is a part of a query with the weight of its words.
type passage struct {
	text   string
	weight float64
	title  bool
}

// mention is the path of a file in a query.
type mention struct {
	parts []string // in lower case
	title bool
	frame int // its place in a stack trace from the innermost frame, from 1; 0 for other mentions
	line  int // that it names, 0 for none
}

// report is a query taken apart.
type report struct {
	passages []passage
	mentions []mention
	called   []string // the functions of the frames
}

const maxMentions = 60

var (
	remark      = pattern.Late(`(?s)<!--.*?(?:-->|\z)`)
	checkbox    = pattern.Late(`^\s*[-*] \[[ xX]\]`)
	heading     = pattern.Late(`^\s*(?:#{1,6}\s.*|\*\*[^*]+\*\*:?|[-=~*_]{3,})\s*$`)
	version     = pattern.Late(`^\W*[\w .()/@+-]{1,40}?(?:\s*[:=|]+\s*|\s+)\W*v?\d+\.\d[\w.+-]*\W*(?:\([^)]*\)|\w+)?\W*$`)
	prompted    = pattern.Late(`^\s*(?:>>> ?|\.\.\. ?|In ?\[\d*\]: ?|Out ?\[\d*\]: ?|\$ |-+> \d+ |\d+ {2,})`)
	loggedAt    = pattern.Late(`^\W*\d{4}-\d\d-\d\d[T ]\d\d:\d\d\S*`)
	raised      = pattern.Late(`^\s*(?:[\w.]*(?:Error|Exception|Warning)\b|panic|fatal|error|Caused by)\s*:`)
	pythonFrame = pattern.Late(`^\s*File "([^"]+)", line (\d+)(?:, in (\S+))?`)
	notebook    = pattern.Late(`^(\S+\.pyx?) in (\w+)\(`)
	javaFrame   = pattern.Late(`^\s*at ([\w.$]+)\.([\w$<>]+)\(([\w$]+\.\w+):(\d+)\)`)
	goFrame     = pattern.Late(`^(?:[\w.~/-]+\.)?(?:\(\*?\w+\)\.)?(\w+)\(` +
		`(?:(?:0x[0-9a-f]|\.\.\.|\{)(?:[^()]|\([^()]*\))*)?\)(?: in goroutine \d+)?$`)
	lineOfFile = pattern.Late(`([\w@~.+/\\-]+\.[A-Za-z]{1,5})(?::(?:line )?(\d+)(?::\d+)?|\((\d+)\))`)
)

// readReport takes a query apart. The first line of several is the title; a query of one line is a title.
func readReport(text string) report {
	text = strings.TrimSpace(remark().ReplaceAllString(text, " "))
	title, rest, long := strings.Cut(text, "\n")
	if pythonFrame().MatchString(title) || javaFrame().MatchString(title) {
		title, rest, long = "", text, true
	}
	r := report{}
	r.prose(title, passage{weight: 1, title: true})
	if !long {
		return r
	}
	fenced, python := false, strings.Contains(text, "most recent call last") || pythonFrame().MatchString(text)
	var frames []mention
	under := -1 // the indentation of the frame above
	for line := range strings.Lines(rest) {
		var m []string
		is := func(form func() *regexp.Regexp) bool {
			m = form().FindStringSubmatch(line)
			return m != nil
		}
		line = strings.TrimRight(line, "\r\n ")
		bare := strings.TrimLeft(line, " \t")
		indent := len(line) - len(bare)
		switch {
		case strings.HasPrefix(bare, "```") || strings.HasPrefix(bare, "~~~"):
			fenced, under = !fenced, -1
		case bare == "", is(checkbox), !fenced && is(heading), is(version):
		case is(pythonFrame):
			frames, under = append(frames, placeMention(m[1], m[2])), indent
			if m[3] != "" { // a syntax error is in no function
				r.called = append(r.called, m[3])
			}
			python = true
		case is(notebook):
			frames = append(frames, fileMention(m[1]))
			r.called = append(r.called, m[2])
		case is(javaFrame):
			frames = append(frames, placeMention(path.Dir(strings.ReplaceAll(m[1], ".", "/"))+"/"+m[3], m[4]))
			r.called = append(r.called, m[2])
		case indent == 0 && is(goFrame):
			r.called = append(r.called, m[1])
		case under >= 0 && indent > under:
			r.add(bare, passage{weight: asTrace})
		default:
			under = -1
			for _, m := range lineOfFile().FindAllStringSubmatch(line, 3) {
				frames = append(frames, placeMention(m[1], m[2]+m[3]))
			}
			line = loggedAt().ReplaceAllString(lineOfFile().ReplaceAllString(line, " "), " ")
			switch {
			case raised().MatchString(line):
				r.prose(line, passage{weight: asError})
			case fenced || prompted().MatchString(line) || indent >= 4:
				r.add(line, passage{weight: asCode})
			default:
				r.prose(line, passage{weight: 1})
			}
		}
	}
	for i := range frames {
		frames[i].frame = i + 1
		if python {
			frames[i].frame = len(frames) - i
		}
		r.mention(frames[i])
	}
	return r
}

func (r *report) add(text string, p passage) {
	p.text = text
	if n := len(r.passages); n > 0 && r.passages[n-1].weight == p.weight && r.passages[n-1].title == p.title {
		r.passages[n-1].text += "\n" + text
		return
	}
	r.passages = append(r.passages, p)
}

// prose adds a passage in which the author names files on purpose.
func (r *report) prose(text string, p passage) {
	text = address().ReplaceAllString(text, " ")
	lines := map[string][]string{}
	for _, m := range lineOfFile().FindAllStringSubmatch(text, 20) {
		lines[m[1]] = append(lines[m[1]], m[2]+m[3])
	}
	for _, f := range fileName().FindAllString(text, 20) {
		line := ""
		if all := lines[f]; len(all) > 0 { // a file may be named with several lines
			line, lines[f] = all[0], all[1:]
		}
		m := placeMention(f, line)
		m.title = p.title
		r.mention(m)
	}
	r.add(text, p)
}

func (r *report) mention(m mention) {
	if len(m.parts) > 0 && len(r.mentions) < maxMentions {
		r.mentions = append(r.mentions, m)
	}
}

func fileMention(p string) mention {
	p = strings.ToLower(strings.ReplaceAll(p, `\`, "/"))
	return mention{parts: strings.FieldsFunc(p, func(r rune) bool { return r == '/' })}
}

func placeMention(p, line string) mention {
	m := fileMention(p)
	m.line, _ = strconv.Atoi(line)
	return m
}

// matches returns how well a path ends like the mention, 0 for another file. dirs and name are the path's parts in lower case.
func (m mention) matches(dirs []string, name string) int {
	last := len(m.parts) - 1
	if m.parts[last] != name {
		return 0
	}
	n := 1
	for n <= last && n <= len(dirs) && m.parts[last-n] == dirs[len(dirs)-n] {
		n++
	}
	switch {
	case n == len(m.parts) || n == len(dirs)+1: // all of the mention, or all folders of the file
		return len(m.parts) + n
	case n > 1:
		return n
	}
	return 0
}

// Weights of the words of passages.
const (
	asCode   = 0.5 // code and logs that the author pasted
	asTrace  = 0.4 // the source lines in a stack trace
	asError  = 1.2
	asCalled = 0.5 // the functions in it
)
