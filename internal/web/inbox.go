package web

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"sdd/internal/app"
	"sdd/internal/candidate"
	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/history"
	"sdd/internal/pattern"
	"sdd/internal/record"
	"sdd/internal/transcript"
)

// The inbox is a queue of what waits for a decision; app.Triage counts and lists it for every page.

type waitingGroup struct {
	name, label string
	states      []string // nil for every other state
}

var waitingGroups = []waitingGroup{
	{"conflicts", "to mend", nil}, {"changed", "changed code", []string{"drifted", "gone"}}, {"check", "contradicting", []string{"check"}},
	{"stale", "stale", []string{"stale"}}, {"outdated", "outdated", []string{"outdated", "archived"}},
	{"candidates", "candidates", []string{candidate.Pending, candidate.Queued, candidate.Approved}},
}

type waiting struct {
	app.Item
	group string
}

// queue returns what waits for a decision, and the number of items in each group.
func (s *site) queue(ctx context.Context) (all []waiting, count map[string]int) {
	o := fault.Must(s.Triage(ctx))
	count = map[string]int{}
	for _, g := range waitingGroups {
		list := o.Review
		if g.states == nil {
			list = o.Conflicts
		}
		for _, i := range list {
			if g.states == nil || slices.Contains(g.states, i.State) {
				all = append(all, waiting{i, g.name})
				count[g.name]++
			}
		}
	}
	return all, count
}

func (s *site) waitingRow(i waiting) row {
	out := row{ID: "w-" + i.group + "-" + i.ID, State: cmp.Or(stateWords[i.State], i.State),
		Type: cmp.Or(i.Type, "file"), Name: plain(nameOf(i.Title, 140)),
		Note: plain(oneLine(i.Note, 120)), When: i.Time, Item: i.Type + " " + cmp.Or(i.Etag, "-") + " " + i.ID}
	if out.Page = s.pageOfFile(i.File); i.Type == string(record.Candidate) {
		out.Page = candidateHref(i.ID)
		out.Edit = out.Page + "?view=edit"
	} else if out.Page != "" && (i.Type == "learning" || i.Type == string(record.Fact)) {
		out.Edit = address(out.Page+"/edit", "back", "/inbox")
	}
	if i.Accept == "merge again" {
		out.Item = "file - " + i.File
	} else if s.closed(i.File) != "" {
		out.Edit, out.Item = "", ""
		return out
	}
	for n, name := range []string{i.Accept, i.Refuse} {
		if name != "" {
			out.Actions = append(out.Actions, action{name, cmp.Or(actionLabels[name], name), []string{"a", "r"}[n], []string{"main", "quiet"}[n]})
		}
	}
	return out
}

// stateWords are the words for the states of app.Item that need one.
var stateWords = map[string]string{"check": "contradicts", record.Conflicted: "conflict", "unmerged": "conflict", "ignored": "not shared",
	"refused": "not shared"}

// actionLabels are the labels of the actions of app.Item.
var actionLabels = map[string]string{"approve": "Approve", "reject": "Reject", "validate": "Still true", "archive": "Archive",
	"refresh": "Still true", "affirm": "Still true", "put back": "Put back", "restore": "Restore", "accept": "Accept",
	"leave as it is": "Leave", "merge again": "Merge again"}

// candidateStatuses are the statuses that the inbox lists beside the queue.
var candidateStatuses = []string{candidate.Pending, candidate.Queued, candidate.Approved, candidate.Rejected, "any"}

