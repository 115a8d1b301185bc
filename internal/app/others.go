package app

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"sdd/internal/anchor"
	"sdd/internal/answer"
	"sdd/internal/fault"
	"sdd/internal/hub"
	"sdd/internal/index"
	"sdd/internal/lookup"
	"sdd/internal/record"
	"sdd/internal/repos"
	"sdd/internal/store"
	"sdd/internal/tier"
)

// joined are the uses of a store joined with other repositories, kept for the next question.
type joined struct {
	*repos.Joined
	app *App
}

type joins struct {
	sync.Mutex
	by    map[string]*joined
	trees map[string]*anchor.Tree // the work trees of other repositories, by name; nil for one without
}

// tree returns the work tree of the repository of that name, nil for none.
func (j *joins) tree(name string) *anchor.Tree {
	j.Lock()
	defer j.Unlock()
	t, known := j.trees[name]
	if !known {
		if r, err := repos.One(name); err == nil && r.Path != "" {
			t = anchor.New(r.Path)
		}
		j.trees[name] = t
	}
	return t
}

// ForOthers makes With read only the repositories that config.yaml names: who asks may not be the user.
func (w *App) ForOthers() { w.forOthers = true }

// FetchWith makes start begin the fetch of repositories whose last fetch was long ago. It must not wait for it.
func (w *App) FetchWith(start func(names []string) error) { w.fetch = start }

// With returns the uses of this store joined with the user's repositories of those names, separated by commas, all of them
// for "all", and with those that are always read. Their records are as in the repositories' present commits, the own ones as on
// disk. Without any it returns w. The fault is NotFound for an unknown name. The caller must only read.
func (w *App) With(ctx context.Context, names string) (_ *App, err error) {
	defer fault.Caught(&err)
	wanted := strings.FieldsFunc(names, func(c rune) bool { return c == ',' || c == ' ' })
	chosen, err := repos.Chosen(w.Store, wanted, w.forOthers)
	if err != nil || len(chosen) == 0 {
		return w, err
	}
	if due := repos.Due(chosen); w.fetch != nil && len(due) > 0 {
		_ = w.fetch(due) // the next question starts it again
	}
	key := fault.Must(json.Marshal(chosen))
	w.joins.Lock()
	defer w.joins.Unlock()
	j := w.joins.by[string(key)]
	if j == nil {
		st := fault.Must(repos.Join(w.Store, w.Index, chosen))
		j = &joined{st, New(st.Store, st.Index, Options{})}
		j.app.Tree.Close()
		j.app.Tree, j.app.tree, j.app.others = w.Tree, w.tree, chosen
		from := j.app.Answers.Sources
		from.Tree, from.Commits, from.Extras, from.Embeddings = w.Tree, commits{w.Inbox, w.tree}, w.extras(), nil
		from.Others = func() map[string]string { return *j.app.commits.Load() }
		j.app.Answers = answer.New(from)
		w.joins.by[string(key)] = j
	}
	commits := fault.Must(j.Sync(ctx))
	j.app.commits.Store(&commits)
	return j.app, nil
}

// SearchWith is Search, also over the repositories that q.With names.
func (w *App) SearchWith(ctx context.Context, q lookup.Query) (_ lookup.Found, err error) {
	defer fault.Caught(&err)
	j := fault.Must(w.With(ctx, q.With))
	fault.Check(w.addPrivate(ctx, &q))
	return j.Search(ctx, q)
}

// BriefWith is answer.Brief, also over the repositories that q.With names.
func (w *App) BriefWith(ctx context.Context, q answer.Query) (_ answer.Result, err error) {
	defer fault.Caught(&err)
	j := fault.Must(w.With(ctx, q.With))
	fault.Check(w.privateTexts(ctx, &q))
	return j.Answers.Brief(ctx, q)
}

// Qualified returns the name of a record with the repository that has it, if the own store has no record of that name.
func (w *App) Qualified(name string) string {
	commits := w.commits.Load()
	if commits == nil || len(w.Index.Lookup(index.Ref{ID: name})) > 0 {
		return name
	}
	for _, repository := range slices.Sorted(maps.Keys(*commits)) {
		if there := name + "@" + repository; len(w.Index.Lookup(index.Ref{ID: there})) > 0 {
			return there
		}
	}
	return name
}

