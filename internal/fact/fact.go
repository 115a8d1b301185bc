package fact

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"sdd/internal/anchor"
	"sdd/internal/frontmatter"
	"sdd/internal/record"
	"sdd/internal/store"
)

// Statuses of facts; a state has one of the same values.
const (
	active     = "active"
	stale      = "stale"
	superseded = "superseded"
	archived   = "archived"
)

// Fact is a fact in its file, with its present state.
type Fact struct {
	ID           string        `json:"id"`
	Level        int           `json:"level"` // 0 project, 1 domain, 2 module, 3 code
	Domain       string        `json:"domain,omitempty"`
	Module       string        `json:"module,omitempty"`
	Status       string        `json:"status"`        // in the file
	State        string        `json:"state"`         // the present state: active stale superseded archived
	Why          string        `json:"why,omitempty"` // the reason why State differs from Status
	Content      string        `json:"content"`
	Evidence     string        `json:"evidence,omitempty"`
	Confidence   float64       `json:"confidence"` // 0 to 1; 1 by default
	Source       string        `json:"source,omitempty"`
	CodeRef      anchor.Places `json:"code_ref,omitempty"` // one place as a text, several as a list
	Parent       string        `json:"parent,omitempty"`
	SupersededBy string        `json:"superseded_by,omitempty"`
	ValidFrom    string        `json:"valid_from,omitempty"`
	ValidUntil   string        `json:"valid_until,omitempty"`
	TTL          *TTL          `json:"ttl,omitempty"` // callers must not change what it points to
	Created      string        `json:"created,omitempty"`
	Refreshed    string        `json:"refreshed,omitempty"`
	Seen         string        `json:"seen,omitempty"` // hash of the files that refresh_on matches, at the last refresh
	Scope        string        `json:"scope"`
	File         string        `json:"file"` // relative to the store's root; "" for one without a file
	Etag         string        `json:"etag"`

	path    string   // relative to .sdd
	pins    []string // the fingerprints of places, as in the key seen
	created int64
	from    int64 // valid_from, 0 for none
	until   int64 // valid_until, 0 for none
	expires int64 // when it becomes stale by age or by valid_until, 0 for never
}

// TTL is how long a fact may be used before it needs a refresh.
type TTL struct {
	Days      float64 `json:"days,omitempty"`       // counted from refreshed, else created, else valid_from
	RefreshOn string  `json:"refresh_on,omitempty"` // a glob: a change of a file that it matches makes the fact stale
	OnExpire  string  `json:"on_expire,omitempty"`  // the effect of GC when the days are over: stale (default), archive, delete
}

// Live reports whether the fact is in force: active or stale.
func (f *Fact) Live() bool { return f.State == active || f.State == stale }

const day = 24 * 60 * 60

// expiry are the days after which a fact without a ttl is stale, by level; 0 is never.
var expiry = [...]float64{0, 30, 7, 3}

// parse reads the fact in the file at path, relative to .sdd. It never fails: missing and invalid values get their
// defaults, and `sdd check` reports them.
func parse(path string, src []byte) *Fact { return read(path, record.Open(src)) }

func read(path string, doc *record.Doc) *Fact {
	r := doc.Record(path, record.Defaults{})
	get := func(key string) string { return word(r.FrontMatter, key) }
	f := &Fact{
		ID: r.ID, Domain: get("domain"), Module: get("module"), Status: r.Status, Content: r.Preamble,
		Confidence: 1, Source: get("source"), CodeRef: anchor.Strings(r.FrontMatter[anchor.RefKey]),
		Parent: get("parent"), SupersededBy: get("superseded_by"),
		ValidFrom: get("valid_from"), ValidUntil: get("valid_until"), Created: r.Created, Refreshed: get("refreshed"),
		Scope: r.Scope, File: store.Folder + "/" + path, Etag: r.Etag, path: path, created: record.Moment(r.Created),
	}
	f.Seen, f.pins = anchor.SplitSeen(anchor.Strings(r.FrontMatter[anchor.SeenKey]))
	if n, ok := frontmatter.Number(r.FrontMatter["level"]); ok {
		f.Level = min(max(int(n), 0), len(expiry)-1)
	}
	if n, ok := frontmatter.Number(r.FrontMatter["confidence"]); ok && n >= 0 && n <= 1 {
		f.Confidence = n
	}
	if i := slices.IndexFunc(r.Sections, func(s record.Section) bool { return s.Key == "evidence" && s.Text != "" }); i >= 0 {
		f.Evidence = r.Sections[i].Text
	}
	f.TTL = ttlOf(r.FrontMatter["ttl"])
	if in, _ := record.Repository(path); in != "" { // the files that decide on it are elsewhere
		for i, place := range f.CodeRef {
			f.CodeRef[i] = in + ":" + place
		}
		if f.TTL != nil {
			f.TTL.RefreshOn = ""
		}
		if strings.HasPrefix(f.Parent, record.FromCommit) {
			f.Parent = ""
		}
	}
	f.clock()
	return f
}

// word returns the text of a key, "" for none.
func word(m map[string]any, key string) string {
	s, _ := m[key].(string)
	return strings.TrimSpace(s)
}

// ttlOf reads the key ttl; nil when it is missing. A number alone is days.
func ttlOf(v any) *TTL {
	if n, ok := frontmatter.Number(v); ok && n > 0 {
		return &TTL{Days: n}
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	t := &TTL{RefreshOn: word(m, "refresh_on"), OnExpire: strings.ToLower(word(m, "on_expire"))}
	if n, ok := frontmatter.Number(m["days"]); ok && n > 0 {
		t.Days = n
	}
	return t
}

// with returns t with the given values of another ttl; t may be nil.
func (t *TTL) with(given TTL) TTL {
	t = cmp.Or(t, &TTL{})
	return TTL{cmp.Or(given.Days, t.Days), cmp.Or(given.RefreshOn, t.RefreshOn), cmp.Or(given.OnExpire, t.OnExpire)}
}

// value returns the ttl for the front matter, nil when it is empty.
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

// clock computes when the fact becomes stale.
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

// days returns the lifetime of the fact, 0 for ever. Facts of discovery and of the tree do not age: they are looked up
// again. A fact with the fingerprint of its code ages with the code.
func (f *Fact) days() float64 {
	switch {
	case f.TTL != nil:
		return f.TTL.Days
	case len(f.pins) > 0, (f.discovered() || f.shownByTree()) && !f.handEdited():
		return 0
	}
	return expiry[f.Level]
}

// shownByTree reports whether the fact is about a declaration in the code: the tree shows whether it is still true.
func (f *Fact) shownByTree() bool { return strings.HasPrefix(f.Parent, record.FromCommit) }

// refreshOn returns the glob of the files that the fact depends on, "" for none.
func (f *Fact) refreshOn() string { return cmp.Or(f.TTL, &TTL{}).RefreshOn }

// idOf returns the id of a new fact with that content.
func idOf(content string) string { return record.HexID(record.IDPrefix(record.Fact), content, nil) }

// handEdited reports whether the content differs from the one that gave the id.
func (f *Fact) handEdited() bool { return !strings.HasPrefix(f.ID, idOf(f.Content)) }

// Topic returns the subject of a fact of discovery, such as "build:go"; "" for any other fact.
func (f *Fact) Topic() string {
	if topic, found := strings.CutPrefix(f.Parent, discoveredFrom); found {
		return topic
	}
	return ""
}
