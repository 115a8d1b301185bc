package web

import (
	"cmp"
	"net/http"

	"sdd/internal/fault"
	"sdd/internal/history"
	"sdd/internal/pattern"
)

// subject is a record with a history, and its page.
type subject struct {
	history.Subject
	Name, Page string
}

const mostCommits = 100

type historyPage struct {
	Name, Page string
	history.Log
	First int  // the commit to compare the latest one with
	More  bool // older ones exist
}

var rowClasses = map[byte]string{history.MarkSection: "head", history.MarkAdded: "added", history.MarkRemoved: "removed",
	history.MarkMoved: "moved"}

// rowClass is the class of a row of a difference, which is also the word for it.
func rowClass(mark byte) string { return cmp.Or(rowClasses[mark], "remark") }

func stepRows(step any) []history.Row {
	if c, ok := step.(history.LogStep); ok {
		return history.Change{Status: c.Status, OldFile: c.OldFile, Keys: c.Keys, Sections: c.Sections, MeaningChanged: c.MeaningChanged}.Rows()
	}
	return history.Change{Status: history.Changed, Sections: step.(history.SavedStep).Sections, MeaningChanged: true}.Rows()
}

// history shows a view of a record's past: its history, the changes between two commits, or a version.
func (s *site) history(w http.ResponseWriter, r *http.Request, p page, view string, of subject) error {
	p.Live = false // the page depends on commits, which send no event
	switch view {
	case "history":
		return s.log(w, r, p, of)
	case "changes":
		return s.changes(w, r, p, of)
	case "version":
		return s.version(w, r, p, of)
	}
	return fault.New(fault.NotFound, "there is no view %q", view).With("allowed: history, changes, version")
}

func (s *site) log(w http.ResponseWriter, r *http.Request, p page, of subject) error {
	l := fault.Must(history.LogOf(r.Context(), s.Store, of.Subject, "", mostCommits+1))
	h := historyPage{Name: of.Name, Page: of.Page, Log: l, First: min(1, len(l.Commits)-1), More: len(l.Commits) > mostCommits}
	h.Commits = l.Commits[:min(len(l.Commits), mostCommits)]
	p.Title, p.Body = "History of "+of.Name, h
	return s.show(w, r, http.StatusOK, "history", p)
}

type changesPage struct {
	Name, Page string
	From, To   string // short, "" for the file as it is now
	Rows       []history.Row
	Summary    string
}

func (s *site) changes(w http.ResponseWriter, r *http.Request, p page, of subject) error {
	from, to := commitIn(r, "from"), ""
	if r.URL.Query().Get("to") != "now" {
		to = commitIn(r, "to")
	}
	d := fault.Must(history.Diff(r.Context(), s.Store, history.Range{From: from, To: to}, []string{of.ID, of.Path}))
	c := changesPage{Name: of.Name, Page: of.Page, From: short(from), To: short(to)}
	for _, rec := range d.Records {
		c.Summary = rec.Summary()
		c.Rows = append(c.Rows, rec.Rows()...)
	}
	p.Title, p.Body = "Changes of "+of.Name, c
	return s.show(w, r, http.StatusOK, "changes", p)
}

var commitID = pattern.Late(`^[0-9a-f]{7,64}$`)

func commitIn(r *http.Request, name string) string {
	value := r.URL.Query().Get(name)
	if !commitID().MatchString(value) {
		fault.Check(fault.New(fault.Invalid, "%s %q is no commit", name, value).For(name).With("choose a version in the history"))
	}
	return value
}

func (s *site) version(w http.ResponseWriter, r *http.Request, p page, of subject) error {
	rec, _, commit, err := history.At(r.Context(), s.Store, of.ID, &of.Subject, commitIn(r, "at"))
	fault.Check(err)
	body := s.recordPage(rec, of)
	body.At = short(commit)
	p.Title, p.Body = of.Name+" in "+body.At, body
	return s.show(w, r, http.StatusOK, "record", p)
}

func short(commit string) string { return commit[:min(len(commit), 10)] }
