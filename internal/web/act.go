package web

import (
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"sdd/internal/fact"
	"sdd/internal/fault"
	"sdd/internal/history"
	"sdd/internal/learning"
	"sdd/internal/store"
)

// done is what is said after an action. The address of the page names the action, never the words.
var done = map[string]string{
	"edit":      "Saved.",
	"adjusted":  "Saved, with a change that keeps the text inside its file: please look it over.",
	"delete":    "Deleted. The file stays, marked as deleted, until you remove it.",
	"restore":   "Restored. It is archived now.",
	"promote":   "Promoted: every agent gets it now.",
	"validate":  "Marked as validated.",
	"outdate":   "Marked as outdated: no agent gets it any more.",
	"archive":   "Archived: no agent gets it any more.",
	"resurrect": "Brought back: agents get it again.",
	"graduate":  "Graduated to a fact.",
}

// saidOf is the message of done that the address of a page asks for, nil for none. list is where the items are.
func saidOf(done map[string]string, q url.Values, list string) *said {
	text, ok := done[q.Get("done")]
	if !ok {
		return nil
	}
	m := &said{Kind: "done", Text: text}
	if id := q.Get("item"); id != "" {
		m.Href, m.Link = list+"/"+url.PathEscape(id), "Show it"
	}
	return m
}

// nothingChanged shows why an action failed.
func nothingChanged(f *fault.Error, noun string) *said {
	text := "Nothing was changed: " + visible(f.Error()) + "."
	if f.Code == fault.Conflict {
		text = "Nothing was changed, because the " + noun + " has changed since you saw it. This is how it is now."
	}
	return &said{Kind: "warn", Text: text, Hint: visible(f.Hint)}
}

// formAsks refuses a form that names no action of done, or not the text that it was made from.
func formAsks(done map[string]string, action, ifMatch string) error {
	if _, ok := done[action]; !ok || action == "adjusted" {
		return fault.New(fault.Invalid, "the page does not know the action %q", action).For("action").With("use the buttons of the page")
	}
	if ifMatch == "" {
		return fault.New(fault.Invalid, "the form does not say which text it was made from").For("if_match").With("open the page again")
	}
	return nil
}

