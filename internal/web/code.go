package web

import (
	"context"
	"net/http"
	"strings"
	"time"

	"sdd/internal/anchor"
	"sdd/internal/app"
	"sdd/internal/lookup"
)

// codePart is what happened to the code that a record names.
type codePart struct {
	Form    string // its address
	Etag    string
	Places  []codePlace
	Drifted bool // a place can be affirmed
	Moved   bool // a place has a new one
}

// codePlace is one place with the lines that changed.
type codePlace struct {
	State anchor.State
	Text  string
	Rows  []diffRow
}

const codePatience = 2 * time.Second // for git's history, while the browser waits

// codeOf returns what happened to the code that a record names, nil for nothing. closed is the reason why its file cannot be saved.
func (s *site) codeOf(ctx context.Context, id, closed string) *codePart {
	all, err := s.uses.Anchors(ctx, id)
	if err != nil || len(all) == 0 || all[0].Gone() {
		return nil
	}
	soon, stop := context.WithTimeout(ctx, codePatience)
	defer stop()
	s.uses.Explain(soon, all)
	part := &codePart{}
	for _, a := range all {
		switch {
		case a.State == anchor.Moved:
			part.Moved = true
			part.Places = append(part.Places, codePlace{State: a.State, Text: a.Place + " is now " + a.Now})
		case a.Verdict.Alarm():
			part.Drifted = part.Drifted || a.State == anchor.Drifted
			part.Places = append(part.Places, codePlace{a.State, a.Verdict.Mark(a.Since), changedLines(a.Since)})
		}
	}
	if len(part.Places) == 0 {
		return nil
	}
	if closed == "" {
		part.Form, part.Etag = escapePath("/affirm/"+all[0].ID), all[0].Entry.Etag
	}
	return part
}

// changedLines are the lines before and after a change.
func changedLines(since *anchor.Since) (rows []diffRow) {
	if since == nil {
		return nil
	}
	for l := range strings.Lines(since.Was) {
		rows = append(rows, diffRow{"removed", "removed", visible(strings.TrimRight(l, "\r\n"))})
	}
	for l := range strings.Lines(since.Is) {
		rows = append(rows, diffRow{"added", "added", visible(strings.TrimRight(l, "\r\n"))})
	}
	return rows
}

// affirm vouches for the code that a record names, or writes the new places of code that moved, and returns to the record's page.
func (s *site) affirm(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return err
	}
	action := r.PostForm.Get("action")
	if action != "affirm" && action != "moved" {
		return unknownAction(action)
	}
	if err := s.index.Refresh(r.Context()); err != nil {
		return err
	}
	e, err := lookup.One(s.index, r.PathValue("id"), "", "")
	if err != nil {
		return err
	}
	if e.Etag != r.PostForm.Get("if_match") {
		return changedSince(e.ID)
	}
	if _, err := s.uses.Affirm(r.Context(), e.ID, action == "moved", "page"); err != nil {
		return err
	}
	return s.finish(w, r, pageOf(e.Kind, e.Color, e.ID)+"?done="+action)
}

// changedCode is a record whose code has changed or is gone.
type changedCode struct {
	party
	State anchor.State
	Mark  string
}

// changedRecords are the records whose code has changed or is gone.
func (s *site) changedRecords(ctx context.Context) (all []changedCode, err error) {
	records, err := s.uses.Alarms(ctx)
	for _, places := range records {
		e := places[0].Entry
		all = append(all, changedCode{party{e.ID, pageOf(e.Kind, e.Color, e.ID), e.Title}, places[0].State, app.Mark(places)})
	}
	return all, err
}
