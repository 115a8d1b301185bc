package web

import (
	"net/http"

	"sdd/internal/fault"
	"sdd/internal/transfer"
)

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
	e, err := s.entry(r)
	if err != nil {
		return err
	}
	p := handoffPage{Record: link{oneLine(e.Title, 120), pageOf(e.Kind, e.Color, e.ID)}, Form: escapePath("/handoff/" + e.ID),
		To: r.PostForm.Get("to"), Targets: transfer.HandoffTargets()}
	p.Made, err = transfer.HandOff(r.Context(), transfer.HandoffSources{Store: s.store, Index: s.index, Decisions: s.decisions},
		transfer.HandoffAsk{ID: e.ID, Project: e.Project, Scope: e.Scope, To: p.To, DryRun: r.PostForm.Get("write") == ""})
	status := http.StatusOK
	if p.To = p.Made.To; err != nil {
		p.To, p.Fault = r.PostForm.Get("to"), faultOf(err)
		status = statusOf(p.Fault.Code)
	}
	return s.show(w, r, status, "handoff", page{Title: "Hand off " + p.Record.Text, Body: p})
}
