package fact

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/index/records"
	"sdd/internal/record"
)

// Filter selects facts; an empty field does not restrict them.
type Filter struct {
	Level  *int
	Domain string // without case
	Module string // the same
	State  string // as of now; "" leaves superseded and archived ones out, any shows all
	Text   string // every word of it is in the content, the id, the domain or the module
	Limit  int    // 1 to 500, default 50
	Cursor string
}

const anyState = "any"

// All returns every fact in its present state, the newest first, those of discovery without a File. All callers get the same slice and
// must not change or sort it.
func (f *Facts) All(ctx context.Context) ([]Fact, error) {
	all, err := f.cache.all(ctx)
	return slices.Clip(all), err
}

// StatesOf returns the state of those files that are facts, by path relative to .sdd. It reads no other file.
func (f *Facts) StatesOf(ctx context.Context, paths []string) (map[string]string, error) {
	var facts []*Fact
	for _, path := range paths {
		if kind, _ := record.KindOf(path); kind != record.Fact {
			continue
		}
		if file, err := f.st.Read(path); err == nil {
			facts = append(facts, parse(path, file.Bytes))
		}
	}
	touched, _ := f.touched(ctx, facts)
	states := map[string]string{}
	for _, one := range facts {
		one.judge(f.now().Unix(), touched[one.path])
		states[one.path] = one.State
	}
	return states, ctx.Err()
}

// List returns the facts that match, newest first: a page of them, the cursor of the next page ("" when this is
// the last), and how many there are in all.
func (f *Facts) List(ctx context.Context, want Filter) (facts []Fact, next string, total int, err error) {
	defer fault.Caught(&err)
	keep := fault.Must(want.keeps())
	all := fault.Must(f.cache.all(ctx))
	return record.Page(record.Each(all), keep, byAge, sortKey, want.Limit, want.Cursor)
}

// keeps checks the filter and returns its test.
func (w *Filter) keeps() (_ func(*Fact) bool, err error) {
	defer fault.Caught(&err)
	fault.Check(records.Limit(&w.Limit))
	if w.Level != nil {
		fault.Check(levelNamed(*w.Level))
	}
	fault.Check(records.OneOf("state", &w.State, append(slices.Clone(record.StatusesOf(record.Fact, "")), anyState)))
	holds := records.Words(w.Text)
	return func(f *Fact) bool {
		switch {
		case w.Level != nil && f.Level != *w.Level,
			w.Domain != "" && !strings.EqualFold(f.Domain, strings.TrimSpace(w.Domain)),
			w.Module != "" && !strings.EqualFold(f.Module, strings.TrimSpace(w.Module)),
			w.State == "" && !f.Live(),
			w.State != "" && w.State != anyState && f.State != w.State:
			return false
		}
		return holds(f.ID, f.Domain, f.Module, f.Content)
	}, nil
}

// Get returns the one fact that has that id or file. Faults: NotFound with the nearest ids, Ambiguous.
func (f *Facts) Get(ctx context.Context, id string) (Fact, error) {
	all, err := f.cache.all(ctx)
	if err != nil {
		return Fact{}, err
	}
	one, err := f.cache.one("id", id)
	if err != nil {
		discovered := func(f Fact) bool { return f.path == "" && strings.EqualFold(f.ID, strings.TrimSpace(id)) }
		if i := slices.IndexFunc(all, discovered); i >= 0 {
			return all[i], nil
		}
		return Fact{}, err
	}
	if i, ok := find(all, one); ok {
		return all[i], nil
	}
	now := *one // another process has just stored it
	now.judge(f.now().Unix(), false)
	return now, nil
}

func levelNamed(n int) error {
	if n >= 0 && n < len(record.Levels) {
		return nil
	}
	return fault.New(fault.Invalid, "level %d is unknown", n).For("level").With("allowed: 0 project, 1 domain, 2 module, 3 code")
}

// Line renders the fact on one line, as data: its state unless active, its place and its content.
func (f *Fact) Line() string {
	mark, place := "", record.Levels[f.Level]
	if f.State != active {
		mark = "[" + f.State + "] "
	}
	if in := cmp.Or(f.Module, f.Domain); in != "" {
		place += " " + record.OneLine(in)
	}
	return record.Item(f.ID, mark+"("+place+") "+f.Content)
}
