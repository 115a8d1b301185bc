package web

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"sdd/internal/anchor"
	"sdd/internal/app"
	"sdd/internal/fault"
	"sdd/internal/history"
	"sdd/internal/index"
	"sdd/internal/lookup"
	"sdd/internal/record"
	"sdd/internal/transfer"
)

// rail is what stands beside a record: the records that name it, the places in the code that it names, and where it goes from here.
type rail struct {
	ID, Page string
	Back     []link
	More     int // records that name it and are left out
	Places   []app.Anchored
	Against  []link // records that contradict it
	Handoff  string // the form that makes a document of it, "" for none
}

const mostBack = 20

// railOf is the rail of a record with that id; nil when the index does not have it.
func (s *site) railOf(ctx context.Context, id string) *rail {
	found := s.Index.Lookup(index.Ref{ID: id})
	if len(found) != 1 {
		return nil
	}
	e := found[0]
	r := &rail{ID: e.ID, Page: pageOfEntry(e)}
	for _, from := range s.Index.Linking(e.ID, e.Slug, e.Path, e.File, e.ID[strings.LastIndexByte(e.ID, '/')+1:]) {
		if from.Path == e.Path {
			continue
		}
		if len(r.Back) == mostBack {
			r.More++
			continue
		}
		r.Back = append(r.Back, link{nameOf(from.Title, 80), pageOfEntry(from)})
	}
	if all, err := s.Anchors(ctx, id); err == nil {
		r.Places = all
	}
	if f, err := s.Facts.Get(ctx, id); err == nil {
		against, _ := s.Facts.Against(ctx, &f) // without them the page shows the rest
		for n := range against {
			r.Against = append(r.Against, factLink(&against[n]))
		}
	} else if e.Color == record.Learning {
		doubted, _ := s.Learnings.Check(ctx, false)
		for _, i := range doubted {
			if i.ID == e.ID && i.Verdict.Evidence != nil {
				r.Against = append(r.Against, link{nameOf(i.Verdict.Evidence.New, 120), app.PagePath("learning", i.Verdict.By)})
			}
		}
	}
	if e.Kind == record.Exploration || e.Kind == record.Decision {
		r.Handoff = escapePath("/handoff/" + e.ID)
	}
	return r
}

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
	all, err := s.Anchors(ctx, id)
	if err != nil || len(all) == 0 || all[0].Gone() {
		return nil
	}
	part := &codePart{}
	if closed == "" {
		part.Form, part.Etag = escapePath("/affirm/"+all[0].ID), all[0].Entry.Etag
	}
	soon, stop := context.WithTimeout(ctx, codePatience)
	defer stop()
	s.Explain(soon, all)
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

func sinceRows(since *anchor.Since) []history.Row { return history.Replaced(since.Was, since.Is) }

func (s *site) entry(r *http.Request) index.Entry {
	fault.Check(s.Index.Refresh(r.Context()))
	return fault.Must(lookup.One(s.Index, r.PathValue("id"), "", ""))
}

// affirm vouches for the code that a record names, or writes the new places of code that moved, and returns to the record's page.
func (s *site) affirm(w http.ResponseWriter, r *http.Request) error {
	action := r.PostForm.Get("action")
	if action != "affirm" && action != "moved" {
		return unknownAction(action)
	}
	e := s.entry(r)
	if e.Etag != r.PostForm.Get("if_match") {
		return changedSince(e.ID)
	}
	fault.Must(s.Affirm(r.Context(), e.ID, action == "moved", "page"))
	return s.finish(w, r, pageOfEntry(e)+"?done="+action)
}

// handoffPage is the document that another workflow begins with.
type handoffPage struct {
	Record  link
	Form    string // its address
	To      string
	Targets []string
	Fault   *fault.Error
	Made    transfer.Handoff
}

// handoff makes the document of an exploration or a decision for the user to copy. It writes the file only when the form says so.
func (s *site) handoff(w http.ResponseWriter, r *http.Request) error {
	e := s.entry(r)
	p := handoffPage{Record: link{oneLine(e.Title, 120), pageOfEntry(e)}, Form: escapePath("/handoff/" + e.ID),
		To: r.PostForm.Get("to"), Targets: transfer.HandoffTargets()}
	var err error
	p.Made, err = transfer.HandOff(r.Context(), transfer.HandoffSources{Store: s.Store, Index: s.Index, Decisions: s.Decisions},
		transfer.HandoffAsk{ID: e.ID, Project: e.Project, Scope: e.Scope, To: p.To, DryRun: r.PostForm.Get("write") == ""})
	status := http.StatusOK
	if err == nil {
		p.To = p.Made.To
	} else {
		p.Fault = faultOf(err)
		status = statusOf(p.Fault.Code)
	}
	return s.show(w, r, status, "handoff", page{Title: "Hand off " + p.Record.Text, Body: p})
}
