package fact

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"sdd/internal/anchor"
	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/index/records"
	"sdd/internal/record"
	"sdd/internal/secrets"
	"sdd/internal/store"
)

// Action is an action on facts and its arguments.
type Action = records.Action

// Reviewed is the result of an action.
type Reviewed struct {
	Items []Moved `json:"items"`
}

// Moved is one fact after an action.
type Moved = record.Moved

const deleted = "deleted" // the file was removed

var anyStatus = []string{active, stale, superseded, archived}

// life is how facts change besides Add, by which a new fact supersedes another, and GC. A fact also becomes stale by itself (state.go).
var life = records.Life{
	{Action: "refresh", From: []string{active, stale}, To: active},
	{Action: "expire", From: []string{active, stale}, To: stale},
	{Action: "archive", From: anyStatus, To: archived},
	{Action: "delete", From: anyStatus, To: archived},
	{Action: "resurrect", From: []string{superseded, archived}, To: active},
	{Action: "edit", From: anyStatus},
}

// Actions lists the actions of Review.
var Actions = life.Actions("")

// Moves returns the actions that a fact with that status in its file allows, in the order of Actions.
func Moves(status string) []string { return life.Actions(known(status)) }

// known returns the status; one that no fact has is not in force, as archived.
func known(status string) string {
	if !slices.Contains(anyStatus, status) {
		return archived
	}
	return status
}

// Review applies an action to each of the ids, in order, and stops at the first failure: Items holds the finished ones.
// Faults: Invalid (unknown action, missing argument, a move that the state does not allow), NotFound, Ambiguous,
// Conflict (if_match), Broken, Unwritable.
func (f *Facts) Review(ctx context.Context, a Action) (out Reviewed, err error) {
	defer secrets.Blame(&err, a)
	defer fault.Caught(&err)
	out.Items = []Moved{}
	lim := fault.Must(f.cache.Check(&a, Actions))
	ttl := Input{Content: "x", TTLDays: a.TTLDays, RefreshOn: a.RefreshOn, OnExpire: a.OnExpire}
	fault.Check(ttl.check(lim))
	a.RefreshOn, a.OnExpire = ttl.RefreshOn, ttl.OnExpire
	if a.Action != "refresh" && (ttl.TTLDays != 0 || ttl.RefreshOn != "" || ttl.OnExpire != "") {
		return out, fault.New(fault.Invalid, "a ttl goes with refresh, not with %s", a.Action).For("ttl_days").With("refresh the fact with it")
	}
	fault.Check(f.cache.sync(ctx))
	for _, id := range a.IDs {
		one := fault.Must(f.cache.one("ids", id))
		out.Items = append(out.Items, fault.Must(f.act(ctx, one, a)))
	}
	return out, nil
}

func (f *Facts) act(ctx context.Context, one *Fact, a Action) (Moved, error) {
	allow := func(now *Fact, m *Moved) error {
		f.judgeNow(ctx, now)
		step := life.Step(a.Action)
		m.From, m.To = now.State, cmp.Or(step.To, now.State)
		if step.Allows(known(now.Status)) {
			return nil
		}
		from := strings.Join(step.From, " or ")
		return fault.New(fault.Invalid, "%s is %s: %s is for facts that are %s", now.ID, now.Status, a.Action, from).
			For("action").With("allowed now: " + strings.Join(Moves(now.Status), ", "))
	}
	if a.Action == "delete" && a.Purge {
		return f.purge(ctx, one, a, allow)
	}
	return f.change(ctx, one, a, func(before *record.Doc, now *Fact, m *Moved) (*record.Doc, error) {
		if err := allow(now, m); err != nil {
			return nil, err
		}
		if a.Action == "edit" {
			return edited(before, a)
		}
		after, err := before.With(record.Fact, f.steps(ctx, now, a))
		if err == nil && a.Action == "refresh" {
			after, m.Why, err = anchor.AffirmAll(ctx, f.st.Dir(), record.Fact, after)
		}
		return after, err
	})
}

// steps returns the keys that an action sets.
func (f *Facts) steps(ctx context.Context, now *Fact, a Action) []frontmatter.Set {
	switch a.Action {
	case "refresh", "resurrect":
		given := TTL{float64(a.TTLDays), a.RefreshOn, a.OnExpire}
		if given == (TTL{}) {
			return f.back(ctx, now, now.TTL)
		}
		t := now.TTL.with(given)
		return f.back(ctx, now, &t)
	case "expire":
		return []frontmatter.Set{{Key: "status", Value: stale}}
	}
	return []frontmatter.Set{{Key: "status", Value: archived}}
}

