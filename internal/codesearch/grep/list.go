package grep

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sdd/internal/git"
)

// position says where the root lies in a git work tree.
type position struct {
	top, common string // the work tree's top, git's folder
	ok          bool   // it lies in one
}

func (t *Tree) position() position {
	top, _, common, ok := git.Top(t.dir)
	return position{top, common, ok}
}

// fromGit asks git; nil without an error means that git cannot say.
func (t *Tree) fromGit(ctx context.Context, at position, where places) ([]string, error) {
	if !at.ok {
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
func (t *Tree) outer(at position) []rules {
	var stack []rules
	if file := globalIgnore(); file != "" {
		if src, err := os.ReadFile(file); err == nil {
			stack = append(stack, parseRules("", src))
		}
	}
	if !at.ok {
		return stack
	}
	rel, err := filepath.Rel(at.top, t.dir)
	if err != nil {
		return stack
	}
	above := filepath.ToSlash(rel)
	add := func(file, dir string) {
		if src, err := os.ReadFile(file); err == nil {
			stack = append(stack, shifted(parseRules(dir, src), above))
		}
	}
	add(filepath.Join(at.common, "info", "exclude"), "")
	if above == "." {
		return stack
	}
	add(filepath.Join(at.top, ".gitignore"), "")
	for _, dir := range parents(above) {
		add(filepath.Join(at.top, filepath.FromSlash(dir), ".gitignore"), dir)
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

// walk lists the files under dir by the ignore files in it and the rules of stack.
func (t *Tree) walk(ctx context.Context, dir string, stack []rules, where places) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	d, err := t.openDir(dir)
	if err != nil {
		return nil, nil // gone or not readable: there is nothing to find in it
	}
	names, folders := look(d, job{dir: dir, stack: stack}, where)
	d.Close()
	var out []string
	for _, name := range names {
		out = append(out, inside(dir, name))
	}
	for _, f := range folders {
		more, err := t.walk(ctx, f.dir, f.stack, where)
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	return out, nil
}

// look returns the names of the files in a folder that are not ignored, and the folders in it that are worth a look:
// not vendored ones that the query does not name.
func look(d dir, j job, where places) (names []string, folders []job) {
	list, _ := d.entries() // what could be read
	for _, e := range list {
		if e.name == ignoreFile && !e.folder {
			var buf []byte
			if src := d.read(e.name, true, &buf); src != nil {
				j.stack = append(slices.Clip(j.stack), parseRules(j.dir, src))
			}
		}
	}
	for _, e := range list {
		if !e.folder {
			if len(j.stack) == 0 || !ignoredBy(j.stack, inside(j.dir, e.name), false) {
				names = append(names, e.name)
			}
			continue
		}
		p := inside(j.dir, e.name)
		if e.name == ".git" || vendored()[e.name] && !where.named(p) || !where.reach(p) || ignoredBy(j.stack, p, true) {
			continue
		}
		folders = append(folders, job{dir: p, stack: j.stack})
	}
	return names, folders
}

const ignoreFile = ".gitignore"

// inside is the path of a name in a folder, "" the top.
func inside(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}
