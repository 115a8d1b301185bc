package history

import (
	"cmp"
	"context"
	"slices"

	"sdd/internal/record"
	"sdd/internal/store"
)

// Said is a statement of a record, and the commit that wrote it.
type Said struct {
	Line int    `json:"line"`
	Text string `json:"text"`
	Origin
}

// Statement is a line of a record; 0 is its main statement.
type Statement struct {
	Path string // of the record, relative to .sdd
	Line int
}

// SaidIn returns the statements with the commits that wrote them. An Origin is empty for a text that is not committed, and without git.
func SaidIn(ctx context.Context, st *store.Store, statements []Statement) ([]Said, error) {
	out := make([]Said, len(statements))
	read := func(h *history) {
		for i, s := range statements {
			v := h.onDisk(s.Path)
			if v == nil || v.err != nil {
				continue
			}
			at := v.statement(s.Line)
			out[i] = Said{Line: at.line, Text: record.OneLine(at.text)}
			if h.repo != nil {
				out[i].Origin = authorsOf(h.traceFrom(Subject{ID: v.rec.ID, Path: s.Path})).why(at).Origin
			}
		}
	}
	inGit := false
	err := inHistory(ctx, st, func(h *history) {
		inGit = true
		read(h)
	})
	if !inGit {
		read(&history{st: st})
		err = nil
	}
	return out, err
}

// statement returns the item with the line; for 0 the main one: the first item, of a decision the outcome, of an exploration its title.
func (v *version) statement(line int) block {
	items := blocksOf(v)
	in := func(section string) int {
		return slices.IndexFunc(items, func(b block) bool { return sectionNamed(v.path, section).is(b.section) })
	}
	at := -1
	kind := cmp.Or(v.rec.Of, v.rec.Kind)
	switch {
	case line > 0:
		at = slices.IndexFunc(items, func(b block) bool { return b.line <= line && line <= b.last })
	case kind == record.Decision:
		at = in("Decision Outcome")
	case kind != record.Exploration && len(items) > 0:
		at = 0
	}
	if at >= 0 {
		return items[at]
	}
	title := v.keyLine("title")
	return block{line: title, last: title, text: v.rec.Title, rows: []string{v.rec.Title}}
}
