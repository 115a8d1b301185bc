package web

import (
	"cmp"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"sdd/internal/fact"
	"sdd/internal/fault"
	"sdd/internal/history"
	"sdd/internal/learning"
	"sdd/internal/pattern"
	"sdd/internal/store"
)

// done maps an action to the message after it. The page's address contains the action, never the message.
var done = map[string]string{
	"edit":           "Saved.",
	"adjusted":       "Saved, with a change that keeps the text inside its file: please look it over.",
	"cleared":        "Cleared: the section is not there any more.",
	"delete":         "Deleted. The file stays, marked as deleted, until you remove it.",
	"restore":        "Restored.",
	"promote":        "Promoted: every agent gets it now.",
	"validate":       "Marked as validated.",
	"outdate":        "Marked as outdated: no agent gets it any more.",
	"archive":        "Archived: no agent gets it any more.",
	"resurrect":      "Brought back: agents get it again.",
	"graduate":       "Graduated to a fact.",
	"refresh":        "Refreshed: its time begins again.",
	"expire":         "Marked as stale: agents see that mark until a user or an agent confirms it.",
	"approve":        "Approved: it is a record of the project now.",
	"reject":         "Rejected. The file stays, marked, and the same is not proposed again.",
	"affirm":         "Affirmed: it holds for the code as it is now.",
	"moved":          "Saved: it names the new place.",
	"accept":         "Accepted: agents follow it now.",
	"undo":           "Taken back.",
	"open":           "A conflict is left: open it.",
	"put back":       "Put back.",
	"leave as it is": "Left as it is.",
	"merge again":    "Merged.",
	"made":           "Saved.",
	"took":           "Taken: the other sides are in the history of the file.",
	"approve-sure":   "Approved all that are sure enough.",
}

var actionID = pattern.Late(`^[a-z0-9-]{6,40}$`)

// saidOf is the message of done for the action in a page's address, nil for none.
func (s *site) saidOf(r *http.Request) *said {
	q := r.URL.Query()
	text, ok := done[q.Get("done")]
	if !ok {
		return nil
	}
	if held, err := s.index.Holders(r.Context(), q.Get("of")); err == nil && len(held) > 0 && slices.Contains(proposalDone, q.Get("did")) {
		text = "Approved: [" + held[0].ID + "] is " + q.Get("did") + "."
	}
	m := &said{Kind: "done", Text: text}
	if id := q.Get("item"); id != "" && (r.URL.Path == "/learnings" || r.URL.Path == "/facts") {
		m.Href, m.Link = r.URL.Path+"/"+url.PathEscape(id), "Show it"
	}
	if undo := q.Get("undo"); actionID().MatchString(undo) {
		m.Undo, m.Back = undo, withoutSaid(r.URL)
	}
	return m
}

// withoutSaid is an address without the message in it.
func withoutSaid(u *url.URL) string {
	q := u.Query()
	for _, name := range []string{"done", "undo", "item", "did", "of"} {
		q.Del(name)
	}
	to := url.URL{Path: u.Path, RawQuery: q.Encode()}
	return to.String()
}

// finish returns to a page after an action, with the message and a way to take the action back.
func (s *site) finish(w http.ResponseWriter, r *http.Request, to string) error {
	u, err := url.Parse(to)
	if err != nil {
		return err
	}
	if id := s.store.Acted(r.Context()).ID; id != "" {
		q := u.Query()
		q.Set("undo", id)
		u.RawQuery = q.Encode()
	}
	http.Redirect(w, r, u.String(), http.StatusSeeOther)
	return nil
}

// nothingChanged is the message about a failed action.
func nothingChanged(f *fault.Error, noun string) *said {
	text := "Nothing was changed: " + visible(f.Error()) + "."
	if f.Code == fault.Conflict {
		text = "Nothing was changed, because the " + noun + " has changed since you saw it. This is how it is now."
	}
	return &said{Kind: "warn", Text: text, Hint: visible(f.Hint)}
}

// formAsks refuses a form with an action that the page does not offer, or without the etag of its text.
func formAsks(offered []string, action, ifMatch string) error {
	if !slices.Contains(offered, action) {
		return unknownAction(action)
	}
	if ifMatch == "" {
		return fault.New(fault.Invalid, "the form does not say which text it was made from").For("if_match").With("open the page again")
	}
	return nil
}

