package fact

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"sdd/internal/fault"
	"sdd/internal/index"
	"sdd/internal/record"
	"sdd/internal/store"
)

// The index finds facts; the other values that a list of them needs are in their files. The cache keeps every fact parsed, with the
// lists and states made of them, and the facts that discovery finds.

type cache struct {
	f *Facts

	turn sync.Mutex // held by the sync that is under way

	state   sync.RWMutex // guards what follows
	files   *index.View[Fact]
	byID    map[string][]*Fact
	once    sync.Once
	only    []*Fact          // the facts of discovery
	over    map[*Fact]string // why discovery supersedes stored facts of its own
	derived *discoveryState  // the discovery that only is of; nil before the first
	list    []*Fact          // by age; nil when it has to be made
	globs   bool             // some active fact depends on files
	keyed   bool             // some active fact is about a declaration in the code
	shown   []Fact           // the list with its states, nil when it has to be made
	from    int64            // when it was made
	until   int64            // when a state in it changes, 0 for never
}

// sync makes the cache show every file as it is now or was since the call began.
func (b *cache) sync(ctx context.Context) error {
	b.turn.Lock()
	defer b.turn.Unlock()
	updates, err := b.files.Updates(ctx)
	if err != nil || len(updates) == 0 {
		return err
	}
	b.state.Lock()
	defer b.state.Unlock()
	if len(updates) > 100 || len(b.only) > 0 {
		b.list = nil
	}
	for _, u := range updates {
		if was := u.Was; was != nil {
			b.listed(was, false)
			id := foldID(was.ID)
			b.byID[id] = slices.DeleteFunc(slices.Clone(b.byID[id]), func(o *Fact) bool { return o == was })
		}
		if f := u.Now; f != nil {
			b.listed(f, true)
			b.byID[foldID(f.ID)] = append(b.byID[foldID(f.ID)], f)
		}
	}
	b.files.Apply(updates)
	b.shown = nil
	return nil
}

// listed keeps the list in order, where there is one; it is made again when much changes.
func (b *cache) listed(f *Fact, in bool) {
	if b.list == nil {
		return
	}
	i, found := slices.BinarySearchFunc(b.list, f, byAge)
	switch {
	case in && !found:
		b.list = slices.Insert(b.list, i, f)
	case !in && found:
		b.list = slices.Delete(b.list, i, i+1)
	}
}

// derive takes the facts of a discovery in. The same discovery costs nothing.
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

// remembered takes the last stored discovery in, once: a read does not search the project.
func (b *cache) remembered() {
	b.once.Do(func() {
		if state, known := b.f.storedState(); known {
			b.derive(&state)
		}
	})
}

// beside returns the facts of discovery without a file, and why discovery supersedes stored ones. The caller holds the lock.
func (b *cache) beside() (more []*Fact, over map[*Fact]string) {
	over = map[*Fact]string{}
	if b.derived == nil {
		return nil, over
	}
	found, hidden := map[string]string{}, map[string]bool{} // by topic: the id; topics with a fact of a person
	for _, f := range b.only {
		found[f.Parent] = f.ID
	}
	for _, f := range b.files.All {
		switch {
		case !f.discovered():
		case f.handEdited():
			hidden[f.Parent] = hidden[f.Parent] || f.stands()
		case f.Status == archived:
			hidden[f.Parent] = hidden[f.Parent] || f.ID == found[f.Parent]
		case !f.stands() || b.derived.unread(f):
		case found[f.Parent] == "":
			over[f] = "discovery does not find it any more"
		case found[f.Parent] != f.ID:
			over[f] = "discovery finds something else now"
		}
	}
	for _, f := range b.only {
		if !hidden[f.Parent] && !slices.ContainsFunc(b.byID[foldID(f.ID)], func(o *Fact) bool { return o.Status != superseded && over[o] == "" }) {
			more = append(more, f)
		}
	}
	return more, over
}

func foldID(id string) string { return strings.ToLower(strings.TrimSpace(id)) }

// byAge is the order of lists: newest first, then by id; those without `created` come last.
func byAge(a, b *Fact) int {
	return cmp.Or(cmp.Compare(b.created, a.created), cmp.Compare(a.ID, b.ID), cmp.Compare(a.path, b.path))
}

// all returns every fact as it is now, the newest first. The list is shared: it must not be changed.
func (b *cache) all(ctx context.Context) ([]Fact, error) {
	if err := b.sync(ctx); err != nil {
		return nil, err
	}
	b.remembered()
	b.state.Lock()
	defer b.state.Unlock()
	now := b.f.now().Unix()
	if b.list == nil {
		b.list = slices.AppendSeq(make([]*Fact, 0, len(b.files.All)+len(b.only)), maps.Values(b.files.All))
		var more []*Fact
		more, b.over = b.beside()
		b.list = append(b.list, more...)
		slices.SortFunc(b.list, byAge)
	}
	if b.shown == nil {
		b.globs = slices.ContainsFunc(b.list, func(f *Fact) bool { return f.Status == active && f.refreshOn() != "" })
		b.keyed = slices.ContainsFunc(b.list, func(f *Fact) bool { return f.Status == active && f.shownByTree() })
	}
	missing, same := map[string]bool{}, true
	if b.keyed {
		missing, same = b.f.undeclared(ctx, b.list)
	}
	if same && b.shown != nil && !b.globs && now >= b.from && (b.until == 0 || now < b.until) {
		return b.shown, nil
	}
	var touched map[string]bool
	if b.globs {
		touched = b.f.touched(ctx, b.list)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	newest := map[string]*Fact{}
	for _, f := range b.list {
		if was := newest[f.Parent]; f.Status == active && f.shownByTree() && (was == nil || f.ValidFrom > was.ValidFrom) {
			newest[f.Parent] = f
		}
	}
	b.shown, b.from, b.until = make([]Fact, len(b.list)), now, 0
	for i, f := range b.list {
		b.shown[i] = *f
		b.shown[i].judge(now, touched[f.path])
		b.shown[i].compare(missing, newest)
		if why := b.over[f]; why != "" && b.shown[i].Live() {
			b.shown[i].State, b.shown[i].Why = superseded, why
		}
		if t := f.turns(now); t > 0 && (b.until == 0 || t < b.until) {
			b.until = t
		}
	}
	return b.shown, nil
}

// named returns the facts that have that id or lie in that file, by path.
func (b *cache) named(id string) []*Fact {
	b.state.RLock()
	defer b.state.RUnlock()
	found := slices.Clone(b.byID[foldID(id)])
	if f := b.files.All[strings.TrimPrefix(strings.TrimSpace(id), store.Folder+"/")]; len(found) == 0 && f != nil {
		found = []*Fact{f}
	}
	slices.SortFunc(found, func(a, b *Fact) int { return cmp.Compare(a.path, b.path) })
	return found
}

// one returns the only fact that arg names, by id or file.
func (b *cache) one(arg, id string) (*Fact, error) {
	if strings.TrimSpace(id) == "" {
		return nil, fault.New(fault.Invalid, "an id is required").For(arg).With("a list of the facts shows their ids")
	}
	found := b.named(id)
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, index.NotFound(arg, "fact", id, b.f.ix.Nearest(record.Fact, id, 3), "a list of the facts shows their ids")
	}
	var files []string
	for _, f := range found {
		files = append(files, f.File)
	}
	return nil, index.SeveralFiles(arg, "fact", id, files)
}
