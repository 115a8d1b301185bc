package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"sdd/internal/anchor"
	"sdd/internal/fault"
	"sdd/internal/index"
	"sdd/internal/lookup"
	"sdd/internal/record"
	"sdd/internal/store"
)

type Anchored struct {
	ID      string        `json:"id"`
	Type    string        `json:"type"`
	Title   string        `json:"title"`
	File    string        `json:"file"`
	Place   string        `json:"place"`
	State   anchor.State  `json:"state"`
	Now     string        `json:"now,omitempty"` // the new place of what moved
	Lines   [2]int        `json:"lines"`
	Why     string        `json:"why,omitempty"`
	Mention bool          `json:"mention,omitempty"`
	Since   *anchor.Since `json:"since,omitempty"`

	Verdict anchor.Verdict `json:"-"`
	Entry   index.Entry    `json:"-"`
}

// anchored connects a verdict with its record.
func anchored(e index.Entry, v anchor.Verdict) Anchored {
	a := Anchored{ID: e.ID, Type: e.Type(), Title: e.Title, File: e.File, Place: v.Ref.String(), State: v.State, Lines: v.Lines, Why: v.Why,
		Mention: v.Mention, Verdict: v, Entry: e}
	if now := v.Now.String(); v.State == anchor.Moved || v.State == anchor.Drifted && now != a.Place {
		a.Now = now
	}
	return a
}

// Anchors judges the places that those records name; of all records without ids, except superseded, archived and deleted ones.
func (w *App) Anchors(ctx context.Context, ids ...string) (_ []Anchored, err error) {
	defer fault.Caught(&err)
	fault.Check(w.Index.Refresh(ctx))
	var entries []index.Entry
	if len(ids) == 0 {
		standing := fault.Must(w.Standing(ctx, record.Idea, record.Decision, record.Candidate))
		entries = slices.DeleteFunc(w.Index.Anchored(), func(e index.Entry) bool { return record.Gone(cmp.Or(standing[e.Path], e.Status)) })
	}
	for _, id := range ids {
		entries = append(entries, fault.Must(lookup.One(w.Index, id, "", "")))
	}
	return w.judge(ctx, entries, nil), nil
}

func (a Anchored) Gone() bool { return record.Gone(a.Entry.Status) }

// alarmsKey is the key of the answer that Alarms gives in a call.
type alarmsKey struct{}

// Call returns a context for a call that changes no file: it reads the files once, and Alarms judges the code once.
func (w *App) Call(ctx context.Context) context.Context {
	ctx = w.Index.Call(ctx)
	return context.WithValue(ctx, alarmsKey{}, sync.OnceValues(func() ([][]Anchored, error) { return w.alarms(ctx) }))
}

// Alarms returns the places whose code has changed or is gone, by record, the gone ones first. Callers must not change the answer.
func (w *App) Alarms(ctx context.Context) ([][]Anchored, error) {
	if once, ok := ctx.Value(alarmsKey{}).(func() ([][]Anchored, error)); ok {
		return once()
	}
	return w.alarms(ctx)
}

func (w *App) alarms(ctx context.Context) (records [][]Anchored, err error) {
	all, err := w.Anchors(ctx)
	for _, a := range all {
		n := len(records) - 1
		switch {
		case !a.Verdict.Alarm():
		case n >= 0 && records[n][0].File == a.File && a.State == anchor.Gone:
			records[n] = slices.Insert(records[n], 0, a)
		case n >= 0 && records[n][0].File == a.File:
			records[n] = append(records[n], a)
		default:
			records = append(records, []Anchored{a})
		}
	}
	return records, err
}

func needALook(n int) string {
	return fault.Count(n, "record names", "records name") + " code that changed since: sdd anchors --drifted"
}

// Concerning returns the anchors of records that overlap with a place; those about the whole file come last.
func (w *App) Concerning(ctx context.Context, at anchor.Ref) ([]Anchored, error) {
	if err := w.Index.Refresh(ctx); err != nil {
		return nil, err
	}
	return w.overlapping(ctx, at, w.Index.Anchored(at.Path)), nil
}

// overlapping returns the anchors of entries that are about a place, those about the fewest lines first.
func (w *App) overlapping(ctx context.Context, at anchor.Ref, entries []index.Entry) []Anchored {
	first, last := at.First, at.Last
	if at.Symbol != "" {
		if v := w.Tree.Judge(ctx, []anchor.Anchor{{Ref: at}})[0]; v.Lines[0] > 0 {
			first, last = v.Lines[0], v.Lines[1]
		}
	}
	all := w.judge(ctx, entries, func(v anchor.Verdict) bool {
		return v.Path == at.Path || v.Now.Path == at.Path || strings.HasPrefix(v.Path, at.Path+"/") ||
			strings.HasPrefix(v.Now.Path, at.Path+"/") ||
			!v.Mention && strings.HasPrefix(at.Path, v.Path+"/")
	})
	all = slices.DeleteFunc(all, func(a Anchored) bool {
		v := a.Verdict
		return record.Gone(a.Entry.Status) || first > 0 && v.Lines[0] > 0 && (v.Lines[0] > last || v.Lines[1] < first) ||
			at.Symbol != "" && first == 0 && !strings.EqualFold(v.Symbol, at.Symbol)
	})
	slices.SortStableFunc(all, func(a, b Anchored) int { return cmp.Compare(a.Lines[1]-a.Lines[0], b.Lines[1]-b.Lines[0]) })
	return all
}

