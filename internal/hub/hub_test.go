package hub

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"sdd/internal/fault"
	"sdd/internal/hub/hubtest"
	"sdd/internal/index"
	"sdd/internal/longtest"
	"sdd/internal/record"
	"sdd/internal/store"
)

var (
	starting  sync.Mutex
	cluster   *hubtest.Cluster
	databases int
)

func TestMain(m *testing.M) {
	code := m.Run()
	if cluster != nil {
		cluster.Stop()
	}
	os.Exit(code)
}

// database makes a database in the tests' PostgreSQL and returns its name.
func database(t *testing.T) string {
	t.Helper()
	if _, ok := hubtest.Program(); !ok {
		t.Skip("there is no PostgreSQL")
	}
	starting.Lock()
	defer starting.Unlock()
	if cluster == nil {
		c, err := hubtest.Start()
		if err != nil {
			t.Fatal(err)
		}
		cluster = c
	}
	databases++
	name := fmt.Sprintf("hub%d", databases)
	admin(t, "postgres", "create database "+name)
	return name
}

// admin runs statements as the superuser.
func admin(t *testing.T, database string, statements ...string) {
	t.Helper()
	h := connect(t, "postgres", database)
	defer h.Close()
	for _, sql := range statements {
		if err := h.do(t.Context(), sql, nil); err != nil {
			t.Fatalf("%s: %v: %v", sql, err, fault.Of(err).Cause)
		}
	}
}

func connect(t *testing.T, user, database string) *Hub {
	t.Helper()
	h, err := Open(t.Context(), cluster.DSN(user, database))
	if err != nil {
		t.Fatalf("%v: %v", err, fault.Of(err).Cause)
	}
	return h
}

// open returns a new hub, as its owner.
func open(t *testing.T) (h *Hub, database_ string) {
	t.Helper()
	name := database(t)
	h = connect(t, "postgres", name)
	t.Cleanup(h.Close)
	if made, err := h.Init(t.Context()); err != nil || made.Before != 0 {
		t.Fatal(made, err)
	}
	return h, name
}

// push pushes texts by their paths.
func push(t *testing.T, h *Hub, repository, commit string, texts map[string]string) Pushed {
	t.Helper()
	out, err := h.Push(t.Context(), pushOf(repository, commit, texts))
	if err != nil {
		t.Fatalf("%v: %v", err, fault.Of(err).Cause)
	}
	return out
}

