package git

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sdd/internal/fault"
)

// Top returns the top of the work tree that contains dir (as written), its git folder, and the one that all work trees of the repository
// share. ok is false outside git, in a bare repository and within a git folder. It starts no process, because every start of the program
// waits for it, and ignores GIT_DIR and GIT_WORK_TREE, which git sets in a hook for the hook's repository.
func Top(dir string) (worktreeTop, gitDir, commonDir string, ok bool) {
	top, gitDir := find(dir)
	if top == "" {
		return "", "", "", false
	}
	return top, gitDir, shared(gitDir), true
}

// WithoutWorkTree returns an Unwritable fault if dir is in a bare repository or within a git folder, where no commit holds a file.
func WithoutWorkTree(dir string) error {
	top, gitDir := find(dir)
	if top != "" || gitDir == "" {
		return nil
	}
	if tree, _ := find(filepath.Dir(gitDir)); tree != "" && filepath.Base(gitDir) == ".git" {
		return fault.New(fault.Unwritable, "%q is in git's own folder, where no commit holds a file", dir).
			With(fmt.Sprintf("run sdd in the work tree %q, or name it with --dir", tree))
	}
	return fault.New(fault.Unwritable, "%q is in a bare repository, which has no work tree for files", dir).
		With("run sdd in a clone of it or in a work tree (git worktree add FOLDER), or name one with --dir")
}

// find returns top and git folder as Top does; without a top the git folder of a repository without a work tree at dir.
func find(dir string) (top, gitDir string) {
	given, err := filepath.Abs(dir)
	if err != nil {
		return "", ""
	}
	real := given
	if r, err := filepath.EvalSymlinks(given); err == nil {
		real = r
	}
	stops := ceilings()
	for at := real; ; {
		gitDir, found := dotGit(at)
		if found {
			// A .git file that leads nowhere makes no repository, as for git.
			if gitDir == "" || gitDir == shared(gitDir) && bare(gitDir) {
				return "", gitDir
			}
			return asWritten(given, real, at), gitDir
		}
		if isGitDir(at) {
			return "", at
		}
		parent := filepath.Dir(at)
		if parent == at || stops[parent] {
			return "", ""
		}
		at = parent
	}
}

// dotGit returns the git folder that at/.git is or names. gitDir is "" when it names none.
func dotGit(at string) (gitDir string, found bool) {
	path := filepath.Join(at, ".git")
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", false
	case info.IsDir():
		return path, isGitDir(path)
	case !info.Mode().IsRegular() || info.Size() > 1<<20:
		return "", false
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", true
	}
	to, ok := strings.CutPrefix(string(text), "gitdir: ")
	if !ok {
		return "", true
	}
	if to = within(at, strings.TrimRight(to, "\r\n")); !isGitDir(to) {
		return "", true
	}
	return filepath.Clean(to), true
}

// isGitDir reports whether path is a git folder, by git's own criteria.
func isGitDir(path string) bool {
	if _, err := os.Lstat(filepath.Join(path, "HEAD")); err != nil {
		return false
	}
	common := shared(path)
	for _, name := range []string{"objects", "refs"} {
		if info, err := os.Stat(filepath.Join(common, name)); err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

// shared returns the git folder that all work trees share.
func shared(gitDir string) string {
	text, err := os.ReadFile(filepath.Join(gitDir, "commondir"))
	if err != nil {
		return gitDir
	}
	return filepath.Clean(within(gitDir, strings.TrimRight(string(text), "\r\n")))
}

// bare reports whether the repository is configured to have no work tree of its own.
func bare(commonDir string) bool {
	is := false
	for _, s := range readSettings(filepath.Join(commonDir, "config")) {
		if s.section == "core" && s.key == "bare" {
			is = s.is("true", "yes", "on", "1")
		}
	}
	return is
}

// asWritten returns the parent of given that is the same folder as top, a parent of real; top if there is none.
func asWritten(given, real, top string) string {
	if given == real {
		return top
	}
	for at := given; ; at = filepath.Dir(at) {
		if r, err := filepath.EvalSymlinks(at); err == nil && r == top {
			return at
		}
		if at == filepath.Dir(at) {
			return top
		}
	}
}

// ceilings returns the folders of GIT_CEILING_DIRECTORIES. After an empty entry, git follows no symbolic links in them.
func ceilings() map[string]bool {
	list := os.Getenv("GIT_CEILING_DIRECTORIES")
	if list == "" {
		return nil
	}
	out := map[string]bool{}
	literal := false
	for _, dir := range filepath.SplitList(list) {
		switch {
		case dir == "":
			literal = true
		case !filepath.IsAbs(dir):
		default:
			if r, err := filepath.EvalSymlinks(dir); err == nil && !literal {
				dir = r
			}
			out[filepath.Clean(dir)] = true
		}
	}
	return out
}
