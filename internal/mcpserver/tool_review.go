package mcpserver

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/learning"
	"sdd/internal/markdown"
	"sdd/internal/store"
	schemas "sdd/schema"
)

// reviewArgs are the arguments of sdd_review.
type reviewArgs struct {
	Action  string   `json:"action"`
	IDs     []string `json:"ids"`
	Kind    string   `json:"kind"`
	Status  string   `json:"status"`
	Content string   `json:"content"`
	Reason  string   `json:"reason"`
	Target  string   `json:"target"`
	Limit   int      `json:"limit"`
	Cursor  string   `json:"cursor"`
}

// reviewed is the result of sdd_review.
type reviewed struct {
	Items      []reviewedItem   `json:"items"`
	Graduates  []string         `json:"graduates,omitempty"`
	Events     []learning.Event `json:"events"`
	NextCursor string           `json:"next_cursor"`
}

type reviewedItem struct {
	learning.Moved
	Content string `json:"content,omitempty"`
	candidateItem
}

// pageDefault is how many items a page has when the caller names no limit.
const pageDefault = 20

func (c core) reviewTool() Tool {
	return Tool{
		Name:        "sdd_review",
		Title:       "Review learnings and candidates",
		Description: "List learnings and move them through their life; approve or reject candidates. Nothing is lost: deleted learnings stay in their files, marked.",
		Toolset:     "learn",
		Writes:      true,
		Input:       schemas.Input("sdd_review"),
		Output:      schemas.Listed("sdd_review"),
		Call: Handler(func(ctx context.Context, call *Call, in reviewArgs) (Result, error) {
			if in.Limit == 0 {
				in.Limit = pageDefault
			}
			if res, mine, err := c.reviewCandidates(ctx, call, in); mine || err != nil {
				return res, err
			}
			switch in.Action {
			case "list":
				if in.Kind != "" && in.Kind != "learning" {
					return Result{}, fault.New(fault.Invalid, "kind %q cannot be listed here", cut(in.Kind, 64)).For("kind").With("allowed: learning, candidate")
				}
				return c.listLearnings(ctx, in)
			case "events":
				return c.listEvents(ctx, in)
			}
			if len(in.IDs) == 0 {
				return Result{}, fault.New(fault.Invalid, "ids is required").For("ids").With("give the ids that action list or sdd_search names")
			}
			done, err := c.learned.Review(ctx, learning.Action{
				Action: in.Action, IDs: in.IDs, Content: in.Content, Reason: in.Reason, Target: in.Target, Tool: call.Client.tool("sdd_review"),
			})
			if err != nil {
				if len(done.Items) > 0 {
					f := *fault.Of(err)
					f.Hint = strings.TrimSpace(fmt.Sprintf("%d of %d ids are done already. %s", len(done.Items), len(in.IDs), f.Hint))
					return Result{}, &f
				}
				return Result{}, err
			}
			c.views()
			out := reviewed{Items: []reviewedItem{}, Events: []learning.Event{}}
			for _, m := range done.Items {
				out.Items = append(out.Items, reviewedItem{Moved: m})
			}
			for _, g := range done.Graduates {
				out.Graduates = append(out.Graduates, g.ID)
				if i := slices.IndexFunc(out.Items, func(r reviewedItem) bool { return r.ID == g.ID }); i >= 0 {
					out.Items[i].Content = g.Content
				}
			}
			return Result{Structured: out, Text: done.Text()}, nil
		}),
	}
}

func (c core) listLearnings(ctx context.Context, in reviewArgs) (Result, error) {
	ideas, next, total, err := c.learned.List(ctx, learning.Filter{Color: "yellow", Status: in.Status, Limit: in.Limit, Cursor: in.Cursor})
	if err != nil {
		return Result{}, err
	}
	out := reviewed{Items: []reviewedItem{}, Events: []learning.Event{}, NextCursor: next}
	var lines strings.Builder
	for _, i := range ideas {
		out.Items = append(out.Items, reviewedItem{
			Moved:   learning.Moved{ID: i.ID, Kind: "learning", From: i.Status, To: i.Effective(), File: i.File, Etag: i.Etag},
			Content: i.Content,
		})
		fmt.Fprintf(&lines, "- [%s] %s: %s\n", i.ID, i.Effective(), strings.Join(strings.Fields(i.Content), " "))
	}
	text := fmt.Sprintf("%d found, %d shown\n", total, len(ideas))
	if len(ideas) > 0 {
		text += markdown.Quote(lines.String(), store.Folder+"/ideas", 0)
	}
	if next != "" {
		text += "next page: cursor " + next + "\n"
	}
	return Result{Structured: out, Text: text}, nil
}

func (c core) listEvents(ctx context.Context, in reviewArgs) (Result, error) {
	events, next, err := c.learned.Events(ctx, in.Cursor, in.Limit)
	if err != nil {
		return Result{}, err
	}
	if events == nil {
		events = []learning.Event{}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d events, later ones: cursor %s\n", len(events), next)
	for _, e := range events {
		fmt.Fprintf(&b, "%s %s %s\n", e.Time.UTC().Format("2006-01-02T15:04:05Z"), e.Event, e.Idea)
	}
	return Result{Structured: reviewed{Items: []reviewedItem{}, Events: events, NextCursor: next}, Text: b.String()}, nil
}
