package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"sdd/internal/anchor"
	"sdd/internal/candidate"
	"sdd/internal/fact"
	"sdd/internal/fault"
	"sdd/internal/index/records"
	"sdd/internal/learning"
	"sdd/internal/lookup"
	"sdd/internal/markdown"
	"sdd/internal/record"
	"sdd/internal/store"
	"sdd/internal/tokens"
)

// ReviewArgs are the arguments of a review, named as in sdd_review. Only the command line sets those without a name in JSON.
type ReviewArgs struct {
	Action  string   `json:"action"`
	IDs     []string `json:"ids"`
	Kind    string   `json:"kind"`
	Status  string   `json:"status"`
	Content string   `json:"content"`
	Reason  string   `json:"reason"`
	Target  string   `json:"target"`
	TTLDays int      `json:"ttl_days"`
	Limit   int      `json:"limit"`
	Cursor  string   `json:"cursor"`

	Of        string  `json:"-"` // of a list of candidates: the kind that they become
	By        string  `json:"-"` // of resurrect: the author
	IfMatch   string  `json:"-"` // of edit: the etag of the edited file
	RefreshOn string  `json:"-"` // of refresh
	OnExpire  string  `json:"-"` // of refresh
	Purge     bool    `json:"-"` // of delete: also removes the file of a fact
	Level     *int    `json:"-"` // of graduate
	Domain    string  `json:"-"` // of graduate, and of a list of candidates
	All       bool    `json:"-"` // of approve: all pending candidates
	Least     float64 `json:"-"` // the minimum confidence for All and for a list of candidates, 0 to 1
	Tool      string  `json:"-"` // the calling tool
	MaxTokens int     `json:"-"` // of a list: the page's budget, 0 for none
	session   string  // of the caller, for the journal

	More []string `json:"-"` // actions that the caller does itself, named where an unknown one is refused
}

type Reviewed struct {
	Items      []ReviewedItem   `json:"items"`
	Graduates  []string         `json:"graduates,omitempty"`
	Events     []learning.Event `json:"events"`
	NextCursor string           `json:"next_cursor"`

	text string
}

type ReviewedItem struct {
	ID      string `json:"id"`
	Kind    string `json:"kind"` // learning, idea, fact, decision, explore, candidate
	From    string `json:"from"`
	To      string `json:"to"`
	File    string `json:"file"`
	Etag    string `json:"etag"`
	Content string `json:"content,omitempty"`

	// Of a candidate that is listed.
	Of         string               `json:"of,omitempty"` // the kind that it becomes
	Confidence float64              `json:"confidence,omitempty"`
	Evidence   []candidate.Evidence `json:"evidence,omitempty"`
}

func NewReviewed(items []ReviewedItem, events []learning.Event, next, text string) Reviewed {
	return Reviewed{Items: append([]ReviewedItem{}, items...), Events: append([]learning.Event{}, events...), NextCursor: next, text: text}
}

func (p Reviewed) Text() string { return p.text }

// Within reports whether the result as JSON and its text take at most budget tokens each; below tokens.TextOnly the text alone.
func (p Reviewed) Within(budget int) bool { return tokens.WithinBoth(p.text, p, budget) }

// ReviewPage is the number of items on a page for a call without a limit.
const ReviewPage = 20

// Kinds of records that a review lists and changes, and two actions that go beyond one kind.
const (
	candidateKind = "candidate"
	factKind      = "fact"
	learningKind  = "learning"
	graduate      = "graduate"
)

func ReviewActions() []string {
	all := slices.Concat([]string{affirm, graduate}, candidate.Actions, fact.Actions, learning.Actions)
	slices.Sort(all)
	return slices.Compact(all)
}

