// Package explore saves explorations: the goals, constraints, preferences, unknowns, decisions and context from a
// conversation. One title is one file; saving again merges into it section by section.
package explore

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"sdd/internal/anchor"
	"sdd/internal/config"
	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/git"
	"sdd/internal/index"
	"sdd/internal/index/records"
	"sdd/internal/journal"
	"sdd/internal/markdown"
	"sdd/internal/record"
	"sdd/internal/sealed"
	"sdd/internal/secrets"
	"sdd/internal/store"
)

// Fields are the six sections of an exploration by their argument names, in their fixed order.
type Fields struct {
	Goals       string `json:"goals,omitempty"`
	Constraints string `json:"constraints,omitempty"`
	Preferences string `json:"preferences,omitempty"`
	Unknowns    string `json:"unknowns,omitempty"`
	Decisions   string `json:"decisions,omitempty"`
	Context     string `json:"context,omitempty"`
}

// FieldNames lists the argument names of Fields in the order of the sections.
var FieldNames = []string{"goals", "constraints", "preferences", "unknowns", "decisions", "context"}

// Field returns a pointer to the section with that argument name, nil for any other name.
func (f *Fields) Field(name string) *string {
	if i := slices.Index(FieldNames, name); i >= 0 {
		return [...]*string{&f.Goals, &f.Constraints, &f.Preferences, &f.Unknowns, &f.Decisions, &f.Context}[i]
	}
	return nil
}

// Input is what a caller passes to Save. Only Title and one section (or Clear) are needed.
type Input struct {
	Title string `json:"title"`
	Fields
	Project   string        `json:"project,omitempty"`
	Scope     string        `json:"scope,omitempty"`      // project (default), personal or private
	SessionID string        `json:"session_id,omitempty"` // default manual-save
	Clear     []string      `json:"clear,omitempty"`      // sections to remove
	Append    bool          `json:"append,omitempty"`     // add to the sections instead of replacing them
	CodeRef   anchor.Places `json:"code_ref,omitempty"`   // the code it is about
	IfMatch   string        `json:"if_match,omitempty"`   // etag of the file or of a section the caller has read
	Tool      string        `json:"-"`                    // the saving tool, for the journal

	moved []string // unknown sections of a text, which went into Context
}

// Result is the result of a save, with the whole exploration after it.
type Result struct {
	ID         string     `json:"id"`
	TopicKey   string     `json:"topic_key"`
	Title      string     `json:"title"`
	Action     string     `json:"action"` // created, updated, unchanged
	Revision   int        `json:"revision"`
	File       string     `json:"file"` // relative to the store's root, with slashes
	Etag       string     `json:"etag"`
	Project    string     `json:"project"`
	Scope      string     `json:"scope"`
	Sections   Fields     `json:"sections"`
	Changed    []string   `json:"changed"`
	Suggestion Suggestion `json:"suggestion"`
	Similar    []Similar  `json:"similar"`
	Warnings   []Warning  `json:"warnings"`
	Omitted    []Omitted  `json:"omitted,omitempty"` // see Within

	record    record.Record
	nextSteps []string
	text      string
}

// Similar is another exploration with nearly the same title.
type Similar struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	File  string `json:"file"`

	earlier bool // it had this title before
}

// Warning reports text that was changed before storing, or a problem of the file.
type Warning struct {
	Code    string `json:"code"`
	Section string `json:"section,omitempty"`
	Text    string `json:"text"`
}

// Omitted is a section that the result leaves out because it is long.
type Omitted struct {
	Name  string `json:"name"`
	Bytes int    `json:"bytes"`
}

const defaultSession = "manual-save"

