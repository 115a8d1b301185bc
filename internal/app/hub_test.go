package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"sdd/internal/answer"
	"sdd/internal/hub"
	"sdd/internal/hub/hubtest"
	"sdd/internal/index"
	"sdd/internal/record"
	"sdd/internal/store"
)

// TestHubsKeepConnection: questions one after the other have one connection, and a lost one is made again.
func TestHubsKeepConnection(t *testing.T) {
	if _, ok := hubtest.Program(); !ok {
		t.Skip("there is no PostgreSQL")
	}
	c, err := hubtest.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Stop()
	s := hub.Settings{DSN: c.DSN("postgres", "postgres"), Wait: hub.MostWait}
	h, err := hub.Open(t.Context(), s.DSN)
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.Init(t.Context())
	h.Close()
	if err != nil {
		t.Fatal(err)
	}
	var k hubs
	defer k.swap("", nil)
	ask := func() *hub.Hub {
		t.Helper()
		if _, err := k.ask(t.Context(), s, hub.Question{Text: "refunds", Most: 1}); err != nil {
			t.Fatal(err)
		}
		return k.idle
	}
	first := ask()
	if first == nil || ask() != first {
		t.Error("another connection")
	}
	if err := c.Restart("restart"); err != nil {
		t.Fatal(err)
	}
	if again := ask(); again == nil || again == first {
		t.Error("the lost connection is still there")
	}
	s.DSN = c.DSN("postgres", "template1")
	if _, err := k.ask(t.Context(), s, hub.Question{Text: "refunds", Most: 1}); err == nil || k.idle != nil {
		t.Errorf("a database without a hub: %v", err)
	}
}

// wordVectors is a server for embeddings in which words with the same three first letters mean the same. It answers nothing while
// it is silent.
func wordVectors(t *testing.T, silent *atomic.Bool) *httptest.Server {
	done := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if silent.Load() {
			<-done
			return
		}
		var in struct{ Input []string }
		_ = json.NewDecoder(r.Body).Decode(&in)
		type one struct {
			Embedding []float64 `json:"embedding"`
		}
		var out struct {
			Data []one `json:"data"`
		}
		for _, text := range in.Input {
			v := make([]float64, 32)
			for _, word := range strings.Fields(text) {
				h := fnv.New64()
				h.Write([]byte(word[:min(3, len(word))]))
				rng := rand.New(rand.NewPCG(h.Sum64(), 1))
				for i := range v {
					v[i] += rng.NormFloat64()
				}
			}
			out.Data = append(out.Data, one{v})
		}
		_ = json.NewEncoder(w).Encode(out)
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(done) })
	return server
}

// storeWith returns the use cases of a new store with these files.
func storeWith(t *testing.T, files map[string]string) *App {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, ".sdd", name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
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
	w := New(st, ix, Options{})
	t.Cleanup(func() { w.Close(); ix.Close(); st.Close() })
	return w
}

