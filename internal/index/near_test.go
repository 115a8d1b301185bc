package index

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sdd/internal/analysis"
	"sdd/internal/longtest"
	"sdd/internal/record"
)

// wordsOfTitle is titleWords with a memory.
var wordsOfTitle = func() func(string) []string {
	known := map[string][]string{}
	return func(title string) []string {
		words, ok := known[title]
		if !ok {
			words = titleWords(title)
			known[title] = words
		}
		return words
	}
}()

// nearPlainly is Near as one reads what it promises: every title is compared with every other.
func nearPlainly(ix *Index, title, project, scope string, n int) []Entry {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	type titled struct {
		Entry
		words   []string
		waiting bool
	}
	var living, offered []titled // living are indexed, of any kind; offered may be named
	mine := wordsOfTitle(title)
	offer := func(e Entry, waiting bool) titled {
		t := titled{e, wordsOfTitle(e.Title), waiting}
		if e.Kind == record.Exploration && (project == "" || record.SameProject(e.Project, project)) && strings.EqualFold(e.Scope, scope) {
			offered = append(offered, t)
		}
		return t
	}
	ix.contents.each(func(l *live, doc int) bool {
		e, _ := l.seg.entry(doc)
		before := len(offered)
		living = append(living, offer(e, false))
		if ix.unread[e.Path] != nil {
			offered = offered[:before]
		}
		return true
	})
	for _, x := range ix.unread {
		if !x.gone {
			offer(x.Entry, true)
		}
	}
	with := func(i int, w string) []string {
		words := slices.Clone(mine)
		words[i] = w
		slices.Sort(words)
		return slices.Compact(words)
	}
	slips := make([][]string, len(mine))
	for i, w := range mine {
		slips[i] = slipsPlainly(w, func(yield func([]string) bool) {
			for _, t := range living {
				if !yield(t.words) {
					return
				}
			}
		})
	}
	f := &nearest{title: title}
	levels := []func(titled) bool{
		func(t titled) bool { return slices.Equal(t.words, mine) },
		func(t titled) bool {
			if t.waiting {
				if len(t.words) != len(mine) || without(mine, t.words) != 1 || !f.slipped(t.Title) {
					return false
				}
				x := slices.IndexFunc(mine, func(w string) bool { return !slices.Contains(t.words, w) })
				y := slices.IndexFunc(t.words, func(w string) bool { return !slices.Contains(mine, w) })
				_, may := farPlainly(mine[x], t.words[y])
				return may
			}
			for i := range mine {
				for _, s := range slips[i] {
					if slices.Equal(t.words, with(i, s)) && f.slipped(t.Title) {
						return true
					}
				}
			}
			return false
		},
		func(t titled) bool {
			return without(mine, t.words) == 0 && len(t.words) == len(mine)+1 ||
				without(t.words, mine) == 0 && len(t.words) == len(mine)-1 && len(t.words) > 0
		},
	}
	var list []Entry
	for _, level := range levels {
		var found []Entry
		for _, t := range offered {
			if len(mine) > 0 && level(t) && t.Slug != record.Slug(title) && !slices.ContainsFunc(list, func(e Entry) bool { return e.Path == t.Path }) {
				found = append(found, t.Entry)
			}
		}
		slices.SortFunc(found, func(a, b Entry) int {
			return cmp.Or(cmp.Compare(dateMillis(b.Created), dateMillis(a.Created)), strings.Compare(a.ID, b.ID), strings.Compare(a.Path, b.Path))
		})
		list = append(list, found...)
	}
	return list[:min(len(list), n)]
}

// without returns how many of words are not among others. Both are sorted.
func without(words, others []string) int {
	n := 0
	for _, w := range words {
		if _, ok := slices.BinarySearch(others, w); !ok {
			n++
		}
	}
	return n
}

// farPlainly returns how far apart the stems of a word and of a slip of it may be.
func farPlainly(w, x string) (far int, may bool) {
	a, b := []rune(w), []rune(x)
	if a[0] != b[0] || len(x)-len(w) > slipEnding || len(w)-len(x) > slipEnding {
		return 0, false
	}
	if d := distance(a, b, 2); d <= 2 {
		return d, true
	}
	return 2, strings.HasPrefix(x, w) || strings.HasPrefix(w, x)
}

func slipsPlainly(w string, titles func(yield func(words []string) bool)) []string {
	runes := []rune(w)
	if len(runes) < 4 || !analysis.OnlyLetters(w) || analysis.Unspaced(runes[0]) {
		return nil
	}
	far := map[string]int{}
	holders := 0
	for words := range titles {
		for _, x := range words {
			if x == w {
				holders++
				continue
			}
			if d, may := farPlainly(w, x); may {
				far[x] = d
			}
		}
	}
	if holders >= fuzzyRare {
		return nil
	}
	var list []string
	for x := range far {
		list = append(list, x)
	}
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(far[a]-far[b], strings.Compare(a, b)) })
	return list
}