// Save creates the exploration of that title, project and scope, or merges the given sections into it: one replaces the stored section or
// is added to it, the others stay. Faults: Invalid (arguments, limits), Broken (the file), Conflict (if_match names a text since changed at
// the same words), Unwritable. After a fault the record is as it was.
func Save(ctx context.Context, st *store.Store, ix *index.Index, in Input) (_ Result, err error) {
	defer secrets.Blame(&err, in)
	cfg, err := st.Config()
	if err != nil {
		return Result{}, err
	}
	own := st.Project()
	if err := in.normalize(cfg.Limits, own); err != nil {
		return Result{}, err
	}
	pins, err := anchor.PinAll(st.Dir(), in.CodeRef)
	if err != nil {
		return Result{}, err
	}
	s := saving{ctx: ctx, cfg: cfg, in: in, pins: pins, st: st, ix: ix, own: own}
	s.slug = record.Slug(in.Title)
	s.id = record.ExplorationID(s.slug, in.Project, in.Scope, s.own)
	if !st.Exists() {
		// A save that fails must not create the store.
		if _, err := s.resolve(); err != nil {
			return Result{}, err
		}
		if _, err := s.change(record.NoFile(), false); err != nil {
			return Result{}, err
		}
	}
	if err := ix.Ready(ctx); err != nil {
		return Result{}, err
	}
	saved, err := st.Save(ctx, store.Edit{
		Lock:    s.id,
		Resolve: s.resolve,
		Change:  s.change,
		Changed: s.describe,
		Merge:   s.merge,
		Op:      "explore",
		Record:  s.id,
		Tool:    in.Tool,
		Session: in.SessionID,
	})
	if err != nil {
		return Result{}, err
	}
	if saved.Unchanged {
		return s.resultOf(s.parse(saved.Doc), "unchanged", []string{}), nil
	}
	ix.Put(saved)
	if r := &s.result; r.Action == "created" {
		warned, similar := len(r.Warnings), len(r.Similar)
		w := Warning{Code: "deleted_before", Text: fmt.Sprintf("its earlier file was deleted by hand or by git, and this one starts anew; "+
			"sdd log %s lists the old versions", r.ID)}
		if r.Similar = s.withRetitled(r.Similar); len(r.Similar) > 0 && r.Similar[0].earlier {
			was := r.Similar[0]
			w = Warning{Code: "retitled", Text: fmt.Sprintf("its earlier text has another title by hand: %q is %s in %s; save under that title "+
				"if it is the same topic, and sdd undo takes this one back", was.Title, was.ID, was.File)}
			s.expected = true
		}
		if s.expected || s.indexed {
			r.Warnings = slices.Insert(r.Warnings, 0, w)
		}
		if len(r.Similar) < mostSimilar {
			r.Similar = append(r.Similar, s.meant()...)
		}
		if len(r.Warnings) > warned || len(r.Similar) > similar {
			r.text = r.page()
		}
	}
	return s.result, nil
}

// shortTitle is the most words of a short title: for such a title, Save also compares the goals of other explorations.
const shortTitle = 2

// meant lists the explorations whose goals have the words of a new short title, as "log in" matches login, unless many do.
func (s *saving) meant() (found []Similar) {
	title := s.result.Title
	if len(strings.Fields(title)) > shortTitle || s.ix.Refresh(s.ctx) != nil {
		return nil
	}
	text := title
	for _, w := range strings.Fields(title) {
		for end := len(w) - len("down"); end <= len(w)-len("in"); end++ { // login, rollback, shutdown: may also be written as two words
			if end > 2 && utf8.RuneStart(w[end]) {
				text += " " + w[:end]
			}
		}
	}
	types := []record.Type{{Kind: record.Exploration}}
	r, err := s.ix.Rank(s.ctx, index.RankQuery{Text: text, Types: types, Project: s.result.Project, Scope: s.result.Scope, Limit: mostRead})
	if err != nil {
		return nil
	}
	seen := map[string]bool{s.result.ID: true}
	for _, x := range s.result.Similar {
		seen[x.ID] = true
	}
	for _, i := range r.Items {
		if i.Section != record.ExplorationSections[0].Name || seen[i.ID] || !index.Says(i.Text, title) {
			continue
		}
		seen[i.ID] = true
		found = append(found, Similar{ID: i.ID, Title: i.Title, File: i.File})
	}
	if len(found) > mostSimilar {
		return nil
	}
	return found[:min(len(found), mostSimilar-len(s.result.Similar))]
}

const (
	mostRead    = 40 // passages that are compared with a short title
	mostSimilar = 3  // explorations that are named
)

