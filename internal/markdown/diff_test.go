package markdown

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sdd/internal/longtest"
)

// told writes a diff as lines, which are easier to read than the values.
func told(diff []SectionDiff) string {
	var b strings.Builder
	for _, s := range diff {
		fmt.Fprintf(&b, "%s %s", s.Name, s.Kind)
		if s.Was != "" {
			fmt.Fprintf(&b, " was %s", s.Was)
		}
		if !s.MeaningChanged {
			b.WriteString("form")
		}
		b.WriteString("\n")
		for _, i := range s.Items {
			fmt.Fprintf(&b, "  %d %s", i.Line, i.Kind)
			if i.To != "" {
				fmt.Fprintf(&b, " to %s", i.To)
			}
			if i.From != "" {
				fmt.Fprintf(&b, " from %s", i.From)
			}
			if i.Old != "" {
				fmt.Fprintf(&b, " -%q", i.Old)
			}
			if i.New != "" {
				fmt.Fprintf(&b, " +%q", i.New)
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

func TestDiff(t *testing.T) {
	const list = "## Goals\n\n- Reads stay fast.\n- Writes are durable.\n- Merges do not conflict.\n"
	for _, test := range []struct{ name, a, b, want string }{
		{"same", list, list, ""},
		{"added", list, list + "- Diffs say what changed.\n", "Goals \n  6 added +\"Diffs say what changed.\"\n"},
		{"removed", list, strings.Replace(list, "- Writes are durable.\n", "", 1), "Goals \n  4 removed -\"Writes are durable.\"\n"},
		{"removed first", list, strings.Replace(list, "- Reads stay fast.\n", "", 1), "Goals \n  3 removed -\"Reads stay fast.\"\n"},
		{"reworded", list, strings.Replace(list, "durable", "durable and atomic", 1), "Goals \n  4 reworded -\"Writes are durable.\" +\"Writes are durable and atomic.\"\n"},
		{
			"replaced", list, strings.Replace(list, "Writes are durable.", "Everything else is new.", 1),
			"Goals \n  4 removed -\"Writes are durable.\"\n  4 added +\"Everything else is new.\"\n",
		},
		{
			"changed in place", "## Goals\n\n- Use SQLite\n- Use Go\n", "## Goals\n\n- Use Postgres now\n- Use Go\n",
			"Goals \n  3 changed -\"Use SQLite\" +\"Use Postgres now\"\n",
		},
		{
			"moved", list, "## Goals\n\n- Merges do not conflict.\n- Reads stay fast.\n- Writes are durable.\n",
			"Goals \n  3 moved -\"Merges do not conflict.\" +\"Merges do not conflict.\"\n",
		},
		{
			"moved and reworded", list, "## Goals\n\n- Merges do never conflict.\n- Reads stay fast.\n- Writes are durable.\n",
			"Goals \n  3 reworded -\"Merges do not conflict.\" +\"Merges do never conflict.\"\n",
		},
		{
			"moved to another section", "## Unknowns\n\n- Which database?\n- Who writes?\n\n## Decisions\n\n- Go.\n", "## Unknowns\n\n- Who writes?\n\n## Decisions\n\n- Go.\n- Which database?\n",
			"Unknowns \n  3 moved to Decisions -\"Which database?\"\nDecisions \n  8 moved from Unknowns -\"Which database?\" +\"Which database?\"\n",
		},
		{"ticked", "## Goals\n\n- [ ] Parse\n", "## Goals\n\n- [x] Parse\n", "Goals \n  3 changed -\"[ ] Parse\" +\"[x] Parse\"\n"},
		{"box in another form", "## Goals\n\n- [X] Parse\n", "## Goals\n\n- [x]  Parse\n", "Goals form\n"},
		{"wrapped", "## Goals\n\n- One two three.\n", "## Goals\n\n- One\n  two three.\n", "Goals form\n"},
		{"prose wrapped", "## Goals\n\nOne two three.\n", "## Goals\n\nOne\ntwo three.\n", "Goals form\n"},
		{"markers", list, strings.ReplaceAll(list, "- ", "* "), "Goals form\n"},
		{"numbered", "## A\n\n1. a b\n2. c d\n", "## A\n\n1. x y\n2. a b\n3. c d\n", "A \n  3 added +\"x y\"\n"},
		{"trailing space", list, strings.Replace(list, "fast.", "fast.  ", 1), "Goals form\n"},
		{"line ends", list, strings.ReplaceAll(list, "\n", "\r\n"), " form\nGoals form\n"},
		{"final line end", list, strings.TrimSuffix(list, "\n"), "Goals form\n"},
		{"blank lines", list, strings.Replace(list, "\n\n", "\n\n\n", 1), "Goals form\n"},
		{"indented", "## A\n\n- a\n  - b\n", "## A\n\n- a\n    - b\n", "A form\n"},
		{"rule", "a\n\n---\n\nb\n", "a\n\n***\n\nb\n", " form\n"},
		{
			"nested", "## A\n\n- parent one\n  - child one\n- parent two\n", "## A\n\n- parent one\n- parent two\n  - child one\n  - child two\n",
			"A \n  5 moved -\"child one\" +\"child one\"\n  6 added +\"child two\"\n",
		},
		{"nested moves with its parent", "## A\n\n- parent one\n  - child one\n- parent two\n- parent three\n", "## A\n\n- parent two\n- parent three\n- parent one\n  - child one\n", "A \n  5 moved -\"parent one\" +\"parent one\"\n"},
		{"section added", list, list + "\n## Context\n\nIt is 2026.\n", "Context added\n  9 added +\"It is 2026.\"\n"},
		{"section removed", list + "\n## Context\n\nIt is 2026.\n\n## Notes\n", list + "\n## Notes\n", "Context removed\n  9 removed -\"It is 2026.\"\n"},
		{"section renamed", list, strings.Replace(list, "Goals", "Aims", 1) + "- New.\n", "Aims reworded was Goals\n  6 added +\"New.\"\n"},
		{"section moved", "## A\n\na\n\n## B\n\nb\n\n## C\n\nc\n", "## B\n\nb\n\n## C\n\nc\n\n## A\n\na\n", "A moved\n"},
		{"title", "# Search\n\n" + list, "# Finding\n\n" + list, "Finding reworded was Search\n"},
		{"preamble", "Intro text here.\n\n" + list, "Intro text there.\n\n" + list, " \n  1 reworded -\"Intro text here.\" +\"Intro text there.\"\n"},
		{
			"code", "```\na\nb\nc\n```\n", "```\na\nx\nc\nd\n```\n",
			" \n  3 changed -\"b\" +\"x\"\n  5 added +\"d\"\n",
		},
		{"code spaces", "```\na  b\n```\n", "```\na b\n```\n", " \n  2 changed -\"a  b\" +\"a b\"\n"},
		{"code removed", "text\n\n```\na\n```\n", "text\n", " \n  3 removed -\"```\\na\\n```\"\n"},
		{"table", "| a | b |\n|---|---|\n| 1 | 2 |\n", "| a | b |\n|---|---|\n| 1 | 3 |\n", " \n  3 changed -\"| 1 | 2 |\" +\"| 1 | 3 |\"\n"},
		{"table aligned", "| a | b |\n|---|---|\n| 1 | 2 |\n", "| a  | b  |\n|----|----|\n| 1  | 2  |\n", " form\n"},
		{"prose replaced", "## A\n\nOne thing.\n", "## A\n\nWholly different words.\n", "A \n  3 changed -\"One thing.\" +\"Wholly different words.\"\n"},
		{"new subheading", "## A\n\n- a\n- b\n", "## A\n\n- a\n\n### Then\n\n- b\n", "A \n  5 added +\"Then\"\n"},
		{"below another subheading", "## A\n\n### X\n\n- a\n\n### Y\n\n- b\n", "## A\n\n### X\n\n### Y\n\n- b\n- a\n", "A \n  8 moved -\"a\" +\"a\"\n"},
		{"subheading", "## A\n\n### Then\n\n- a\n", "## A\n\n### Now and then\n\n- a\n", "A \n  3 reworded -\"Then\" +\"Now and then\"\n"},
		{"from nothing", "", "- a\n", " \n  1 added +\"a\"\n"},
		{"to nothing", "- a\n", "", " \n  1 removed -\"a\"\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, told(Diff([]byte(test.a), []byte(test.b)))); diff != "" {
				t.Error(diff)
			}
			if d := Diff([]byte(test.b), []byte(test.b)); d != nil {
				t.Errorf("a text differs from itself: %v", d)
			}
		})
	}
}

// TestDiffBranches tests that what a random branch did is what the diff tells, and no more.
func TestDiffBranches(t *testing.T) {
	for i := range longtest.Of(100, 500) {
		g := &generator{Rand: rand.New(rand.NewPCG(4, uint64(i)))}
		base := g.base(14)
		m, c := g.branch(base, true)
		got := map[ItemKind]int{}
		has := map[string]bool{}
		for _, s := range Diff(base.bytes(), m.bytes()) {
			for _, item := range s.Items {
				if item.To == "" {
					got[item.Kind]++
				}
				has[item.New] = true
				if line := linesOf(string(m.bytes())); item.New != "" && strings.TrimSpace(line[item.Line-1]) != "- "+item.New {
					t.Fatalf("branch %d: line %d is %q, want %q", i, item.Line, line[item.Line-1], item.New)
				}
			}
		}
		moved := 0
		for id := range c.moved {
			if !c.reworded[id] && !c.deleted[id] {
				moved++
			}
		}
		for id := range c.deleted {
			delete(c.reworded, id)
		}
		for sec, items := range base { // to another section and reworded as well: not known again
			for _, item := range items {
				gone := !slices.ContainsFunc(m[sec], func(x modelItem) bool { return x.id == item.id })
				if c.reworded[item.id] && c.moved[item.id] && gone {
					delete(c.reworded, item.id)
					c.added[item.id], c.deleted[item.id] = true, true
				}
			}
		}
		told := told(Diff(base.bytes(), m.bytes()))
		for _, items := range m {
			for _, item := range items {
				if (c.added[item.id] || c.reworded[item.id]) && !has[item.text] {
					t.Fatalf("branch %d: %q is not told\n%s", i, item.text, told)
				}
			}
		}
		// A deletion beside an addition may be told as a change, so only sums are sure.
		lost := got[Removed] + got[Changed]
		if got[Added]+got[Changed]+got[Reworded] != len(c.added)+len(c.reworded) || got[Moved] != moved ||
			lost < len(c.deleted)-got[Reworded] || lost > len(c.deleted) {
			t.Fatalf("branch %d: added %d, reworded %d, deleted %d, moved %d, but the diff is\n%s",
				i, len(c.added), len(c.reworded), len(c.deleted), moved, told)
		}
	}
}

func FuzzDiff(f *testing.F) {
	f.Add([]byte("## A\n\n- a\n- b\n"), []byte("## A\n\n- b\n- c\n"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		diff := Diff(a, b)
		if len(diff) == 0 != (string(a) == string(b)) {
			t.Errorf("%q and %q: %v", a, b, diff)
		}
		if again := Diff(a, b); told(again) != told(diff) {
			t.Errorf("%q and %q: %v, then %v", a, b, diff, again)
		}
	})
}
