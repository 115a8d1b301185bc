package candidate

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"sdd/internal/anchor"
	"sdd/internal/config"
	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/markdown"
	"sdd/internal/record"
	"sdd/internal/store"
)

// Candidate is a proposed record. Its text is data, whoever wrote it. Callers must not change the lists of one from the inbox.
type Candidate struct {
	ID         string        `json:"id"` // the id of its record
	Kind       string        `json:"kind"`
	Status     string        `json:"status"` // pending, approved, rejected as in the file; queued while it is in the queue
	Title      string        `json:"title,omitempty"`
	Content    string        `json:"content"` // of a decision: what was decided
	Confidence float64       `json:"confidence"`
	Level      int           `json:"level"` // of a fact, 0 to 3
	Domain     string        `json:"domain,omitempty"`
	Module     string        `json:"module,omitempty"`
	CodeRef    anchor.Places `json:"code_ref,omitempty"`
	Pins       []string      `json:"pins,omitempty"`   // of one found now: the fingerprints of CodeRef in the commit; see anchor.Pinned
	Color      string        `json:"color,omitempty"`  // of an idea
	Source     string        `json:"source,omitempty"` // "commit <12 hex>" when its evidence is a commit
	Signal     string        `json:"signal,omitempty"` // the rule that found it
	Key        string        `json:"key,omitempty"`    // its subject in the tree, such as option:--name; stored as parent "commit:KEY"
	Date       string        `json:"date,omitempty"`   // of its commit

	record.Causes // of a decision

	Evidence []Evidence `json:"evidence"`
	Commit   string     `json:"commit,omitempty"` // of a queued candidate: its commit
	Reason   string     `json:"reason,omitempty"` // the reason for a rejection or skip
	Created  string     `json:"created,omitempty"`
	File     string     `json:"file,omitempty"` // relative to the store's root
	Etag     string     `json:"etag,omitempty"`

	Imported string `json:"-"` // of one that an import brings: what the importer keeps with it

	path   string // relative to .sdd
	src    []byte
	broken error // the reason not to write to the file
}

// Seen identifies the version of the candidate that the caller read: the etag of its file, or its place in the queue.
func (c Candidate) Seen() string {
	if c.Status == Queued {
		return Queued + " " + c.Commit
	}
	return c.Etag
}

// Day is when it was found or its session was, YYYY-MM-DD, "" if that is not known.
func (c Candidate) Day() string {
	if t, ok := record.Time(c.Created); ok {
		return t.Format(time.DateOnly)
	}
	return ""
}

// Evidence is a place where a candidate was found.
type Evidence struct {
	Commit string `json:"commit,omitempty"`
	Path   string `json:"path,omitempty"`
	Lines  string `json:"lines,omitempty"` // L10 or L10-L20
	Text   string `json:"text,omitempty"`
}

// Range returns the first and last line of the evidence, 0 when it names none.
func (e Evidence) Range() (first, last int) {
	from, to, _ := strings.Cut(strings.ReplaceAll(e.Lines, "L", ""), "-")
	first, _ = strconv.Atoi(from)
	last, _ = strconv.Atoi(to)
	return first, max(first, last)
}

// Statuses of candidates, and Queued, which no file has.
const (
	Pending  = "pending"
	Approved = "approved"
	Rejected = "rejected"
	Queued   = "queued"
)

const reasonKey = "rejected_reason"

