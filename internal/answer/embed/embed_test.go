package embed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"sdd/internal/allow"
	"sdd/internal/config"
	"sdd/internal/index"
	"sdd/internal/record"
	"sdd/internal/store"
)

// brain is a server whose vectors have one dimension for each topic, so that words of one topic are near each other.
type brain struct {
	*httptest.Server
	calls atomic.Int64

	mu     sync.Mutex
	texts  []string
	auth   string
	answer func(w http.ResponseWriter, texts []string) bool // instead; false goes on
}

var topics = [][]string{
	{"login", "token", "authentication", "session"}, {"payment", "invoice", "billing"}, {"deploy", "release", "rollout"}, {"cache", "eviction", "memory"},
}

func vectorOf(text string) []float32 {
	v := make([]float32, len(topics)+4)
	h := fnv.New32()
	h.Write([]byte(text))
	v[len(topics)+int(h.Sum32()%4)] = 0.2
	for n, words := range topics {
		for _, w := range words {
			if strings.Contains(strings.ToLower(text), w) {
				v[n]++
			}
		}
	}
	return v
}

func newBrain(t *testing.T) *brain {
	b := &brain{}
	b.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.calls.Add(1)
		var in struct{ Input []string }
		src, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(src, &in); err != nil || r.URL.Path != "/v1/embeddings" || r.Method != http.MethodPost {
			http.Error(w, "odd request", http.StatusTeapot)
			return
		}
		b.mu.Lock()
		b.texts = append(b.texts, in.Input...)
		b.auth = r.Header.Get("Authorization")
		answer := b.answer
		b.mu.Unlock()
		if answer != nil && answer(w, in.Input) {
			return
		}
		reply(w, in.Input, vectorOf)
	}))
	t.Cleanup(b.Server.Close)
	return b
}

func reply(w http.ResponseWriter, texts []string, of func(string) []float32) {
	type one struct {
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	}
	var out struct {
		Data []one `json:"data"`
	}
	for n := range texts {
		n = len(texts) - 1 - n // the order of an answer is not to be relied on
		out.Data = append(out.Data, one{n, of(texts[n])})
	}
	_ = json.NewEncoder(w).Encode(out)
}

func (b *brain) instead(f func(w http.ResponseWriter, texts []string) bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.answer = f
}

func text(s string) func(http.ResponseWriter, []string) bool {
	return func(w http.ResponseWriter, _ []string) bool { io.WriteString(w, s); return true }
}

// corner is a store with a few records, and its config.
type corner struct {
	dir string
	st  *store.Store
	ix  *index.Index
}

