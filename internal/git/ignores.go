package git

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"sdd/internal/fault"
)

// PlainIgnores reports whether git ignores files by .gitignore files and the usual others alone; false if it cannot tell from the files.
func PlainIgnores(gitDir, commonDir string) bool {
	if runtime.GOOS != "linux" || os.Getenv("GIT_CONFIG_COUNT") != "" || os.Getenv("GIT_CONFIG_PARAMETERS") != "" {
		return false
	}
	files := []string{filepath.Join(commonDir, "config"), filepath.Join(gitDir, "config.worktree")}
	if file, ok := os.LookupEnv("GIT_CONFIG_SYSTEM"); ok {
		files = append(files, file)
	} else if os.Getenv("GIT_CONFIG_NOSYSTEM") == "" {
		files = append(files, "/etc/gitconfig")
	}
	home, err := os.UserHomeDir()
	if file, ok := os.LookupEnv("GIT_CONFIG_GLOBAL"); ok {
		files = append(files, file)
	} else if err == nil {
		settings := cmp.Or(os.Getenv("XDG_CONFIG_HOME"), filepath.Join(home, ".config"))
		files = append(files, filepath.Join(home, ".gitconfig"), filepath.Join(settings, "git", "config"))
	}
	for _, file := range files {
		for _, s := range readSettings(file) {
			switch {
			case s.section == "include", s.section == "includeif":
				return false
			case s.section == "core" && (s.key == "excludesfile" || s.key == "ignorecase" && !s.is("false", "no", "off", "0")):
				return false
			}
		}
	}
	return true
}

// Ignore is a pattern that makes git ignore a path.
type Ignore struct {
	Source  string // its file, relative to the top of the work tree or absolute
	Line    int
	Pattern string
}

// Ignored returns the pattern for each of the paths that a pattern ignores, even if git tracks the file. A folder's path ends in a slash.
func (r *Repo) Ignored(ctx context.Context, paths ...string) (map[string]Ignore, error) {
	in := strings.Join(paths, "\x00") + "\x00"
	// check-ignore takes names literally, and fails with the variable set.
	args := []string{"check-ignore", "--verbose", "--no-index", "-z", "--stdin"}
	out, err := run(ctx, r.Top, []string{"GIT_LITERAL_PATHSPECS=0"}, []byte(in), args)
	if exited(err, 1) {
		return nil, nil
	}
	found := map[string]Ignore{}
	for f := fields(out); len(f) >= 4; f = f[4:] {
		// The last pattern that matches decides. A blank line with a carriage return, which is none, matches a path with a slash at its end.
		if line, err := strconv.Atoi(f[1]); err == nil && f[2] != "" && !strings.HasPrefix(f[2], "!") {
			found[f[3]] = Ignore{f[0], line, f[2]}
		}
	}
	return found, err
}

const (
	mostHashed   = 8 << 20 // bytes of a changed file to hash; a larger file's id comes from its size
	hashedAtOnce = 500
)

// Snapshot returns the tracked and new files below the folders (all if none) by path relative to dir, with git's id of their
// bytes, committed or not, whatever the line ends of this machine.
func Snapshot(ctx context.Context, dir string, folders ...string) (files map[string]string, err error) {
	defer fault.Caught(&err)
	list := func(options ...string) []byte {
		return fault.Must(Run(ctx, dir, slices.Concat([]string{"ls-files", "-z"}, options, []string{"--"}, folders)...))
	}
	files = map[string]string{}
	fault.Check(listed("ls-files", list("--stage"), func(w []string, path string) { files[path] = w[1] }))
	var changed []string
	for _, f := range fields(list("-t", "--modified", "--deleted", "--others", "--exclude-standard")) {
		tag, path, _ := strings.Cut(f, " ")
		info, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(path)))
		switch {
		case tag == "R" || err != nil:
			delete(files, path)
		case info.Mode().IsRegular() && info.Size() <= mostHashed:
			changed = append(changed, path)
		default: // a link, a repository inside, a large file
			files[path] = fmt.Sprintf("%s %d", info.Mode().Type(), info.Size())
		}
	}
	slices.Sort(changed)
	for some := range slices.Chunk(slices.Compact(changed), hashedAtOnce) {
		ids := strings.Fields(string(fault.Must(Run(ctx, dir, append([]string{"hash-object", "--"}, some...)...))))
		for i, path := range some {
			if i < len(ids) {
				files[path] = ids[i]
			}
		}
	}
	return files, nil
}