// TestNearAgainstAllTitles: after any history Near names the titles that comparing all of them does.
func TestNearAgainstAllTitles(t *testing.T) {
	vocabulary := strings.Fields(`cache caches token tokens session sessions authentication authorization invalidation handling import
		ошибка ошибки сохранение проверка пользователь größe prüfung schnittstelle benutzer requête sécurité decisión información
		認証 設定 用户 사용자 χρήστης עברית parameter 1 2 17 2026 3rd 𝒜𝓫𝓬𝓭𝓮 C++ C# v1 v2 API हिन्दी हिंदी`)
	slip := func(r *rand.Rand, w string) string {
		s := []rune(w)
		at := r.IntN(len(s))
		switch r.IntN(6) {
		case 0:
			s = slices.Delete(s, at, at+1)
		case 1:
			s = slices.Insert(s, at, s[r.IntN(len(s))])
		case 2:
			to := r.IntN(len(s))
			s[at], s[to] = s[to], s[at]
		case 3:
			s[at] = s[r.IntN(len(s))]
		case 4:
			return w + []string{"s", "ing", "er", "ов", "ung", "ization"}[r.IntN(6)]
		}
		return string(s)
	}
	title := func(r *rand.Rand) string {
		n := min(1+r.IntN(4), 1+r.IntN(4))
		var words []string
		for range n {
			w := vocabulary[min(r.IntN(len(vocabulary)), r.IntN(len(vocabulary)))]
			if r.IntN(3) == 0 {
				w = slip(r, w)
			}
			words = append(words, w)
		}
		return strings.Join(words, " ")
	}
	files := func(list []Entry) (paths string) {
		for _, e := range list {
			paths += e.Path + " "
		}
		return paths
	}
	steps := longtest.Of(100, 300)
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 5))
		s := newShelf(t, nil)
		ix := s.open()
		found := 0
		for step := range steps {
			path := fmt.Sprintf("explore/e%d.md", r.IntN(300))
			switch r.IntN(12) {
			case 0:
				path = fmt.Sprintf("decisions/d%d.md", r.IntN(20))
			case 1:
				path = fmt.Sprintf("personal/explore/p%d.md", r.IntN(20))
			}
			text := fmt.Sprintf("---\ntitle: %q\nproject: %s\ncreated: 2026-07-%02d\n---\n\nx\n",
				title(r), []string{"demo", "Demo", "other"}[r.IntN(3)], 1+r.IntN(4))
			switch n := r.IntN(40); {
			case n == 0 && step > 100:
				ix.Close()
				ix = s.open()
			case n < 4:
				s.remove(path)
			case n < 25:
				s.put(ix, path, text)
			default:
				s.write(path, text)
			}
			if r.IntN(4) == 0 {
				s.refresh(ix)
			}
			for range 3 {
				asked := title(r)
				want := files(nearPlainly(ix, asked, "demo", "project", 3))
				got := files(ix.Near(asked, "demo", "project", 3))
				if got != want && want == files(nearPlainly(ix, asked, "demo", "project", 3)) { // else what waited was read meanwhile
					t.Fatalf("seed %d, step %d: near %q are %s, not %s", seed, step, asked, got, want)
				}
				found += strings.Count(got, " ")
			}
		}
		if found < steps/2 {
			t.Errorf("only %d near titles were found", found)
		}
	}
}

// A slip may be another word of the title; such a title comes before one that only has a word less.
func TestNearSlipIsAnotherWord(t *testing.T) {
	s := newShelf(t, map[string]string{
		"explore/a.md": note("Trial trials", "2026-01-01", "x"),
		"explore/b.md": note("Trail", "2026-01-02", "x"),
	})
	if got := ids(s.open().Near("Trails trial", "demo", "project", 3)); got != "explore/trial-trials explore/trail" {
		t.Errorf("near are %q", got)
	}
}

// Words that only join the others do not make another title.
func TestNearJoined(t *testing.T) {
	s := newShelf(t, map[string]string{
		"explore/a.md": note("Rate limits on HTTP routes", "2026-01-01", "x"),
		"explore/b.md": note("To and from", "2026-01-02", "x"),
	})
	ix := s.open()
	if got := ids(ix.Near("Rate limiting for HTTP routes", "demo", "project", 3)); got != "explore/rate-limits-on-http-routes" {
		t.Errorf("near are %q", got)
	}
	if got := ids(ix.Near("From and to", "demo", "project", 3)); got != "explore/to-and-from" {
		t.Errorf("near are %q", got)
	}
}
