package git

import (
	"context"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
)

// RemoteName returns the name of the repository that contains dir: the last part of the URL of its remote "origin", else of
// its first remote, without ".git". It is "" without a remote. It reads the configuration file, and runs git only if
// that file has no remote and includes other files.
func RemoteName(dir string) string {
	_, gitDir, commonDir, ok := Top(dir)
	if !ok {
		return ""
	}
	settings := readSettings(filepath.Join(commonDir, "config"))
	if name := remoteIn(settings); name != "" {
		return name
	}
	for _, s := range settings {
		switch {
		case s.section == "extensions" && s.key == "worktreeconfig":
			if name := remoteIn(readSettings(filepath.Join(gitDir, "config.worktree"))); name != "" {
				return name
			}
		case s.section == "include", s.section == "includeif":
			return remoteIn(askSettings(dir))
		}
	}
	return ""
}

// RemoteURLs returns the URLs of the remotes in the configuration file of the repository that contains dir.
func RemoteURLs(dir string) (urls []string) {
	_, _, commonDir, ok := Top(dir)
	if !ok {
		return nil
	}
	for _, s := range readSettings(filepath.Join(commonDir, "config")) {
		if s.section == "remote" && s.key == "url" {
			urls = append(urls, s.value)
		}
	}
	return urls
}

// askSettings returns the remotes' URLs as git has them, with all includes.
func askSettings(dir string) []setting {
	out, err := Run(context.Background(), dir, "config", "--null", "--get-regexp", `^remote\..*\.url$`)
	if err != nil {
		return nil
	}
	var all []setting
	for _, line := range fields(out) {
		key, value, _ := strings.Cut(line, "\n")
		name := strings.TrimSuffix(strings.TrimPrefix(key, "remote."), ".url")
		all = append(all, setting{section: "remote", subsection: name, key: "url", value: value})
	}
	return all
}

// remoteIn returns the repository's name from the remotes in settings.
func remoteIn(settings []setting) string {
	first := ""
	for _, s := range settings {
		if s.section != "remote" || s.key != "url" {
			continue
		}
		name := lastPart(s.value)
		if s.subsection == "origin" && name != "" {
			return name
		}
		if first == "" {
			first = name
		}
	}
	return first
}

// lastPart returns the last part of the path of a remote's URL, scp-like address or folder, without ".git". It never
// contains a part of the host, the user or the password.
func lastPart(remote string) string {
	path := remote
	if scheme, rest, ok := strings.Cut(remote, "://"); ok {
		path, _, _ = strings.Cut(rest, "?")
		path, _, _ = strings.Cut(path, "#")
		if !strings.EqualFold(scheme, "file") {
			_, path, _ = strings.Cut(path, "/") // after the host
		}
		if decoded, err := url.PathUnescape(path); err == nil {
			path = decoded
		}
	} else if host, rest, ok := strings.Cut(remote, ":"); ok && !strings.Contains(host, "/") && !isDrive(host) {
		path = rest
	}
	if runtime.GOOS == "windows" || strings.HasPrefix(path, `\\`) || len(path) > 2 && path[1] == ':' && path[2] == '\\' {
		path = strings.ReplaceAll(path, `\`, "/")
	}
	path = strings.TrimRight(path, "/")
	path = strings.TrimRight(strings.TrimSuffix(path, "/.git"), "/")
	name := strings.TrimSuffix(path[strings.LastIndexByte(path, '/')+1:], ".git")
	if name == "." || name == ".." || isDrive(strings.TrimSuffix(name, ":")) && strings.HasSuffix(name, ":") {
		return ""
	}
	return name
}

// isDrive reports whether s is the letter of a drive.
func isDrive(s string) bool {
	return len(s) == 1 && (s[0]|0x20 >= 'a' && s[0]|0x20 <= 'z')
}
