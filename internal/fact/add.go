package fact

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/index"
	"sdd/internal/learning/classify"
	"sdd/internal/markdown"
	"sdd/internal/record"
	"sdd/internal/secrets"
	"sdd/internal/store"
)

// What a call did to a fact. Action of Stored is the first that applies.
const (
	Created     = "created"
	Reactivated = "reactivated" // it was stale, superseded or archived
	Updated     = "updated"     // it has a source, a confidence, a ttl or a key that it had not
	Superseded  = "superseded"  // another fact is superseded by it now
	Duplicate   = "duplicate"   // nothing new, nothing written
)

// Stored is what became of one fact.
type Stored struct {
	ID         string    `json:"id"`
	Action     string    `json:"action"`
	News       []string  `json:"news"` // all that the call changed; Action is the first, duplicate when there is none
	File       string    `json:"file"` // relative to the store's root
	Etag       string    `json:"etag"`
	Level      int       `json:"level"`
	State      string    `json:"state"`
	Superseded []Moved   `json:"superseded"`
	Similar    []Similar `json:"similar"`
	Warnings   []string  `json:"warnings"`

	content string
}

// Similar is another fact that says nearly the same. It is a hint; nothing is merged.
type Similar struct {
	ID         string  `json:"id"`
	Content    string  `json:"content"`
	File       string  `json:"file"`
	Similarity float64 `json:"similarity"` // 0 to 1
}

const (
	nearest     = 20 // facts that are looked at
	mostSimilar = 3
	mostQueried = 2 << 10 // bytes of a content that are looked for
)

// Add stores a fact. One content is one file, whoever adds it, however often and at once. What a repetition brings is not
// dropped: a stale, superseded or archived one comes back; another source goes to its Evidence; a higher confidence, a ttl
// and keys that it had not are taken over. Keys that it has otherwise are kept, with a warning.
//
// Faults: Invalid (arguments, limits, secrets), NotFound (supersedes), Broken (the file there cannot be understood,
// config.yaml), Ambiguous (several files have the id), Unwritable.
func (f *Facts) Add(ctx context.Context, in Input) (_ Stored, err error) {
	defer secrets.Blame(&err, in)
	cfg, err := f.st.Config()
	if err != nil {
		return Stored{}, err
	}
	if err := in.check(cfg.Limits); err != nil {
		return Stored{}, err
	}
	if err := f.cache.sync(ctx); err != nil {
		return Stored{}, err
	}
	a := &adding{f: f, ctx: ctx, in: in, id: idOf(in.Content)}
	near, err := f.near(ctx, in.Content, false)
	if err != nil {
		return Stored{}, err
	}
	key := record.ContentKey(in.Content)
	for _, n := range near {
		if record.ContentKey(n.Content) == key { // also one that was edited into this content
			a.id = n.ID
			break
		}
	}
	if err := a.store(); err != nil {
		return Stored{}, err
	}
	a.hint(near)
	return a.out, nil
}

// near returns the facts that share most words with a content; bare does not look at the order of the words.
func (f *Facts) near(ctx context.Context, content string, bare bool) ([]*Fact, error) {
	page, err := f.ix.Query(ctx, index.Query{Text: strings.ToValidUTF8(content[:min(len(content), mostQueried)], ""),
		Types: []record.Type{{Kind: record.Fact}}, Limit: nearest, Bare: bare})
	if err != nil {
		return nil, err
	}
	f.cache.state.RLock()
	defer f.cache.state.RUnlock()
	var out []*Fact
	for _, h := range page.Hits {
		if n := f.cache.files.All[h.Path]; n != nil {
			out = append(out, n)
		}
	}
	return out, nil
}

// adding is one fact on its way into the store.
type adding struct {
	f   *Facts
	ctx context.Context
	in  Input
	out Stored
	id  string

	path  string
	older *Fact // that it supersedes
	ttl   []frontmatter.Set
	news  []string
}

// store makes the file or brings the news to the one that is there. The cache is up to date.
func (a *adding) store() (err error) {
	f, in := a.f, a.in
	a.out = Stored{News: []string{}, Superseded: []Moved{}, Similar: []Similar{}, Warnings: []string{}, content: in.Content}
	if in.Supersedes != "" {
		if a.older, err = f.cache.one("supersedes", in.Supersedes); err != nil {
			return err
		}
		if a.older.ID == a.id || record.ContentKey(a.older.Content) == record.ContentKey(in.Content) {
			return fault.New(fault.Invalid, "%s cannot supersede itself: the content is the same", a.older.ID).For("supersedes").
				With("give the content that holds now, or omit supersedes")
		}
	}
	a.ttl = f.ttlKeys(a.ctx, in.ttl())
	if !f.st.Exists() { // what cannot be stored makes no store either
		if _, err := a.apply(nil, false); err != nil {
			return err
		}
	}
	saved, err := f.save(a.ctx, store.Edit{Record: a.id, Resolve: a.resolve, Apply: a.apply, Op: "fact", Tool: in.Tool, Session: in.Session})
	if err != nil {
		return store.InFile(err, a.path)
	}
	if saved.Unchanged {
		a.news = nil
	}
	now := parse(saved.Path, saved.After)
	now.judge(f.now().Unix(), false)
	a.out.ID, a.out.File, a.out.Etag, a.out.Level, a.out.State = now.ID, now.File, now.Etag, now.Level, now.State
	if a.older != nil {
		m, err := f.supersede(a.ctx, a.older, now.ID, in.Tool, in.Session)
		if err != nil {
			return err
		}
		if m.From != m.To {
			a.news = append(a.news, Superseded)
		}
		a.out.Superseded = append(a.out.Superseded, m)
	}
	a.out.News = append(a.out.News, a.news...)
	a.out.Action = cmp.Or(append(slices.Clone(a.news), Duplicate)...)
	if in.CodeRef != "" {
		if why := f.missing(in.CodeRef); why != "" {
			a.warn("code_ref %s: %s", in.CodeRef, why)
		}
	}
	if in.Scope != now.Scope {
		a.warn("it is there already in scope %s, and stays there", now.Scope)
	}
	return nil
}