// back is the page to return to with a message, if it is list or below it; else that of the one concerned.
func back(to, list, action, id string) string {
	u, err := url.Parse(to)
	if err != nil || u.Scheme != "" || u.Host != "" || strings.Contains(to, `\`) || u.Path != list && !strings.HasPrefix(u.Path, list+"/") {
		u = &url.URL{Path: list + "/" + id}
	}
	q := u.Query()
	q.Set("done", action)
	if q.Del("item"); u.Path == list {
		q.Set("item", id)
		u.Fragment = id
	}
	u.RawQuery = q.Encode()
	return u.String()
}

// editPage is the form for the text of a learning, a fact or a section, and what prevents a save.
type editPage struct {
	ID, File, Page string
	Noun           string // what it is
	List, ListName string // where the others are
	Anew           string // the command that stores one anew
	Section, Name  string // of an exploration: which one
	Etag           string // of the text that Text was made from
	Text           string // what the person writes
	Back           string
	Fault          *fault.Error
	// Stored is the file's text now, when it is not what Text was made from.
	Conflict bool
	Stored   string
	Shown    template.HTML
	Gone     bool // the file is not there any more
}

// changedSince refuses to decide on a text that the person has not seen.
func changedSince(id string) error {
	return fault.New(fault.Conflict, "%s has changed since the page was made", id).For("if_match").With("look at it again")
}

// stored is the file's text now.
type stored struct{ file, etag, text string }

// stopped is why a text was not saved: that nothing can be saved to the file now, before anything else.
func (s *site) stopped(f *fault.Error, file string) *fault.Error {
	if closed := s.closed(file); closed != "" {
		return fault.New(fault.Broken, "%s", closed)
	}
	return f
}

// formAgain shows the form with what the person wrote, because f kept it from being saved. gone is the error of reading now.
func (s *site) formAgain(w http.ResponseWriter, stamp string, p editPage, f *fault.Error, now stored, gone error) error {
	f = s.stopped(f, now.file)
	p.Fault = f
	switch {
	case fault.Is(gone, fault.NotFound):
		p.Gone = true
	case gone == nil:
		p.File = now.file
		if f.Code == fault.Conflict {
			p.Conflict, p.Etag, p.Stored, p.Shown = true, now.etag, now.text, s.prose(now.text, now.file, 2)
		}
	}
	return s.form(w, statusOf(f.Code), stamp, p)
}

// edit shows the form.
func (s *site) edit(w http.ResponseWriter, r *http.Request) error {
	stamp := s.live.stamp()
	i, err := s.learnings.Get(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	p := editLearning(i.ID)
	if s.closed(i.File) != "" { // the page shows why
		http.Redirect(w, r, p.Page, http.StatusSeeOther)
		return nil
	}
	p.File, p.Etag, p.Text, p.Back = i.File, i.Etag, i.Content, r.URL.Query().Get("back")
	return s.form(w, http.StatusOK, stamp, p)
}

func editLearning(id string) editPage {
	return editPage{ID: id, Page: "/learnings/" + url.PathEscape(id), Noun: "learning", List: "/learnings", ListName: "Learnings",
		Anew: "sdd learn"}
}

func (s *site) form(w http.ResponseWriter, status int, stamp string, p editPage) error {
	title := "Edit " + p.Name
	if p.Name == "" {
		title = "Edit a " + p.Noun
	}
	if p.Conflict {
		title = "The text has changed"
	}
	return s.show(w, status, "edit", page{Title: title, Nav: strings.TrimPrefix(p.List, "/"), Stamp: stamp, Body: p})
}

// act does what a form asks for and returns to where it was sent from.
func (s *site) act(w http.ResponseWriter, r *http.Request) error {
	stamp := s.live.stamp()
	if err := r.ParseForm(); err != nil {
		return err
	}
	form := r.PostForm
	in := learning.Action{
		Action: form.Get("action"), IDs: []string{r.PathValue("id")}, Reason: strings.TrimSpace(form.Get("reason")),
		IfMatch: form.Get("if_match"), By: "user", Tool: "page", Session: s.session,
	}
	if in.Action == "edit" {
		in.Content = lineEnds(form.Get("content"))
	}
	if err := formAsks(done, in.Action, in.IfMatch); err != nil {
		return err
	}
	if err := s.asSeen(r, in); err != nil {
		return s.notDone(w, r, stamp, in, err)
	}
	id, err := s.do(r, in)
	if err != nil {
		return s.notDone(w, r, stamp, in, err)
	}
	said := in.Action
	if in.Action == "edit" {
		if now, err := s.learnings.Get(r.Context(), id); err == nil && strings.TrimSpace(now.Content) != strings.TrimSpace(in.Content) {
			said = "adjusted"
		}
	}
	http.Redirect(w, r, back(form.Get("back"), "/learnings", said, id), http.StatusSeeOther)
	return nil
}

// do does the action and returns the learning's id.
func (s *site) do(r *http.Request, in learning.Action) (id string, err error) {
	if in.Action == "graduate" {
		done, err := s.facts.Graduate(r.Context(), s.learnings, fact.Graduation{IDs: in.IDs, Tool: in.Tool, Session: in.Session})
		if err != nil {
			return "", err
		}
		return done[0].Learning.ID, nil
	}
	out, err := s.learnings.Review(r.Context(), in)
	if err != nil {
		return "", err
	}
	if len(out.Items) > 0 && out.Items[0].ID != "" {
		return out.Items[0].ID, nil
	}
	return in.IDs[0], nil
}

// asSeen refuses to decide on a text that the person has not seen. Edits are left to the core, which knows the versions.
func (s *site) asSeen(r *http.Request, in learning.Action) error {
	if in.Action == "edit" {
		return nil
	}
	now, err := s.learnings.Get(r.Context(), in.IDs[0])
	if err == nil && now.Etag != in.IfMatch {
		err = changedSince(now.ID)
	}
	return err
}

// notDone shows why an action failed. The form keeps the written text.
func (s *site) notDone(w http.ResponseWriter, r *http.Request, stamp string, in learning.Action, cause error) error {
	f := faultOf(cause)
	now, err := s.learnings.Get(r.Context(), in.IDs[0])
	if in.Action == "edit" {
		p := editLearning(in.IDs[0])
		p.Etag, p.Text, p.Back = in.IfMatch, in.Content, r.PostForm.Get("back")
		return s.formAgain(w, stamp, p, f, stored{now.File, now.Etag, now.Content}, err)
	}
	if err != nil {
		return cause
	}
	c := s.card(now, "/learnings/"+url.PathEscape(now.ID))
	c.Body = s.prose(now.Content, now.File, 1)
	return s.show(w, statusOf(f.Code), "learning", page{Title: nameOf(now.Content, 60), Nav: "learnings", Stamp: stamp,
		Said: nothingChanged(f, "learning"), Body: c})
}

// subjectOf is a learning as something with a history.
func subjectOf(i learning.Idea) subject {
	return subject{
		Subject: history.Subject{ID: i.ID, Path: strings.TrimPrefix(i.File, store.Folder+"/")}, Name: nameOf(i.Content, 60),
		Page: "/learnings/" + url.PathEscape(i.ID),
	}
}