// InOther returns the repository that has the record or place, and its name there, such as decision/a@billing or billing:src/a.go.
func (w *App) InOther(ctx context.Context, name string) (r repos.Repository, there string, ok bool, err error) {
	if w.others == nil {
		return r, name, false, nil
	}
	if err := w.Index.Refresh(ctx); err != nil {
		return r, name, false, err
	}
	record, section, cut := strings.Cut(name, "#")
	record = w.Qualified(record)
	for _, r := range w.others {
		there, ok := strings.CutSuffix(record, "@"+r.Name)
		if !ok {
			there, ok = strings.CutPrefix(record, r.Name+":")
		}
		if ok && cut {
			there += "#" + section
		}
		if ok {
			return r, there, true, nil
		}
	}
	return r, name, false, nil
}

// cameFrom returns the tier of a record of another repository; ok is false for an own one.
func (w *App) cameFrom(path string) (t tier.Tier, ok bool) {
	name, _ := record.Repository(path)
	if name == "" {
		return tier.Unknown, false
	}
	i := slices.IndexFunc(w.others, func(r repos.Repository) bool { return r.Name == name })
	if i < 0 || w.others[i].OnBranch() {
		return tier.Branch, true
	}
	return tier.Main, true
}

func (j *joins) close() {
	j.Lock()
	defer j.Unlock()
	for _, one := range j.by {
		one.app.Close()
		one.Joined.Close()
	}
	for _, t := range j.trees {
		if t != nil {
			t.Close()
		}
	}
	clear(j.by)
	clear(j.trees)
}

const (
	hubSearched = 20 // records read for a search, beside the page
	hubPage     = 40
	hubPaged    = 600 // for a later page; behind them there are no more
	hubRanked   = 170 // for an answer; index.Rank reads 160
)

// SearchFrom is SearchWith, or with fromHub Search over the hub; when that fails, the answer is this store's, and missed is the reason.
func (w *App) SearchFrom(ctx context.Context, fromHub bool, q lookup.Query) (found lookup.Found, missed, err error) {
	if !fromHub {
		found, err = w.SearchWith(ctx, q)
		return found, nil, err
	}
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
	missed, err = w.withHub(ctx, ask, func(far *App, f *hub.Found) (err error) {
		q := q
		q.Note = left(f)
		found, err = far.Search(ctx, q)
		return err
	})
	if missed != nil {
		q.Note = note(missed)
		found, err = w.SearchWith(ctx, q)
	}
	return found, missed, err
}

// BriefFrom is BriefWith, or with fromHub answer.Brief over the hub, as SearchFrom is Search. Over the hub it writes nothing.
func (w *App) BriefFrom(ctx context.Context, fromHub bool, q answer.Query) (out answer.Result, missed, err error) {
	if !fromHub {
		out, err = w.BriefWith(ctx, q)
		return out, nil, err
	}
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
			why = fmt.Sprintf("embeddings: %d repositories of the hub have vectors of another model than %s; their ranking is by words",
				f.Others, ask.Model)
		}
		far.Embeddings.Found(f.Near, ask.Vector, f.All, why)
		q := q
		q.ReadOnly, q.Note = true, left(f)
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

// left is the line of an answer that some repositories of the hub are not in.
func left(f *hub.Found) string {
	if f.Left == 0 {
		return ""
	}
	return fmt.Sprintf("Not searched: repositories of the hub that another version of sdd pushed, %d; sdd hub push in each adds it again.",
		f.Left)
}

// withHub fetches the records that a question needs from the hub, and runs use on them. missed is the failure of the hub.
func (w *App) withHub(ctx context.Context, q hub.Question, use func(far *App, f *hub.Found) error) (missed, err error) {
	conf, err := w.Store.Config()
	var s hub.Settings
	if err == nil {
		s, err = hub.Trusted(conf, store.Local(w.Store.Dir()))
	}
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
