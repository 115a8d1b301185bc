package app

import (
	"cmp"
	"context"
	"encoding/json"
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
}

// step is the action as the kinds take it.
func (a ReviewArgs) step() records.Action {
	return records.Action{
		Action: a.Action, IDs: a.IDs, Content: a.Content, Reason: a.Reason, Target: a.Target, IfMatch: a.IfMatch, By: a.By,
		TTLDays: a.TTLDays, RefreshOn: a.RefreshOn, OnExpire: a.OnExpire, Purge: a.Purge, Tool: a.Tool,
	}
}

// Reviewed is the result of a review.
type Reviewed struct {
	Items      []ReviewedItem   `json:"items"`
	Graduates  []string         `json:"graduates,omitempty"`
	Events     []learning.Event `json:"events"`
	NextCursor string           `json:"next_cursor"`

	text string
}

// ReviewedItem is one changed or listed record.
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

// NewReviewed returns a result with a given text.
func NewReviewed(items []ReviewedItem, events []learning.Event, next, text string) Reviewed {
	return Reviewed{Items: append([]ReviewedItem{}, items...), Events: append([]learning.Event{}, events...), NextCursor: next, text: text}
}

// Text reports the changes, or lists the records as data.
func (p Reviewed) Text() string { return p.text }

// Within reports whether the result as JSON and its text take at most budget tokens each.
func (p Reviewed) Within(budget int) bool {
	data, err := json.Marshal(p)
	return err == nil && tokens.Within(string(data), budget) && tokens.Within(p.text, budget)
}

// reviewer changes the status of records of one kind.
type reviewer struct {
	kind    string   // the value of the argument kind
	actions []string // its actions
	// owns reports whether it handles an action on an id.
	owns func(ctx context.Context, action, id string) (bool, error)
	// whole does an action without ids. For another action it returns handled false; it may be nil.
	whole func(ctx context.Context, a ReviewArgs) (done Reviewed, handled bool, err error)
	// act does the action on a.IDs, which are all its own. With an error it also returns the changes
	// made before.
	act func(ctx context.Context, a ReviewArgs) (Reviewed, error)
	// list returns a page of the records; nil if the kind has no list.
	list func(ctx context.Context, a ReviewArgs) (Reviewed, error)
}

// reviewers returns one reviewer for each kind. The first owner of an id handles it; the last reviewer takes all other
// ids.
func (w *App) reviewers() []reviewer {
	return []reviewer{w.affirmations(), w.graduations(), w.candidateReviewer(), w.factReviewer(), w.learningReviewer()}
}

// ReviewPage is the number of items on a page for a call without a limit.
const ReviewPage = 20

