package app

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sdd/internal/answer"
)

// TestMeaning: where a server for embeddings knows that two texts are about one thing, the answer has the record that shares no
// word with the question; what its words rank first stays first, and the same call gives the same bytes.
func TestMeaning(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Input []string }
		_ = json.NewDecoder(r.Body).Decode(&in)
		type one struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		}
		var out struct {
			Data []one `json:"data"`
		}
		for n, text := range in.Input {
			v := []float32{0.1, float32(len(text)%7) / 50, 0}
			for _, word := range []string{"sign in", "authentication", "credential"} {
				if strings.Contains(strings.ToLower(text), word) {
					v[2] = 3
				}
			}
			out.Data = append(out.Data, one{n, v})
		}
		_ = json.NewEncoder(w).Encode(out)
	}))
	defer server.Close()
	files := fixture()
	files["facts/fact-0000000000aa-s.md"] = "---\nid: fact-0000000000aa\nlevel: 2\n---\nPeople sign in by mail and passphrase.\n"
	files["facts/fact-0000000000bb-t.md"] = "---\nid: fact-0000000000bb\nlevel: 2\n---\nThe authentication service is called Cerberus.\n"
	files["explore/entry.md"] = "---\ntitle: Front door\n---\n\n## Goals\n\n- one page\n\n## Constraints\n\n- credential stuffing must be slowed down\n"
	const question = "authentication Cerberus"
	tell := func(w *App) answer.Result {
		t.Helper()
		r, err := w.Answers.Brief(context.Background(), answer.Query{Query: question, Mode: answer.Route})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	w := open(t, files)
	if r := tell(w); slices.Contains(r.Sources, "fact-0000000000aa") {
		t.Fatalf("found by words alone: %v", r.Sources)
	}
	dir := w.Store.Dir()
	config := "embeddings: {url: '" + server.URL + "', model: m, timeout: 30s}\n"
	if err := os.WriteFile(filepath.Join(dir, ".sdd/config.yaml"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	w = reopen(t, dir)
	tell(w)
	<-w.Embeddings.Ask(context.Background(), question, false)
	w.Close() // waits for the vectors
	w = reopen(t, dir)
	one := tell(w)
	for _, id := range []string{"fact-0000000000aa", "fact-0000000000bb", "explore/front-door"} {
		if !slices.Contains(one.Sources, id) {
			t.Errorf("%s is not told: %v", id, one.Sources)
		}
	}
	if !strings.Contains(one.Context, "credential stuffing") || len(one.Suggestions) > 1 {
		t.Errorf("the section is not told, or something is wrong:\n%s\n%v", one.Context, one.Suggestions)
	}
	relevant := one.Context[strings.Index(one.Context, "## What answers"):]
	if a, b := strings.Index(relevant, "0000000000bb"), strings.Index(relevant, "0000000000aa"); a < 0 || b < 0 || a > b {
		t.Errorf("what has the words is not first:\n%s", relevant)
	}
	if two := tell(reopen(t, dir)); two.Context != one.Context {
		t.Errorf("another answer:\n%s", two.Context)
	}
	s, err := w.Status(context.Background())
	if err != nil || s.Embeddings == nil || s.Embeddings.Missing != 0 || !strings.Contains(s.Text(), "embeddings: m at") {
		t.Errorf("status %+v, %v", s.Embeddings, err)
	}
}