// Near lists the explorations with a title similar to that of a new one, the best first; none when Save would create nothing.
func Near(ctx context.Context, st *store.Store, ix *index.Index, in Input) ([]Similar, error) {
	cfg, err := st.Config()
	if err != nil || !st.Exists() {
		return nil, err
	}
	if in.normalize(cfg.Limits, st.Project()) != nil || in.IfMatch != "" {
		return nil, nil
	}
	id := record.ExplorationID(record.Slug(in.Title), in.Project, in.Scope, st.Project())
	same, err := ix.Holders(ctx, id)
	if err != nil || len(same) > 0 {
		return nil, err
	}
	s := saving{ctx: ctx, in: in, st: st, ix: ix, own: st.Project(), id: id, past: st.Entries(id)}
	return s.withRetitled(near(ix, in.Title, in.Project, in.Scope)), nil
}

func near(ix *index.Index, title, project, scope string) []Similar {
	found := []Similar{}
	for _, e := range ix.Near(title, project, scope, mostSimilar) {
		found = append(found, Similar{ID: e.ID, Title: e.Title, File: e.File})
	}
	return found
}

// withRetitled returns the similar explorations, before them the one that this one has become by hand.
func (s *saving) withRetitled(similar []Similar) []Similar {
	if len(s.past) == 0 || s.ix.Refresh(s.ctx) != nil {
		return similar
	}
	e, ok := records.Retitled(s.st, s.ix, record.Exploration, s.past, func(e index.Entry) bool {
		return e.ID != s.id && e.Project == s.in.Project && e.Scope == s.in.Scope
	})
	if !ok {
		return similar
	}
	similar = slices.DeleteFunc(similar, func(o Similar) bool { return o.ID == e.ID })
	one := Similar{ID: e.ID, Title: e.Title, File: e.File, earlier: true}
	return append([]Similar{one}, similar[:min(len(similar), mostSimilar-1)]...)
}

// normalize checks the arguments and fills in the defaults.
func (in *Input) normalize(lim config.Limits, own string) error {
	in.Title = strings.Join(strings.Fields(in.Title), " ")
	if in.Title == "" {
		return fault.New(fault.Invalid, "title is required").For("title").
			With("give the topic a short title; the same title again adds to the same exploration")
	}
	if n := utf8.RuneCountInString(in.Title); n > lim.Title {
		return fault.New(fault.Invalid, "title has %d characters, at most %d are allowed", n, lim.Title).For("title").
			With("shorten the title and put the rest into context")
	}
	if err := record.CheckText("title", in.Title); err != nil {
		return err
	}
	given := 0
	for _, name := range FieldNames {
		text := in.Field(name)
		if strings.TrimSpace(*text) == "" {
			*text = ""
			continue
		}
		given++
		if len(*text) > lim.Section {
			return fault.New(fault.Invalid, "%s has %d bytes, at most %d are allowed", name, len(*text), lim.Section).For(name).
				With("save the essence and name the file that holds the rest; limits.section in .sdd/config.yaml sets the limit")
		}
		if err := record.CheckText(name, *text); err != nil {
			return err
		}
	}
	for i, name := range in.Clear {
		name = strings.ToLower(strings.TrimSpace(name))
		f := in.Field(name)
		if f == nil {
			return fault.New(fault.Invalid, "clear names no section: %q", in.Clear[i]).For("clear").
				With("allowed: " + strings.Join(FieldNames, ", "))
		}
		if *f != "" {
			return fault.New(fault.Invalid, "%s is both given and named in clear", name).For("clear").
				With("give the new text only: it replaces the old one")
		}
		in.Clear[i] = name
	}
	if given == 0 && len(in.Clear) == 0 && len(in.CodeRef) == 0 {
		return fault.New(fault.Invalid, "At least one context field (%s) is required", strings.Join(FieldNames, ", ")).
			For("goals").With("give the text of one section at least")
	}
	scope := strings.ToLower(cmp.Or(strings.TrimSpace(in.Scope), record.Project))
	var err error
	if in.Scope, err = record.OneOf("scope", scope, []string{record.Project, record.Personal, record.Private}); err != nil {
		return err
	}
	if in.Project = strings.TrimSpace(in.Project); in.Project == "" || record.SameProject(in.Project, own) {
		in.Project = own
	}
	if in.SessionID = strings.TrimSpace(in.SessionID); in.SessionID == "" {
		in.SessionID = defaultSession
	}
	for _, a := range []struct{ name, value string }{{"project", in.Project}, {"session_id", in.SessionID}, {"if_match", in.IfMatch}} {
		if err := record.CheckLine(a.name, a.value, lim.Title); err != nil {
			return err
		}
	}
	in.IfMatch = strings.Trim(strings.TrimSpace(in.IfMatch), `"`)
	return nil
}

