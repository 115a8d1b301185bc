package lookup

import (
	"context"
	"sdd/internal/index"
	"sdd/internal/record"
	"sdd/internal/store"
)

// Status is the place of a store and its problems.
type Status struct {
	Root    string `json:"root"` // the folder that holds .sdd
	Exists  bool   `json:"exists"`
	Project string `json:"project"`
	// Problems are the files that cannot be read in full or not be written to.
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
}

// StatusOf reads the whole store and returns the problems of its files and its pending changes.
func StatusOf(ctx context.Context, st *store.Store, ix *index.Index) (Status, error) {
	s := Status{
		Root: st.Dir(), Exists: st.Exists(), Project: st.Project(),
		Problems: []Problem{}, Pending: []string{},
	}
	if !s.Exists {
		return s, nil
	}
	if err := ix.Refresh(ctx); err != nil {
		return s, err
	}
	for _, e := range ix.Broken() {
		for _, p := range e.Problems {
			s.Problems = append(s.Problems, Problem{e.File, p.Line, p.Code, p.Text})
		}
	}
	for _, u := range st.Unmerged(ctx) {
		p := record.ConflictAt(u.Line)
		s.Problems = append(s.Problems, Problem{store.Folder + "/" + u.Path, p.Line, p.Code, p.Text})
	}
	for _, n := range st.Undone(ctx) {
		s.Pending = append(s.Pending, n.Text())
	}
	return s, nil
}
