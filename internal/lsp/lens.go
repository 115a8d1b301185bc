package lsp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sdd/internal/app"
	"sdd/internal/record"
)

// Commands of a lens. A client that can show places registers showRecords, and sets it in its initializationOptions; for others the
// server lists the records in a message. Both have the arguments uri, position, locations, text.
const (
	showRecords = "sdd.showRecords"
	listRecords = "sdd.listRecords"
)

const mostShown = 100 // records of a lens

type lens struct {
	Range   span    `json:"range"`
	Command command `json:"command"`
}

type command struct {
	Title     string `json:"title"`
	Command   string `json:"command"`
	Arguments []any  `json:"arguments,omitempty"`
}

// lenses counts the records above each function and type that they concern.
func (j job) lenses(p place, _ params) ([]lens, error) {
	if p.record != "" {
		return nil, nil
	}
	all := []lens{}
	for _, c := range j.concerning(p.document) {
		at := p.whole(c.line)
		name := listRecords
		if j.client.showRecords {
			name = showRecords
		}
		var text []string
		for _, a := range c.records[:min(len(c.records), mostShown)] {
			text = append(text, a.ID+": "+record.OneLine(a.Title))
		}
		all = append(all, lens{at, command{
			Title: counted(c.records), Command: name,
			Arguments: []any{p.uri, at.Start, j.anchorPlaces(c.records[:min(len(c.records), mostShown)]), strings.Join(text, "\n")},
		}})
	}
	return all, nil
}

// counted counts records by kind, those with a problem apart: "2 decisions, 1 drifted fact".
func counted(all []app.Anchored) string {
	var kinds []string
	numbers := map[string]int{}
	for _, a := range all {
		kind := a.Type
		if kind == string(record.Exploration) {
			kind = "exploration"
		}
		if a.Verdict.Alarm() {
			kind = string(a.State) + " " + kind
		}
		if numbers[kind]++; numbers[kind] == 1 {
			kinds = append(kinds, kind)
		}
	}
	slices.SortStableFunc(kinds, func(a, b string) int { return numbers[b] - numbers[a] })
	for i, kind := range kinds {
		if n := numbers[kind]; n == 1 {
			kinds[i] = "1 " + kind
		} else {
			kinds[i] = fmt.Sprintf("%d %ss", n, kind)
		}
	}
	return strings.Join(kinds, ", ")
}

// execute runs a command of the server: it lists the records of a lens in a message.
func (j job) execute(q params) (any, error) {
	var text string
	if q.Command != listRecords || len(q.Arguments) != 4 || json.Unmarshal(q.Arguments[3], &text) != nil {
		return nil, failed(codeInvalidParams, "the command is %s, with the arguments of a lens", listRecords)
	}
	const info = 3
	j.out.notify("window/showMessage", map[string]any{"type": info, "message": text})
	return nil, nil
}
