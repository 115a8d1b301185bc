package answer

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"sdd/internal/anchor"
	"sdd/internal/index"
	"sdd/internal/record"
	"sdd/internal/tier"
)

// marks say on the lines of an answer's records that the code which a record names has changed or is gone.
type marks struct {
	b      *Answers
	judged map[string]bool
	alarms map[string]*anchor.Verdict // by record
	texts  map[string]string          // the marks, by record
	pieces map[string][]*piece        // of the marked records
	told   map[string]bool            // whose mark is final
	tiers  map[string]tier.Tier       // Unknown for what is no record
}

// judge finds the alarms of records. Superseded and archived ones have none.
func (m *marks) judge(ctx context.Context, entries []index.Entry, standing index.Standing) {
	var ids []string
	var anchors [][]anchor.Anchor
	for _, e := range entries {
		if e.ID == "" || m.judged[e.ID] {
			continue
		}
		m.judged[e.ID] = true
		if len(e.Anchors) > 0 && !record.Gone(cmp.Or(standing[e.Path], e.Status)) {
			ids, anchors = append(ids, e.ID), append(anchors, e.Anchors)
		}
	}
	for n, v := range m.b.Tree.Alarms(ctx, anchors) {
		if v != nil {
			m.alarms[ids[n]], m.texts[ids[n]] = v, v.Mark(nil)
		}
	}
}

// freshFirst judges the records of items, and puts those with an alarm last among items with one score.
func (m *marks) freshFirst(ctx context.Context, items []index.RankedItem, standing index.Standing) {
	var entries []index.Entry
	for n := range items {
		if len(items[n].Anchors) > 0 || items[n].ID != "" && !m.judged[items[n].ID] {
			entries = append(entries, items[n].Entry)
		}
	}
	m.judge(ctx, entries, standing)
	if len(m.alarms) == 0 {
		return
	}
	for from := 0; from < len(items); {
		to := from + 1
		for to < len(items) && items[to].Score == items[from].Score {
			to++
		}
		slices.SortStableFunc(items[from:to], func(a, b index.RankedItem) int {
			return min(len(m.texts[a.ID]), 1) - min(len(m.texts[b.ID]), 1)
		})
		from = to
	}
}

// add writes the marks to the pieces of the stages. It judges the records that are not among the ranked ones too.
func (m *marks) add(ctx context.Context, stages []stage) {
	if m.b.Tree == nil || !m.b.Index.NamesCode() {
		return
	}
	var others []index.Entry
	for _, s := range stages {
		for _, p := range s.pieces {
			if p.id == "" || m.judged[p.id] {
				continue
			}
			if found := m.b.Index.Lookup(index.Ref{ID: p.id}); len(found) == 1 {
				others = append(others, found[0])
			}
		}
	}
	m.judge(ctx, others, nil)
	if len(m.alarms) == 0 {
		return
	}
	for _, s := range stages {
		for _, p := range s.pieces {
			if mark := m.texts[p.id]; mark != "" && !slices.Contains(m.pieces[p.id], p) {
				m.pieces[p.id] = append(m.pieces[p.id], p)
				p.mark(mark)
			}
		}
	}
}

// addTiers marks the records that are not on the default branch, takes out what the policy withholds, and returns how many those are.
func (m *marks) addTiers(ctx context.Context, now Tiers, texts []Text, stages []stage) (withheld int) {
	out := map[string]bool{}
	of := func(id string) tier.Tier {
		t, known := m.tiers[id]
		if known {
			return t
		}
		own := slices.IndexFunc(texts, func(t Text) bool { return t.Path == id })
		if own >= 0 {
			t = texts[own].Tier
		} else if found := m.b.Index.Lookup(index.Ref{ID: id}); len(found) == 1 && found[0].Path != "" {
			if own, t = 0, now.Of(found[0].Path); t == tier.Main && now.Sign != nil {
				t = now.Sign(ctx, found[0].Path)
			}
		}
		if own >= 0 && !now.Allows(t) {
			out[id] = true
		}
		m.tiers[id] = t
		return t
	}
	told := map[*piece]bool{}
	for n := range stages {
		stages[n].pieces = slices.DeleteFunc(stages[n].pieces, func(p *piece) bool {
			if told[p] {
				return false
			}
			told[p] = true
			if p.id != "" {
				of(p.id)
			}
			if out[p.id] {
				return true
			}
			p.id, p.at = strings.TrimSuffix(p.id, Earlier), strings.Replace(p.at, Earlier, "", 1)
			p.head, p.text, p.short = tierLines(p.head, of, out), tierLines(p.text, of, out), tierLines(p.short, of, out)
			return false
		})
	}
	for _, t := range texts {
		if id, earlier := strings.CutSuffix(t.Path, Earlier); earlier && !out[t.Path] {
			m.tiers[id] = t.Tier
			delete(out, id)
		}
	}
	return len(out)
}

// tierLines marks the lines of a text that begin with a record, and leaves out those of withheld ones with the lines below them.
func tierLines(text string, of func(id string) tier.Tier, out map[string]bool) string {
	if !strings.Contains(text, "- [") {
		return text
	}
	var b strings.Builder
	under := -1 // the indentation of a line that is left out
	told := ""  // the record of the line above
	for line := range strings.Lines(text) {
		body := strings.TrimLeft(line, " ")
		indent := len(line) - len(body)
		if under >= 0 && indent > under {
			continue
		}
		under = -1
		head, rest, ok := strings.Cut(body, "] ")
		id, item := strings.CutPrefix(head, "- [")
		if !ok || !item {
			b.WriteString(line)
			continue
		}
		t := of(id)
		if out[id] {
			under = indent
			continue
		}
		b.WriteString(line[:indent] + strings.TrimSuffix(head, Earlier) + "] ")
		if t.Warns() && id != told {
			b.WriteString("[" + t.String() + "] ")
		}
		told = id
		if orders := t.Orders(rest); orders != "" {
			b.WriteString("[" + orders + "] ")
		}
		b.WriteString(rest)
	}
	return b.String()
}

// mark adds a mark behind the id of the record.
func (p *piece) mark(mark string) {
	id := "- [" + p.id + "] "
	for _, s := range []*string{&p.head, &p.text, &p.short} {
		*s = strings.Replace(*s, id, id+"["+mark+"] ", 1)
	}
}

// explain adds to the marks of the taken pieces which commit changed the code. It reports whether a mark changed.
func (m *marks) explain(ctx context.Context, taken []*piece) (changed bool) {
	var ids []string
	var verdicts []*anchor.Verdict
	for _, p := range taken {
		if v := m.alarms[p.id]; v != nil && !m.told[p.id] {
			m.told[p.id] = true
			ids, verdicts = append(ids, p.id), append(verdicts, v)
		}
	}
	if len(ids) == 0 {
		return false
	}
	for n, since := range m.b.Tree.Causes(ctx, verdicts) {
		id := ids[n]
		was, is := "["+m.texts[id]+"] ", verdicts[n].Mark(since)
		if m.texts[id] == is {
			continue
		}
		m.texts[id], changed = is, true
		for _, p := range m.pieces[id] {
			for _, s := range []*string{&p.head, &p.text, &p.short} {
				*s = strings.Replace(*s, was, "["+is+"] ", 1)
			}
		}
	}
	return changed
}