type saving struct {
	ctx  context.Context
	in   Input
	pins anchor.Pinned
	st   *store.Store
	ix   *index.Index
	cfg  config.Config
	own  string
	slug string
	id   string

	path     string          // of the record, set by resolve
	past     []journal.Entry // of a record that has no file
	expected bool            // a tool left a file at path
	indexed  bool            // a new record's path is in git's index, and no tool saved it here: a clone has no journal
	warnings []markdown.Warning
	old      record.Record // the record that change received
	result   Result
}

// resolve returns, under the lock, the path of the exploration, or the path for a new one.
func (s *saving) resolve() (path string, err error) {
	defer func() { s.path = path }()
	same, err := s.ix.Holders(s.ctx, s.id)
	if err != nil {
		return "", err
	}
	switch len(same) {
	case 1:
		return same[0].Path, record.CheckFolder(same[0].Path, s.in.Scope)
	case 0:
		path = record.ExplorationFile(s.slug, s.in.Project, s.in.Scope, s.own)
		path = s.ix.FreePath(path, s.slug)
		s.past, s.expected = s.st.Entries(s.id), s.st.Expects(path)
		return path, nil
	}
	return "", index.SeveralFiles("title", "exploration", s.in.Title, index.Files(same))
}

// changes returns the changes of each section that the caller asks for.
func (s *saving) changes(r record.Record) []markdown.Change {
	var out []markdown.Change
	for i, name := range FieldNames {
		known := record.ExplorationSections[i]
		switch text := *s.in.Field(name); {
		case text != "" && s.in.Append:
			for _, sec := range r.Sections {
				if sec.Key == name {
					text = unsaid(sec.Text, text)
				}
			}
			if strings.TrimSpace(text) != "" {
				out = append(out, markdown.Change{Section: known, Text: text, Op: markdown.Append})
			}
		case text != "":
			out = append(out, markdown.Change{Section: known, Text: text, Op: markdown.Replace})
		}
	}
	for _, name := range s.in.Clear {
		out = append(out, markdown.Change{Section: record.ExplorationSections[slices.Index(FieldNames, name)], Op: markdown.Clear})
	}
	return out
}

// change makes the new version of the record from the one in the file.
func (s *saving) change(before *record.Doc, exists bool) (after *record.Doc, err error) {
	s.warnings = nil
	if !exists {
		if s.in.IfMatch != "" {
			return nil, fault.New(fault.Conflict, "if_match is given, but there is no exploration %q", s.in.Title).For("if_match").
				With("omit if_match to create it, or search for the title it has now")
		}
		if s.in.Fields == (Fields{}) {
			return nil, fault.New(fault.NotFound, "there is no exploration %q to change, and no section to create it with", s.in.Title).For("title").
				With("search for the title that it has")
		}
	}
	old := s.parse(before)
	base, read := before, old
	if exists && s.in.IfMatch != "" {
		if base, err = s.base(before, old); err != nil {
			return nil, err
		}
	}
	merging := base != before
	if merging {
		read = s.parse(base)
	}
	if after, err = s.edit(base, read, exists); err != nil {
		return nil, store.InFile(err, s.path)
	}
	if merging {
		merged, err := s.merge(base.Src, before.Src, after.Src)
		if err != nil {
			return nil, err
		}
		after = record.Open(merged)
		// Another process has written the same in the meantime.
		if len(s.in.CodeRef) == 0 && bytes.Equal(record.Body(merged), record.Body(before.Src)) {
			after = before
		}
	}
	if s.in.Append || merging {
		if err := s.fits(after); err != nil {
			return nil, err
		}
	}
	if len(after.Src) > s.cfg.Limits.File {
		return nil, fault.New(fault.Invalid, "the exploration would have %d bytes, at most %d are allowed", len(after.Src), s.cfg.Limits.File).
			At(".sdd/"+s.path, 0).With("clear or shorten a section, or open a second exploration")
	}
	if err := s.st.RefuseSecrets(before.Src, after.Src); err != nil {
		return nil, err
	}
	s.old = old
	return after, nil
}

