// Package web is the local page of a store, which works without JavaScript. Every change has the etag of the text that the user saw.
package web

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"sdd/internal/app"
	"sdd/internal/fault"
	"sdd/internal/memory"
	"sdd/internal/store"
)

type site struct {
	*app.App
	live    *live
	working atomic.Int32 // requests without an answer, except streams
	session string       // of the journal
	program string       // its version
}

func newSite(w *app.App, version string) *site {
	return &site{App: w, live: newLive(), program: version, session: "page-" + rand.Text()[:8]}
}

type handler func(http.ResponseWriter, *http.Request) error

// tried returns the error that ended work by fault.Check. A page is sent completely or not at all, so no error has to be passed up.
func tried(work func()) (err error) {
	defer fault.Caught(&err)
	work()
	return nil
}

type route struct {
	pattern string
	answer  handler
}

func (s *site) pages() []route {
	return []route{
		{"GET /{$}", s.start},
		{"GET /search", s.search},
		{"GET /ask", s.ask},
		{"GET /learnings", s.list},
		{"GET /learnings/{id}", s.shown(s.ofLearning)},
		{"GET /learnings/{id}/edit", s.shown(s.ofLearning)},
		{"POST /learnings/{id}", s.changed(s.ofLearning)},
		{"GET /explorations", s.explorations},
		{"GET /explore/{name...}", s.exploration},
		{"GET /personal/explore/{name...}", s.exploration},
		{"POST /explore/{name...}", s.changed(s.ofSection)},
		{"POST /personal/explore/{name...}", s.changed(s.ofSection)},
		{"GET /ideas/{name...}", s.exploration},
		{"GET /decisions", s.decisionList},
		{"GET /decision/{name...}", s.decision},
		{"GET /personal/decision/{name...}", s.decision},
		{"POST /decision/{name...}", s.changed(s.ofSection)},
		{"POST /personal/decision/{name...}", s.changed(s.ofSection)},
		{"GET /facts", s.factList},
		{"GET /facts/{id}", s.shown(s.ofFact)},
		{"GET /facts/{id}/edit", s.shown(s.ofFact)},
		{"POST /facts/{id}", s.changed(s.ofFact)},
		{"GET /inbox", s.inboxPage},
		{"GET /inbox/{id...}", s.shown(s.ofCandidate)},
		{"POST /inbox/{id...}", s.changed(s.ofCandidate)},
		{"POST /affirm/{id...}", s.affirm},
		{"POST /act", s.act},
		{"GET /new", s.newForm},
		{"POST /new", s.makeNew},
		{"POST /take/{file...}", s.take},
		{"POST /handoff/{id...}", s.handoff},
		{"GET /commit/{id}", s.commit},
		{"GET /branches", s.branches},
		{"GET /health", s.health},
		{"POST /health", s.examine},
		{"GET /keys", s.keys},
		{"GET /", s.missing},
	}
}

// routes returns the handler of all requests. The guard must have admitted them.
func (s *site) routes() http.Handler {
	mux := http.NewServeMux()
	for _, p := range s.pages() {
		mux.HandleFunc(p.pattern, func(w http.ResponseWriter, r *http.Request) {
			memory.Busy()
			s.working.Add(1)
			defer s.working.Add(-1)
			stamp, _ := s.live.state()
			ctx := context.WithValue(store.WithAction(r.Context()), stampKey{}, stamp)
			var err error
			if r.Method == http.MethodGet {
				ctx = s.Call(ctx)
			} else {
				err = r.ParseForm()
			}
			if r = r.WithContext(ctx); err == nil {
				err = tried(func() { fault.Check(p.answer(w, r)) })
			}
			if err != nil {
				s.fail(w, r, err)
			}
		})
	}
	mux.HandleFunc("GET /live", s.live.stream)
	mux.HandleFunc("GET /assets/{name}", asset)
	return mux
}

//go:embed templates assets
var files embed.FS

// page is the frame of every page.
type page struct {
	Title   string
	Nav     string // the page's entry in the navigation
	Project string
	Live    bool   // the page follows changes
	Stamp   string // the state for live; "" for a page that does not
	Said    *said
	Body    any
}

type entry struct{ Name, Href, Text string }

// navigation is the same on every page. The keys 1 to 9 open its entries in order.
var navigation = []entry{
	{"start", "/", "Start"}, {"learnings", "/learnings", "Learnings"}, {"explorations", "/explorations", "Explorations"},
	{"decisions", "/decisions", "Decisions"}, {"facts", "/facts", "Facts"}, {"inbox", "/inbox", "Inbox"},
	{"branches", "/branches", "Branches"}, {"health", "/health", "Health"}, {"ask", "/ask", "Ask"}, {"search", "/search", "Search"},
}

type said struct {
	Kind string // done, warn
	Text string
	Hint string
	Href string // the target, with Link as its text
	Link string
	Undo string // the action to take back, "" for none
	Back string // the page to return to after that
}

