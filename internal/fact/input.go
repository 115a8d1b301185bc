package fact

import (
	"cmp"
	"math"

	"sdd/internal/anchor"
	"sdd/internal/config"
	"sdd/internal/fault"
	"sdd/internal/index/records"
	"sdd/internal/record"
)

// Input is a fact to store. Only Content is required.
type Input struct {
	Content    string        `json:"content"`
	Level      int           `json:"level,omitempty"` // 0 project, 1 domain, 2 module, 3 code
	Domain     string        `json:"domain,omitempty"`
	Module     string        `json:"module,omitempty"`
	CodeRef    anchor.Places `json:"code_ref,omitempty"` // path#L10-L50, path#Symbol, from the project's folder
	Source     string        `json:"source,omitempty"`   // its origin
	Parent     string        `json:"parent,omitempty"`
	Supersedes string        `json:"supersedes,omitempty"` // the id of the fact that it replaces
	Scope      string        `json:"scope,omitempty"`      // project (default) or personal
	Confidence float64       `json:"confidence,omitempty"` // 0 to 1; 0 is the default
	TTLDays    int           `json:"ttl_days,omitempty"`   // 0 is the default
	RefreshOn  string        `json:"refresh_on,omitempty"`
	OnExpire   string        `json:"on_expire,omitempty"` // stale, archive or delete
	Evidence   string        `json:"evidence,omitempty"`  // Markdown for the section Evidence
	Tool       string        `json:"-"`
	Session    string        `json:"-"`
}

const (
	mostPath = 1000   // characters of a path, source or module
	mostDays = 36_500 // of a ttl
)

// expireActions are the values of on_expire, the default first.
var expireActions = []string{"stale", "archive", "delete"}

// check refuses invalid values and normalizes the others.
func (in *Input) check(lim config.Limits) (err error) {
	defer fault.Caught(&err)
	in.Content = fault.Must(record.Content("content", in.Content, lim.Section))
	fault.Check(levelNamed(in.Level))
	line := record.TrimLine
	fault.Check(cmp.Or(line("domain", &in.Domain, lim.Title), line("module", &in.Module, mostPath), line("source", &in.Source, mostPath),
		line("parent", &in.Parent, mostPath), line("supersedes", &in.Supersedes, lim.Title),
		line("refresh_on", &in.RefreshOn, mostPath)))
	in.Scope = fault.Must(record.OneOf("scope", cmp.Or(in.Scope, record.Project), record.ScopesOf(record.Fact)))
	if math.IsNaN(in.Confidence) || in.Confidence < 0 || in.Confidence > 1 {
		return fault.New(fault.Invalid, "confidence is %v", in.Confidence).For("confidence").With("allowed: 0 to 1")
	}
	if in.TTLDays < 0 || in.TTLDays > mostDays {
		return fault.OutOfRange("ttl_days", in.TTLDays, 0, 1, mostDays)
	}
	if in.RefreshOn != "" {
		fault.Must(compileGlob(in.RefreshOn))
	}
	fault.Check(records.OneOf("on_expire", &in.OnExpire, expireActions))
	if in.Evidence != "" {
		in.Evidence = fault.Must(record.Content("evidence", in.Evidence, lim.Section))
	}
	return nil
}

// ttl returns the ttl of the input, nil for none.
func (in *Input) ttl() *TTL {
	t := TTL{Days: float64(in.TTLDays), RefreshOn: in.RefreshOn, OnExpire: in.OnExpire}
	if t == (TTL{}) {
		return nil
	}
	if t.Days == 0 && t.RefreshOn == "" {
		t.Days = expiry[in.Level] // the input only has on_expire
	}
	return &t
}
