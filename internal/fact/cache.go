package fact

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"sdd/internal/fault"
	"sdd/internal/index/records"
)

// The cache keeps every fact parsed, with derived lists and states, and the facts of discovery.

type cache struct {
	f *Facts
	records.Kind[Fact]

	turn sync.Mutex // held by the sync that is under way

	state   sync.RWMutex // guards All and the fields below
	once    sync.Once
	only    []*Fact          // the facts of discovery
	derived *discoveryState  // the discovery of only; nil before the first
	list    []*Fact          // by age; nil until needed
	over    map[*Fact]string // the reasons why discovery supersedes its own stored facts; made with list
	shown   []Fact           // the list with its states, nil until needed
	from    int64            // when shown was made
	until   int64            // when a state in shown changes, 0 for never
}

// sync updates the cache to every file as it was at the start of the call or later.
func (b *cache) sync(ctx context.Context) error {
	b.turn.Lock()
	defer b.turn.Unlock()
	updates, err := b.Updates(ctx)
	if err != nil || len(updates) == 0 {
		return err
	}
	b.state.Lock()
	defer b.state.Unlock()
	b.Apply(updates)
	b.list, b.shown = nil, nil
	return nil
}

// derive takes over the facts of a discovery. The same discovery again costs nothing.
func (b *cache) derive(state *discoveryState) {
	b.state.Lock()
	defer b.state.Unlock()
	if b.derived != nil && b.derived.At == state.At && slices.Equal(b.derived.Facts, state.Facts) {
		return
	}
	b.derived, b.only, b.list, b.shown = state, nil, nil, nil
	for i := range state.Facts {
		b.only = append(b.only, derived(&state.Facts[i]))
	}
}

// compare compares the facts of discovery with the files made from it. more are those without a file in force, over the
// files whose subject has another fact now or none, with the reason. The caller holds the lock.
func (b *cache) compare() (more []*Fact, over map[*Fact]string) {
	if b.derived == nil {
		return nil, nil
	}
	over = map[*Fact]string{}
	found, there := map[string]string{}, map[string]bool{} // id by parent; ids with a file in force
	decided := map[string]bool{}                           // parents that a person decided about
	for _, f := range b.only {
		found[f.Parent] = f.ID
	}
	for _, f := range b.All {
		kept := false
		switch {
		case !f.discovered():
		case f.handEdited():
			kept = f.inForce()
		case f.Status == archived:
			kept = f.ID == found[f.Parent]
		case f.Status == superseded: // by a fact that a person stored
			ours := func(by *Fact) bool { return by.Parent == f.Parent && strings.EqualFold(by.ID, f.SupersededBy) }
			kept = f.ID == found[f.Parent] && f.SupersededBy != "" && !slices.ContainsFunc(b.Named(f.SupersededBy), ours)
		case b.derived.unread(f):
		case found[f.Parent] == "":
			over[f] = "discovery does not find it any more"
		case found[f.Parent] != f.ID:
			over[f] = "discovery finds something else now"
		}
		if kept {
			decided[f.Parent] = true
		}
		if f.Status != superseded && over[f] == "" {
			there[strings.ToLower(f.ID)] = true
		}
	}
	for _, f := range b.only {
		if !decided[f.Parent] && !there[f.ID] {
			more = append(more, f)
		}
	}
	return more, over
}

// byAge is the order of lists: newest first, then by id; those without `created` come last.
func byAge(a, b *Fact) int {
	return cmp.Or(cmp.Compare(b.created, a.created), cmp.Compare(a.ID, b.ID), cmp.Compare(a.path, b.path))
}

// sortKey is what byAge compares, as record.Page needs it.
func sortKey(f *Fact) []any { return []any{&f.created, &f.ID, &f.path} }

// find returns the place of a fact in a list that is sorted by age.
func find(list []Fact, one *Fact) (int, bool) {
	return slices.BinarySearchFunc(list, one, func(a Fact, b *Fact) int { return byAge(&a, b) })
}

// all returns every fact in its present state, the newest first. The list is shared: callers must not change it.
func (b *cache) all(ctx context.Context) (_ []Fact, err error) {
	defer fault.Caught(&err)
	fault.Check(b.sync(ctx))
	b.once.Do(func() { // reading does not search the project
		if state, known := b.f.storedState(); known {
			b.derive(&state)
		}
	})
	b.state.Lock()
	defer b.state.Unlock()
	now := b.f.now().Unix()
	if b.list == nil {
		var more []*Fact
		more, b.over = b.compare()
		b.list = slices.AppendSeq(more, maps.Values(b.All))
		slices.SortFunc(b.list, byAge)
	}
	missing, same := b.f.undeclared(ctx, b.list)
	touched, watching := b.f.touched(ctx, b.list)
	fault.Check(ctx.Err())
	if same && !watching && b.shown != nil && now >= b.from && (b.until == 0 || now < b.until) {
		return b.shown, nil
	}
	newest := map[string]*Fact{}
	for _, f := range b.list {
		if was := newest[f.Parent]; f.declared() && (was == nil || f.ValidFrom > was.ValidFrom) {
			newest[f.Parent] = f
		}
	}
	b.shown, b.from, b.until = make([]Fact, len(b.list)), now, 0
	for i, f := range b.list {
		one := &b.shown[i]
		*one = *f
		one.judge(now, touched[f.path])
		one.judgeDeclared(missing, newest)
		if why := b.over[f]; why != "" && one.Live() {
			one.State, one.Why = superseded, why
		}
		if t := f.turns(now); t > 0 && (b.until == 0 || t < b.until) {
			b.until = t
		}
	}
	return b.shown, nil
}

// one returns the only fact that arg names, by id or file.
func (b *cache) one(arg, id string) (*Fact, error) {
	b.state.RLock()
	defer b.state.RUnlock()
	return b.Only(arg, id, b.Named(id))
}
