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

	"sdd/internal/candidate"
	"sdd/internal/config"
	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/index"
	"sdd/internal/learning"
	"sdd/internal/record"
	"sdd/internal/secrets"
	"sdd/internal/store"
)

// The reader of a format makes an item for each future record and lists what it leaves out, and this file stores the items. The record's
// key imported keeps the item's name in the other program, by which a later import finds the record, and the values that have no other
// place in it. An import overwrites nothing: when the texts differ, because one was edited, the result reports the record as kept.

// importedKey is the front-matter key that contains an origin.
const importedKey = "imported"

// origin is what an import keeps with a record, as one line of JSON.
type origin struct {
	Format string                     `json:"format"`
	Key    string                     `json:"key"`             // the item's name in the other program
	Title  string                     `json:"title,omitempty"` // of a file: two folders may have a file of the same name
	Item   map[string]json.RawMessage `json:"item,omitempty"`  // values that have no place in the record
}

func (o origin) line() string { return string(encoded(o)) }

// name identifies the item across imports.
func (o origin) name() string { return o.Format + "\x00" + o.Key + "\x00" + o.Title }

// keyOrder is the order of front-matter keys in a file.
func keyOrder(kind record.Kind) []string { return append(record.Keys(kind), importedKey) }

// originOf reads the key imported of a record's file; ok is false for a record that was not imported.
func originOf(fm *frontmatter.Doc) (o origin, ok bool) {
	line := fm.String(importedKey)
	if line == "" || json.Unmarshal([]byte(line), &o) != nil || o.Format == "" {
		return origin{}, false
	}
	return o, true
}

func (o *origin) keep(key string, value any) {
	if o.Item == nil {
		o.Item = map[string]json.RawMessage{}
	}
	o.Item[key] = encoded(value)
}

// item is one thing of another program, and the record that it becomes.
type item struct {
	from    string // its name in the result
	origin  origin
	kind    record.Kind
	title   string // of an exploration or decision
	other   string // added to a title that another record has; of a fact, another text that it may have here
	scope   string
	project string                // of an exploration, when it is not the store's own
	src     []byte                // the file, without title, scope, project and imported
	sets    []frontmatter.Set     // keys of a fact
	content string                // of a fact
	idea    *learning.Idea        // for an idea
	inbox   *candidate.Candidate  // for a candidate
	also    []candidate.Candidate // candidates made of parts of the item, which the record contains as well
	refs    []link                // what a decision says of others
	links   map[string][]string   // of a decision: the ids by the key for them, one of relationTypes
}

func (i *item) relate(key string, to item) {
	if i.links == nil {
		i.links = map[string][]string{}
	}
	if id := to.decisionID(); !slices.Contains(i.links[key], id) {
		i.links[key] = append(i.links[key], id)
	}
}

type reading struct {
	items []item
	left  []Left
	notes []string
	rules []string // the sources with rules that were read
}

func (r *reading) leave(from, format string, args ...any) {
	r.left = append(r.left, Left{From: from, Why: fmt.Sprintf(format, args...)})
}

func (r *reading) leaveSome(from string, n int, why string) {
	if n > 0 {
		r.left = append(r.left, Left{From: from, Why: why, Count: n})
	}
}

// Brought is the result of an import.
type Brought struct {
	Format string `json:"format"`
	DryRun bool   `json:"dry_run,omitempty"` // nothing was written
	Actions
	Kept    int             `json:"kept"` // records here with another text, which stays
	Records []BroughtRecord `json:"records"`
	LeftOut []Left          `json:"left_out"` // what could not be imported
	Notes   []string        `json:"notes"`
}

// Actions counts what an import did.
type Actions struct {
	Created   int `json:"created"`
	Updated   int `json:"updated"`   // records here that got the key imported, or a missing value
	Duplicate int `json:"duplicate"` // records here already
}

func (n *Actions) count(action string) {
	switch action {
	case learning.Created:
		n.Created++
	case learning.Updated:
		n.Updated++
	default:
		n.Duplicate++
	}
}