func (a *adding) warn(format string, args ...any) {
	a.out.Warnings = append(a.out.Warnings, fmt.Sprintf(format, args...))
}

// resolve says, under the lock, where the fact is or shall be: under its id, unless that belongs to something else.
func (a *adding) resolve() (string, error) {
	ix := a.f.ix
	for {
		held, err := ix.Holders(a.ctx, a.id)
		if err != nil {
			return "", err
		}
		held = slices.DeleteFunc(held, func(e index.Entry) bool { return e.Kind != record.Fact })
		switch len(held) {
		case 0:
			a.path = fileOf(a.id, a.in.Content, a.in.Scope)
			a.path = ix.FreePath(a.path, a.id)
			return a.path, nil
		case 1:
			file, err := a.f.st.Read(held[0].Path)
			if err != nil {
				return "", err
			}
			a.path = held[0].Path
			now := parse(a.path, file.Bytes)
			same := record.ContentKey(now.Content) == record.ContentKey(a.in.Content)
			if same || record.Writable(file.Bytes) != nil || now.handEdited() {
				return a.path, nil
			}
		default:
			return "", index.SeveralFiles("content", "fact", a.id, index.Files(held))
		}
		// An id that still fits a content which is another one is what a collision looks like.
		long := record.HexID(record.IDPrefix(record.Fact), a.in.Content, func(string) bool { return true })
		if a.id == long {
			return "", fault.New(fault.Conflict, "the id %s belongs to something else", a.id).For("content").With("say it in other words")
		}
		a.id = long
	}
}

// apply makes the file, or brings the news to the one that is there.
func (a *adding) apply(before []byte, exists bool) ([]byte, error) {
	a.news, a.out.Warnings = nil, []string{}
	if !exists {
		out, changed, err := record.Compose(record.Fact, a.keys(), a.in.Content)
		if err == nil && a.in.Evidence != "" {
			out, changed, err = withEvidence(out, a.in.Evidence, changed)
		}
		if err != nil {
			return nil, err
		}
		for _, w := range changed {
			a.warn("%s", w.Text)
		}
		a.news = []string{Created}
		return out, a.f.guard(nil, out)
	}
	if err := record.Writable(before); err != nil {
		return nil, err
	}
	now := parse(a.path, before)
	now.judge(a.f.now().Unix(), a.f.isTouched(a.ctx, now))
	if record.ContentKey(now.Content) != record.ContentKey(a.in.Content) {
		a.warn("it was edited since it was stored, and says now: %s", record.Brief(now.Content))
	}
	sets := a.comeback(now)
	if len(sets) > 0 {
		a.news = append(a.news, Reactivated)
	}
	more, evidence := a.additions(now)
	out, err := frontmatter.Apply(before, record.Keys(record.Fact), append(sets, more...))
	if err != nil {
		return nil, err
	}
	if evidence != "" {
		if out, _, err = withEvidence(out, evidence, nil); err != nil {
			return nil, err
		}
	}
	if len(more) > 0 || evidence != "" {
		a.news = append(a.news, Updated)
	}
	return out, a.f.guard(before, out)
}

// comeback are the keys that make a fact count again which does not.
func (a *adding) comeback(now *Fact) []frontmatter.Set {
	if now.State == active {
		return nil
	}
	if now.SupersededBy != "" {
		a.warn("%s had superseded it; both count now", now.SupersededBy)
	}
	return a.f.back(a.ctx, now, now.TTL)
}

// back are the keys that make a fact active as of now, with that ttl.
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
	if t == was.TTL { // it stays as it is written
		return append(sets, f.seenKey(ctx, t)...)
	}
	return append(sets, f.ttlKeys(ctx, t)...)
}