// templates are parsed at the first page, since no other command needs them.
var templates = sync.OnceValue(func() map[string]*template.Template {
	base := template.Must(template.New("").Funcs(template.FuncMap{
		"visible": visible, "oneLine": oneLine, "time": parseTime, "plural": fault.Count, "percent": percent,
		"rowClass": rowClass, "stepRows": stepRows, "sinceRows": sinceRows, "mark": app.Mark, "role": roleWord, "clipped": clipped,
		"short": short, "pageOf": pageOfEntry, "class": className, "reason": reasonText,
		"navigation": func() []entry { return navigation },
		"asset":      func(name string) string { return assets()[name].address },
	}).ParseFS(files, "templates/layout.html", "templates/parts.html", "templates/rows.html"))
	all := map[string]*template.Template{}
	names, err := fs.Glob(files, "templates/*.html")
	if err != nil {
		panic(err)
	}
	for _, name := range names {
		all[strings.TrimSuffix(strings.TrimPrefix(name, "templates/"), ".html")] =
			template.Must(template.Must(base.Clone()).ParseFS(files, name))
	}
	return all
})

// className is the class of the style sheet for a value from a file, "" for an unknown value.
func className(kind, value string) string {
	for _, r := range value {
		if r < 'a' || r > 'z' {
			return ""
		}
	}
	return kind + "-" + value
}

func percent(share float64) string { return fmt.Sprintf("%.0f %%", share*100) }

// stampKey is the key of the stamp in a request's context: it is older than what the request reads.
type stampKey struct{}

// show sends a page, completely or not at all.
func (s *site) show(w http.ResponseWriter, r *http.Request, status int, name string, p page) error {
	if p.Said == nil {
		p.Said = s.saidOf(r)
	}
	if p.Live {
		p.Stamp, _ = r.Context().Value(stampKey{}).(string)
	}
	p.Project = visible(s.Store.Project())
	return render(w, status, name, p)
}

func render(w http.ResponseWriter, status int, name string, p page) error {
	var b bytes.Buffer
	if err := templates()[name].ExecuteTemplate(&b, "layout", p); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // the browser may be gone
	return nil
}

func (s *site) fail(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		return
	}
	f := faultOf(err)
	body := struct {
		Text  string
		Words []link // of the hint
	}{Text: visible(f.Error())}
	for word := range strings.FieldsSeq(visible(f.Hint)) {
		to := ""
		if name := strings.TrimRight(word, ",."); strings.ContainsAny(name, "/-") {
			to = s.linkOf(name).Href
		}
		body.Words = append(body.Words, link{word, to})
	}
	if s.show(w, r, statusOf(f.Code), "fault", page{Title: "That did not work", Body: body}) != nil {
		http.Error(w, f.Error(), http.StatusInternalServerError)
	}
}

func faultOf(err error) *fault.Error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return fault.New(fault.Invalid, "the form has more than %d bytes", tooLarge.Limit).With("shorten the text")
	}
	return fault.Of(err)
}

var codes = map[fault.Code]int{
	fault.Invalid: http.StatusBadRequest, fault.Outside: http.StatusBadRequest, fault.NotFound: http.StatusNotFound,
	fault.Conflict: http.StatusConflict, fault.Ambiguous: http.StatusConflict, fault.Broken: http.StatusUnprocessableEntity,
	fault.Unavailable: http.StatusServiceUnavailable, fault.Unwritable: http.StatusServiceUnavailable,
}

func statusOf(c fault.Code) int { return cmp.Or(codes[c], http.StatusInternalServerError) }

// refuse answers a visitor without access. It reveals nothing about the store.
func refuse(w http.ResponseWriter, status int, why string) {
	if render(w, status, "refused", page{Title: "Not let in", Body: why}) != nil {
		http.Error(w, why, status)
	}
}

func (s *site) missing(_ http.ResponseWriter, r *http.Request) error {
	return fault.New(fault.NotFound, "there is no page %q", r.URL.Path).With("choose a page from the navigation")
}

func (s *site) keys(w http.ResponseWriter, r *http.Request) error {
	return s.show(w, r, http.StatusOK, "keys", page{Title: "Keyboard shortcuts", Nav: "keys"})
}

// assetTypes are the files of every page and their types, which differ by system otherwise.
var assetTypes = map[string]string{
	"page.css": "text/css; charset=utf-8",
	"page.js":  "text/javascript; charset=utf-8",
	"icon.svg": "image/svg+xml",
}

// loaded is a file of every page. Its address has a hash of its text, so that browsers keep it as long as it stays the same.
type loaded struct {
	address      string
	plain, small []byte // small is compressed
}

var assets = sync.OnceValue(func() map[string]loaded {
	all := map[string]loaded{}
	for name := range assetTypes {
		text, err := files.ReadFile("assets/" + name)
		if err != nil {
			panic(err)
		}
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write(text) // a buffer takes all
		_ = z.Close()
		all[name] = loaded{fmt.Sprintf("/assets/%s?%x", name, sha256.Sum256(text))[:len("/assets/?")+len(name)+16], text, b.Bytes()}
	}
	return all
})

func asset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	a, ok := assets()[name]
	if !ok {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", assetTypes[name])
	h.Set("Vary", "Accept-Encoding")
	if r.URL.RequestURI() == a.address {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	text := a.plain
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		text = a.small
	}
	_, _ = w.Write(text)
}
