package fact

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"sdd/internal/anchor"
	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/index"
	"sdd/internal/index/records"
	"sdd/internal/learning"
	"sdd/internal/markdown"
	"sdd/internal/record"
	"sdd/internal/secrets"
	"sdd/internal/store"
)

// News of a call about a fact. Action of Stored is the first that applies.
const (
	Created     = "created"
	Reactivated = "reactivated" // it was stale, superseded or archived
	Updated     = "updated"     // it gained a source, a higher confidence, a ttl or a key
	Superseded  = "superseded"  // it now supersedes another fact
	Duplicate   = "duplicate"   // nothing new, nothing written
)

// Stored is the result for one fact.
type Stored struct {
	ID         string    `json:"id"`
	Action     string    `json:"action"`
	News       []string  `json:"news"` // all changes of the call; Action is the first, duplicate without any
	File       string    `json:"file"` // relative to the store's root
	Etag       string    `json:"etag"`
	Level      int       `json:"level"`
	State      string    `json:"state"`
	Superseded []Moved   `json:"superseded"`
	Similar    []Similar `json:"similar"`
	Warnings   []string  `json:"warnings"`
}

// Similar is another fact with nearly the same content. It is a hint; no call merges them.
type Similar = learning.Similar

const (
	nearest     = 20      // facts that are looked at
	mostQueried = 2 << 10 // bytes of a content in a query
)

// Add stores a fact. One content is one file, however often and by however many processes it is added. A repetition adds
// its news: a stale, superseded or archived fact becomes active; a new source goes to its Evidence; it takes a higher
// confidence, a ttl and new keys. A key that already has another value keeps it, with a warning.
//
// Faults: Invalid (arguments, limits, secrets), NotFound (supersedes), Broken (an unreadable file with this id,
// config.yaml), Ambiguous (several files have the id), Unwritable.
func (f *Facts) Add(ctx context.Context, in Input) (_ Stored, err error) {
	defer secrets.Blame(&err, in)
	defer fault.Caught(&err)
	cfg := fault.Must(f.st.Config())
	fault.Check(in.check(cfg.Limits))
	pins := fault.Must(anchor.PinAll(f.st.Dir(), in.CodeRef))
	near := fault.Must(f.near(ctx, in.Content, false))
	a := &adding{f: f, ctx: ctx, in: in, pins: pins, id: idOf(in.Content)}
	a.out = Stored{News: []string{}, Superseded: []Moved{}, Similar: []Similar{}, Warnings: []string{}}
	same := func(n *Fact) bool { return record.ContentKey(n.Content) == record.ContentKey(in.Content) }
	if i := slices.IndexFunc(near, same); i >= 0 { // or a fact that was edited into this content
		a.id = near[i].ID
	}
	var older *Fact
	if in.Supersedes != "" {
		older = fault.Must(f.cache.one("supersedes", in.Supersedes))
		if older.ID == a.id || same(older) {
			return Stored{}, fault.New(fault.Invalid, "%s cannot supersede itself: the content is the same", older.ID).For("supersedes").
				With("give the content that holds now, or omit supersedes")
		}
	}
	saved := fault.Must(f.cache.Put(ctx, store.Edit{Record: a.id, Resolve: a.resolve, Change: a.change, Op: "fact", Tool: in.Tool,
		Session: in.Session}))
	if !saved.Unchanged {
		a.out.News = append(a.out.News, a.news...)
	}
	now := read(saved.Path, saved.Doc)
	now.judge(f.now().Unix(), false)
	a.out.ID, a.out.File, a.out.Etag, a.out.Level, a.out.State = now.ID, now.File, now.Etag, now.Level, now.State
	if older != nil {
		m := fault.Must(f.supersede(ctx, older, now.ID, in.Tool, in.Session))
		if m.From != m.To {
			a.out.News = append(a.out.News, Superseded)
		}
		a.out.Superseded = append(a.out.Superseded, m)
	}
	a.out.Action = append(slices.Clone(a.out.News), Duplicate)[0]
	a.out.Warnings = append(a.out.Warnings, pins.Warnings...)
	if in.Scope != now.Scope {
		a.warn("it is there already in scope %s, and stays there", now.Scope)
	}
	for _, n := range near {
		if n.ID != now.ID && n.inForce() && (older == nil || n.ID != older.ID) {
			a.out.Similar = append(a.out.Similar, Similar{ID: n.ID, Content: n.Content, File: n.File})
		}
	}
	a.out.Similar = learning.Alike(in.Content, a.out.Similar)
	return a.out, nil
}

