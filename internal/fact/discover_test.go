package fact

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sdd/internal/fault"
)

// project makes a small Go project.
func project(t testing.TB) *fixture {
	f := newFixture(t)
	f.write("go.mod", "module example.com/shop\n\ngo 1.26\n")
	f.write("main.go", "package main\n\nfunc main() {}\n")
	f.write("Makefile", "build:\n\tgo build ./...\n\ntest:\n\tgo test ./...\n")
	return f
}

func (f *fixture) discover(force bool) Discovered {
	f.t.Helper()
	got, err := f.Discover(context.Background(), force)
	if err != nil {
		f.t.Fatal(err)
	}
	return got
}

// about returns the live facts of discovery on something.
func (f *fixture) about(key string) (live []Fact) {
	f.t.Helper()
	all, err := f.All(context.Background())
	if err != nil {
		f.t.Fatal(err)
	}
	for _, one := range all {
		if one.Parent == discoveredFrom+key && one.Live() {
			live = append(live, one)
		}
	}
	return live
}

// once fails when two facts that count are about the same thing, or say the same.
func (f *fixture) once() {
	f.t.Helper()
	all, err := f.All(context.Background())
	if err != nil {
		f.t.Fatal(err)
	}
	seen := map[string]string{}
	for _, one := range all {
		for _, key := range []string{one.Parent, one.Content} {
			if key == "" || !one.Live() {
				continue
			}
			if seen[key] != "" {
				f.t.Errorf("%s and %s: %s", seen[key], one.ID, key)
			}
			seen[key] = one.ID
		}
	}
}

func TestDiscover(t *testing.T) {
	f := project(t)
	first := f.discover(false)
	if !first.Performed || first.Created < 5 || first.Created != len(first.Facts) || first.Why != "there is no fact of level 0" {
		t.Fatalf("%+v", first)
	}
	name := f.about("name")
	if len(name) != 1 || name[0].Source != "go.mod" || name[0].Level != 0 || !strings.Contains(name[0].Content, "shop") {
		t.Errorf("%+v", name)
	}
	f.once()
	before := f.files()
	for _, force := range []bool{false, true} {
		again := f.discover(force)
		if again.Performed != force || again.Created+again.Updated+again.Retired != 0 || len(again.Warnings) != 0 {
			t.Errorf("again: %+v", again)
		}
	}
	if !slices.Equal(before, f.files()) {
		t.Error("the files changed")
	}
}

// TestDiscoverAfterAFact discovers although somebody was first to add a fact of level 0.
func TestDiscoverAfterAFact(t *testing.T) {
	f := project(t)
	mine := f.add(Input{Content: "Amounts are kept in cents"})
	if got := f.discover(false); !got.Performed || got.Created < 5 || got.Why != "the project was not looked at yet" {
		t.Errorf("%+v", got)
	}
	f.add(Input{Content: "Another one"})
	if got := f.discover(false); got.Performed || f.get(mine.ID).State != active {
		t.Errorf("%+v", got)
	}
}

func TestDiscoverEmptyFolder(t *testing.T) {
	f := newFixture(t)
	got := f.discover(false)
	if got.Created < 5 {
		t.Errorf("%+v", got)
	}
	for _, s := range got.Facts {
		if one := f.get(s.ID); one.Source == "" || one.Level != 0 {
			t.Errorf("%+v", one)
		}
	}
}

