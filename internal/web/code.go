package web

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"sdd/internal/anchor"
	"sdd/internal/app"
	"sdd/internal/history"
	"sdd/internal/index"
	"sdd/internal/lookup"
)

// codePart is what happened to the code that a record names.
type codePart struct {
	Form    string // its address
	Etag    string
	Places  []app.Anchored
	Drifted bool // a place can be affirmed
	Moved   bool // a place has a new one
}

const codePatience = 2 * time.Second // for git's history, while the browser waits

// codeOf returns what happened to the code that a record names, nil for nothing. closed is the reason why its file cannot be saved.
func (s *site) codeOf(ctx context.Context, id, closed string) *codePart {
	all, err := s.uses.Anchors(ctx, id)
	if err != nil || len(all) == 0 || all[0].Gone() {
		return nil
	}
	part := &codePart{}
	if closed == "" {
		part.Form, part.Etag = escapePath("/affirm/"+all[0].ID), all[0].Entry.Etag
	}
	soon, stop := context.WithTimeout(ctx, codePatience)
	defer stop()
	s.uses.Explain(soon, all)
	part.Places = slices.DeleteFunc(all, func(a app.Anchored) bool { return a.State != anchor.Moved && !a.Verdict.Alarm() })
	for _, a := range part.Places {
		part.Moved = part.Moved || a.State == anchor.Moved
		part.Drifted = part.Drifted || a.State == anchor.Drifted
	}
	if len(part.Places) == 0 {
		return nil
	}
	return part
}

// sinceRows are the lines before and after a change.
func sinceRows(since *anchor.Since) []history.Row {
	lines := func(text string) []string { return slices.Collect(strings.Lines(text)) }
	return replaced(lines(since.Was), lines(since.Is))
}

// entry is the record that the address names by its id.
func (s *site) entry(r *http.Request) (index.Entry, error) {
	if err := s.index.Refresh(r.Context()); err != nil {
		return index.Entry{}, err
	}
	return lookup.One(s.index, r.PathValue("id"), "", "")
}

// affirm vouches for the code that a record names, or writes the new places of code that moved, and returns to the record's page.
func (s *site) affirm(w http.ResponseWriter, r *http.Request) error {
	action := r.PostForm.Get("action")
	if action != "affirm" && action != "moved" {
		return unknownAction(action)
	}
	e, err := s.entry(r)
	if err != nil {
		return err
	}
	if e.Etag != r.PostForm.Get("if_match") {
		return changedSince(e.ID)
	}
	if _, err := s.uses.Affirm(r.Context(), e.ID, action == "moved", "page"); err != nil {
		return err
	}
	return s.finish(w, r, pageOfEntry(e)+"?done="+action)
}
