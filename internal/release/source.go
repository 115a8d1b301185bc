package release

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"sdd/internal/fault"
	"sdd/internal/git"
)

// source is the commit of a release.
type source struct {
	Module, Commit string
	Called         string    // the version, with +dirty for uncommitted changes
	When           time.Time // the commit's, in UTC
	Go             string    // the release of Go, such as go1.26.3
	URL            string    // of the repository; "" if unknown
	goroot         string
}

// placeholder is the owner of an unknown repository.
const placeholder = "OWNER"

// look reads the state of the repository for a release.
func look(ctx context.Context, o Options) (source, error) {
	s := source{Called: o.Version}
	out, err := goTool(ctx, o.Dir, nil, "list", "-m")
	if err != nil {
		return s, err
	}
	s.Module = strings.TrimSpace(string(out))
	if out, err = goTool(ctx, o.Dir, nil, "env", "GOVERSION", "GOROOT"); err != nil {
		return s, err
	}
	s.Go, s.goroot, _ = strings.Cut(strings.TrimSpace(string(out)), "\n")
	if out, err = git.Run(ctx, o.Dir, "log", "-1", "--format=%H %ct"); err != nil {
		return s, fault.New(fault.NotFound, "there is no commit to release: %v", err).With("a release is made of a commit")
	}
	var seconds int64
	if _, err := fmt.Sscan(string(out), &s.Commit, &seconds); err != nil {
		return s, err
	}
	s.When = time.Unix(seconds, 0).UTC()
	if out, err = git.Run(ctx, o.Dir, "status", "--porcelain"); err != nil {
		return s, err
	}
	if changed, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n"); changed != "" {
		if !o.Dirty {
			return s, fault.New(fault.Conflict, "there are changes in no commit: %s", changed).
				With("commit or remove them, or give -dirty for a build that is not published")
		}
		s.Called += "+dirty"
	}
	tag, err := git.Run(ctx, o.Dir, "rev-parse", "--verify", "--quiet", "refs/tags/"+o.Version+"^{commit}")
	if at := strings.TrimSpace(string(tag)); err == nil && at != s.Commit {
		return s, fault.New(fault.Conflict, "%s is the tag of another commit, %s", o.Version, at).With("git switch --detach " + o.Version)
	}
	owner, repo := o.Owner, o.Repo
	if remote, err := git.Run(ctx, o.Dir, "remote", "get-url", "origin"); err == nil && (owner == "" || repo == "") {
		of, name := hosted(strings.TrimSpace(string(remote)))
		if owner == "" {
			owner = of
		}
		if repo == "" {
			repo = name
		}
	}
	if owner != "" && repo != "" {
		s.URL = "https://github.com/" + owner + "/" + repo
	}
	return s, nil
}

// hosted returns owner and name of a repository on GitHub, "" for other addresses.
func hosted(remote string) (owner, repo string) {
	m := regexp.MustCompile(`^(?:https://(?:[^@/]+@)?github\.com/|(?:ssh://)?git@github\.com[:/])([A-Za-z0-9-]+)/([A-Za-z0-9._-]+?)` +
		`(?:\.git)?/?$`).FindStringSubmatch(remote)
	if m == nil {
		return "", ""
	}
	return m[1], m[2]
}

// address is the repository's URL, with a placeholder for an unknown one.
func (s source) address() string {
	if s.URL != "" {
		return s.URL
	}
	return "https://github.com/" + placeholder + "/sdd"
}

// owner is the owner of the repository.
func (s source) owner() string { return strings.Split(s.address(), "/")[3] }

// download is the future address of a file of this release.
func (s source) download(name string) string {
	return s.address() + "/releases/download/" + s.Called + "/" + name
}

// papers are the files of the repository for every archive: README and licence. It notes missing ones.
func (r *release) papers() (all []file) {
	entries, _ := os.ReadDir(r.Dir)
	licensed := false
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		licence := isLicence(e.Name()) || strings.HasPrefix(name, "NOTICE")
		if e.IsDir() || !licence && name != "README.MD" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(r.Dir, e.Name()))
		if err != nil {
			continue
		}
		licensed = licensed || isLicence(e.Name())
		all = append(all, file{e.Name(), text, 0o644})
	}
	if !licensed {
		r.lacks = append(r.lacks, "The repository has no LICENSE file: without one nobody may use or pass on the program. The formula has "+
			"no licence line, and the Scoop manifest says Unknown.")
	}
	if r.URL == "" {
		r.lacks = append(r.lacks, "The git remote is not on GitHub and no owner was given: "+placeholder+
			" stands in server.json, the bundles, the formula and the Scoop manifest.")
	}
	return all
}

// goTool runs the go command in dir, without settings that would affect its output.
func goTool(ctx context.Context, dir string, env []string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GOEXPERIMENT=", "GOFIPS140=off", "GOAMD64=v1", "GOARM64=v8.0", "CGO_ENABLED=0")
	cmd.Env = append(cmd.Env, env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", args[0], err, bytes.TrimSpace(stderr.Bytes()))
	}
	return out, nil
}