// ready checks a candidate and fills in its id, title and source.
func (c *Candidate) ready(lim config.Limits, now time.Time) (err error) {
	defer fault.Caught(&err)
	c.Kind = strings.ToLower(strings.TrimSpace(c.Kind))
	if !slices.Contains(kinds, record.Kind(c.Kind)) {
		return fault.New(fault.Invalid, "kind %q is none that a candidate has", record.Brief(c.Kind)).For("kind").
			With("allowed: fact, decision, idea")
	}
	if c.Confidence < 0 || c.Confidence > 1 || c.Confidence != c.Confidence {
		return fault.New(fault.Invalid, "confidence is %v", c.Confidence).For("confidence").With("allowed: 0 to 1")
	}
	if c.Level < 0 || c.Level >= len(record.Levels) {
		return fault.New(fault.Invalid, "level is %d", c.Level).For("level").With("allowed: 0 to 3")
	}
	c.Content, err = record.Content("content", c.Content, lim.Section)
	fault.Check(err)
	if c.Source == "" && len(c.Evidence) > 0 && c.Evidence[0].Commit != "" {
		commit := c.Evidence[0].Commit
		c.Source = record.CommitSource + commit[:min(len(commit), 12)]
	}
	line := func(arg string, text *string) error { return record.TrimLine(arg, text, lim.Title) }
	fault.Check(cmp.Or(line("title", &c.Title), line("domain", &c.Domain), line("module", &c.Module), line("source", &c.Source),
		line("color", &c.Color)))
	for _, place := range c.CodeRef {
		fault.Check(record.CheckLine(anchor.RefKey, place, lim.Title))
	}
	for _, l := range c.Lists() {
		for _, text := range *l.Texts {
			fault.Check(record.CheckText(l.Name, text))
		}
	}
	if c.Status = cmp.Or(c.Status, Pending); c.Created == "" {
		c.Created = record.Stamp(now)
	}
	if k := record.Kind(c.Kind); k == record.Decision {
		c.Title = cmp.Or(c.Title, titleOf(c.Content, lim.Title))
		c.ID = record.DecisionID(record.Slug(c.Title), record.Project)
	} else {
		c.Title = ""
		c.ID = record.HexID(cmp.Or(record.IDPrefix(k), string(k)), c.Content, nil)
	}
	if c.Kind == string(record.Idea) {
		c.Color = fault.Must(record.OneOf("color", cmp.Or(c.Color, "green"), record.Colors))
	}
	if c.Evidence == nil {
		c.Evidence = []Evidence{}
	}
	return nil
}

// titleOf returns the first line of a decision, at most so many characters, cut after a word. Decision Outcome keeps the whole.
func titleOf(text string, most int) string {
	first, _, _ := strings.Cut(text, "\n")
	first = strings.TrimRight(record.OneLine(first), ".。")
	rs := []rune(first)
	if len(rs) <= most {
		return first
	}
	cut := string(rs[:most-1])
	if n := strings.LastIndexByte(cut, ' '); n > len(cut)/2 {
		cut = cut[:n]
	}
	return cut + "…"
}

// Decided returns the decision that an approval records: the title, or the outcome if a reviewer reworded that alone.
func (c *Candidate) Decided() string {
	text := record.OneLine(c.Content)
	if c.Title != "" && (c.base() != path.Base(c.path) || strings.HasPrefix(text, strings.TrimSuffix(c.Title, "…"))) {
		return c.Title
	}
	return text
}

// base returns the file name of a candidate and its record.
func (c *Candidate) base() string {
	if c.Kind == string(record.Decision) {
		return record.Slug(c.Title) + ".md"
	}
	first, _, _ := strings.Cut(c.Content, "\n")
	return strings.TrimPrefix(record.HexFile(record.Kind(c.Kind), c.ID, first, ""), record.Folder(record.Kind(c.Kind))+"/")
}

