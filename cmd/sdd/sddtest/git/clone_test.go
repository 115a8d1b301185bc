package git

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// branchOff makes a branch from another one and commits one change of the topic there.
func branchOff(c *clone, name, from string, pairs ...string) {
	c.T.Helper()
	c.Git("checkout", "-q", "-B", name, from)
	c.Edit(topic, pairs...)
	c.Commit(name)
}

// withoutSDD is the clone with a PATH that contains git and a shell, but not sdd.
func withoutSDD(c *clone) *clone {
	c.T.Helper()
	var dirs []string
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if _, err := exec.LookPath(filepath.Join(dir, "sdd")); err != nil {
			dirs = append(dirs, dir)
		}
	}
	return c.With("PATH=" + strings.Join(dirs, string(filepath.ListSeparator)))
}

// withTool puts a file named sdd first into PATH.
func withTool(t *testing.T, c *clone, text string, mode os.FileMode) *clone {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "sdd"), []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	path := ""
	for _, v := range c.Env {
		if p, ok := strings.CutPrefix(v, "PATH="); ok {
			path = p
		}
	}
	return c.With("PATH=" + dir + string(filepath.ListSeparator) + path)
}

// snapshot is every file below a folder, with its mode and bytes, and every folder.
func snapshot(c *clone, dir string) map[string]string {
	c.T.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(c.Path(dir), func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			if os.IsNotExist(err) {
				return nil
			}
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		text := info.Mode().String() + " "
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(path)
			if err != nil {
				return err
			}
			text += to
		case info.Mode().IsRegular():
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text += string(b)
		}
		all[path] = text
		return nil
	})
	if err != nil {
		c.T.Fatal(err)
	}
	return all
}

// writeScript writes a file with that mode.
func writeScript(c *clone, file, text string, mode fs.FileMode) {
	c.T.Helper()
	c.Write(file, text)
	if err := os.Chmod(c.Path(file), mode); err != nil {
		c.T.Fatal(err)
	}
}