// near returns the facts that share most words with a content. bare ignores the order of the words.
func (f *Facts) near(ctx context.Context, content string, bare bool) (out []*Fact, err error) {
	defer fault.Caught(&err)
	fault.Check(f.cache.sync(ctx))
	page := fault.Must(f.ix.Query(ctx, index.Query{Text: strings.ToValidUTF8(content[:min(len(content), mostQueried)], ""),
		Types: []record.Type{{Kind: record.Fact}}, Limit: nearest, Bare: bare}))
	f.cache.state.RLock()
	defer f.cache.state.RUnlock()
	for _, h := range page.Hits {
		if n := f.cache.All[h.Path]; n != nil {
			out = append(out, n)
		}
	}
	return out, nil
}

// adding is one fact that Add stores.
type adding struct {
	f    *Facts
	ctx  context.Context
	in   Input
	pins anchor.Pinned
	id   string
	path string
	news []string // of the last change
	out  Stored
}

func (a *adding) warn(format string, args ...any) {
	a.out.Warnings = append(a.out.Warnings, fmt.Sprintf(format, args...))
}

// resolve returns the path of the fact, existing or new. It runs under the lock.
func (a *adding) resolve() (_ string, err error) {
	if a.path, err = a.f.cache.PathOf(a.ctx, "content", a.id, ""); err == nil && a.path == "" {
		first, _, _ := strings.Cut(a.in.Content, "\n")
		a.path = a.f.ix.FreePath(record.HexFile(record.Fact, a.id, first, a.in.Scope), a.id)
	}
	if err == nil && a.in.Scope == record.Personal { // the other way round, Add only warns
		err = record.CheckFolder(a.path, a.in.Scope)
	}
	return a.path, err
}

// change makes the file, or adds the news to the existing one.
func (a *adding) change(before *record.Doc, exists bool) (_ *record.Doc, err error) {
	defer fault.Caught(&err)
	a.news, a.out.Warnings = nil, []string{}
	doc, evidence := before, a.in.Evidence
	var sets []frontmatter.Set
	if exists {
		front, _ := before.Front()
		u := fault.Must(before.Edit(record.Fact, a.pins.Sets(front), nil))
		doc = u.Doc
		sets, evidence = a.additions(before, doc)
	} else {
		out, changed, err := record.Compose(record.Fact, a.keys(), a.in.Content)
		fault.Check(err)
		for _, w := range changed {
			a.warn("%s", w.Text)
		}
		a.news, doc = []string{Created}, record.Open(out)
	}
	var changes []markdown.Change
	if evidence != "" {
		changes = []markdown.Change{{Section: record.Sections(record.Fact)[0], Text: evidence}}
	}
	u := fault.Must(doc.Edit(record.Fact, sets, changes))
	for _, w := range u.Warnings {
		if !exists {
			a.warn("%s", w.Text)
		}
	}
	return u.Doc, nil
}

// back returns the keys that make a fact active from now on, with that ttl.
func (f *Facts) back(ctx context.Context, was *Fact, t *TTL) []frontmatter.Set {
	now := f.now()
	sets := []frontmatter.Set{{Key: "status", Value: active}, {Key: "refreshed", Value: record.Stamp(now)}}
	if was.SupersededBy != "" {
		sets = append(sets, frontmatter.Set{Key: "superseded_by"})
	}
	if was.until > 0 && (was.until <= now.Unix() || was.Status == superseded) {
		sets = append(sets, frontmatter.Set{Key: "valid_until"})
	}
	if was.from > now.Unix() {
		sets = append(sets, frontmatter.Set{Key: "valid_from"})
	}
	if t == was.TTL { // keeps the spelling in the file
		return append(sets, f.seenKey(ctx, was, t)...)
	}
	return append(sets, f.ttlKeys(ctx, was, t)...)
}