// edited replaces the content. With if_match it refuses a file that changed since.
func edited(before *record.Doc, a Action) (*record.Doc, error) {
	if a.IfMatch != "" && a.IfMatch != before.Etag {
		return nil, fault.New(fault.Conflict, "the fact has changed since it was read, nothing was written\n\nstored:\n%s\n\nyours:\n%s",
			read("facts/x.md", before).Content, a.Content).For("if_match").With("read it again, merge the two texts, and save with the new etag")
	}
	out, _, err := record.WithContent(record.Fact, before.Src, a.Content)
	return record.Open(out), err
}

// supersede marks an older fact as superseded. A fact that is superseded already keeps its link.
func (f *Facts) supersede(ctx context.Context, older *Fact, by, tool, session string) (Moved, error) {
	a := Action{Action: "supersede", Tool: tool, Session: session}
	return f.change(ctx, older, a, func(before *record.Doc, now *Fact, m *Moved) (*record.Doc, error) {
		m.From, m.To = now.Status, superseded
		if now.Status == superseded {
			return before, nil
		}
		return before.With(record.Fact, []frontmatter.Set{{Key: "status", Value: superseded},
			{Key: "valid_until", Value: record.Stamp(f.now())}, {Key: "superseded_by", Value: by}})
	})
}

func (f *Facts) purge(ctx context.Context, one *Fact, a Action, allow func(now *Fact, m *Moved) error) (Moved, error) {
	m := Moved{ID: one.ID, Kind: string(record.Fact), File: one.File}
	saved, err := f.st.Remove(ctx, store.Edit{
		Lock: record.LockOf(one.ID), Record: one.ID, Op: "fact delete", Tool: a.Tool, Session: a.Session,
		Resolve: func() (string, error) { return one.path, nil },
		Allow:   func(now []byte) error { return allow(parse(one.path, now), &m) },
	})
	if err != nil {
		return m, store.InFile(err, one.path)
	}
	f.cache.Wrote(saved.Path)
	m.To = deleted
	return m, nil
}

// change makes one change of a fact, which do records in the result; do is pure and may be called again.
func (f *Facts) change(ctx context.Context, one *Fact, a Action,
	do func(before *record.Doc, now *Fact, m *Moved) (*record.Doc, error)) (Moved, error) {
	m := Moved{ID: one.ID, Kind: string(record.Fact)}
	by := store.Edit{Record: one.ID, Op: "fact " + a.Action, Tool: a.Tool, Session: a.Session}
	now, err := f.cache.Change(ctx, by, one.path, func(before *record.Doc, now *Fact) (*record.Doc, error) { return do(before, now, &m) })
	if err != nil {
		return Moved{}, err
	}
	m.File, m.Etag, m.Changed = now.File, now.Etag, now.Etag != one.Etag
	return m, nil
}

// GC returns, by id, the facts whose state differs from the status in their file. With write it writes the state:
// on_expire decides between stale and archive; delete archives too, or removes the file with purge. A fact whose files
// changed becomes stale, never more.
func (f *Facts) GC(ctx context.Context, write, purge bool, tool string) (out []Moved, err error) {
	defer fault.Caught(&err)
	all := fault.Must(f.cache.all(ctx))
	out = []Moved{}
	now := f.now().Unix()
	for i := range all {
		one := &all[i]
		m := Moved{ID: one.ID, Kind: string(record.Fact), From: one.Status, To: one.State, File: one.File, Etag: one.Etag, Why: one.Why}
		if one.expires > 0 && now >= one.expires && one.Live() && one.TTL != nil {
			switch {
			case one.TTL.OnExpire == "delete" && purge:
				m.To = deleted
			case one.TTL.OnExpire == "delete", one.TTL.OnExpire == "archive":
				m.To = archived
			}
		}
		if m.From == m.To || one.path == "" {
			continue
		}
		if write {
			done := fault.Must(f.collect(ctx, one, m.To, tool))
			m.File, m.Etag = done.File, cmp.Or(done.Etag, m.Etag)
		}
		out = append(out, m)
	}
	slices.SortFunc(out, func(a, b Moved) int { return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.File, b.File)) })
	return out, nil
}

// collect writes a state into the file of a fact, or removes the file, unless it changed meanwhile.
func (f *Facts) collect(ctx context.Context, one *Fact, state, tool string) (Moved, error) {
	a := Action{Action: "gc", Tool: tool}
	if state == deleted {
		return f.purge(ctx, one, a, func(now *Fact, _ *Moved) error {
			if now.Etag != one.Etag {
				return fault.New(fault.Conflict, "%s changed meanwhile", now.ID).With("run it again")
			}
			return nil
		})
	}
	return f.change(ctx, one, a, func(before *record.Doc, now *Fact, _ *Moved) (*record.Doc, error) {
		if now.Etag != one.Etag {
			return before, nil
		}
		return before.With(record.Fact, []frontmatter.Set{{Key: "status", Value: state}})
	})
}

// Text renders the result, one line per item.
func (r Reviewed) Text() string { return records.Text(r.Items) }
