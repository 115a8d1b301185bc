package learning

import (
	"cmp"
	"slices"
	"strings"

	"sdd/internal/frontmatter"
	"sdd/internal/learning/classify"
	"sdd/internal/record"
	"sdd/internal/store"
)

// Idea is an idea as its file says, and in Verdict what is to be known beyond it.
type Idea struct {
	ID             string   `json:"id"`
	Color          string   `json:"color"`
	Status         string   `json:"status"` // as the file says; see Effective
	Title          string   `json:"title,omitempty"`
	Content        string   `json:"content"`
	Scope          string   `json:"scope,omitempty"`
	Parent         string   `json:"parent,omitempty"`
	Agents         []string `json:"agents,omitempty"`
	Impact         string   `json:"impact,omitempty"`
	ImpactRule     string   `json:"impact_rule,omitempty"` // when a rule gives the same impact
	Category       string   `json:"category,omitempty"`
	CategoryRule   string   `json:"category_rule,omitempty"`
	Validated      bool     `json:"validated"`
	AppliedTo      []string `json:"applied_to,omitempty"`
	SupersededBy   string   `json:"superseded_by,omitempty"`
	Created        string   `json:"created,omitempty"`
	DoneAt         string   `json:"done_at,omitempty"`
	ArchivedAt     string   `json:"archived_at,omitempty"`
	ArchivedReason string   `json:"archived_reason,omitempty"`
	ResurrectedAt  string   `json:"resurrected_at,omitempty"`
	ResurrectedBy  string   `json:"resurrected_by,omitempty"`
	OutdatedReason string   `json:"outdated_reason,omitempty"`
	OutdatedCommit string   `json:"outdated_commit,omitempty"`
	ValidatedAt    string   `json:"validated_at,omitempty"`
	Aliases        []string `json:"aliases,omitempty"`
	File           string   `json:"file"` // relative to the store's root
	Etag           string   `json:"etag"`
	Verdict        *Verdict `json:"verdict,omitempty"`
	Imported       string   `json:"-"` // what its importer keeps with it

	path    string // relative to .sdd
	broken  bool   // the file must not be written to
	white   bool   // the file says white for green and done
	created int64
	files   []string // that the content names
}

// Verdict is what commits, a contradiction or a finished parent say of a learning whose file still says
// active. It is shown. Check only marks: the learning is given all the same, and nothing writes it; the others keep the learning from
// being injected, and Check writes them.
type Verdict struct {
	Status   string      `json:"status"` // check, outdated or archived
	Reason   string      `json:"reason"`
	Commit   string      `json:"commit,omitempty"`
	By       string      `json:"by,omitempty"` // the newer learning or the finished parent
	Evidence *Superseded `json:"evidence,omitempty"`
}

// Statuses of learnings.
const (
	active   = "active"
	outdated = "outdated"
	archived = "archived"
	deleted  = "deleted"
	done     = "done"  // of the other colours
	check    = "check" // of a verdict: a person or an agent has to look at it
)

// What the files give as reasons.
const (
	parentDone    = "parent_green_completed"
	filesModified = "affected files modified"
	contradicted  = "a newer learning may contradict it"
	newerLearning = "superseded by newer learning"
)

// Effective is the status that counts: that of the verdict, else the file's.
func (i Idea) Effective() string {
	if i.Verdict != nil && i.Verdict.Status != check {
		return i.Verdict.Status
	}
	return i.Status
}

// Mark is what an agent that is given the learning has to know: " (check: touched by 1a2b3c4d5e)", "" for nothing.
func (i Idea) Mark() string {
	switch v := i.Verdict; {
	case v == nil || v.Status != check:
		return ""
	case v.Commit != "":
		return " (check: touched by " + v.Commit[:min(len(v.Commit), 10)] + ")"
	default:
		return " (check: against " + v.By + ")"
	}
}

// Learning reports whether the idea is a learning.
func (i Idea) Learning() bool { return i.Color == record.Learning }

func (i Idea) kind() string {
	if i.Learning() {
		return "learning"
	}
	return string(record.Idea)
}

// confirmed is when the learning was last validated or resurrected, "" for never.
func (i Idea) confirmed() string {
	if record.Moment(i.ResurrectedAt) > record.Moment(i.ValidatedAt) {
		return i.ResurrectedAt
	}
	return i.ValidatedAt
}

// heldAt is when the learning was last known to hold: when it was confirmed, else made.
func (i Idea) heldAt() string { return cmp.Or(i.confirmed(), i.Created) }

// shared returns a copy for a caller, who may change it.
func (i *Idea) shared() Idea {
	out := *i
	out.Agents, out.AppliedTo, out.Aliases = slices.Clone(i.Agents), slices.Clone(i.AppliedTo), slices.Clone(i.Aliases)
	if i.Verdict != nil {
		v := *i.Verdict
		out.Verdict = &v
	}
	return out
}

// parse reads the idea in the file at path, relative to .sdd. It never fails: what is missing has its default.
func parse(path string, src []byte) *Idea {
	r := record.Parse(path, src, record.Defaults{})
	fm, err := frontmatter.Parse(src)
	get := func(key string) string {
		if err != nil {
			return ""
		}
		return strings.TrimSpace(fm.String(key))
	}
	list := func(key string) (out []string) {
		if err != nil {
			return nil
		}
		for _, v := range fm.Strings(key) {
			if v = strings.TrimSpace(v); v != "" {
				out = append(out, v)
			}
		}
		return out
	}
	i := &Idea{
		ID: r.ID, Color: strings.ToLower(r.Color), Status: record.StatusOf(record.Idea, r.Status), Title: r.Title, Content: r.Preamble,
		Parent: get("parent"), Agents: list("agents"), Impact: strings.ToLower(get("impact")), Category: get("category"),
		AppliedTo: list("applied_to"), SupersededBy: get("superseded_by"), Created: r.Created, DoneAt: get("done_at"),
		ArchivedAt: get("archived_at"), ArchivedReason: get("archived_reason"),
		ResurrectedAt: get("resurrected_at"), ResurrectedBy: get("resurrected_by"),
		OutdatedReason: get("outdated_reason"), OutdatedCommit: get("outdated_commit"), ValidatedAt: get("validated_at"),
		Aliases: list("aliases"), Imported: get("imported"), File: store.Folder + "/" + path, Etag: r.Etag,
		path: path, broken: !r.Writable, created: record.Moment(r.Created),
	}
	if err == nil {
		i.Validated, _ = fm.Bool("validated")
	}
	if i.Color == white { // as people may write it
		i.Color, i.Status, i.white = "green", done, true
	}
	if i.Learning() {
		i.Scope, i.files = r.Scope, classify.Files(i.Content)
	}
	return i
}

// merged brings together what an editor saved meanwhile and what a tool made of the same base.
func merged(base, ours, theirs []byte) ([]byte, error) {
	return record.MergeSaves(record.Idea, base, ours, theirs, "if_match", "read the idea again, merge the two texts, and save with the new etag")
}
