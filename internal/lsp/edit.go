package lsp

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/index"
	"sdd/internal/record"
)

// textEdit replaces a range of a document.
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
	if i := bytes.LastIndexByte(t.src[:start], '\n'); i >= 0 {
		start = i + 1
	} else {
		start = 0
	}
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
func (j job) renamed(p place) (e *index.Entry, at span, err error) {
	if p.record != "" {
		if n, ok := nameAt(p.src, p.offset); ok {
			if t := j.target(p.record, n); t.record != nil {
				return t.record, p.span(n.start, n.end), nil
			}
		}
		if start, end, ok := titleIn(p.src); ok && start <= p.offset && p.offset <= end {
			if e := j.atPath(p.record); e != nil {
				return e, p.span(start, end), nil
			}
		}
	}
	return nil, span{}, failed(codeFailed, "a record's title, or a name of a record, can be renamed")
}

// prepareRename returns the range and the title to change.
func (j job) prepareRename(p place, _ params) (any, error) {
	e, at, err := j.renamed(p)
	if err != nil {
		return nil, err
	}
	return map[string]any{"range": at, "placeholder": e.Title}, nil
}

// rename changes the title of a record. The id of an exploration or decision follows from its title, so the rename also changes every
// name of the record that contains the id; hash ids and files keep their names. It refuses a title that another record has.
func (j job) rename(p place, q params) (*workspaceEdit, error) {
	e, _, err := j.renamed(p)
	if err != nil {
		return nil, err
	}
	title := record.OneLine(q.Name)
	cfg, _ := j.app.Store.Config() // its defaults without a valid file
	if err := record.CheckLine("title", title, cfg.Limits.Title); err != nil || title == "" {
		return nil, failed(codeInvalidParams, "the title must be one line of text, at most %d characters", cfg.Limits.Title)
	}
	t := j.readRecord(e)
	if t == nil {
		return nil, fault.New(fault.NotFound, "the file of %s is gone", e.ID)
	}
	after, err := withTitle(e.Kind, t.src, title)
	if err != nil {
		return nil, err
	}
	was := record.Parse(e.Path, t.src, record.Defaults{Project: j.app.Store.Project()})
	now := record.Parse(e.Path, after, record.Defaults{Project: j.app.Store.Project()})
	if was.ID != now.ID {
		for _, other := range j.app.Index.Lookup(index.Ref{ID: now.ID}) {
			if other.ID == now.ID && other.Path != e.Path {
				return nil, failed(codeFailed, "%s is another record, in %s", now.ID, other.File)
			}
		}
	}
	out := &workspaceEdit{Changes: map[string][]textEdit{}}
	own := renamedIn(after, func(n name) (string, bool) {
		to := j.target(e.Path, n)
		if to.record == nil || to.record.Path != e.Path {
			return "", false
		}
		return newName(n, was, now)
	})
	out.Changes[j.uri(e)] = []textEdit{t.until(own)}
	err = j.naming(e, func(from *index.Entry, t *text, n name) {
		if new, ok := newName(n, was, now); ok && from.Path != e.Path {
			uri := j.uri(from)
			out.Changes[uri] = append(out.Changes[uri], textEdit{t.span(n.start, n.end), new})
		}
	})
	return out, err
}

// renamedIn returns a text with names replaced.
func renamedIn(src []byte, replace func(name) (string, bool)) []byte {
	var out []byte
	at := 0
	for _, n := range namesIn(src) {
		if text, ok := replace(n); ok && n.start >= at {
			out = append(append(out, src[at:n.start]...), text...)
			at = n.end
		}
	}
	return append(out, src[at:]...)
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
func withTitle(kind record.Kind, src []byte, title string) ([]byte, error) {
	start, end, ok := titleIn(src)
	if !ok {
		return nil, failed(codeFailed, "the title of this record is the first line of its text: edit the text")
	}
	if fm, err := frontmatter.Parse(src); err == nil && fm.String("title") != "" {
		u, err := record.Edit(src, kind, []frontmatter.Set{{Key: "title", Value: title}}, nil)
		if err != nil {
			return nil, err
		}
		src = u.Out
		after, err := frontmatter.Parse(src)
		if err != nil {
			return src, nil
		}
		if start, end, ok = headingIn(src, after.Body, fm.String("title")); !ok {
			return src, nil
		}
	}
	return slices.Concat(src[:start], []byte(title), src[end:]), nil
}