// TestDiscoverAgain changes the project: only what it concerns changes.
func TestDiscoverAgain(t *testing.T) {
	f := project(t)
	f.discover(false)
	readme := f.about("absent:readme")
	if len(readme) != 1 {
		t.Fatal(readme)
	}
	text := map[string]string{}
	for _, name := range f.files() {
		text[name] = f.read(name)
	}
	f.write("go.mod", "module example.com/shop\n\ngo 1.27\n")
	got := f.discover(false)
	if !got.Performed || got.Updated != 1 || got.Created != 0 || got.Retired != 0 || got.Why != "go.mod changed" {
		t.Errorf("%+v", got)
	}
	changed := 0
	for name, was := range text {
		if now := f.read(name); now != was {
			changed++
			if !strings.Contains(now, "status: superseded") || !strings.Contains(now, "superseded_by: "+got.Facts[0].ID) || !strings.Contains(now, "valid_until: ") {
				t.Errorf("%s:\n%s", name, now)
			}
		}
	}
	if changed != 1 {
		t.Errorf("%d files changed", changed)
	}
	if now := f.about("runtime:go"); len(now) != 1 || !strings.Contains(now[0].Content, "1.27") {
		t.Errorf("%+v", now)
	}
	f.write("README.md", "# Shop\n\nSells things to people.\n")
	if got := f.discover(false); got.Retired != 1 || got.Created == 0 || len(f.about("absent:readme")) != 0 {
		t.Errorf("a README came: %+v", got)
	}
	if one := f.get(readme[0].ID); one.Status != superseded || one.SupersededBy != "" || one.ValidUntil == "" {
		t.Errorf("it is not true any more: %+v", one)
	}
	if err := os.Remove(filepath.Join(f.dir, "README.md")); err != nil {
		t.Fatal(err)
	}
	f.discover(false)
	if one := f.get(readme[0].ID); one.State != active || one.ValidUntil != "" || len(f.about("purpose")) != 0 {
		t.Errorf("it is true again: %+v", one)
	}
	f.write("go.mod", "module example.com/shop\n\ngo 1.26\n")
	f.discover(false)
	if now := f.about("runtime:go"); len(now) != 1 || !strings.Contains(now[0].Content, "1.26") || now[0].SupersededBy != "" {
		t.Errorf("back to the first: %+v", now)
	}
	f.once()
}

// TestDiscoverRespectsPeople edits, archives and deletes what was found: it stays so.
func TestDiscoverRespectsPeople(t *testing.T) {
	f := project(t)
	f.discover(false)
	edited, archive, gone, annotated := f.about("runtime:go")[0], f.about("absent:licence")[0], f.about("absent:ci")[0], f.about("name")[0]
	f.write(edited.File, strings.Replace(f.read(edited.File), "Go 1.26", "Go 1.26 or a later one", 1))
	f.write(annotated.File, strings.Replace(f.read(annotated.File), "level: 0", "level: 0\ndomain: all # mine", 1))
	f.act("archive", archive.ID)
	if err := os.Remove(filepath.Join(f.dir, filepath.FromSlash(gone.File))); err != nil {
		t.Fatal(err)
	}
	words, note := f.read(edited.File), f.read(annotated.File)
	mine := f.add(Input{Content: "Sells things"})
	f.write("go.mod", "module example.com/shop\n\ngo 1.27\n")
	got := f.discover(false)
	if !got.Performed || got.Kept != 3 || got.Created+got.Updated+got.Retired != 0 {
		t.Errorf("%+v", got)
	}
	if f.read(edited.File) != words || f.read(annotated.File) != note || f.get(archive.ID).State != archived || len(f.about("absent:ci")) != 0 || f.get(mine.ID).State != active {
		t.Error("what people did is undone")
	}
	if got := f.discover(true); got.Created != 1 || len(f.about("absent:ci")) != 1 || f.read(edited.File) != words || f.get(archive.ID).State != archived {
		t.Errorf("asked for: %+v", got)
	}
	// What it says of a thing that a person edited is not found to be untrue either.
	if err := os.Remove(filepath.Join(f.dir, "go.mod")); err != nil {
		t.Fatal(err)
	}
	f.discover(false)
	if f.read(edited.File) != words {
		t.Error("an edited fact was retired")
	}
	f.once()
}

