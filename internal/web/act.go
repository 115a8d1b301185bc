package web

import (
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/learning"
	"sdd/internal/review"
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

// saidOf is the message that the address of a page asks for, nil for none.
func saidOf(q url.Values) *said {
	text, ok := done[q.Get("done")]
	if !ok {
		return nil
	}
	m := &said{Kind: "done", Text: text}
	if id := q.Get("item"); id != "" {
		m.Href, m.Link = "/learnings/"+url.PathEscape(id), "Show it"
	}
	return m
}

// back is the page to return to with a message, if it is one of the learnings; else that of the one concerned.
func back(to, action, id string) string {
	u, err := url.Parse(to)
	if err != nil || u.Scheme != "" || u.Host != "" || strings.Contains(to, `\`) || u.Path != "/learnings" && !strings.HasPrefix(u.Path, "/learnings/") {
		u = &url.URL{Path: "/learnings/" + id}
	}
	q := u.Query()
	q.Set("done", action)
	if q.Del("item"); u.Path == "/learnings" {
		q.Set("item", id)
		u.Fragment = id
	}
	u.RawQuery = q.Encode()
	return u.String()
}

// editPage is the form for a learning's text, and what stands in its way.
type editPage struct {
	ID, File, Page string
	Etag           string // of the text that Text was made from
	Text           string // what the person writes
	Back           string
	Fault          *fault.Error
	// Stored is what the file says now, when it is not what Text was made from.
	Conflict bool
	Stored   string
	Shown    template.HTML
	Gone     bool // the file is not there any more
}

// edit shows the form.
func (s *site) edit(w http.ResponseWriter, r *http.Request) error {
	stamp := s.live.stamp()
	i, err := s.learnings.Get(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	return s.form(w, http.StatusOK, stamp, editPage{ID: i.ID, File: i.File, Etag: i.Etag, Text: i.Content, Back: r.URL.Query().Get("back")})
}

func (s *site) form(w http.ResponseWriter, status int, stamp string, p editPage) error {
	p.Page = "/learnings/" + url.PathEscape(p.ID)
	title := "Edit a learning"
	if p.Conflict {
		title = "The text has changed"
	}
	return s.show(w, status, "edit", page{Title: title, Nav: "learnings", Stamp: stamp, Body: p})
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
	if _, ok := done[in.Action]; !ok || in.Action == "adjusted" {
		return fault.New(fault.Invalid, "the page does not know the action %q", in.Action).For("action").With("use the buttons of the page")
	}
	if in.IfMatch == "" {
		return fault.New(fault.Invalid, "the form does not say which text it was made from").For("if_match").With("open the page again")
	}
	out, err := s.learnings.Review(r.Context(), in)
	if err != nil {
		return s.notDone(w, r, stamp, in, err)
	}
	said, id := in.Action, in.IDs[0]
	if len(out.Items) > 0 && out.Items[0].ID != "" {
		id = out.Items[0].ID
	}
	if in.Action == "edit" {
		if now, err := s.learnings.Get(r.Context(), id); err == nil && strings.TrimSpace(now.Content) != strings.TrimSpace(in.Content) {
			said = "adjusted"
		}
	}
	http.Redirect(w, r, back(form.Get("back"), said, id), http.StatusSeeOther)
	return nil
}

// notDone says why an action was not done. A text that was written stays in the form.
func (s *site) notDone(w http.ResponseWriter, r *http.Request, stamp string, in learning.Action, cause error) error {
	f := faultOf(cause)
	now, err := s.learnings.Get(r.Context(), in.IDs[0])
	if in.Action == "edit" {
		p := editPage{ID: in.IDs[0], Etag: in.IfMatch, Text: in.Content, Back: r.PostForm.Get("back"), Fault: f}
		switch {
		case fault.Is(err, fault.NotFound):
			p.Gone = true
		case err != nil:
		default:
			p.File = now.File
			if f.Code == fault.Conflict {
				p.Conflict, p.Etag, p.Stored, p.Shown = true, now.Etag, now.Content, s.prose(now.Content, now.File, 3)
			}
		}
		return s.form(w, statusOf(f.Code), stamp, p)
	}
	if err != nil {
		return cause
	}
	c := s.card(now, "/learnings/"+url.PathEscape(now.ID))
	c.Body = s.prose(now.Content, now.File, 1)
	text := "Nothing was changed: " + visible(f.Error()) + "."
	if f.Code == fault.Conflict {
		text = "Nothing was changed, because the learning has changed since you saw it. This is how it is now."
	}
	return s.show(w, statusOf(f.Code), "learning", page{
		Title: nameOf(now.Content, 60), Nav: "learnings", Stamp: stamp, Said: &said{Kind: "warn", Text: text, Hint: visible(f.Hint)}, Body: c,
	})
}

// subjectOf is a learning as something with a history.
func subjectOf(i learning.Idea) subject {
	return subject{
		Subject: review.Subject{ID: i.ID, Path: strings.TrimPrefix(i.File, store.Folder+"/")}, Name: nameOf(i.Content, 60),
		Page: "/learnings/" + url.PathEscape(i.ID),
	}
}
