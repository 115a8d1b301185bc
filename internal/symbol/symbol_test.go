package symbol

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/symbols.txt")

// samples returns the files of testdata by name.
func samples(t testing.TB) map[string]string {
	all := map[string]string{}
	files, _ := filepath.Glob("testdata/*.*")
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if name := filepath.Base(f); name != "symbols.txt" {
			all[name] = string(src)
		}
	}
	return all
}

func names(all map[string]string) []string {
	var names []string
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// TestSymbols compares the symbols of each sample with testdata/symbols.txt.
func TestSymbols(t *testing.T) {
	var b strings.Builder
	all := samples(t)
	for _, name := range names(all) {
		fmt.Fprintf(&b, "== %s\n", name)
		for _, s := range Parse(name, []byte(all[name])).Symbols {
			fmt.Fprintf(&b, "%d-%d %s %s\n", s.First, s.Last, s.Kind, s.Name)
		}
	}
	if *update {
		if err := os.WriteFile("testdata/symbols.txt", []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, _ := os.ReadFile("testdata/symbols.txt")
	got := strings.Split(b.String(), "\n")
	for i, line := range strings.Split(string(want), "\n") {
		if i >= len(got) || got[i] != line {
			t.Fatalf("line %d of symbols.txt: got %q, want %q", i+1, got[min(i, len(got)-1)], line)
		}
	}
}

// prints lists the symbols of a file with their fingerprints, without lines.
func prints(f *File) string {
	var b strings.Builder
	for _, s := range f.Symbols {
		fmt.Fprintf(&b, "%s %s %s %d\n", s.Kind, s.Name, s.Print, s.Size)
	}
	return b.String() + f.Print()
}

// TestLayout changes comments, blank lines, line ends and, where it has no meaning, the indentation.
func TestLayout(t *testing.T) {
	for name, src := range samples(t) {
		want := prints(Parse(name, []byte(src)))
		check := func(how, changed string) {
			if got := prints(Parse(name, []byte(changed))); got != want {
				t.Errorf("%s %s:\n%s", name, how, difference(want, got))
			}
		}
		check("with CRLF", strings.ReplaceAll(src, "\n", "\r\n"))
		check("with a BOM", "\ufeff"+src)
		comment, indents := "// it's a { comment\n", true
		switch filepath.Ext(name) {
		case ".py", ".yaml":
			comment, indents = "# it's a { comment\n", false
		case ".rb":
			comment, indents = "# it's a { comment\n", false
		case ".sh":
			comment = "# it's a { comment\n"
		case ".sql":
			comment = "-- it's a { comment\n"
		case ".md":
			continue
		}
		var b, in strings.Builder
		for i, line := range strings.SplitAfter(src, "\n") {
			if free(name, src, i) {
				b.WriteString("\n" + comment)
				if line != "" && line != "\n" && indents {
					in.WriteString("   ")
				}
			}
			b.WriteString(line)
			in.WriteString(line)
		}
		check("with comments", b.String())
		if indents {
			check("indented", in.String())
		}
	}
}

// free reports whether a comment may be put before line i, from 0: no string or preprocessor line goes on there.
func free(name, src string, i int) bool {
	lines := strings.SplitAfter(src, "\n")
	before := strings.Join(lines[:i], "")
	if i > 0 && strings.HasSuffix(strings.TrimSpace(lines[i-1]), `\`) || strings.HasSuffix(name, ".php") && i == 0 {
		return false
	}
	if strings.HasSuffix(name, ".yaml") {
		return yamlLine.MatchString(lines[i])
	}
	probe := func(s string) int { return len(Parse(name, []byte(s)).toks) }
	return probe(before+"\nzz9\n") == probe(before+"\nzz9 zz9\n")-1 &&
		probe(before+"\nzz9\n") == probe(before+"\nzz9 "+quoteOf(name)+"zz9 zz9"+quoteOf(name)+"\n")-1
}

var yamlLine = regexp.MustCompile(`^ *(- )?("[^"]+"|[a-z-]+):( |$)`)

func quoteOf(name string) string { return `"` }

func difference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("want %s\ngot  %s", a[i], b[i])
		}
	}
	return fmt.Sprintf("want %d lines, got %d", len(a), len(b))
}

// TestChange changes one word or number in a function's body: the prints of the function and what it is in change, and no
// other one.
func TestChange(t *testing.T) {
	for name, src := range samples(t) {
		f := Parse(name, []byte(src))
		lines := strings.SplitAfter(src, "\n")
		changes := 0
		for _, tok := range f.toks {
			s, ok := f.At(int(tok.line))
			if !ok || s.Kind != Func || s.First == s.Last || int(tok.line) == s.First || tok.kind > number || !isWord(tok.text[0]) {
				continue
			}
			line := lines[tok.line-1]
			at := strings.Index(line, tok.text)
			if slices.Contains([]string{"const", "pub", "async", "fn", "def", "function", "rescue", "end"}, tok.text) ||
				strings.Count(line, tok.text) != 1 || slices.Contains(strings.Split(s.Name, "."), tok.text) {
				continue
			}
			changes++
			changed := slices.Clone(lines)
			changed[tok.line-1] = line[:at] + tok.text + "7" + line[at+len(tok.text):]
			g := Parse(name, []byte(strings.Join(changed, "")))
			if len(g.Symbols) != len(f.Symbols) {
				t.Errorf("%s:%d: changing %q changes the symbols", name, tok.line, tok.text)
				continue
			}
			for i, was := range f.Symbols {
				within := was.First <= int(tok.line) && int(tok.line) <= was.Last
				if is := g.Symbols[i]; (was.Print != is.Print) != within {
					t.Errorf("%s:%d: changing %q: print of %s changed: %v", name, tok.line, tok.text, was.Name, was.Print != is.Print)
				}
			}
		}
		t.Logf("%s: %d changes", name, changes)
	}
}
