package transfer

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"sdd/internal/config"
	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/inbox"
	"sdd/internal/index"
	"sdd/internal/learning"
	"sdd/internal/markdown"
	"sdd/internal/record"
	"sdd/internal/secrets"
	"sdd/internal/store"
)

// What other programs keep comes in through one gate. A reader of a format makes items of it, each a record to be, and says
// what it cannot carry; this file stores them. What an item has and a record has no place for lies in the record's key
// imported, with what the item is called there: that is how it is found again, and how an export gives it back.
//
// Nothing that is here is overwritten. An item that is found again by its name there, or as the same text, stays as it is here;
// where its text is another one here (it was edited, or it changed over there) that is said.

// importedKey is the key of the front matter that holds an origin.
const importedKey = "imported"

// origin is what an importer keeps with a record, as one line of JSON.
type origin struct {
	Format string                     `json:"format"`
	Key    string                     `json:"key"`             // what the item is called there
	Title  string                     `json:"title,omitempty"` // of a file: two folders may have one of that name
	Item   map[string]json.RawMessage `json:"item,omitempty"`  // what the record has no place for
	Text   string                     `json:"text,omitempty"`  // the item's text, where the record had to spell it otherwise
	Of     string                     `json:"of,omitempty"`    // etag of the record's text that Text became
}

func (o origin) line() string {
	return string(encoded(o))
}

// name is what the origin is found by.
func (o origin) name() string { return o.Format + "\x00" + o.Key + "\x00" + o.Title }

// originOf reads the key imported of a record's file; ok is false for a record that no foreign format brought.
func originOf(fm *frontmatter.Doc) (o origin, ok bool) {
	line := fm.String(importedKey)
	if line == "" || json.Unmarshal([]byte(line), &o) != nil || o.Format == "" {
		return origin{}, false
	}
	return o, true
}

// item returns a text of Item, "" for none.
func (o origin) item(key string) string {
	s, _ := readString(o.Item[key])
	return s
}

// keep puts a text into Item; "" is not kept.
func (o *origin) keep(key, value string) {
	if value == "" {
		return
	}
	if o.Item == nil {
		o.Item = map[string]json.RawMessage{}
	}
	o.Item[key] = text(value)
}

// An item is one thing of another program as a record to be.
type item struct {
	from   string // where it stands there, as the result names it
	origin origin
	kind   record.Kind

	title   string // of an exploration or decision
	other   string // of those, what tells it from another one of that title; of a fact, another text that it may have here
	scope   string
	project string             // of an exploration that is not of the store's own
	src     []byte             // its file without title, scope, project and imported
	sets    []frontmatter.Set  // keys of a fact
	content string             // of a fact
	idea    *learning.Idea     // of an idea
	inbox   *inbox.Candidate   // what somebody has to decide on
	also    []*inbox.Candidate // what it says beside, to be decided on; the record holds it already
}

// reading is what a reader found.
type reading struct {
	items []item
	left  []Left
	notes []string
}

func (r *reading) leave(from, format string, args ...any) {
	r.left = append(r.left, Left{From: from, Why: fmt.Sprintf(format, args...)})
}

// Brought is what became of what another program keeps.
type Brought struct {
	Format    string          `json:"format"`
	DryRun    bool            `json:"dry_run,omitempty"` // nothing was written: this is what would have been
	Created   int             `json:"created"`
	Updated   int             `json:"updated"`   // were here and know their origin now
	Duplicate int             `json:"duplicate"` // were here
	Kept      int             `json:"kept"`      // are here with another text, which stays
	Records   []BroughtRecord `json:"records"`
	LeftOut   []Left          `json:"left_out"` // what could not be carried
	Notes     []string        `json:"notes"`
}

// BroughtRecord is what became of one item.
type BroughtRecord struct {
	From   string `json:"from"`
	Kind   string `json:"kind"`
	ID     string `json:"id"`
	Action string `json:"action"` // created, updated, duplicate or kept
	File   string `json:"file"`   // relative to the store's root
	Note   string `json:"note,omitempty"`
}

