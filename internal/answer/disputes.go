package answer

import (
	"context"

	"sdd/internal/decision"
	"sdd/internal/fact"
	"sdd/internal/index"
	"sdd/internal/learning/classify"
	"sdd/internal/record"
)

// comparedAmong facts, and learnings, are compared with each other, only the first with all: that is a tenth of an answer's time.
const comparedAmong = 40

// opposed is a line about the first decision among the later results that may contradict one in force, "" for none.
func (g *gathering) opposed(d *decision.Decision, later []index.RankedItem) string {
	for n := range later {
		o := g.decisions[later[n].File]
		if o != nil && d.Effective() == "accepted" && o.Effective() == "accepted" && classify.Disputed(d.Title, o.Title) {
			return besides(d.ID, o.ID, o.Title)
		}
	}
	return ""
}

// besides is the line that one record may contradict another.
func besides(id, other, content string) string {
	return "  - [" + id + "] may not be true beside [" + other + "]: " + clipped(record.Inline(content), shortClip) + "\n"
}

// disputes adds a line to the first facts and learnings that may contradict another record: the reader of one must know both.
func (g *gathering) disputes(ctx context.Context, found, important []*piece) error {
	compared, done := map[record.Kind][]*piece{}, map[*piece]bool{}
	for _, p := range append(append([]*piece{}, found...), important...) {
		kind := record.Idea
		if f := g.facts[p.id]; f != nil && f.File != "" {
			kind = record.Fact
		} else if g.learned[p] == nil {
			continue
		}
		if !done[p] && len(compared[kind]) < comparedAmong {
			done[p] = true
			compared[kind] = append(compared[kind], p)
		}
	}
	listed := map[[2]string]bool{}
	against := func(p *piece, id, content string) {
		if listed[[2]string{p.id, id}] || listed[[2]string{id, p.id}] {
			return
		}
		listed[[2]string{p.id, id}] = true
		line := besides(p.id, id, content)
		p.text += line
		if p.short != "" {
			p.short += line
		}
	}
	for kind, pieces := range compared {
		text := func(p *piece) string {
			if kind == record.Idea {
				return g.learned[p].Content
			}
			return g.facts[p.id].Content
		}
		for _, pair := range classify.Among(pieces, text, nil) {
			a, b := pair.Older, pair.Newer
			if kind == record.Idea || fact.OneSubject(g.facts[a.id], g.facts[b.id]) {
				against(a, b.id, text(b))
			}
		}
		first := pieces[0]
		if kind == record.Idea {
			others, err := g.b.Learnings.Against(ctx, g.learned[first])
			if err != nil {
				return err
			}
			for _, o := range others {
				against(first, o.ID, o.Content)
			}
			continue
		}
		others, err := g.b.Facts.Against(ctx, g.facts[first.id])
		if err != nil {
			return err
		}
		for _, o := range others {
			against(first, o.ID, o.Content)
		}
	}
	return nil
}
