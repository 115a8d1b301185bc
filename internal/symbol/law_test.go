package symbol

import (
	"fmt"
	"strings"
	"testing"
)

var extensions = strings.Fields(".go .md .py .ts .tsx .js .java .kt .cs .rs .c .cpp .rb .php .swift .sh .sql .yaml .txt")

// obeys checks what every file promises.
func obeys(t *testing.T, ext string, src []byte) {
	f := parse(languageOf("x"+ext), src)
	last := int32(1)
	for _, tok := range f.toks {
		if tok.line < last || int(tok.line) > f.Lines {
			t.Fatalf("%s: token %q in line %d after line %d of %d", ext, tok.text, tok.line, last, f.Lines)
		}
		last = tok.line
	}
	for i, s := range f.Symbols {
		if s.Name == "" || s.First < 1 || s.Last < s.First || s.Last > f.Lines || s.Size < 0 || len(s.Print) != 12 {
			t.Fatalf("%s: bad symbol %+v of %d lines", ext, s, f.Lines)
		}
		if i > 0 {
			p := f.Symbols[i-1]
			if p.First > s.First || p.First == s.First && p.Last < s.Last {
				t.Fatalf("%s: %+v before %+v", ext, p, s)
			}
		}
	}
	if ext != ".md" {
		var open []Symbol
		for _, s := range f.Symbols {
			for len(open) > 0 && open[len(open)-1].Last < s.First {
				open = open[:len(open)-1]
			}
			if n := len(open); n > 0 && s.Last > open[n-1].Last && s.First < open[n-1].Last {
				t.Fatalf("%s: %+v overlaps %+v", ext, s, open[n-1])
			}
			open = append(open, s)
		}
	}
	f.At(1)
	f.Range(1, f.Lines)
	f.Print()
}

func FuzzParse(f *testing.F) {
	for _, src := range samples(f) {
		for i := range extensions {
			f.Add(uint8(i), []byte(src))
			f.Add(uint8(i), []byte(src[len(src)/3:]))
			f.Add(uint8(i), []byte(src[:len(src)*2/3]))
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, src []byte) {
		extension := extensions[int(which)%len(extensions)]
		obeys(t, extension, src)
		if code := Code("a"+extension, src); len(code) != len(plainText(src)) {
			t.Fatalf("a text of %d bytes has code of %d", len(plainText(src)), len(code))
		}
	})
}

// TestLinear counts the steps that hostile texts of two lengths take.
func TestLinear(t *testing.T) {
	units := []string{"{", "(", "}", "((}", "class A {", "f(", "/", "=/[", "`${", "<a ", "<a>{", "\"", "'", "f\"{", "#if a\n{\n", "a < ",
		"a, ", "x = (", "fn a<",
		"def f(\n", "if x:\n", "const a = ", "struct a ", "@A(", "(a, ", "namespace a {", "/*", "val a\n", "A::", "case a:\n", "for (;;"}
	for _, unit := range units {
		for _, ext := range strings.Fields(".ts .tsx .java .kt .cs .rs .cpp .php .swift .py") {
			steps := func(n int) int { return parse(languageOf("x"+ext), []byte(strings.Repeat(unit, n/len(unit)))).steps }
			if a, b := steps(5_000), steps(20_000); b > 6*a+1000 {
				t.Errorf("%s %q: %d steps for 5 kB, %d for 20 kB", ext, unit, a, b)
			}
		}
	}
	big := strings.Repeat("{", 2<<20)
	if f := parse(languageOf("x.java"), []byte(big)); f.steps > 20*len(big) {
		t.Errorf("%d steps for 2 MB", f.steps)
	}
}

// The names of keys that are too deep for a symbol cost nothing.
func TestDeepYAMLIsQuick(t *testing.T) {
	var src strings.Builder
	for i := range 600 {
		src.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	if n := testing.AllocsPerRun(1, func() { parse(languageOf("x.yaml"), []byte(src.String())) }); n > 2000 {
		t.Errorf("%v allocations", n)
	}
}

// TestManyTypes: a type finds its methods without a look at all symbols of the file.
func TestManyTypes(t *testing.T) {
	var src strings.Builder
	src.WriteString("package a\n")
	for i := range 1000 {
		fmt.Fprintf(&src, "type %s%d int\nfunc (%[1]s%[2]d) B() {}\n", strings.Repeat("Long", 10), i)
	}
	f := Parse("a.go", []byte(src.String()))
	if n := testing.AllocsPerRun(1, func() { f.Named() }); n > 100_000 {
		t.Errorf("%v allocations", n)
	}
}
