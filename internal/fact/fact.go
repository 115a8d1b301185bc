package fact

import (
	"cmp"
	"maps"
	"strings"

	"sdd/internal/record"
	"sdd/internal/store"
)

// Statuses of facts, which are states too.
const (
	active     = "active"
	stale      = "stale"
	superseded = "superseded"
	archived   = "archived"
)

// Fact is a fact as it is in its file, with its state as of now.
type Fact struct {
	ID           string  `json:"id"`
	Level        int     `json:"level"` // 0 project, 1 domain, 2 module, 3 code
	Domain       string  `json:"domain,omitempty"`
	Module       string  `json:"module,omitempty"`
	Status       string  `json:"status"`        // in the file
	State        string  `json:"state"`         // what counts now: active stale superseded archived
	Why          string  `json:"why,omitempty"` // why State is not Status
	Content      string  `json:"content"`
	Evidence     string  `json:"evidence,omitempty"`
	Confidence   float64 `json:"confidence"` // 0 to 1; 1 where the file has none
	Source       string  `json:"source,omitempty"`
	CodeRef      string  `json:"code_ref,omitempty"`
	Parent       string  `json:"parent,omitempty"`
	SupersededBy string  `json:"superseded_by,omitempty"`
	ValidFrom    string  `json:"valid_from,omitempty"`
	ValidUntil   string  `json:"valid_until,omitempty"`
	TTL          *TTL    `json:"ttl,omitempty"` // callers must not change what it points to
	Created      string  `json:"created,omitempty"`
	Refreshed    string  `json:"refreshed,omitempty"`
	Seen         string  `json:"seen,omitempty"` // hash of the files that refresh_on matches, as they were when it was refreshed
	Scope        string  `json:"scope"`
	File         string  `json:"file"` // relative to the store's root; "" of one that could not be stored
	Etag         string  `json:"etag"`

	path    string // relative to .sdd
	created int64
	from    int64 // valid_from, 0 without
	until   int64 // valid_until, 0 without
	expires int64 // when it gets stale by age or by valid_until, 0 never
}

// TTL is how long a fact may be used before it is looked at again.
type TTL struct {
	Days      float64 `json:"days,omitempty"`       // counted from refreshed, else created, else valid_from
	RefreshOn string  `json:"refresh_on,omitempty"` // a glob: a change of a file that it matches makes the fact stale
	OnExpire  string  `json:"on_expire,omitempty"`  // what GC makes of it when the days are over: stale (default), archive, delete
}

// Live reports whether the fact counts: it is active or stale.
func (f *Fact) Live() bool { return f.State == active || f.State == stale }

const day = 24 * 60 * 60

// expiry are the days after which a fact without a ttl is stale, by level; 0 is never.
var expiry = [...]float64{0, 30, 7, 3}

// parse reads the fact in the file at path, relative to .sdd. It never fails: what is missing or makes no sense has its
// default; `sdd check` reports it.
func parse(path string, src []byte) *Fact {
	r := record.Parse(path, src, record.Defaults{})
	get := func(key string) string { return word(r.FrontMatter, key) }
	f := &Fact{
		ID: r.ID, Domain: get("domain"), Module: get("module"), Status: record.StatusOf(record.Fact, r.Status), Content: r.Preamble,
		Confidence: 1, Source: get("source"), CodeRef: get("code_ref"), Parent: get("parent"), SupersededBy: get("superseded_by"),
		ValidFrom: get("valid_from"), ValidUntil: get("valid_until"), Created: r.Created, Refreshed: get("refreshed"), Seen: get("seen"),
		Scope: r.Scope, File: store.Folder + "/" + path, Etag: r.Etag, path: path, created: record.Moment(r.Created),
	}
	if n, ok := number(r.FrontMatter["level"]); ok {
		f.Level = min(max(int(n), 0), len(expiry)-1)
	}
	if n, ok := number(r.FrontMatter["confidence"]); ok && n >= 0 && n <= 1 {
		f.Confidence = n
	}
	for _, s := range r.Sections {
		if s.Key == "evidence" && f.Evidence == "" {
			f.Evidence = s.Text
		}
	}
	f.TTL = ttlOf(r.FrontMatter["ttl"])
	f.clock()
	return f
}

