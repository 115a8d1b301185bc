package git

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"sdd/internal/fault"
)

// Revision is a commit with its message and the files that it changed.
type Revision struct {
	ID       string
	Parents  []string
	Date     string   // RFC 3339, of the author
	Message  string   // whole, UTF-8 where it names its encoding
	Files    []Change // for a merge against its first parent; files that only moved are renamed; none for a boundary
	Boundary bool     // a shallow clone ends here, so the commit's changes are unknown
}

// Revisions returns the newest commits that revs name in git's syntax, at most limit, children before parents. It skips unknown ids.
func (r *Repo) Revisions(ctx context.Context, limit int, revs ...string) (all []Revision, err error) {
	args := []string{"--name-status", "--topo-order", "-M100%", "--diff-merges=first-parent", "--ignore-missing",
		"--max-count=" + strconv.Itoa(limit)}
	boundary := r.boundary()
	err = r.Log(ctx, []string{"%H", "%P", "%aI", "%B"}, append(append(args, revs...), "--"), func(w []string) {
		all = append(all, Revision{ID: w[0], Parents: strings.Fields(w[1]), Date: w[2], Message: w[3], Boundary: boundary[w[0]]})
	}, func(f []string) ([]string, bool) {
		c, rest, ok := parseChange(f)
		if last := &all[len(all)-1]; ok && !last.Boundary {
			last.Files = append(last.Files, c)
		}
		return rest, ok && c.Path != ""
	})
	return all, err
}

// boundary returns the commits whose parents a shallow clone does not have.
func (r *Repo) boundary() map[string]bool {
	text, err := os.ReadFile(filepath.Join(r.Common, "shallow"))
	if err != nil {
		return nil
	}
	ids := map[string]bool{}
	for _, id := range strings.Fields(string(text)) {
		ids[id] = true
	}
	return ids
}

// Lines are the lines that a commit changed in a file.
type Lines struct {
	Commit, Path   string // the commit is "" for changes that are not committed
	Added, Removed []string
}

// ChangedLines returns the lines that commits (full ids) changed in wanted files, merges against their first parent; unknown ones none.
func (r *Repo) ChangedLines(ctx context.Context, wanted func(path string) bool, commits ...string) ([]Lines, error) {
	args := append([]string{"log", "--no-walk=unsorted", "--stdin", "--diff-merges=first-parent", "--no-notes", "--format=%x01%H"},
		patchForm...)
	var all []Lines
	for len(commits) > 0 {
		p := &patchReader{wanted: wanted}
		err := pipe(ctx, r.Top, strings.Join(commits, "\n")+"\n", args, p.line)
		if all = append(all, p.all...); err == nil {
			break
		}
		if ctx.Err() != nil || fault.Is(err, fault.Unavailable) {
			return nil, err
		}
		commits = commits[max(0, slices.Index(commits, p.commit))+1:] // git stopped at that one
	}
	return all, nil
}

var patchForm = []string{"-p", "-U0", "-M", "--no-color", "--no-ext-diff", "--no-textconv",
	"--src-prefix=a/", "--dst-prefix=b/"}

// UncommittedLines is ChangedLines for what is staged, or for everything on disk that is not committed, untracked files included.
func (r *Repo) UncommittedLines(ctx context.Context, wanted func(path string) bool, staged bool) (all []Lines, err error) {
	defer fault.Caught(&err)
	base := fault.Must(r.treeish(ctx, fault.Must(r.Head(ctx))))
	args := append([]string{"diff"}, patchForm...)
	if staged {
		args = append(args, "--cached")
	}
	p := &patchReader{wanted: wanted}
	if err := pipe(ctx, r.Top, "", append(args, base, "--"), p.line); err != nil || staged {
		return p.all, err
	}
	all = p.all
	deltas, err := r.withUntracked(ctx, nil, nil)
	for _, d := range deltas {
		info, e := os.Lstat(filepath.Join(r.Top, filepath.FromSlash(d.Path)))
		if e != nil || !info.Mode().IsRegular() || info.Size() > maxUntracked || !wanted(d.Path) {
			continue
		}
		src, e := os.ReadFile(filepath.Join(r.Top, filepath.FromSlash(d.Path)))
		if e == nil && bytes.IndexByte(src, 0) < 0 {
			now := Lines{Path: d.Path}
			for l := range strings.Lines(string(src)) {
				now.Added = append(now.Added, strings.TrimRight(l, "\r\n"))
			}
			all = append(all, now)
		}
	}
	return all, err
}

const maxUntracked = 1 << 20

// patchReader reads patches without context, line by line.
type patchReader struct {
	wanted       func(path string) bool
	all          []Lines
	commit, path string
	now          *Lines
	header       bool // in a file's header, in which "--- x" is a name and not a removed line
}

const longestLine = 4096 // bytes to read of a changed line

func (p *patchReader) line(l []byte) {
	if p.now == nil && !p.header && (len(l) == 0 || l[0] != 1 && l[0] != 'd') {
		return
	}
	text := strings.TrimRight(string(l[:min(len(l), longestLine)]), "\r\n")
	switch {
	case strings.HasPrefix(text, "\x01"):
		p.commit, p.now, p.header = text[1:], nil, false
	case strings.HasPrefix(text, "diff --git "):
		p.now, p.path, p.header = nil, "", true
	case p.header && strings.HasPrefix(text, "--- "):
		p.path = patchPath(text[4:])
	case p.header && strings.HasPrefix(text, "+++ "):
		if name := patchPath(text[4:]); name != "" {
			p.path = name
		}
		p.header = false
		if p.wanted(p.path) {
			p.all = append(p.all, Lines{Commit: p.commit, Path: p.path})
			p.now = &p.all[len(p.all)-1]
		}
	case p.now == nil:
	case strings.HasPrefix(text, "+"):
		p.now.Added = append(p.now.Added, text[1:])
	case strings.HasPrefix(text, "-"):
		p.now.Removed = append(p.now.Removed, text[1:])
	}
}

// patchPath returns the path in a patch's header, "" for no file.
func patchPath(s string) string {
	s = strings.TrimSuffix(s, "\t")
	if as, err := strconv.Unquote(s); err == nil && s[0] == '"' { // git quotes as C does
		s = as
	}
	if s == "/dev/null" {
		return ""
	}
	_, path, _ := strings.Cut(s, "/")
	return path
}
