package lsp

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"sdd/internal/anchor"
	"sdd/internal/app"
	"sdd/internal/symbol"
)

// concern is a line of code with the records that concern what begins there.
type concern struct {
	line    int // from 0
	name    string
	records []app.Anchored
}

// concerning lists the records of a file of code by the line of the function or type that they concern, in the open text; records
// about the whole file are at its first line.
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

// symbolOf returns the symbol of the open text that an anchor concerns. Lines of the file on disk are those of the symbol that has
// them there.
func (j job) symbolOf(a app.Anchored, now *symbol.File) (symbol.Symbol, bool) {
	name := a.Verdict.Now.Symbol
	if name == "" {
		name = a.Verdict.Symbol
	}
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
