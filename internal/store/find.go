package store

import (
	"cmp"
	"os"
	"path/filepath"

	"sdd/internal/fault"
	"sdd/internal/git"
)

// find returns the folder that holds .sdd, or will hold it.
func find(o Options) (string, error) {
	if o.Dir != "" {
		dir, err := realPath(o.Dir)
		if err != nil {
			return "", fault.New(fault.NotFound, "the folder %q does not exist", o.Dir).For("dir").
				With("--dir names the folder that holds " + Folder)
		}
		if st, err := os.Stat(dir); err != nil || !st.IsDir() {
			return "", fault.New(fault.Invalid, "%q is not a folder", o.Dir).For("dir").With("--dir names the folder that holds " + Folder)
		}
		if filepath.Base(dir) == Folder {
			dir = filepath.Dir(dir) // the caller named the .sdd folder itself
		}
		return dir, nil
	}
	start := cmp.Or(o.WorkDir, ".")
	dir, err := realPath(start)
	if err != nil {
		return "", fault.New(fault.NotFound, "the working directory %q does not exist", start).With("--dir names the folder that holds " + Folder)
	}
	return nearest(dir), nil
}

// nearest looks for a .sdd up to the top of the work tree; outside git below the home folder, and in no folder that all may write to: one
// in /tmp may be another user's. Without a .sdd it returns the top of the work tree, else dir.
func nearest(dir string) string {
	top, _, _, inTree := git.Top(dir)
	home, _ := os.UserHomeDir()
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Lstat(filepath.Join(d, Folder)); err == nil && (d == dir || inTree || trusted(d, home)) {
			return d
		}
		if inTree && d == top || !inTree && d == home || d == filepath.Dir(d) {
			break
		}
	}
	if inTree {
		return top
	}
	return dir
}

func trusted(dir, home string) bool {
	st, err := os.Stat(dir)
	return err == nil && dir != home && dir != filepath.Dir(dir) && st.Mode()&0o002 == 0
}

func realPath(p string) (string, error) {
	abs, err := filepath.Abs(p)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// projectName returns the name of the remote, else that of the folder. Linked work trees of one repository share the name of the main one.
func projectName(dir string) string {
	if name := git.RemoteName(dir); name != "" {
		return name
	}
	if top, gitDir, common, ok := git.Top(dir); ok && top == dir && gitDir != common && filepath.Base(common) == ".git" {
		dir = filepath.Dir(common)
	}
	return filepath.Base(dir)
}
