// Package web is the local page of a store for people. It searches every record, reviews learnings, facts and candidates,
// and shows explorations and decisions with their history, the sections that two branches both change, the store's health
// and an agent's answer. The server makes the pages, which work without JavaScript; with it they follow changes of the
// files. Every change uses the same functions as the command line and the tools, with the etag of the text that the user
// saw.
package web

import (
	"context"
	"crypto/rand"
	"net/http"
	"sync/atomic"

	"sdd/internal/app"
	"sdd/internal/candidate"
	"sdd/internal/decision"
	"sdd/internal/fact"
	"sdd/internal/index"
	"sdd/internal/learning"
	"sdd/internal/memory"
	"sdd/internal/store"
)

// site answers the requests for one store.
type site struct {
	uses      *app.App
	store     *store.Store
	index     *index.Index
	learnings *learning.Learnings
	facts     *fact.Facts
	decisions *decision.Decisions
	inbox     *candidate.Inbox
	live      *live
	working   atomic.Int32 // requests without an answer, except streams
	session   string       // of the journal
	program   string       // its version
}

func newSite(w *app.App, version string) *site {
	return &site{
		uses: w, store: w.Store, index: w.Index, learnings: w.Learnings, facts: w.Facts, decisions: w.Decisions, inbox: w.Inbox,
		live: newLive(), program: version, session: "page-" + rand.Text()[:8],
	}
}

// route is a pattern of requests and its handler.
type route struct {
	pattern string
	answer  handler
}

// pages lists every page and every form.
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
			ctx := context.WithValue(store.WithAction(r.Context()), stampKey{}, s.live.stamp())
			var err error
			if r.Method == http.MethodGet {
				ctx = s.uses.Call(ctx)
			} else {
				err = r.ParseForm()
			}
			if r = r.WithContext(ctx); err == nil {
				err = p.answer(w, r)
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
