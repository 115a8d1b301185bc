package codesearch

import (
	"context"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"sdd/internal/codesearch/grep"
	"sdd/internal/codesearch/rag"
)

// A semantic index is older than the files: a place is valid if the checkout has it with that text. The answer has the file's own.

// slack is how many lines a text may be away from the named place: some servers count from 0.
const slack = 1

type validator struct {
	tree  *grep.Tree
	root  string
	query string
	holds func(file string) bool
	files map[string]*grep.File // nil for a file that cannot be searched

	valid     []Snippet
	stale     int
	unchecked int // places for which there was no time
}

// take checks the places of an answer, until ctx ends. Two of the same place count once.
func (v *validator) take(ctx context.Context, a rag.Answer) {
	for i, s := range a.Snippets {
		got, ok := v.place(ctx, s)
		if ctx.Err() != nil {
			v.unchecked = len(a.Snippets) - i
			return
		}
		switch {
		case !ok:
			v.stale++
		case !v.holds(got.Path):
			// the query names other paths
		case slices.ContainsFunc(v.valid, got.meets):
			v.widen(ctx, got)
		default:
			v.valid = append(v.valid, got)
		}
	}
}

// widen lets a snippet that overlaps another one add to it, as long as it can be shown whole.
func (v *validator) widen(ctx context.Context, s Snippet) {
	i := slices.IndexFunc(v.valid, s.meets)
	old := v.valid[i]
	start, end := min(old.StartLine, s.StartLine), max(old.EndLine, s.EndLine)
	f := v.file(s.Path)
	if a, b := f.Best(ctx, v.query, start, end); a != start || b != end {
		return
	}
	v.valid[i] = snippetOf(f, start, end)
	if slices.ContainsFunc(v.valid[i+1:], v.valid[i].meets) { // none before it meets s
		v.valid[i] = old
	}
}

func snippetOf(f *grep.File, start, end int) Snippet {
	return Snippet{Path: f.Path, StartLine: start, EndLine: end, Text: f.Text(start, end), Source: sourceRAG}
}

func (v *validator) place(ctx context.Context, s rag.Snippet) (Snippet, bool) {
	p, ok := v.inside(s.Path)
	if !ok || v.file(p) == nil {
		return Snippet{}, false
	}
	f := v.file(p)
	start, end := s.Start, s.End
	switch {
	case start == 0 && s.Text != "":
		start, end, ok = f.Find(ctx, s.Text, 1, -1)
	case start == 0 && end == 0 && s.Symbol != "":
		start, end, ok = f.Symbol(s.Symbol)
	case start == 0 && end == 0:
		start, end = 1, f.Lines()
	case start == 0:
		start = 1 // counted from 0
	}
	if !ok || start < 1 || end < start || end > f.Lines() {
		return Snippet{}, false
	}
	if s.Text != "" && !covers(s.Text, f.Text(start, end)) {
		if start, end, ok = f.Find(ctx, s.Text, start, slack); !ok {
			return Snippet{}, false
		}
	}
	if start == end {
		start, end = f.Around(start)
	}
	start, end = f.Best(ctx, v.query, start, end)
	return snippetOf(f, start, end), true
}

// covers reports whether text and lines are equal but for blanks, or one contains the other: servers cut long texts.
func covers(text, lines string) bool {
	a, b := squeeze(strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(text), "..."), "…")), squeeze(lines)
	return a != "" && (strings.Contains(b, a) || strings.Contains(a, b) && b != "" && len(a) < len(b)+len(b)/2)
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// inside returns the path relative to the root, with slashes. ok is false for files outside and for the private files of git and sdd.
func (v *validator) inside(p string) (string, bool) {
	p = strings.TrimSpace(p)
	if rest, ok := strings.CutPrefix(p, "file://"); ok {
		if u, err := url.PathUnescape(rest); err == nil {
			p = u
		}
	}
	if p == "" || strings.ContainsRune(p, 0) {
		return "", false
	}
	if filepath.IsAbs(p) {
		p, _ = relative(v.root, p) // "" leads nowhere
	}
	p = path.Clean(strings.ReplaceAll(p, `\`, "/"))
	if !filepath.IsLocal(filepath.FromSlash(p)) || p == "." || private(p) {
		return "", false
	}
	if v.file(p) == nil {
		// The path may begin with the folder of the project.
		if rest, ok := strings.CutPrefix(p, filepath.Base(v.root)+"/"); ok && v.file(rest) != nil {
			p = rest
		}
	}
	// Links are resolved: each file has one path, and no link leads to a private file.
	if real, ok := relative(v.root, filepath.Join(v.root, filepath.FromSlash(p))); ok && real != p {
		p = real
	}
	return p, !private(p)
}

// private reports whether a path leads to the private files of git and sdd.
func private(p string) bool {
	p = strings.ToLower(p)
	return slices.Contains(strings.Split(p, "/"), ".git") || p == ".sdd/.local" || strings.HasPrefix(p, ".sdd/.local/")
}

// relative returns abs below root, also where one of them is written with symbolic links; without links where it can.
func relative(root, abs string) (string, bool) {
	for _, a := range []string{resolved(abs), abs} {
		for _, r := range []string{resolved(root), root} {
			if rel, err := filepath.Rel(r, a); err == nil && filepath.IsLocal(rel) {
				return filepath.ToSlash(rel), true
			}
		}
	}
	return "", false
}

func resolved(p string) string {
	if r, err := filepath.EvalSymlinks(p); err == nil {
		return r
	}
	return p
}

// file returns the file at p, nil when it cannot be searched.
func (v *validator) file(p string) *grep.File {
	f, known := v.files[p]
	if !known {
		if src, err := v.tree.Read(p); err == nil {
			f = grep.NewFile(p, src)
		}
		v.files[p] = f
	}
	return f
}

// given reads the snippets of the caller. It reads a text without a path as a tool's answer.
func given(list []Given) (rag.Answer, []string) {
	var a rag.Answer
	var risks []string
	for _, g := range list {
		if g.Path != "" {
			a.Snippets = append(a.Snippets, rag.Snippet{Path: g.Path, Start: g.StartLine, End: max(g.EndLine, g.StartLine), Text: g.Text})
			continue
		}
		more, err := rag.Parse(g.Text)
		if err != nil {
			risks = append(risks, "a snippet that was handed in tells a failure: "+err.Error())
			continue
		}
		a.Snippets = append(a.Snippets, more.Snippets...)
		a.Loose = append(a.Loose, more.Loose...)
	}
	return a, risks
}
