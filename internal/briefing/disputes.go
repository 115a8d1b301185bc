package briefing

import (
	"context"

	"sdd/internal/record"
)

// How many facts and learnings of an answer are compared with those that are near them: of what answers, and of the learnings
// that nobody asked for.
const (
	comparedFound  = 10
	comparedOthers = 5
)

// disputes adds to the first facts and learnings a line for each that may not be true beside them, with both ids: whoever is
// told one side has to know that there is another. A pair is told once.
func (g *gathering) disputes(ctx context.Context, found, important []*piece) error {
	told, done := map[[2]string]bool{}, map[*piece]bool{}
	against := func(p *piece, id, content string) {
		if !told[[2]string{id, p.id}] {
			told[[2]string{p.id, id}] = true
			line := "  - [" + p.id + "] may not be true beside [" + id + "]: " + clipped(record.Inline(content), shortClip) + "\n"
			p.text += line
			if p.short != "" {
				p.short += line
			}
		}
	}
	compare := func(pieces []*piece, most int) error {
		for _, p := range pieces {
			f, i := g.facts[p.id], g.learned[p]
			if most == 0 || done[p] || (f == nil || f.File == "") && i == nil {
				continue
			}
			done[p] = true
			most--
			if i != nil {
				others, err := g.b.Learnings.Against(ctx, i)
				if err != nil {
					return err
				}
				for _, o := range others {
					against(p, o.ID, o.Content)
				}
				continue
			}
			others, err := g.b.Facts.Against(ctx, f)
			if err != nil {
				return err
			}
			for _, o := range others {
				against(p, o.ID, o.Content)
			}
		}
		return nil
	}
	if err := compare(found, comparedFound); err != nil {
		return err
	}
	return compare(important, comparedOthers)
}