// inboxPage shows the queue, or the candidates of one status or kind.
func (s *site) inboxPage(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	f := candidate.Filter{Status: q.Get("status"), Kind: q.Get("kind"), Text: q.Get("text"), Cursor: q.Get("cursor")}
	l := newListing(listing{
		Title: "Inbox", Noun: "record", Text: f.Text, Hint: "words in the record", Keep: []pair{{"status", f.Status}},
		Clear: here(r, "text", "", "kind", ""), Choices: []choice{{"kind", "Kind", f.Kind, "", strings.Fields("fact decision idea tidy")}},
		Queue: true, Reason: true, Bulk: []action{{"approve", "Approve", "", "main"}, {"reject", "Reject", "", "quiet"}},
		Empty: empty{"Nothing waits for a decision.", "sdd extract looks for facts and decisions in commits; a hook does it after each of them:",
			"sdd hooks install"},
	})
	all, count := s.queue(r.Context())
	l.Of = len(all)
	s.inboxTabs(r, &l, f, count, len(all))
	if slices.Contains(candidateStatuses, f.Status) || f.Kind != "" {
		s.listCandidates(r, &l, f)
	} else {
		s.listWaiting(&l, f, all)
	}
	sure, _, n, err := s.Inbox.List(r.Context(), candidate.Filter{Status: candidate.Pending, MinConfidence: sureEnough, Limit: 500})
	fault.Check(err)
	for _, c := range sure {
		if c.Kind == string(candidate.Tidy) {
			n--
		}
	}
	if n > 0 {
		l.Bulk = append(l.Bulk, action{"approve-sure", fmt.Sprintf("Approve all %d from %s", n, percent(sureEnough)), "", "quiet all"})
	}
	return s.showList(w, r, l.Title, l)
}

func (s *site) inboxTabs(r *http.Request, l *listing, f candidate.Filter, count map[string]int, all int) {
	add := func(status, label string, n int) {
		if n > 0 || f.Status == status || status == "" {
			l.Tabs = append(l.Tabs, tab{label, here(r, "status", status, "kind", ""), n, f.Status == status && (f.Kind == "" || status != "")})
		}
	}
	add("", "all that waits", all)
	for _, g := range waitingGroups {
		add(g.name, g.label, count[g.name])
	}
	counts := fault.Must(s.Count(r.Context()))
	add(candidate.Rejected, "rejected", counts.Statuses[string(record.Candidate)][candidate.Rejected])
}

// listWaiting shows a part of the queue. A cursor is the number of rows before it.
func (s *site) listWaiting(l *listing, f candidate.Filter, all []waiting) {
	at, err := strconv.Atoi(cmp.Or(f.Cursor, "0"))
	if err != nil || at < 0 {
		fault.Check(fault.New(fault.Invalid, "cursor %q is unknown", record.Brief(f.Cursor)).For("cursor").With("open the first page"))
	}
	if f.Status != "" && !slices.ContainsFunc(waitingGroups, func(g waitingGroup) bool { return g.name == f.Status }) {
		fault.Check(fault.New(fault.Invalid, "status %q is unknown", record.Brief(f.Status)).For("status").With("choose a tab of the page"))
	}
	words := strings.Fields(strings.ToLower(f.Text))
	var rows []waiting
	for _, i := range all {
		text := strings.ToLower(i.Title + " " + i.ID + " " + i.Note)
		if (f.Status == "" || f.Status == i.group) && !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) }) {
			rows = append(rows, i)
		}
	}
	if l.Total = len(rows); len(rows) > at+perPage {
		l.next = strconv.Itoa(at + perPage)
	}
	for _, i := range rows[min(at, len(rows)):min(at+perPage, len(rows))] {
		l.Rows = append(l.Rows, s.waitingRow(i))
	}
}

// listCandidates shows the matching candidates, the most confident first.
func (s *site) listCandidates(r *http.Request, l *listing, f candidate.Filter) {
	asked := f
	asked.Limit = perPage
	if asked.Status == "candidates" {
		asked.Status = ""
	}
	list, next, total, err := s.Inbox.List(r.Context(), asked)
	fault.Check(err)
	l.Noun, l.Total, l.Of, l.next = "candidate", total, total, next
	for _, c := range list {
		i := app.Item{ID: c.ID, Type: string(record.Candidate), Title: cmp.Or(c.Title, c.Content), File: c.File, State: c.Status, Time: c.Created,
			Note: cmp.Or(c.Reason, c.Source), Etag: c.Seen(), Accept: "approve", Refuse: "reject"}
		if c.Status == candidate.Rejected {
			i.Accept, i.Refuse = "restore", ""
		}
		out := s.waitingRow(waiting{i, "candidates"})
		out.ID, out.Gone = c.ID, c.Status == candidate.Rejected
		out.tag(c.Kind, percent(c.Confidence))
		if out.Gone {
			out.Edit = ""
		}
		l.Rows = append(l.Rows, out)
	}
}

