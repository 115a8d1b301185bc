package app

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sdd/internal/explore"
	"sdd/internal/fault"
	"sdd/internal/record"
)

const (
	tokensText = "---\nid: fact-00000000000a\nlevel: 1\ndomain: auth\nkind: fact\nconfidence: 0.7\nstatus: pending\n---\n\nTokens live for 15 minutes.\n"
	queueText  = `{"commit":"%[1]s","date":"2026-01-02T03:04:05Z","candidates":[{"id":"%[2]s","kind":"fact","content":"Logs are JSON.","status":"queued","commit":"%[1]s","confidence":%[3]v,"evidence":[]}]}`
)

// desk is a store with an example of every part of an overview.
func desk(t *testing.T) *App {
	return open(t, map[string]string{
		"config.yaml":                    "project: shop\n",
		"explore/auth.md":                "---\ntitle: User auth\ncreated: 2026-01-03\n---\n\n## Goals\n\n- Log in\n",
		"explore/marks.md":               "---\ntitle: Marks\n---\n\n<<<<<<< ours\nx\n=======\ny\n>>>>>>> theirs\n",
		"explore/broken one.md":          "---\ntitle: Broken\nscope: [\n---\n",
		"inbox/fact-00000000000a-t.md":   tokensText,
		"inbox/fact-00000000000b-r.md":   strings.NewReplacer("00a", "00b", "pending", "rejected", "15", "30").Replace(tokensText),
		"inbox/use-redis.md":             "---\ntitle: Use Redis\nkind: decision\nconfidence: 0.9\nstatus: pending\n---\n\n## Decision Outcome\n\nUse Redis\n",
		"ideas/idea-00000000000d-v.md":   "---\nid: idea-00000000000d\ncolor: yellow\nstatus: outdated\noutdated_reason: Vitest is gone\ncreated: 2026-01-02\n---\nTests use Vitest\n",
		"ideas/idea-00000000000e-a.md":   "---\nid: idea-00000000000e\ncolor: yellow\nstatus: active\ncreated: 2026-01-01\n---\nActive\n",
		"facts/fact-00000000000f-old.md": "---\nid: fact-00000000000f\nlevel: 0\nstatus: stale\ncreated: 2020-01-01\n---\nOld fact\n",
	})
}

// itemLines lists the items, a line each.
func itemLines(items []Item) (lines []string) {
	for _, i := range items {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s %s|%s|%s|%s", i.State, i.ID, i.Note, i.Accept, i.Refuse, i.Next)))
	}
	return lines
}