func (c *Candidate) compose() ([]byte, error) {
	var sets []frontmatter.Set
	set := func(key string, v any) {
		if v != "" {
			sets = append(sets, frontmatter.Set{Key: key, Value: v})
		}
	}
	kind := record.Kind(c.Kind)
	if kind == record.Decision {
		set("title", c.Title)
	} else {
		set("id", c.ID)
	}
	switch kind {
	case record.Fact:
		set("level", c.Level)
		set("domain", c.Domain)
		set("module", c.Module)
		if c.Key != "" {
			set("parent", record.FromCommit+c.Key)
		}
		set("valid_from", c.Date)
	case record.Idea:
		set("color", c.Color)
	}
	sets = append(sets, anchor.Pinned{Refs: c.CodeRef, Seen: c.Pins}.Sets(nil)...)
	set("source", c.Source)
	set("created", c.Created)
	set("kind", c.Kind)
	set("confidence", c.Confidence)
	set("status", c.Status)
	set(reasonKey, c.Reason)
	set("imported", c.Imported)

	var changes []markdown.Change
	put := func(name, text string) {
		for _, k := range record.SectionsOf(record.Candidate, kind) {
			if k.Name == name && text != "" {
				changes = append(changes, markdown.Change{Section: k, Text: text})
			}
		}
	}
	var src []byte
	if kind == record.Decision {
		put("Context and Problem Statement", labelled("Constraints", c.Constraints)+labelled("Assumptions", c.Assumptions))
		put("Decision Drivers", bullets(c.Reasons))
		put("Considered Options", bullets(c.Alternatives))
		put("Decision Outcome", c.Content)
		put("Consequences", bullets(c.Consequences))
	} else {
		var err error
		if src, _, err = record.Compose(record.Candidate, sets, c.Content); err != nil {
			return nil, err
		}
	}
	put(evidenceName, c.EvidenceText())
	u, err := record.Edit(src, record.Candidate, sets, changes)
	return u.Out, err
}

const evidenceName = "Evidence"

// parse reads the candidate in the file at path, relative to .sdd. It never fails: missing keys get their defaults.
func parse(path string, src []byte) *Candidate { return read(path, record.Open(src)) }

func read(path string, doc *record.Doc) *Candidate {
	src := doc.Src
	r := doc.Record(path, record.Defaults{})
	fm, _ := doc.Front()
	get := func(key string) string { return strings.TrimSpace(fm.String(key)) }
	c := &Candidate{
		ID: r.ID, Kind: string(r.Of), Status: r.Status, Content: r.Preamble,
		Color: r.Color, Created: r.Created, Domain: get("domain"), Module: get("module"), CodeRef: fm.Strings(anchor.RefKey),
		Date: get("valid_from"), Source: get("source"),
		Reason: get(reasonKey), Evidence: []Evidence{}, File: store.Folder + "/" + path, Etag: r.Etag, path: path, src: src,
	}
	if key, ok := strings.CutPrefix(get("parent"), record.FromCommit); ok {
		c.Key = key
	}
	if !r.Writable {
		c.broken = record.Writable(src)
	}
	if get("kind") == string(Tidy) {
		c.Kind = string(Tidy)
	}
	if c.Kind == "" { // the id may show the kind
		for _, k := range kinds {
			if p := record.IDPrefix(k); p != "" && strings.HasPrefix(c.ID, p+"-") {
				c.Kind = string(k)
			}
		}
	}
	c.Level, _ = fm.Int("level")
	c.Confidence, _ = frontmatter.Number(fm.Value("confidence"))
	for _, s := range r.Sections {
		switch {
		case strings.EqualFold(s.Name, evidenceName):
			c.Evidence = append(c.Evidence, parseEvidence(s.Text)...)
		case c.Kind != string(record.Decision):
		case s.Key == "context":
			c.Constraints, c.Assumptions = items(s.Text, "Constraints"), items(s.Text, "Assumptions")
		case s.Key == "drivers":
			c.Reasons = items(s.Text, "")
		case s.Key == "options":
			c.Alternatives = items(s.Text, "")
		case s.Key == "consequences":
			c.Consequences = items(s.Text, "")
		case s.Key == "outcome":
			c.Content = strings.TrimSpace(s.Text[:partsAt(s.Text)])
		}
	}
	if c.Kind == string(record.Decision) {
		c.Title = r.Title
		if get("title") == "" && !strings.HasPrefix(c.Content, "# ") { // a person changed the kind of a fact
			c.Title = record.OneLine(c.Content)
		}
		c.Content = cmp.Or(c.Content, c.Title)
	}
	return c
}

// partsAt returns the start of the level-3 sections in a section, its length when it has none.
func partsAt(text string) int {
	if n := strings.Index("\n"+text, "\n### "); n >= 0 {
		return n
	}
	return len(text)
}
