package prose

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func all(text string) (out []string) {
	words(text, func(w string) { out = append(out, w) })
	return out
}

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"How do I read a file?": "how do i read a file",
		"Path.read_text()":      "path.read_text path read text",
		"__init__ _private a_":  "init private a",
		"HTTPServer readAll x2": "httpserver http server readall read all x2",
		"naïve ÉCOLE 42":        "naïve école 42",
		"日本語です x":               "日本 本語 語で です x",
		"箱":                     "箱",
		"":                      "",
		"--- ... !!!":           "",
		"a\xffb":                "a b",
	} {
		if got := strings.Join(all(text), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func FuzzWords(f *testing.F) {
	f.Add("read_text HTTPServer 日本 \xff _a__B9")
	f.Fuzz(func(t *testing.T, text string) {
		for _, w := range all(text) {
			if w == "" || w != strings.ToLower(w) {
				t.Fatalf("%q gives %q", text, w)
			}
		}
	})
}

func TestQuestion(t *testing.T) {
	for text, want := range map[string]struct {
		content  int
		question bool
	}{
		"how do I read a file": {2, true}, "Path.read_text": {4, false}, "the with statement": {1, false}, "open a box slowly": {3, false}, "timeout?": {1, true}, "": {0, false},
	} {
		if n, q := Question(text); n != want.content || q != want.question {
			t.Errorf("%q: %d %v", text, n, q)
		}
	}
}

// library is a small index; reverse adds the words of passages in another order.
func library() *Index {
	b := NewBuilder()
	b.Page("boxes.html")
	b.Add("open", "Opening a box", "Boxes", "A box is opened with a lever. Mind the lid.")
	b.Add("close", "Closing", "Boxes", "Press the lid down until it clicks.")
	b.Add("", "Boxes", "Boxes", "Boxes keep things.")
	b.Page("changelog.html")
	b.Add("v2", "Version 2", "Changes", "Opening a box with a lever is possible now.")
	b.Page("empty.html")
	b.Add("x", "", "", "...")
	b.Page("levers.html")
	for i := range 5 {
		b.Add(fmt.Sprint("l", i), "Lever", "Levers", fmt.Sprintf("Lever number %d moves.", i))
	}
	return b.Index()
}

func TestSearch(t *testing.T) {
	ix := library()
	if len(ix.Passages) != 9 {
		t.Errorf("%d passages", len(ix.Passages))
	}
	first := func(query string) string {
		hits := ix.Search(query, 5, 2)
		if len(hits) == 0 {
			return ""
		}
		return hits[0].Page + "#" + hits[0].Anchor
	}
	for query, want := range map[string]string{
		"how do I open a box with a lever": "boxes.html#open", "close the lid": "boxes.html#close", "what is kept in boxes": "boxes.html#", "the of and": "boxes.html#close",
		"zebra": "", "": "", "moving levers": "levers.html#l0",
	} {
		if got := first(query); got != want {
			t.Errorf("%q: %q, want %q", query, got, want)
		}
	}
	if hits := ix.Search("levers that move", 5, 2); len(hits) > 4 || hits[0].Title != "Lever" {
		t.Errorf("more than two of a page: %v", hits)
	}
	if hits := ix.Search("lever", 1, 2); len(hits) != 1 {
		t.Errorf("%v", hits)
	}
	if hits := NewBuilder().Index().Search("box", 5, 2); len(hits) != 0 {
		t.Errorf("of nothing: %v", hits)
	}
	for range 5 {
		if again := library(); !bytes.Equal(again.Bytes(), ix.Bytes()) || !slices.Equal(again.Search("box lid lever", 9, 9), ix.Search("box lid lever", 9, 9)) {
			t.Error("the same passages make another index")
		}
	}
}

// TestRead takes back what was kept, and nothing that is damaged.
func TestRead(t *testing.T) {
	data := library().Bytes()
	ix, ok := Read(bytes.Clone(data))
	if !ok || len(ix.Search("box", 5, 5)) == 0 {
		t.Fatal("an index is not read")
	}
	for i := range data {
		bad := bytes.Clone(data)
		bad[i] ^= 0x40
		if _, ok := Read(bad); ok {
			t.Fatalf("byte %d is another, and it is read", i)
		}
		if _, ok := Read(data[:i]); ok {
			t.Fatalf("it ends at %d, and is read", i)
		}
	}
	if _, ok := Read(append(bytes.Clone(data), 0)); ok {
		t.Error("it goes on, and is read")
	}
}