// Review lists records, or does an action on each of the ids in order. It stops at the first error, and returns the
// changes made before with it.
func (w *App) Review(ctx context.Context, a ReviewArgs) (Reviewed, error) {
	all := w.reviewers()
	a.Action = strings.ToLower(strings.TrimSpace(a.Action))
	if a.Action == "list" {
		return listReviewed(ctx, all, a)
	}
	out := NewReviewed(nil, nil, "", "")
	if a.Kind != "" {
		if _, err := ofKind(all, a.Kind); err != nil {
			return out, err
		}
	}
	var actions []string
	for _, r := range all {
		actions = append(actions, r.actions...)
	}
	if slices.Sort(actions); !slices.Contains(actions, a.Action) {
		return out, fault.New(fault.Invalid, "action %q is unknown", record.Brief(a.Action)).For("action").
			With("allowed: list, " + strings.Join(slices.Compact(actions), ", "))
	}
	if len(a.IDs) == 0 {
		for _, r := range all {
			if r.whole == nil {
				continue
			}
			if done, handled, err := r.whole(ctx, a); handled || err != nil {
				return NewReviewed(done.Items, nil, "", done.text), err
			}
		}
		return out, fault.New(fault.Invalid, "ids is required").For("ids").With("give the ids that action list or sdd_search names")
	}
	owners := make([]int, len(a.IDs))
	for n, id := range a.IDs {
		var err error
		if owners[n], err = ownerOf(ctx, all, a.Action, id); err != nil {
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
		done, err := all[owners[from]].act(ctx, some)
		out.Items, out.Graduates = append(out.Items, done.Items...), append(out.Graduates, done.Graduates...)
		out.text += done.text
		if err != nil {
			return out, err
		}
		from = to
	}
	return out, nil
}

// ownerOf returns the reviewer that handles an action on an id.
func ownerOf(ctx context.Context, all []reviewer, action, id string) (int, error) {
	for n, r := range all {
		if handled, err := r.owns(ctx, action, id); handled || err != nil {
			return n, err
		}
	}
	return len(all) - 1, nil
}

// listReviewed lists the records of a kind, by default learnings.
func listReviewed(ctx context.Context, all []reviewer, a ReviewArgs) (Reviewed, error) {
	if a.Limit == 0 {
		a.Limit = ReviewPage
	}
	r := all[len(all)-1]
	if listsCandidates(a.Kind, a.Status) {
		a.Kind, a.Of = candidateKind, a.Kind
	}
	if a.Kind != "" {
		var err error
		if r, err = ofKind(all, a.Kind); err != nil {
			return Reviewed{}, err
		}
	}
	page, err := r.list(ctx, a)
	for err == nil && a.MaxTokens > 0 && len(page.Items) > 0 && !page.Within(a.MaxTokens) {
		if len(page.Items) == 1 {
			return page.short(a.MaxTokens), nil
		}
		a.Limit = len(page.Items) / 2 // its cursor leads to the rest
		page, err = r.list(ctx, a)
	}
	return page, err
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

// ofKind returns the reviewer of a kind that has a list.
func ofKind(all []reviewer, kind string) (reviewer, error) {
	var kinds []string
	for _, r := range all {
		switch {
		case r.list == nil:
		case strings.EqualFold(r.kind, strings.TrimSpace(kind)):
			return r, nil
		default:
			kinds = append(kinds, r.kind)
		}
	}
	return reviewer{}, fault.New(fault.Invalid, "kind %q is unknown", record.Brief(kind)).For("kind").
		With("allowed: " + strings.Join(kinds, ", "))
}

// pageText renders a page as data, one line for each item.
func pageText(total, shown int, lines, folder, next string) string {
	text := fmt.Sprintf("%d found, %d shown\n", total, shown)
	if shown > 0 {
		text += markdown.Quote(lines, store.Folder+"/"+folder, 0)
	}
	if next != "" {
		text += "next page: cursor " + next + "\n"
	}
	return text
}

func movedItems(list []record.Moved) (items []ReviewedItem) {
	for _, m := range list {
		items = append(items, ReviewedItem{ID: m.ID, Kind: m.Kind, From: m.From, To: m.To, File: m.File, Etag: m.Etag})
	}
	return items
}

func (w *App) learningReviewer() reviewer {
	return reviewer{
		kind: "learning", actions: learning.Actions, owns: func(context.Context, string, string) (bool, error) { return true, nil },
		act: func(ctx context.Context, a ReviewArgs) (Reviewed, error) {
			done, err := w.Learnings.Review(ctx, a.step())
			out := Reviewed{Items: movedItems(done.Items), text: done.Text()}
			for _, g := range done.Graduates {
				out.Graduates = append(out.Graduates, g.ID)
				if i := slices.IndexFunc(out.Items, func(r ReviewedItem) bool { return r.ID == g.ID }); i >= 0 {
					out.Items[i].Content = g.Content
				}
			}
			return out, err
		},
		list: func(ctx context.Context, a ReviewArgs) (Reviewed, error) {
			ideas, next, total, err := w.Learnings.List(
				ctx, learning.Filter{Color: record.Learning, Status: a.Status, Limit: a.Limit, Cursor: a.Cursor},
			)
			var items []ReviewedItem
			var lines strings.Builder
			for _, i := range ideas {
				items = append(items, ReviewedItem{
					ID: i.ID, Kind: "learning", From: i.Status, To: i.Effective(), File: i.File, Etag: i.Etag, Content: i.Content,
				})
				fmt.Fprintf(&lines, "- [%s] %s: %s\n", i.ID, i.Effective(), strings.Join(strings.Fields(i.Content), " "))
			}
			return NewReviewed(items, nil, next, pageText(total, len(ideas), lines.String(), "ideas", next)), err
		},
	}
}

func (w *App) factReviewer() reviewer {
	return reviewer{
		kind: "fact", actions: fact.Actions,
		owns: func(_ context.Context, _, id string) (bool, error) {
			id = strings.ToLower(strings.TrimSpace(id))
			kind, isFile := record.KindOf(strings.TrimPrefix(id, store.Folder+"/"))
			return strings.HasPrefix(id, record.IDPrefix(record.Fact)+"-") || isFile && kind == record.Fact, nil
		},
		act: func(ctx context.Context, a ReviewArgs) (Reviewed, error) {
			done, err := w.Facts.Review(ctx, a.step())
			return Reviewed{Items: movedItems(done.Items), text: done.Text()}, err
		},
		list: func(ctx context.Context, a ReviewArgs) (Reviewed, error) {
			facts, next, total, err := w.Facts.List(ctx, fact.Filter{State: a.Status, Limit: a.Limit, Cursor: a.Cursor})
			var items []ReviewedItem
			var lines strings.Builder
			for _, one := range facts {
				items = append(items, ReviewedItem{
					ID: one.ID, Kind: "fact", From: one.Status, To: one.State, File: one.File, Etag: one.Etag, Content: one.Content,
				})
				lines.WriteString(one.Line() + "\n")
			}
			return NewReviewed(items, nil, next, pageText(total, len(facts), lines.String(), "facts", next)), err
		},
	}
}

// affirmations vouch for the code that records of any kind name.
func (w *App) affirmations() reviewer {
	return reviewer{
		kind: "learning", actions: []string{affirm},
		owns: func(_ context.Context, action, _ string) (bool, error) { return action == affirm, nil },
		act: func(ctx context.Context, a ReviewArgs) (out Reviewed, err error) {
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
		},
	}
}

// graduations makes facts of learnings.
func (w *App) graduations() reviewer {
	return reviewer{
		kind: "learning", actions: []string{"graduate"},
		owns: func(_ context.Context, action, _ string) (bool, error) { return action == "graduate", nil },
		act: func(ctx context.Context, a ReviewArgs) (Reviewed, error) {
			done, err := w.Facts.Graduate(ctx, w.Learnings, fact.Graduation{IDs: a.IDs, Level: a.Level, Domain: a.Domain, Tool: a.Tool})
			var out Reviewed
			for _, g := range done {
				out.Items = append(out.Items, ReviewedItem{
					ID: g.Learning.ID, Kind: "learning", From: g.Learning.Effective(), To: g.Fact.ID, File: g.Fact.File, Etag: g.Fact.Etag,
				})
				out.text += fmt.Sprintf("%s: graduated to %s", g.Learning.ID, g.Fact.Text())
			}
			return out, err
		},
	}
}

// candidateKind is the kind of a list of all candidates.
const candidateKind = "candidate"

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

// candidateReviewer approves and rejects candidates.
func (w *App) candidateReviewer() reviewer {
	by := func(a ReviewArgs) candidate.By { return candidate.By{Tool: a.Tool} }
	moves := func(list []candidate.Moved, err error) (Reviewed, error) {
		return Reviewed{Items: movedItems(list), text: cmp.Or(candidate.MovedText(list), "nothing to do\n")}, err
	}
	return reviewer{
		kind: candidateKind, actions: candidate.Actions,
		owns: func(ctx context.Context, action, id string) (bool, error) {
			return w.Inbox.Takes(ctx, action, []string{id})
		},
		act: func(ctx context.Context, a ReviewArgs) (Reviewed, error) {
			return moves(w.Inbox.Review(ctx, a.step()))
		},
		// apply has no ids: it writes the candidates that people approved in the files. approve without ids
		// may mean all pending ones.
		whole: func(ctx context.Context, a ReviewArgs) (Reviewed, bool, error) {
			switch {
			case a.Action == "apply" && a.Target == "":
				done, err := w.Inbox.Apply(ctx, by(a))
				return Reviewed{Items: slices.Concat(candidateItems(done.Approved), candidateItems(done.Candidates)), text: done.Text()}, true, err
			case a.Action == "approve" && a.All:
				out, err := moves(w.Inbox.ApproveAll(ctx, a.Least, by(a)))
				return out, true, err
			}
			return Reviewed{}, false, nil
		},
		list: func(ctx context.Context, a ReviewArgs) (Reviewed, error) {
			list, next, total, err := w.Inbox.List(ctx, candidate.Filter{
				Kind: a.Of, Status: a.Status, Domain: a.Domain, MinConfidence: a.Least, Limit: a.Limit, Cursor: a.Cursor,
			})
			text := fmt.Sprintf("%d found, %d shown\n%s", total, len(list), candidate.Text(list))
			if next != "" {
				text += "next page: cursor " + next + "\n"
			}
			return NewReviewed(candidateItems(list), nil, next, text), err
		},
	}
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
