package record

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sdd/internal/frontmatter"
	"sdd/internal/markdown"
)

func merge(base, ours, theirs string) Merged {
	return Merge(Exploration, []byte(base), []byte(ours), []byte(theirs), markdown.MergeLabels{Ours: "a", Theirs: "b"})
}

const mergeBase = "---\ntitle: A # topic\nrevision: 3\nmine: [x]\n---\n\n## Goals\n\n- one\n- two\n\n## Context\n\ntext\n"

func TestMerge(t *testing.T) {
	edit := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(mergeBase) }
	for _, c := range []struct{ name, base, ours, theirs, want string }{
		{
			"other sections", mergeBase,
			edit("revision: 3", "revision: 4", "- one", "- ONE"),
			edit("revision: 3", "revision: 5", "text", "more text"),
			edit("revision: 3", "revision: 6", "- one", "- ONE", "text", "more text"),
		},
		{
			"same number", mergeBase,
			edit("revision: 3", "revision: 4", "- two\n", "- two\n- three\n"),
			edit("revision: 3", "revision: 4", "text", "more text"),
			edit("revision: 3", "revision: 5", "- two\n", "- two\n- three\n", "text", "more text"),
		},
		{
			"equal but for the revision", mergeBase,
			edit("revision: 3", "revision: 4", "text", "new"),
			edit("revision: 3", "revision: 6", "text", "new"),
			edit("revision: 3", "revision: 6", "text", "new"),
		},
		{
			"one has all of the other", mergeBase,
			edit("revision: 3", "revision: 6", "text", "new", "- one", "- 1"),
			edit("revision: 3", "revision: 4", "text", "new"),
			edit("revision: 3", "revision: 6", "text", "new", "- one", "- 1"),
		},
		{
			"keys of both", mergeBase,
			edit("revision: 3", "revision: 4", "mine: [x]", "mine: [x, y]"),
			edit("revision: 3", "revision: 4", "# topic", "# the topic"),
			edit("revision: 3", "revision: 5", "mine: [x]", "mine: [x, y]", "# topic", "# the topic"),
		},
		{
			"no revision in base", "---\ntitle: A\n---\n\n## Goals\n\nx\n\n## Context\n\ny\n",
			"---\ntitle: A\nrevision: 2\n---\n\n## Goals\n\nX2\n\n## Context\n\ny\n",
			"---\ntitle: A\nrevision: 2\n---\n\n## Goals\n\nx\n\n## Context\n\nY2\n",
			"---\ntitle: A\nrevision: 3\n---\n\n## Goals\n\nX2\n\n## Context\n\nY2\n",
		},
		{
			"no front matter on one side", "# A\n\n## Goals\n\nx\n",
			"---\ntitle: A\nrevision: 2\n---\n\n# A\n\n## Goals\n\nx2\n",
			"# A\n\n## Goals\n\nx\n\n## Context\n\nnew\n",
			"---\ntitle: A\nrevision: 2\n---\n\n# A\n\n## Goals\n\nx2\n\n## Context\n\nnew\n",
		},
		{
			"made on both sides", "",
			"---\ntitle: A\nrevision: 1\ncreated: \"2026-11-20\"\n---\n\n## Goals\n\nx\n",
			"---\ntitle: A\nrevision: 2\ncreated: \"2026-11-19\"\n---\n\n## Context\n\ny\n",
			"---\ntitle: A\nrevision: 2\ncreated: \"2026-11-19\"\n---\n\n## Goals\n\nx\n\n## Context\n\ny\n",
		},
		{
			"CRLF kept", strings.ReplaceAll(mergeBase, "\n", "\r\n"),
			strings.ReplaceAll(edit("revision: 3", "revision: 4", "- one", "- ONE"), "\n", "\r\n"),
			strings.ReplaceAll(edit("revision: 3", "revision: 4", "text", "more"), "\n", "\r\n"),
			strings.ReplaceAll(edit("revision: 3", "revision: 5", "- one", "- ONE", "text", "more"), "\n", "\r\n"),
		},
		{
			"BOM kept", "\ufeff" + mergeBase,
			"\ufeff" + edit("revision: 3", "revision: 4", "- one", "- ONE"),
			"\ufeff" + edit("revision: 3", "revision: 4", "text", "more"),
			"\ufeff" + edit("revision: 3", "revision: 5", "- one", "- ONE", "text", "more"),
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := merge(c.base, c.ours, c.theirs)
			if diff := cmp.Diff(c.want, string(m.Out)); diff != "" || len(m.Conflicts) > 0 {
				t.Errorf("conflicts %+v (-want +got):\n%s", m.Conflicts, diff)
			}
			laws(t, c.base, c.ours, c.theirs, m)
		})
	}
}

