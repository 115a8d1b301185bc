package git

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sdd/internal/fault"
)

// HooksFolder is where git looks for the hooks of a repository.
type HooksFolder struct {
	Top    string // of the work tree, "" in a bare repository
	Common string // the git folder that all work trees share
	Path   string // absolute; it need not exist
}

// Default is the folder of hooks without a setting.
func (h HooksFolder) Default() string { return filepath.Join(h.Common, "hooks") }

// Hooks returns the folder of the hooks that git runs for the work tree or bare repository that contains dir, Unavailable without either.
func Hooks(ctx context.Context, dir string) (HooksFolder, error) {
	if repo, err := Open(dir); err == nil {
		path, err := repo.HooksPath(ctx)
		return HooksFolder{repo.Top, repo.Common, path}, err
	}
	out, err := Run(ctx, dir, "rev-parse", "--is-bare-repository", "--absolute-git-dir")
	if fault.Is(err, fault.Unavailable) {
		return HooksFolder{}, err
	}
	is, gitDir, _ := strings.Cut(line(out), "\n")
	if err != nil || is != "true" {
		return HooksFolder{}, fault.New(fault.Unavailable, "%q is in no git work tree and no bare repository", dir).
			With("run `git init` there first, or name another folder with --dir")
	}
	gitDir = filepath.FromSlash(gitDir)
	path, err := (&Repo{Top: gitDir}).HooksPath(ctx) // hooks run in the git folder, and relative paths begin there
	return HooksFolder{Common: gitDir, Path: path}, err
}

// Stage is git's index, in a hook the one that git commits, which for `git commit FILE` and `-a` is not the usual one.
type Stage struct {
	Top string // of the work tree

	objects *Repo
	env     []string // names the repository and its index if the environment does
}

// StagedFile is a file of the index.
type StagedFile struct {
	Path     string // relative to the top, with slashes
	ID       string // of its bytes, "" when the file is removed or unmerged
	Was      string // of its bytes in the last commit, "" when it is new or unmerged, and in results of Files
	Unmerged bool   // a merge left it in conflict
}

// OpenStage returns the index of the work tree that contains dir, "" for the working directory. It uses one that the environment names, as
// git does for hooks, if it belongs to that work tree. The fault is Unavailable if there is no work tree.
func OpenStage(dir string) (*Stage, error) {
	work, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	s := &Stage{}
	top, gitDir, _, ok := Top(work)
	if named := os.Getenv("GIT_DIR"); named != "" && !SameFile(named, gitDir) {
		// The repository is elsewhere; its work tree is this folder unless git names one.
		top, gitDir, ok = work, within(work, named), true
		if tree := os.Getenv("GIT_WORK_TREE"); tree != "" {
			top = within(work, tree)
		}
		s.env = []string{"GIT_DIR=" + gitDir, "GIT_WORK_TREE=" + top}
	}
	if dir != "" {
		switch other, _, _, found := Top(dir); {
		case found && !(ok && SameFile(other, top)):
			return &Stage{Top: other, objects: &Repo{Top: other}}, nil
		case !found && !(ok && SameFile(dir, top)):
			work, ok = dir, false
		}
	}
	if !ok {
		return nil, fault.New(fault.Unavailable, "%q is not in a git work tree", work).With("run `git init` there first")
	}
	s.Top, s.objects = top, &Repo{Top: top}
	if len(s.env) > 0 {
		s.objects.Top = gitDir
	}
	if index := os.Getenv("GIT_INDEX_FILE"); index != "" {
		s.env = append(s.env, "GIT_INDEX_FILE="+index) // a relative one begins at the top
	}
	return s, nil
}

// within returns a path that is relative to dir as an absolute one.
func within(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// SameFile reports whether two paths lead to the same existing file or folder.
func SameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// Changes returns the files that the commit would add, change or remove, and the unmerged ones, by path, without links and submodules.
func (s *Stage) Changes(ctx context.Context) (all []StagedFile, err error) {
	out, err := s.run(ctx, append(rawDiff, "--cached")...)
	if err != nil {
		return nil, err
	}
	all, err = changed("diff", out, func(f []string) (some []StagedFile, rest []string, ok bool) {
		if strings.HasSuffix(f[0], " U") && len(f) > 1 {
			return []StagedFile{{Path: f[1], Unmerged: true}}, f[2:], true
		}
		deltas, rest, ok := parseDelta(f)
		for _, d := range deltas {
			some = append(some, StagedFile{Path: d.Path, ID: d.New, Was: cmp.Or(d.Old...)})
		}
		return some, rest, ok
	})
	slices.SortStableFunc(all, func(a, b StagedFile) int { return strings.Compare(a.Path, b.Path) })
	return all, err
}

// Files returns every file of the index at and under the paths (all if none), without unmerged files, links and submodules.
func (s *Stage) Files(ctx context.Context, paths ...string) ([]StagedFile, error) {
	out, err := s.run(ctx, append([]string{"ls-files", "--stage", "-z", "--"}, paths...)...)
	if err != nil {
		return nil, err
	}
	var all []StagedFile
	err = listed("ls-files", out, func(w []string, path string) {
		if isFile(w[0]) && w[2] == "0" {
			all = append(all, StagedFile{Path: path, ID: w[1]})
		}
	})
	return all, err
}

// Objects returns a reader of the files by their ids.
func (s *Stage) Objects(ctx context.Context) *Objects { return s.objects.Objects(ctx) }

// run is Run with the stage's index.
func (s *Stage) run(ctx context.Context, args ...string) ([]byte, error) {
	return run(ctx, s.Top, s.env, nil, args)
}
