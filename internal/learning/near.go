package learning

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/index"
	"sdd/internal/learning/classify"
	"sdd/internal/record"
)

// Two learnings of one subject share words, so a new learning is compared only with those that the index ranks first for its
// words: whether one is nearly the same, and which ones the new one may contradict.

const (
	nearest     = 20 // learnings that are looked at
	mostSimilar = 3
	mostQueried = 2 << 10 // bytes of a content in a query
)

// subjectWords returns a content without stop words, with which a search finds everything; one that has nothing else comes back as it is.
func subjectWords(content string) string {
	var words []string
	for w := range strings.FieldsSeq(content) {
		if bare := strings.ToLower(strings.Trim(w, ".,;:!?()\"'")); !index.Stop(bare, false) {
			words = append(words, w)
		}
	}
	if len(words) == 0 {
		return content
	}
	return strings.Join(words, " ")
}

// learnings is the type of learnings in the index.
var learnings = []record.Type{{Kind: record.Idea, Color: record.Learning}}

// near returns the learnings that share most with a content.
func (l *Learnings) near(ctx context.Context, content string) ([]*Idea, error) {
	text := subjectWords(strings.ToValidUTF8(content[:min(len(content), mostQueried)], ""))
	page, err := l.ix.Query(ctx, index.Query{Text: text, Types: learnings, Limit: nearest, Bare: true})
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
func (l *Learnings) Against(ctx context.Context, i *Idea) (_ []*Idea, err error) {
	defer fault.Caught(&err)
	set := fault.Must(l.settings())
	near := fault.Must(l.near(ctx, i.Content))
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
		out.Similar = append(out.Similar, Similar{ID: n.ID, Content: n.Content, File: n.File})
		if n.Status != active || out.Action == Joined || out.Action == Duplicate {
			continue
		}
		if c, ok := classify.Contradicts(n.Content, content); ok {
			out.Superseded = append(out.Superseded, evidence(n, c))
		}
	}
	out.Similar = Alike(content, out.Similar)
	slices.SortFunc(out.Superseded, func(a, b Superseded) int { return cmp.Compare(a.ID, b.ID) })
}

// Alike returns those of a list with nearly the same content as a record, the most similar first.
func Alike(content string, list []Similar) []Similar {
	out := []Similar{}
	for _, s := range list {
		if s.Similarity = classify.Similarity(content, s.Content); s.Similarity >= classify.NearDuplicate {
			s.Content = record.Head(s.Content)
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b Similar) int {
		return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), cmp.Compare(a.ID, b.ID))
	})
	return out[:min(len(out), mostSimilar)]
}

func evidence(older *Idea, c classify.Contradiction) Superseded {
	return Superseded{older.ID, record.Head(older.Content), older.File, c.Subject, c.Old, c.New, c.Rule}
}

// reaches reports whether all agents that get an older learning get the newer one too: one agent's note
// does not retire a learning of others.
func (s settings) reaches(newer, older *Idea) bool {
	if newer.Scope == record.Global || older.Scope == record.Global {
		return newer.Scope == record.Global
	}
	return !slices.ContainsFunc(older.Agents, func(a string) bool { return !s.has(newer, a) })
}