// Review lists records, or does an action on each id in order. With an error it returns the changes made before.
func (w *App) Review(ctx context.Context, a ReviewArgs) (Reviewed, error) {
	a.Action = strings.ToLower(strings.TrimSpace(a.Action))
	out := NewReviewed(nil, nil, "", "")
	list := a.Action == "list"
	if list && listsCandidates(a.Kind, a.Status) {
		a.Kind, a.Of = candidateKind, a.Kind
	}
	a.Kind = strings.ToLower(strings.TrimSpace(a.Kind))
	if kinds := []string{candidateKind, factKind, learningKind}; a.Kind != "" && !slices.Contains(kinds, a.Kind) {
		return out, fault.New(fault.Invalid, "kind %q is unknown", record.Brief(a.Kind)).For("kind").With("allowed: " + strings.Join(kinds, ", "))
	}
	if list {
		return w.reviewPage(ctx, a)
	}
	if all := ReviewActions(); !slices.Contains(all, a.Action) {
		return out, fault.New(fault.Invalid, "action %q is unknown", record.Brief(a.Action)).For("action").
			With("allowed: list, " + strings.Join(append(all, a.More...), ", "))
	}
	if len(a.IDs) == 0 {
		return w.reviewAll(ctx, a)
	}
	owners := make([]string, len(a.IDs))
	for n, id := range a.IDs {
		var err error
		if owners[n], err = w.reviewer(ctx, a.Action, id); err != nil {
			return out, err
		}
	}
	for from := 0; from < len(a.IDs); {
		to := from + 1
		for to < len(a.IDs) && owners[to] == owners[from] {
			to++
		}
		some := a
		some.IDs = a.IDs[from:to]
		done, err := w.review(ctx, owners[from], some)
		out.Items, out.Graduates = append(out.Items, done.Items...), append(out.Graduates, done.Graduates...)
		out.text += done.text
		if err != nil {
			return out, err
		}
		from = to
	}
	return out, nil
}

// reviewAll does an action without ids: apply writes the candidates that people approved in the files, approve may mean all pending ones.
func (w *App) reviewAll(ctx context.Context, a ReviewArgs) (Reviewed, error) {
	by := candidate.By{Tool: a.Tool}
	switch {
	case a.Action == "apply" && a.Target == "":
		done, err := w.Inbox.Apply(ctx, by)
		items := slices.Concat(candidateItems(done.Approved), candidateItems(done.Candidates))
		return NewReviewed(items, nil, "", done.Text()), err
	case a.Action == approve && a.All:
		done, err := w.Inbox.ApproveAll(ctx, a.Least, by)
		return movedCandidates(done), err
	}
	return NewReviewed(nil, nil, "", ""),
		fault.New(fault.Invalid, "ids is required").For("ids").With("give the ids that action list or sdd_search names")
}

// reviewer returns the kind whose action an action on an id is, or the action when any kind has it.
func (w *App) reviewer(ctx context.Context, action, id string) (string, error) {
	if action == affirm || action == graduate {
		return action, nil
	}
	if err := w.refuseReview(ctx, action, id); err != nil {
		return "", err
	}
	if takes, err := w.Inbox.Takes(ctx, action, []string{id}); takes || err != nil {
		return candidateKind, err
	}
	id = strings.ToLower(strings.TrimSpace(id))
	kind, isFile := record.KindOf(strings.TrimPrefix(id, store.Folder+"/"))
	other := isFile && kind != record.Fact || strings.HasPrefix(id, record.IDPrefix(record.Idea)+"-")
	if strings.HasPrefix(id, record.IDPrefix(record.Fact)+"-") || isFile && kind == record.Fact ||
		!other && !slices.Contains(learning.Actions, action) && slices.Contains(fact.Actions, action) {
		return factKind, nil
	}
	return learningKind, nil
}

// refuseReview refuses an action that the kind of a record does not have, with a hint. A record that is in force counts as approved.
func (w *App) refuseReview(ctx context.Context, action, id string) error {
	if _, err := w.Inbox.Get(ctx, id); err == nil || action == "done" || w.Index.Refresh(ctx) != nil {
		return nil
	}
	e, err := lookup.One(w.Index, id, "", "")
	if own, _, ok := w.Decisions.InPlace(ctx, id, ""); err != nil && ok {
		e.ID, e.Kind, e.Status = own.ID, own.Kind, "proposed"
	}
	hint := ""
	switch {
	case action == approve && e.Kind != record.Exploration && e.Status != "proposed":
	case e.Kind == record.Decision:
		hint = "record the decision that replaces " + e.ID + ", with supersedes; or edit the status in its file"
	case e.Kind == record.Exploration:
		hint = "save the sections of " + e.ID + " again, or delete its file"
	case e.Kind == record.Fact && action == "reject":
		hint = e.ID + " is a record already: archive or delete it"
	}
	if hint == "" {
		return nil
	}
	return fault.New(fault.Invalid, "action %q is none for %ss", action, record.Noun(string(e.Kind))).For("action").With(hint)
}