// Left is something that was not carried, and why. Count tells how many things a line stands for, where that is not one.
type Left struct {
	From  string `json:"from"`
	Why   string `json:"why"`
	Count int    `json:"count,omitempty"`
}

// Line renders it for a person.
func (l Left) Line() string {
	if l.Count > 0 {
		return fmt.Sprintf("%s (%d): %s", l.From, l.Count, l.Why)
	}
	return l.From + ": " + l.Why
}

// kept is the action of an item whose text is another one here.
const kept = "kept"

// Text renders what was done, for a person.
func (b Brought) Text() string {
	var out strings.Builder
	if b.DryRun {
		out.WriteString("dry run: nothing was written\n")
	}
	for _, r := range b.Records {
		if r.Action == learning.Duplicate {
			continue
		}
		fmt.Fprintf(&out, "%s %s (%s, %s)\n", r.ID, r.Action, r.From, r.File)
		if r.Note != "" {
			fmt.Fprintf(&out, "  %s\n", r.Note)
		}
	}
	n := 0
	for _, l := range b.LeftOut {
		n += max(l.Count, 1)
		fmt.Fprintf(&out, "left out, %s\n", l.Line())
	}
	for _, note := range b.Notes {
		fmt.Fprintf(&out, "note: %s\n", note)
	}
	fmt.Fprintf(&out, "%d created, %d updated, %d here already, %d kept as they are here, %d left out\n", b.Created, b.Updated, b.Duplicate, b.Kept, n)
	return out.String()
}

// Uses are the records that are imported into and exported from.
type Uses struct {
	Store     *store.Store
	Index     *index.Index
	Learnings *learning.Learnings
	Inbox     *inbox.Inbox
	Now       func() time.Time // nil is time.Now
}

const longestLine = 1000 // characters of a value of a fact's front matter

// toolName is who writes, for the journal.
const toolName = "sdd import"

// carrier stores the items of one import. It is not for concurrent use.
type carrier struct {
	Uses
	cfg     config.Config
	allowed []string
	own     string
	ideas   *learning.Import
	at      string                  // when they came, for those that do not say when they were made
	origins map[string]string       // the path, by the name of its origin
	texts   map[string]string       // the path of a fact, by its content
	titles  map[string]string       // the path, by id, of explorations and decisions
	known   map[string]originOfFile // by path
	out     Brought
}

// originOfFile is a record that came from a foreign format.
type originOfFile struct {
	origin origin
	rec    record.Record
	src    []byte
}

// records calls f with every record that can be understood, in the order of paths; those that cannot are returned.
func (u Uses) records(ctx context.Context, f func(path string, src []byte, r record.Record, fm *frontmatter.Doc)) (left []string, err error) {
	var paths []string
	if !u.Store.Exists() {
		return nil, nil
	}
	if err := u.Store.Scan(ctx, func(path string, _ store.Stat) error {
		paths = append(paths, path)
		return nil
	}); err != nil {
		return nil, err
	}
	slices.Sort(paths)
	for _, path := range paths {
		if err := ctx.Err(); err != nil {
			return left, err
		}
		file, err := u.Store.Read(path)
		if fault.Is(err, fault.NotFound) {
			continue // it went since
		}
		fm, broken := frontmatter.Parse(file.Bytes)
		if err != nil || broken != nil {
			left = append(left, store.Folder+"/"+path)
			continue
		}
		f(path, file.Bytes, record.Parse(path, file.Bytes, record.Defaults{Project: u.Store.Project()}), fm)
	}
	return left, nil
}