func TestDiscoverWhen(t *testing.T) {
	f := project(t)
	f.git("init", "-q")
	f.git("add", "-A")
	f.git("commit", "-qm", "first")
	f.discover(false)
	state := filepath.Join(f.dir, ".sdd", ".local", stateName)
	start := f.now

	f.now = start.AddDate(0, 0, 29)
	if got := f.discover(false); got.Performed {
		t.Errorf("after 29 days: %+v", got)
	}
	f.now = start.AddDate(0, 0, 31)
	if got := f.discover(false); !got.Performed || got.Why != "30 days have passed" {
		t.Errorf("after 31 days: %+v", got)
	}
	// A clock that jumped ahead and comes back starts anew, once.
	f.now = start.AddDate(20, 0, 0)
	f.discover(false)
	f.now = start
	for range 2 {
		if got := f.discover(false); got.Performed {
			t.Errorf("the clock came back: %+v", got)
		}
	}
	f.now = start.AddDate(0, 0, 31)
	if got := f.discover(false); !got.Performed {
		t.Errorf("a month after the clock came back: %+v", got)
	}
	// Lost state is noted; from then on changes count again.
	if err := os.RemoveAll(filepath.Join(f.dir, ".sdd", ".local")); err != nil {
		t.Fatal(err)
	}
	got := f.discover(false)
	if _, err := os.Stat(state); err != nil || got.Performed || got.Why == "" || len(got.Warnings) != 1 {
		t.Errorf("lost: %+v, %v", got, err)
	}
	if got := f.discover(false); got.Performed || len(got.Warnings) != 0 {
		t.Errorf("noted: %+v", got)
	}
	f.write("go.mod", "module example.com/shop\n\ngo 1.27\n")
	if got := f.discover(false); got.Updated != 1 {
		t.Errorf("a change after it was noted: %+v", got)
	}
	// State that cannot be read is lost.
	if err := os.WriteFile(state, []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := f.discover(false); got.Performed || got.Why == "" {
		t.Errorf("broken state: %+v", got)
	}
	// Another place of the same repository is the same, another repository is not.
	moved := filepath.Join(t.TempDir(), "moved")
	if err := os.CopyFS(moved, os.DirFS(f.dir)); err != nil {
		t.Fatal(err)
	}
	g := open(t, moved)
	g.now = f.now
	if got := g.discover(false); got.Performed {
		t.Errorf("another place: %+v", got)
	}
	if err := os.RemoveAll(filepath.Join(moved, ".git")); err != nil {
		t.Fatal(err)
	}
	g.git("init", "-q")
	g.git("add", "main.go")
	g.git("commit", "-qm", "another one")
	if got := g.discover(false); !got.Performed || got.Why != "the repository is another one" {
		t.Errorf("another repository: %+v", got)
	}
	// No L0 left: all of it again.
	if err := os.RemoveAll(filepath.Join(f.dir, ".sdd", "facts")); err != nil {
		t.Fatal(err)
	}
	if got := f.discover(false); !got.Performed || got.Created < 5 {
		t.Errorf("nothing left: %+v", got)
	}
}

// TestDiscoverStopped takes up a discovery that was stopped half-way.
func TestDiscoverStopped(t *testing.T) {
	f := project(t)
	all := f.discover(false).Created
	for _, name := range f.files()[2:] {
		if err := os.Remove(filepath.Join(f.dir, filepath.FromSlash(name))); err != nil {
			t.Fatal(err)
		}
	}
	f.writeState(discoveryState{Pending: true})
	if f.hasProject(); len(f.files()) != 2 {
		t.Fatal(f.files())
	}
	got := f.discover(false)
	if !got.Performed || len(f.files()) != all || got.Unchanged != 2 {
		t.Errorf("%+v, %d of %d files", got, len(f.files()), all)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := f.Discover(ctx, true); err == nil {
		t.Error("a stopped call says it is done")
	}
}

// TestDiscoverBranches has two branches find out different things: after the merge one of them holds.
func TestDiscoverBranches(t *testing.T) {
	f := project(t)
	f.git("init", "-q", "-b", "main")
	f.git("add", "-A")
	f.git("commit", "-qm", "first")
	f.discover(false)
	f.git("add", "-A")
	f.git("commit", "-qm", "facts")
	f.git("checkout", "-q", "-b", "other")
	f.write("Makefile", "build:\n\tmake all\n\ntest:\n\tgo test ./...\n\nlint:\n\tgo vet ./...\n")
	if got := f.discover(false); got.Created+got.Updated == 0 {
		t.Fatalf("%+v", got)
	}
	f.git("add", "-A")
	f.git("commit", "-qm", "lint")
	f.git("checkout", "-q", "main")
	f.write("README.md", "# Shop\n\nSells things to people.\n")
	f.discover(false)
	f.git("add", "-A")
	f.git("commit", "-qm", "readme")
	f.git("merge", "-q", "-m", "both", "other")
	f.discover(false)
	f.once()
	if len(f.about("purpose")) != 1 || len(f.about("absent:readme")) != 0 || len(f.about("lint:make")) != 1 {
		t.Errorf("%v %v %v", f.about("purpose"), f.about("absent:readme"), f.about("lint:make"))
	}
}

// TestDiscoverUnreadable keeps facts of a manifest that is broken for the moment.
func TestDiscoverUnreadable(t *testing.T) {
	f := project(t)
	f.write("package.json", `{"name": "shop-web", "scripts": {"lint": "eslint ."}, "dependencies": {"react": "^19.0.0"}}`)
	f.discover(false)
	was := f.about("lint:npm")
	f.write("package.json", `{"name": "shop-web", "scripts": {"lint": "eslint ."`)
	got := f.discover(false)
	if len(got.Warnings) == 0 || len(was) != 1 || len(f.about("lint:npm")) != 1 {
		t.Errorf("%+v, %v", got, f.about("lint:npm"))
	}
}

// TestDiscoverReadOnly answers from memory where nothing can be written.
func TestDiscoverReadOnly(t *testing.T) {
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("nothing is read-only here")
	}
	f := project(t)
	if err := os.Chmod(f.dir, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(f.dir, 0o755) })
	f.inMemory()
}