func pushOf(repository, commit string, texts map[string]string) Push {
	p := Push{Repository: repository, Commit: commit, Defaults: record.Defaults{Project: repository}}
	for path, text := range texts {
		p.Files = append(p.Files, File{Path: path, Blob: record.Etag([]byte(text)), Read: func() ([]byte, error) { return []byte(text), nil }})
	}
	slices.SortFunc(p.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return p
}

var vocabulary = strings.Fields(`retry payment token cache queue login session index invoice worker latency timeout schema
	migration deploy rollback limit budget stream parser merge branch commit review anchor record search ranking posting segment`)

// texts makes n records of a repository.
func texts(rng *rand.Rand, n int) map[string]string {
	all := map[string]string{}
	for i := range n {
		word := func() string { return vocabulary[min(rng.IntN(len(vocabulary)), rng.IntN(len(vocabulary)))] }
		title := fmt.Sprintf("%s %s %d", word(), word(), i)
		var b strings.Builder
		fmt.Fprintf(&b, "---\nid: fact-%012x\ncontent: %s\nlevel: 0\ncreated: 2026-01-%02d\n---\n\n", rng.Uint64()>>16, title, 1+rng.IntN(28))
		for range 5 + rng.IntN(60) {
			b.WriteString(word() + " ")
		}
		all[fmt.Sprintf("facts/%s.md", record.Slug(title))] = b.String() + "\n"
	}
	return all
}

// postingsOf returns all postings of a repository, with the paths of the records.
func postingsOf(t *testing.T, h *Hub, repository string) map[string]string {
	t.Helper()
	paths := map[int]string{}
	all := map[string]string{}
	of := " join sdd.repository r on r.id = x.repository where r.name = $1"
	err := errors.Join(
		h.do(t.Context(), "select doc, path from sdd.record x"+of, func(v [][]byte) { paths[number(v[0])] = string(v[1]) }, repository),
		h.do(t.Context(), "select chunk, term, list from sdd.posting x"+of, func(v [][]byte) {
			if err := index.EachListed(v[2], func(doc, weight, length int, traits byte) {
				term := strings.ReplaceAll(string(v[1]), "@"+strings.ToLower(repository), "") // ids of records name it
				all[fmt.Sprintf("%q %s", term, paths[number(v[0])*chunkRecords+doc])] = fmt.Sprint(weight, length, traits)
			}); err != nil {
				t.Error(err)
			}
		}, repository))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A push of changes leaves what a first push of the same records leaves.
func TestPushChanges(t *testing.T) {
	h, _ := open(t)
	rng := rand.New(rand.NewPCG(1, 2))
	now := texts(rng, 400)
	for round := range 6 {
		commit := fmt.Sprintf("c%d", round)
		out := push(t, h, "shop.payments", commit, now)
		if again := push(t, h, "shop.payments", commit, now); again.Action != "unchanged" || again.Records != out.Records {
			t.Errorf("the same commit again: %+v", again)
		}
		if out.Records != len(now) {
			t.Errorf("%d records, want %d", out.Records, len(now))
		}
		fresh := fmt.Sprintf("fresh%d", round)
		push(t, h, fresh, commit, now)
		got, want := postingsOf(t, h, "shop.payments"), postingsOf(t, h, fresh)
		if len(got) != len(want) || len(want) == 0 {
			t.Fatalf("round %d: %d postings, want %d", round, len(got), len(want))
		}
		for k, v := range want {
			if got[k] != v {
				t.Fatalf("round %d: %s is %q, want %q", round, k, got[k], v)
			}
		}
		var words, same int
		_ = h.do(t.Context(), "select words, size, records from sdd.repository where name in ('shop.payments', $1)", func(v [][]byte) {
			if words == 0 {
				words = number(v[0])
			}
			if number(v[0]) == words && number(v[1]) >= number(v[2]) {
				same++
			}
		}, fresh)
		if same != 2 {
			t.Error("words or size differ")
		}
		n := 0
		for path := range now { // some go, some change, some come
			switch n++; {
			case n%9 == 0:
				delete(now, path)
			case n%7 == 0:
				now[path] += "another token\n"
			}
		}
		for path, text := range texts(rng, 20) {
			now[path] = text
		}
	}
}

// A push that fails in the middle leaves the hub as it was, and so does one whose connection the server ends.
func TestPushAllOrNothing(t *testing.T) {
	h, name := open(t)
	rng := rand.New(rand.NewPCG(3, 4))
	first := texts(rng, 50)
	push(t, h, "payments", "c1", first)
	want := postingsOf(t, h, "payments")
	for _, test := range []struct {
		name string
		fail func(h *Hub) error
	}{
		{"a file that cannot be read", func(*Hub) error { return fault.New(fault.Broken, "no such object") }},
		{"the server ends the connection", func(h *Hub) error {
			admin(t, name, fmt.Sprintf("select pg_terminate_backend(%d)", h.pg.PID()))
			return nil
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			other := connect(t, "postgres", name)
			defer other.Close()
			p := pushOf("payments", "c2", texts(rng, 50))
			p.Files[40].Read = func() ([]byte, error) { return []byte("x"), test.fail(other) }
			if out, err := other.Push(t.Context(), p); err == nil {
				t.Fatalf("pushed: %+v", out)
			}
			s, err := h.Status(t.Context())
			if err != nil || s.Records != 50 || s.Repositories[0].Commit != "c1" {
				t.Errorf("%+v, %v", s, err)
			}
			if got := postingsOf(t, h, "payments"); len(got) != len(want) {
				t.Errorf("%d postings, want %d", len(got), len(want))
			}
		})
	}
	if out := push(t, h, "payments", "c2", texts(rng, 60)); out.Records != 60 {
		t.Errorf("after the failures: %+v", out)
	}
}

// An older commit does not replace a later one.
func TestPushOlder(t *testing.T) {
	h, _ := open(t)
	push(t, h, "payments", "c2", texts(rand.New(rand.NewPCG(5, 6)), 3))
	p := pushOf("payments", "c1", nil)
	p.Older = func(there string) bool { return there == "c2" }
	if _, err := h.Push(t.Context(), p); !fault.Is(err, fault.Conflict) {
		t.Errorf("got %v, want a conflict", err)
	}
}

// With less read, as in a large hub, the first records are mostly the same.
func TestLargeHub(t *testing.T) {
	h, _ := open(t)
	for r := range 4 {
		push(t, h, fmt.Sprint("r", r), "c", texts(rand.New(rand.NewPCG(21, uint64(r))), 300))
	}
	few, bytes, own := fewRecords, mostBytes, ownRecords
	defer func() { fewRecords, mostBytes, ownRecords = few, bytes, own }()
	rng := rand.New(rand.NewPCG(22, 23))
	same, all := 0, 0
	for range longtest.Of(15, 40) {
		// The vocabulary's last words are the rarest.
		text := vocabulary[rng.IntN(8)] + " " + vocabulary[len(vocabulary)-1-rng.IntN(8)]
		fewRecords, mostBytes, ownRecords = few, bytes, own
		want, _ := found(t, h, text)
		fewRecords, mostBytes, ownRecords = 0, 4000, 100
		got, _ := found(t, h, text)
		for i, hit := range want {
			id, _, _ := strings.Cut(hit, " ")
			all++
			if i < len(got) && slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, id+" ") }) {
				same++
			}
		}
	}
	if same*100 < all*90 || all == 0 {
		t.Errorf("%d of %d", same, all)
	}
}

