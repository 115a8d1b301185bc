package grep

import (
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"sdd/internal/git"
)

// folder is a folder with the files in it that are searched, by their names.
type folder struct {
	dir   string // with slashes, "." the top
	files []string
}

// list returns the files that are neither ignored nor skipped, by folder, sorted. In a git work tree git says
// which those are, in one call; without git the ignore files are read here.
func (t *Tree) list(ctx context.Context, where places) ([]folder, error) {
	paths, err := t.fromGit(ctx, where)
	if err != nil {
		return nil, err
	}
	if paths == nil {
		if paths, err = t.walk(ctx, ".", t.outer(), where); err != nil {
			return nil, err
		}
	}
	slices.Sort(paths)
	paths = slices.Compact(paths) // a file in conflict stands there more than once
	byDir := map[string]int{}
	var out []folder
	for _, p := range paths {
		if !where.hold(p) || where.skipped(p) {
			continue
		}
		dir := path.Dir(p)
		i, ok := byDir[dir]
		if !ok {
			i = len(out)
			byDir[dir] = i
			out = append(out, folder{dir: dir})
		}
		out[i].files = append(out[i].files, base(p))
	}
	return out, nil
}

// fromGit asks git; nil without an error means that git cannot say.
func (t *Tree) fromGit(ctx context.Context, where places) ([]string, error) {
	if _, _, _, ok := git.Top(t.dir); !ok {
		return nil, nil
	}
	raw, err := git.Run(ctx, t.dir, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, nil // no git command, or a repository that it will not touch
	}
	out := []string{}
	for p := range strings.SplitSeq(string(raw), "\x00") {
		if p == "" {
			continue
		}
		if dir, ok := strings.CutSuffix(p, "/"); ok { // a repository inside, not a submodule
			more, err := t.walk(ctx, dir, nil, where)
			if err != nil {
				return nil, err
			}
			out = append(out, more...)
			continue
		}
		out = append(out, p)
	}
	return t.submodules(ctx, out, where)
}

// submodules replaces the entries that are folders by the files in them. Only a work tree that names
// submodules has any.
func (t *Tree) submodules(ctx context.Context, paths []string, where places) ([]string, error) {
	if !slices.Contains(paths, ".gitmodules") {
		return paths, nil
	}
	var out []string
	for _, p := range paths {
		st, err := t.root.Lstat(filepath.FromSlash(p))
		if err != nil || !st.IsDir() {
			out = append(out, p)
			continue
		}
		more, err := t.walk(ctx, p, nil, where)
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	return out, nil
}

// outer returns the rules that hold for the whole tree: those of the user and of the repository's git folder.
// A root below the top of the work tree is also bound by the ignore files above it.
func (t *Tree) outer() []rules {
	var stack []rules
	if file := globalIgnore(); file != "" {
		if src, err := os.ReadFile(file); err == nil {
			stack = append(stack, parseRules("", src))
		}
	}
	top, _, common, ok := git.Top(t.dir)
	if !ok {
		return stack
	}
	rel, err := filepath.Rel(top, t.dir)
	if err != nil {
		return stack
	}
	above := filepath.ToSlash(rel)
	add := func(file, dir string) {
		if src, err := os.ReadFile(file); err == nil {
			stack = append(stack, shifted(parseRules(dir, src), above))
		}
	}
	add(filepath.Join(common, "info", "exclude"), "")
	if above == "." {
		return stack
	}
	add(filepath.Join(top, ".gitignore"), "")
	for _, dir := range parents(above) {
		add(filepath.Join(top, filepath.FromSlash(dir), ".gitignore"), dir)
	}
	return stack
}

// shifted makes rules of the work tree hold for a root that lies at above in it.
func shifted(r rules, above string) rules {
	if above == "." {
		return r
	}
	prefix := above
	if r.dir != "" {
		prefix = strings.TrimPrefix(above, r.dir+"/")
	}
	return rules{dir: "", list: r.list, prefix: prefix + "/"}
}

// globalIgnore is the user's own ignore file where it is not configured elsewhere.
func globalIgnore() string {
	if dir := os.Getenv("XDG_CONFIG_HOME"); dir != "" {
		return filepath.Join(dir, "git", "ignore")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".config", "git", "ignore")
}

// walk lists the files under dir by the ignore files in it and the rules of stack. It does not go into vendored
// folders that the query does not name.
func (t *Tree) walk(ctx context.Context, dir string, stack []rules, where places) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f, err := t.root.Open(filepath.FromSlash(dir))
	if err != nil {
		return nil, nil // gone or not readable: there is nothing to find in it
	}
	entries, err := f.ReadDir(-1)
	f.Close()
	if err != nil && len(entries) == 0 {
		return nil, nil
	}
	at := dir
	if dir == "." {
		at = ""
	}
	if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == ".gitignore" && e.Type().IsRegular() }) {
		src, err := t.root.ReadFile(filepath.FromSlash(path.Join(dir, ".gitignore")))
		if err == nil {
			stack = append(slices.Clip(stack), parseRules(at, src))
		}
	}
	var out []string
	for _, e := range entries {
		p := path.Join(at, e.Name())
		switch {
		case e.IsDir():
			if e.Name() == ".git" || vendored[e.Name()] && !where.named(p) || ignoredBy(stack, p, true) {
				continue
			}
			more, err := t.walk(ctx, p, stack, where)
			if err != nil {
				return nil, err
			}
			out = append(out, more...)
		case e.Type().IsRegular():
			if !ignoredBy(stack, p, false) {
				out = append(out, p)
			}
		}
	}
	return out, nil
}