// TestHubVectors: with embeddings an answer over the hub has the records of an answer from the same files, in their order; without
// their server it is found by words, and says so.
func TestHubVectors(t *testing.T) {
	if _, ok := hubtest.Program(); !ok {
		t.Skip("there is no PostgreSQL")
	}
	c, err := hubtest.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Stop()
	t.Setenv("HUB", c.DSN("postgres", "postgres"))
	h, err := hub.Open(t.Context(), "$HUB")
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if made, err := h.Init(t.Context()); err != nil {
		t.Fatal(err)
	} else if !made.Vectors {
		t.Skip(made.Why)
	}
	var silent atomic.Bool
	server := wordVectors(t, &silent)
	conf := "project: shop\nhub: {dsn: $HUB, wait: 60s}\nembeddings: {url: '" + server.URL + "', model: words, timeout: 60s}\n"
	reader := storeWith(t, map[string]string{"config.yaml": conf})
	words := strings.Fields("retry payment token cache queue login session index invoice worker latency timeout schema migration deploy")
	rng := rand.New(rand.NewPCG(41, 42))
	merged, texts := map[string]string{"config.yaml": conf}, map[string][]byte{}
	for r := range 3 {
		p := hub.Push{Repository: fmt.Sprint("r", r), Commit: "c"}
		for i := range 60 {
			var b strings.Builder
			fmt.Fprintf(&b, "---\nid: fact-%012x\nlevel: 1\ncreated: 2026-01-01\n---\n", rng.Uint64()>>16)
			for range 4 + rng.IntN(9) {
				b.WriteString(words[rng.IntN(len(words))] + " ")
			}
			path, src := fmt.Sprintf("facts/f%d.md", i), []byte(b.String()+"\n")
			p.Files = append(p.Files, hub.File{Path: path, Blob: record.Etag(src), Read: func() ([]byte, error) { return src, nil }})
			path = record.InRepository(p.Repository, path)
			merged[path], texts[path] = string(src), src
		}
		if why, err := h.Embed(t.Context(), reader.Store, &p); why != "" || err != nil || len(p.Units) != 60 {
			t.Fatalf("%d vectors, %s, %v", len(p.Units), why, err)
		}
		if _, err := h.Push(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	files := storeWith(t, merged)
	if units, why, err := files.Embeddings.Vectors(t.Context(), texts); len(units) != 180 || err != nil {
		t.Fatalf("%d vectors, %s, %v", len(units), why, err)
	}
	plain := storeWith(t, map[string]string{"config.yaml": "project: shop\nhub: {dsn: $HUB, wait: 60s}\n"})
	helped := 0
	for range 30 {
		a, b := words[rng.IntN(len(words))], words[rng.IntN(len(words))]
		q := answer.Query{Query: a[:3] + "zzq " + b, ReadOnly: true, MaxTokens: 4000}
		got, missed, err := reader.BriefFrom(t.Context(), true, q)
		if err != nil || missed != nil {
			t.Fatal(err, missed)
		}
		want, err := files.Answers.Brief(t.Context(), q)
		if err != nil || !slices.Equal(got.Sources[:min(10, len(got.Sources))], want.Sources[:min(10, len(want.Sources))]) {
			t.Errorf("%q: %q, the files %q, %v", q.Query, got.Sources, want.Sources, err)
		}
		if strings.Contains(strings.Join(got.Suggestions, " "), "embeddings") {
			t.Errorf("%q: %q", q.Query, got.Suggestions)
		}
		if byWords, _, err := plain.BriefFrom(t.Context(), true, q); err != nil || !slices.Equal(byWords.Sources, got.Sources) {
			helped++
		}
	}
	if helped < 20 {
		t.Errorf("the vectors change %d answers", helped)
	}
	silent.Store(true)
	slow := storeWith(t, map[string]string{"config.yaml": strings.Replace(conf, "timeout: 60s", "timeout: 50ms", 1)})
	got, missed, err := slow.BriefFrom(t.Context(), true, answer.Query{Query: "retry payment", MaxTokens: 4000})
	if err != nil || missed != nil || len(got.Sources) == 0 || !strings.Contains(strings.Join(got.Suggestions, " "), "embeddings: no answer within 50ms; the ranking is by words") {
		t.Errorf("without the server: %q, %q, %v, %v", got.Sources, got.Suggestions, missed, err)
	}
	silent.Store(false)
	other := storeWith(t, map[string]string{"config.yaml": strings.Replace(conf, "model: words", "model: letters", 1)})
	got, _, err = other.BriefFrom(t.Context(), true, answer.Query{Query: "retry payment", MaxTokens: 4000})
	if err != nil || len(got.Sources) == 0 || !strings.Contains(strings.Join(got.Suggestions, " "), "the hub has no vectors of letters") {
		t.Errorf("another model: %q, %q, %v", got.Sources, got.Suggestions, err)
	}
}
