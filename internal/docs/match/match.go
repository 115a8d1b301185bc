// Package match finds names by their parts, with or without spelling mistakes.
package match

import (
	"cmp"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"sdd/internal/docs/inventory"
)

// Hit is a matching name with its score from 0 to 100.
type Hit struct {
	Index int // in the inventory
	Score int
}

// Fuzzy returns the objects whose score is at least threshold, the best first: the same name always comes
// first. Titles of labels and pages match too, with lower scores than names. It considers only objects for
// which keep is true; several goroutines call keep.
func Fuzzy(v *inventory.Inventory, text string, threshold int, keep func(i int) bool) []Hit {
	parts := make([][]Hit, min(runtime.GOMAXPROCS(0), 1+v.Len()/4096))
	var wait sync.WaitGroup
	for p := range parts {
		wait.Go(func() {
			parts[p] = fuzzy(v, newQuery(text), threshold, p*v.Len()/len(parts), (p+1)*v.Len()/len(parts), keep)
		})
	}
	wait.Wait()
	q := newQuery(text)
	return order(v, slices.Concat(parts...), q.raw, q.plain)
}

// fuzzy scores the objects of a range. It needs its own query, which comparing changes.
func fuzzy(v *inventory.Inventory, q *query, threshold, from, to int, keep func(i int) bool) []Hit {
	var hits []Hit
	for i := from; i < to; i++ {
		if !keep(i) {
			continue
		}
		score := q.nameScore(v.Name(i))
		if score < ScoreExact {
			if title := v.Display(i); title != "" {
				score = max(score, q.displayScore(title))
			}
		}
		if score >= threshold {
			hits = append(hits, Hit{i, score})
		}
	}
	return hits
}

// Exact returns the objects whose name, or the end of it, equals the query, ignoring case and separators.
func Exact(v *inventory.Inventory, text string, keep func(i int) bool) []Hit {
	q := newQuery(text)
	return order(v, hits(v, func(i int) (int, bool) {
		score := 0
		if keep(i) {
			score = q.nameScore(v.Name(i))
		}
		return score, score >= ScoreExact
	}), q.raw, q.plain)
}

// Regexp returns the objects whose name matches, all with one score.
func Regexp(v *inventory.Inventory, re *regexp.Regexp, keep func(i int) bool) []Hit {
	return All(v, func(i int) bool { return keep(i) && re.MatchString(v.Name(i)) })
}

// All returns every object for which keep is true, in the order of equally good matches.
func All(v *inventory.Inventory, keep func(i int) bool) []Hit {
	return order(v, hits(v, func(i int) (int, bool) { return 0, keep(i) }), "", "")
}

// hits returns the objects that match.
func hits(v *inventory.Inventory, matches func(i int) (score int, ok bool)) (out []Hit) {
	for i := range v.Len() {
		if score, ok := matches(i); ok {
			out = append(out, Hit{i, score})
		}
	}
	return out
}

// order sorts the hits by: score, names of APIs before titles, the query's own case, the inventory's
// priority, the shorter name.
func order(v *inventory.Inventory, hits []Hit, raw, plain string) []Hit {
	ranks := make(map[inventory.Kind]int)
	type key struct {
		Hit
		unlike, rank, otherCase, priority int
		name                              string
	}
	keys := make([]key, len(hits))
	for i, h := range hits {
		k := v.Kind(h.Index)
		rank, ok := ranks[k]
		if !ok {
			rank = roleRank(k)
			ranks[k] = rank
		}
		name := v.Name(h.Index)
		keys[i] = key{Hit: h, rank: rank, priority: priorityRank(v.Priority(h.Index)), name: name}
		if name != raw {
			keys[i].unlike = 1 // f before f(x) if the query is f, and f(x) before f if it is f(x)
		}
		if !strings.Contains(name, plain) {
			keys[i].otherCase = 1
		}
	}
	slices.SortFunc(keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.unlike, b.unlike), cmp.Compare(a.rank, b.rank),
			cmp.Compare(a.otherCase, b.otherCase), cmp.Compare(a.priority, b.priority), cmp.Compare(len(a.name), len(b.name)),
			cmp.Compare(a.name, b.name), cmp.Compare(a.Index, b.Index))
	})
	for i, k := range keys {
		hits[i] = k.Hit
	}
	return hits
}

// roleRank ranks kinds of objects by the probability that a query means one, 0 for the highest.
func roleRank(k inventory.Kind) int {
	switch role := strings.ToLower(k.Role); {
	case strings.Contains(role, "param") || role == "token" || role == "grammar":
		return 4
	case k.Domain != "std":
		return 0
	case role == "label" || role == "doc":
		return 3
	case role == "term":
		return 2
	default:
		return 1
	}
}

func priorityRank(p int) int {
	switch p {
	case 1:
		return 0
	case 0:
		return 1
	case -1:
		return 3
	default:
		return 2
	}
}
