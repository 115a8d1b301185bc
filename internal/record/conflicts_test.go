package record

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestConflictMarkers(t *testing.T) {
	block := "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> branch\n"
	for _, c := range []struct {
		name, src string
		line      int
	}{
		{"none", "## Goals\n\ntext\n", 0},
		{"setext underline", "Title\n=======\n\ntext\n", 0},
		{"a block", "## Goals\n\n" + block, 3},
		{"crlf", "## Goals\r\n\r\n" + strings.ReplaceAll(block, "\n", "\r\n"), 3},
		{"diff3", "<<<<<<< a\nx\n||||||| base\ny\n=======\nz\n>>>>>>> b\n", 1},
		{"after a byte order mark", "\ufeff" + block, 1},
		{"no labels", "<<<<<<<\nx\n=======\ny\n>>>>>>>\n", 1},
		{"no newline at the end", "<<<<<<< a\nx\n=======\ny\n>>>>>>> b", 1},
		{"longer markers", "<<<<<<<<<< a\nx\n==========\ny\n>>>>>>>>>> b\n", 1},
		{"short markers", "<<<<<< a\nx\n======\ny\n>>>>>> b\n", 0},
		{"lengths differ", "<<<<<<< a\nx\n========\ny\n>>>>>>> b\n", 0},
		{"setext of another length inside", "<<<<<<< a\nx\n=========\nz\n=======\ny\n>>>>>>> b\n", 1},
		{"indented", "    <<<<<<< a\n    x\n    =======\n    y\n    >>>>>>> b\n", 0},
		{"quoted", "> <<<<<<< a\n> x\n> =======\n> y\n> >>>>>>> b\n", 0},
		{"one is missing", "<<<<<<< a\nx\n=======\ny\n", 0},
		{"wrong order", ">>>>>>> a\nx\n=======\ny\n<<<<<<< b\n", 0},
		{"words behind the equal signs", "<<<<<<< a\nx\n======= no\ny\n>>>>>>> b\n", 0},
		{"an arrow of text", "<<<<<<<a\nx\n=======\ny\n>>>>>>> b\n", 0},
		{"an opening that was text", "<<<<<<< a\n\n<<<<<<< b\nx\n=======\ny\n>>>>>>> c\n", 3},
		{"the second", "```\n" + block + "```\n\n" + block, 9},
		{"in front matter", "---\ntitle: a\n<<<<<<< a\nrevision: 2\n=======\nrevision: 3\n>>>>>>> b\n---\n", 3},
		{"documented", "## Goals\n\n```\n" + block + "```\n\nmore\n", 0},
		{"documented with tildes", "~~~ text\n" + block + "~~~\n", 0},
		{"documented at the end", "```\n" + block + "```", 0},
		{"documented below front matter", "---\ntitle: a\n---\n```\n" + block + "```\n", 0},
		{"fence not closed", "```\n" + block, 2},
		{"fence closed before", "```\ncode\n```\n" + block, 4},
		{"fence of a list", "- a\n  ```\n" + block + "  ```\n", 3},
		{"fence of a list, documented", "- a\n  ```\n  <<<<<<< a\n  x\n  =======\n  y\n  >>>>>>> b\n  ```\n", 0},
		{"a conflict over the end of a fence", "```\n<<<<<<< a\nx\n```\n=======\ny\n>>>>>>> b\n```\nz\n```\n", 2},
		{"a conflict over two fences", "```\n<<<<<<< a\nx\n```\ny\n```\n=======\nz\n>>>>>>> b\n```\n", 2},
		{"documented, then a fence not closed", "```\n" + block + "```\n\n## Goals\n\n```\nx\n", 0},
		{"in a comment", "<!--\n" + block + "-->\n", 2},
		{"documented in a longer fence", "````\n```\n" + block + "```\n````\n", 0},
	} {
		if got := ConflictMarkers([]byte(c.src)); got != c.line {
			t.Errorf("%s: line %d, want %d", c.name, got, c.line)
		}
	}
}

func TestFenced(t *testing.T) {
	block := "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> branch\n"
	bare := "<<<<<<<\nx\n=======\ny\n>>>>>>>\n"
	type fenced struct {
		line     int
		text     string
		labelled bool
	}
	for _, c := range []struct {
		name, src string
		want      []fenced
	}{
		{"none", "```\ncode\n```\n", nil},
		{"a conflict", block, nil},
		{"an example", "a\n\n```\n" + block + "```\n", []fenced{{4, block, true}}},
		{"without labels", "~~~\n" + bare + "~~~\n", []fenced{{2, bare, false}}},
		{"an example and a conflict", "```\n" + bare + "```\n\n" + block + "\n```\n" + block + "```\n", []fenced{{2, bare, false}, {16, block, true}}},
	} {
		var got []fenced
		for _, b := range Fenced([]byte(c.src)) {
			got = append(got, fenced{b.Line, c.src[b.At[0]:b.At[1]], b.Labelled()})
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestConflictMarkersLinear parses a large file of conflicts once, not once for each.
func TestConflictMarkersLinear(t *testing.T) {
	src := "```\n" + strings.Repeat("<<<<<<< a\n=======\n>>>>>>> b\n", 1<<15) + "```\n"
	if n := ConflictMarkers([]byte(src)); n != 0 {
		t.Errorf("line %d", n)
	}
}

func TestParts(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []Part
	}{
		{"none", "- a\n", []Part{{Text: "- a\n"}}},
		{"heading", "a\n=======\nb\n", []Part{{Text: "a\n=======\nb\n"}}},
		{"one", "- a\n<<<<<<< HEAD\n- b\n=======\n- c\n>>>>>>> topic x\n- d\n", []Part{{Text: "- a\n"}, {Ours, "HEAD", "- b\n"}, {Theirs, "topic x", "- c\n"}, {Text: "- d\n"}}},
		{"with the base", "<<<<<<< HEAD\n||||||| 12ab\nb\n=======\nc\n>>>>>>> x\n", []Part{{Ours, "HEAD", ""}, {Before, "12ab", "b\n"}, {Theirs, "x", "c\n"}}},
		{"begins here", "a\n<<<<<<< HEAD\nb\n", []Part{{Text: "a\n"}, {Ours, "HEAD", "b\n"}}},
		{"ends here", "b\n=======\nc\n>>>>>>> x\n", []Part{{Text: "b\n"}, {Theirs, "x", "c\n"}}},
		{"documented", "```\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> x\n```\n", []Part{{Text: "```\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> x\n```\n"}}},
	} {
		if diff := cmp.Diff(c.want, Parts(c.text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	if got, want := InWords("a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> x\nd\n"),
		"a\n\n(merge conflict, one side, HEAD)\n\nb\n\n(the other side, x)\n\nc\n\n(end of the merge conflict)\n\nd\n"; got != want {
		t.Errorf("in words: %q", got)
	}
}
