// Package workspace joins the uses of one store: decisions and commits become candidates, approved candidates become records, and
// the briefing reads all of them. The faces open it.
package workspace

import (
	"sdd/internal/briefing"
	"sdd/internal/briefing/embed"
	"sdd/internal/codesearch"
	"sdd/internal/decision"
	"sdd/internal/fact"
	"sdd/internal/fact/extract"
	"sdd/internal/inbox"
	"sdd/internal/index"
	"sdd/internal/learning"
	"sdd/internal/record"
	"sdd/internal/store"
)

// Workspace has the uses of one store. It is safe for concurrent use.
type Workspace struct {
	Store     *store.Store
	Index     *index.Index
	Learnings *learning.Learnings
	Facts     *fact.Facts
	Decisions *decision.Decisions
	Inbox     *inbox.Inbox
	Briefing  *briefing.Briefing

	Embeddings *embed.Embeddings
	Code       *codesearch.Searcher
}

// Options replace parts of a Workspace.
type Options struct {
	Extract inbox.Extractor // nil is the program's own
}

// New returns the uses of st, whose index is ix. It reads nothing.
func New(st *store.Store, ix *index.Index, o Options) *Workspace {
	w := &Workspace{Store: st, Index: ix, Learnings: learning.New(st, ix), Facts: fact.New(st, ix)}
	if o.Extract == nil {
		o.Extract = w.extract
	}
	w.Decisions = decision.New(st, ix)
	w.Inbox = inbox.New(st, ix, inbox.Options{
		Extract: o.Extract, Units: extract.Units, Missing: extract.Missing,
		Keepers: map[record.Kind]inbox.Keeper{record.Decision: approved{w.Decisions}},
	})
	w.Decisions.WithInbox(captured{w.Inbox})
	w.Embeddings = embed.New(st, ix)
	w.Code = codesearch.New(st.Dir(), codesearch.Options{Config: st.Config})
	w.Briefing = briefing.New(briefing.Sources{
		Store: st, Index: ix, Facts: w.Facts, Decisions: w.Decisions, Learnings: w.Learnings, Commits: commits{w.Inbox},
		Standing:   w.Standing,
		Embeddings: w.Embeddings,
		Extras:     w.extras(),
	})
	return w
}

// Close writes pending files and stops following the index; it comes before the index is closed.
func (w *Workspace) Close() {
	w.Briefing.Close()
	w.Embeddings.Close()
	w.Code.Close()
	w.Decisions.Close()
	w.Inbox.Close()
	w.Facts.Close()
	w.Learnings.Close()
}