type candidateCard struct {
	sheet
	candidate.Candidate
	Parts []record.CauseList
	Found []evidence
}

func (s *site) candidateCard(ctx context.Context, c candidate.Candidate) candidateCard {
	k := candidateCard{Candidate: c, Found: s.evidenceOf(ctx, c.Evidence),
		sheet: s.sheetOf(ctx, candidateHref(c.ID), stored{c.ID, c.File, c.Seen(), c.Content}, false)}
	k.Back, k.Parts = "/inbox", slices.DeleteFunc(c.Lists(), func(l record.CauseList) bool { return len(*l.Texts) == 0 })
	switch {
	case k.closed != "":
	case c.Status == candidate.Rejected:
		k.Actions = []action{{"restore", "Restore", "a", "main"}}
	default:
		k.Editable = true
		k.Actions = []action{{"approve", "Approve", "a", "main"}}
		k.More = []action{{"reject", "Reject", "", "danger"}}
	}
	return k
}

func candidateHref(id string) string { return app.PagePath(string(record.Candidate), id) }

// proposalDone is what the approval of a proposal did.
var proposalDone = []string{"archived", "superseded"}

func (s *site) ofCandidate(r *http.Request) written {
	ctx, id := r.Context(), r.PathValue("id")
	to := candidateHref(id)
	return written{
		form:    editPage{ID: id, Page: to, Noun: "candidate", List: "/inbox", ListName: "Inbox", Anew: "sdd learn", Back: to},
		actions: "edit approve reject restore",
		get: func() (stored, error) {
			c, err := s.Inbox.Get(ctx, id)
			return stored{c.ID, c.File, c.Seen(), c.Content}, err
		},
		page: func() any { return s.candidateCard(ctx, fault.Must(s.Inbox.Get(ctx, id))) },
		do: func(action, text string, form url.Values) (*url.URL, error) {
			now, err := s.Inbox.Get(ctx, id)
			if err == nil && now.Seen() != form.Get("if_match") {
				err = changedSince(now.ID)
			}
			if err != nil {
				return nil, err
			}
			a := s.change(action, id, text, form)
			if a.IfMatch = now.Etag; now.Status == candidate.Queued {
				a.IfMatch = ""
			}
			moved, err := s.Inbox.Review(ctx, a)
			u := local(form.Get("back"), "/inbox", "/inbox")
			if action == "approve" && u.Path != "/inbox" {
				u = &url.URL{Path: "/inbox"} // an approved candidate has no page here
			}
			if len(moved) == 1 && moved[0].Did != "" {
				u.RawQuery = query(u.Query(), "did", moved[0].Did, "of", moved[0].Of)
			}
			return u, err
		},
	}
}

// evidence is a place where a candidate was found, with what a commit changed there or what was said around it.
type evidence struct {
	candidate.Evidence
	Page string // of the commit
	Rows []history.Row
	Said []transcript.Message
	At   int // the message that is evidence
}

const (
	mostEvidence  = 5   // with its surroundings
	mostHunkLines = 40  // of one piece of evidence
	mostDiffLines = 500 // of a file on a commit's page
	mostFiles     = 200
)

var hunkHead = pattern.Late(`^@@ -\d+(?:,\d+)? \+(\d+)`)