func newPlace(t *testing.T, settings string) *corner {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "config"))
	p := &corner{dir: t.TempDir()}
	for name, body := range map[string]string{
		"facts/fact-aaaaaaaaaaaa-a.md":        "---\nid: fact-aaaaaaaaaaaa\nlevel: 1\ndomain: hush\n---\nThe login issues a token for an hour.\n",
		"facts/fact-bbbbbbbbbbbb-b.md":        "---\nid: fact-bbbbbbbbbbbb\nlevel: 1\n---\nEvery invoice is rounded half up.\n",
		"facts/fact-cccccccccccc-c.md":        "---\nid: fact-cccccccccccc\nlevel: 1\n---\nA rollout starts with one machine.\n",
		"personal/facts/fact-dddddddddddd.md": "---\nid: fact-dddddddddddd\nlevel: 1\nscope: personal\n---\nMy session notes.\n",
		"explore/checkout.md":                 "---\ntitle: Checkout\n---\n\n## Goals\n\n- one page\n\n## Decisions\n\n- billing goes through the ledger\n",
		"config.yaml":                         settings,
	} {
		file := filepath.Join(p.dir, ".sdd", name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p.open(t)
	return p
}

func (p *corner) open(t *testing.T) *Embeddings {
	t.Helper()
	st, err := store.Open(store.Options{Dir: p.dir, Tool: "test"})
	if err != nil {
		t.Fatal(err)
	}
	p.st, p.ix = st, index.Open(st)
	e := New(st, p.ix)
	t.Cleanup(func() { e.Close(); p.ix.Close(); st.Close() })
	if err := p.ix.Refresh(context.Background()); err != nil {
		t.Fatal(err)
	}
	return e
}

func configOf(b *brain, more string) string {
	return fmt.Sprintf("embeddings:\n  url: %s\n  model: m\n%s", b.URL, more)
}

// patient leaves time for a busy machine.
const patient = "  timeout: 30s\n"

// Made is what Make did.
type Made struct {
	Records int // that have vectors now
	New     int // made by this call
	Refused int // by the server
}

// Make makes all vectors that are missing, as the work behind a question does, and waits for them.
func (e *Embeddings) Make(ctx context.Context) (Made, error) {
	settings, _, err := e.settings()
	if err != nil {
		return Made{}, err
	}
	if !settings.allowed(e.private()) {
		return Made{}, errors.New(untrusted(settings))
	}
	if err := e.ix.Refresh(ctx); err != nil {
		return Made{}, err
	}
	s := e.known(settings)
	before := e.spaceOf(s).records()
	err = e.makeMissing(ctx, s)
	now := e.spaceOf(s).records()
	return Made{now, max(0, now-before), len(s.bad)}, err
}

func mustMake(t *testing.T, e *Embeddings) Made {
	t.Helper()
	m, err := e.Make(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestNear(t *testing.T) {
	b := newBrain(t)
	p := newPlace(t, configOf(b, patient))
	e := p.open(t)
	if m := mustMake(t, e); m.Records != 5 || m.New != 5 {
		t.Fatalf("made %+v", m)
	}
	for _, sent := range b.texts {
		if strings.Contains(sent, "hush") || strings.Contains(sent, "level:") {
			t.Errorf("front matter was sent: %q", sent)
		}
	}
	a := <-e.Ask(context.Background(), "How does authentication work?", false)
	if a.Why != "" || len(a.Near) == 0 || a.Near[0].ID != "fact-aaaaaaaaaaaa" {
		t.Fatalf("answer %+v", a)
	}
	a = <-e.Ask(context.Background(), "payment", false)
	found := false
	for _, n := range a.Near {
		if n.Kind == record.Exploration {
			found = true
			r := record.Parse(n.Path, mustRead(t, p, n.Path), record.Defaults{})
			if name, ok := SectionOf(&r, n.Section); !ok || name != "Decisions" {
				t.Errorf("section %d is %q", n.Section, name)
			}
		}
	}
	if !found {
		t.Errorf("the section is not near: %+v", a)
	}
	if a := <-e.Ask(context.Background(), "weather in spring", false); len(a.Near) > 1 {
		t.Errorf("near nothing: %+v", a.Near)
	}

	// What is kept is not made again, and the same question gives the same answer.
	before := b.calls.Load()
	again := p.open(t)
	if m := mustMake(t, again); m.New != 0 || m.Records != 5 {
		t.Errorf("made again: %+v", m)
	}
	one, two := <-again.Ask(context.Background(), "payment", false), <-again.Ask(context.Background(), "payment", false)
	if fmt.Sprint(one) != fmt.Sprint(a) && fmt.Sprint(one) != fmt.Sprint(two) || b.calls.Load() != before+1 {
		t.Errorf("%v and %v, %d calls", one, two, b.calls.Load()-before)
	}
}

func mustRead(t *testing.T, p *corner, path string) []byte {
	t.Helper()
	f, err := p.st.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return f.Bytes
}

// TestBehind: the first question starts the work, and does not wait for it.
func TestBehind(t *testing.T) {
	b := newBrain(t)
	e := newPlace(t, configOf(b, patient)).open(t)
	if a := <-e.Ask(context.Background(), "payment", true); a.Why != "" || len(a.Near) != 0 || b.calls.Load() != 0 {
		t.Fatalf("a reader had vectors made: %+v, %d calls", a, b.calls.Load())
	}
	if a := <-e.Ask(context.Background(), "payment", false); a.Why != "" || len(a.Near) != 0 {
		t.Fatalf("before there are vectors: %+v", a)
	}
	e.filling.Wait()
	if a := <-e.Ask(context.Background(), "payment", false); len(a.Near) == 0 {
		t.Fatalf("after: %+v", a)
	}
}

func TestFailures(t *testing.T) {
	var release chan struct{}
	vector := func(v string) string { return `{"data":[{"index":0,"embedding":[` + v + `]}]}` }
	for name, tc := range map[string]struct {
		answer func(http.ResponseWriter, []string) bool
		more   string
		want   string
	}{
		"slow": {func(w http.ResponseWriter, _ []string) bool { <-release; return true }, "  timeout: 50ms\n", "no answer within 50ms"},
		"401": {func(w http.ResponseWriter, _ []string) bool {
			w.WriteHeader(401)
			io.WriteString(w, `{"error":{"message":"bad key"}}`)
			return true
		}, patient, `401 Unauthorized: "bad key"`},
		"500": {func(w http.ResponseWriter, _ []string) bool {
			w.WriteHeader(500)
			io.WriteString(w, `{"error":"out of memory"}`)
			return true
		}, patient, `out of memory`},
		"redirect": {func(w http.ResponseWriter, _ []string) bool {
			w.Header().Set("Location", "http://192.0.2.1/")
			w.WriteHeader(307)
			return true
		}, patient, "307"},
		"dimensions":      {text(vector("1,2,3")), patient, "3 dimensions instead of 8"},
		"asked":           {text(vector("1,2,3")), patient + "  dimensions: 8\n", "3 dimensions instead of 8"},
		"NaN":             {text(vector("1,NaN,3,4,5,6,7,8")), patient, "NaN"},
		"too large":       {text(vector("1,1e99,3,4,5,6,7,8")), patient, "cannot be read"},
		"no direction":    {text(vector("0,0,0,0,0,0,0,0")), patient, "without a direction"},
		"none":            {text(`{"data":[]}`), patient, "0 vectors came, 1 were asked for"},
		"too many":        {text(`{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1]}]}`), patient, "2 vectors came, 1 were asked for"},
		"empty":           {text(``), patient, "cannot be read"},
		"html":            {text(`<html>`), patient, "cannot be read"},
		"another number":  {text(`{"data":[{"index":7,"embedding":[1]}]}`), patient, "not numbered"},
		"an empty vector": {text(vector("")), patient, "empty vector"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBrain(t)
			release = make(chan struct{})
			t.Cleanup(func() { close(release) })
			p := newPlace(t, configOf(b, strings.ReplaceAll(tc.more, "50ms", "30s")))
			mustMake(t, p.open(t))
			if tc.more != patient {
				os.WriteFile(filepath.Join(p.dir, ".sdd/config.yaml"), []byte(configOf(b, tc.more)), 0o644)
			}
			e := p.open(t)
			b.instead(tc.answer)
			before := b.calls.Load()
			a := <-e.Ask(context.Background(), "payment", false)
			if len(a.Near) > 0 || !strings.Contains(a.Why, tc.want) || !strings.Contains(a.Why, "by words") {
				t.Fatalf("answer %+v, want %q", a, tc.want)
			}
			b.instead(nil)
			if again := <-e.Ask(context.Background(), "payment", false); again.Why != a.Why {
				t.Errorf("asked again: %+v", again)
			}
			if other := <-p.open(t).Ask(context.Background(), "payment", false); other.Why != a.Why {
				t.Errorf("another process asks again: %+v", other)
			}
			if n := b.calls.Load() - before; n != 1 {
				t.Errorf("%d calls", n)
			}
		})
	}
}

func TestDown(t *testing.T) {
	b := newBrain(t)
	p := newPlace(t, configOf(b, patient))
	mustMake(t, p.open(t))
	b.Server.Close()
	if a := <-p.open(t).Ask(context.Background(), "payment", false); !strings.Contains(a.Why, "cannot be reached") {
		t.Errorf("answer %+v", a)
	}
	if _, err := p.open(t).Make(context.Background()); err != nil {
		t.Errorf("nothing was to be made: %v", err)
	}
}

func TestKey(t *testing.T) {
	b := newBrain(t)
	e := newPlace(t, configOf(b, patient+"  api_key_env: SDD_TEST_KEY\n")).open(t)
	if _, err := e.Make(context.Background()); err == nil || !strings.Contains(err.Error(), "SDD_TEST_KEY") || b.calls.Load() != 0 {
		t.Errorf("without a key: %v", err)
	}
	t.Setenv("SDD_TEST_KEY", "abc")
	mustMake(t, e)
	if b.auth != "Bearer abc" {
		t.Errorf("key %q", b.auth)
	}
}

// TestElsewhere: a server that is not on this machine is asked only with a person's word, and never gets what is personal or secret.
func TestElsewhere(t *testing.T) {
	b := newBrain(t)
	proxied := strings.TrimPrefix(b.URL, "http://")
	old := transport.Proxy
	transport.Proxy = func(r *http.Request) (*url.URL, error) { return url.Parse("http://" + proxied) }
	t.Cleanup(func() { transport.Proxy = old })
	p := newPlace(t, "embeddings: {url: 'http://vectors.example', model: m, timeout: 30s}\n")
	key := "glpat-" + "Zq3xK9vT" + "w7LmR2bYc4Hd"
	os.WriteFile(filepath.Join(p.dir, ".sdd/facts/fact-eeeeeeeeeeee.md"), []byte("---\nid: fact-eeeeeeeeeeee\n---\nThe cache uses "+key+"\n"), 0o644)
	e := p.open(t)
	if a := <-e.Ask(context.Background(), "payment", false); !strings.Contains(a.Why, "sdd trust") || b.calls.Load() != 0 {
		t.Fatalf("asked without a word: %+v, %d calls", a, b.calls.Load())
	}
	if _, err := e.Make(context.Background()); err == nil {
		t.Fatal("made without a word")
	}
	cfg, _ := p.st.Config()
	s, _, _ := SettingsOf(cfg)
	access, needed := s.Access()
	if !needed {
		t.Fatal("nobody is asked")
	}
	if err := allow.Open(e.private()).Trust(access); err != nil {
		t.Fatal(err)
	}
	if m := mustMake(t, e); m.Records != 4 {
		t.Errorf("made %+v", m)
	}
	for _, sent := range b.texts {
		if strings.Contains(sent, "My session") || strings.Contains(sent, key) {
			t.Errorf("left the machine: %q", sent)
		}
	}
}

func TestRefused(t *testing.T) {
	b := newBrain(t)
	b.instead(func(w http.ResponseWriter, texts []string) bool {
		for _, s := range texts {
			if strings.Contains(s, "rollout") {
				w.WriteHeader(400)
				return true
			}
		}
		return false
	})
	e := newPlace(t, configOf(b, patient)).open(t)
	if m := mustMake(t, e); m.Records != 4 || m.Refused != 1 {
		t.Errorf("made %+v", m)
	}
	before := b.calls.Load()
	if mustMake(t, e); b.calls.Load() != before {
		t.Error("asked again for what was refused")
	}
	b.instead(func(w http.ResponseWriter, texts []string) bool { w.WriteHeader(400); return true })
	if _, err := newPlace(t, configOf(b, patient)).open(t).Make(context.Background()); err == nil {
		t.Error("a server that refuses everything is no failure")
	}
}

func TestSettings(t *testing.T) {
	for src, want := range map[string]string{
		"embeddings: yes":                                           "embeddings",
		"embeddings: {url: 'http://x'}":                             "model",
		"embeddings: {model: m}":                                    "url",
		"embeddings: {url: 'ftp://x', model: m}":                    "embeddings.url",
		"embeddings: {url: 'http://me:pw@x', model: m}":             "embeddings.url",
		"embeddings: {url: 'http://x', model: m, timeout: soon}":    "embeddings.timeout",
		"embeddings: {url: 'http://x', model: m, timeout: 5h}":      "embeddings.timeout",
		"embeddings: {url: 'http://x', model: m, dimensions: 0}":    "embeddings.dimensions",
		"embeddings: {url: 'http://x', model: m, dimensions: many}": "embeddings.dimensions",
		"embeddings: {url: 'http://x', model: [m]}":                 "embeddings.model",
	} {
		c, err := config.Parse([]byte(src))
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := SettingsOf(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", src, err)
		}
	}
	for in, want := range map[string]string{
		"http://localhost:11434": "http://localhost:11434/v1/embeddings", "http://localhost:11434/": "http://localhost:11434/v1/embeddings",
		"https://x/v1": "https://x/v1/embeddings", "https://x/v1/": "https://x/v1/embeddings", "https://x/v1/embeddings": "https://x/v1/embeddings",
	} {
		if got := (Settings{URL: in}).endpoint(); got != want {
			t.Errorf("%s: %s", in, got)
		}
	}
	for in, want := range map[string]bool{"http://localhost:1": true, "http://127.0.0.1": true, "http://[::1]:1": true, "http://localhost.evil.example": false, "http://10.0.0.1": false} {
		if got := (Settings{URL: in}).local(); got != want {
			t.Errorf("%s: local %v", in, got)
		}
	}
}

// TestShelf: what is kept survives damage, deletion, other models and many files.
func TestShelf(t *testing.T) {
	b := newBrain(t)
	p := newPlace(t, configOf(b, patient))
	mustMake(t, p.open(t))
	dir := filepath.Join(p.dir, ".sdd/.local/embeddings")
	files := func() (names []string) {
		all, _ := filepath.Glob(filepath.Join(dir, "*.vec"))
		return all
	}
	if len(files()) != 1 {
		t.Fatalf("files %v", files())
	}
	src, _ := os.ReadFile(files()[0])
	for name, damaged := range map[string][]byte{"cut": src[:len(src)/2], "empty": {}, "flipped": append(append([]byte{}, src[:40]...), append([]byte{src[40] ^ 1}, src[41:]...)...)} {
		os.WriteFile(files()[0], damaged, 0o644)
		if m := mustMake(t, p.open(t)); m.New != 5 {
			t.Errorf("%s: %+v", name, m)
		}
		if m := mustMake(t, p.open(t)); m.New != 0 {
			t.Errorf("%s is not mended: %+v", name, m)
		}
	}
	os.RemoveAll(dir)
	if m := mustMake(t, p.open(t)); m.New != 5 {
		t.Errorf("deleted: %+v", m)
	}
	e := p.open(t)
	for i := range 20 {
		os.WriteFile(filepath.Join(p.dir, ".sdd/facts/fact-cccccccccccc-c.md"), fmt.Appendf(nil, "---\nid: fact-cccccccccccc\n---\nRelease %d.\n", i), 0o644)
		mustMake(t, e)
		if n := len(files()); n != 1 {
			t.Fatalf("%d files", n)
		}
	}
	if m := mustMake(t, p.open(t)); m.New != 0 || m.Records != 5 {
		t.Errorf("put together: %+v", m)
	}
	os.WriteFile(filepath.Join(p.dir, ".sdd/config.yaml"), []byte(strings.Replace(configOf(b, patient), "model: m", "model: n", 1)), 0o644)
	if m := mustMake(t, p.open(t)); m.New != 5 || len(files()) != 1 {
		t.Errorf("another model: %+v, %v", m, files())
	}
}

func TestTogether(t *testing.T) {
	b := newBrain(t)
	p := newPlace(t, configOf(b, patient))
	var all []*Embeddings
	for range 4 {
		all = append(all, p.open(t))
	}
	var work sync.WaitGroup
	for _, e := range all {
		work.Go(func() {
			for range 20 {
				<-e.Ask(context.Background(), "payment", false)
			}
		})
	}
	work.Wait()
	for _, e := range all {
		e.filling.Wait()
	}
	if m := mustMake(t, p.open(t)); m.Records != 5 {
		t.Errorf("made %+v", m)
	}
}

func TestDot(t *testing.T) {
	for n := range 40 {
		a, b := make([]float32, n), make([]float32, n)
		want := 0.0
		for i := range a {
			a[i], b[i] = rand.Float32(), rand.Float32()
			want += float64(a[i]) * float64(b[i])
		}
		if got := float64(dot(a, b)); got < want-1e-4 || got > want+1e-4 {
			t.Errorf("%d: %g, want %g", n, got, want)
		}
	}
}

// BenchmarkNear is one question over 10,000 records of 768 dimensions.
func BenchmarkNear(b *testing.B) {
	sp := &space{}
	rng := rand.New(rand.NewPCG(1, 2))
	one := func() []float32 {
		v := make([]float32, 768)
		for i := range v {
			v[i] = rng.Float32() - 0.5
		}
		unit(v)
		return v
	}
	for i := range 10_000 {
		sp.units = append(sp.units, place{&index.Entry{Path: fmt.Sprint(i)}, 0, one()})
	}
	q := one()
	for b.Loop() {
		sp.near(q)
	}
}