// fits refuses an addition that makes a section longer than the limit.
func (s *saving) fits(after *record.Doc) error {
	if len(after.Src) <= s.cfg.Limits.Section {
		return nil
	}
	for _, sec := range s.parse(after).Sections {
		if added := s.in.Field(sec.Key); added == nil || *added == "" || len(sec.Text) <= s.cfg.Limits.Section {
			continue
		}
		return fault.New(fault.Invalid, "%s would have %d bytes, at most %d are allowed", sec.Key, len(sec.Text), s.cfg.Limits.Section).
			For(sec.Key).At(".sdd/"+s.path, sec.Line).With("replace the section by its essence, or open a second exploration")
	}
	return nil
}

// edit makes the changes in base, which reads as r.
func (s *saving) edit(base *record.Doc, r record.Record, exists bool) (*record.Doc, error) {
	var sets []frontmatter.Set
	if !exists {
		sets = []frontmatter.Set{
			{Key: "title", Value: s.in.Title}, {Key: "project", Value: s.in.Project}, {Key: "scope", Value: s.in.Scope},
			{Key: "revision", Value: 1}, {Key: "created", Value: frontmatter.Date(time.Now().UTC().Format(time.DateOnly))},
		}
		if s.in.SessionID != defaultSession {
			sets = append(sets, frontmatter.Set{Key: "session_id", Value: s.in.SessionID})
		}
	}
	front, _ := base.Front()
	sets = append(sets, s.pins.Sets(front)...)
	u, err := base.Edit(record.Exploration, sets, s.changes(r))
	if err != nil {
		return nil, err
	}
	s.warnings = u.Warnings
	if !exists || u.Doc == base {
		return u.Doc, nil
	}
	sets = []frontmatter.Set{{Key: "revision", Value: r.Revision + 1}}
	if _, ok := r.FrontMatter["title"]; !ok {
		// The first save of a hand-written file writes its title into the front matter.
		sets = append(sets, frontmatter.Set{Key: "title", Value: r.Title})
	}
	u, err = u.Doc.Edit(record.Exploration, sets, nil)
	return u.Doc, err
}

// base returns the version that the caller has read: now, which is parsed as r, or an earlier one.
func (s *saving) base(now *record.Doc, r record.Record) (*record.Doc, error) {
	if s.in.IfMatch == r.Etag {
		return now, nil
	}
	wanted := s.changes(record.Record{})
	var both strings.Builder
	for _, c := range wanted {
		for _, sec := range r.Sections {
			if !strings.EqualFold(c.Section.Name, sec.Name) {
				continue
			}
			if sec.Etag == s.in.IfMatch {
				return now, nil
			}
			fmt.Fprintf(&both, "\n\nstored %s:\n%s\n\nyours:\n%s", sec.Name, sec.Text, c.Text)
		}
	}
	if old, ok := s.st.Version(s.in.IfMatch); ok {
		return record.Open(old), nil
	}
	for _, c := range wanted {
		if text, ok := s.st.SectionVersion(r.ID, c.Section.Name, s.in.IfMatch); ok {
			// The present file, with that section as the caller read it.
			op := markdown.Replace
			if strings.TrimSpace(text) == "" {
				op = markdown.Clear
			}
			u, err := now.Edit(record.Exploration, nil, []markdown.Change{{Section: c.Section, Text: text, Op: op}})
			return u.Doc, store.InFile(err, s.path)
		}
	}
	return nil, fault.New(fault.Conflict, "if_match %q is no version of this exploration that is still known%s", s.in.IfMatch, both.String()).
		For("if_match").At(".sdd/"+s.path, 0).With("read it with sdd_get, merge, and save with the etag it gives")
}

