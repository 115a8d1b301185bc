package learning

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"sdd/internal/fault"
	"sdd/internal/index"
	"sdd/internal/learning/classify"
	"sdd/internal/record"
	"sdd/internal/store"
)

// Two learnings of one subject share words, so those that the index ranks first for the words of a new one are
// all that is looked at: whether one says nearly the same, and which ones the new one takes back.

const (
	nearest     = 20 // learnings that are looked at
	mostSimilar = 3
	mostQueried = 2 << 10 // bytes of a content that are looked for
)

// fillers are words that nearly every learning has: they tell nothing of its subject, and looking for them is looking
// at everything.
var fillers = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(`a an the this that these those and or but not no is are was were be been being am do does did has have had
		which what who how where why about there here in on at of to for from by with as it its we you they our your their i if when then than so
		must should shall can could may might will would need needs all every each any only always never use used uses
		der die das den dem ein eine und oder nicht ist sind im in zu für mit von el la los las un una y o no es son en de para con que
		le les des du et ou ne pas est sont dans pour avec и или не в на с по для это`) {
		m[w] = true
	}
	return m
})

// telling returns a content without fillers; one that has nothing else comes back as it is.
func telling(content string) string {
	var words []string
	for w := range strings.FieldsSeq(content) {
		if bare := strings.ToLower(strings.Trim(w, ".,;:!?()\"'")); !fillers()[bare] {
			words = append(words, w)
		}
	}
	if len(words) == 0 {
		return content
	}
	return strings.Join(words, " ")
}

// near returns the learnings that share most with a content.
func (l *Learnings) near(ctx context.Context, content string) ([]*Idea, error) {
	page, err := l.ix.Query(ctx, index.Query{Text: telling(strings.ToValidUTF8(content[:min(len(content), mostQueried)], "")), Types: []record.Type{{Kind: record.Idea, Color: record.Learning}}, Limit: nearest, Bare: true})
	if err != nil {
		return nil, err
	}
	var out []*Idea
	for _, h := range page.Hits {
		if i := l.cache.known(h.Path, h.Etag); i != nil {
			out = append(out, i)
		} else if f, err := l.st.Read(h.Path); err == nil {
			out = append(out, parse(h.Path, f.Bytes))
		}
	}
	return out, nil
}

// Against returns the active learnings that i may not both be true with, by what the index finds near it.
func (l *Learnings) Against(ctx context.Context, i *Idea) ([]*Idea, error) {
	set, err := l.settings()
	if err != nil {
		return nil, err
	}
	near, err := l.near(ctx, i.Content)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(near, func(n *Idea) bool {
		return n.ID == i.ID || n.Effective() != active || !set.reaches(n, i) && !set.reaches(i, n) || !classify.Disputed(n.Content, i.Content)
	}), nil
}

// relate adds hints at near-duplicates, and the learnings that the new one may contradict; it changes none of them.
func (out *Stored) relate(content string, near []*Idea) {
	for _, n := range near {
		if n.ID == out.ID || n.Status == deleted {
			continue
		}
		if v := classify.Similarity(content, n.Content); v >= classify.NearDuplicate {
			out.Similar = append(out.Similar, Similar{n.ID, record.Head(n.Content), n.File, v})
		}
		if n.Status != active || out.Action == Joined || out.Action == Duplicate {
			continue
		}
		if c, ok := classify.Contradicts(n.Content, content); ok {
			out.Superseded = append(out.Superseded, evidence(n, c))
		}
	}
	slices.SortStableFunc(out.Similar, func(a, b Similar) int {
		return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), cmp.Compare(a.ID, b.ID))
	})
	out.Similar = out.Similar[:min(len(out.Similar), mostSimilar)]
	slices.SortFunc(out.Superseded, func(a, b Superseded) int { return cmp.Compare(a.ID, b.ID) })
}

func evidence(older *Idea, c classify.Contradiction) Superseded {
	return Superseded{ID: older.ID, Content: record.Head(older.Content), File: older.File, Subject: c.Subject, Old: c.Old, New: c.New, Rule: c.Rule}
}

// reaches reports whether a newer learning comes to all agents that an older one comes to: one agent's note
// does not retire what others rely on.
func (s settings) reaches(newer, older *Idea) bool {
	if newer.Scope == record.Global {
		return true
	}
	if older.Scope == record.Global {
		return false
	}
	for _, a := range older.Agents {
		if !slices.ContainsFunc(newer.Agents, func(b string) bool { return s.who(a) == s.who(b) }) {
			return false
		}
	}
	return true
}

// change makes one change of the idea with that id, as f says, and tells of it. was and now are the idea before
// and after; f is pure and may be called again.
func (l *Learnings) change(ctx context.Context, id, op, tool, session string, f func(before []byte, i *Idea) ([]byte, error),
	detail map[string]string) (was, now *Idea, err error) {
	path := ""
	saved, err := l.save(ctx, store.Edit{
		Record: id, Op: op, Tool: tool, Session: session,
		Resolve: func() (string, error) {
			held, err := l.ix.Holders(ctx, id)
			if err != nil {
				return "", err
			}
			switch len(held) {
			case 1:
				path = held[0].Path
				return path, nil
			case 0:
				return "", fault.New(fault.NotFound, "there is no idea %q any more", id).For("ids").With("a list of the ideas shows their ids")
			}
			return "", index.SeveralFiles("ids", "idea", id, index.Files(held))
		},
		Apply: func(before []byte, exists bool) ([]byte, error) {
			if !exists {
				return nil, fault.New(fault.NotFound, "the file of %s is gone", id).For("ids").With("sdd undo may bring it back")
			}
			if err := record.Writable(before); err != nil {
				return nil, err
			}
			after, err := f(before, parse(path, before))
			if err != nil {
				return nil, err
			}
			return after, l.guard(before, after)
		},
		Done: func(s store.Saved) { l.events.saved(s, detail) },
	})
	if err != nil {
		return nil, nil, store.InFile(err, path)
	}
	return parse(saved.Path, saved.Before), parse(saved.Path, saved.After), nil
}
