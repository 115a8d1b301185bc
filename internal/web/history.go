package web

import (
	"net/http"
	"net/url"

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

// historyPage lists the changes of a record.
type historyPage struct {
	Name, File, Page string
	Open             []change // uncommitted, the latest first
	Commits          []change
	More             bool // older ones exist
	Shallow          bool
}

// change is one step of a history with its changes.
type change struct {
	Commit, Short        string
	Author, Subject      string
	Date                 string
	By                   string // of an uncommitted change
	Summary              string
	Rows                 []diffRow
	Version              string // the page of the record's version
	Removed              bool
	First, Last, Checked bool // in the form: the older or the newer side
}

// diffRow is a line of a difference with its meaning.
type diffRow struct{ Class, Mark, Text string }

func rowsOf(rows []history.Row) []diffRow {
	var out []diffRow
	for _, r := range rows {
		d := diffRow{"remark", "", visible(r.Text)}
		switch r.Mark {
		case history.MarkSection:
			d.Class = "head"
		case history.MarkAdded:
			d.Class, d.Mark = "added", "added"
		case history.MarkRemoved:
			d.Class, d.Mark = "removed", "removed"
		case history.MarkMoved:
			d.Class, d.Mark = "moved", "moved"
		}
		out = append(out, d)
	}
	return out
}

// history shows a view of a record's past: its history, the changes between two commits, or a version.
func (s *site) history(w http.ResponseWriter, r *http.Request, p page, view string, of subject) error {
	p.Stamp = "" // the page depends on commits, which send no event
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
	l, err := history.LogOf(r.Context(), s.store, of.Subject, "", mostCommits+1)
	if err != nil {
		return err
	}
	h := historyPage{Name: of.Name, File: l.File, Page: of.Page, Shallow: l.Shallow}
	for _, u := range l.Uncommitted {
		c := change{By: "edited by hand", Date: u.Time, Summary: visible(u.Summary)}
		if u.By == "tool" {
			c.By = "saved by " + visible(toolOf(u))
		}
		c.Rows = rowsOf(history.Change{Status: history.Changed, Sections: u.Sections, MeaningChanged: true}.Rows())
		h.Open = append(h.Open, c)
	}
	if len(l.Commits) > mostCommits {
		l.Commits, h.More = l.Commits[:mostCommits], true
	}
	for i, c := range l.Commits {
		h.Commits = append(h.Commits, change{
			Commit: c.Commit, Short: short(c.Commit), Author: visible(c.Author), Subject: visible(c.Subject), Date: c.Date,
			Summary: visible(c.Summary),
			Rows: rowsOf(history.Change{Status: c.Status, OldFile: c.OldFile, Keys: c.Keys, Sections: c.Sections,
				MeaningChanged: c.MeaningChanged}.Rows()),
			Version: of.Page + "?view=version&at=" + c.Commit, Removed: c.Status == history.Removed,
			Last: i == 0, First: i == min(1, len(l.Commits)-1),
		})
	}
	p.Title, p.Body = "History of "+of.Name, h
	return s.show(w, r, http.StatusOK, "history", p)
}

func toolOf(u history.SavedStep) string {
	name := u.Tool
	if name == "" {
		name = "a tool"
	}
	if u.Session != "" {
		name += ", session " + u.Session
	}
	return name
}

// changesPage compares two versions of a record.
type changesPage struct {
	Name, Page string
	From, To   string // short, "" for the file as it is now
	Rows       []diffRow
	Summary    string
}

func (s *site) changes(w http.ResponseWriter, r *http.Request, p page, of subject) error {
	from, to, err := ends(r.URL.Query())
	if err != nil {
		return err
	}
	d, err := history.Diff(r.Context(), s.store, history.Range{From: from, To: to}, []string{of.ID, of.Path})
	if err != nil {
		return err
	}
	c := changesPage{Name: of.Name, Page: of.Page, From: short(from), To: short(to)}
	for _, rec := range d.Records {
		c.Summary = visible(rec.Summary())
		c.Rows = append(c.Rows, rowsOf(rec.Rows())...)
	}
	p.Title, p.Body = "Changes of "+of.Name, c
	return s.show(w, r, http.StatusOK, "changes", p)
}

var commitID = pattern.Late(`^[0-9a-f]{7,64}$`)

// ends reads the two versions to compare: commits, or "now" for the file on disk as the newer one.
func ends(q url.Values) (from, to string, err error) {
	from, to = q.Get("from"), q.Get("to")
	if to == "now" {
		to = ""
	} else if !commitID().MatchString(to) {
		return "", "", fault.New(fault.Invalid, "to %q is no commit", to).For("to").With("choose two versions in the history")
	}
	if !commitID().MatchString(from) {
		return "", "", fault.New(fault.Invalid, "from %q is no commit", from).For("from").With("choose two versions in the history")
	}
	return from, to, nil
}

func (s *site) version(w http.ResponseWriter, r *http.Request, p page, of subject) error {
	at := r.URL.Query().Get("at")
	if !commitID().MatchString(at) {
		return fault.New(fault.Invalid, "at %q is no commit", at).For("at").With("choose a version in the history")
	}
	rec, _, commit, err := history.At(r.Context(), s.store, of.ID, &of.Subject, at)
	if err != nil {
		return err
	}
	body := s.recordPage(rec, of)
	body.At = short(commit)
	p.Title, p.Body = of.Name+" in "+body.At, body
	return s.show(w, r, http.StatusOK, "record", p)
}

func short(commit string) string { return commit[:min(len(commit), 10)] }