// additions are the keys that the fact has not, and what is new for its evidence.
func (a *adding) additions(now *Fact) (sets []frontmatter.Set, evidence string) {
	in := a.in
	for _, v := range []struct{ key, has, given string }{
		{"domain", now.Domain, in.Domain}, {"module", now.Module, in.Module}, {"code_ref", now.CodeRef, in.CodeRef}, {"parent", now.Parent, in.Parent},
	} {
		switch {
		case v.given == "" || v.given == v.has:
		case v.has == "":
			sets = append(sets, frontmatter.Set{Key: v.key, Value: v.given})
		default:
			a.warn("%s is %s, and stays so", v.key, v.has)
		}
	}
	if in.Level != 0 && in.Level != now.Level {
		a.warn("level is %d, and stays so", now.Level)
	}
	if in.Confidence > now.Confidence {
		sets = append(sets, frontmatter.Set{Key: "confidence", Value: in.Confidence})
	}
	if given := in.ttl(); given != nil {
		t := TTL{}
		if now.TTL != nil {
			t = *now.TTL
		}
		was := t
		if in.TTLDays > 0 || t.Days == 0 && in.RefreshOn == "" {
			t.Days = given.Days
		}
		t.RefreshOn, t.OnExpire = cmp.Or(in.RefreshOn, t.RefreshOn), cmp.Or(in.OnExpire, t.OnExpire)
		if t != was {
			sets = append(sets, a.f.ttlKeys(a.ctx, &t)...)
		}
	}
	var lines []string
	if in.Source != "" && in.Source != now.Source {
		if item := "- " + in.Source; now.Source == "" {
			sets = append(sets, frontmatter.Set{Key: "source", Value: in.Source})
		} else if !hasLine(now.Evidence, item) {
			lines = append(lines, item)
		}
	}
	if in.Evidence != "" && !strings.Contains(now.Evidence, in.Evidence) {
		lines = append(lines, in.Evidence)
	}
	if len(lines) > 0 {
		evidence = strings.TrimSpace(now.Evidence + "\n" + strings.Join(lines, "\n"))
	}
	return sets, evidence
}

func hasLine(text, line string) bool {
	for l := range strings.Lines(text) {
		if strings.TrimSpace(l) == line {
			return true
		}
	}
	return false
}

// withEvidence replaces the section Evidence.
func withEvidence(src []byte, text string, warnings []markdown.Warning) ([]byte, []markdown.Warning, error) {
	u, err := record.Edit(src, record.Fact, nil, []markdown.Change{{Section: record.Sections(record.Fact)[0], Text: text}})
	if err != nil {
		return nil, nil, err
	}
	return u.Out, append(warnings, u.Warnings...), nil
}

// keys are those of a new fact.
func (a *adding) keys() []frontmatter.Set {
	in := a.in
	sets := []frontmatter.Set{{Key: "id", Value: a.id}, {Key: "level", Value: in.Level}}
	set := func(key, value string) {
		if value != "" {
			sets = append(sets, frontmatter.Set{Key: key, Value: value})
		}
	}
	set("domain", in.Domain)
	set("module", in.Module)
	set("status", active)
	if in.Confidence > 0 {
		sets = append(sets, frontmatter.Set{Key: "confidence", Value: in.Confidence})
	}
	set("source", in.Source)
	set("code_ref", in.CodeRef)
	set("parent", in.Parent)
	sets = append(sets, a.ttl...)
	set("created", record.Moments(a.f.now()))
	if in.Scope == record.Personal {
		set("scope", in.Scope)
	}
	return sets
}

// hint names facts that say nearly the same.
func (a *adding) hint(near []*Fact) {
	for _, n := range near {
		if n.ID == a.out.ID || n.Status == superseded || n.Status == archived || a.older != nil && n.ID == a.older.ID {
			continue
		}
		if v := classify.Similarity(a.in.Content, n.Content); v >= classify.NearDuplicate {
			a.out.Similar = append(a.out.Similar, Similar{n.ID, record.Head(n.Content), n.File, v})
		}
	}
	slices.SortStableFunc(a.out.Similar, func(a, b Similar) int {
		return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), cmp.Compare(a.ID, b.ID))
	})
	a.out.Similar = a.out.Similar[:min(len(a.out.Similar), mostSimilar)]
}

// isTouched reports whether files that the fact depends on have changed.
func (f *Facts) isTouched(ctx context.Context, one *Fact) bool {
	touched, _ := f.touched(ctx, []*Fact{one})
	return touched[one.path]
}

// Text renders what was stored, as data, for an agent or a person.
func (s Stored) Text() string {
	var b strings.Builder
	did := s.News
	if len(did) == 0 {
		did = []string{s.Action}
	}
	fmt.Fprintf(&b, "%s %s (%s)\n", s.ID, strings.Join(did, ", "), s.File)
	for _, m := range s.Superseded {
		fmt.Fprintf(&b, "superseded: %s (%s)\n", m.ID, m.File)
	}
	for _, w := range s.Warnings {
		b.WriteString("warning: " + record.OneLine(w) + "\n")
	}
	if len(s.Similar) > 0 {
		var lines strings.Builder
		for _, n := range s.Similar {
			lines.WriteString(record.Item(n.ID, n.Content) + "\n")
		}
		b.WriteString("nearly the same:\n" + markdown.Quote(lines.String(), store.Folder+"/facts", 0))
	}
	return b.String()
}
