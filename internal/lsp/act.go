package lsp

import (
	"bytes"
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sdd/internal/anchor"
	"sdd/internal/check"
	"sdd/internal/frontmatter"
	"sdd/internal/markdown"
	"sdd/internal/record"
)

// codeAction is a change that the editor offers.
type codeAction struct {
	Title string         `json:"title"`
	Kind  string         `json:"kind"`
	Edit  *workspaceEdit `json:"edit"`
}

var now = time.Now // tests set it

// actions offers what corrects or settles a record. Each is a change of the open text; the user saves it.
func (j job) actions(p place, q params) ([]codeAction, error) {
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
	return all, nil
}

// anchorActions offers to affirm the places of a record and to take the new places of those that moved: of the one at the cursor,
// else of all.
func (j job) anchorActions(p place, add func(title, kind string, after []byte)) {
	front := j.parsed(p.document).FrontMatter
	doc := record.Open(p.src)
	verdicts := j.app.Tree.Judge(j, anchor.OfDoc(doc, front))
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
		if after, done, err := j.app.Tree.Affirm(kind, doc, front, some, moved); err == nil && len(done) > 0 {
			add(title, "quickfix", after.Src)
		}
	}
	var old, moved []anchor.Verdict
	for _, v := range verdicts {
		switch v.State {
		case anchor.Moved:
			moved = append(moved, v)
		case anchor.Drifted, anchor.Unpinned:
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

// ordered returns a record with its known sections in the order of its kind. A section that the kind does not know stays behind the
// one before it. ok is false when the sections are in order, or the result would not read as the same sections.
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
	texts := make([][]byte, len(parts))
	for i := range parts {
		texts[i] = parts[i].text
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
