package app

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"

	"sdd/internal/answer"
	"sdd/internal/fault"
	"sdd/internal/hub"
	"sdd/internal/index"
	"sdd/internal/lookup"
	"sdd/internal/record"
	"sdd/internal/store"
)

const (
	hubSearched = 20 // records read for a search, beside the page
	hubPage     = 40
	hubPaged    = 600 // for a later page; behind them there are no more
	hubRanked   = 170 // for an answer; index.Rank reads 160
)

// HubSearch is Search over the hub of config.yaml. A hub that fails or takes longer than its wait is skipped: then the answer
// is this store's, with a note, and missed is the reason.
func (w *App) HubSearch(ctx context.Context, q lookup.Query) (found lookup.Found, missed, err error) {
	if strings.TrimSpace(q.Query) == "" {
		return found, nil, fault.New(fault.Invalid, "a search in the hub needs words").For("query").
			With("without the hub the newest records are listed")
	}
	ask := hub.Question{Text: q.Query, Most: cmp.Or(q.Limit, hubPage) + hubSearched}
	if q.Cursor != "" {
		ask.Most = hubPaged
	}
	if t, err := record.ParseType(q.Type); q.Type != "" && err == nil {
		ask.Types = []record.Type{t}
	}
	missed, err = w.withHub(ctx, ask, func(far *App, _ *hub.Found) (err error) {
		found, err = far.Search(ctx, q)
		return err
	})
	if missed != nil {
		q.Note = note(missed)
		found, err = w.SearchWith(ctx, q)
	}
	return found, missed, err
}

// HubBrief is answer.Brief over the hub, as HubSearch is Search. Over the hub it writes nothing.
func (w *App) HubBrief(ctx context.Context, q answer.Query) (out answer.Result, missed, err error) {
	ask := hub.Question{Text: q.Query, Ranked: true, Most: hubRanked}
	if q.TaskHint != "" {
		ask.Text += "\n" + q.TaskHint
	}
	var why string
	ask.Model, ask.Vector, why = w.Embeddings.Question(ctx, ask.Text)
	missed, err = w.withHub(ctx, ask, func(far *App, f *hub.Found) (err error) {
		switch {
		case ask.Vector == nil:
		case f.All.Units == 0:
			why = "embeddings: the hub has no vectors of " + ask.Model + "; the ranking is by words"
		case f.Others > 0:
			why = fmt.Sprintf("embeddings: %d repositories of the hub have vectors of another model than %s; their ranking is by words", f.Others, ask.Model)
		}
		far.Embeddings.Found(f.Near, ask.Vector, f.All, why)
		q := q
		q.ReadOnly = true
		out, err = far.Answers.Brief(ctx, q)
		return err
	})
	if missed != nil {
		q.Note = note(missed)
		out, err = w.BriefWith(ctx, q)
	}
	return out, missed, err
}

// HubGet is Get over the hub, for the id of a record that an answer from it named. missed is the failure of the hub.
func (w *App) HubGet(ctx context.Context, a lookup.Ask) (r lookup.Record, missed, err error) {
	missed, err = w.withHub(ctx, hub.Question{Text: a.ID, Most: 1}, func(far *App, _ *hub.Found) (err error) {
		r, err = far.Get(ctx, a)
		return err
	})
	return r, missed, err
}

// note is the line of an answer without the hub.
func note(missed error) string {
	return "Only this repository answers: " + fault.Of(missed).Message + "."
}

// withHub fetches the records that a question needs from the hub, and runs use on them. missed is the failure of the hub.
func (w *App) withHub(ctx context.Context, q hub.Question, use func(far *App, f *hub.Found) error) (missed, err error) {
	conf, err := w.Store.Config()
	if err != nil {
		return nil, err
	}
	s, err := hub.Trusted(conf, store.Local(w.Store.Dir()))
	if err != nil {
		return nil, err
	}
	f, err := w.hubs.ask(ctx, s, q)
	if err != nil {
		return err, nil
	}
	st := store.OpenTexts(f.Texts, w.Store)
	defer st.Close()
	ix, err := index.OpenPart(ctx, st, f.Census)
	if err != nil {
		return nil, err
	}
	defer ix.Close()
	far := New(st, ix, Options{})
	defer far.Close()
	far.fromHub = true
	far.commits.Store(&f.Commits)
	return nil, use(far, f)
}

// hubs keeps one connection between questions, for a server. Questions at the same time have connections of their own.
type hubs struct {
	sync.Mutex
	idle *hub.Hub
	dsn  string // of idle
}

// swap returns the idle connection if it goes to dsn, nil for none, and keeps another one in its place.
func (k *hubs) swap(dsn string, h *hub.Hub) *hub.Hub {
	k.Lock()
	defer k.Unlock()
	was, fits := k.idle, k.dsn == dsn
	k.idle, k.dsn = h, dsn
	if was != nil && (!fits || h != nil) {
		was.Close()
		was = nil
	}
	return was
}

func (k *hubs) ask(ctx context.Context, s hub.Settings, q hub.Question) (f *hub.Found, err error) {
	ctx, stop := context.WithTimeout(ctx, s.Wait)
	defer stop()
	h := k.swap(s.DSN, nil)
	for {
		idle := h != nil
		if !idle {
			if h, err = hub.Open(ctx, s.DSN); err != nil {
				return nil, err
			}
		}
		if f, err = h.Ask(ctx, q); err == nil {
			k.swap(s.DSN, h)
			return f, nil
		}
		h.Close()
		if !idle || ctx.Err() != nil {
			return nil, err
		}
		h = nil // the server may have closed the idle one since
	}
}