func overview(t *testing.T, w *App) Overview {
	t.Helper()
	o, err := w.Overview(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// find is the item with that id in a section.
func find(t *testing.T, items []Item, id string) Item {
	t.Helper()
	for _, i := range items {
		if i.ID == id {
			return i
		}
	}
	t.Fatalf("there is no %s in %v", id, itemLines(items))
	return Item{}
}

func TestOverview(t *testing.T) {
	w := desk(t)
	before := snapshot(t, w)
	o := overview(t, w)
	for _, c := range []struct {
		name string
		got  []Item
		want []string
	}{
		{"new, outside git by the date that the files say", o.New, []string{
			"added explore/user-auth |||sdd show explore/user-auth", "added idea-00000000000d |||sdd show idea-00000000000d",
			"added idea-00000000000e |||sdd show idea-00000000000e", "added fact-00000000000f |||sdd show fact-00000000000f",
		}},
		{"review", o.Review, []string{
			"pending decision/use-redis decision, confidence 0.90|approve|reject|sdd review approve decision/use-redis",
			"pending fact-00000000000a fact, confidence 0.70|approve|reject|sdd review approve fact-00000000000a",
			"outdated idea-00000000000d Vitest is gone|validate|archive|sdd review validate idea-00000000000d",
			"stale fact-00000000000f |refresh|archive|sdd review refresh fact-00000000000f",
		}},
		{"conflicts", o.Conflicts, []string{
			"broken_yaml explore/broken the YAML does not parse: did not find expected node content|||sdd edit '.sdd/explore/broken one.md'",
			"conflict_markers explore/marks a merge conflict begins in line 5: both sides are read, nothing is written until it is resolved|merge again||sdd resolve .sdd/explore/marks.md",
		}},
	} {
		if d := cmp.Diff(c.want, itemLines(c.got)); d != "" {
			t.Errorf("%s:\n%s", c.name, d)
		}
	}
	if o.Waiting != 4 || o.Project != "shop" || !o.Exists {
		t.Errorf("%+v", o)
	}
	if d := cmp.Diff(before, snapshot(t, w)); d != "" {
		t.Errorf("reading wrote:\n%s", d)
	}
	first, again := o.Text(), overview(t, w)
	if first != again.Text() {
		t.Error("two texts of the same files differ")
	}
	for _, part := range []string{"project shop: 3 explorations, 2 ideas, 1 fact, 3 candidates\n", "\nWaits for review\n", "  conflict markers  Marks (explore/marks) .sdd/explore/marks.md:5\n"} {
		if !strings.Contains(first, part) {
			t.Errorf("%q is missing in\n%s", part, first)
		}
	}
}

// snapshot are the files of the store that are no cache, and what they hold.
func snapshot(t *testing.T, w *App) map[string]string {
	t.Helper()
	all := map[string]string{}
	root := filepath.Join(w.Store.Dir(), ".sdd")
	err := filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil && d.Name() == ".local" {
				return filepath.SkipDir
			}
			return err
		}
		b, err := os.ReadFile(p)
		all[strings.TrimPrefix(p, root)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestOverviewOfNothing(t *testing.T) {
	w := reopen(t, t.TempDir())
	o := overview(t, w)
	if text := o.Text(); !strings.Contains(text, "sdd init") || !strings.Contains(text, "sdd help") {
		t.Errorf("a newcomer is told %q", text)
	}
	b, err := json.Marshal(o)
	if err != nil || !strings.Contains(string(b), `"exists":false,"records":{},"new":[],"review":[],"conflicts":[],"waiting":0`) {
		t.Errorf("%v %s", err, b)
	}
	if list, err := w.Elsewhere(t.Context()); err != nil || list != nil {
		t.Errorf("%v %v", err, list)
	}
	empty := overview(t, open(t, map[string]string{"config.yaml": "project: shop\n"})).Text()
	if !strings.Contains(empty, "no records yet: sdd explore") || strings.Count(empty, "  none\n") != 3 {
		t.Errorf("an empty store: %s", empty)
	}
}

// TestOverviewInGit checks the parts from git: news by commits, files that it has in conflict, other branches.
func TestOverviewInGit(t *testing.T) {
	w := open(t, map[string]string{"config.yaml": "project: shop\n", "explore/auth.md": "---\ntitle: User auth\n---\n\n## Goals\n\n- Log in\n"})
	file := filepath.Join(w.Store.Dir(), ".sdd", "explore", "auth.md")
	git := func(args ...string) { t.Helper(); gitIn(t, w, args...) }
	write := func(goal string) {
		t.Helper()
		if err := os.WriteFile(file, []byte("---\ntitle: User auth\n---\n\n## Goals\n\n- "+goal+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "-q", "-b", "main")
	git("add", "-A")
	git("commit", "-qm", "begin")
	git("checkout", "-q", "-b", "other")
	write("Log in by letter")
	git("commit", "-qam", "letter")
	git("checkout", "-q", "main")
	write("Log in by mail")
	git("commit", "-qam", "mail")
	o := overview(t, w)
	if len(o.New) != 1 || o.New[0].By != "Ann" || o.New[0].Note != "1 reworded in Goals" || o.New[0].Commit == "" || len(o.New[0].Rows) == 0 {
		t.Errorf("%+v", o.New)
	}
	if _, err := w.explored(t); err != nil {
		t.Fatal(err)
	}
	o = overview(t, w)
	if i := find(t, o.New, "explore/cart"); i.By != "a test" || i.Time == "" || i.Commit != "" || i.State != "added" {
		t.Errorf("%+v", i)
	}
	write("Log in by phone")
	if i := find(t, overview(t, w).New, "explore/user-auth"); i.By != "by hand" || i.Time != "" {
		t.Errorf("%+v", i)
	}
	git("checkout", "-q", "--", ".sdd/explore/auth.md")
	git("checkout", "-q", "-b", "feature")
	git("commit", "-q", "--allow-empty", "-m", "feature")
	list, err := w.Elsewhere(t.Context())
	if err != nil || len(list) != 0 {
		t.Errorf("nothing is changed here: %v %v", err, itemLines(list))
	}
	write("Log in by phone")
	if list, err = w.Elsewhere(t.Context()); err != nil || len(list) != 1 || list[0].By != "branch other" || list[0].Next != "sdd diff other -- explore/user-auth" {
		t.Errorf("%v %+v", err, list)
	}
	git("commit", "-qam", "phone")
	git("merge", "-q", "other")
	i := find(t, overview(t, w).Conflicts, "explore/user-auth")
	if i.State != "conflict_markers" || i.Accept != "merge again" {
		t.Errorf("%+v", i)
	}
	write("Log in by anything") // mended by hand, and git does not know
	if i = find(t, overview(t, w).Conflicts, "explore/user-auth"); i.State != "unmerged" {
		t.Errorf("%+v", i)
	}
}

// gitIn runs git in the store's folder, without the user's settings.
func gitIn(t *testing.T, w *App, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not here")
	}
	cmd := exec.Command("git", append([]string{"-c", "user.name=Ann", "-c", "user.email=a@example.com"}, args...)...)
	cmd.Dir, cmd.Env = w.Store.Dir(), append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
	out, err := cmd.CombinedOutput()
	if err != nil && args[0] != "merge" {
		t.Fatalf("%v\n%s", err, out)
	}
	return strings.TrimSpace(string(out))
}

// explored saves an exploration as a tool does.
func (w *App) explored(t *testing.T) (explore.Result, error) {
	return explore.Save(t.Context(), w.Store, w.Index, explore.Input{Title: "Cart", Fields: explore.Fields{Goals: "- Buy"}, Tool: "a test"})
}

func TestSettle(t *testing.T) {
	by := By{"a test", "session-1"}
	for _, c := range []struct {
		id      string
		section func(Overview) []Item
		refuse  bool
		reason  string
		file    string // whose text shows the action
		want    string // a part of it; "" for gone
	}{
		{"fact-00000000000a", reviewOf, false, "", "facts/fact-00000000000a-t.md", "status: active"},
		{"fact-00000000000a", reviewOf, true, "only tried", "inbox/fact-00000000000a-t.md", "rejected_reason: only tried"},
		{"decision/use-redis", reviewOf, false, "", "decisions/use-redis.md", "Use Redis"},
		{"idea-00000000000d", reviewOf, false, "", "ideas/idea-00000000000d-v.md", "status: active"},
		{"idea-00000000000d", reviewOf, true, "old", "ideas/idea-00000000000d-v.md", "archived_reason: old"},
		{"fact-00000000000f", reviewOf, false, "", "facts/fact-00000000000f-old.md", "refreshed:"},
		{"fact-00000000000f", reviewOf, true, "", "facts/fact-00000000000f-old.md", "status: archived"},
	} {
		w := desk(t)
		before := snapshot(t, w)
		i := find(t, c.section(overview(t, w)), c.id)
		if i.WantsReason() != (c.reason != "") && c.refuse {
			t.Errorf("%s wants a reason: %v", c.id, i.WantsReason())
		}
		do := func() (Outcome, error) { return w.Act(t.Context(), []Item{i}, i.Accept, "", by) }
		if c.refuse {
			do = func() (Outcome, error) { return w.Act(t.Context(), []Item{i}, i.Refuse, c.reason, by) }
		}
		done, err := do()
		if err != nil || done.Action == "" || done.Text == "" {
			t.Errorf("%s: %v %+v", c.id, err, done)
			continue
		}
		if now := snapshot(t, w)["/"+c.file]; !strings.Contains(now, c.want) {
			t.Errorf("%s: %q is not in\n%s", c.id, c.want, now)
		}
		for _, left := range c.section(overview(t, w)) {
			if left.ID == c.id {
				t.Errorf("%s still waits: %+v", c.id, left)
			}
		}
		if _, err := do(); err == nil {
			t.Errorf("%s: what is gone from the list was settled again", c.id)
		}
		if err := w.TakeBack(t.Context(), done.Action); err != nil {
			t.Errorf("%s: %v", c.id, err)
		}
		after := snapshot(t, w)
		for _, made := range []string{"/.gitignore", "/.gitattributes"} { // by the first save
			delete(after, made)
		}
		if d := cmp.Diff(before, after); d != "" {
			t.Errorf("%s was taken back, and this differs:\n%s", c.id, d)
		}
	}
}

func reviewOf(o Overview) []Item { return o.Review }

// TestSettleWhatWasSeen refuses to decide on a text that changed since the overview was read.
func TestSettleWhatWasSeen(t *testing.T) {
	w := desk(t)
	o := overview(t, w)
	for id, file := range map[string]string{
		"fact-00000000000a": "inbox/fact-00000000000a-t.md", "idea-00000000000d": "ideas/idea-00000000000d-v.md", "fact-00000000000f": "facts/fact-00000000000f-old.md",
	} {
		path := filepath.Join(w.Store.Dir(), ".sdd", filepath.FromSlash(file))
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, append(src, "\nAnd more.\n"...), 0o644); err != nil {
			t.Fatal(err)
		}
		before := snapshot(t, w)
		i := find(t, o.Review, id)
		for _, do := range []func() (Outcome, error){
			func() (Outcome, error) { return w.Act(t.Context(), []Item{i}, i.Accept, "", By{}) },
			func() (Outcome, error) { return w.Act(t.Context(), []Item{i}, i.Refuse, "", By{}) },
		} {
			if done, err := do(); !fault.Is(err, fault.Conflict) || done.Action != "" {
				t.Errorf("%s: %v %+v", id, err, done)
			}
		}
		after := snapshot(t, w)
		for _, made := range []string{"/.gitignore", "/.gitattributes"} {
			delete(after, made)
		}
		if d := cmp.Diff(before, after); d != "" {
			t.Errorf("%s: something was written:\n%s", id, d)
		}
	}
	for _, i := range []Item{find(t, o.New, "explore/user-auth"), find(t, o.Conflicts, "explore/broken")} {
		if _, err := w.Act(t.Context(), []Item{i}, i.Accept, "", By{}); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", i.ID, err)
		}
	}
}

// TestSettleConflicts merges again, and puts back what an editor undid.
func TestSettleConflicts(t *testing.T) {
	w := desk(t)
	marks := find(t, overview(t, w).Conflicts, "explore/marks")
	done, err := w.Act(t.Context(), []Item{marks}, marks.Accept, "", By{})
	if err != nil || !done.Open || !strings.Contains(done.Text, "merged by hand") {
		t.Errorf("markers without a base: %v %+v", err, done)
	}
	first, err := explore.Save(t.Context(), w.Store, w.Index, explore.Input{Title: "Cart", Fields: explore.Fields{Goals: "- Pay"}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(w.Store.Dir(), filepath.FromSlash(first.File))
	old, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, refuse := range []bool{false, true} {
		if _, err := explore.Save(t.Context(), w.Store, w.Index, explore.Input{Title: "Cart", Fields: explore.Fields{Unknowns: fmt.Sprintf("- Which bank? %v", refuse)}}); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(strings.Replace(string(old), "- Pay", "- Pay later", 1)), 0o644); err != nil { // an editor with the old text
			t.Fatal(err)
		}
		i := find(t, overview(t, w).Conflicts, "explore/cart")
		if i.State != "overwritten" || i.Accept != "put back" || i.Title != "Cart" {
			t.Errorf("%+v", i)
		}
		if refuse {
			_, err = w.Act(t.Context(), []Item{i}, i.Refuse, "", By{})
		} else {
			_, err = w.Act(t.Context(), []Item{i}, i.Accept, "", By{})
		}
		now, readErr := os.ReadFile(file)
		if err != nil || readErr != nil || strings.Contains(string(now), "Which bank?") == refuse {
			t.Errorf("refuse %v: %v %v\n%s", refuse, err, readErr, now)
		}
		for _, left := range overview(t, w).Conflicts {
			if left.ID == "explore/cart" {
				t.Errorf("refuse %v: it is still listed: %+v", refuse, left)
			}
		}
	}
}

// TestSettleTheQueue approves and rejects what waits in the queue; taken back, it waits in the inbox.
func TestSettleTheQueue(t *testing.T) {
	id := record.HexID("fact", "Logs are JSON.", nil)
	for n, confidence := range []float64{0.6, 0.9, 0.6, 0.9} {
		refuse := n > 1
		w := open(t, map[string]string{"config.yaml": "project: shop\n", "explore/a.md": "---\ntitle: A\n---\n", ".gitignore": "/.local/\n"})
		gitIn(t, w, "init", "-q", "-b", "main")
		gitIn(t, w, "add", "-A")
		gitIn(t, w, "commit", "-qm", "begin")
		commit := gitIn(t, w, "rev-parse", "HEAD")
		queue := filepath.Join(w.Store.Dir(), ".sdd", ".local", "extract")
		if err := os.MkdirAll(queue, 0o755); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{commit + ".json": fmt.Sprintf(queueText, commit, id, confidence), "tips": commit + "\n"} {
			if err := os.WriteFile(filepath.Join(queue, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		i := find(t, overview(t, w).Review, id)
		if i.State != "queued" || i.File != "" || !strings.HasSuffix(i.Note, "0, found in commit "+commit[:10]) {
			t.Errorf("%+v", i)
		}
		var done Outcome
		var err error
		if refuse {
			done, err = w.Act(t.Context(), []Item{i}, i.Refuse, "no", By{})
		} else {
			done, err = w.Act(t.Context(), []Item{i}, i.Accept, "", By{})
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := w.TakeBack(t.Context(), done.Action); err != nil {
			t.Fatal(err)
		}
		o := overview(t, w)
		if i = find(t, o.Review, id); i.State != "pending" || i.File == "" || len(o.New) != 1 {
			t.Errorf("%+v\n%v", i, itemLines(o.New))
		}
	}
}

// TestOverviewIsWhole: what waits is listed whole, and of what is new it is said how to see the rest.
func TestOverviewIsWhole(t *testing.T) {
	files := map[string]string{}
	for n := range 500 + 20 {
		files[fmt.Sprintf("inbox/fact-%012x.md", n+1)] = fmt.Sprintf("---\nid: fact-%012x\nkind: fact\nstatus: pending\n---\n\nNumber %d.\n", n+1, n)
	}
	for n := range mostNew + 1 {
		files[fmt.Sprintf("facts/fact-%012x.md", n+1<<20)] = fmt.Sprintf("---\nid: fact-%012x\ncreated: 2026-01-01\n---\n\nKnown %d.\n", n+1<<20, n)
	}
	o := overview(t, open(t, files))
	if len(o.Review) != 500+20 || o.Waiting != 500+20 || len(o.New) != mostNew || o.Older == "" || !strings.Contains(o.Text(), "\n  older: "+o.Older+"\n") {
		t.Errorf("%d to review, %d wait, %d new, older: %q", len(o.Review), o.Waiting, len(o.New), o.Older)
	}
}
