package git

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// PlainIgnores reports whether, of a repository with these git folders, the .gitignore files of the work tree, info/exclude and
// the user's ignore file at its usual place say which files are ignored, and nothing else does. It reads the
// configuration files and starts nothing; false also means that this cannot be told so, as on systems where case does
// not count.
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
		files = append(files, filepath.Join(home, ".gitconfig"))
		if dir := os.Getenv("XDG_CONFIG_HOME"); dir != "" {
			files = append(files, filepath.Join(dir, "git", "config"))
		} else {
			files = append(files, filepath.Join(home, ".config", "git", "config"))
		}
	}
	for _, file := range files {
		for _, s := range readSettings(file) {
			switch {
			case s.section == "include", s.section == "includeif":
				return false
			case s.section == "core" && (s.key == "excludesfile" || s.key == "ignorecase" && !isFalse(s.value)):
				return false
			}
		}
	}
	return true
}

// isFalse reports whether a value is one that git takes for no.
func isFalse(value string) bool {
	switch strings.ToLower(value) {
	case "false", "no", "off", "0":
		return true
	}
	return false
}
