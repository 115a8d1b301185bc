package docs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"sdd/internal/allow"
	"sdd/internal/docs/fetch"
	"sdd/internal/docs/inventory"
	"sdd/internal/fault"
	"sdd/internal/store"
)

// site serves files by their whole address; those that end with a slash are its folders' pages.
type site struct {
	*httptest.Server
	mu    sync.Mutex
	files map[string]string
	asked []string
	down  bool
}

func newSite(t *testing.T, files map[string]string) *site {
	t.Helper()
	s := &site{files: files}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		at := "http://" + r.Host + r.URL.RequestURI()
		s.asked = append(s.asked, at)
		text, ok := s.files[at]
		to, moved := strings.CutPrefix(text, "-> ")
		switch {
		case s.down:
			w.WriteHeader(http.StatusBadGateway)
		case !ok:
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusNotFound)
			io.WriteString(w, "<html><body>not here</body></html>")
		case moved:
			http.Redirect(w, r, to, http.StatusFound)
		default:
			if strings.HasSuffix(at, ".html") || strings.HasSuffix(at, "/") {
				w.Header().Set("Content-Type", "text/html; charset=utf-8")
			} else {
				w.Header().Set("Content-Type", "application/octet-stream")
			}
			io.WriteString(w, text)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// visitor is a reader for whom every name is the site, at a public address; inside.example is at a private one.
func visitor(t *testing.T, s *site, settings Settings) *Reader {
	t.Helper()
	if settings.Cache == "" {
		settings.Cache = t.TempDir()
	}
	r := New(settings)
	r.web.Dial = func(ctx context.Context, _, address string, check func(netip.Addr) error) (net.Conn, error) {
		a := netip.MustParseAddr("93.184.216.34")
		if strings.HasPrefix(address, "inside.example:") {
			a = netip.MustParseAddr("10.0.0.1")
		}
		if err := check(a); err != nil {
			return nil, err
		}
		var d net.Dialer
		return d.DialContext(ctx, "tcp", s.Listener.Addr().String())
	}
	return r
}

func anyHost() Settings { return Settings{AnyHost: true} }

// TestWebSources names a documentation of the web in every way there is.
func TestWebSources(t *testing.T) {
	const base = "http://docs.example/en/latest/"
	files := map[string]string{
		base + "objects.inv": inventoryOf(demoLines), base + "index.html": demoPage,
		"http://mk.example/search/search_index.json": `{"docs":[{"location":"","title":"Home"},{"location":"guide/#start","title":"Start here"}]}`,
		"http://mk.example/guide/":                   `<html><body><h1 id="guide">Guide</h1><h2 id="start">Start here</h2><p>Begin.</p></body></html>`,
		"http://moved.example/objects.inv":           "-> " + base + "objects.inv",
		"http://soft.example/objects.inv":            "<!doctype html><html>no such page",
		"http://soft.example/stable/objects.inv":     inventoryOf(demoLines), "http://soft.example/stable/index.html": demoPage,
		"http://page.example/objects.inv": "<!doctype html><html>no such page",
	}
	s := newSite(t, files)
	for source, want := range map[string]string{
		base: base, "http://docs.example/en/latest": base, base + "objects.inv": base, base + "index.html": base, base + "deep/er/page.html#x": base,
		base + "index.html?highlight=run": base, "http://docs.example": base, "HTTP://Docs.Example/": base, base + "tutorial/": base,
		"http://moved.example/": base, "http://soft.example/": "http://soft.example/stable/",
	} {
		res := explore(t, visitor(t, s, anyHost()), source, "demo.run", Options{MaxObjects: 1})
		if !strings.EqualFold(res.Provenance.Base, want) || len(res.Documents) != 1 {
			t.Errorf("%s: %+v", source, res)
			continue
		}
		d := res.Documents[0].Documentation
		if !strings.EqualFold(d.URL, want+"index.html#demo.run") || *d.Signature != "run(x)" || d.Fetched == "" || res.Provenance.Fetched == "" || d.Stale {
			t.Errorf("%s: %+v", source, d)
		}
	}
	mk := explore(t, visitor(t, s, anyHost()), "http://mk.example/", "start here", Options{MaxObjects: 1})
	if d := mk.Documents[0].Documentation; mk.Provenance.Kind != "mkdocs" || d.URL != "http://mk.example/guide/#start" || *d.Description != "Begin." {
		t.Errorf("%+v", mk)
	}
	for source, want := range map[string]fault.Code{
		"http://nothing.example/": fault.NotFound, "http://page.example/": fault.Broken, "http://": fault.Invalid, "http://a:secret@docs.example/": fault.Invalid,
		"http://inside.example/": fault.Outside, "http://[::1/": fault.Invalid, "http://docs.example/%zz": fault.Invalid,
	} {
		_, err := visitor(t, s, anyHost()).Explore(context.Background(), source, "x", Options{})
		if f := fault.Of(err); f.Code != want || f.Arg != "source" || f.Hint == "" || strings.Contains(f.Message+f.Hint, "secret") {
			t.Errorf("%s: %#v", source, f)
		}
	}
	_, err := visitor(t, s, anyHost()).Explore(context.Background(), "http://nothing.example/a", "x", Options{})
	for _, tried := range []string{"objects.inv", "search_index.json", "/a/", "/a/en/latest/"} {
		if !strings.Contains(err.Error(), tried) {
			t.Errorf("%v does not say that %s was tried", err, tried)
		}
	}
	_, err = visitor(t, s, anyHost()).Explore(context.Background(), "http://page.example/", "x", Options{})
	if !errors.Is(err, inventory.ErrNotInventory) {
		t.Errorf("%v", err)
	}
}

// TestWebIsOff asks no host that is not configured, for agents.
func TestWebIsOff(t *testing.T) {
	const base = "http://docs.example/"
	s := newSite(t, map[string]string{base + "objects.inv": inventoryOf(demoLines), base + "index.html": demoPage,
		"http://away.example/objects.inv": "-> " + base + "objects.inv"})
	for _, tt := range []struct {
		name, source string
		settings     Settings
		code         fault.Code // "" for an answer
	}{
		{"nothing", base, Settings{}, fault.Outside},
		{"host", base, Settings{Hosts: []string{"Docs.example"}}, ""},
		{"host of a port", base, Settings{Hosts: []string{"docs.example:8080"}}, fault.Outside},
		{"port of a host", "http://docs.example:8080/", Settings{Hosts: []string{"docs.example"}}, fault.Outside},
		{"hosts below", base, Settings{Hosts: []string{"*.example"}}, ""},
		{"hosts below, not itself", base, Settings{Hosts: []string{"*.docs.example"}}, fault.Outside},
		{"another", base, Settings{Hosts: []string{"example"}}, fault.Outside},
		{"source", "mine", Settings{Sources: map[string]string{"mine": base}}, ""},
		{"address of a source", base, Settings{Sources: map[string]string{"mine": base}}, fault.Outside},
		{"redirect to a host that is not allowed", "mine", Settings{Sources: map[string]string{"mine": "http://away.example/"}}, fault.Outside},
		{"redirect to a host that is", "mine", Settings{Sources: map[string]string{"mine": "http://away.example/"}, Hosts: []string{"docs.example"}}, ""},
		{"all", base, anyHost(), ""},
	} {
		s.asked = nil
		res, err := visitor(t, s, tt.settings).Explore(context.Background(), tt.source, "demo.run", Options{MaxObjects: 1})
		if tt.code == "" && (err != nil || len(res.Documents) != 1) || tt.code != "" && !fault.Is(err, tt.code) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if tt.code != "" && !strings.HasPrefix(tt.name, "redirect") && len(s.asked) > 0 {
			t.Errorf("%s: asked for %q", tt.name, s.asked)
		}
	}
}

// TestWebPages looks up objects whose pages lead elsewhere or are no pages.
func TestWebPages(t *testing.T) {
	const base = "http://docs.example/"
	lines := "up py:function 1 ../up.html#x -\naway py:function 1 http://evil.example/#x -\nother py:function 1 //evil.example/a#x -\nleads py:function 1 leads.html#x -\n" +
		"inside py:function 1 inside.html#x -\nlost py:function 1 lost.html#x -\npicture py:function 1 picture.bin#x -\nnamed py:function 1 a%20b.html#x -\nfolder py:function 1 folder/#x -\n"
	s := newSite(t, map[string]string{
		base + "d/objects.inv": inventoryOf(lines), base + "d/leads.html": "-> http://evil.example/", "http://evil.example/": demoPage,
		base + "d/inside.html": "-> http://inside.example/", base + "up.html": demoPage, base + "d/picture.bin": demoPage, base + "d/a%20b.html": `<p id="x">A blank.</p>`,
		base + "d/folder/": `<p id="x">A folder.</p>`,
	})
	r := visitor(t, s, anyHost())
	for name, code := range map[string]string{
		"up": OutsideSource, "away": OutsideSource, "other": OutsideSource, "leads": OutsideSource, "inside": OutsideSource, "lost": PageNotFound, "picture": NotHTML,
	} {
		res := explore(t, r, base+"d/", name, Options{MatchMode: Exact})
		if len(res.Errors) != 1 || res.Errors[0].Code != code {
			t.Errorf("%s: not %s: %+v", name, code, res)
		}
	}
	for name, want := range map[string][2]string{"named": {"A blank.", "d/a%20b.html#x"}, "folder": {"A folder.", "d/folder/#x"}} {
		d := explore(t, r, base+"d/", name, Options{MatchMode: Exact}).Documents[0].Documentation
		if *d.Description != want[0] || d.URL != base+want[1] {
			t.Errorf("%s: %q %s", name, *d.Description, d.URL)
		}
	}
	if slices.ContainsFunc(s.asked, func(a string) bool { return strings.Contains(a, "evil") || strings.Contains(a, "inside.example") }) {
		t.Errorf("asked for %q", s.asked)
	}
}

// TestWebOffline answers with the kept copies, as old as they are, when the server is gone.
func TestWebOffline(t *testing.T) {
	const base = "http://docs.example/"
	s := newSite(t, map[string]string{base + "objects.inv": inventoryOf(demoLines), base + "index.html": demoPage})
	settings := anyHost()
	settings.Cache = t.TempDir()
	first := explore(t, visitor(t, s, settings), base, "demo.run", Options{MaxObjects: 1})
	asked := len(s.asked)
	again := explore(t, visitor(t, s, settings), base, "demo.run", Options{MaxObjects: 1})
	if len(s.asked) != asked || again.Provenance.Fetched != first.Provenance.Fetched {
		t.Errorf("%q is asked again", s.asked[asked:])
	}
	files, err := filepath.Glob(filepath.Join(settings.Cache, "web", "*"))
	if err != nil || len(files) != 2 {
		t.Fatalf("%q %v", files, err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		old := strings.Replace(string(data), first.Provenance.Fetched[:10], "2020-02-02", 1)
		if err := os.WriteFile(f, []byte(old), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.down = true
	stale := explore(t, visitor(t, s, settings), base, "demo.run", Options{MaxObjects: 1})
	d := stale.Documents[0].Documentation
	if !stale.Provenance.Stale || !d.Stale || !strings.HasPrefix(d.Fetched, "2020-02-02") || *d.Signature != "run(x)" {
		t.Errorf("%+v %+v", stale.Provenance, d)
	}
	if !strings.Contains(stale.Text(), "2020-02-02") {
		t.Errorf("the text does not say how old it is:\n%s", stale.Text())
	}
	_, err = visitor(t, s, anyHost()).Explore(context.Background(), base, "demo.run", Options{})
	if f := fault.Of(err); f.Code != fault.Unavailable || f.Hint == "" {
		t.Errorf("without a copy: %#v", f)
	}
	other := explore(t, visitor(t, s, settings), base, "lost", Options{MatchMode: Exact})
	if len(other.Errors) != 1 || other.Errors[0].Code != FetchFailed {
		t.Errorf("%+v", other)
	}
}

// TestPrivateHosts asks this machine only where config.yaml says so and a person did.
func TestPrivateHosts(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	dir := t.TempDir()
	served := newSite(t, map[string]string{})
	u, err := url.Parse(served.URL)
	if err != nil {
		t.Fatal(err)
	}
	served.files[served.URL+"/objects.inv"], served.files[served.URL+"/index.html"] = inventoryOf(demoLines), demoPage
	ask := func(s Settings) error {
		s.Dir = dir
		r := New(s)
		defer r.web.Close()
		_, err := r.Explore(context.Background(), served.URL, "demo.run", Options{})
		return err
	}
	allowed := Settings{AnyHost: true, AllowPrivate: true, Hosts: []string{u.Host}}
	for name, s := range map[string]Settings{"any host": anyHost(), "allow_private alone": {AnyHost: true, AllowPrivate: true}, "a host alone": {AnyHost: true, Hosts: []string{u.Host}}, "no word": allowed} {
		if err := ask(s); !fault.Is(err, fault.Outside) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(served.asked) > 0 {
		t.Errorf("asked for %q", served.asked)
	}
	if err := allow.Open(store.Local(dir)).Trust(PrivateAccess(u.Host)); err != nil {
		t.Fatal(err)
	}
	if err := ask(allowed); err != nil {
		t.Errorf("%v", err)
	}
	if err := ask(Settings{AnyHost: true, Hosts: []string{u.Host}}); !fault.Is(err, fault.Outside) {
		t.Errorf("trusted, but no longer configured: %v", err)
	}
}

// TestLocalAsksNobody reads local documentation that is full of addresses.
func TestLocalAsksNobody(t *testing.T) {
	s := newSite(t, nil)
	page := strings.Replace(demoPage, "<p>A box.</p>", `<p>A box <img src="http://docs.example/x.png"><a href="http://docs.example/">there</a>.</p><iframe src="http://docs.example/"></iframe>`, 1)
	dir := demo(t, demoLines+"far py:function 1 http://docs.example/index.html#x -\n", map[string]string{"index.html": page})
	r := visitor(t, s, Settings{AnyHost: true, AnyPath: true, Sources: map[string]string{"web": "http://docs.example/"}})
	explore(t, r, dir, "", Options{MaxObjects: 50})
	explore(t, r, dir, "how do I open a box", Options{})
	r.installed()
	if _, err := r.Explore(context.Background(), "no-such-name", "x", Options{}); err == nil {
		t.Error("an answer")
	}
	if len(s.asked) > 0 {
		t.Errorf("asked for %q", s.asked)
	}
}

// TestWebFailures gives every failure of a fetch its code.
func TestWebFailures(t *testing.T) {
	for err, want := range map[error]string{
		fetch.ErrBlocked: BlockedAddress, fetch.ErrHost: BlockedAddress, fetch.ErrOutside: OutsideSource, fetch.ErrNotFound: PageNotFound,
		fetch.ErrTooLarge: TooLarge, fetch.ErrType: NotHTML, fetch.ErrFailed: FetchFailed, fs.ErrNotExist: PageNotFound, io.EOF: FetchFailed,
	} {
		if got, what := codeOf(fmt.Errorf("%w: said so", err)); got != want || what == "" {
			t.Errorf("%v: %q %q", err, got, what)
		}
	}
}