// additions returns the keys that an existing fact gets, and its evidence if that changes. pinned has the places of the call.
func (a *adding) additions(before, pinned *record.Doc) (sets []frontmatter.Set, evidence string) {
	in, now := a.in, read(a.path, before)
	now.pins = read(a.path, pinned).pins
	a.f.judgeNow(a.ctx, now)
	if record.ContentKey(now.Content) != record.ContentKey(in.Content) {
		a.warn("it was edited since it was stored, and says now: %s", record.Brief(now.Content))
	}
	if now.State != active {
		if now.SupersededBy != "" {
			a.warn("%s had superseded it; both count now", now.SupersededBy)
		}
		a.news = append(a.news, Reactivated)
		sets = a.f.back(a.ctx, now, now.TTL)
	}
	comeback := len(sets)
	add := func(key string, value any) { sets = append(sets, frontmatter.Set{Key: key, Value: value}) }
	for _, v := range []struct{ key, has, given string }{
		{"domain", now.Domain, in.Domain}, {"module", now.Module, in.Module}, {"parent", now.Parent, in.Parent},
	} {
		switch {
		case v.given == "" || v.given == v.has:
		case v.has == "":
			add(v.key, v.given)
		default:
			a.warn("%s is %s, and stays so", v.key, v.has)
		}
	}
	if in.Level != 0 && in.Level != now.Level {
		a.warn("level is %d, and stays so", now.Level)
	}
	if in.Confidence > now.Confidence {
		add("confidence", in.Confidence)
	}
	if given := in.ttl(); given != nil {
		t := now.TTL.with(TTL{float64(in.TTLDays), in.RefreshOn, in.OnExpire})
		if t.Days == 0 && in.RefreshOn == "" {
			t.Days = given.Days
		}
		if now.TTL == nil || t != *now.TTL {
			sets = append(sets, a.f.ttlKeys(a.ctx, now, &t)...)
		}
	}
	var lines []string
	if in.Source != "" && in.Source != now.Source {
		if item := "- " + in.Source; now.Source == "" {
			add("source", in.Source)
		} else if !slices.ContainsFunc(strings.Split(now.Evidence, "\n"), func(l string) bool { return strings.TrimSpace(l) == item }) {
			lines = append(lines, item)
		}
	}
	if in.Evidence != "" && !strings.Contains(now.Evidence, in.Evidence) {
		lines = append(lines, in.Evidence)
	}
	if len(lines) > 0 {
		evidence = strings.TrimSpace(now.Evidence + "\n" + strings.Join(lines, "\n"))
	}
	if len(sets) > comeback || evidence != "" || pinned != before {
		a.news = append(a.news, Updated)
	}
	return sets, evidence
}

func (a *adding) keys() []frontmatter.Set {
	in, scope := a.in, ""
	if in.Scope == record.Personal {
		scope = in.Scope
	}
	return records.Present(slices.Concat([]frontmatter.Set{
		{Key: "id", Value: a.id}, {Key: "level", Value: in.Level}, {Key: "domain", Value: in.Domain}, {Key: "module", Value: in.Module},
		{Key: "status", Value: active}, {Key: "confidence", Value: in.Confidence}, {Key: "source", Value: in.Source},
		{Key: "parent", Value: in.Parent},
	}, a.pins.Sets(nil), a.f.ttlKeys(a.ctx, &Fact{pins: a.pins.Seen}, in.ttl()), []frontmatter.Set{
		{Key: "created", Value: record.Moments(a.f.now())}, {Key: "scope", Value: scope},
	}))
}

// Text renders the result, with the content as data, for an agent or a person.
func (s Stored) Text() string {
	did := slices.DeleteFunc(slices.Clone(s.News), func(n string) bool { return n == Superseded })
	if len(s.News) == 0 {
		did = []string{s.Action}
	}
	text := fmt.Sprintf("%s (%s)\n", strings.TrimSpace(s.ID+" "+strings.Join(did, ", ")), s.File)
	for _, m := range s.Superseded {
		text += fmt.Sprintf("supersedes %s (%s)\n", m.ID, m.File)
	}
	for _, w := range s.Warnings {
		text += "warning: " + record.OneLine(w) + "\n"
	}
	if len(s.Similar) > 0 {
		lines := ""
		for _, n := range s.Similar {
			lines += record.Item(n.ID, n.Content) + "\n"
		}
		text += "nearly the same:\n" + markdown.Quote(lines, store.Folder+"/facts", 0)
	}
	return text
}
