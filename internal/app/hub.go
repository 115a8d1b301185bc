package app

import (
	"context"
	"strings"

	"sdd/internal/answer"
	"sdd/internal/fault"
	"sdd/internal/hub"
	"sdd/internal/index"
	"sdd/internal/lookup"
	"sdd/internal/record"
	"sdd/internal/store"
)

const (
	hubSearched = 20  // records read for a search, beside the page
	hubPaged    = 600 // for a later page; behind them there are no more
	hubRanked   = 170 // for an answer; index.Rank reads 160
)

// HubSearch is Search over a hub. A hub that fails or takes longer than its wait is skipped: then the
// answer is this store's, and missed is the reason.
func (w *App) HubSearch(ctx context.Context, s hub.Settings, q lookup.Query) (found lookup.Found, missed, err error) {
	if strings.TrimSpace(q.Query) == "" {
		return found, nil, fault.New(fault.Invalid, "a search in the hub needs words").For("query").With("without --hub the newest records are listed")
	}
	ask := hub.Question{Text: q.Query, Most: q.Limit + hubSearched}
	if q.Cursor != "" {
		ask.Most = hubPaged
	}
	if t, err := record.ParseType(q.Type); q.Type != "" && err == nil {
		ask.Types = []record.Type{t}
	}
	missed = w.withHub(ctx, s, ask, func(far *App) {
		found, err = far.Search(ctx, q)
	})
	if missed != nil {
		found, err = w.Search(ctx, q)
	}
	return found, missed, err
}

// HubBrief is answer.Brief over a hub, as HubSearch is Search. It writes nothing.
func (w *App) HubBrief(ctx context.Context, s hub.Settings, q answer.Query) (out answer.Result, missed, err error) {
	text := q.Query
	if q.TaskHint != "" {
		text += "\n" + q.TaskHint
	}
	missed = w.withHub(ctx, s, hub.Question{Text: text, Ranked: true, Most: hubRanked}, func(far *App) {
		q := q
		q.ReadOnly = true
		out, err = far.Answers.Brief(ctx, q)
	})
	if missed != nil {
		out, err = w.Answers.Brief(ctx, q)
	}
	return out, missed, err
}

// withHub fetches the records that a question needs from the hub, and runs use on them.
func (w *App) withHub(ctx context.Context, s hub.Settings, q hub.Question, use func(far *App)) error {
	f, err := asked(ctx, s, q)
	if err != nil {
		return err
	}
	st := store.OpenTexts(f.Texts, w.Store)
	defer st.Close()
	ix, err := index.OpenPart(ctx, st, f.Census)
	if err != nil {
		return err
	}
	defer ix.Close()
	far := New(st, ix, Options{})
	defer far.Close()
	far.fromHub = true
	far.commits.Store(&f.Commits)
	use(far)
	return nil
}

func asked(ctx context.Context, s hub.Settings, q hub.Question) (*hub.Found, error) {
	ctx, stop := context.WithTimeout(ctx, s.Wait)
	defer stop()
	h, err := hub.Open(ctx, s.DSN)
	if err != nil {
		return nil, err
	}
	defer h.Close()
	return h.Ask(ctx, q)
}
