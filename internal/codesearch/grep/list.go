package grep

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sdd/internal/git"
)

// position is the place of the root in a git work tree.
type position struct {
	top, own, common string // the work tree's top, git's folder for it, and that for all work trees
	ok               bool   // the root is in a work tree
}

func (t *Tree) position() position {
	top, own, common, ok := git.Top(t.dir)
	return position{top, own, common, ok}
}

// listed is git's list of files.
type listed struct {
	paths []string // nil without git
	all   bool     // the list has all files that are not ignored; else only the tracked files
}

// fromGit asks git for the files that are tracked, or for all that are not ignored.
func (t *Tree) fromGit(ctx context.Context, all bool, where places) (listed, error) {
	args := []string{"ls-files", "-z", "--cached"}
	if all {
		args = append(args, "--others", "--exclude-standard")
	}
	raw, err := git.Run(ctx, t.dir, args...)
	if ctx.Err() != nil {
		return listed{}, ctx.Err()
	}
	if err != nil {
		return listed{}, nil // no git command, or a repository that it will not touch
	}
	out := []string{}
	for p := range strings.SplitSeq(string(raw), "\x00") {
		if p == "" {
			continue
		}
		if dir, ok := strings.CutSuffix(p, "/"); ok { // a repository inside, not a submodule
			more, err := t.walk(ctx, dir, nil, where)
			if err != nil {
				return listed{}, err
			}
			out = append(out, more...)
			continue
		}
		out = append(out, p)
	}
	if all {
		out, err = t.submodules(ctx, out, where)
	}
	return listed{out, all}, err
}

// submodules replaces entries that are folders by the files in them. Only a work tree with submodules has
// such entries.
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

// outer returns the rules for the whole tree: those of the user and of the repository's git folder, and for a root
// below the top of the work tree the ignore files above it.
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

// shifted converts rules of the work tree to rules for a root at the path above in it.
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

// globalIgnore returns the default path of the user's own ignore file.
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
		return nil, nil // the folder is gone or not readable
	}
	names, folders, _ := look(d, job{dir: dir, stack: stack}, where)
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

// look returns the names of the files in a folder that are not ignored, the folders in it to search (without vendored ones
// that the query does not name), and whether a rule ignored something. A nested repository has only its own rules.
func look(d dir, j job, where places) (names []string, folders []job, ignores bool) {
	list, _ := d.entries() // use the entries before an error
	if j.dir != "" && slices.ContainsFunc(list, func(e entry) bool { return e.name == ".git" }) {
		j.stack = nil
	}
	for _, e := range list {
		if e.name == ignoreFile && !e.folder {
			var buf []byte
			if src := d.read(e.name, true, &buf); src != nil {
				j.stack = append(slices.Clip(j.stack), parseRules(j.dir, src))
			}
		}
	}
	for _, e := range list {
		p := e.name
		if e.folder || len(j.stack) > 0 {
			p = inside(j.dir, e.name)
		}
		switch {
		case e.folder && (e.name == ".git" || vendored()[e.name] && !where.named(p) || !where.mayContain(p)):
		case ignoredBy(j.stack, p, e.folder):
			ignores = true
		case e.folder:
			folders = append(folders, job{dir: p, stack: j.stack})
		default:
			names = append(names, e.name)
		}
	}
	return names, folders, ignores
}

const ignoreFile = ".gitignore"

// inside returns the path of a name in a folder, "" for the top.
func inside(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}
