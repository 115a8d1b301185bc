package web

import (
	"cmp"
	"context"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"sdd/internal/anchor"
	"sdd/internal/app"
	"sdd/internal/decision"
	"sdd/internal/explore"
	"sdd/internal/fact"
	"sdd/internal/fault"
	"sdd/internal/history"
	"sdd/internal/learning"
	"sdd/internal/pattern"
	"sdd/internal/record"
	"sdd/internal/store"
	"sdd/internal/tier"
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
	if held, err := s.Index.Holders(r.Context(), q.Get("of")); err == nil && len(held) > 0 && slices.Contains(proposalDone, q.Get("did")) {
		text = "Approved: [" + held[0].ID + "] is " + q.Get("did") + "."
	}
	m := &said{Kind: "done", Text: text}
	if id := q.Get("item"); id != "" && (r.URL.Path == "/learnings" || r.URL.Path == "/facts") {
		m.Href, m.Link = r.URL.Path+"/"+url.PathEscape(id), "Show it"
	}
	if undo := q.Get("undo"); actionID().MatchString(undo) {
		m.Undo, m.Back = undo, (&url.URL{Path: r.URL.Path, RawQuery: withoutSaid(r.URL).Encode()}).String()
	}
	return m
}

func withoutSaid(u *url.URL) url.Values {
	q := u.Query()
	for _, name := range []string{"done", "undo", "item", "did", "of"} {
		q.Del(name)
	}
	return q
}

// finish returns to a page after an action, with the message and a way to take the action back.
func (s *site) finish(w http.ResponseWriter, r *http.Request, to string) error {
	u := fault.Must(url.Parse(to))
	if id := s.Store.Acted(r.Context()).ID; id != "" {
		u.RawQuery = query(u.Query(), "undo", id)
	}
	http.Redirect(w, r, u.String(), http.StatusSeeOther)
	return nil
}

func nothingChanged(f *fault.Error, noun string) *said {
	text := "Nothing was changed: " + visible(f.Error()) + "."
	if f.Code == fault.Conflict {
		text = "Nothing was changed, because the " + noun + " has changed since you saw it. This is how it is now."
	}
	return &said{Kind: "warn", Text: text, Hint: visible(f.Hint)}
}

