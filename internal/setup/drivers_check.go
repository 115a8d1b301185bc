package setup

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"

	"sdd/internal/git"
	"sdd/internal/record"
	"sdd/internal/store"
)

// drivers checks that git merges and shows the records with this program: git does not report what is missing for that.
func (c *Checkup) drivers(ctx context.Context, st *store.Store, version string) {
	repo, err := git.Open(st.Dir())
	if err != nil {
		return // reported already
	}
	found := len(c.Findings)
	c.mergeAttribute(ctx, repo, st)
	line, ok, err := repo.Config(ctx, mergeDriverKey)
	switch {
	case err != nil:
		c.find("git_config", "", 0, "git cannot read its configuration: "+err.Error(), "mend it: git config --list names the file")
		return
	case !ok:
		c.find("merge_driver", "", 0, noDriver, "sdd init")
	default:
		c.driverLine(ctx, repo, line, version)
	}
	c.textconv(ctx, repo, st, ok)
	if found == len(c.Findings) {
		c.ok("drivers: git merges and shows records with sdd")
	}
}

const noDriver = "git has no driver " + driverName + " in this clone (" + mergeDriverKey + " is not set), so records merge as text"

// MissingDriver says that git has no merge driver in this clone, "" if it has one or there is no git.
func MissingDriver(ctx context.Context, st *store.Store) string {
	repo, err := git.Open(st.Dir())
	if err != nil {
		return ""
	}
	if _, ok, err := repo.Config(ctx, mergeDriverKey); ok || err != nil {
		return ""
	}
	return noDriver + ": sdd init"
}

// sample is a possible path of a record of a kind, relative to the top of the work tree.
func sample(repo *git.Repo, st *store.Store, k record.Kind) string {
	return path.Join(store.PathIn(repo, st.Dir()), record.Folder(k), "x.md")
}

// mergeAttribute checks that every kind of record has the merge driver.
func (c *Checkup) mergeAttribute(ctx context.Context, repo *git.Repo, st *store.Store) {
	var samples []string
	for _, k := range record.Kinds {
		samples = append(samples, sample(repo, st, k))
	}
	values, err := repo.Attributes(ctx, "merge", samples...)
	if err != nil {
		c.find("git_attributes", "", 0, "git cannot tell attributes: "+err.Error(), "git check-attr -a "+samples[0])
		return
	}
	for i, k := range record.Kinds {
		if values[i] == driverName {
			continue
		}
		text := "git merges them as text: they have no attribute merge=" + driverName
		if values[i] != "unspecified" {
			text = "git merges them otherwise: an attribute says merge=" + values[i]
		}
		file := store.Folder + "/.gitattributes"
		c.find("merge_attribute", file, 0, fmt.Sprintf("records in %s: %s", record.Folder(k), text),
			fmt.Sprintf("add the line /%s/**/*.md merge=%s diff=markdown to %s, and look for other lines that match",
				record.Folder(k), driverName, file))
	}
}

// driverLine checks the command with which git merges a record. In a command that the user wrote, it checks what it can read.
func (c *Checkup) driverLine(ctx context.Context, repo *git.Repo, line, version string) {
	if !strings.Contains(line, "git merge-file") {
		c.find("merge_driver_fallback", "", 0,
			mergeDriverKey+" has no way out when the program is missing: git would keep one side without a word", "sdd init")
	}
	command, own := strings.CutPrefix(line, "if command -v ")
	word, rest := shellWord(command)
	if !own && !strings.HasPrefix(strings.TrimLeft(rest, " "), "merge-driver") {
		return
	}
	word = strings.ReplaceAll(word, "%%", "%")
	if below, ok := strings.CutPrefix(word, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			word = filepath.Join(home, below)
		}
	}
	if temporary(word, repo.Common) {
		c.find("driver_temporary", "", 0, fmt.Sprintf("git is to merge with %q, a temporary program", word), installHint+", then sdd init")
		return
	}
	c.program(ctx, word, version)
}

// program checks that git would start this program, in this version.
func (c *Checkup) program(ctx context.Context, word, version string) {
	const otherwise = "run sdd init with the sdd that is to be used"
	path, err := exec.LookPath(filepath.FromSlash(word))
	if err != nil {
		c.find("driver_missing", "", 0, fmt.Sprintf("git is to merge with %q, which cannot be found, so records merge as text", word),
			"put sdd on the PATH that git has, or "+otherwise)
		return
	}
	if self, err := os.Executable(); err == nil && git.SameFile(self, path) {
		return
	}
	other, err := versionOf(ctx, path)
	switch {
	case err != nil:
		c.find("driver_broken", "", 0, fmt.Sprintf("git is to merge with %s, which is no working sdd: %v", path, err), otherwise)
	case other != version:
		c.find("driver_version", "", 0, fmt.Sprintf("git merges with %s, version %s; this is %s", path, other, version),
			"install one version, or run sdd init with the one that is to be used")
	}
}

const versionPatience = 5 * time.Second

func versionOf(ctx context.Context, path string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, versionPatience)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "version", "--json").Output()
	if err != nil {
		return "", err
	}
	var v struct{ Version, Commit string }
	if err := json.Unmarshal(out, &v); err != nil || v.Version == "" {
		return "", fmt.Errorf("it does not tell its version")
	}
	return VersionText(v.Version, v.Commit), nil
}

// VersionText is a version for people, with the commit when it is known.
func VersionText(version, commit string) string {
	if commit == "" {
		return version
	}
	return version + " (" + commit + ")"
}

// textconv finds a setting for diffs without the attribute, and the other way round. Without both, git uses its own driver.
func (c *Checkup) textconv(ctx context.Context, repo *git.Repo, st *store.Store, merges bool) {
	values, err := repo.Attributes(ctx, "diff", sample(repo, st, record.Exploration))
	if err != nil {
		return // reported already
	}
	_, set, err := repo.Config(ctx, textconvKey)
	switch {
	case err != nil || set == (values[0] == driverName):
	case set && merges:
		c.find("diff_attribute", "", 0, "git shows records without sdd: no attribute says diff="+driverName, "sdd init")
	case !set:
		text := "records have the attribute diff=" + driverName + ", but " + textconvKey + " is not set in this clone: diffs name no sections"
		c.find("diff_driver", "", 0, text, "sdd init")
	}
}