// word is the text of a key, "" where it has none.
func word(m map[string]any, key string) string {
	s, _ := m[key].(string)
	return strings.TrimSpace(s)
}

func number(v any) (float64, bool) {
	switch n := v.(type) {
	case int64:
		return float64(n), true
	case float64:
		return n, true
	}
	return 0, false
}

// ttlOf reads the key ttl; nil when it is missing. A number alone is days.
func ttlOf(v any) *TTL {
	if n, ok := number(v); ok && n > 0 {
		return &TTL{Days: n}
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	t := &TTL{RefreshOn: word(m, "refresh_on"), OnExpire: strings.ToLower(word(m, "on_expire"))}
	if n, ok := number(m["days"]); ok && n > 0 {
		t.Days = n
	}
	return t
}

// with returns t with what is given of another ttl in its place; t may be nil.
func (t *TTL) with(given TTL) (both TTL) {
	if t != nil {
		both = *t
	}
	if given.Days > 0 {
		both.Days = given.Days
	}
	both.RefreshOn, both.OnExpire = cmp.Or(given.RefreshOn, both.RefreshOn), cmp.Or(given.OnExpire, both.OnExpire)
	return both
}

// value is the ttl as the front matter has it, nil when it is empty.
func (t *TTL) value() any {
	if t == nil || *t == (TTL{}) {
		return nil
	}
	m := map[string]any{"refresh_on": t.RefreshOn, "on_expire": t.OnExpire, "days": t.Days}
	if t.Days == float64(int64(t.Days)) {
		m["days"] = int64(t.Days)
	}
	maps.DeleteFunc(m, func(_ string, v any) bool { return v == "" || v == int64(0) })
	return m
}

// clock works out when the fact gets stale.
func (f *Fact) clock() {
	f.from, f.until = record.Moment(f.ValidFrom), record.Moment(f.ValidUntil)
	since := cmp.Or(max(0, record.Moment(f.Refreshed)), max(0, record.Moment(f.Created)), max(0, f.from))
	if days := f.days(); days > 0 && since > 0 {
		f.expires = since + int64(days*day)
	}
	if f.until > 0 && (f.expires == 0 || f.until < f.expires) {
		f.expires = f.until
	}
}

// days is how long the fact lives, 0 for ever. What discovery found, and what the tree shows, does not age: it is looked up again.
func (f *Fact) days() float64 {
	switch {
	case f.TTL != nil:
		return f.TTL.Days
	case (f.discovered() || f.shownByTree()) && !f.handEdited():
		return 0
	}
	return expiry[f.Level]
}

// shownByTree reports whether the fact is of something that the code declares: the tree shows whether it still holds.
func (f *Fact) shownByTree() bool { return strings.HasPrefix(f.Parent, record.FromCommit) }

// refreshOn is the glob whose files the fact depends on, "" for none.
func (f *Fact) refreshOn() string {
	if f.TTL == nil {
		return ""
	}
	return f.TTL.RefreshOn
}

// idOf is the id of a new fact with that content.
func idOf(content string) string { return record.HexID(record.IDPrefix(record.Fact), content, nil) }

// handEdited reports whether the content is not the one that the id was made of.
func (f *Fact) handEdited() bool { return !strings.HasPrefix(f.ID, idOf(f.Content)) }

// Topic is what a fact of discovery is about, such as "build:go", and "" of any other fact.
func (f *Fact) Topic() string {
	topic, found := strings.CutPrefix(f.Parent, discoveredFrom)
	if !found {
		return ""
	}
	return topic
}
