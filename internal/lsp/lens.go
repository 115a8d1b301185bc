package lsp

import (
	"cmp"
	"encoding/json"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"sdd/internal/anchor"
	"sdd/internal/app"
	"sdd/internal/fault"
	"sdd/internal/record"
	"sdd/internal/symbol"
)

// Commands of a lens: showRecords for a client that announces it, else listRecords. Both have the arguments uri, position, locations, text.
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

func (j job) lenses(p place, _ params) []lens {
	if p.record != "" {
		return nil
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
	return all
}

// counted counts records by kind, those with a problem apart: "2 decisions, 1 drifted fact".
func counted(all []app.Anchored) string {
	var kinds []string
	numbers := map[string]int{}
	for _, a := range all {
		kind := record.Noun(a.Type)
		if a.Verdict.Alarm() {
			kind = string(a.State) + " " + kind
		}
		if numbers[kind]++; numbers[kind] == 1 {
			kinds = append(kinds, kind)
		}
	}
	slices.SortStableFunc(kinds, func(a, b string) int { return numbers[b] - numbers[a] })
	for i, kind := range kinds {
		kinds[i] = fault.Count(numbers[kind], kind, kind+"s")
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

type concern struct {
	line    int // from 0
	name    string
	records []app.Anchored
}

// concerning lists the records of a file of code by the line of what they concern, in the open text; the first for the whole file.
func (j job) concerning(d *document) []concern {
	var all []app.Anchored
	paths := []string{d.path}
	if rel, ok := within(j.top, filepath.Join(j.root, filepath.FromSlash(d.path))); ok && rel != d.path {
		paths = append(paths, rel)
	}
	for _, p := range paths {
		if found, err := j.app.Concerning(j, anchor.Ref{Path: p}); err == nil {
			all = append(all, found...)
		}
	}
	if len(all) == 0 {
		return nil
	}
	now := symbol.Parse(path.Base(d.path), d.src)
	var list []concern
	for _, a := range all {
		line, name := 0, ""
		if s, ok := j.symbolOf(a, now); ok {
			line, name = s.First-1, s.Name
		} else if a.Lines[0] > 0 && (a.Verdict.First > 0 || a.Verdict.Symbol != "") {
			line = min(a.Lines[0]-1, len(d.lines)-1)
		}
		i := slices.IndexFunc(list, func(c concern) bool { return c.line == line })
		if i < 0 {
			i = len(list)
			list = append(list, concern{line: line, name: name})
		}
		if !slices.ContainsFunc(list[i].records, func(b app.Anchored) bool { return b.ID == a.ID }) {
			list[i].records = append(list[i].records, a)
		}
	}
	slices.SortFunc(list, func(a, b concern) int { return a.line - b.line })
	return list
}

// symbolOf returns the symbol of the open text that an anchor concerns; lines count as on disk.
func (j job) symbolOf(a app.Anchored, now *symbol.File) (symbol.Symbol, bool) {
	name := cmp.Or(a.Verdict.Now.Symbol, a.Verdict.Symbol)
	if name == "" && a.Verdict.First > 0 && a.Lines[0] > 0 {
		if f, err := j.app.Tree.File(a.Verdict.Now.Path); err == nil {
			if s, ok := f.At(a.Lines[0]); ok {
				name = s.Name
			}
		}
	}
	if name == "" {
		return symbol.Symbol{}, false
	}
	found := now.Find(strings.TrimSpace(name))
	if len(found) == 0 {
		return symbol.Symbol{}, false
	}
	return found[0], true
}