// found asks the hub and returns the page that it gives.
func found(t *testing.T, h *Hub, text string) (titles []string, total int) {
	t.Helper()
	f, err := h.Ask(t.Context(), Question{Text: text, Most: 30})
	if err != nil {
		t.Fatalf("%v: %v", err, fault.Of(err).Cause)
	}
	own, err := store.Open(store.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	st := store.OpenTexts(f.Texts, own)
	defer st.Close()
	ix, err := index.OpenPart(t.Context(), st, f.Census)
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	return page(t, ix, text)
}

func page(t *testing.T, ix *index.Index, text string) (titles []string, total int) {
	t.Helper()
	p, err := ix.Query(context.Background(), index.Query{Text: text, Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	for _, hit := range p.Hits {
		titles = append(titles, fmt.Sprintf("%s %.3f", hit.ID, hit.Score))
	}
	return titles, p.Total
}

// The hub gives the order, the scores and the totals of one store with the records of all repositories, before changes and
// after.
func TestSameAsFiles(t *testing.T) {
	t.Parallel()
	h, _ := open(t)
	rng := rand.New(rand.NewPCG(7, 8))
	dir := t.TempDir()
	for round := range 2 {
		for r := range 5 {
			name := fmt.Sprintf("r%d", r)
			now := texts(rng, 300)
			push(t, h, name, fmt.Sprint("c", round), now)
			at := dir + "/.sdd/facts/@" + name
			if err := errors.Join(os.RemoveAll(at), os.MkdirAll(at, 0o755)); err != nil {
				t.Fatal(err)
			}
			for path, text := range now {
				if err := os.WriteFile(at+strings.TrimPrefix(path, "facts"), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
		st, err := store.Open(store.Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		ix := index.OpenOnce(st)
		if err := ix.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		for range longtest.Of(20, 60) {
			var words []string
			for range 1 + rng.IntN(4) {
				w := vocabulary[rng.IntN(len(vocabulary))]
				words = append(words, w[:len(w)-rng.IntN(2)])
			}
			text := strings.Join(words, " ")
			got, total := found(t, h, text)
			want, all := page(t, ix, text)
			if total != all || !slices.Equal(got, want) {
				t.Errorf("%q: %d of %q, want %d of %q", text, total, got, all, want)
			}
		}
		ix.Close()
		st.Close()
	}
}
