package index

import (
	"path"
	"strings"
	"time"

	"sdd/internal/analysis"
	"sdd/internal/anchor"
	"sdd/internal/record"
)

// Ties connect a record with others by its front matter: its domain and module, the code that it describes, and the
// records that it names. The ranking for a briefing also reads the records that are tied to a match.

// Ties are the ties of a record. A field without a key in the front matter is empty.
type Ties struct {
	Domain string
	Module string
	Code   string // the file of the first code_ref
	Date   string // of a decision: when it was taken
	Links  []Link
}

// Link is a record that another one names in its front matter.
type Link struct {
	By string // the key: parent, supersedes, superseded_by, depends_on, relates_to
	To string // the id, title or path as written
}

const (
	maxTie   = 256 // bytes of a tie that the index keeps
	maxLinks = 32
)

func tiesOf(front map[string]any) Ties {
	one := func(key string) string {
		s, _ := front[key].(string)
		if s = oneLine(s); len(s) > maxTie {
			return ""
		}
		return s
	}
	t := Ties{Domain: one("domain"), Module: one("module"), Date: one("date")}
	if refs := anchor.Strings(front[anchor.RefKey]); len(refs) > 0 && len(refs[0]) <= maxTie {
		t.Code, _, _ = strings.Cut(oneLine(refs[0]), "#")
		t.Code = strings.TrimPrefix(t.Code, "./")
	}
	if strings.HasPrefix(one("source"), record.CommitSource) { // found one by one in the history: only a folder joins them
		t.Domain, t.Module, t.Code = "", "", ""
	}
	for _, key := range record.LinkKeys {
		add := func(to string) {
			if to = oneLine(to); to != "" && len(to) <= maxTie && len(t.Links) < maxLinks {
				t.Links = append(t.Links, Link{key, to})
			}
		}
		switch v := front[key].(type) {
		case string:
			add(v)
		case []any:
			for _, x := range v {
				if s, ok := x.(string); ok {
					add(s)
				}
			}
		}
	}
	return t
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

type group string

// Kinds of groups: the byte behind groupTerm.
const (
	domainGroup = "d"
	moduleGroup = "m" // domain, 0, module
	codeGroup   = "c"
	linkGroup   = "l" // the records that name this one
	dateGroup   = "t" // a day, month or year
	anchorGroup = "a" // the records that name this file; without a file, those that name any
	calledGroup = "n" // the records that name a file or symbol of this name
)

// manualSession is the session of saves without one: its records have nothing in common.
const manualSession = "manual-save"

func (e *Entry) groups() []group {
	var list []group
	add := func(kind, key string) {
		if key != "" {
			list = append(list, group(groupTerm+kind+nameKey(key)))
		}
	}
	if e.Module != "" {
		add(moduleGroup, e.Domain+"\x00"+e.Module)
	}
	add(codeGroup, e.Code)
	for _, s := range e.Sessions {
		if s = analysis.Lower(s); s != manualSession {
			list = append(list, group(sessionTerm+s))
		}
	}
	add(domainGroup, e.Domain)
	return list
}

// tieTerms calls yield for each term that finds a record through its ties.
func (e *Entry) tieTerms(yield func(term string)) {
	for _, g := range e.groups() {
		if g[:1] != sessionTerm { // a session has its own term
			yield(string(g))
		}
	}
	for _, a := range e.Anchors {
		yield(groupTerm + anchorGroup + a.Path)
		yield(groupTerm + calledGroup + path.Base(a.Path))
		if a.Symbol != "" {
			yield(groupTerm + calledGroup + a.Symbol)
			yield(groupTerm + calledGroup + a.Symbol[strings.LastIndexByte(a.Symbol, '.')+1:])
		}
	}
	if len(e.Anchors) > 0 {
		yield(groupTerm + anchorGroup)
	}
	for _, l := range e.Links {
		yield(groupTerm + linkGroup + nameKey(l.To))
	}
	if day := e.day(); day != "" {
		yield(groupTerm + dateGroup + day)
		yield(groupTerm + dateGroup + day[:len("2006-01")])
		yield(groupTerm + dateGroup + day[:len("2006")])
	}
}

func (e *Entry) day() string {
	for _, s := range []string{e.Date, e.Created} {
		if at := dateMillis(s); at != noDate {
			if d := record.Moments(time.UnixMilli(at)); strings.IndexByte(d, '-') == len("2006") {
				return d[:len("2006-01-02")]
			}
		}
	}
	return ""
}