// evidenceOf adds to the evidence what this clone and this machine know about it.
func (s *site) evidenceOf(ctx context.Context, all []candidate.Evidence) (out []evidence) {
	soon, stop := context.WithTimeout(ctx, codePatience)
	defer stop()
	for n, e := range all {
		one := evidence{Evidence: e}
		switch {
		case n >= mostEvidence:
		case commitID().MatchString(e.Commit):
			one.Page = address("/commit/"+e.Commit, "path", e.Path)
			if e.Path != "" {
				first, last := e.Range()
				one.Rows = s.diffRows(soon, e.Commit, e.Path, first, last, mostHunkLines)
			}
		case e.Commit == "" && e.Path != "":
			first, _ := e.Range()
			one.Said, one.At = s.Said(soon, e.Path, first)
		}
		out = append(out, one)
	}
	return out
}

func roleWord(r transcript.Role) string {
	return map[transcript.Role]string{transcript.User: "user", transcript.Agent: "agent", transcript.Command: "command"}[r]
}

// clipped is a text of at most that many characters, in visible form.
func clipped(text string, most int) string { return visible(fault.Cut(text, most)) }

// diffRows are the lines that a commit changes in a file: near the lines first to last, else from the beginning.
func (s *site) diffRows(ctx context.Context, commit, path string, first, last, most int) []history.Row {
	out, err := git.Run(ctx, s.Store.Dir(), "show", "--format=", "--no-color", "--no-ext-diff", "--no-textconv", "-U3", commit, "--", path)
	if err != nil {
		return nil
	}
	var all, near []history.Row
	at := 0 // the line of the new file, 0 in the head
	for line := range strings.Lines(string(out)) {
		line = strings.TrimRight(line, "\r\n")
		if m := hunkHead().FindStringSubmatch(line); m != nil {
			at, _ = strconv.Atoi(m[1])
		} else if at > 0 && line != "" && line[0] != '\\' {
			row := history.Row{Mark: line[0], Text: line[1:]} // its marks are those of git
			if all = append(all, row); first > 0 && at >= first-3 && at <= last+3 {
				near = append(near, row)
			}
			if row.Mark != history.MarkRemoved {
				at++
			}
		}
	}
	if len(near) > 0 {
		all = near
	}
	return all[:min(len(all), most)]
}

type commitPage struct {
	Commit, Author, Date, Subject, Body string
	Files                               []link
	More                                int // files that are left out
	Path                                string
	Rows                                []history.Row
}

// commit shows a commit of this clone, so that evidence can be looked at where it comes from.
func (s *site) commit(w http.ResponseWriter, r *http.Request) error {
	id, path := r.PathValue("id"), r.URL.Query().Get("path")
	if !commitID().MatchString(id) {
		return fault.New(fault.Invalid, "%q is no commit", record.Brief(id)).With("open the record, and follow its link")
	}
	out, err := git.Run(r.Context(), s.Store.Dir(), "show", "--no-color", "--relative", "--name-only", "-z",
		"--format=%H%x00%an%x00%aI%x00%s%x00%b%x00", id)
	if err != nil {
		return fault.New(fault.NotFound, "this clone has no commit %s", id).With("git fetch may bring it")
	}
	part := strings.SplitN(string(out), "\x00", 6)
	if len(part) < 6 {
		return fault.New(fault.NotFound, "git shows nothing for commit %s", id)
	}
	p := commitPage{Commit: part[0], Author: visible(part[1]), Date: part[2], Subject: visible(part[3]), Path: visible(path),
		Body: clipped(strings.TrimSpace(part[4]), 5000)}
	files := strings.FieldsFunc(part[5], func(r rune) bool { return r == 0 || r == '\n' })
	p.More = max(0, len(files)-mostFiles)
	for _, f := range files[:len(files)-p.More] {
		p.Files = append(p.Files, link{visible(f), address("/commit/"+part[0], "path", f)})
	}
	if path != "" {
		soon, stop := context.WithTimeout(r.Context(), codePatience)
		defer stop()
		p.Rows = s.diffRows(soon, part[0], path, 0, 0, mostDiffLines)
	}
	return s.show(w, r, http.StatusOK, "commit", page{Title: fmt.Sprintf("Commit %s", short(part[0])), Body: p})
}
