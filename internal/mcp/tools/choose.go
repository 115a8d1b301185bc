package tools

import (
	"context"
	"fmt"

	"sdd/internal/candidate"
	"sdd/internal/explore"
	"sdd/internal/fault"
	"sdd/internal/mcp/catalog"
	"sdd/internal/record"
)

// Where only the user can choose, the tool asks the user through the client; for a client that cannot ask, it goes on or refuses.

const mostChoices = 10

// asNew is the choice to create a separate exploration despite others with a similar title.
const asNew = "new"

// whichExploration asks whether to add to an exploration with a similar title, which replaces nothing. Without an answer it is a new one.
func (c core) whichExploration(ctx context.Context, call *catalog.Call, in explore.Input) explore.Input {
	if !catalog.CanAsk(ctx) {
		return in
	}
	near := fault.Must(explore.Near(ctx, c.Store, c.Index, in))
	if len(near) == 0 {
		return in
	}
	choices := []string{asNew}
	message := fmt.Sprintf(
		"%q is nearly the title of what is explored already. Save it as a new exploration, or add it to one of these?", record.Brief(in.Title),
	)
	for _, s := range near {
		choices = append(choices, s.ID)
		message += fmt.Sprintf("\n- %s: %s", s.ID, record.Brief(s.Title))
	}
	answer := fault.Must(call.Ask(ctx, "exploration", message, map[string]any{
		"type":       "object", // nothing is required: a user who accepts without a choice saves a new one
		"properties": map[string]any{"exploration": map[string]any{"type": "string", "title": "Exploration", "enum": choices, "default": asNew}},
	}))
	for _, s := range near {
		if chosen, _ := answer.Content["exploration"].(string); answer.Accepted() && chosen == s.ID {
			in.Title, in.Append = s.Title, true
		}
	}
	return in
}

// whichCandidates asks the user which open candidates to approve. chosen is false when it did not ask.
func (c core) whichCandidates(ctx context.Context, call *catalog.Call) (ids []string, chosen bool) {
	if !catalog.CanAsk(ctx) {
		return nil, false
	}
	waiting, _, _, err := c.Inbox.List(ctx, candidate.Filter{Limit: mostChoices})
	if fault.Check(err); len(waiting) == 0 {
		return nil, false
	}
	properties := map[string]any{}
	for _, w := range waiting {
		properties[w.ID] = map[string]any{"type": "boolean", "title": record.Brief(w.Content), "description": w.Kind, "default": false}
	}
	answer := fault.Must(call.Ask(ctx, "approve", "Which of these were found out and hold?",
		map[string]any{"type": "object", "properties": properties}))
	for _, w := range waiting {
		if yes, _ := answer.Content[w.ID].(bool); yes && answer.Accepted() {
			ids = append(ids, w.ID)
		}
	}
	return ids, true
}
