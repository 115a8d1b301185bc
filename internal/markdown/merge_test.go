package markdown

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// checkConflicts tests that each conflict's line is that of its markers and texts.
func checkConflicts(t *testing.T, m Merged) {
	t.Helper()
	lines := strings.SplitAfter(strings.TrimPrefix(string(m.Out), "\ufeff"), "\n")
	for _, c := range m.Conflicts {
		rest := strings.Join(lines[c.Line-1:], "")
		rest = strings.ReplaceAll(rest, "\r\n", "\n")
		want := strings.ReplaceAll("<<<<<<< ours\n"+c.Ours+"=======\n"+c.Theirs+">>>>>>> theirs\n", "\r\n", "\n")
		if !strings.HasPrefix(rest, want) {
			t.Errorf("line %d is not the conflict\n%s", c.Line, want)
		}
	}
	if n := bytes.Count(m.Out, []byte("<<<<<<< ours")); n != len(m.Conflicts) {
		t.Errorf("%d marks for %d conflicts", n, len(m.Conflicts))
	}
}

func TestMergeLabels(t *testing.T) {
	base, ours, theirs := []byte("## Goals\n\n- Use SQLite\n"), []byte("## Goals\n\n- Use Postgres\n"), []byte("## Goals\n\n- Use MySQL\n")
	m := Merge(base, ours, theirs, nil, MergeLabels{Ours: "HEAD", Theirs: "topic: a change", MarkerSize: 9})
	want := "## Goals\n\n<<<<<<<<< HEAD\n- Use Postgres\n=========\n- Use MySQL\n>>>>>>>>> topic: a change\n"
	if string(m.Out) != want {
		t.Errorf("got %q, want %q", m.Out, want)
	}
	conflict := []MergeConflict{{Section: "Goals", Base: "- Use SQLite\n", Ours: "- Use Postgres\n", Theirs: "- Use MySQL\n", Line: 3}}
	if diff := cmp.Diff(conflict, m.Conflicts); diff != "" {
		t.Error(diff)
	}
}

// TestMergeAgainAlike merges a side into a result again whose new item could be a rewording of the deleted one: with the side that has neither,
// that is a conflict, which shows the item.
func TestMergeAgainAlike(t *testing.T) {
	deleted, added := "- Shared cache drops search writes journal lists\n", "- Lists cannot answer cache search agent drops SQLite\n"
	base, ours, theirs := []byte("## Goals\n\n"+deleted), []byte("## Goals\n"), []byte("## Goals\n\n"+deleted+added)
	m := Merge(base, ours, theirs, nil, MergeLabels{})
	if want := "## Goals\n\n" + added; string(m.Out) != want || len(m.Conflicts) > 0 {
		t.Fatalf("got %q, want %q", m.Out, want)
	}
	if again := Merge(base, m.Out, theirs, nil, MergeLabels{}); !bytes.Equal(again.Out, m.Out) {
		t.Errorf("with the side that has both: %q", again.Out)
	}
	conflict := []MergeConflict{{Section: "Goals", Base: deleted, Ours: added, Line: 3}}
	if diff := cmp.Diff(conflict, Merge(base, m.Out, ours, nil, MergeLabels{}).Conflicts); diff != "" {
		t.Error(diff)
	}
}

// TestMergePastLimits tests that texts which cannot be parsed are merged by lines.
func TestMergePastLimits(t *testing.T) {
	deep := strings.Repeat("> ", 2*maxDepth) + "deep\n\n"
	base, ours, theirs := "one\n\ntwo\n\n"+deep+"three\n", "one, ours\n\ntwo\n\n"+deep+"three\n", "one\n\ntwo\n\n"+deep+"three, theirs\n"
	m := Merge([]byte(base), []byte(ours), []byte(theirs), nil, MergeLabels{})
	if want := "one, ours\n\ntwo\n\n" + deep + "three, theirs\n"; string(m.Out) != want || len(m.Conflicts) > 0 {
		t.Errorf("got %q", m.Out)
	}
	m = Merge([]byte(base), []byte(ours), []byte(strings.Replace(base, "one", "One", 1)), nil, MergeLabels{})
	if len(m.Conflicts) != 1 || m.Conflicts[0].Ours != "one, ours\n" {
		t.Errorf("conflicts: %+v", m.Conflicts)
	}
}

// TestMergeLong tests that texts far larger than a record come through: one section with 20,000 items,
// each changed by both sides or by one, in order or not.
func TestMergeLong(t *testing.T) {
	base, ours, theirs := longSection(20000)
	m := Merge(base, ours, theirs, nil, MergeLabels{})
	if len(m.Conflicts) > 0 {
		t.Fatalf("%d conflicts", len(m.Conflicts))
	}
	for _, side := range [][]byte{ours, theirs} {
		changed := 0
		in := map[string]bool{}
		for line := range strings.Lines(string(m.Out)) {
			in[line] = true
		}
		was := map[string]bool{}
		for line := range strings.Lines(string(base)) {
			was[line] = true
		}
		for line := range strings.Lines(string(side)) {
			if !was[line] {
				changed++
				if !in[line] {
					t.Fatalf("%q is lost", line)
				}
			}
		}
		if changed != 2000 {
			t.Fatalf("%d items changed", changed)
		}
	}
	// Both sides rewrote everything: no item of either may be lost, nor two versions of one be kept as two.
	again, _, _ := longSection(300)
	g := &generator{Rand: rand.New(rand.NewPCG(9, 9))}
	rewrite := func() []byte {
		var b strings.Builder
		for line := range strings.Lines(string(again)) {
			if text, ok := strings.CutPrefix(line, "- "); ok {
				line = "- " + reword(g.Rand, strings.TrimSpace(text)) + "\n"
			}
			b.WriteString(line)
		}
		return []byte(b.String())
	}
	if m := Merge(again, rewrite(), rewrite(), nil, MergeLabels{}); len(m.Conflicts) < 290 {
		t.Errorf("%d conflicts of 300", len(m.Conflicts))
	}
}
