package history

import (
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"

	"sdd/internal/git"
	"sdd/internal/markdown"
	"sdd/internal/pattern"
	"sdd/internal/store"
)

// DeadName is a place in a record that names a file or folder which the branch deletes or renames.
type DeadName struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	File  string `json:"file"`
	Line  int    `json:"line"`
	Path  string `json:"path"`       // relative to the top of the work tree
	Now   string `json:"renamed_to"` // "" when it was deleted
	Text  string `json:"text"`       // as the record has it
}

// gonePaths are the files and folders that the branch deletes or renames, with their new names, "" for none.
type gonePaths map[string]string

// deadNames adds the names of deleted or renamed files in the code spans, links and keys of a record in folder dir, except
// the texts that are anchors.
func (h *history) deadNames(p *PullRequest, v *version, dir string, gone gonePaths, anchored map[string]bool) {
	for _, n := range v.names() {
		if !n.Link && anchored[n.Text] {
			continue
		}
		for _, at := range pathsOf(n, dir, strings.TrimSuffix(p.base, "/")) {
			if now, ok := gone[at]; ok {
				d := DeadName{v.rec.ID, v.rec.Title, store.Folder + "/" + v.path, n.Line, at, now, n.Text}
				if !slices.ContainsFunc(p.Dead, func(o DeadName) bool { return o.File == d.File && o.Line == d.Line && o.Path == d.Path }) {
					p.Dead = append(p.Dead, d)
				}
				break
			}
		}
	}
}

// escaped is a path as a link has it.
func escaped(p string) string { return (&url.URL{Path: p}).EscapedPath() }

// gone lists the deleted and renamed files, and the folders without files left.
func (h *history) gone(head string, changes []git.Change) (gonePaths, error) {
	gone := gonePaths{}
	for _, c := range changes {
		switch c.Status {
		case git.Deleted:
			gone[c.Path] = ""
		case git.Renamed:
			gone[c.From] = c.Path
		}
	}
	if len(gone) == 0 {
		return nil, nil
	}
	folders, err := h.repo.Folders(h.ctx, head)
	if err != nil {
		return nil, err
	}
	there := map[string]bool{}
	for _, f := range folders {
		there[f] = true
	}
	for _, g := range slices.Collect(maps.Keys(gone)) {
		for dir := path.Dir(g); dir != "." && !there[dir]; dir = path.Dir(dir) {
			if _, ok := gone[dir]; !ok {
				gone[dir] = ""
			}
		}
	}
	return gone, nil
}

var lineSuffix = pattern.Late(`(?::\d+(?:[-:]\d+)*|::.*)$`)

// namedText is a text in a record that may name a file: the destination of a link, or a code span.
type namedText struct {
	Line int
	Text string
	Link bool
}

// names lists the texts that may name a file: code spans and links outside of code blocks, and the keys that name code.
func (v *version) names() (all []namedText) {
	h := headOf(v.src)
	for _, k := range h.keys {
		if k.Name != "code_ref" && k.Name != "source" {
			continue
		}
		values, _ := v.rec.FrontMatter[k.Name].([]any)
		if values == nil {
			values = []any{v.rec.FrontMatter[k.Name]}
		}
		for _, value := range values {
			if s, ok := value.(string); ok {
				all = append(all, namedText{Line: k.Line, Text: s})
			}
		}
	}
	for _, l := range markdown.Links(v.src, len(h.block)) {
		all = append(all, namedText{l.Line, l.Plain(), true})
	}
	for _, s := range markdown.CodeSpans(v.src, len(h.block)) {
		all = append(all, namedText{s.Line, s.Raw, false})
		if words := strings.Fields(s.Raw); len(words) > 1 {
			for _, w := range words {
				all = append(all, namedText{Line: s.Line, Text: w})
			}
		}
	}
	return all
}

// pathsOf are the possible meanings of a name as a path from the top of the work tree, in a record in folder dir of the store at root.
func pathsOf(n namedText, dir, root string) []string {
	s := strings.TrimSpace(n.Text)
	if strings.Contains(s, "://") || s == "" {
		return nil
	}
	if n.Link {
		s, _, _ = strings.Cut(s, "?")
		if d, err := url.PathUnescape(s); err == nil {
			s = d
		}
	}
	s, _, _ = strings.Cut(s, "#")
	s = strings.TrimRight(lineSuffix().ReplaceAllString(s, ""), "/,;")
	s = strings.ReplaceAll(s, `\`, "/")
	if s == "" || s == "." {
		return nil
	}
	fromTop := strings.TrimPrefix(path.Clean("/"+s), "/")
	all := []string{fromTop}
	if !strings.HasPrefix(s, "/") {
		all = append(all, path.Join(root, s), path.Join(dir, s))
	}
	return all
}