// laws checks what holds for every clean merge: symmetric, and idempotent to the revision.
func laws(t *testing.T, base, ours, theirs string, m Merged) {
	t.Helper()
	swapped := merge(base, theirs, ours)
	if len(m.Conflicts) != len(swapped.Conflicts) {
		t.Errorf("swapped: conflicts %+v, else %+v", swapped.Conflicts, m.Conflicts)
	}
	if len(m.Conflicts) > 0 {
		return
	}
	if !bytes.Equal(swapped.Out, m.Out) {
		t.Errorf("swapped (-ours +theirs first):\n%s", cmp.Diff(string(m.Out), string(swapped.Out)))
	}
	for name, side := range map[string]string{"ours": ours, "theirs": theirs} {
		if again := merge(base, string(m.Out), side); !bytes.Equal(again.Out, m.Out) {
			t.Errorf("%s merged in again (-once +again):\n%s", name, cmp.Diff(string(m.Out), string(again.Out)))
		}
	}
}

func TestMergeConflict(t *testing.T) {
	ours := strings.NewReplacer("revision: 3", "revision: 4", "title: A", "title: B", "\ntext", "\nmine").Replace(mergeBase)
	theirs := strings.NewReplacer("revision: 3", "revision: 4", "title: A", "title: C", "\ntext", "\nyours").Replace(mergeBase)
	m := merge(mergeBase, ours, theirs)
	want := "---\n<<<<<<< a\ntitle: B # topic\n=======\ntitle: C # topic\n>>>>>>> b\nrevision: 5\nmine: [x]\n---\n\n" +
		"## Goals\n\n- one\n- two\n\n## Context\n\n<<<<<<< a\nmine\n=======\nyours\n>>>>>>> b\n"
	if diff := cmp.Diff(want, string(m.Out)); diff != "" {
		t.Errorf("conflict (-want +got):\n%s", diff)
	}
	wantConflicts := []Conflict{{"title", 2, "A", "B", "C"}, {"Context", 18, "text\n", "mine\n", "yours\n"}}
	if diff := cmp.Diff(wantConflicts, m.Conflicts); diff != "" {
		t.Errorf("conflicts (-want +got):\n%s", diff)
	}
	for _, c := range m.Conflicts {
		if l := strings.Split(string(m.Out), "\n")[c.Line-1]; !strings.HasPrefix(l, "<<<<<<< ") {
			t.Errorf("line %d is %q", c.Line, l)
		}
	}
	if ConflictMarkers(m.Out) != 2 {
		t.Errorf("the conflict is found in line %d", ConflictMarkers(m.Out))
	}
	laws(t, mergeBase, ours, theirs, m)
}

// TestMergeBranches merges random pairs of branches, each of which changes one or two sections
// as the tool does, and a third one into the result.
func TestMergeBranches(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	word := func() string { return fmt.Sprintf("word%d", rnd.IntN(1e6)) }
	branch := func(base []byte) []byte {
		out := base
		for range 1 + rnd.IntN(2) {
			i := rnd.IntN(len(ExplorationSections))
			c := markdown.Change{Section: ExplorationSections[i], Op: markdown.Append, Text: "- " + word() + " " + word() + " " + word()}
			r := Parse("explore/a.md", out, own)
			if rnd.IntN(3) == 0 && len(r.Sections) > i {
				items := strings.Split(r.Sections[i].Text, "\n")
				items[rnd.IntN(len(items))] += " and " + word()
				c = markdown.Change{Section: ExplorationSections[i], Text: strings.Join(items, "\n")}
			}
			u, err := Edit(out, Exploration, []frontmatter.Set{set("revision", r.Revision+1)}, []markdown.Change{c})
			if err != nil {
				t.Fatal(err)
			}
			out = u.Out
		}
		return out
	}
	var b strings.Builder
	b.WriteString("---\ntitle: A\nproject: sdd\nscope: project\nrevision: 3\ncreated: 2026-11-20\n---\n")
	for _, s := range ExplorationSections {
		fmt.Fprintf(&b, "\n## %s\n\n", s.Name)
		for range 4 {
			fmt.Fprintf(&b, "- %s %s %s %s\n", word(), word(), word(), word())
		}
	}
	base := []byte(b.String())
	conflicts := 0
	for range 100 {
		ours, theirs, third := branch(base), branch(base), branch(base)
		m := merge(string(base), string(ours), string(theirs))
		laws(t, string(base), string(ours), string(theirs), m)
		if len(m.Conflicts) > 0 {
			conflicts++
			continue
		}
		if got, want := revision(m.Out), revision(ours)+revision(theirs)-revision(base); got != want {
			t.Errorf("revision %d, want %d", got, want)
		}
		left := merge(string(base), string(m.Out), string(third))
		right := merge(string(base), string(ours), string(merge(string(base), string(theirs), string(third)).Out))
		if len(left.Conflicts)+len(right.Conflicts) == 0 && revision(left.Out) != revision(right.Out) {
			t.Errorf("three branches: revision %d or %d", revision(left.Out), revision(right.Out))
		}
	}
	if conflicts > 10 {
		t.Errorf("%d of 100 pairs conflict", conflicts)
	}
	t.Logf("%d of 100 pairs conflict", conflicts)
}