// BroughtRecord is the result for one item.
type BroughtRecord struct {
	From   string `json:"from"`
	Kind   string `json:"kind"`
	ID     string `json:"id"`
	Action string `json:"action"` // created, updated, duplicate or kept
	File   string `json:"file"`   // relative to the store's root
	Note   string `json:"note,omitempty"`
}

// Left is something that was left out, and why. Count is the number of things; 0 means one.
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

const kept = "kept"

// Text renders the result for a person.
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
	fmt.Fprintf(&out, "%d created, %d updated, %d here already, %d kept as they are here, %d left out\n",
		b.Created, b.Updated, b.Duplicate, b.Kept, n)
	return out.String()
}

// Uses is the access to the records to import into and export from.
type Uses struct {
	Store     *store.Store
	Index     *index.Index
	Learnings *learning.Learnings
	Inbox     *candidate.Inbox
	Now       func() time.Time // nil is time.Now
}

const longestLine = 1000 // characters of a value in a fact's front matter

const toolName = "sdd import"

// carrier stores the items of one import. It is not for concurrent use.
type carrier struct {
	Uses
	cfg     config.Config
	allowed []string
	own     string
	ideas   *learning.Import
	at      string                   // the time of the import, for items without a time
	origins map[string]string        // paths by the name of the origin
	texts   map[string]string        // paths of facts by their content
	titles  map[string]string        // paths of explorations and decisions by id
	known   map[string]record.Record // imported ones by path
	out     Brought
}

// rememberAll reads the records that are here, in the order of paths.
func (c *carrier) rememberAll(ctx context.Context) {
	if !c.Store.Exists() {
		return
	}
	var paths []string
	fault.Check(c.Store.Scan(ctx, func(path string, _ store.Stat) error {
		paths = append(paths, path)
		return nil
	}))
	slices.Sort(paths)
	for _, path := range paths {
		fault.Check(ctx.Err())
		file, err := c.Store.Read(path)
		fm, broken := frontmatter.Parse(file.Bytes)
		if err == nil && broken == nil {
			c.remember(path, record.Parse(path, file.Bytes, record.Defaults{Project: c.own}), fm)
		}
	}
}

