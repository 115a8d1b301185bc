package lookup

import (
	"context"
	"fmt"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/index"
	"sdd/internal/record"
	"sdd/internal/store"
)

// Status is the place of a store and its problems.
type Status struct {
	Root    string `json:"root"` // the folder that holds .sdd
	Exists  bool   `json:"exists"`
	Project string `json:"project"`
	// Problems are the files that cannot be read in full or not be written to, and records with several files.
	Problems []Problem `json:"problems"`
	// Pending are acknowledged changes that a stale editor overwrote.
	Pending []string `json:"pending"`
}

// Problem is a defect of one file.
type Problem struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Code string `json:"code"`
	Text string `json:"text"`
	Fix  string `json:"-"` // what to do, "" when it depends on the text
}

// StatusOf reads the whole store and returns the problems of its files and its pending changes.
func StatusOf(ctx context.Context, st *store.Store, ix *index.Index) (s Status, err error) {
	defer fault.Caught(&err)
	s = Status{
		Root: st.Dir(), Exists: st.Exists(), Project: st.Project(),
		Problems: []Problem{}, Pending: []string{},
	}
	if !s.Exists {
		return s, nil
	}
	fault.Check(ix.Refresh(ctx))
	for _, e := range ix.Broken() {
		for _, p := range e.Problems {
			s.Problems = append(s.Problems, Problem{File: e.File, Line: p.Line, Code: p.Code, Text: p.Text})
		}
	}
	for _, u := range st.Unmerged(ctx) {
		p := record.ConflictAt(u.Line)
		s.Problems = append(s.Problems, Problem{File: store.Folder + "/" + u.Path, Line: p.Line, Code: p.Code, Text: p.Text})
	}
	s.severalFiles(ix.Namesakes())
	for _, path := range fault.Must(st.Irregular(ctx)) {
		if _, err := st.Read(path); err != nil && !fault.Is(err, fault.NotFound) {
			f := fault.Of(err)
			s.Problems = append(s.Problems, Problem{f.File, f.Line, "unreadable", f.Message, f.Hint})
		}
	}
	for _, n := range st.Undone(ctx) {
		s.Pending = append(s.Pending, n.Text())
	}
	return s, nil
}

// severalFiles finds records with several files: a save of such a record has no single target.
func (s *Status) severalFiles(entries []index.Entry) {
	files := map[record.Identity][]string{}
	var several []record.Identity
	for _, e := range entries {
		key := record.IdentityOf(e.ID, e.Kind, e.Path)
		if files[key] = append(files[key], e.File); e.ID != "" && len(files[key]) == 2 {
			several = append(several, key)
		}
	}
	for _, key := range several {
		text := fmt.Sprintf("%s is also in %s", key.ID, strings.Join(files[key][1:], ", "))
		s.Problems = append(s.Problems, Problem{files[key][0], 0, "duplicate", text, "merge them into one by hand and delete the other"})
	}
}
