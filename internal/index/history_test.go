package index

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sdd/internal/longtest"
	"sdd/internal/record"
	"sdd/internal/store"
)

// Law 7: the same files give the same bytes, whatever happened before.

var vocabulary = strings.Fields(`cache caches caching invalidation invalidate token tokens UserAuthToken user_auth refresh ADR-016 ADR-017
	internal/index/find.go café cafe ошибка ошибки Fehler Fehlerbehandlung decisión decisiones naïve the of and is for when
	認証 認証設計 データベース 数据库 设计 인증 การเข้า zebra quagga xylophone v1 v2 2026-07-04 C++ C# 🚀 e`)

func randomText(r *rand.Rand) string {
	var b strings.Builder
	pick := func(n int) string {
		var words []string
		for range n {
			words = append(words, vocabulary[r.IntN(len(vocabulary))])
		}
		return strings.Join(words, " ")
	}
	switch r.IntN(8) {
	case 0:
		fmt.Fprintf(&b, "# %s\n", pick(2))
	case 1:
		fmt.Fprintf(&b, "---\ntitle: [broken\n---\n")
	default:
		fmt.Fprintf(&b, "---\ntitle: %q\nproject: %s\nstatus: %s\nsession_id: s%d\n", pick(1+r.IntN(3)),
			[]string{"demo", "Demo", "other"}[r.IntN(3)], []string{"active", "Active", "done"}[r.IntN(3)], r.IntN(3))
		if r.IntN(3) > 0 {
			fmt.Fprintf(&b, "created: 2026-07-%02d\n", 1+r.IntN(4))
		}
		b.WriteString("---\n")
	}
	for range r.IntN(4) {
		fmt.Fprintf(&b, "\n## %s\n\n", pick(1))
		for range 1 + r.IntN(3) {
			fmt.Fprintf(&b, "- %s\n", pick(1+r.IntN(9)))
		}
	}
	return b.String()
}

func randomPath(r *rand.Rand) string {
	switch n := r.IntN(30); {
	case n < 3:
		return fmt.Sprintf("personal/explore/p%d.md", n)
	case n < 6:
		return fmt.Sprintf("explore/deep/er/d%d.md", n)
	case n < 9:
		return fmt.Sprintf("decisions/use-%d.md", n)
	case n < 12:
		return fmt.Sprintf("ideas/idea-00000000000%d-x.md", n%10)
	default:
		return fmt.Sprintf("explore/e%d.md", n)
	}
}

// answers is everything that an index says, as bytes.
func answers(t testing.TB, ix *Index) string {
	t.Helper()
	var b strings.Builder
	queries := []Query{{}, {Session: "S1"}, {Project: "DEMO"}, {Status: "active"}, {Types: []record.Type{{Kind: record.Decision}}}, {Scope: "personal"}}
	for _, w := range vocabulary {
		queries = append(queries, Query{Text: w})
	}
	for i := range len(vocabulary) - 2 {
		queries = append(queries, Query{Text: strings.Join(vocabulary[i:i+2+i%2], " ")})
	}
	queries = append(queries, Query{Text: "the user auth token cache", Project: "demo"}, Query{Text: strings.Join(vocabulary, " ")}, Query{Text: "cac inval tok"})
	for _, q := range queries {
		q.Limit = 4
		for range 12 {
			p := ask(t, ix, q)
			fmt.Fprintf(&b, "%q %v %s %s %s %d %d\n", q.Text, q.Types, q.Project, q.Scope, q.Status, p.Total, p.After)
			for i, h := range p.Hits {
				fmt.Fprintf(&b, "  %+v %s\n", h, p.CursorAfter(i+1))
			}
			if q.Cursor = p.CursorAfter(len(p.Hits)); p.After == 0 {
				break
			}
		}
	}
	for _, w := range append(vocabulary, "e7", "explore/e9.md", "decision/cache", "idea-000000000009") {
		fmt.Fprintf(&b, "lookup %s %+v\n", w, ix.Lookup(Ref{ID: w}))
		fmt.Fprintf(&b, "suggest %s %+v\n", w, ix.Suggest(w+"x", 3))
		fmt.Fprintf(&b, "near %s %+v\n", w, ix.Near(w, "demo", "project", 3))
	}
	fmt.Fprintf(&b, "broken %+v\n", ix.Broken())
	return b.String()
}

func TestSameAnswersAfterAnyHistory(t *testing.T) {
	seeds, steps := longtest.Of[uint64](1, 4), 320
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			s := newShelf(t, nil)
			ix := s.open()
			for step := range steps {
				path := randomPath(r)
				switch r.IntN(10) {
				case 0, 1:
					s.remove(path)
				case 2:
					to := randomPath(r)
					os.MkdirAll(filepath.Dir(s.file(to)), 0o755)
					os.Rename(s.file(path), s.file(to))
				case 3, 4, 5:
					s.put(ix, path, randomText(r))
				case 6:
					if r.IntN(20) == 0 {
						s.remove("explore/deep")
					}
				case 7:
					if r.IntN(8) == 0 {
						ix.Close()
						if r.IntN(4) == 0 {
							s.remove(".local")
						}
						ix = s.open()
					}
				default:
					s.write(path, randomText(r))
				}
				if r.IntN(3) == 0 {
					s.refresh(ix)
				}
				if step%80 == 79 {
					s.refresh(ix)
					got := answers(t, ix)
					if want := s.fromNothing(); got != want {
						t.Fatalf("step %d: an index with a history answers otherwise (-fresh +history):\n%s", step, firstDifference(want, got))
					}
				}
			}
		})
	}
}

// fromNothing returns the answers of an index over a copy of the files.
func (s *shelf) fromNothing() string {
	s.t.Helper()
	other := newShelf(s.t, nil)
	if err := os.CopyFS(filepath.Join(other.dir, "copy"), os.DirFS(filepath.Join(s.dir, store.Folder))); err != nil {
		s.t.Fatal(err)
	}
	os.RemoveAll(filepath.Join(other.dir, "copy", ".local"))
	os.RemoveAll(other.file(""))
	if err := os.Rename(filepath.Join(other.dir, "copy"), other.file("")); err != nil {
		s.t.Fatal(err)
	}
	st, err := store.Open(store.Options{Dir: other.dir})
	if err != nil {
		s.t.Fatal(err)
	}
	ix := Open(st)
	defer ix.Close()
	if err := ix.Refresh(context.Background()); err != nil {
		s.t.Fatal(err)
	}
	return answers(s.t, ix)
}

func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			return cmp.Diff(w[max(0, i-2):min(len(w), i+2)], g[max(0, i-2):min(len(g), i+2)])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(g), len(w))
}
