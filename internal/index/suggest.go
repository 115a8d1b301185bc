package index

import (
	"slices"
	"strings"
	"unicode/utf8"

	"sdd/internal/fault"
	"sdd/internal/record"
)

const (
	suggestRunes = 200  // runes of a name that are compared
	suggestLeast = 0.34 // least similarity of a name
)

// Suggest returns at most n records whose id, slug or title resembles ref, the most similar first. It serves hints after
// a failed look-up.
func (ix *Index) Suggest(ref string, n int) []Entry {
	ref = strings.TrimSpace(ref)
	if ref == "" || n <= 0 || ix.ready(ix.ctx) != nil {
		return nil
	}
	ref = nameKey(fault.Cut(strings.ToValidUTF8(ref, ""), suggestRunes))
	short := fileName(ref)
	words := titleWords(strings.ReplaceAll(short, "-", " "))

	ix.mu.RLock()
	defer ix.mu.RUnlock()
	s := newSearch(ix.ctx, ix.contents)
	alike := map[int]float64{} // by slot
	for k, l := range s.segs {
		for c := l.seg.seek(nameTerm); c.next() && c.term[0] == nameTerm[0]; {
			name := string(c.term[1:])
			if like := max(likeness(ref, name), likeness(short, name)); like >= suggestLeast {
				for p := l.seg.read(c.postings); p.next(); {
					alike[s.base[k]+p.doc] = max(alike[s.base[k]+p.doc], like)
				}
			}
		}
		shared, total := map[int]int{}, map[int]int{} // words of the titles, and those of them in ref
		for _, w := range words {
			for p := l.seg.read(l.seg.find(titleTerm + w)); p.next(); {
				shared[p.doc]++
				total[p.doc] = p.w
			}
		}
		for doc, n := range shared {
			alike[s.base[k]+doc] = max(alike[s.base[k]+doc], float64(n)/float64(max(len(words)+total[doc]-n, 1)))
		}
	}

	best := top{n: n}
	for slot, likeness := range alike {
		l, doc := s.at(slot)
		if likeness < suggestLeast || l.dead.has(doc) {
			continue
		}
		best.offer(candidate{sortKey{
			score: uint32(likeness * 1000), created: l.seg.created(doc), id: l.seg.id(doc), path: l.seg.path(doc),
		}, slot})
	}
	var list []Entry
	for _, x := range best.list {
		l, doc := s.at(x.slot)
		e, _ := l.seg.entry(doc)
		list = append(list, e)
	}
	return list
}

// likeness returns the similarity of two names: 1 for the same name, less with each letter that differs. A name that
// continues where ref ends is fairly similar, the less so when ref is misspelt. The first letter must be the same.
func likeness(ref, name string) float64 {
	first, n := utf8.DecodeRuneInString(ref)
	if ref == "" || !strings.HasPrefix(name, ref[:n]) || first == utf8.RuneError {
		return 0
	}
	a, b := []rune(ref), []rune(name)
	if len(a) >= minPrefix && strings.HasPrefix(name, ref) {
		return max(0.5, float64(len(a))/float64(len(b)))
	}
	limit := max(1, min(len(a)/4, 6)) // most letters that may differ
	if d := distance(a, b, limit); d <= limit {
		return 1 - float64(d)/float64(len(a)+1)
	}
	if len(b) > len(a) && len(a) >= 2*minPrefix && distance(a, b[:len(a)], limit) <= limit {
		return suggestLeast
	}
	return 0
}

// distance returns the number of edits that make b from a, at most limit+1. An edit inserts, deletes or changes a
// letter, or swaps two neighbours.
func distance(a, b []rune, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	return min(fault.Distance(a, b), limit+1)
}

// Nearest returns the ids of at most n records of a kind that resemble a mistyped reference.
func (ix *Index) Nearest(kind record.Kind, ref string, n int) (ids []string) {
	for _, e := range ix.Suggest(ref, 10) {
		if e.Kind == kind && len(ids) < n {
			ids = append(ids, e.ID)
		}
	}
	return ids
}

// NotFound returns the fault for a reference that names no record. noun is the kind's word. The hint lists the nearest
// ids; without any it is otherwise.
func NotFound(arg, noun, ref string, near []string, otherwise string) *fault.Error {
	err := fault.New(fault.NotFound, "there is no %s %q", noun, record.Brief(ref)).For(arg)
	if len(near) > 0 {
		return err.With("nearest: " + strings.Join(near, ", "))
	}
	return err.With(otherwise)
}

// SeveralFiles returns the fault for an identity that several files have.
func SeveralFiles(arg, noun, id string, files []string) *fault.Error {
	hint := "merge them into one by hand and delete the others"
	if arg == "ids" { // ids accepts files too
		hint += ", or give a file"
	}
	list := strings.Join(slices.Sorted(slices.Values(files)), ", ")
	return fault.New(fault.Ambiguous, "%d files hold the %s %q: %s", len(files), noun, record.Brief(id), list).For(arg).With(hint)
}

// Files lists the files of entries.
func Files(entries []Entry) (files []string) {
	for _, e := range entries {
		files = append(files, e.File)
	}
	return files
}
