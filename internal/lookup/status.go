package lookup

import (
	"context"
	"fmt"

	"sdd/internal/index"
	"sdd/internal/record"
	"sdd/internal/store"
)

// Status is what a store holds and what is wrong with it.
type Status struct {
	Root    string         `json:"root"` // the folder that holds .sdd
	Exists  bool           `json:"exists"`
	Project string         `json:"project"`
	Records map[string]int `json:"records"` // by kind
	// Problems are the files that cannot be read in full or not be written to.
	Problems []Problem `json:"problems"`
	// Pending are acknowledged changes that a stale editor overwrote.
	Pending []string `json:"pending"`
}

// Problem is something wrong with one file.
type Problem struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Code string `json:"code"`
	Text string `json:"text"`
}

// StatusOf reads the whole store and says how it is.
func StatusOf(ctx context.Context, st *store.Store, ix *index.Index) (Status, error) {
	s := Status{
		Root: st.Dir(), Exists: st.Exists(), Project: st.Project(),
		Records: map[string]int{}, Problems: []Problem{}, Pending: []string{},
	}
	for _, k := range record.Kinds {
		s.Records[string(k)] = 0
	}
	if !s.Exists {
		return s, nil
	}
	if err := ix.Refresh(ctx); err != nil {
		return s, err
	}
	for _, e := range ix.Entries() {
		s.Records[string(e.Kind)]++
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
	for _, n := range st.Pending() {
		s.Pending = append(s.Pending, n.Text())
	}
	return s, nil
}

// Text renders the status for a person.
func (s Status) Text() string {
	if !s.Exists {
		return fmt.Sprintf("no store yet in %s (project %s); the first save makes it\n", s.Root, s.Project)
	}
	out := fmt.Sprintf("%s/%s (project %s)\n", s.Root, store.Folder, s.Project)
	for _, k := range record.Kinds {
		if n := s.Records[string(k)]; n > 0 {
			out += fmt.Sprintf("%6d %s\n", n, k)
		}
	}
	for _, p := range s.Problems {
		out += fmt.Sprintf("%s:%d: %s\n", p.File, p.Line, p.Text)
	}
	for _, p := range s.Pending {
		out += p + "\n"
	}
	return out
}
