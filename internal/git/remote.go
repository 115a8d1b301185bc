package git

import (
	"cmp"
	"context"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// RemoteName returns the name of the repository that contains dir by the URL of its remote "origin", else of its first one, "" without one.
// It runs git only if the configuration file has no remote and includes other files.
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
		first = cmp.Or(first, name)
	}
	return first
}

// lastPart returns the last part of a remote's path without ".git", and never a part of its host, user or password.
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

func isDrive(s string) bool {
	return len(s) == 1 && (s[0]|0x20 >= 'a' && s[0]|0x20 <= 'z')
}

// batch is the option of ssh that makes it fail where it would ask.
const batch = " -o BatchMode=yes"

// SSHCommand returns the user's command for ssh in the repository at dir, with the option that it asks for nothing.
func SSHCommand(ctx context.Context, dir string) string {
	ssh := os.Getenv("GIT_SSH_COMMAND")
	if ssh == "" {
		out, _ := Run(ctx, dir, "config", "--get", "core.sshCommand")
		ssh = line(out)
	}
	return strings.TrimSuffix(cmp.Or(ssh, "ssh"), batch) + batch
}

// Fetch runs git fetch with args in dir, with the user's credentials, and gives it stdin. It never asks for a password, a
// passphrase or a host's key, and starts no program that the remote's address names. The fault is that of Run.
func Fetch(ctx context.Context, dir, stdin string, args ...string) error {
	env := []string{"GIT_ASKPASS=", "SSH_ASKPASS=", "GCM_INTERACTIVE=never", "GIT_ALLOW_PROTOCOL=file:git:http:https:ssh"}
	if os.Getenv("GIT_SSH") == "" || os.Getenv("GIT_SSH_COMMAND") != "" {
		env = append(env, "GIT_SSH_COMMAND="+SSHCommand(ctx, dir))
	}
	_, err := run(ctx, dir, env, []byte(stdin), append([]string{
		"-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "fetch.negotiationAlgorithm=noop",
		"fetch", "--quiet", "--no-tags", "--recurse-submodules=no",
	}, args...))
	if e, ok := err.(*Error); ok {
		e.Args = []string{"fetch"}
		e.Stderr = strings.TrimSpace(e.Stderr)
	}
	return err
}
