package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"sdd/internal/record"
)

func histories(t *testing.T) []history {
	t.Helper()
	top, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	all, err := readHistories(filepath.Join(top, outdatedFolder))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestHistories plays every history with real git, and looks whether its label can be true: the record of the
// learning stands there, the commit that outdates it is one of the branch, and came to it after the
// learning.
func TestHistories(t *testing.T) {
	git := func(t *testing.T, p *played, args ...string) string {
		t.Helper()
		out, err := p.command(t.Context(), args...).CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	for _, h := range histories(t) {
		t.Run(h.ID, func(t *testing.T) {
			t.Parallel()
			p, err := play(t.Context(), h, filepath.Join(t.TempDir(), "repo"))
			if err != nil {
				t.Fatal(err)
			}
			src, err := os.ReadFile(p.path(p.record))
			if err != nil {
				t.Fatal(err)
			}
			r := record.Parse(strings.TrimPrefix(p.record, ".sdd/"), src, record.Defaults{})
			if len(r.Problems) > 0 || r.ID != p.id || r.Color != record.Learning || !strings.Contains(string(src), h.Learning.Content) {
				t.Errorf("the record is %+v:\n%s", r, src)
			}
			if !h.Outdated {
				return
			}
			by := p.commits[h.Commit-1]
			after := "HEAD"
			if added := git(t, p, "log", "--format=%H", "--diff-filter=A", "--", p.record); added != "" {
				after = added + "..HEAD"
			}
			if since := strings.Fields(git(t, p, "rev-list", after)); !slices.Contains(since, by) {
				t.Errorf("commit %d, %s, is not among those after the learning, %v", h.Commit, by, since)
			}
			if touched := git(t, p, "show", "--first-parent", "-m", "--format=", "--name-only", by); touched == "" {
				t.Errorf("commit %d touches nothing", h.Commit)
			}
		})
	}
}

func TestJudge(t *testing.T) {
	all := histories(t)
	var some []history
	for _, is := range []bool{true, false} {
		some = append(some, all[slices.IndexFunc(all, func(h history) bool { return h.Outdated == is })])
	}
	some = append(some, some[0], some[0])
	for i := range some {
		some[i].ID = "history-" + string(rune('a'+i))
	}
	var mu sync.Mutex
	asked := map[string]string{}
	got, err := judge(t.Context(), some, func(ctx context.Context, repo, id string) (bool, string, error) {
		mu.Lock()
		asked[filepath.Base(repo)] = id
		mu.Unlock()
		p := played{dir: repo}
		switch filepath.Base(repo) {
		case "history-a": // right, and so is history-b below
			out, err := p.command(ctx, "rev-parse", "HEAD").Output()
			return true, strings.TrimSpace(string(out)), err
		case "history-c":
			return true, strings.Repeat("0", 40), nil
		}
		return false, "", nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{outdated, current, another, current}; !slices.Equal(got, want) {
		t.Errorf("verdicts %q, want %q", got, want)
	}
	for _, h := range some {
		if want := record.HexID("idea", h.Learning.Content, nil); asked[h.ID] != want {
			t.Errorf("%s: asked for %s, not %s", h.ID, asked[h.ID], want)
		}
	}
}

func TestHistoryCheck(t *testing.T) {
	good := func() history {
		h := history{ID: "h", Part: tuned, Why: "w", Steps: []step{{Learn: true}, {Commit: "one"}, {Revert: 1}}, Outdated: true, Commit: 2}
		h.Learning.Content = "x"
		return h
	}
	if err := good().check(); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*history){
		"two things in one step":    func(h *history) { h.Steps[1].Delete = "a" },
		"nothing in a step":         func(h *history) { h.Steps[1] = step{} },
		"a commit to come":          func(h *history) { h.Steps[2].Revert = 2 },
		"nothing learned":           func(h *history) { h.Steps[0] = step{Delete: "a"} },
		"learned twice":             func(h *history) { h.Steps[1] = step{Learn: true} },
		"no commit named":           func(h *history) { h.Commit = 0 },
		"current, but by a commit":  func(h *history) { h.Outdated = false },
		"by more commits than made": func(h *history) { h.Commit = 3 },
		"without content":           func(h *history) { h.Learning.Content = "" },
	} {
		h := good()
		spoil(&h)
		if h.check() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
