package merge

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sdd/internal/lines"
	"sdd/internal/record"
)

func TestSplit(t *testing.T) {
	type is struct{ Ours, Base, Theirs, Labels string }
	for _, c := range []struct {
		name, src string
		want      []is
	}{
		{"none", "# a\n\n=======\n\ntext\n", nil},
		{"plain", "a\n<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> one\nb\n", []is{{"x\n", "-", "y\n", "HEAD,,one"}}},
		{"with base", "<<<<<<< HEAD\nx\n||||||| 1a2b3c4\nz\n=======\ny\n>>>>>>> one\n", []is{{"x\n", "z\n", "y\n", "HEAD,1a2b3c4,one"}}},
		{"empty base", "<<<<<<< HEAD\n|||||||\n=======\ny\n>>>>>>> one\n", []is{{"", "", "y\n", "HEAD,,one"}}},
		{"two", "<<<<<<< a\nx\n=======\n>>>>>>> b\n\n<<<<<<< a\n=======\ny\n>>>>>>> b\n", []is{{"x\n", "-", "", "a,,b"}, {"", "-", "y\n", "a,,b"}}},
		{"CRLF", "<<<<<<< a\r\nx\r\n=======\r\ny\r\n>>>>>>> b\r\n", []is{{"x\r\n", "-", "y\r\n", "a,,b"}}},
		{"longer", "<<<<<<<<< a\n<<<<<<< not\n=========\ny\n>>>>>>>>> b\n", []is{{"<<<<<<< not\n", "-", "y\n", "a,,b"}}},
		{"no end", "<<<<<<< a\nx\n=======\ny\n", nil},
		{"in a fence", "```\n<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n```\n", nil},
		{"one in a fence, one not", "```\n<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n```\n\n<<<<<<< c\nx\n=======\ny\n>>>>>>> d\n", []is{{"x\n", "-", "y\n", "c,,d"}}},
		{"no final line end", "<<<<<<< a\nx\n=======\ny\n>>>>>>> b", []is{{"x\n", "-", "y\n", "a,,b"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []is
			for _, b := range split([]byte(c.src)).blocks {
				base := "-"
				if b.HasBase {
					base = b.Base
				}
				got = append(got, is{b.Ours, base, b.Theirs, b.Labels.Ours + "," + b.Labels.Base + "," + b.Labels.Theirs})
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// FuzzSplit: every byte is in what stands around the blocks, in one of their sides or in their marker lines.
func FuzzSplit(f *testing.F) {
	f.Add("a\n<<<<<<< HEAD\nx\n||||||| b\nz\n=======\ny\n>>>>>>> one\nb\n")
	f.Add("```\n<<<<<<< a\n=======\n>>>>>>> b\n```\n<<<<<<<< c\n========\n>>>>>>>> d")
	f.Fuzz(func(t *testing.T, src string) {
		m := split([]byte(src))
		var back []byte
		for i, text := range m.common {
			back = append(back, text...)
			if i == len(m.blocks) {
				break
			}
			b := m.blocks[i]
			var marks []string
			for _, at := range b.Marks {
				marks = append(marks, string(lines.First([]byte(src)[at:])))
			}
			back = append(back, marks[0]...)
			back = append(back, b.Ours...)
			if b.HasBase {
				back = append(back, marks[1]...)
				back = append(back, b.Base...)
			}
			back = append(back, marks[len(marks)-2]...)
			back = append(back, b.Theirs...)
			back = append(back, marks[len(marks)-1]...)
		}
		if string(back) != src {
			t.Errorf("%q came back as %q", src, back)
		}
		if len(m.blocks) > 0 != (record.ConflictMarkers([]byte(src)) > 0) {
			t.Errorf("%d blocks, a record has its first conflict in line %d", len(m.blocks), record.ConflictMarkers([]byte(src)))
		}
	})
}

// TestShownBase: with the base between the markers, the three versions can be had back, as far as they conflict.
func TestShownBase(t *testing.T) {
	base := "---\ntitle: A\nrevision: 1\n---\n\n## Goals\n\n- one\n- two\n\n## Context\n\ntext\n"
	ours := strings.NewReplacer("title: A", "title: B", "- two", "- two ours", "text", "our text", "revision: 1", "revision: 2").Replace(base)
	theirs := strings.NewReplacer("title: A", "title: C", "- two", "- two theirs", "revision: 1", "revision: 2").Replace(base)
	for _, ends := range []string{"\n", "\r\n"} {
		v := Versions{}
		for text, dst := range map[string]*[]byte{base: &v.Base, ours: &v.Ours, theirs: &v.Theirs} {
			*dst = []byte(strings.ReplaceAll(text, "\n", ends))
		}
		m, err := File(context.Background(), ".sdd/explore/a.md", v, Labels{MarkerSize: 9}, true)
		if err != nil || len(m.Conflicts) != 2 {
			t.Fatalf("%v, conflicts %+v", err, m.Conflicts)
		}
		s := split(m.Out)
		if len(s.blocks) != 2 || !s.complete() {
			t.Fatalf("%d blocks in\n%s", len(s.blocks), m.Out)
		}
		want := strings.NewReplacer("text", "our text", "revision: 1", "revision: 3").Replace(base)
		if got := s.sides().Base; string(got) != strings.ReplaceAll(want, "\n", ends) {
			t.Errorf("the base is\n%s", got)
		}
		if again, ok := withoutConflicts(m.Out); !ok || !bytes.Equal(again, s.sides().Base) {
			t.Errorf("as a base it reads\n%s", again)
		}
	}
}

func TestKindAt(t *testing.T) {
	for path, want := range map[string]record.Kind{
		".sdd/explore/a.md": record.Exploration, "x y/.sdd/facts/sub/a.md": record.Fact, "/abs/.sdd/ideas/a.md": record.Idea,
		`a\.sdd\inbox\a.md`: record.Candidate, ".sdd/.sdd/decisions/a.md": record.Decision,
		"explore/a.md": "", ".sdd/config.yaml": "", ".sdd/views/a.md": "", "a.sdd/explore/a.md": "", "": "",
	} {
		if got, ok := KindAt(path); got != want || ok != (want != "") {
			t.Errorf("%q is %q, want %q", path, got, want)
		}
	}
}

func BenchmarkFile(b *testing.B) {
	var text strings.Builder
	text.WriteString("---\ntitle: A\nrevision: 1\n---\n")
	for _, s := range strings.Fields("Goals Constraints Preferences Unknowns Decisions Context Notes") {
		text.WriteString("\n## " + s + "\n\n")
		for i := range 14 {
			text.WriteString("- item " + strings.Repeat(s+" ", 6) + string(rune('a'+i)) + "\n")
		}
	}
	base := text.String()
	v := Versions{[]byte(base), []byte(strings.Replace(base, "## Unknowns\n\n", "## Unknowns\n\n- ours\n", 1)),
		[]byte(strings.Replace(base, "## Unknowns\n\n", "## Unknowns\n\n- theirs\n", 1))}
	for b.Loop() {
		if m, err := File(context.Background(), ".sdd/explore/a.md", v, Labels{}, false); err != nil || !m.Clean {
			b.Fatal(err, string(m.Out))
		}
	}
}
