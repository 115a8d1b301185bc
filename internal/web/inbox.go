package web

import (
	"html/template"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"sdd/internal/candidate"
	"sdd/internal/fault"
	"sdd/internal/record"
)

// candidateTabs are the statuses to choose from; "" is for those without a decision.
var candidateTabs = []struct{ status, label string }{{"", "open"}, {candidate.Pending, "pending"}, {candidate.Queued, "queued"},
	{candidate.Approved, "approved, to be stored"}, {candidate.Rejected, "rejected"}}

// inboxPage is the list of candidates.
type inboxPage struct {
	Tabs   []tab
	Filter candidate.Filter
	Kinds  []string
	Cards  []candidateCard
	Total  int
	Store  int // candidates in all
	First  string
	Next   string
	Clear  string
}

// candidateCard is a candidate in the list.
type candidateCard struct {
	candidate.Candidate
	Name    string
	Page    string
	Seen    string // etag of the shown text, for the form
	Back    string
	Body    template.HTML
	Parts   []part
	Actions []action
	More    []action
	Edit    bool
}

// part is a list of a decision.
type part struct {
	Name  string
	Items []string
}

func inboxAddress(f candidate.Filter) string {
	return address("/inbox", "status", f.Status, "kind", f.Kind, "text", f.Text, "cursor", f.Cursor)
}

// candidates shows the matching candidates, the most confident first.
func (s *site) candidates(w http.ResponseWriter, r *http.Request) error {
	stamp := s.live.stamp()
	q := r.URL.Query()
	f := candidate.Filter{Status: q.Get("status"), Kind: q.Get("kind"), Text: q.Get("text"), Cursor: q.Get("cursor")}
	asked := f
	asked.Limit = perPage
	list, next, total, err := s.inbox.List(r.Context(), asked)
	if err != nil {
		return err
	}
	all, err := s.uses.Count(r.Context())
	if err != nil {
		return err
	}
	counts := map[string]int{"": all.Living[string(record.Candidate)]}
	maps.Copy(counts, all.Statuses[string(record.Candidate)])
	p := inboxPage{Filter: f, Kinds: strings.Fields("fact decision idea tidy"), Total: total, Store: all.Records[string(record.Candidate)],
		Clear: inboxAddress(candidate.Filter{Status: f.Status})}
	for _, t := range candidateTabs {
		to := f
		to.Status, to.Cursor = t.status, ""
		p.Tabs = append(p.Tabs, tab{Label: t.label, Href: inboxAddress(to), Count: counts[t.status], Current: f.Status == t.status})
	}
	for _, c := range list {
		p.Cards = append(p.Cards, s.candidateCard(c, inboxAddress(f), 2))
	}
	to := f
	if to.Cursor = ""; f.Cursor != "" {
		p.First = inboxAddress(to)
	}
	if next != "" {
		to.Cursor = next
		p.Next = inboxAddress(to)
	}
	return s.show(w, http.StatusOK, "inbox", page{Title: "Inbox", Nav: "inbox", Stamp: stamp, Said: s.candidateSaid(r), Body: p})
}

func (s *site) candidateCard(c candidate.Candidate, back string, under int) candidateCard {
	k := candidateCard{Candidate: c, Name: nameOf(c.Content, 90), Page: candidateHref(c.ID), Back: back, Seen: c.Seen(),
		Edit: c.Status != candidate.Rejected}
	closed := s.closed(c.File)
	k.Body = notice(closed) + s.prose(c.Content, c.File, under)
	for _, p := range []part{{"Because", c.Reasons}, {"Instead of", c.Alternatives}, {"So that", c.Consequences},
		{"Constraints", c.Constraints}, {"Assumptions", c.Assumptions}} {
		if len(p.Items) > 0 {
			k.Parts = append(k.Parts, p)
		}
	}
	if closed != "" {
		k.Edit = false
		return k
	}
	if c.Status == candidate.Rejected {
		k.Actions = []action{{"restore", "Restore", "r", "main"}}
	} else {
		k.Actions = []action{{"approve", "Approve", "v", "main"}}
		k.More = []action{{"reject", "Reject", "", "danger"}}
	}
	return k
}

func candidateHref(id string) string { return escapePath("/inbox/" + id) }

// proposalDone is what the approval of a proposal did.
var proposalDone = []string{"archived", "superseded"}

// candidateDone are the messages after an action.
var candidateDone = map[string]string{
	"approve": "Approved: it is a record of the project now.",
	"reject":  "Rejected. The file stays, marked, and the same is not proposed again.",
	"restore": "Restored: it waits for a decision again.",
	"edit":    "Saved.",
}

