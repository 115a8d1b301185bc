package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sdd/internal/app"
	"sdd/internal/candidate"
	"sdd/internal/fact"
	"sdd/internal/fault"
	"sdd/internal/learning"
	"sdd/internal/markdown"
	"sdd/internal/record"
	"sdd/internal/store"
	"sdd/internal/tokens"
)

// sdd_review and `sdd review` move records of several kinds through their life. Each kind has a Reviewer; which one a call
// concerns is decided here and nowhere else, so that a new kind is a new entry of Reviewers.

// ReviewArgs are the arguments of sdd_review. What has no name in JSON comes from the command line only.
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

	Of        string  `json:"-"` // of a list of candidates: what they become
	By        string  `json:"-"` // of resurrect: who
	IfMatch   string  `json:"-"` // of edit: the etag of the file that was edited
	RefreshOn string  `json:"-"` // of refresh
	OnExpire  string  `json:"-"` // of refresh
	Purge     bool    `json:"-"` // of delete: the file of a fact goes
	Level     *int    `json:"-"` // of graduate
	Domain    string  `json:"-"` // of graduate, and of a list of candidates
	All       bool    `json:"-"` // of approve: all that are pending
	Least     float64 `json:"-"` // of those, and of a list of candidates: the least confidence, 0 to 1
	Tool      string  `json:"-"` // who asks
	MaxTokens int     `json:"-"` // of a list: what the page may take, 0 for any
}

// Reviewed is the result of sdd_review.
type Reviewed struct {
	Items      []ReviewedItem   `json:"items"`
	Graduates  []string         `json:"graduates,omitempty"`
	Events     []learning.Event `json:"events"`
	NextCursor string           `json:"next_cursor"`
}

