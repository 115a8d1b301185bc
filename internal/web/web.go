// Package web is the local page: what a store holds, for eyes. It reviews learnings, shows explorations and
// decisions with their history, and draws the metrics. Pages are made on the server and work without JavaScript; with it they
// follow the files as they change. Every change goes through the same functions as the command line and the
// tools, with the etag of the text that the person saw.
package web

import (
	"crypto/rand"
	"net/http"

	"sdd/internal/decision"
	"sdd/internal/fact"
	"sdd/internal/inbox"
	"sdd/internal/index"
	"sdd/internal/learning"
	"sdd/internal/store"
	"sdd/internal/workspace"
)

// site answers the requests for one store.
type site struct {
	store     *store.Store
	index     *index.Index
	learnings *learning.Learnings
	facts     *fact.Facts // what learnings graduate to
	decisions *decision.Decisions
	inbox     *inbox.Inbox
	live      *live
	recent    recent
	session   string // of the journal
}

func newSite(w *workspace.Workspace) *site {
	return &site{
		store: w.Store, index: w.Index, learnings: w.Learnings, facts: w.Facts, decisions: w.Decisions, inbox: w.Inbox,
		live: newLive(), session: "page-" + rand.Text()[:8],
	}
}

// routes returns the pages. Whoever calls them has been let in by the guard.
func (s *site) routes() http.Handler {
	mux := http.NewServeMux()
	handle := func(pattern string, f func(http.ResponseWriter, *http.Request) error) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if err := f(w, r); err != nil {
				s.fail(w, r, err)
			}
		})
	}
	handle("GET /{$}", s.start)
	handle("GET /learnings", s.list)
	handle("GET /learnings/{id}", s.learning)
	handle("GET /learnings/{id}/edit", s.edit)
	handle("POST /learnings/{id}", s.act)
	handle("GET /inbox", s.candidates)
	handle("GET /inbox/{id...}", s.candidate)
	handle("POST /inbox/{id...}", s.decide)
	handle("GET /explorations", s.explorations)
	handle("GET /explore/{name...}", s.exploration)
	handle("GET /personal/explore/{name...}", s.exploration)
	handle("GET /decisions", s.decisionList)
	handle("GET /decision/{name...}", s.decision)
	handle("GET /personal/decision/{name...}", s.decision)
	handle("GET /keys", s.keys)
	handle("GET /", s.missing)
	mux.HandleFunc("GET /live", s.live.stream)
	mux.HandleFunc("GET /assets/{name}", asset)
	return mux
}
