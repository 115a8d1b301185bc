package lsp

import (
	"bytes"
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"sdd/internal/anchor"
	"sdd/internal/check"
	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/index"
	"sdd/internal/markdown"
	"sdd/internal/record"
)

type codeAction struct {
	Title string         `json:"title"`
	Kind  string         `json:"kind"`
	Edit  *workspaceEdit `json:"edit"`
}

var now = time.Now // tests set it

// actions offers what corrects or settles a record. Each is a change of the open text; the user saves it.
func (j job) actions(p place, q params) []codeAction {
	all := []codeAction{}
	add := func(title, kind string, after []byte) {
		if !bytes.Equal(after, p.src) {
			all = append(all, codeAction{title, kind, &workspaceEdit{Changes: map[string][]textEdit{p.uri: {p.until(after)}}}})
		}
	}
	if after, fixed := check.Mend(j.app.Store, p.record, p.src); len(fixed) > 0 {
		title := strings.ToUpper(fixed[0].Message[:1]) + fixed[0].Message[1:]
		if len(fixed) > 1 {
			title = "Correct all that sdd check --fix corrects"
		}
		add(title, "quickfix", after)
	}
	j.anchorActions(p, add)
	if after, ok := p.ordered(j.parsed(p.document)); ok {
		add("Put the sections in their order", "source", after)
	}
	if s, ok := j.supersede(p); ok {
		all = append(all, s)
	}
	if only := q.Context.Only; len(only) > 0 {
		all = slices.DeleteFunc(all, func(a codeAction) bool {
			return !slices.ContainsFunc(only, func(k string) bool { return a.Kind == k || strings.HasPrefix(a.Kind, k+".") })
		})
	}
	return all
}

// anchorActions offers to affirm places and to take those of moved code: of the one at the cursor, else of all.
func (j job) anchorActions(p place, add func(title, kind string, after []byte)) {
	doc := record.Open(p.src)
	verdicts := j.app.Tree.Judge(j, anchor.OfDoc(doc))
	if n, ok := nameAt(p.src, p.offset); ok {
		if r, err := anchor.ParseRef(n.text); err == nil && slices.ContainsFunc(verdicts, func(v anchor.Verdict) bool { return v.Ref == r }) {
			verdicts = slices.DeleteFunc(verdicts, func(v anchor.Verdict) bool { return v.Ref != r })
		}
	}
	kind, _ := record.KindOf(p.record)
	affirm := func(title string, some []anchor.Verdict, moved bool) {
		if len(some) == 0 {
			return
		}
		if after, done, err := j.app.Tree.Affirm(kind, doc, some, moved); err == nil && len(done) > 0 {
			add(title, "quickfix", after.Src)
		}
	}
	var old, moved []anchor.Verdict
	for _, v := range verdicts {
		switch {
		case v.State == anchor.Moved:
			moved = append(moved, v)
		case v.State == anchor.Drifted && v.Why == "", v.State == anchor.Unpinned:
			old = append(old, v)
		}
	}
	titled := func(one, several string, all []anchor.Verdict) string {
		if len(all) == 1 {
			return one + all[0].Now.String()
		}
		return several
	}
	affirm(titled("Take the new place: ", "Take the new places of the code", moved), moved, true)
	affirm(titled("Affirm: still true of ", "Affirm: still true of the code as it is", old), old, false)
}

// ordered returns a record with its sections in the order of its kind; unknown ones stay behind the one before. ok is false for no change.
func (d *document) ordered(r record.Record) (after []byte, ok bool) {
	_, doc := d.outline()
	if doc == nil || len(doc.Sections) < 2 || !r.Writable {
		return nil, false
	}
	known := record.SectionsOf(r.Kind, r.Of)
	rank := func(name string) int {
		return slices.IndexFunc(known, func(k markdown.Known) bool { return k.Under == "" && strings.EqualFold(k.Name, name) })
	}
	type part struct {
		rank int
		text []byte
	}
	newline := []byte("\n")
	if bytes.Contains(d.src, []byte("\r\n")) {
		newline = []byte("\r\n")
	}
	var parts []part
	for _, s := range doc.Sections {
		text := bytes.TrimRight(d.src[s.Heading.Start:s.Body.End], "\r\n")
		text = slices.Concat(text, newline)
		if n := rank(s.Name); n >= 0 || len(parts) == 0 {
			parts = append(parts, part{n, text})
		} else {
			last := &parts[len(parts)-1]
			last.text = slices.Concat(last.text, newline, text)
		}
	}
	order := func(a, b part) int { return cmp.Compare(a.rank, b.rank) }
	if slices.IsSortedFunc(parts, order) {
		return nil, false
	}
	slices.SortStableFunc(parts, order)
	var texts [][]byte
	for _, p := range parts {
		texts = append(texts, p.text)
	}
	after = slices.Concat(d.src[:doc.Sections[0].Heading.Start], bytes.Join(texts, newline))
	now, err := markdown.Parse(after, doc.From)
	if err != nil || len(now.Sections) != len(doc.Sections) {
		return nil, false
	}
	for _, s := range doc.Sections {
		if !slices.ContainsFunc(now.Sections, func(x markdown.Section) bool { return x.Name == s.Name && now.Text(x) == doc.Text(s) }) {
			return nil, false
		}
	}
	return after, true
}