// carry stores what was read.
func carry(ctx context.Context, u Uses, format string, read reading, progress func(n int)) (Brought, error) {
	c := &carrier{
		Uses: u, own: u.Store.Project(),
		origins: map[string]string{}, texts: map[string]string{}, titles: map[string]string{}, known: map[string]originOfFile{},
		out: Brought{Format: format, Records: []BroughtRecord{}, LeftOut: []Left{}, Notes: []string{}},
	}
	c.out.LeftOut, c.out.Notes = append(c.out.LeftOut, read.left...), append(c.out.Notes, read.notes...)
	if c.Now == nil {
		c.Now = time.Now
	}
	c.at = record.Stamp(c.Now())
	var err error
	if c.cfg, err = u.Store.Config(); err != nil {
		return c.out, err
	}
	c.allowed = secrets.Allowed(c.cfg.Sections["secrets"])
	if _, err := c.records(ctx, func(path string, src []byte, r record.Record, fm *frontmatter.Doc) {
		if o, ok := originOf(fm); ok {
			c.origins[o.name()] = path
			c.known[path] = originOfFile{o, r, src}
		}
		switch r.Kind {
		case record.Fact:
			c.texts[record.ContentKey(r.Preamble)] = path
		case record.Exploration, record.Decision:
			c.titles[r.ID] = path
		}
	}); err != nil {
		return c.out, err
	}
	for n, i := range read.items {
		if err := c.put(ctx, i); err != nil {
			return c.out, err
		}
		if progress != nil {
			progress(n + 1)
		}
		if err := ctx.Err(); err != nil {
			return c.out, err
		}
	}
	return c.out, nil
}

// put stores one item; what cannot be stored is left out and named.
func (c *carrier) put(ctx context.Context, i item) error {
	var got BroughtRecord
	var err error
	switch {
	case i.inbox != nil:
		got, err = c.candidate(ctx, i)
	case i.idea != nil:
		got, err = c.idea(ctx, i)
	default:
		got, err = c.file(ctx, i)
	}
	if err == nil {
		got.From = i.from
		c.count(got)
		for _, a := range i.also {
			if err = c.aside(ctx, i, a); err != nil {
				break
			}
		}
	}
	switch {
	case err == nil:
	case fault.Is(err, fault.Invalid), fault.Is(err, fault.Broken), fault.Is(err, fault.Ambiguous), fault.Is(err, fault.Conflict):
		c.out.LeftOut = append(c.out.LeftOut, Left{From: i.from, Why: fault.Of(err).Message})
	default:
		return err
	}
	return nil
}

func (c *carrier) count(r BroughtRecord) {
	c.out.Records = append(c.out.Records, r)
	switch r.Action {
	case learning.Created:
		c.out.Created++
	case learning.Updated:
		c.out.Updated++
	case kept:
		c.out.Kept++
	default:
		c.out.Duplicate++
	}
}

// idea stores an idea by the import of ideas.
func (c *carrier) idea(ctx context.Context, i item) (BroughtRecord, error) {
	if c.ideas == nil {
		var err error
		if c.ideas, err = c.Learnings.Import(ctx, toolName); err != nil {
			return BroughtRecord{}, err
		}
	}
	in := *i.idea
	if path, ok := c.origins[i.origin.name()]; ok { // it keeps its identity when its text was edited on both sides
		if k := c.known[path]; k.rec.Kind == record.Idea && record.ContentKey(k.rec.Preamble) != record.ContentKey(learning.Kept(in.Content)) {
			return here(k.rec, kept), nil
		}
	}
	in.Imported = i.origin.of(in.Content, learning.Kept(in.Content)).line()
	got, err := c.ideas.Store(ctx, in)
	if err != nil {
		return BroughtRecord{}, err
	}
	out := BroughtRecord{Kind: "idea", ID: got.ID, Action: got.Action, File: got.File}
	if in.Color == record.Learning {
		out.Kind = "learning"
	}
	for _, w := range got.Warnings() {
		if w.Code == learning.Differs {
			out.Action = kept
		}
		out.Note = cmp.Or(out.Note, w.Text)
	}
	return out, nil
}

// of keeps the text of an item where the record spells it otherwise.
func (o origin) of(text, stored string) origin {
	if text != stored {
		o.Text, o.Of = text, record.Etag([]byte(stored))
	}
	return o
}

// text is the item's text, for a record that says now.
func (o origin) text(now string) string {
	if o.Of != "" && o.Of == record.Etag([]byte(now)) {
		return o.Text
	}
	return now
}

