// Package anchor connects records with the code that they concern. An anchor names a place in the project's files; with the fingerprint of
// when the record was saved or affirmed, Judge reports whether the code is the same, has moved, has changed or is gone.
package anchor

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/pattern"
	"sdd/internal/record"
)

// Ref is a place: a file or folder, lines of a file, or a symbol or heading in it.
type Ref struct {
	Path        string // from the top of the store's folder or work tree, with slashes
	First, Last int    // lines from 1; 0 for none
	Symbol      string // "Sign", "Signer.Sign", a heading; "" for none
}

// String returns the form in which records have it: path, path#L10-L20, path#Symbol.
func (r Ref) String() string {
	switch {
	case r.Symbol != "":
		return r.Path + "#" + r.Symbol
	case r.First == 0:
		return r.Path
	case r.First == r.Last:
		return fmt.Sprintf("%s#L%d", r.Path, r.First)
	}
	return fmt.Sprintf("%s#L%d-L%d", r.Path, r.First, r.Last)
}

var lineRange = pattern.Late(`^L([0-9]{1,9})(?:-L?([0-9]{1,9}))?$`)

// ParseRef reads an anchor that a user wrote. path:10 and path:10-20 are lines as well.
func ParseRef(text string) (Ref, error) {
	bad := func(why string) (Ref, error) {
		return Ref{}, fault.New(fault.Invalid, "code_ref %q %s", record.Brief(text), why).For("code_ref").
			With("give a path from the project's folder, alone or with lines or a symbol: internal/auth/jwt.go, jwt.go#L10-L50, jwt.go#Signer.Sign")
	}
	if err := record.CheckLine(RefKey, strings.TrimSpace(text), maxPlace); err != nil {
		return Ref{}, err
	}
	file, fragment, _ := strings.Cut(strings.ReplaceAll(strings.TrimSpace(text), `\`, "/"), "#")
	fragment = strings.TrimSpace(fragment)
	for strings.HasSuffix(fragment, "()") && !strings.HasSuffix(fragment, "operator()") {
		fragment = strings.TrimSpace(strings.TrimSuffix(fragment, "()"))
	}
	file = strings.TrimSpace(file)
	folder := file == "" || strings.HasSuffix(file, "/") && (fragment != "" || strings.Trim(file, "/") == "")
	file = path.Clean(file) // first, so that what is refused of a path is refused of every way to write it
	if m := colonLines().FindStringSubmatch(file); m != nil && fragment == "" {
		file, fragment = strings.TrimSpace(m[1]), "L"+m[2]
		folder, file = folder || strings.HasSuffix(file, "/"), path.Clean(file)
	}
	switch {
	case folder || file == "." || file != strings.TrimSpace(file):
		return bad("names no file")
	case path.IsAbs(file), len(file) > 1 && file[1] == ':', strings.HasPrefix(file, "~"):
		return bad("is a path of one machine")
	case !filepath.IsLocal(filepath.FromSlash(file)):
		return bad("leads out of the project")
	}
	r := Ref{Path: file}
	m := lineRange().FindStringSubmatch(fragment)
	if m == nil {
		r.Symbol = fragment
		return r, nil
	}
	r.First, _ = strconv.Atoi(m[1])
	r.Last = r.First
	if m[2] != "" {
		r.Last, _ = strconv.Atoi(m[2])
	}
	switch {
	case r.First < 1:
		return bad("begins before line 1")
	case r.Last < r.First:
		return bad("ends before it begins")
	}
	return r, nil
}

var colonLines = pattern.Late(`^(.+?):([0-9]{1,9}(?:-[0-9]{1,9})?)$`)

// Anchor is a place that a record names.
type Anchor struct {
	Ref
	Text    string // as the record has it
	Line    int    // of the record's file, 0 when unknown
	Mention bool   // a code span in the text, not a value of code_ref
	Seen    []Seen // the fingerprints that the record was saved or affirmed with; more than one after a merge
}

// Seen is a fingerprint in a record's key seen, written "PLACE HOW:SIZE:PRINT".
type Seen struct {
	How   How
	Size  int // tokens
	Print string
}

// How is what a fingerprint was taken of.
type How string

const (
	BySymbol How = "symbol"
	ByLines  How = "lines"
	ByFile   How = "file"
)

func (s Seen) String() string { return fmt.Sprintf("%s:%d:%s", s.How, s.Size, s.Print) }

// Entry returns the entry of the key seen for a place.
func Entry(r Ref, s Seen) string { return r.String() + " " + s.String() }

var seenEntry = pattern.Late(`^(.+) (symbol|lines|file):([0-9]{1,9}):([0-9a-f]{12})$`)

// parseSeen reads an entry of the key seen; ok is false for one that is not about a place.
func parseSeen(entry string) (place string, s Seen, ok bool) {
	m := seenEntry().FindStringSubmatch(entry)
	if m == nil {
		return "", s, false
	}
	size, _ := strconv.Atoi(m[3])
	return m[1], Seen{How(m[2]), size, m[4]}, true
}

// hasNoCode reports whether an entry of seen is of lines that have no code: its fingerprint is that of nothing.
func hasNoCode(entry string) bool {
	_, s, ok := parseSeen(entry)
	return ok && s.How == ByLines && s.Size == 0
}

// Affirmed lists the places with a new fingerprint in seen. moved has those with the fingerprint of a place that is no longer there.
func Affirmed(old, now any) (places, moved []string) {
	was, is := Strings(old), Strings(now)
	gone := map[Seen]bool{}
	for _, e := range was {
		if _, s, ok := parseSeen(e); ok && !slices.Contains(is, e) {
			gone[s] = true
		}
	}
	for _, e := range is {
		place, s, ok := parseSeen(e)
		to := &places
		if gone[s] {
			to = &moved
		}
		if ok && !slices.Contains(was, e) && !slices.Contains(*to, place) {
			*to = append(*to, place)
		}
	}
	return places, moved
}

const (
	RefKey  = "code_ref" // a place, or a list of places
	SeenKey = "seen"     // a list of entries; an entry without a place is the hash of a fact's refresh_on
)

// In returns the anchors of a record, each place once: the values of code_ref, then the code spans of its text that name a place.
func In(front map[string]any, spans []Span) []Anchor {
	seen := map[string][]Seen{}
	for _, entry := range Strings(front[SeenKey]) {
		if place, s, ok := parseSeen(entry); ok {
			seen[place] = append(seen[place], s)
		}
	}
	var all []Anchor
	known := map[string]bool{}
	add := func(text string, line int, mention bool) {
		if r, err := ParseRef(text); err == nil && !known[r.String()] {
			known[r.String()] = true
			all = append(all, Anchor{Ref: r, Text: text, Line: line, Mention: mention, Seen: seen[r.String()]})
		}
	}
	for _, text := range Strings(front[RefKey]) {
		add(text, 0, false)
	}
	for _, s := range spans {
		if mayBePlace(s.Text) {
			add(s.Text, s.Line, true)
		}
	}
	return all
}

// Span is a code span of a record's text.
type Span struct {
	Text string
	Line int
}

var place = pattern.Late(`^[\pL\pN_.@+-]+(?:/[\pL\pN_.@+ -]+)*(?:#[^\s#]+(?: [^\s#]+)*|:[0-9]+(?:-[0-9]+)?)?$`)

// mayBePlace reports whether a code span looks like a path, with or without a symbol or lines.
func mayBePlace(text string) bool {
	if len(text) > maxPlace || !place().MatchString(text) {
		return false
	}
	file, _, has := strings.Cut(text, "#")
	return strings.Contains(file, "/") || path.Ext(file) != "" && path.Ext(file) != "." || has
}

const maxPlace = 1000 // characters

// Strings returns the texts of a front-matter value, which is one text or a list.
func Strings(v any) (all []string) {
	switch v := v.(type) {
	case string:
		if v = strings.TrimSpace(v); v != "" {
			all = append(all, v)
		}
	case []any:
		for _, x := range v {
			if s, ok := x.(string); ok && strings.TrimSpace(s) != "" {
				all = append(all, strings.TrimSpace(s))
			}
		}
	case []string:
		return v
	}
	return all
}

// mostNamed is the most places that a captured text is anchored to.
const mostNamed = 3

// spelled matches a code span or a bare word.
var spelled = pattern.Late("`([^`\n]+)`|[^\\s`()\\[\\]{}<>\"'“”‘’«»,;]+")

// Named lists the places below dir that a text names, but none that is ambiguous, not there, or ignored by git: other clones lack it.
func Named(dir, text string) (places Places) {
	var t *Tree
	for _, m := range spelled().FindAllStringSubmatch(text, -1) {
		word := m[1]
		if word == "" {
			word = strings.TrimRight(strings.TrimLeft(m[0], "*_"), ".:!?*_…")
		}
		if !mayBePlace(word) {
			continue
		}
		if t == nil {
			t = New(dir)
			defer t.Close()
		}
		r, err := ParseRef(word)
		if err != nil {
			continue
		}
		if entry, whole, err := t.Pin(r); err == nil && entry != "" && !slices.Contains(places, whole.String()) && !t.ignored(whole.Path) {
			places = append(places, whole.String())
		}
		if len(places) == mostNamed {
			break
		}
	}
	return places
}

func (t *Tree) ignored(file string) bool {
	if t.repo == nil {
		return false
	}
	at, _ := t.locate(file)
	is, _ := t.repo.Ignored(context.Background(), path.Clean(at))
	return len(is) > 0
}