// review does the action on a.IDs, which all have that reviewer. With an error it also returns the changes made before.
func (w *App) review(ctx context.Context, reviewer string, a ReviewArgs) (out Reviewed, err error) {
	step := records.Action{
		Action: a.Action, IDs: a.IDs, Content: a.Content, Reason: a.Reason, Target: a.Target, IfMatch: a.IfMatch, By: a.By,
		TTLDays: a.TTLDays, RefreshOn: a.RefreshOn, OnExpire: a.OnExpire, Purge: a.Purge, Tool: a.Tool, Session: a.session,
	}
	switch reviewer {
	case affirm:
		return w.affirmEach(ctx, a)
	case graduate:
		done, err := w.Facts.Graduate(ctx, w.Learnings, fact.Graduation{IDs: a.IDs, Level: a.Level, Domain: a.Domain, Tool: a.Tool})
		for _, g := range done {
			out.Items = append(out.Items, ReviewedItem{
				ID: g.Learning.ID, Kind: learningKind, From: g.Learning.Effective(), To: g.Fact.ID, File: g.Fact.File, Etag: g.Fact.Etag,
			})
			out.text += fmt.Sprintf("%s: graduated to %s", g.Learning.ID, g.Fact.Text())
		}
		return out, err
	case candidateKind:
		done, err := w.Inbox.Review(ctx, step)
		return movedCandidates(done), err
	case factKind:
		done, err := w.Facts.Review(ctx, step)
		return Reviewed{Items: movedItems(done.Items), text: done.Text()}, err
	}
	done, err := w.Learnings.Review(ctx, step)
	out = Reviewed{Items: movedItems(done.Items), text: done.Text()}
	for _, g := range done.Graduates {
		out.Graduates = append(out.Graduates, g.ID)
		if i := slices.IndexFunc(out.Items, func(r ReviewedItem) bool { return r.ID == g.ID }); i >= 0 {
			out.Items[i].Content = g.Content
		}
	}
	return out, err
}

// affirmEach vouches for the code that records of any kind name.
func (w *App) affirmEach(ctx context.Context, a ReviewArgs) (out Reviewed, err error) {
	for _, id := range a.IDs {
		done, err := w.Affirm(ctx, id, false, a.Tool)
		if err != nil {
			return out, err
		}
		item := ReviewedItem{ID: done.ID, From: string(anchor.Fresh), To: string(anchor.Fresh), File: done.File, Etag: done.Etag}
		for _, p := range done.Places {
			item.From = string(p.State)
		}
		for _, p := range done.Left {
			item.From, item.To = string(p.State), string(p.State)
		}
		if e, err := lookup.One(w.Index, done.ID, "", ""); err == nil {
			item.Kind = e.Type()
		}
		out.Items, out.text = append(out.Items, item), out.text+done.Text()
	}
	return out, nil
}

// listsCandidates reports whether a list by that kind and status is one of candidates: no record of the kind ever has the status.
func listsCandidates(kind, status string) bool {
	ofCandidates := status == candidate.Queued || slices.Contains(record.StatusesOf(record.Candidate, ""), status)
	switch k := record.Kind(kind); k {
	case "":
		return ofCandidates && !slices.Contains(record.StatusesOf(record.Idea, record.Learning), status)
	case record.Fact, record.Decision:
		return ofCandidates && !slices.Contains(record.StatusesOf(k, ""), status)
	}
	return false
}

// reviewPage lists the records of a kind, by default learnings. A page above a.MaxTokens gets fewer items; its cursor leads to the rest.
func (w *App) reviewPage(ctx context.Context, a ReviewArgs) (Reviewed, error) {
	if a.Limit == 0 {
		a.Limit = ReviewPage
	}
	for {
		page, err := w.listReviewed(ctx, a)
		if err != nil || a.MaxTokens == 0 || len(page.Items) == 0 || page.Within(a.MaxTokens) {
			return page, err
		}
		if len(page.Items) == 1 {
			return page.short(a.MaxTokens), nil
		}
		a.Limit = len(page.Items) / 2
	}
}