// supersede offers a new decision or fact in the place of this one: a new file that names it, and its status superseded.
func (j job) supersede(p place) (codeAction, bool) {
	r := j.parsed(p.document)
	if !j.client.create || !r.Writable || record.Gone(r.Status) || r.Kind != record.Decision && r.Kind != record.Fact {
		return codeAction{}, false
	}
	date := record.Stamp(now())
	title, file := r.Title+", revised", ""
	var src []byte
	var err error
	old := []frontmatter.Set{{Key: "status", Value: "superseded"}}
	if r.Kind == record.Decision {
		file = path.Join(path.Dir(p.record), record.Slug(title)+".md")
		var u record.Updated
		u, err = record.Edit(nil, r.Kind, []frontmatter.Set{
			{Key: "title", Value: title}, {Key: "status", Value: "accepted"}, {Key: "date", Value: date[:len("2006-01-02")]},
			{Key: "supersedes", Value: []string{r.ID}}, {Key: "created", Value: date},
		}, []markdown.Change{
			{Section: markdown.Known{Name: "Context and Problem Statement"}, Text: "What changed since " + r.ID + "?"},
			{Section: markdown.Known{Name: "Decision Outcome"}, Text: "What do we do now?"},
		})
		src = u.Out
	} else {
		content := "Instead of “" + r.Title + "”: what holds now?"
		id := record.HexID(record.IDPrefix(r.Kind), content, nil)
		file = record.HexFile(r.Kind, id, content, r.Scope)
		sets := []frontmatter.Set{{Key: "id", Value: id}}
		for _, key := range []string{"level", "domain", "module"} {
			if v := r.FrontMatter[key]; v != nil {
				sets = append(sets, frontmatter.Set{Key: key, Value: v})
			}
		}
		sets = append(sets, frontmatter.Set{Key: "status", Value: "active"}, frontmatter.Set{Key: "created", Value: date})
		src, _, err = record.Compose(r.Kind, sets, content)
		old = append(old, frontmatter.Set{Key: "superseded_by", Value: id})
	}
	if err != nil || j.app.Index.Taken(file) {
		return codeAction{}, false
	}
	u, err := record.Edit(p.src, r.Kind, old, nil)
	if err != nil {
		return codeAction{}, false
	}
	made := uriOf(filepath.Join(j.root, ".sdd", filepath.FromSlash(file)))
	steps := []any{
		map[string]any{"kind": "create", "uri": made, "options": map[string]any{"overwrite": false}},
		map[string]any{"textDocument": map[string]any{"uri": made, "version": nil}, "edits": []textEdit{{Text: string(src)}}},
		map[string]any{"textDocument": map[string]any{"uri": p.uri, "version": p.version}, "edits": []textEdit{p.until(u.Out)}},
	}
	return codeAction{"Supersede with a new " + string(r.Kind), "refactor", &workspaceEdit{Steps: steps}}, true
}

type textEdit struct {
	Range span   `json:"range"`
	Text  string `json:"newText"`
}

// workspaceEdit changes documents in the editor, which saves them when the user does.
type workspaceEdit struct {
	Changes map[string][]textEdit `json:"changes,omitempty"`
	Steps   []any                 `json:"documentChanges,omitempty"` // with the creation of files
}

// until returns the edit that makes the text another one: it replaces the lines between those that both begin and end with.
func (t *text) until(after []byte) textEdit {
	start := 0
	for start < len(t.src) && start < len(after) && t.src[start] == after[start] {
		start++
	}
	start = bytes.LastIndexByte(t.src[:start], '\n') + 1
	same := 0
	for same < len(t.src)-start && same < len(after)-start && t.src[len(t.src)-1-same] == after[len(after)-1-same] {
		same++
	}
	for same > 0 && !utf8.RuneStart(t.src[len(t.src)-same]) || same > 0 && t.src[len(t.src)-same] == '\n' &&
		len(t.src)-same > 0 && t.src[len(t.src)-same-1] == '\r' {
		same--
	}
	return textEdit{t.span(start, len(t.src)-same), string(after[start : len(after)-same])}
}