// candidate puts an item into the inbox. Its file learns where it came from in a second step, which an import that was ended
// between the two makes up for.
func (c *carrier) candidate(ctx context.Context, i item) (BroughtRecord, error) {
	if path, ok := c.origins[i.origin.name()]; ok {
		k := c.known[path]
		action := learning.Duplicate
		if record.ContentKey(k.rec.Preamble) != record.ContentKey(learning.Kept(i.inbox.Content)) && k.rec.Kind != record.Decision && k.rec.Of != record.Decision {
			action = kept
		}
		return here(k.rec, action), nil
	}
	got, err := c.Inbox.Put(ctx, []inbox.Candidate{*i.inbox}, inbox.By{Tool: toolName})
	if err != nil {
		return BroughtRecord{}, err
	}
	s := got[0]
	if s.Action == inbox.Refused && s.File == "" {
		return BroughtRecord{}, fault.New(fault.Invalid, "%s", s.Reason)
	}
	out := BroughtRecord{Kind: "candidate", ID: s.ID, Action: learning.Duplicate, File: s.File}
	if s.Action == inbox.Created {
		out.Action = learning.Created
	}
	line := i.origin.of(i.inbox.Content, learning.Kept(i.inbox.Content)).line()
	saved, err := c.Store.Save(ctx, store.Edit{
		Lock: record.LockOf(s.ID), Record: s.ID, Op: "import", Tool: toolName,
		Resolve: func() (string, error) { return strings.TrimPrefix(s.File, store.Folder+"/"), nil },
		Apply: func(before []byte, exists bool) ([]byte, error) {
			if fm, err := frontmatter.Parse(before); !exists || err != nil || fm.Has(importedKey) {
				return before, nil
			}
			return c.guarded(before, record.Candidate, []frontmatter.Set{{Key: importedKey, Value: line}})
		},
	})
	if err != nil {
		return out, err
	}
	if !saved.Unchanged {
		c.Index.Put(saved.Path, saved.After)
		if out.Action == learning.Duplicate {
			out.Action = learning.Updated
		}
	}
	return out, nil
}

// aside puts what an item says beside into the inbox, where nobody has to be asked about its origin: the item's record holds it.
func (c *carrier) aside(ctx context.Context, i item, a *inbox.Candidate) error {
	got, err := c.Inbox.Put(ctx, []inbox.Candidate{*a}, inbox.By{Tool: toolName})
	if err != nil {
		return err
	}
	s := got[0]
	switch {
	case s.Action == inbox.Refused && s.File == "":
		c.out.LeftOut = append(c.out.LeftOut, Left{From: i.from, Why: "what it says beside is no candidate: " + s.Reason})
	case s.Action == inbox.Created:
		c.count(BroughtRecord{From: i.from, Kind: "candidate", ID: s.ID, Action: learning.Created, File: s.File})
	default:
		c.count(BroughtRecord{From: i.from, Kind: "candidate", ID: s.ID, Action: learning.Duplicate, File: s.File})
	}
	return nil
}

func here(r record.Record, action string) BroughtRecord {
	out := BroughtRecord{Kind: r.Type(), ID: r.ID, Action: action, File: store.Folder + "/" + r.File}
	if action == kept {
		out.Note = "its text is another one here, which stays"
	}
	return out
}

// guarded sets keys and refuses secrets that were not there before.
func (c *carrier) guarded(before []byte, kind record.Kind, sets []frontmatter.Set) ([]byte, error) {
	after, err := frontmatter.Apply(before, append(record.Keys(kind), importedKey), sets)
	if err != nil {
		return nil, err
	}
	return after, secrets.New(before, after, c.allowed)
}