// merge merges the text of an editor or another tool with that of this save.
func (s *saving) merge(base, ours, theirs []byte) ([]byte, error) {
	return record.MergeSaves(record.Exploration, base, ours, theirs, "if_match",
		"read the exploration again with sdd_get, merge the two texts, and save with the new etag")
}

// describe sets the result of a save that writes after, and lists the sections whose text changed.
func (s *saving) describe(before, after *record.Doc) []journal.Change {
	was := s.old
	if was.Etag != before.Etag {
		was = s.parse(before)
	}
	now := s.parse(after)
	text := func(r record.Record, name string) string {
		for _, sec := range r.Sections {
			if strings.EqualFold(sec.Name, name) {
				return sec.Text
			}
		}
		return ""
	}
	var out []journal.Change
	changed := []string{}
	for i, known := range record.ExplorationSections {
		a, b := text(was, known.Name), text(now, known.Name)
		if a != b {
			changed = append(changed, FieldNames[i])
			given := *s.in.Field(FieldNames[i]) != "" && !s.in.Append && s.in.IfMatch == ""
			out = append(out, journal.Change{Name: known.Name, Before: a, After: b, Whole: given || slices.Contains(s.in.Clear, FieldNames[i])})
			if given && loses(a, b) { // the writer may not know the old text
				s.warnings = append(s.warnings, markdown.Warning{Code: "section_replaced", Section: known.Name,
					Text: fmt.Sprintf("no line of what %s had is kept: append adds to it, sdd undo takes the save back", known.Name)})
			}
		}
	}
	action := "updated"
	if before.Etag == "" {
		action = "created"
		s.indexed = len(s.past) == 0 && git.InIndex(s.ctx, filepath.Join(s.st.Dir(), store.Folder), s.path)
	}
	s.result = s.resultOf(now, action, changed)
	return out
}

// loses reports whether a text of several lines is replaced and none of them is kept. A single one may have been corrected.
func loses(before, after string) bool {
	lost := 0
	for line := range strings.Lines(before) {
		if line = strings.TrimSpace(line); strings.ContainsFunc(line, unicode.IsLetter) {
			if strings.Contains(after, line) {
				return false
			}
			lost++
		}
	}
	return lost > 1
}

func (s *saving) parse(doc *record.Doc) record.Record {
	return doc.Record(s.path, record.Defaults{Project: s.own})
}

// resultOf returns the result of a save that wrote the record r.
func (s *saving) resultOf(r record.Record, action string, changed []string) Result {
	out := Result{
		ID: r.ID, TopicKey: r.TopicKey, Title: r.Title, Action: action, Revision: r.Revision,
		File: ".sdd/" + sealed.OnDisk(s.path), Etag: r.Etag, Project: r.Project, Scope: r.Scope,
		Changed: changed, Similar: near(s.ix, r.Title, r.Project, r.Scope), Warnings: []Warning{}, record: r,
	}
	for _, sec := range r.Sections {
		if f := out.Sections.Field(sec.Key); f != nil && *f == "" {
			*f = sec.Text
		}
	}
	out.Suggestion = suggest(out.Sections.Goals, out.Sections.Constraints, out.Sections.Context)
	warn := func(w Warning) { out.Warnings = record.Union(out.Warnings, w) }
	for _, w := range s.warnings {
		if w.Code == "newlines_converted" {
			w.Section = "" // the file has one form
		}
		warn(Warning{Code: w.Code, Section: w.Section, Text: w.Text})
	}
	for _, name := range s.in.moved {
		warn(Warning{Code: "section_moved", Section: "Context",
			Text: fmt.Sprintf("the section %q is stored in Context, its headings a level deeper", name)})
	}
	for _, text := range s.pins.Warnings {
		warn(Warning{Code: anchor.RefKey, Text: text})
	}
	for _, p := range r.Problems {
		warn(Warning{Code: p.Code, Text: p.Text})
	}
	out.nextSteps = nextSteps(s.cfg.Pipeline, r.Slug, out.Action == "created")
	out.text = out.page()
	return out
}