// ReviewedItem is one record that was moved or listed.
type ReviewedItem struct {
	ID      string `json:"id"`
	Kind    string `json:"kind"` // learning, idea, fact, candidate
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

// moved is an item of which the answer names only the move.
func moved(id, kind, from, to, file, etag string) ReviewedItem {
	return ReviewedItem{ID: id, Kind: kind, From: from, To: to, File: file, Etag: etag}
}

// Reviewer reviews the records of one kind.
type Reviewer struct {
	Kind    string   // what the argument kind calls them
	Actions []string // that it does
	// Owns reports whether it handles an action on an id.
	Owns func(ctx context.Context, action, id string) (bool, error)
	// Whole does an action that names no ids, and returns handled false for an action that is not its own; it may be nil.
	Whole func(ctx context.Context, a ReviewArgs) (done Reviewed, text string, handled bool, err error)
	// Act does the action to a.IDs, all its own; what is returned with an error is done.
	Act func(ctx context.Context, a ReviewArgs) (done Reviewed, text string, err error)
	// List lists a page of them; nil where there is nothing to list.
	List func(ctx context.Context, a ReviewArgs) (page Reviewed, text string, err error)
}

// The first reviewer that owns an id handles it; the last takes what no other owns.
func Reviewers(w *app.App) []Reviewer {
	return []Reviewer{graduations(w.Learnings, w.Facts), candidateReviewer(w.Inbox), factReviewer(w.Facts), learningReviewer(w.Learnings)}
}

// pageDefault is how many items a page has when the caller names no limit.
const pageDefault = 20

// Review lists records, or does an action to each of the ids in their order. It stops at the first that fails: what is
// returned with an error is done.
func Review(ctx context.Context, all []Reviewer, a ReviewArgs) (Reviewed, string, error) {
	out := Reviewed{Items: []ReviewedItem{}, Events: []learning.Event{}}
	a.Action = strings.ToLower(strings.TrimSpace(a.Action))
	if a.Action == "list" {
		return list(ctx, all, a)
	}
	if a.Kind != "" {
		if _, err := ofKind(all, a.Kind); err != nil {
			return out, "", err
		}
	}
	if !slices.ContainsFunc(all, func(r Reviewer) bool { return slices.Contains(r.Actions, a.Action) }) {
		return out, "", fault.New(fault.Invalid, "action %q is unknown", record.Brief(a.Action)).For("action").With("allowed: list, " + strings.Join(reviewActions(all), ", "))
	}
	if len(a.IDs) == 0 {
		for _, r := range all {
			if r.Whole == nil {
				continue
			}
			if done, said, handled, err := r.Whole(ctx, a); handled || err != nil {
				out.Items = append(out.Items, done.Items...)
				return out, said, err
			}
		}
		return out, "", fault.New(fault.Invalid, "ids is required").For("ids").With("give the ids that action list or sdd_search names")
	}
	var text strings.Builder
	owners := make([]int, len(a.IDs))
	for n, id := range a.IDs {
		owner, err := ownerOf(ctx, all, a.Action, id)
		if err != nil {
			return out, "", err
		}
		owners[n] = owner
	}
	for ids := a.IDs; len(ids) > 0; {
		at := len(a.IDs) - len(ids)
		owner, n := owners[at], 1
		for n < len(ids) && owners[at+n] == owner {
			n++
		}
		some := a
		some.IDs = ids[:n]
		done, said, err := all[owner].Act(ctx, some)
		out.Items, out.Graduates = append(out.Items, done.Items...), append(out.Graduates, done.Graduates...)
		text.WriteString(said)
		if err != nil {
			return out, text.String(), err
		}
		ids = ids[n:]
	}
	return out, text.String(), nil
}

// ownerOf returns whose business an action on an id is.
func ownerOf(ctx context.Context, all []Reviewer, action, id string) (int, error) {
	for n, r := range all {
		if handled, err := r.Owns(ctx, action, id); handled || err != nil {
			return n, err
		}
	}
	return len(all) - 1, nil
}

// reviewActions lists what the reviewers do, each once.
func reviewActions(all []Reviewer) (actions []string) {
	for _, r := range all {
		for _, a := range r.Actions {
			if !slices.Contains(actions, a) {
				actions = append(actions, a)
			}
		}
	}
	slices.Sort(actions)
	return actions
}

// list lists the records of a kind, learnings when none is named.
func list(ctx context.Context, all []Reviewer, a ReviewArgs) (Reviewed, string, error) {
	if a.Limit == 0 {
		a.Limit = pageDefault
	}
	r := all[len(all)-1]
	if waits(a.Kind, a.Status) {
		a.Kind, a.Of = candidateKind, a.Kind
	}
	if a.Kind != "" {
		var err error
		if r, err = ofKind(all, a.Kind); err != nil {
			return Reviewed{}, "", err
		}
	}
	page, text, err := r.List(ctx, a)
	for err == nil && a.MaxTokens > 0 && len(page.Items) > 0 && !page.within(a.MaxTokens, text) {
		if len(page.Items) == 1 {
			page, text = page.short(a.MaxTokens)
			return page, text, nil
		}
		a.Limit = len(page.Items) / 2 // its cursor leads to the rest
		page, text, err = r.List(ctx, a)
	}
	return page, text, err
}

// within reports whether both forms of a page stay within the budget.
func (p Reviewed) within(budget int, text string) bool {
	data, err := json.Marshal(p)
	return err == nil && tokens.Within(string(data), budget) && tokens.Within(text, budget)
}

// short returns a page of one item that is too long, cut to the budget.
func (p Reviewed) short(budget int) (Reviewed, string) {
	one := p.Items[0]
	one.Evidence = nil
	for n := budget - 300; ; n /= 2 { // what stands around it, and JSON escapes some characters
		one.Content = tokens.Prefix(p.Items[0].Content, n) + "…"
		out := Reviewed{Items: []ReviewedItem{one}, Events: p.Events, NextCursor: p.NextCursor}
		text := markdown.Quote(fmt.Sprintf("- [%s] %s: %s\n", one.ID, one.To, strings.Join(strings.Fields(one.Content), " ")), one.File, 0) +
			"it is longer: sdd_get reads all of it\n"
		if p.NextCursor != "" {
			text += "next page: cursor " + p.NextCursor + "\n"
		}
		if out.within(budget, text) || n == 0 {
			return out, text
		}
	}
}

// ofKind returns the reviewer of a kind that can be listed.
func ofKind(all []Reviewer, kind string) (Reviewer, error) {
	var kinds []string
	for _, r := range all {
		switch {
		case r.List == nil:
		case strings.EqualFold(r.Kind, strings.TrimSpace(kind)):
			return r, nil
		default:
			kinds = append(kinds, r.Kind)
		}
	}
	return Reviewer{}, fault.New(fault.Invalid, "kind %q is unknown", record.Brief(kind)).For("kind").With("allowed: " + strings.Join(kinds, ", "))
}

// pageText renders a page as data: a line an item.
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

func learningReviewer(l *learning.Learnings) Reviewer {
	return Reviewer{
		Kind: "learning", Actions: learning.Actions, Owns: func(context.Context, string, string) (bool, error) { return true, nil },
		Act: func(ctx context.Context, a ReviewArgs) (Reviewed, string, error) {
			done, err := l.Review(ctx, learning.Action{
				Action: a.Action, IDs: a.IDs, Content: a.Content, Reason: a.Reason, Target: a.Target, By: a.By, IfMatch: a.IfMatch, Tool: a.Tool,
			})
			var out Reviewed
			for _, m := range done.Items {
				out.Items = append(out.Items, moved(m.ID, m.Kind, m.From, m.To, m.File, m.Etag))
			}
			for _, g := range done.Graduates {
				out.Graduates = append(out.Graduates, g.ID)
				if i := slices.IndexFunc(out.Items, func(r ReviewedItem) bool { return r.ID == g.ID }); i >= 0 {
					out.Items[i].Content = g.Content
				}
			}
			return out, done.Text(), err
		},
		List: func(ctx context.Context, a ReviewArgs) (Reviewed, string, error) {
			ideas, next, total, err := l.List(ctx, learning.Filter{Color: record.Learning, Status: a.Status, Limit: a.Limit, Cursor: a.Cursor})
			out := Reviewed{Items: []ReviewedItem{}, Events: []learning.Event{}, NextCursor: next}
			var lines strings.Builder
			for _, i := range ideas {
				out.Items = append(out.Items, ReviewedItem{ID: i.ID, Kind: "learning", From: i.Status, To: i.Effective(), File: i.File, Etag: i.Etag, Content: i.Content})
				fmt.Fprintf(&lines, "- [%s] %s: %s\n", i.ID, i.Effective(), strings.Join(strings.Fields(i.Content), " "))
			}
			return out, pageText(total, len(ideas), lines.String(), "ideas", next), err
		},
	}
}

func factReviewer(f *fact.Facts) Reviewer {
	return Reviewer{
		Kind: "fact", Actions: fact.Actions,
		Owns: func(_ context.Context, _, id string) (bool, error) {
			id = strings.ToLower(strings.TrimSpace(id))
			kind, isFile := record.KindOf(strings.TrimPrefix(id, store.Folder+"/"))
			return strings.HasPrefix(id, record.IDPrefix(record.Fact)+"-") || isFile && kind == record.Fact, nil
		},
		Act: func(ctx context.Context, a ReviewArgs) (Reviewed, string, error) {
			act := fact.Action{Action: a.Action, IDs: a.IDs, Content: a.Content, IfMatch: a.IfMatch, Purge: a.Purge, Tool: a.Tool}
			if t := (fact.TTL{Days: float64(a.TTLDays), RefreshOn: a.RefreshOn, OnExpire: a.OnExpire}); t != (fact.TTL{}) {
				if a.Action != "refresh" {
					return Reviewed{}, "", fault.New(fault.Invalid, "a ttl goes with refresh, not with %s", a.Action).For("ttl_days").With("refresh the fact with it")
				}
				act.TTL = &t
			}
			done, err := f.Review(ctx, act)
			var out Reviewed
			for _, m := range done.Items {
				out.Items = append(out.Items, moved(m.ID, m.Kind, m.From, m.To, m.File, m.Etag))
			}
			return out, done.Text(), err
		},
		List: func(ctx context.Context, a ReviewArgs) (Reviewed, string, error) {
			facts, next, total, err := f.List(ctx, fact.Filter{State: a.Status, Limit: a.Limit, Cursor: a.Cursor})
			out := Reviewed{Items: []ReviewedItem{}, Events: []learning.Event{}, NextCursor: next}
			var lines strings.Builder
			for _, one := range facts {
				out.Items = append(out.Items, ReviewedItem{ID: one.ID, Kind: "fact", From: one.Status, To: one.State, File: one.File, Etag: one.Etag, Content: one.Content})
				lines.WriteString(one.Line() + "\n")
			}
			return out, pageText(total, len(facts), lines.String(), "facts", next), err
		},
	}
}

// graduations makes facts of learnings.
func graduations(l *learning.Learnings, f *fact.Facts) Reviewer {
	return Reviewer{
		Kind: "learning", Actions: []string{"graduate"}, Owns: func(_ context.Context, action, _ string) (bool, error) { return action == "graduate", nil },
		Act: func(ctx context.Context, a ReviewArgs) (Reviewed, string, error) {
			done, err := f.Graduate(ctx, l, fact.Graduation{IDs: a.IDs, Level: a.Level, Domain: a.Domain, Tool: a.Tool})
			var out Reviewed
			var text strings.Builder
			for _, g := range done {
				out.Items = append(out.Items, moved(g.Learning.ID, "learning", g.Learning.Effective(), g.Fact.ID, g.Fact.File, g.Fact.Etag))
				fmt.Fprintf(&text, "%s: graduated to %s", g.Learning.ID, g.Fact.Text())
			}
			return out, text.String(), err
		},
	}
}
