package learning_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sdd/internal/frontmatter"
	"sdd/internal/index"
	"sdd/internal/learning"
	"sdd/internal/longtest"
	"sdd/internal/record"
	"sdd/internal/store"
)

// history is a learning and the life of a repository around it.
type history struct {
	ID       string `json:"id"`
	Part     string `json:"part"`
	Learning struct {
		Content string `json:"content"`
		Parent  string `json:"parent"`
	} `json:"learning"`
	Steps    []step `json:"steps"`
	Outdated bool   `json:"outdated"`
	Commit   int    `json:"commit"` // that makes it outdated: all commits are numbered from 1, in the order made
	Why      string `json:"why"`
}

// step is one thing that happens. Exactly one of the first group is set, what is below belongs to it.
type step struct {
	Write      map[string]string `json:"write"`       // text by path
	Rename     []string          `json:"rename"`      // from, to; files or folders
	Delete     string            `json:"delete"`      // path
	Chmod      string            `json:"chmod"`       // path, which becomes executable
	Learn      bool              `json:"learn"`       // the learning's record is written
	Validate   bool              `json:"validate"`    // a person validates it now
	Apply      string            `json:"apply"`       // this work used it
	Commit     string            `json:"commit"`      // message; everything is committed
	Branch     string            `json:"branch"`      // begins here and is checked out
	Switch     string            `json:"switch"`      // branch that is checked out
	Merge      string            `json:"merge"`       // branch; with a merge commit
	Squash     string            `json:"squash"`      // branch whose changes are staged
	Revert     int               `json:"revert"`      // number of a commit; makes one
	CherryPick int               `json:"cherry_pick"` // number of a commit; makes one

	Trailers map[string]string `json:"trailers"` // of commit
	Paths    []string          `json:"paths"`    // of commit, which takes only these
	Empty    bool              `json:"empty"`    // a commit that changes nothing
	At       int               `json:"at"`       // of commit: minutes by which its clock is wrong
	Message  string            `json:"message"`  // of merge and revert, instead of git's own
	FF       bool              `json:"ff"`       // of merge: a fast-forward, which makes no commit
	Resolve  map[string]string `json:"resolve"`  // of merge: text by path that the merge commit has
}

func (h history) check() error {
	commits, learned := 0, 0
	for i, s := range h.Steps {
		set := 0
		for _, is := range []bool{s.Write != nil, len(s.Rename) == 2, s.Delete != "", s.Chmod != "", s.Learn, s.Validate, s.Apply != "",
			s.Commit != "", s.Branch != "", s.Switch != "", s.Merge != "", s.Squash != "", s.Revert > 0, s.CherryPick > 0} {
			if is {
				set++
			}
		}
		switch {
		case set != 1:
			return fmt.Errorf("step %d does %d things", i+1, set)
		case s.Revert > commits || s.CherryPick > commits:
			return fmt.Errorf("step %d names a commit that is not made yet", i+1)
		case s.Commit != "" || s.Merge != "" && !s.FF || s.Revert > 0 || s.CherryPick > 0:
			commits++
		case s.Learn:
			learned++
		}
	}
	switch {
	case h.Learning.Content == "" || h.Why == "":
		return errors.New("without content or reason")
	case learned != 1:
		return fmt.Errorf("it learns %d times", learned)
	case h.Outdated != (h.Commit > 0) || h.Commit > commits:
		return fmt.Errorf("outdated is %v by commit %d of %d", h.Outdated, h.Commit, commits)
	}
	return nil
}

