package codesearch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sdd/internal/tokens"
)

// A long function is cut to its name and the lines that match; its file has one header; the answer takes its budget.
func TestLongFunctionsAreCut(t *testing.T) {
	dir := t.TempDir()
	for i := range 30 {
		var b strings.Builder
		fmt.Fprintf(&b, "package a\n\n// work%d works.\nfunc work%d() {\n", i, i)
		for k := range 200 {
			fmt.Fprintf(&b, "\tstep%d(%d)\n", k, i)
			if k == 20 || k == 120 {
				b.WriteString("\tflushSpool()\n")
			}
		}
		fmt.Fprintf(&b, "}\n\nfunc other%d() {\n\tflushSpool()\n}\n", i)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("part%02d.go", i)), []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s := configured(t, dir, Options{}, nil)
	for _, budget := range []int{1000, 3000, 10_000} {
		r := find(t, s, Query{Query: "flush the spool", MaxTokens: budget})
		text := r.Text()
		if got := tokens.Count(text); got > budget || got < budget*95/100 {
			t.Errorf("budget %d: the text has %d tokens", budget, got)
		}
		first := text[:strings.Index(text, "```\n")]
		if !strings.Contains(first, "\n⋮ ") || strings.Count(first, "flushSpool") < 2 || !strings.Contains(first, "\nfunc work") {
			t.Errorf("budget %d: the first file is\n%s", budget, first)
		}
		headers := map[string]int{}
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "```go source=") {
				headers[strings.Split(line, ":")[0]]++
			}
		}
		for h, n := range headers {
			if n > 1 {
				t.Errorf("budget %d: %d headers %s", budget, n, h)
			}
		}
	}
}

// A line that costs more than an answer does not keep the other files out.
func TestHugeLine(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"notes.md": "# flushSpool\n\nflushSpool " + strings.Repeat("flushSpool again ", 3000) + "\n",
		"a.go":     "package a\n\nfunc flushSpool() {\n\tdrain()\n}\n",
		"b.go":     "package a\n\n// flushSpool flushes the spool\nconst table = \"" + strings.Repeat("x=1:", 1100) + "\" +\n\t\"" + strings.Repeat("y=2:", 1100) + "\"\nconst flushSpoolTable = table // of flushSpool\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r := find(t, configured(t, dir, Options{}, nil), Query{Query: "flushSpool", MaxTokens: 1000})
	if !strings.Contains(r.Text(), "drain()") || !strings.Contains(r.Text(), "flushSpoolTable") {
		t.Errorf("the function or the table's name is missing:\n%s", r.Text())
	}
}

// The function that answers comes before the lines of its file that only use it, and a short function that forwards comes after it.
func TestDefinitionFirst(t *testing.T) {
	dir := t.TempDir()
	var b strings.Builder
	b.WriteString("package a\n\nfunc run() {\n\tspool(flush)\n}\n\nfunc flushSpool() { flushSpoolNow() }\n\n")
	b.WriteString("// flushSpoolNow flushes the spool.\nfunc flushSpoolNow() {\n")
	for i := range 12 {
		fmt.Fprintf(&b, "\twriteSpool(%d)\n", i)
	}
	b.WriteString("}\n")
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	r := find(t, configured(t, dir, Options{}, nil), Query{Query: "where is the spool flushed"})
	if first := r.Snippets[0]; first.StartLine != 9 || first.EndLine != 23 {
		t.Errorf("the first range is %d-%d\n%s", first.StartLine, first.EndLine, r.Text())
	}
}

// The lines below a range of another source are a range of their own, which has its own source and records.
func TestSourcesStayApart(t *testing.T) {
	list := []candidate{
		{Snippet: Snippet{Path: "a.go", StartLine: 1, EndLine: 2, Text: "one\ntwo", Source: sourceRAG}},
		{Snippet: Snippet{Path: "a.go", StartLine: 3, EndLine: 3, Text: "three", Source: sourceGrep}, score: 1, about: []About{{"fact-000000000000", 3, 3}}},
	}
	all := sheetsOf(list)
	for _, s := range all {
		for i := range s.rows {
			s.rows[i].shown = true
		}
	}
	out, matched := all.shown(list)
	if len(out) != 2 || matched != 1 || out[0].Text != "one\ntwo" || out[0].Records != nil || out[1].Source != sourceGrep || len(out[1].Records) != 1 {
		t.Errorf("%+v, %d matches", out, matched)
	}
}

// A line that is all that several files show is in the answer once, with its other places.
func TestEqualLinesOnce(t *testing.T) {
	dir := t.TempDir()
	for i, name := range []string{"a.go", "b.go", "c.go", "d.go"} {
		text := "package a\n" + strings.Repeat("\n", i) + "// The spool drains when the day ends.\n"
		if name == "d.go" {
			text += "// It drains once.\nvar drains = 1\n"
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r := find(t, configured(t, dir, Options{}, nil), Query{Pattern: "drains"})
	text := r.Text()
	if n := strings.Count(text, "The spool drains when the day ends"); n != 2 {
		t.Errorf("the line is there %d times, want in the first file and in the one with more lines:\n%s", n, text)
	}
	all := 0
	for _, s := range r.Snippets {
		for _, c := range s.Copies {
			all += len(c.Places)
			if want := fmt.Sprintf("\nline %d is also at %s\n", c.Line, strings.Join(c.Places, ", ")); !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
	}
	if all != 2 {
		t.Errorf("%d other places, want 2:\n%s", all, text)
	}
}
