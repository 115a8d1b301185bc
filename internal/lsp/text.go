package lsp

import (
	"bytes"
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// text is the content of a document. It is immutable.
type text struct {
	src   []byte
	lines []int // the offset of each line's first byte; the first is 0
	utf8  bool  // characters of positions are bytes, not UTF-16 code units
}

func newText(src []byte, inUTF8 bool) *text {
	t := &text{src: src, lines: []int{0}, utf8: inUTF8}
	for i := 0; i < len(src); i++ {
		if src[i] == '\n' || src[i] == '\r' && (i+1 == len(src) || src[i+1] != '\n') {
			t.lines = append(t.lines, i+1)
		}
	}
	return t
}

// position is a place in a document as the protocol has it, from 0.
type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// span is a range of a document; its end is not part of it.
type span struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

// line returns a line without its end, from 0; "" for one that the text lacks.
func (t *text) line(n int) []byte {
	if n < 0 || n >= len(t.lines) {
		return nil
	}
	end := len(t.src)
	if n+1 < len(t.lines) {
		end = t.lines[n+1]
	}
	return bytes.TrimRight(t.src[t.lines[n]:end], "\r\n")
}

// offset returns the byte at a position. A position behind the end of its line means that end, one behind the text its end.
func (t *text) offset(p position) int {
	switch {
	case p.Line < 0:
		return 0
	case p.Line >= len(t.lines):
		return len(t.src)
	}
	line := t.line(p.Line)
	start := t.lines[p.Line]
	if t.utf8 {
		at := min(max(p.Character, 0), len(line))
		for at > 0 && at < len(line) && !utf8.RuneStart(line[at]) {
			at-- // inside a character
		}
		return start + at
	}
	at := 0
	for units := 0; at < len(line); {
		r, n := utf8.DecodeRune(line[at:])
		if units += utf16.RuneLen(r); units > p.Character {
			break
		}
		at += n
	}
	return start + at
}

// position returns the position of a byte. A byte in a line's end means that end.
func (t *text) position(offset int) position {
	offset = min(max(offset, 0), len(t.src))
	line := sort.SearchInts(t.lines, offset+1) - 1
	before := t.line(line)
	before = before[:min(len(before), offset-t.lines[line])]
	if t.utf8 {
		return position{line, len(before)}
	}
	units := 0
	for _, r := range string(before) {
		units += utf16.RuneLen(r)
	}
	return position{line, units}
}

func (t *text) span(start, end int) span { return span{t.position(start), t.position(end)} }

func (t *text) whole(line int) span {
	line = min(max(line, 0), len(t.lines)-1)
	return t.span(t.lines[line], t.lines[line]+len(t.line(line)))
}

// change is one change of a document by the client; without a range it replaces all.
type change struct {
	Range *span  `json:"range"`
	Text  string `json:"text"`
}

func (t *text) with(c change) *text {
	if c.Range == nil {
		return newText([]byte(c.Text), t.utf8)
	}
	start, end := t.offset(c.Range.Start), t.offset(c.Range.End)
	if end < start {
		start, end = end, start
	}
	return newText(slices.Concat(t.src[:start], []byte(c.Text), t.src[end:]), t.utf8)
}

// pathOf returns the file of a file: URI, "" for any other text.
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Path == "" {
		return ""
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		if path = strings.TrimPrefix(path, "/"); u.Host != "" {
			path = "//" + u.Host + u.Path
		}
	}
	return filepath.Clean(filepath.FromSlash(path))
}

func uriOf(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// within returns the path of a file relative to a folder. Symbolic links are followed when the paths differ as written.
func within(dir, file string) (rel string, ok bool) {
	rel, err := filepath.Rel(dir, file)
	if err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel), true
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", false
	}
	folder, name := filepath.Split(file)
	if at, err := filepath.EvalSymlinks(folder); err == nil {
		file = filepath.Join(at, name)
	}
	rel, err = filepath.Rel(real, file)
	return filepath.ToSlash(rel), err == nil && filepath.IsLocal(rel)
}
