package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
)

// Colours of lines, as terminal escapes.
const (
	plainText = ""
	bold      = "\x1b[1m"
	dim       = "\x1b[2m"
	red       = "\x1b[31m"
	green     = "\x1b[32m"
	yellow    = "\x1b[33m"
	cyan      = "\x1b[36m"
	reset     = "\x1b[0m"
)

// painter collects lines, in colour on a terminal unless NO_COLOR is set.
type painter struct {
	b    strings.Builder
	on   bool
	safe func(string) string
}

// line adds one line. The text may be stored text: its line ends become blanks.
func (p *painter) line(color, text string) {
	text = strings.TrimRightFunc(strings.ReplaceAll(p.safe(text), "\n", " "), unicode.IsSpace)
	if p.on && color != plainText && text != "" {
		text = color + text + reset
	}
	p.b.WriteString(text + "\n")
}

// text adds the lines of a text below a blank line.
func (p *painter) text(text string) {
	p.line(plainText, "")
	for line := range strings.Lines(strings.TrimSpace(text)) {
		p.line(plainText, line)
	}
}

// field is a name and a value of a record.
type field struct{ name, value string }

// fields adds the fields that have a value, one on each line.
func (p *painter) fields(all ...field) {
	for _, f := range all {
		if f.value != "" {
			p.line(dim, fmt.Sprintf("%-14s %s", f.name, f.value))
		}
	}
}

// printPainted writes a result: as JSON with --json, else as lines, which may be in colour.
func (a *session) printPainted(v any, text func(p *painter)) error {
	if a.json {
		return a.print(v, nil)
	}
	p := &painter{on: isTerminal(a.out) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb", safe: a.safe}
	text(p)
	_, err := io.WriteString(a.out, p.b.String())
	return err
}

// answerPainted is printPainted for the result of a use case, unless it failed.
func (a *session) answerPainted(v any, err error, text func(p *painter)) error {
	if err != nil {
		return err
	}
	return a.printPainted(v, text)
}