func storeItems(ctx context.Context, u Uses, format string, read reading, progress func(n int)) (out Brought, err error) {
	c := &carrier{
		Uses: u, own: u.Store.Project(),
		origins: map[string]string{}, texts: map[string]string{}, titles: map[string]string{}, known: map[string]record.Record{},
		out: Brought{
			Format: format, Records: []BroughtRecord{}, LeftOut: append([]Left{}, read.left...), Notes: append([]string{}, read.notes...),
		},
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	c.at = record.Stamp(c.Now())
	defer func() { out = c.out }() // also what was stored before an error
	defer fault.Caught(&err)
	c.cfg = fault.Must(u.Store.Config())
	c.allowed = secrets.Allowed(c.cfg.Sections["secrets"])
	c.rememberAll(ctx)
	for n, i := range read.items {
		fault.Check(c.put(ctx, i))
		if progress != nil {
			progress(n + 1)
		}
		fault.Check(ctx.Err())
	}
	c.noteGone(read)
	return c.out, nil
}

// noteGone names the learnings in force that came from one of the sources and are no longer a rule there.
func (c *carrier) noteGone(read reading) {
	have := map[string]bool{}
	for _, i := range read.items {
		have[i.origin.name()] = true
		if i.idea != nil { // a rule that moved to another file
			have[record.ContentKey(learning.Kept(i.idea.Content))] = true
		}
	}
	for _, name := range sortedKeys(c.origins) {
		k := c.known[c.origins[name]]
		at := slices.IndexFunc(read.rules, func(source string) bool { return strings.HasPrefix(name, ClaudeMemory+"\x00"+source+" ") })
		if at >= 0 && !have[name] && !have[record.ContentKey(k.Preamble)] && !record.Gone(k.Status) {
			c.out.Notes = append(c.out.Notes, fmt.Sprintf("%s is no longer in %s: %s; if it no longer holds, archive it: sdd review archive %s",
				k.ID, read.rules[at], record.Brief(secrets.Mask(k.Preamble)), k.ID))
		}
	}
}

// put stores one item, or lists it as left out.
func (c *carrier) put(ctx context.Context, i item) error {
	do := c.file
	if i.inbox != nil {
		do = c.candidate
	} else if i.idea != nil {
		do = c.idea
	}
	got, err := do(ctx, i)
	if err == nil {
		c.count(i, got)
	}
	for _, a := range i.also { // the record has their origin
		if err != nil {
			break
		}
		if got, err = c.putCandidate(ctx, a); err == nil {
			c.count(i, got)
		} else if isRefusal(err) {
			err = c.leave(i, "what it says beside is no candidate: "+fault.Of(err).Message)
		}
	}
	if isRefusal(err) {
		return c.leave(i, fault.Of(err).Message)
	}
	return err
}

func (c *carrier) leave(i item, why string) error {
	c.out.LeftOut = append(c.out.LeftOut, Left{From: i.from, Why: why})
	return nil
}

// isRefusal reports whether an error concerns one item only, so that the import goes on.
func isRefusal(err error) bool {
	return err != nil && slices.Contains([]fault.Code{fault.Invalid, fault.Broken, fault.Ambiguous, fault.Conflict}, fault.Of(err).Code)
}

func (c *carrier) count(i item, r BroughtRecord) {
	r.From = i.from
	c.out.Records = append(c.out.Records, r)
	if r.Action == kept {
		c.out.Kept++
	} else {
		c.out.Actions.count(r.Action)
	}
}

func (c *carrier) idea(ctx context.Context, i item) (_ BroughtRecord, err error) {
	defer fault.Caught(&err)
	if c.ideas == nil {
		c.ideas = fault.Must(c.Learnings.Import(ctx, toolName))
	}
	in := *i.idea
	if path, ok := c.origins[i.origin.name()]; ok { // it stays the same idea when its text was edited on both sides
		if k := c.known[path]; k.Kind == record.Idea && record.ContentKey(k.Preamble) != record.ContentKey(learning.Kept(in.Content)) {
			return present(k, kept), nil
		}
	}
	in.Imported = i.origin.line()
	if i.origin.Format == ClaudeMemory { // a line of text has nothing to add to a learning
		if here, err := c.Index.Holders(ctx, c.ideas.IDOf(in)); err == nil && len(here) > 0 {
			return BroughtRecord{Kind: "learning", ID: here[0].ID, Action: learning.Duplicate, File: here[0].File}, nil
		}
	}
	got := fault.Must(c.ideas.Store(ctx, in))
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

func (c *carrier) candidate(ctx context.Context, i item) (BroughtRecord, error) {
	if path, ok := c.origins[i.origin.name()]; ok {
		k := c.known[path]
		action := learning.Duplicate
		differs := record.ContentKey(k.Preamble) != record.ContentKey(learning.Kept(i.inbox.Content))
		if differs && k.Kind != record.Decision && k.Of != record.Decision {
			action = kept
		}
		return present(k, action), nil
	}
	put := *i.inbox
	put.Imported = i.origin.line()
	return c.putCandidate(ctx, put)
}

// putCandidate puts a candidate into the inbox, which may refuse it.
func (c *carrier) putCandidate(ctx context.Context, put candidate.Candidate) (out BroughtRecord, err error) {
	all, err := c.Inbox.Put(ctx, []candidate.Candidate{put}, candidate.By{Tool: toolName})
	if err != nil {
		return out, err
	}
	got := all[0]
	if got.Action == candidate.Refused && got.File == "" {
		return out, fault.New(fault.Invalid, "%s", got.Reason)
	}
	out = BroughtRecord{Kind: "candidate", ID: got.ID, Action: learning.Duplicate, File: got.File}
	if got.Action == candidate.Created {
		out.Action = learning.Created
	}
	return out, nil
}

// present is the result for an item whose record is here.
func present(r record.Record, action string) BroughtRecord {
	out := BroughtRecord{Kind: r.Type(), ID: r.ID, Action: action, File: store.Folder + "/" + r.File}
	if action == kept {
		out.Note = "its text is another one here, which stays"
	}
	return out
}

func (c *carrier) compose(i item) (src []byte) {
	sets := slices.Clone(i.sets)
	set := func(key string, value any) { sets = append(sets, frontmatter.Set{Key: key, Value: value}) }
	if i.scope == record.Personal {
		set("scope", i.scope)
	}
	if i.kind == record.Fact {
		if !slices.ContainsFunc(sets, func(s frontmatter.Set) bool { return s.Key == "created" }) {
			set("created", c.at)
		}
		set(importedKey, i.origin.line())
		var err error
		src, _, err = record.Compose(record.Fact, sets, i.content)
		fault.Check(err)
	} else {
		fault.Check(record.CheckLine("title", i.title, c.cfg.Limits.Title))
		fm := fault.Must(frontmatter.Parse(i.src))
		if fm.String("title") != i.title {
			set("title", i.title)
		}
		if i.project != "" {
			set("project", i.project)
		}
		for _, key := range relationTypes {
			if to := i.links[key]; to != nil && !fm.Has(key) {
				set(key, slices.Sorted(slices.Values(to)))
			}
		}
		set(importedKey, i.origin.line())
		src = fault.Must(frontmatter.Apply(i.src, keyOrder(i.kind), sets))
	}
	fault.Check(record.Writable(src))
	c.checkSizes(i.kind, src)
	fault.Check(secrets.New(nil, src, c.allowed))
	return src
}

// checkSizes refuses a file with a text that is over the limit for sections.
func (c *carrier) checkSizes(kind record.Kind, src []byte) {
	fault.Check(record.CheckText("text", string(src)))
	r := record.Parse(record.Folder(kind)+"/x.md", src, record.Defaults{})
	most := c.cfg.Limits.Section
	check := func(name, text string) {
		if len(text) > most {
			fault.Check(fault.New(fault.Invalid, "%s has %d bytes, at most %d are allowed; limits.section in .sdd/config.yaml sets the limit",
				name, len(text), most))
		}
	}
	check("its text", r.Preamble)
	for _, s := range r.Sections {
		check("section "+s.Name, s.Text)
	}
}

// target composes the file of a fact, an exploration or a decision, under a title that no other text has. path is the existing file of
// the record, "" for a new one.
func (c *carrier) target(ctx context.Context, i *item) (src []byte, path string) {
	path = c.origins[i.origin.name()]
	if i.kind != record.Fact {
		if path != "" {
			return c.compose(*i), path
		}
		for _, i.title = range []string{i.title, i.title + " (" + i.other + ")"} {
			src = c.compose(*i)
			if path = c.titles[c.idOf(*i)]; path == "" || sameText(fault.Must(c.Store.Read(path)).Bytes, src) {
				return src, path
			}
		}
		fault.Check(fault.New(fault.Invalid, "%s is here with another text, under this name too", c.idOf(*i)))
	}
	i.content = fault.Must(record.Content("content", i.content, c.cfg.Limits.Section))
	for _, s := range i.sets {
		if v, ok := s.Value.(string); ok {
			fault.Check(record.CheckLine(s.Key, v, longestLine))
		}
	}
	src = c.compose(*i)
	path = cmp.Or(path, c.texts[record.ContentKey(i.content)])
	if path == "" && i.other != "" {
		path = c.texts[record.ContentKey(i.other)]
	}
	if path != "" {
		return src, path
	}
	if held := fault.Must(c.Index.Holders(ctx, c.idOf(*i))); len(held) > 0 { // the fact was edited since it got its id
		path = held[0].Path
	}
	return src, path
}

// file stores a fact, an exploration or a decision.
func (c *carrier) file(ctx context.Context, i item) (_ BroughtRecord, err error) {
	defer fault.Caught(&err)
	src, path := c.target(ctx, &i)
	found := path != ""
	id := c.idOf(i)
	if k, ok := c.known[path]; ok {
		id = k.ID
	} else if !found && i.kind == record.Fact {
		src = fault.Must(frontmatter.Apply(src, keyOrder(record.Fact), []frontmatter.Set{{Key: "id", Value: id}}))
	}
	var action string
	apply := func(before []byte, exists bool) ([]byte, error) {
		switch {
		case !exists && found:
			return nil, fault.New(fault.Conflict, "%s was removed meanwhile", store.Folder+"/"+path)
		case !exists:
			action = learning.Created
			return src, nil
		case !sameText(before, src):
			action = kept
			return before, nil
		}
		fm, err := frontmatter.Parse(before)
		if err != nil || fm.Has(importedKey) || record.Writable(before) != nil {
			action = learning.Duplicate
			return before, nil
		}
		action = learning.Updated
		after, err := frontmatter.Apply(before, keyOrder(i.kind), []frontmatter.Set{{Key: importedKey, Value: i.origin.line()}})
		if err != nil {
			return nil, err
		}
		return after, secrets.New(before, after, c.allowed)
	}
	saved := fault.Must(c.Store.Save(ctx, store.Edit{
		Lock: record.LockOf(id), Record: id, Op: "import", Tool: toolName,
		Resolve: func() (string, error) {
			if found {
				return path, nil
			}
			held, err := c.Index.Holders(ctx, id) // another process may have created it
			if err != nil {
				return "", err
			}
			path = c.pathOf(i)
			if n := slices.IndexFunc(held, func(e index.Entry) bool { return e.Kind == i.kind }); n >= 0 {
				path = held[n].Path
			}
			return path, nil
		},
		Apply: apply,
	}))
	if !saved.Unchanged {
		c.Index.Put(saved)
	}
	r := record.Parse(saved.Path, saved.After, record.Defaults{Project: c.own})
	if fm, err := frontmatter.Parse(saved.After); err == nil {
		c.remember(saved.Path, r, fm)
	}
	return present(r, action), nil
}

func (c *carrier) remember(path string, r record.Record, fm *frontmatter.Doc) {
	if o, ok := originOf(fm); ok {
		c.origins[o.name()] = path
		c.known[path] = r
	}
	switch r.Kind {
	case record.Fact:
		c.texts[record.ContentKey(r.Preamble)] = path
	case record.Exploration, record.Decision:
		c.titles[r.ID] = path
	}
}

func (c *carrier) idOf(i item) string {
	switch i.kind {
	case record.Decision:
		return i.decisionID()
	case record.Exploration:
		return record.ExplorationID(record.Slug(i.title), i.project, i.scope, c.own)
	}
	return record.HexID(record.IDPrefix(i.kind), i.content, nil)
}

// pathOf is the file to create for an item; it differs from every file that another record has.
func (c *carrier) pathOf(i item) string {
	id := c.idOf(i)
	first, _, _ := strings.Cut(strings.TrimSpace(i.content), "\n")
	path := record.HexFile(record.Fact, id, first, i.scope)
	switch i.kind {
	case record.Decision:
		path = strings.Replace(id, "decision/", record.Folder(record.Decision)+"/", 1) + ".md"
	case record.Exploration:
		path = record.ExplorationFile(record.Slug(i.title), i.project, i.scope, c.own)
	}
	return c.Index.FreePath(path, id)
}

// sameText reports whether two files have the same text below their front matter.
func sameText(a, b []byte) bool { return bytes.Equal(bodyOf(a), bodyOf(b)) }

// bodyOf is the text below the front matter, trimmed and with LF line ends.
func bodyOf(src []byte) []byte {
	if fm, err := frontmatter.Parse(src); err == nil {
		src = src[fm.Body:]
	}
	return bytes.TrimSpace(bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n")))
}
