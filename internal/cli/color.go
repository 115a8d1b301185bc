package cli

import (
	"io"
	"os"
	"strings"
	"unicode"
)

// Colours of lines, as terminals understand them.
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

// painter writes lines in colour where that is wanted: on a terminal, and never with NO_COLOR.
type painter struct {
	b    strings.Builder
	on   bool
	safe func(string) string
}

func (a *app) painter() *painter {
	return &painter{on: isTerminal(a.out) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb", safe: a.safe}
}

// line writes one line of text that may come from a file. Line ends in it are shown, so that it stays one.
func (p *painter) line(color, text string) {
	text = strings.TrimRightFunc(strings.ReplaceAll(p.safe(text), "\n", " "), unicode.IsSpace)
	if p.on && color != plainText && text != "" {
		text = color + text + reset
	}
	p.b.WriteString(text + "\n")
}

func (p *painter) String() string { return p.b.String() }

// printPainted writes a result: as JSON with --json, else as lines that may be in colour.
func (a *app) printPainted(v any, text func(p *painter)) error {
	if a.json {
		return a.print(v, nil)
	}
	p := a.painter()
	text(p)
	_, err := io.WriteString(a.out, p.String())
	return err
}
