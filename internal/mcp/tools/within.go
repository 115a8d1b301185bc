package tools

import (
	"fmt"
	"slices"
	"strings"

	"sdd/internal/app"
	"sdd/internal/decision"
	"sdd/internal/fault"
	"sdd/internal/learning"
	"sdd/internal/mcp/catalog"
	"sdd/internal/record"
	"sdd/internal/tokens"
)

// An answer without its own budget stays within catalog.MaxTokens, counts what it leaves out and names where to read it.

// mostShown is an upper limit for the things in an answer: each takes at least eight tokens.
const mostShown = catalog.MaxTokens / 8

// mostWarnings is the limit of warnings and suggestions in a shortened answer.
const mostWarnings = 20

// learned returns the part of an answer that fits.
func learned(out learning.Learned) learning.Learned {
	fits := func(l learning.Learned) bool { return tokens.WithinBoth(l.Text(), l, catalog.MaxTokens) }
	if len(out.Results)+len(out.Warnings) <= mostShown && fits(out) {
		return out
	}
	all, warned := out.Results, len(out.Warnings)
	for i := range min(len(all), mostShown) {
		all[i].Similar, all[i].Superseded = slices.Clone(all[i].Similar), slices.Clone(all[i].Superseded)
		for j := range all[i].Similar {
			all[i].Similar[j].Content = record.Brief(all[i].Similar[j].Content)
		}
		for j := range all[i].Superseded {
			all[i].Superseded[j].Content = record.Brief(all[i].Superseded[j].Content)
		}
	}
	warnings := out.Warnings[:min(warned, mostWarnings)]
	short := func(n int) learning.Learned {
		short := learning.Learned{Results: all[:n], Warnings: slices.Clone(warnings)}
		if n < len(all) || len(warnings) < warned {
			short.Warnings = append(short.Warnings, learning.Warning{Code: "omitted",
				Text: fmt.Sprintf("%d of %d learnings and %d of %d warnings are named here; all are kept: sdd_review with action list shows them",
					n, len(all), len(warnings), warned)})
		}
		return short
	}
	return short(tokens.Room(min(len(all), mostShown), func(n int) bool { return fits(short(n)) }))
}

// recorded returns the part of an answer that fits.
func recorded(out decision.Recorded) decision.Recorded {
	fits := func(r decision.Recorded) bool { return tokens.WithinBoth(r.Text(), r, catalog.MaxTokens) }
	if len(out.Results)+len(out.Warnings)+len(out.Suggestions) <= mostShown && fits(out) {
		return out
	}
	all, warned, hints := out.Results, len(out.Warnings), len(out.Suggestions)
	for i := range all {
		all[i].Decision = record.Brief(all[i].Decision)
	}
	warnings, suggestions := out.Warnings[:min(warned, mostWarnings)], out.Suggestions[:min(hints, mostWarnings)]
	short := func(n int) decision.Recorded {
		short := decision.Recorded{Results: all[:n], Suggestions: suggestions, Warnings: slices.Clone(warnings)}
		if n < len(all) || len(warnings) < warned || len(suggestions) < hints {
			short.Warnings = append(short.Warnings, decision.Warning{Code: "omitted",
				Text: fmt.Sprintf("%d of %d decisions, %d of %d suggestions and %d of %d warnings are named here; "+
					"sdd_search with type decision, or candidate, shows them",
					n, len(all), len(suggestions), hints, len(warnings), warned)})
		}
		return short
	}
	return short(tokens.Room(min(len(all), mostShown), func(n int) bool { return fits(short(n)) }))
}

// moves returns the part of p that fits, with a text that names the rest, or p itself if all of it fits.
func moves(p app.Reviewed) app.Reviewed {
	if len(p.Items) <= mostShown && p.Within(catalog.MaxTokens) {
		return p
	}
	all := slices.Clone(p.Items)
	var lines []string
	for i := range all {
		all[i].Content, all[i].Evidence = "", nil
		lines = append(lines, fmt.Sprintf("%s: %s, was %s (%s)\n", all[i].ID, all[i].To, all[i].From, all[i].File))
	}
	short := func(n int) app.Reviewed {
		text := strings.Join(lines[:n], "") + fmt.Sprintf("%d of %d are named here, it is done to all: action list shows them\n", n, len(all))
		out := app.NewReviewed(all[:n], nil, "", text)
		out.Graduates = p.Graduates[:min(n, len(p.Graduates))]
		return out
	}
	return short(tokens.Room(min(len(all), mostShown), func(n int) bool { return short(n).Within(catalog.MaxTokens) }))
}

// happened returns a page of events that fits, and the cursor of the next page.
func happened(events []learning.Event, next string) app.Reviewed {
	page := func(n int) app.Reviewed {
		cursor := next
		if n < len(events) {
			cursor = events[n-1].ID
		}
		text := fmt.Sprintf("%s, later ones: cursor %s\n", fault.Count(n, "event", "events"), cursor)
		for _, e := range events[:n] {
			text += fmt.Sprintf("%s %s %s\n", e.Time.UTC().Format("2006-01-02T15:04:05Z"), e.Event, e.Idea)
		}
		return app.NewReviewed(nil, events[:n], cursor, text)
	}
	if len(events) == 0 {
		return page(0)
	}
	n := tokens.Room(len(events), func(n int) bool { return page(n).Within(catalog.MaxTokens) })
	if n == 0 { // the first event alone is too long
		n = 1
		events = slices.Clone(events)
		short := map[string]string{}
		for key, value := range events[0].Detail {
			short[key] = record.Brief(value)
		}
		events[0].Detail = short
	}
	return page(n)
}