// composed makes the file of an item, under its title or, where that is taken, one that tells it apart.
func (c *carrier) composed(i item, title string) ([]byte, error) {
	sets := slices.Clone(i.sets)
	set := func(key string, value any) { sets = append(sets, frontmatter.Set{Key: key, Value: value}) }
	if i.scope == record.Personal {
		set("scope", i.scope)
	}
	var src []byte
	var err error
	if i.kind == record.Fact {
		if !slices.ContainsFunc(sets, func(s frontmatter.Set) bool { return s.Key == "created" }) {
			set("created", c.at)
		}
		contained, _, err := record.Contained(record.Fact, i.content)
		if err != nil {
			return nil, err
		}
		if contained != i.content {
			text := i.content
			if i.origin.Of != "" {
				text = i.origin.Text
			}
			i.origin = i.origin.of(text, contained)
		}
		set(importedKey, i.origin.line())
		if src, _, err = record.Compose(record.Fact, sets, i.content); err != nil {
			return nil, err
		}
	} else {
		if err := record.CheckLine("title", title, c.cfg.Limits.Title); err != nil {
			return nil, err
		}
		fm, err := frontmatter.Parse(i.src)
		if err != nil {
			return nil, err
		}
		if fm.String("title") != title {
			set("title", title)
		}
		if i.project != "" {
			set("project", i.project)
		}
		set(importedKey, i.origin.line())
		if src, err = frontmatter.Apply(i.src, append(record.Keys(i.kind), importedKey), sets); err != nil {
			return nil, err
		}
	}
	if err := record.Writable(src); err != nil {
		return nil, err
	}
	if err = c.fits(i.kind, src); err != nil {
		return nil, err
	}
	return src, secrets.New(nil, src, c.allowed)
}

// fits refuses what is longer than a record's text may be.
func (c *carrier) fits(kind record.Kind, src []byte) error {
	if err := record.CheckText("text", string(src)); err != nil {
		return err
	}
	r := record.Parse(record.Folder(kind)+"/x.md", src, record.Defaults{})
	most := c.cfg.Limits.Section
	check := func(name, text string) error {
		if len(text) > most {
			return fault.New(fault.Invalid, "%s has %d bytes, at most %d are allowed; limits.section in .sdd/config.yaml sets the limit", name, len(text), most)
		}
		return nil
	}
	if err := check("its text", r.Preamble); err != nil {
		return err
	}
	for _, s := range r.Sections {
		if err := check("section "+s.Name, s.Text); err != nil {
			return err
		}
	}
	return nil
}

// file stores a fact, an exploration or a decision.
func (c *carrier) file(ctx context.Context, i item) (BroughtRecord, error) {
	title := i.title
	if i.kind == record.Fact {
		was := i.content
		var err error
		if i.content, err = record.Content("content", was, c.cfg.Limits.Section); err != nil {
			return BroughtRecord{}, err
		}
		i.origin = i.origin.of(was, i.content)
		for _, s := range i.sets {
			if v, ok := s.Value.(string); ok {
				if err := record.CheckLine(s.Key, v, longestLine); err != nil {
					return BroughtRecord{}, err
				}
			}
		}
	}
	src, err := c.composed(i, title)
	if err != nil {
		return BroughtRecord{}, err
	}
	path, found := c.origins[i.origin.name()]
	if !found && i.kind == record.Fact {
		path, found = c.texts[record.ContentKey(i.content)]
		if !found && i.other != "" {
			path, found = c.texts[record.ContentKey(i.other)]
		}
		if !found {
			id := record.HexID(record.IDPrefix(record.Fact), i.content, nil)
			held, err := c.Index.Holders(ctx, id)
			if err != nil {
				return BroughtRecord{}, err
			}
			if len(held) > 0 { // it was edited since it got its id
				path, found = held[0].Path, true
			}
		}
	}
	if !found && i.kind != record.Fact {
		for _, title = range []string{i.title, i.title + " (" + i.other + ")"} {
			if src, err = c.composed(i, title); err != nil {
				return BroughtRecord{}, err
			}
			if path, found = c.titles[c.idOf(i, title)]; !found {
				break
			}
			file, err := c.Store.Read(path)
			if err != nil {
				return BroughtRecord{}, err
			}
			if found = sameText(file.Bytes, src); found {
				break
			}
		}
		if !found && path != "" {
			return BroughtRecord{}, fault.New(fault.Invalid, "%s is here with another text, under this name too", c.idOf(i, title))
		}
	}
	id := c.idOf(i, title)
	if !found {
		if i.kind == record.Fact {
			src, err = frontmatter.Apply(src, append(record.Keys(record.Fact), importedKey), []frontmatter.Set{{Key: "id", Value: id}})
			if err != nil {
				return BroughtRecord{}, err
			}
		}
	} else if k, ok := c.known[path]; ok {
		id = k.rec.ID
	}
	action := learning.Duplicate
	apply := func(before []byte, exists bool) ([]byte, error) {
		action = learning.Duplicate
		if !exists {
			if found {
				return nil, fault.New(fault.Conflict, "%s was removed meanwhile", store.Folder+"/"+path)
			}
			action = learning.Created
			return src, nil
		}
		if !sameText(before, src) {
			action = kept
			return before, nil
		}
		fm, err := frontmatter.Parse(before)
		if err != nil || fm.Has(importedKey) || record.Writable(before) != nil {
			return before, nil
		}
		action = learning.Updated
		made, err := frontmatter.Parse(src)
		if err != nil {
			return nil, err
		}
		return c.guarded(before, i.kind, []frontmatter.Set{{Key: importedKey, Value: made.String(importedKey)}})
	}
	saved, err := c.Store.Save(ctx, store.Edit{
		Lock: record.LockOf(id), Record: id, Op: "import", Tool: toolName,
		Resolve: func() (string, error) {
			if found {
				return path, nil
			}
			held, err := c.Index.Holders(ctx, id) // another process may have made it since
			if err != nil {
				return "", err
			}
			for _, e := range held {
				if e.Kind == i.kind {
					path = e.Path
					return path, nil
				}
			}
			path = c.pathOf(i, title)
			return path, nil
		},
		Apply: apply,
		Merge: func(base, ours, theirs []byte) ([]byte, error) {
			m := record.Merge(i.kind, base, ours, theirs, markdown.MergeLabels{Ours: "stored", Theirs: "yours"})
			if len(m.Conflicts) > 0 {
				return nil, fault.New(fault.Conflict, "%s is being edited", store.Folder+"/"+path)
			}
			return m.Out, nil
		},
	})
	if err != nil {
		return BroughtRecord{}, err
	}
	if !saved.Unchanged {
		c.Index.Put(saved.Path, saved.After)
	}
	r := record.Parse(saved.Path, saved.After, record.Defaults{Project: c.own})
	c.remember(saved.Path, saved.After, r)
	return here(r, action), nil
}

