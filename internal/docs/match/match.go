// Package match finds names by their parts, with or without spelling mistakes.
package match

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"sdd/internal/docs/inventory"
)

// Hit is a matching name with its score from 0 to 100.
type Hit struct {
	Index int // in the inventory
	Score int
}

// Fuzzy returns the objects with at least that score, best first. Titles of labels and pages match too, with lower scores than names.
func Fuzzy(v *inventory.Inventory, text string, threshold int, keep func(i int) bool) []Hit {
	q := newQuery(text)
	return q.find(v, threshold, keep, func(o *inventory.Object) int {
		score := q.nameScore(o.Name)
		if score < ScoreExact && o.Display != "" {
			score = max(score, q.displayScore(o.Display))
		}
		return score
	})
}

// Exact returns the objects whose name, or the end of it, equals the query, ignoring case and separators.
func Exact(v *inventory.Inventory, text string, keep func(i int) bool) []Hit {
	q := newQuery(text)
	return q.find(v, ScoreExact, keep, func(o *inventory.Object) int { return q.nameScore(o.Name) })
}

// Regexp returns the objects whose name matches, all with one score.
func Regexp(v *inventory.Inventory, re *regexp.Regexp, keep func(i int) bool) []Hit {
	return All(v, func(i int) bool { return keep(i) && re.MatchString(v.Objects[i].Name) })
}

// All returns every object for which keep is true, in the order of equally good matches.
func All(v *inventory.Inventory, keep func(i int) bool) []Hit {
	return new(query).find(v, 0, keep, func(*inventory.Object) int { return 0 })
}

// find returns the objects with at least that score, best first; equals go by kind, case, priority and length of the name.
func (q *query) find(v *inventory.Inventory, least int, keep func(i int) bool, score func(*inventory.Object) int) []Hit {
	type key struct {
		Hit
		unlike, rank, otherCase, priority int
		name                              string
	}
	var keys []key
	for i := range v.Objects {
		if !keep(i) {
			continue
		}
		o := &v.Objects[i]
		at := score(o)
		if at < least {
			continue
		}
		k := key{Hit: Hit{i, at}, rank: roleRank(o.Kind()), priority: priorityRank(o.Priority), name: o.Name}
		if o.Name != q.raw {
			k.unlike = 1 // f before f(x) if the query is f, and f(x) before f if it is f(x)
		}
		if !strings.Contains(o.Name, q.plain) {
			k.otherCase = 1
		}
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.unlike, b.unlike), cmp.Compare(a.rank, b.rank),
			cmp.Compare(a.otherCase, b.otherCase), cmp.Compare(a.priority, b.priority), cmp.Compare(len(a.name), len(b.name)),
			cmp.Compare(a.name, b.name), cmp.Compare(a.Index, b.Index))
	})
	hits := make([]Hit, len(keys))
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