func (s *site) candidateSaid(r *http.Request) *said {
	q := r.URL.Query()
	if held, err := s.index.Holders(r.Context(), q.Get("of")); err == nil && len(held) > 0 && slices.Contains(proposalDone, q.Get("did")) {
		return &said{Kind: "done", Text: "Approved: [" + held[0].ID + "] is " + q.Get("did") + "."}
	}
	if text, ok := candidateDone[q.Get("done")]; ok {
		return &said{Kind: "done", Text: text}
	}
	return nil
}

// candidateEdit is the form for a candidate's text.
type candidateEdit struct {
	candidateCard
	Text   string // the user's text
	Fault  *fault.Error
	Stored template.HTML // the file's present text, when it differs from the form's original
	Gone   bool
}

// candidate shows one candidate, or the form for its text.
func (s *site) candidate(w http.ResponseWriter, r *http.Request) error {
	stamp := s.live.stamp()
	c, err := s.inbox.Get(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	k := s.candidateCard(c, candidateHref(c.ID), 1)
	p := page{Title: k.Name, Nav: "inbox", Stamp: stamp, Said: s.candidateSaid(r), Body: k}
	if r.URL.Query().Get("view") == "edit" && s.closed(c.File) == "" {
		p.Title, p.Body = "Edit a candidate", candidateEdit{candidateCard: k, Text: c.Content}
		return s.show(w, http.StatusOK, "candidate-edit", p)
	}
	return s.show(w, http.StatusOK, "candidate", p)
}

// decide does a form's action and returns to the form's page.
func (s *site) decide(w http.ResponseWriter, r *http.Request) error {
	stamp := s.live.stamp()
	if err := r.ParseForm(); err != nil {
		return err
	}
	form, id := r.PostForm, r.PathValue("id")
	a := candidate.Action{Action: form.Get("action"), IDs: []string{id}, Reason: strings.TrimSpace(form.Get("reason")),
		By: candidate.By{Tool: "page", Session: s.session}}
	if _, ok := candidateDone[a.Action]; !ok {
		return fault.New(fault.Invalid, "the page does not know the action %q", a.Action).For("action").With("use the buttons of the page")
	}
	if a.Action == "edit" {
		a.Content = lineEnds(form.Get("content"))
	}
	var moved []candidate.Moved
	now, err := s.inbox.Get(r.Context(), id)
	if err == nil && now.Seen() != form.Get("if_match") {
		err = changedSince(now.ID)
	}
	if err == nil {
		if now.Status != candidate.Queued {
			a.IfMatch = now.Etag
		}
		moved, err = s.inbox.Review(r.Context(), a)
	}
	if err != nil {
		return s.notDecided(w, r, stamp, a, err)
	}
	to := form.Get("back")
	if u, err := url.Parse(to); err != nil || u.Scheme != "" || u.Host != "" || strings.Contains(to, `\`) ||
		u.Path != "/inbox" && !strings.HasPrefix(u.Path, "/inbox/") || a.Action == "approve" && u.Path != "/inbox" {
		to = "/inbox" // an approved candidate has no page here
	}
	u, err := url.Parse(to)
	if err != nil {
		return err
	}
	q := u.Query()
	q.Set("done", a.Action)
	if len(moved) == 1 && moved[0].Did != "" {
		q.Set("did", moved[0].Did)
		q.Set("of", moved[0].Of)
	}
	u.RawQuery = q.Encode()
	http.Redirect(w, r, u.String(), http.StatusSeeOther)
	return nil
}

// notDecided shows the error of an action. The form keeps the user's text.
func (s *site) notDecided(w http.ResponseWriter, r *http.Request, stamp string, a candidate.Action, cause error) error {
	f := faultOf(cause)
	now, err := s.inbox.Get(r.Context(), a.IDs[0])
	if err != nil && a.Action != "edit" {
		return cause
	}
	k := s.candidateCard(now, candidateHref(now.ID), 1)
	p := page{Title: k.Name, Nav: "inbox", Stamp: stamp, Body: k}
	if a.Action == "edit" {
		e := candidateEdit{candidateCard: k, Text: a.Content, Fault: f, Gone: err != nil}
		if f.Code == fault.Conflict {
			e.Stored = k.Body
		}
		p.Title, p.Body = "Edit a candidate", e
		return s.show(w, statusOf(f.Code), "candidate-edit", p)
	}
	p.Said = nothingChanged(f, "candidate")
	return s.show(w, statusOf(f.Code), "candidate", p)
}