// remember makes what was stored known to the items that follow.
func (c *carrier) remember(path string, src []byte, r record.Record) {
	if fm, err := frontmatter.Parse(src); err == nil {
		if o, ok := originOf(fm); ok {
			c.origins[o.name()] = path
			c.known[path] = originOfFile{o, r, src}
		}
	}
	if r.Kind == record.Fact {
		c.texts[record.ContentKey(r.Preamble)] = path
	} else {
		c.titles[r.ID] = path
	}
}

// idOf is the id of the record that an item becomes under that title.
func (c *carrier) idOf(i item, title string) string {
	switch i.kind {
	case record.Decision:
		return record.DecisionID(record.Slug(title), i.scope)
	case record.Exploration:
		return record.ExplorationID(record.Slug(title), i.project, i.scope, c.own)
	}
	return record.HexID(record.IDPrefix(i.kind), i.content, nil)
}

// pathOf is where it is created. A file that stands there under another identity is passed by.
func (c *carrier) pathOf(i item, title string) string {
	var path string
	switch i.kind {
	case record.Decision:
		path = record.Folder(record.Decision) + "/" + record.Slug(title) + ".md"
		if i.scope == record.Personal {
			path = record.Personal + "/" + path
		}
	case record.Exploration:
		path = record.ExplorationFile(record.Slug(title), i.project, i.scope, c.own)
	default:
		first, _, _ := strings.Cut(strings.TrimSpace(i.content), "\n")
		path = record.HexFile(record.Fact, c.idOf(i, title), first, i.scope)
	}
	return c.Index.FreePath(path, c.idOf(i, title))
}

// sameText reports whether two files say the same below their front matter.
func sameText(a, b []byte) bool { return bytes.Equal(bodyOf(a), bodyOf(b)) }

// bodyOf is what stands below the front matter, without space around it and with its lines ended by LF.
func bodyOf(src []byte) []byte {
	at := 0
	if fm, err := frontmatter.Parse(src); err == nil {
		at = fm.Body
	}
	return bytes.TrimSpace(bytes.ReplaceAll(src[at:], []byte("\r\n"), []byte("\n")))
}