// local is an address of this page at list or below it; other is the path for any other address.
func local(to, list, other string) *url.URL {
	u, err := url.Parse(to)
	if err != nil || u.Scheme != "" || u.Host != "" || strings.Contains(to, `\`) || !strings.HasPrefix(u.Path, "/") ||
		list != "/" && u.Path != list && !strings.HasPrefix(u.Path, list+"/") || strings.HasPrefix(u.Path, "//") {
		return &url.URL{Path: other}
	}
	return u
}

// back is the page to return to after a change of a record: the given one if it is list or below it, else the record's own.
func back(to, list, id string) *url.URL {
	u, item := local(to, list, list+"/"+id), ""
	if u.Path == list {
		item, u.Fragment = id, id
	}
	u.RawQuery = query(u.Query(), "item", item)
	return u
}

// editPage is the form for a text, and the reason of a failed save.
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
	Diff           []history.Row // and what a save would change
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

// stored is a record's present text. It is a section's text where the form is about a section.
type stored struct{ id, file, etag, text string }

// written is a text that a page shows and its forms change: a learning, fact or candidate, or a section of another record.
type written struct {
	form    editPage // without a text
	actions string   // that the forms may send
	get     func() (stored, error)
	// page returns the body of the record's page; nil for a section, whose record has a page of its own.
	page func() any
	// do does an action, and returns the address of the next page. text is that of the form.
	do func(action, text string, form url.Values) (*url.URL, error)
}

// shown answers with the page of a record, its history, or the form for its text.
func (s *site) shown(of func(*http.Request) written) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		t, view := of(r), r.URL.Query().Get("view")
		now := fault.Must(t.get())
		if view == "edit" || strings.HasSuffix(r.URL.Path, "/edit") {
			return s.opened(w, r, t.form, now)
		}
		p := page{Title: nameOf(now.text, 60), Nav: t.form.List[1:], Live: true}
		if view != "" {
			path := strings.TrimPrefix(now.file, store.Folder+"/")
			return s.history(w, r, p, view, subject{history.Subject{ID: now.id, Path: path}, p.Title, t.form.Page})
		}
		p.Body = t.page()
		return s.show(w, r, http.StatusOK, t.form.Noun, p)
	}
}

// opened shows the form for a text. The page of a file that cannot be saved shows the reason.
func (s *site) opened(w http.ResponseWriter, r *http.Request, p editPage, now stored) error {
	if s.closed(now.file) != "" {
		http.Redirect(w, r, p.Page, http.StatusSeeOther)
		return nil
	}
	p.File, p.Etag, p.Text, p.Back = now.file, now.etag, strings.Trim(now.text, "\n"), cmp.Or(r.URL.Query().Get("back"), p.Back)
	return s.form(w, r, http.StatusOK, p)
}

// changed does the action of a form. After an error it shows the page again; an edit's form keeps the user's text.
func (s *site) changed(of func(*http.Request) written) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		t, form, action := of(r), r.PostForm, r.PostForm.Get("action")
		text := lineEnds(form.Get("content"))
		now, err := t.get()
		switch {
		case err == nil && action == "edit" && form.Get("preview") != "":
			return s.again(w, r, t.form, nil, now, nil)
		case !slices.Contains(strings.Fields(t.actions), action):
			return unknownAction(action)
		case err == nil && form.Get("if_match") == "":
			return fault.New(fault.Invalid, "the form does not say which text it was made from").For("if_match").With("open the page again")
		case err == nil && t.page != nil && action != "edit" && now.etag != form.Get("if_match"): // the core checks the others
			err = changedSince(now.id)
		}
		var to *url.URL
		if err == nil {
			to, err = t.do(action, text, form)
		}
		if err != nil {
			return s.notChanged(w, r, t, err)
		}
		said := action
		if t.page == nil {
			said = "edit"
		}
		if action == "edit" {
			if now, err := t.get(); strings.TrimSpace(text) == "" {
				said = "cleared"
			} else if err == nil && strings.TrimSpace(now.text) != strings.TrimSpace(text) {
				said = "adjusted"
			}
		}
		to.RawQuery = query(to.Query(), "done", said)
		return s.finish(w, r, to.String())
	}
}

// notChanged shows the error of an action. The form keeps the user's text.
func (s *site) notChanged(w http.ResponseWriter, r *http.Request, t written, cause error) error {
	f := faultOf(cause)
	now, gone := t.get()
	if r.PostForm.Get("action") == "edit" && (gone == nil || fault.Is(gone, fault.NotFound)) {
		return s.again(w, r, t.form, f, now, gone)
	}
	if gone != nil || t.page == nil {
		return cause
	}
	return s.show(w, r, statusOf(f.Code), t.form.Noun,
		page{Title: nameOf(now.text, 60), Nav: t.form.List[1:], Live: true, Said: nothingChanged(f, t.form.Noun), Body: t.page()})
}

// lineRows are the lines that a text loses and gains between what both have at their start and end.
func lineRows(from, to string) []history.Row {
	from, to, _ = anchor.Difference(from, to, 1)
	return history.Replaced(from, to)
}

// again shows the form with what the user sent, and what a save would change or the fault of its save; gone is the error of reading.
func (s *site) again(w http.ResponseWriter, r *http.Request, p editPage, f *fault.Error, now stored, gone error) error {
	form, status := r.PostForm, http.StatusOK
	p.File, p.Gone, p.Etag, p.Back = now.file, gone != nil, form.Get("if_match"), form.Get("back")
	p.Text = lineEnds(form.Get("content"))
	switch closed := s.closed(now.file); {
	case f == nil:
		p.Preview = s.prose(p.Text, now.file, 2)
		p.Diff = lineRows(strings.TrimSpace(now.text)+"\n", strings.TrimSpace(p.Text)+"\n")
	case closed != "": // the file cannot be saved at all
		f = fault.New(fault.Broken, "%s", closed)
	case gone == nil && f.Code == fault.Conflict:
		p.Conflict, p.Etag, p.Stored, p.Shown = true, now.etag, now.text, s.prose(now.text, now.file, 2)
	}
	if p.Fault = f; f != nil {
		status = statusOf(f.Code)
	}
	return s.form(w, r, status, p)
}

func (s *site) form(w http.ResponseWriter, r *http.Request, status int, p editPage) error {
	title := "Edit " + cmp.Or(p.Name, "a "+p.Noun)
	if p.Conflict {
		title = "The text has changed"
	}
	return s.show(w, r, status, "edit", page{Title: title, Nav: p.List[1:], Live: true, Body: p})
}

func (s *site) change(action, id, text string, form url.Values) learning.Action {
	a := learning.Action{Action: action, IDs: []string{id}, Reason: strings.TrimSpace(form.Get("reason")), IfMatch: form.Get("if_match"),
		By: "user", Tool: "page", Session: s.session}
	if action == "edit" {
		a.Content = text
	}
	return a
}

// sheet is what the pages of learnings, facts and candidates share.
type sheet struct {
	Name     string // its start, on one line
	Page     string
	Back     string // the page to return to after a change
	Body     template.HTML
	Actions  []action
	More     []action // with an optional reason
	Editable bool
	Code     *codePart
	Rail     *rail
	Tier     tier.Tier
	closed   string // why its file cannot be saved, "" when it can
}

// sheetOf makes the page of a text. Only one in a file has a rail; that of a candidate is what it was found in.
func (s *site) sheetOf(ctx context.Context, to string, now stored, rail bool) sheet {
	closed := s.closed(now.file)
	p := sheet{Name: nameOf(now.text, 90), Page: to, Back: to, closed: closed,
		Body: s.notice(closed, now.file) + s.prose(now.text, now.file, 1)}
	if rail && now.file != "" {
		p.Code, p.Rail = s.codeOf(ctx, now.id, closed), s.railOf(ctx, now.id)
		p.Tier = s.Tiers(ctx).Of(strings.TrimPrefix(now.file, store.Folder+"/"))
	}
	return p
}

type newPage struct {
	Kinds             []string
	Kind, Title, Text string
	Domain            string
	Supersedes        string // of a decision
	Fault             *fault.Error
}

var newKinds = []string{"fact", "decision", "learning", "exploration"}

func (s *site) newForm(w http.ResponseWriter, r *http.Request) error {
	p := newPage{Kinds: newKinds, Kind: r.URL.Query().Get("kind"), Text: r.URL.Query().Get("text"),
		Supersedes: r.URL.Query().Get("supersedes")}
	if !slices.Contains(newKinds, p.Kind) {
		p.Kind = newKinds[0]
	}
	return s.show(w, r, http.StatusOK, "new", page{Title: "New record", Nav: "new", Body: p})
}

// makeNew stores a record from the form and shows it. A failed save shows the form again with the user's text.
func (s *site) makeNew(w http.ResponseWriter, r *http.Request) error {
	form := r.PostForm
	p := newPage{Kinds: newKinds, Kind: form.Get("kind"), Title: strings.TrimSpace(form.Get("title")), Text: lineEnds(form.Get("content")),
		Domain: strings.TrimSpace(form.Get("domain")), Supersedes: form.Get("supersedes")}
	to := ""
	if err := tried(func() { to = s.storeNew(r.Context(), p) }); err != nil {
		p.Fault = faultOf(err)
		return s.show(w, r, statusOf(p.Fault.Code), "new", page{Title: "New record", Nav: "new", Body: p})
	}
	return s.finish(w, r, to+"?done=made")
}

func (s *site) storeNew(ctx context.Context, p newPage) (to string) {
	switch p.Kind {
	case "fact":
		in := fact.Input{Content: p.Text, Domain: p.Domain, Tool: "page", Session: s.session}
		if p.Domain != "" {
			in.Level = 1
		}
		return app.PagePath(string(record.Fact), fault.Must(s.Facts.Add(ctx, in)).ID)
	case "learning":
		out := fault.Must(s.Learnings.Learn(ctx, learning.Input{Content: p.Text, Tool: "page", Session: s.session}))
		if len(out.Results) > 0 {
			return app.PagePath("learning", out.Results[0].ID)
		}
	case "decision":
		in := decision.Input{Decision: p.Title, Supersedes: p.Supersedes, Tool: "page", Session: s.session}
		for line := range strings.SplitSeq(p.Text, "\n") {
			if line = strings.TrimSpace(strings.TrimLeft(line, "-* ")); line != "" {
				in.Reasons = append(in.Reasons, line)
			}
		}
		if out := fault.Must(s.Decisions.Record(ctx, in)); len(out.Results) > 0 {
			return app.PagePath(string(record.Decision), out.Results[0].ID)
		}
	case "exploration":
		in := explore.Input{Title: p.Title, SessionID: s.session, Tool: "page"}
		in.Context = p.Text
		return app.PagePath(string(record.Exploration), fault.Must(explore.Save(ctx, s.Store, s.Index, in)).ID)
	default:
		fault.Check(fault.New(fault.Invalid, "kind %q is unknown", record.Brief(p.Kind)).For("kind").
			With("allowed: " + strings.Join(newKinds, ", ")))
	}
	return ""
}
