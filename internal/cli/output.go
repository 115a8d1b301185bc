package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"sdd/internal/fault"
	"sdd/internal/tty"
)

func isTerminal(stream any) bool { return tty.Is(stream) }

// safe returns s for printing: on a terminal, control characters in stored text become visible, so that the terminal ignores them.
func (a *session) safe(s string) string {
	if !isTerminal(a.out) && !isTerminal(a.err) {
		return s
	}
	return tty.Safe(s)
}

// writeJSON writes JSON. On a terminal it writes control characters that JSON allows as \u escapes, which mean the same.
func (a *session) writeJSON(text []byte) error {
	if isTerminal(a.out) {
		var b []byte
		for _, r := range string(text) {
			if tty.Obeyed(r) {
				b = fmt.Appendf(b, "\\u%04x", r)
			} else {
				b = utf8.AppendRune(b, r)
			}
		}
		text = b
	}
	_, err := a.out.Write(text)
	return err
}

// endingReader fails when its context ends, even while a read waits for the keyboard or a pipe.
type endingReader struct {
	ctx context.Context
	r   io.Reader
}

func (e endingReader) Read(p []byte) (int, error) {
	type result struct {
		n   int
		err error
	}
	own, done := make([]byte, len(p)), make(chan result, 1)
	go func() {
		n, err := e.r.Read(own)
		done <- result{n, err}
	}()
	select {
	case <-e.ctx.Done():
		return 0, e.ctx.Err()
	case r := <-done:
		return copy(p, own[:r.n]), r.err
	}
}

// readAll reads at most limit+1 bytes, so that the caller can see whether the stream is too long.
func readAll(r io.Reader, limit int) (string, error) {
	data, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if err != nil {
		name := "standard input"
		if refused, ok := errors.AsType[*fs.PathError](err); ok {
			name, err = refused.Path, refused.Err
		}
		return "", fault.New(fault.Invalid, "cannot read %q: %v", name, err).With("give the path of a file, or - for standard input")
	}
	return string(data), nil
}

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

func (p *painter) text(text string) {
	p.line(plainText, "")
	for line := range strings.Lines(strings.TrimSpace(text)) {
		p.line(plainText, line)
	}
}

type field struct{ name, value string }

func (p *painter) fields(all ...field) {
	for _, f := range all {
		if f.value != "" {
			p.line(dim, fmt.Sprintf("%-14s %s", f.name, f.value))
		}
	}
}

// paint writes a result: as JSON with --json, else as lines, which may be in colour.
func (a *session) paint(v any, text func(p *painter)) error {
	if a.json {
		return a.print(v, nil)
	}
	p := &painter{on: isTerminal(a.out) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb", safe: a.safe}
	text(p)
	_, err := io.WriteString(a.out, p.b.String())
	return err
}

func (a *session) foldHelp(root *cobra.Command) {
	print := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		var b bytes.Buffer
		root.SetOut(&b)
		print(cmd, args)
		root.SetOut(a.out)
		_, _ = a.out.Write([]byte(a.folded(b.String())))
	})
}

// folded is a help text whose lines fit the terminal, or COLUMNS if that is set. Other outputs get the text as it is.
func (a *session) folded(text string) string {
	width, err := strconv.Atoi(os.Getenv("COLUMNS"))
	if err != nil {
		width = tty.Width(a.out)
	}
	if width <= 0 {
		return text
	}
	return fold(text, max(width, leastFold))
}

const leastFold = 30 // columns; narrower ones are unreadable

// fold breaks long lines: the rest of a list's line goes below its description, that of a paragraph before the next line.
func fold(text string, width int) string {
	var out strings.Builder
	carry := ""
	lines := strings.Split(text, "\n")
	prose := func(n int) bool { return n < len(lines) && lines[n] != "" && !strings.ContainsAny(lines[n][:1], " \t") }
	for n, line := range lines {
		l := carry + line
		hang, indent := hangOf(l), ""
		if hang > width*2/3 {
			hang = 6
		}
		if !prose(n) {
			indent = strings.Repeat(" ", hang)
		}
		l = breakLine(&out, l, hang, width, indent)
		if carry = ""; prose(n) && prose(n+1) && len(line) > width {
			carry = l + " "
			continue
		}
		out.WriteString(l)
		if n < len(lines)-1 {
			out.WriteByte('\n')
		}
	}
	return out.String()
}

// breakLine writes the lines of l but the last, which it returns. Only the first line may begin other than with the indentation.
func breakLine(out *strings.Builder, l string, hang, width int, indent string) (last string) {
	for len([]rune(l)) > width {
		at := strings.LastIndexByte(string([]rune(l)[:width+1]), ' ')
		if at <= hang {
			break // one long word
		}
		out.WriteString(strings.TrimRight(l[:at], " ") + "\n")
		l = indent + strings.TrimLeft(l[at:], " ")
	}
	return l
}

// hangOf is the column of the description in a line of a list, else that of the text.
func hangOf(l string) int {
	text := strings.TrimLeft(l, " ")
	indent := len(l) - len(text)
	if at := strings.Index(text, "  "); indent > 0 && at > 0 {
		return indent + at + len(text[at:]) - len(strings.TrimLeft(text[at:], " "))
	}
	return indent
}