// renamed returns the record that a rename at the cursor is about: what the name there means, or the record itself at its title.
func (j job) renamed(p place) (e *index.Entry, at span) {
	if p.record != "" {
		if n, ok := nameAt(p.src, p.offset); ok {
			if t := j.target(p.record, n); t.record != nil {
				return t.record, p.span(n.start, n.end)
			}
		}
		if start, end, ok := titleIn(p.src); ok && start <= p.offset && p.offset <= end {
			if e := j.atPath(p.record); e != nil {
				return e, p.span(start, end)
			}
		}
	}
	fault.Check(failed(codeFailed, "a record's title, or a name of a record, can be renamed"))
	return nil, span{}
}

func (j job) prepareRename(p place, _ params) any {
	e, at := j.renamed(p)
	return map[string]any{"range": at, "placeholder": e.Title}
}

// rename changes the title of a record, and with an id that follows from the title every name of the record that has the id.
func (j job) rename(p place, q params) *workspaceEdit {
	e, _ := j.renamed(p)
	title := record.OneLine(q.Name)
	cfg, _ := j.app.Store.Config() // its defaults without a valid file
	if err := record.CheckLine("title", title, cfg.Limits.Title); err != nil || title == "" {
		fault.Check(failed(codeInvalidParams, "the title must be one line of text, at most %d characters", cfg.Limits.Title))
	}
	t := j.readRecord(e)
	if t == nil {
		fault.Check(fault.New(fault.NotFound, "the file of %s is gone", e.ID))
	}
	after := withTitle(e.Kind, t.src, title)
	was := record.Parse(e.Path, t.src, record.Defaults{Project: j.app.Store.Project()})
	now := record.Parse(e.Path, after, record.Defaults{Project: j.app.Store.Project()})
	if was.ID != now.ID {
		for _, other := range j.app.Index.Lookup(index.Ref{ID: now.ID}) {
			if other.ID == now.ID && other.Path != e.Path {
				fault.Check(failed(codeFailed, "%s is another record, in %s", now.ID, other.File))
			}
		}
	}
	own, at := []byte(nil), 0
	for _, n := range namesIn(after) {
		if to := j.target(e.Path, n); to.record == nil || to.record.Path != e.Path {
			continue
		}
		if text, ok := newName(n, was, now); ok && n.start >= at {
			own = append(append(own, after[at:n.start]...), text...)
			at = n.end
		}
	}
	own = append(own, after[at:]...)
	out := &workspaceEdit{Changes: map[string][]textEdit{j.uri(e): {t.until(own)}}}
	j.naming(e, func(from *index.Entry, t *text, n name) {
		if new, ok := newName(n, was, now); ok && from.Path != e.Path {
			uri := j.uri(from)
			out.Changes[uri] = append(out.Changes[uri], textEdit{t.span(n.start, n.end), new})
		}
	})
	return out
}

// newName returns the name of a renamed record in the form of an old one; ok is false when the old one still holds.
func newName(n name, was, now record.Record) (string, bool) {
	if n.by == byLink && !strings.HasPrefix(n.text, scheme) {
		return "", false // a file
	}
	folder, base := path.Split(n.text)
	fragment := ""
	if i := strings.IndexByte(base, '#'); i >= 0 {
		base, fragment = base[:i], base[i:]
	}
	slug, project, _ := strings.Cut(base, "@")
	switch {
	case strings.HasSuffix(base, ".md"), was.ID == now.ID && !strings.EqualFold(n.text, was.Title):
		return "", false
	case strings.EqualFold(n.text, was.Title), folder == "" && was.ID != now.ID && !strings.EqualFold(slug, was.Slug):
		return now.ID, true // a title may need quotes, an id does not
	case strings.EqualFold(slug, was.Slug):
		if project != "" {
			project = "@" + project
		}
		return folder + now.Slug + project + fragment, true
	}
	return "", false
}

// withTitle returns a record with another title, in its front matter and in the heading of level 1 that repeats it.
func withTitle(kind record.Kind, src []byte, title string) []byte {
	start, end, ok := titleIn(src)
	if !ok {
		fault.Check(failed(codeFailed, "the title of this record is the first line of its text: edit the text"))
	}
	fm, _ := frontmatter.Parse(src)
	if old := fm.String("title"); old != "" {
		src = fault.Must(record.Edit(src, kind, []frontmatter.Set{{Key: "title", Value: title}}, nil)).Out
		fm, _ = frontmatter.Parse(src)
		if start, end, ok = headingIn(src, fm.Body, old); !ok {
			return src
		}
	}
	return slices.Concat(src[:start], []byte(title), src[end:])
}