// local is an address of this page at list or below it, nil for any other.
func local(to, list string) *url.URL {
	u, err := url.Parse(to)
	if err != nil || u.Scheme != "" || u.Host != "" || strings.Contains(to, `\`) || !strings.HasPrefix(u.Path, "/") ||
		list != "/" && u.Path != list && !strings.HasPrefix(u.Path, list+"/") || strings.HasPrefix(u.Path, "//") {
		return nil
	}
	return u
}

// back is the page to return to with a message: the given one if it is list or below it, else the record's
// own.
func back(to, list, action, id string) string {
	u := local(to, list)
	if u == nil {
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

// editPage is the form for the text of a learning, a fact or a section, and the reason of a failed
// save.
type editPage struct {
	ID, File, Page string
	Noun           string // the kind of thing
	List, ListName string // the page of all such things
	Anew           string // the command that stores a new one
	Section, Name  string // of an exploration: the section
	Etag           string // of the original text
	Text           string // the user's text
	Back           string
	Fault          *fault.Error
	Preview        template.HTML // the user's text as it would be shown, "" before it was asked for
	Diff           []diffRow     // and what a save would change
	// Stored is the file's present text, when it differs from the form's original.
	Conflict bool
	Stored   string
	Shown    template.HTML
	Gone     bool // the file no longer exists
}

// changedSince is the fault of a decision about a text that has changed since the user saw it.
func changedSince(id string) error {
	return fault.New(fault.Conflict, "%s has changed since the page was made", id).For("if_match").With("look at it again")
}

// stored is the file's present text.
type stored struct{ file, etag, text string }

// opened shows the form for a text; err is that of its read. The page of a file that cannot be saved shows the reason.
func (s *site) opened(w http.ResponseWriter, r *http.Request, stamp string, p editPage, now stored, err error) error {
	if err != nil {
		return err
	}
	if s.closed(now.file) != "" {
		http.Redirect(w, r, p.Page, http.StatusSeeOther)
		return nil
	}
	p.File, p.Etag, p.Text, p.Back = now.file, now.etag, strings.Trim(now.text, "\n"), cmp.Or(r.URL.Query().Get("back"), p.Back)
	return s.form(w, r, http.StatusOK, stamp, p)
}

// filled is the form with what the user sent.
func (p editPage) filled(form url.Values) editPage {
	p.Etag, p.Text, p.Back = form.Get("if_match"), lineEnds(form.Get("content")), form.Get("back")
	return p
}

// previewed shows the form again with the user's text as it would look, and what a save would change of the stored one.
func (s *site) previewed(w http.ResponseWriter, r *http.Request, stamp string, p editPage, now stored) error {
	p = p.filled(r.PostForm)
	p.File, p.Preview = now.file, s.prose(p.Text, now.file, 2)
	from, to := strings.Split(strings.TrimSpace(now.text), "\n"), strings.Split(strings.TrimSpace(p.Text), "\n")
	p.Diff = lineRows(from, to)
	return s.form(w, r, http.StatusOK, stamp, p)
}

// lineRows are the lines that a text loses and gains between what both have at their start and end.
func lineRows(from, to []string) (rows []diffRow) {
	start, end := 0, 0
	for start < min(len(from), len(to)) && from[start] == to[start] {
		start++
	}
	for end < min(len(from), len(to))-start && from[len(from)-1-end] == to[len(to)-1-end] {
		end++
	}
	for _, l := range from[start : len(from)-end] {
		rows = append(rows, diffRow{"removed", "removed", visible(l)})
	}
	for _, l := range to[start : len(to)-end] {
		rows = append(rows, diffRow{"added", "added", visible(l)})
	}
	return rows
}

// stopped is the reason of a failed save: that the file cannot be saved at all, else f.
func (s *site) stopped(f *fault.Error, file string) *fault.Error {
	if closed := s.closed(file); closed != "" {
		return fault.New(fault.Broken, "%s", closed)
	}
	return f
}

// formAgain shows the form again with the user's text and the fault f of its save. gone is the error of the present read.
func (s *site) formAgain(w http.ResponseWriter, r *http.Request, stamp string, p editPage, f *fault.Error, now stored, gone error) error {
	f = s.stopped(f, now.file)
	p = p.filled(r.PostForm)
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
	return s.form(w, r, statusOf(f.Code), stamp, p)
}

// edit shows the form.
func (s *site) edit(w http.ResponseWriter, r *http.Request) error {
	stamp := s.live.stamp()
	i, err := s.learnings.Get(r.Context(), r.PathValue("id"))
	return s.opened(w, r, stamp, editLearning(i.ID), stored{i.File, i.Etag, i.Content}, err)
}

func editLearning(id string) editPage {
	return editPage{ID: id, Page: "/learnings/" + url.PathEscape(id), Noun: "learning", List: "/learnings", ListName: "Learnings",
		Anew: "sdd learn"}
}

func (s *site) form(w http.ResponseWriter, r *http.Request, status int, stamp string, p editPage) error {
	title := "Edit " + p.Name
	if p.Name == "" {
		title = "Edit a " + p.Noun
	}
	if p.Conflict {
		title = "The text has changed"
	}
	return s.show(w, r, status, "edit", page{Title: title, Nav: strings.TrimPrefix(p.List, "/"), Stamp: stamp, Body: p})
}

// acting is what the forms of a record's page do.
type acting struct {
	actions []string
	edit    editPage
	get     func() (stored, error)
	do      func(form url.Values) (id string, err error)
	show    func(p page, status int) error // the record's page
}

// actOn does a form's action and returns to the form's page. An error shows the page again; an edit's form keeps the user's text.
func (s *site) actOn(w http.ResponseWriter, r *http.Request, a acting) error {
	stamp := s.live.stamp()
	if err := r.ParseForm(); err != nil {
		return err
	}
	form, said, id := r.PostForm, r.PostForm.Get("action"), ""
	now, err := a.get()
	if err == nil && said == "edit" && form.Get("preview") != "" {
		return s.previewed(w, r, stamp, a.edit, now)
	}
	if err := formAsks(a.actions, said, form.Get("if_match")); err != nil {
		return err
	}
	if err == nil && said != "edit" && now.etag != form.Get("if_match") { // the core checks the version of an edit
		err = changedSince(a.edit.ID)
	}
	if err == nil {
		id, err = a.do(form)
	}
	if err != nil {
		f := faultOf(err)
		now, gone := a.get()
		if said == "edit" {
			return s.formAgain(w, r, stamp, a.edit, f, now, gone)
		}
		if gone != nil {
			return err
		}
		return a.show(page{Nav: a.edit.List[1:], Stamp: stamp, Said: nothingChanged(f, a.edit.Noun)}, statusOf(f.Code))
	}
	if said == "edit" {
		if now, err := a.get(); err == nil && strings.TrimSpace(now.text) != strings.TrimSpace(lineEnds(form.Get("content"))) {
			said = "adjusted"
		}
	}
	return s.finish(w, r, back(form.Get("back"), a.edit.List, said, id))
}

// actOnLearning does an action on a learning.
func (s *site) actOnLearning(w http.ResponseWriter, r *http.Request) error {
	ctx, id := r.Context(), r.PathValue("id")
	return s.actOn(w, r, acting{
		actions: strings.Fields("edit validate resurrect restore promote graduate outdate archive delete"), edit: editLearning(id),
		get: func() (stored, error) {
			i, err := s.learnings.Get(ctx, id)
			return stored{i.File, i.Etag, i.Content}, err
		},
		do: func(form url.Values) (string, error) {
			if form.Get("action") == "graduate" {
				done, err := s.facts.Graduate(ctx, s.learnings, fact.Graduation{IDs: []string{id}, Tool: "page", Session: s.session})
				if err != nil {
					return "", err
				}
				return done[0].Learning.ID, nil
			}
			in := learning.Action{Action: form.Get("action"), IDs: []string{id}, Reason: strings.TrimSpace(form.Get("reason")),
				IfMatch: form.Get("if_match"), By: "user", Tool: "page", Session: s.session}
			if in.Action == "edit" {
				in.Content = lineEnds(form.Get("content"))
			}
			out, err := s.learnings.Review(ctx, in)
			if len(out.Items) > 0 && out.Items[0].ID != "" {
				id = out.Items[0].ID
			}
			return id, err
		},
		show: func(p page, status int) error {
			i, err := s.learnings.Get(ctx, id)
			if err != nil {
				return err
			}
			p.Title, p.Body = nameOf(i.Content, 60), s.learningPage(ctx, i)
			return s.show(w, r, status, "learning", p)
		},
	})
}

// subjectOf makes a subject with a history of a learning.
func subjectOf(i learning.Idea) subject {
	return subject{
		Subject: history.Subject{ID: i.ID, Path: strings.TrimPrefix(i.File, store.Folder+"/")}, Name: nameOf(i.Content, 60),
		Page: "/learnings/" + url.PathEscape(i.ID),
	}
}