// TestMergeRevisions merges random pairs that often change the same: the revision is ours + theirs − base where each side brings
// something, and the larger where one side has all of the other.
func TestMergeRevisions(t *testing.T) {
	rnd := rand.New(rand.NewPCG(19, 1))
	branch := func(base []byte) []byte {
		out := base
		for range 1 + rnd.IntN(4) {
			r := Parse("explore/a.md", out, own)
			i := rnd.IntN(2)
			items := strings.Split(strings.TrimSuffix(r.Sections[i].Text, "\n"), "\n")
			switch k := rnd.IntN(len(items)); rnd.IntN(3) {
			case 0:
				items = append(items, fmt.Sprintf("- added number %d", rnd.IntN(3)))
			case 1:
				items[k] = strings.TrimSuffix(items[k], " again") + " again"
			default:
				if len(items) > 1 {
					items = append(items[:k], items[k+1:]...)
				}
			}
			u, err := Edit(out, Exploration, []frontmatter.Set{set("revision", r.Revision+1)}, []markdown.Change{{Section: ExplorationSections[i], Text: strings.Join(items, "\n")}})
			if err != nil {
				t.Fatal(err)
			}
			out = u.Out
		}
		return out
	}
	base := []byte("---\ntitle: A\nrevision: 3\n---\n\n## Goals\n\n- one thing here\n- two things there\n- three of all\n\n## Constraints\n\n- no more than four\n- never any five\n")
	says := func(src []byte) string {
		u, err := Edit(src, Exploration, []frontmatter.Set{{Key: "revision"}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return string(u.Out)
	}
	larger, sums := 0, 0
	for range 300 {
		ours, theirs := branch(base), branch(base)
		m := merge(string(base), string(ours), string(theirs))
		if len(m.Conflicts) > 0 {
			continue
		}
		want := revision(ours) + revision(theirs) - revision(base)
		if out := says(m.Out); out == says(ours) || out == says(theirs) {
			want = max(revision(ours), revision(theirs))
			larger++
		} else {
			sums++
		}
		if got := revision(m.Out); got != want {
			t.Errorf("revision %d, want %d\n--- ours\n%s--- theirs\n%s--- out\n%s", got, want, ours, theirs, m.Out)
		}
		laws(t, string(base), string(ours), string(theirs), m)
	}
	if larger < 10 || sums < 10 {
		t.Errorf("%d times the larger, %d times the sum", larger, sums)
	}
	t.Logf("%d times the larger, %d times the sum", larger, sums)
}

func BenchmarkMerge(b *testing.B) {
	base := benchRecord()
	ours, err := Edit(base, Exploration, []frontmatter.Set{set("revision", 8)}, []markdown.Change{{Section: ExplorationSections[0], Op: markdown.Append, Text: "- new here"}})
	if err != nil {
		b.Fatal(err)
	}
	theirs, err := Edit(base, Exploration, []frontmatter.Set{set("revision", 8)}, []markdown.Change{{Section: ExplorationSections[3], Op: markdown.Append, Text: "- new there"}})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if m := Merge(Exploration, base, ours.Out, theirs.Out, markdown.MergeLabels{}); len(m.Conflicts) > 0 {
			b.Fatal(m.Conflicts)
		}
	}
}

// Two branches that learn the same make the same file, and no conflict.
func TestMergeOfOneLearning(t *testing.T) {
	ours := "---\nid: idea-2a230bdde318\ncolor: yellow\nstatus: active\nscope: global\nagents:\n  - flo-002\nimpact: low\nvalidated: true\ncreated: \"2026-11-21T13:57:08Z\"\n---\n\nSame thing\n"
	theirs := "---\nid: idea-2a230bdde318\ncolor: yellow\nstatus: active\nscope: local\nparent: WEB-1\nagents:\n  - ed-001\nimpact: low\nvalidated: false\ncreated: \"2026-11-21T13:57:07Z\"\n---\n\nSame thing\n"
	var outs []string
	for _, sides := range [][2]string{{ours, theirs}, {theirs, ours}} {
		m := Merge(Idea, nil, []byte(sides[0]), []byte(sides[1]), markdown.MergeLabels{})
		if len(m.Conflicts) > 0 {
			t.Errorf("conflicts %+v", m.Conflicts)
		}
		for _, want := range []string{"scope: global\n", "validated: true\n", "created: \"2026-11-21T13:57:07Z\"\n", "- ed-001\n", "- flo-002\n", "parent: WEB-1\n", "Same thing\n"} {
			if !strings.Contains(string(m.Out), want) {
				t.Errorf("%q is not in\n%s", want, m.Out)
			}
		}
		outs = append(outs, string(m.Out))
	}
	if outs[0] != outs[1] {
		t.Errorf("not symmetric:\n%s\n%s", outs[0], outs[1])
	}
}
