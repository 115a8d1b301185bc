package index

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"sdd/internal/longtest"
	"sdd/internal/record"
	"sdd/internal/store"
)

// outlineOf is what the index takes from a record.
func outlineOf(r record.Record) string {
	r.Preamble, r.PreambleLine, r.Writable = "", 0, false
	var b strings.Builder
	for _, s := range r.Sections {
		fmt.Fprintf(&b, "%d %q\n", s.Line, s.Name)
	}
	r.Sections = nil
	return fmt.Sprintf("%+v\n%s", r, b.String())
}

func sameWithoutText(t *testing.T, src string) {
	t.Helper()
	d := record.Defaults{Project: "demo", Limits: record.Limits{File: 1 << 20}}
	for _, file := range []string{"explore/a.md", "decisions/a.md", "facts/a.md"} {
		want := outlineOf(record.Parse(file, []byte(src), d))
		if got := outlineOf(parseRecord(file, []byte(src), d)); got != want {
			t.Fatalf("%s %q:\n got %s\nwant %s", file, src, got, want)
		}
	}
}

var oddLines = []string{
	"# A", "## Goals", "## Goals", "### Deep", "text", "text goes on", "", "", "- item", "- a", "  more of it", "* x", "+ y", "1. one", "2) two", "**bold** text", "`code` text",
	"```", "~~~", "> quote", "===", "---", "-", "***", "<div>", "<!--", "-->", "    indented", "\ttab", "  ## in a list", "- ## in an item", "1. # one",
	"[x]: /url", "[x]: /url '", "'", "| a | b |", "|---|---|", "##", "#", "##tag", "## closed ##", "\\## no", "## trailing  ", "        eight", "         nine", "&nbsp;", "a\r", "\r", "_x_", "!img", "- - -", "-\t## x", "* ", "#\tTab", "## Context {#id}",
	"<<<<<<< a", "=======", ">>>>>>> b", "$$", "%%", ": x", "[^1]: note", "2026 plans", "10. # ten", "é", "\u2028## x", "\u00a0## x", "title: x",
}

func TestSkeletonKeepsTheStructure(t *testing.T) {
	for seed := range longtest.Of[uint64](1000, 4000) {
		r := rand.New(rand.NewPCG(seed, 3))
		var b strings.Builder
		switch r.IntN(4) {
		case 0:
			b.WriteString("---\ntitle: T\nproject: x\n---\n")
		case 1:
			b.WriteString([]string{"---\n", "--- \nx: 1\n---\n", "---\r\nx: 1\r\n---\r\n", "---\nx: [\n---\n", "\ufeff---\nx: 1\n---\n"}[r.IntN(5)])
		}
		for range r.IntN(9) {
			b.WriteString(oddLines[r.IntN(len(oddLines))])
			if r.IntN(12) > 0 {
				b.WriteString("\n")
			}
		}
		sameWithoutText(t, b.String())
	}
}

func TestSkeletonIsTaken(t *testing.T) {
	for _, text := range []string{
		"# A\n\nsome text\nand more\n\n## Goals\n\n- one\n- two\n  goes on\n\n1. first\n\n## Context\n\nend",
		"---\ntitle: T\n---\n\n## Goals\n\n**bold** and `code`\n",
	} {
		if _, ok := skeleton([]byte(text)); !ok {
			t.Errorf("%q has no skeleton", text)
		}
	}
	a := parse("explore/a.md", []byte("# A\n\ntext\n\n## Goals\n\ntext\n"), store.Stat{}, record.Defaults{})
	if a.Etag != record.Etag([]byte("# A\n\ntext\n\n## Goals\n\ntext\n")) || a.Size != 26 {
		t.Errorf("%+v", a.Entry)
	}
}

func FuzzSkeleton(f *testing.F) {
	f.Add("# A\n\n- x\n## B\n")
	f.Add(strings.Join(oddLines, "\n"))
	for _, l := range oddLines {
		f.Add("text\n" + l + "\n## H\n")
	}
	f.Fuzz(func(t *testing.T, src string) { sameWithoutText(t, src) })
}