// TestDiscoverBlocked is the same for whoever may write anywhere: a file stands where the store would be.
func TestDiscoverBlocked(t *testing.T) {
	f := project(t)
	f.write(".sdd/facts", "no folder")
	f.inMemory()
}

func (f *fixture) inMemory() {
	t := f.t
	t.Helper()
	got := f.discover(false)
	if !got.Performed || len(got.Facts) < 5 || got.Created != 0 || len(got.Warnings) != 1 {
		t.Fatalf("%+v", got)
	}
	if len(f.about("name")) != 1 {
		t.Error("what was found is not there")
	}
	if one := f.get(got.Facts[0].ID); one.File != "" || one.State != active {
		t.Errorf("%+v", one)
	}
	again := f.discover(false)
	if again.Performed || len(again.Warnings) != 1 || len(f.about("name")) != 1 {
		t.Errorf("again: %+v", again)
	}
	if _, err := f.Add(context.Background(), Input{Content: "x"}); !fault.Is(err, fault.Unwritable) && !fault.Is(err, fault.Broken) {
		t.Errorf("stored: %v", err)
	}
}

// TestDiscoverAtOnce has several discover at the same time.
func TestDiscoverAtOnce(t *testing.T) {
	f := project(t)
	var work sync.WaitGroup
	for range 3 {
		g := open(t, f.dir)
		g.Facts.now = time.Now
		work.Go(func() {
			if _, err := g.Discover(context.Background(), false); err != nil {
				t.Error(err)
			}
		})
	}
	work.Wait()
	f.once()
	if len(f.files()) < 5 {
		t.Error(f.files())
	}
}