// judge returns the verdicts of entries' anchors; keep chooses among them, nil keeps all.
func (w *App) judge(ctx context.Context, entries []index.Entry, keep func(anchor.Verdict) bool) []Anchored {
	var anchors []anchor.Anchor
	var of []int
	for i, e := range entries {
		for _, a := range e.Anchors {
			anchors, of = append(anchors, a), append(of, i)
		}
	}
	var out []Anchored
	for i, v := range w.Tree.Judge(ctx, anchors) {
		if !v.Nothing() && (keep == nil || keep(v)) {
			out = append(out, anchored(entries[of[i]], v))
		}
	}
	return out
}

// Explain adds the commit that made each drifted place differ.
func (w *App) Explain(ctx context.Context, all []Anchored) {
	verdicts := make([]anchor.Verdict, len(all))
	for i := range all {
		verdicts[i] = all[i].Verdict
	}
	for i, s := range w.Tree.SinceEach(ctx, verdicts) {
		all[i].Since = s
	}
}

type Affirmed struct {
	ID     string     `json:"id"`
	File   string     `json:"file"`
	Etag   string     `json:"etag"`
	Places []Anchored `json:"places"` // as they were judged before
	Left   []Anchored `json:"left"`   // the places that are gone or cannot be read
}

// Affirm vouches for the places that a record names as they are now; with moved it only writes the new places of what
// moved. The faults are NotFound, Ambiguous, Broken, Unwritable, and Invalid for a record without anchors.
func (w *App) Affirm(ctx context.Context, id string, moved bool, tool string) (out Affirmed, err error) {
	defer fault.Caught(&err)
	fault.Check(w.Index.Refresh(ctx))
	e := fault.Must(lookup.One(w.Index, id, "", ""))
	out = Affirmed{ID: e.ID, File: e.File, Etag: e.Etag, Places: []Anchored{}, Left: []Anchored{}}
	if len(e.Anchors) == 0 {
		return out, fault.New(fault.Invalid, "%s names no place in the code", e.ID).For("ids").
			With("add code_ref: path#Symbol to its front matter, or a code span such as `path/file.go#Symbol` to its text")
	}
	saved, err := w.Store.Save(ctx, store.Edit{
		Lock: record.LockOf(e.ID), Record: e.ID, Op: "affirm", Tool: tool,
		Resolve: func() (string, error) {
			now, err := lookup.One(w.Index, e.ID, e.Project, e.Scope)
			return now.Path, err
		},
		Change: func(before *record.Doc, exists bool) (_ *record.Doc, err error) {
			defer fault.Caught(&err)
			if !exists {
				return nil, fault.New(fault.NotFound, "the file of %s is gone", e.ID).For("ids")
			}
			fault.Check(before.Writable())
			verdicts := w.Tree.Judge(ctx, anchor.OfDoc(before))
			after, done, err := w.Tree.Affirm(e.Kind, before, verdicts, moved)
			fault.Check(err)
			out.Places, out.Left = []Anchored{}, []Anchored{}
			for _, v := range done {
				out.Places = append(out.Places, anchored(e, v))
			}
			for _, v := range verdicts {
				if v.Alarm() && v.State == anchor.Gone || v.State == anchor.Unknown && !v.Mention {
					out.Left = append(out.Left, anchored(e, v))
				}
			}
			return after, nil
		},
	})
	if err != nil {
		return out, store.InFile(err, e.Path)
	}
	if !saved.Unchanged {
		w.Index.Put(saved)
	}
	out.File, out.Etag = store.Folder+"/"+saved.Path, record.Etag(saved.After)
	return out, nil
}

func (a Affirmed) Text() string {
	var b strings.Builder
	for _, p := range a.Places {
		what := "affirmed"
		if p.Now != "" {
			what = "is now " + p.Now
		}
		if p.Why != "" {
			what += ", with the code that is there now: " + p.Why
		}
		fmt.Fprintf(&b, "%s: %s %s\n", a.ID, p.Place, what)
	}
	for _, p := range a.Left {
		fmt.Fprintf(&b, "%s: %s is %s: %s; edit, supersede or archive the record\n", a.ID, p.Place, p.State, p.Why)
	}
	if b.Len() == 0 {
		return a.ID + ": nothing to affirm: its places are as they were, or are folders or lines without code\n"
	}
	return b.String()
}

// Mark returns in a few words what a reader must know of the record's places, "" when they are fresh.
func Mark(all []Anchored) string {
	for _, state := range []anchor.State{anchor.Gone, anchor.Drifted} {
		for i := range all {
			if mark := all[i].Verdict.Mark(all[i].Since); mark != "" && all[i].State == state {
				return mark
			}
		}
	}
	return ""
}

// ChangedSince returns the places whose code differs from a commit's. The error is NotFound for an unknown one, Unavailable without git.
func (w *App) ChangedSince(ctx context.Context, all []Anchored, rev string) ([]Anchored, error) {
	old, err := w.Tree.At(ctx, rev)
	if err != nil {
		return nil, err
	}
	defer old.Close()
	anchors := make([]anchor.Anchor, len(all))
	for i := range all {
		anchors[i] = all[i].Verdict.Anchor
	}
	var out []Anchored
	for i, v := range old.Judge(ctx, anchors) {
		if v.State != all[i].State {
			out = append(out, all[i])
		}
	}
	return out, nil
}