func (w *App) listReviewed(ctx context.Context, a ReviewArgs) (Reviewed, error) {
	var items []ReviewedItem
	var lines strings.Builder
	text := func(total int, folder, next string) string {
		text := fmt.Sprintf("%d found, %d shown\n", total, len(items))
		if total == 0 && a.Kind == "" && a.Status == "" {
			if waiting, err := w.waiting(ctx); err == nil && waiting > 0 {
				text += fault.Count(waiting, "candidate waits", "candidates wait") + " for a review: sdd_review action list kind candidate\n"
			}
		}
		if folder == "" || len(items) == 0 {
			text += lines.String()
		} else {
			text += markdown.Quote(lines.String(), store.Folder+"/"+folder, 0)
		}
		if next != "" {
			text += "next page: cursor " + next + "\n"
		}
		return text
	}
	switch a.Kind {
	case candidateKind:
		list, next, total, err := w.Inbox.List(ctx, candidate.Filter{
			Kind: a.Of, Status: a.Status, Domain: a.Domain, MinConfidence: a.Least, Limit: a.Limit, Cursor: a.Cursor,
		})
		items = candidateItems(list)
		lines.WriteString(candidate.Text(list))
		return NewReviewed(items, nil, next, text(total, "", next)), err
	case factKind:
		list, next, total, err := w.Facts.List(ctx, fact.Filter{State: a.Status, Limit: a.Limit, Cursor: a.Cursor})
		for _, f := range list {
			items = append(items, ReviewedItem{
				ID: f.ID, Kind: factKind, From: f.Status, To: f.State, File: f.File, Etag: f.Etag, Content: f.Content,
			})
			lines.WriteString(f.Line() + "\n")
		}
		return NewReviewed(items, nil, next, text(total, "facts", next)), err
	}
	list, next, total, err := w.Learnings.List(
		ctx, learning.Filter{Color: record.Learning, Status: a.Status, Limit: a.Limit, Cursor: a.Cursor},
	)
	for _, i := range list {
		items = append(items, ReviewedItem{
			ID: i.ID, Kind: learningKind, From: i.Status, To: i.Effective(), File: i.File, Etag: i.Etag, Content: i.Content,
		})
		fmt.Fprintf(&lines, "- [%s] %s: %s\n", i.ID, i.Effective(), strings.Join(strings.Fields(i.Content), " "))
	}
	return NewReviewed(items, nil, next, text(total, "ideas", next)), err
}

// short returns a page with one long item, cut to the budget.
func (p Reviewed) short(budget int) Reviewed {
	one := p.Items[0]
	one.Evidence = nil
	for n := budget - 300; ; n /= 2 { // 300 tokens for the rest of the page; JSON escapes some characters
		one.Content = tokens.Prefix(p.Items[0].Content, n) + "…"
		text := markdown.Quote(fmt.Sprintf("- [%s] %s: %s\n", one.ID, one.To, strings.Join(strings.Fields(one.Content), " ")), one.File, 0) +
			"it is longer: sdd_get reads all of it\n"
		if p.NextCursor != "" {
			text += "next page: cursor " + p.NextCursor + "\n"
		}
		if out := NewReviewed([]ReviewedItem{one}, p.Events, p.NextCursor, text); out.Within(budget) || n == 0 {
			return out
		}
	}
}

func movedItems(list []record.Moved) (items []ReviewedItem) {
	for _, m := range list {
		items = append(items, ReviewedItem{ID: m.ID, Kind: m.Kind, From: m.From, To: m.To, File: m.File, Etag: m.Etag})
	}
	return items
}

func movedCandidates(list []candidate.Moved) Reviewed {
	return NewReviewed(movedItems(list), nil, "", cmp.Or(records.Text(list), "nothing to do\n"))
}

func candidateItems(list []candidate.Candidate) (items []ReviewedItem) {
	for _, c := range list {
		items = append(items, ReviewedItem{
			ID: c.ID, Kind: candidateKind, From: c.Status, To: c.Status, File: c.File, Etag: c.Etag,
			Content: c.Content, Of: c.Kind, Confidence: c.Confidence, Evidence: c.Evidence,
		})
	}
	return items
}