// readHistories reads the labelled histories, one a file. Keys that a history does not have are refused: a misspelt label would count as none.
func readHistories(t *testing.T) (all []history) {
	t.Helper()
	files, err := filepath.Glob("testdata/outdated/*.json")
	if err != nil || len(files) != 60 {
		t.Fatalf("%d histories, want 60 (%v)", len(files), err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var h history
		d := json.NewDecoder(bytes.NewReader(src))
		d.DisallowUnknownFields()
		if err := errors.Join(d.Decode(&h), h.check()); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all = append(all, h)
	}
	return all
}

// TestOutdated plays every history with real git and asks the program which commit outdates the learning. The commit of the label must be
// one of the branch, after the learning, that touches a file.
func TestOutdated(t *testing.T) {
	longtest.Only(t)
	for _, h := range readHistories(t) {
		t.Run(h.ID, func(t *testing.T) {
			t.Parallel()
			p, err := play(t.Context(), h, filepath.Join(t.TempDir(), "repo"))
			if err != nil {
				t.Fatal(err)
			}
			git := func(args ...string) string {
				out, err := p.command(t.Context(), args...).CombinedOutput()
				if err != nil {
					t.Fatalf("git %v: %v\n%s", args, err, out)
				}
				return strings.TrimSpace(string(out))
			}
			want := ""
			if h.Outdated {
				want = p.commits[h.Commit-1]
				after := "HEAD"
				if added := git("log", "--format=%H", "--diff-filter=A", "--", p.record); added != "" {
					after = added + "..HEAD"
				}
				if since := strings.Fields(git("rev-list", after)); !slices.Contains(since, want) {
					t.Errorf("commit %d, %s, is not among those after the learning, %v", h.Commit, want, since)
				}
				if git("show", "--first-parent", "-m", "--format=", "--name-only", want) == "" {
					t.Errorf("commit %d touches nothing", h.Commit)
				}
			}
			if got := outdatedBy(t, p); got != want {
				t.Errorf("outdated by %q, want %q: %s", got, want, h.Why)
			}
		})
	}
}

// outdatedBy returns the hash of the commit that outdates the learning, "" for none.
func outdatedBy(t *testing.T, p *played) string {
	t.Helper()
	st, err := store.Open(store.Options{Dir: p.dir})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	ix := index.Open(st)
	defer ix.Close()
	l := learning.New(st, ix)
	defer l.Close()
	i, err := l.Get(t.Context(), p.id)
	if err != nil {
		t.Fatal(err)
	}
	if i.Verdict == nil {
		return ""
	}
	return i.Verdict.Commit
}

// played is a repository in which a history took place.
type played struct {
	dir     string
	now     time.Time     // a minute later with every step
	wrong   time.Duration // by which git's clock is off
	id      string        // of the learning
	record  string        // its file, relative to dir
	commits []string      // full hashes, in the order made
}

// play makes a repository at dir, which must not exist, and lets the history take place in it: with the git
// command, a clock of its own, and no user settings.
func play(ctx context.Context, h history, dir string) (*played, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	id := record.HexID(record.IDPrefix(record.Idea), h.Learning.Content, nil)
	p := &played{
		dir: dir, now: time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC), id: id,
		record: ".sdd/" + record.HexFile(record.Idea, id, h.Learning.Content, record.Local),
	}
	if err := p.git(ctx, "init", "-q", "-b", "main", "--template="); err != nil {
		return nil, err
	}
	for i, s := range h.Steps {
		p.now, p.wrong = p.now.Add(time.Minute), time.Duration(s.At)*time.Minute
		if err := p.take(ctx, h, s); err != nil {
			return nil, fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	return p, nil
}

func (p *played) take(ctx context.Context, h history, s step) error {
	switch {
	case s.Write != nil:
		return p.write(s.Write)
	case s.Rename != nil:
		to := p.path(s.Rename[1])
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return err
		}
		return os.Rename(p.path(s.Rename[0]), to)
	case s.Delete != "":
		return os.Remove(p.path(s.Delete))
	case s.Chmod != "":
		if err := os.Chmod(p.path(s.Chmod), 0o755); err != nil {
			return err
		}
		return p.git(ctx, "update-index", "--chmod=+x", "--", s.Chmod) // for systems without that mode
	case s.Learn:
		return p.set("", h.Learning.Content, "id", p.id, "color", record.Learning, "status", "active", "scope", record.Global,
			"parent", h.Learning.Parent, "agents", []string{"ed-001"}, "validated", false, "created", p.now.Format(time.RFC3339))
	case s.Validate:
		return p.amend("validated", true, "validated_at", p.now.Format(time.RFC3339))
	case s.Apply != "":
		return p.amend("applied_to", []string{s.Apply})
	case s.Commit != "":
		return p.commit(ctx, s)
	case s.Branch != "":
		return p.git(ctx, "switch", "-q", "-c", s.Branch)
	case s.Switch != "":
		return p.git(ctx, "switch", "-q", s.Switch)
	case s.Merge != "":
		return p.merge(ctx, s)
	case s.Squash != "":
		return p.git(ctx, "merge", "-q", "--squash", s.Squash)
	case s.CherryPick > 0:
		return p.making(ctx, "cherry-pick", p.commits[s.CherryPick-1])
	}
	if s.Message == "" {
		return p.making(ctx, "revert", "--no-edit", p.commits[s.Revert-1])
	}
	if err := p.git(ctx, "revert", "--no-commit", p.commits[s.Revert-1]); err != nil {
		return err
	}
	return p.making(ctx, "commit", "-q", "-m", s.Message)
}

func (p *played) path(name string) string { return filepath.Join(p.dir, filepath.FromSlash(name)) }

func (p *played) write(texts map[string]string) error {
	for name, text := range texts {
		if err := os.MkdirAll(filepath.Dir(p.path(name)), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(p.path(name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// set writes the learning's record: src with the keys set, and body below it.
func (p *played) set(src, body string, pairs ...any) error {
	var sets []frontmatter.Set
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			sets = append(sets, frontmatter.Set{Key: pairs[i].(string), Value: pairs[i+1]})
		}
	}
	u, err := record.Edit([]byte(src), record.Idea, sets, nil)
	if err != nil {
		return err
	}
	text := string(u.Out)
	if body != "" {
		text += "\n" + body + "\n"
	}
	return p.write(map[string]string{p.record: text})
}

// amend sets keys of the record as it is.
func (p *played) amend(pairs ...any) error {
	src, err := os.ReadFile(p.path(p.record))
	if err != nil {
		return err
	}
	return p.set(string(src), "", pairs...)
}

func (p *played) commit(ctx context.Context, s step) error {
	add := []string{"add", "-A"}
	if s.Paths != nil {
		add = append([]string{"add", "--"}, s.Paths...)
	}
	if err := p.git(ctx, add...); err != nil {
		return err
	}
	args := []string{"commit", "-q", "-m", s.Commit}
	for _, key := range slices.Sorted(maps.Keys(s.Trailers)) {
		args = append(args, "--trailer", key+": "+s.Trailers[key])
	}
	if s.Empty {
		args = append(args, "--allow-empty")
	}
	return p.making(ctx, args...)
}

func (p *played) merge(ctx context.Context, s step) error {
	if s.FF {
		return p.git(ctx, "merge", "-q", "--ff-only", s.Merge)
	}
	message := s.Message
	if message == "" {
		message = "Merge branch '" + s.Merge + "'"
	}
	if err := p.git(ctx, "merge", "-q", "--no-ff", "--no-commit", s.Merge); err != nil {
		return err
	}
	if err := p.write(s.Resolve); err != nil {
		return err
	}
	if err := p.git(ctx, "add", "-A"); err != nil {
		return err
	}
	return p.making(ctx, "commit", "-q", "-m", message)
}

// making runs git with a command that makes a commit, and notes that.
func (p *played) making(ctx context.Context, args ...string) error {
	if err := p.git(ctx, args...); err != nil {
		return err
	}
	out, err := p.command(ctx, "rev-parse", "HEAD").Output()
	if err != nil {
		return err
	}
	p.commits = append(p.commits, string(bytes.TrimSpace(out)))
	return nil
}

func (p *played) git(ctx context.Context, args ...string) error {
	if out, err := p.command(ctx, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w\n%s", args[0], err, out)
	}
	return nil
}

// command is git in the repository, by its clock, with no settings but these.
func (p *played) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", p.dir, "-c", "core.autocrlf=false"}, args...)...)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GIT_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	when := p.now.Add(p.wrong).Format(time.RFC3339)
	cmd.Env = append(cmd.Env, "LC_ALL=C", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=Ed", "GIT_AUTHOR_EMAIL=ed@example.com", "GIT_AUTHOR_DATE="+when,
		"GIT_COMMITTER_NAME=Ed", "GIT_COMMITTER_EMAIL=ed@example.com", "GIT_COMMITTER_DATE="+when)
	return cmd
}
