package answer

import (
	"fmt"
	"slices"

	"sdd/internal/answer/embed"
	"sdd/internal/index"
	"sdd/internal/record"
)

// fuseEmbeddings merges the records near in meaning into the ranked ones. The best by words stays first: only words find rare names.
func (b *Answers) fuseEmbeddings(asked <-chan embed.Answer, ranked *index.Ranked) (problems []string) {
	if asked == nil {
		return nil
	}
	answer := <-asked
	if answer.Why != "" {
		problems = append(problems, answer.Why)
	}
	if len(answer.Near) == 0 {
		return problems
	}
	items := map[string]index.RankedItem{}
	var byWords, byMeaning []string
	for _, i := range ranked.Items {
		name := place(&i)
		items[name] = i
		byWords = append(byWords, name)
	}
	for _, n := range answer.Near {
		i, ok := b.itemOf(n)
		if !ok {
			continue
		}
		name := place(&i)
		if at := slices.IndexFunc(ranked.Items, func(r index.RankedItem) bool {
			return r.Path == i.Path && (n.Kind != record.Exploration || r.Section == i.Section)
		}); at >= 0 { // the passage with the words represents the record
			name = byWords[at]
		}
		if _, ok := items[name]; !ok {
			items[name] = i
		}
		byMeaning = append(byMeaning, name)
	}
	names := index.Fuse(byWords, byMeaning)
	if len(byWords) > 0 && !ranked.Weak {
		at := slices.Index(names, byWords[0])
		names = slices.Insert(slices.Delete(names, at, at+1), 0, byWords[0])
	}
	list := make([]index.RankedItem, len(names))
	score := 1.0
	if len(ranked.Items) > 0 {
		score = ranked.Items[len(ranked.Items)-1].Score
	}
	for n := len(names) - 1; n >= 0; n-- { // without its own score it gets that of the next
		list[n] = items[names[n]]
		if list[n].Score == 0 {
			list[n].Score = score
		}
		score = list[n].Score
	}
	ranked.Items = list[:min(len(list), rankedItems)]
	ranked.Weak = ranked.Weak && len(byMeaning) == 0
	return problems
}

// itemOf reads a near unit; ok is false when its file has changed.
func (b *Answers) itemOf(n embed.Near) (i index.RankedItem, ok bool) {
	f, err := b.Store.Read(n.Path)
	if err != nil || record.Etag(f.Bytes) != n.Etag {
		return i, false
	}
	i = index.RankedItem{Entry: n.Entry, Source: f.Bytes}
	if n.Kind == record.Exploration {
		r := record.Parse(n.Path, f.Bytes, record.Defaults{})
		if i.Section, ok = embed.SectionOf(&r, n.Section); !ok {
			return i, false
		}
	}
	for _, p := range i.All() {
		if p.Section == i.Section {
			return p, true
		}
	}
	return i, true
}

func place(i *index.RankedItem) string { return fmt.Sprint(i.Path, ":", i.Line) }
