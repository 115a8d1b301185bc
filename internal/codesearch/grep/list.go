package grep

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"

	"sdd/internal/git"
)

// job is a folder to search.
type job struct {
	dir   string   // "" the top
	files []string // the files to search; nil means all files, and the folders below
}

// listed returns the files below dir that git tracks and those that it does not ignore, also in the repositories inside; nil
// without the git command, and for a repository that it will not touch.
func (t *Tree) listed(ctx context.Context, dir string) []string {
	raw, err := git.Run(ctx, filepath.Join(t.dir, filepath.FromSlash(dir)), "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err != nil {
		return nil
	}
	out := []string{}
	submodules := bytes.Contains(raw, []byte(".gitmodules\x00"))
	for p := range strings.SplitSeq(string(raw), "\x00") {
		name, repository := strings.CutSuffix(p, "/")
		if name == "" || name == "." {
			continue
		}
		name = inside(dir, name)
		if submodules && !repository {
			st, err := t.root.Lstat(filepath.FromSlash(name))
			repository = err == nil && st.IsDir()
		}
		if repository {
			out = append(out, t.listed(ctx, name)...)
		} else {
			out = append(out, name)
		}
	}
	return out
}

// mayIgnore reports whether git may ignore files that no ignore file of the work tree names.
func mayIgnore(own, common string) bool {
	config := os.Getenv("XDG_CONFIG_HOME")
	if home, err := os.UserHomeDir(); err == nil && config == "" {
		config = filepath.Join(home, ".config")
	}
	for _, file := range []string{filepath.Join(common, "info", "exclude"), filepath.Join(config, "git", "ignore")} {
		src, _ := os.ReadFile(file) // mostly there is none
		for line := range strings.Lines(string(src)) {
			if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
				return true
			}
		}
	}
	return !git.PlainIgnores(own, common)
}

// look returns the names of the files in a folder to search, and the folders in it: without vendored ones that the query does
// not name.
func (c *crawl) look(d dir, in string) (names []string, folders []job) {
	where := c.where
	list, _ := d.entries() // use the entries before an error
	for _, e := range list {
		if e.name == ".gitignore" {
			c.ignores()
		}
		p := inside(in, e.name)
		switch {
		case e.folder && (e.name == ".git" || vendored()[e.name] && !where.named(p) || !where.mayContain(p)):
		case e.folder:
			folders = append(folders, job{dir: p})
		case where.includes(p) && !where.skippedName(p, e.name):
			names = append(names, e.name)
		}
	}
	return names, folders
}

// inside returns the path of a name in a folder, "" for the top.
func inside(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}
