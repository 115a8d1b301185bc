package symbol

import (
	"fmt"
	"strings"
	"testing"
)

// TestDeclarators: commas of type arguments separate no declarators.
func TestDeclarators(t *testing.T) {
	for src, want := range map[string]string{
		"const a: Map<K, V> = {\n}\n":                                            "a 1-2",
		"const f = <E = X, S>(a: H<E, S>): ((e: L) => P<A, B>) => {\n  x()\n}\n": "f 1-3",
		"const f = async function* <E = X, S>(a: H): A<B, C> {\n  x()\n}\n":      "f 1-3",
		"const a: Map<K, M<A, B>> = new Map<K, V>(),\n  b: A<[C, D]> = []\n":     "a 1-1, b 2-2",
		"const a = b < c, d = e > (f)\n":                                         "a 1-1, d 1-1",
	} {
		var got []string
		for _, s := range Parse("a.ts", []byte(src)).Symbols {
			got = append(got, fmt.Sprintf("%s %d-%d", s.Name, s.First, s.Last))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s%v, want %s", src, got, want)
		}
	}
}

// TestRegexOverLines: quotes in a Ruby regular expression over lines begin no string.
func TestRegexOverLines(t *testing.T) {
	f := Parse("a.rb", []byte("class A\n  B = /\n    \\A[!$&'()]\n  /x\n\n  def c\n    1 / 2\n  end\nend\n"))
	if len(f.Symbols) != 3 || f.Symbols[2].Name != "A.c" || f.Symbols[1].Last != 4 {
		t.Errorf("%+v", f.Symbols)
	}
}

// TestEmptyStatement: a semicolon after a semicolon is no content.
func TestEmptyStatement(t *testing.T) {
	print := func(src string) string {
		return Parse("A.java", []byte("class A { void b() {\n"+src+"\n} }\n")).Symbols[1].Print
	}
	if print("c();") != print("c();\n\n;") || print("c();") == print("c(); d();") {
		t.Error("an empty statement changes the fingerprint")
	}
}

// TestPythonStrings: adjacent strings, and parentheses around them, are one string.
func TestPythonStrings(t *testing.T) {
	print := func(src string) string { return Parse("a.py", []byte("def a():\n    "+src+"\n")).Symbols[0].Print }
	for _, same := range [][]string{
		{`b("c {}" "d")`, "b(\n        \"c {}\"\n        'd'\n    )", `b("c {}d")`},
		{`b(f"x {k!r} y " "z{}")`, `b(f"x {k!r} y z{{}}")`},
		{`b("p {} " f"q {k} r")`, `b(f"p {{}} q {k} r")`},
		{`b(f"{k}" "x" f"{l}")`, `b(f"{k}x{l}")`},
		{`b(rb"c" rb"d")`, `b(rb"cd")`},
		{`assert b == ("c" "d")`, `assert b == "cd"`, `assert (b == "cd")`},
	} {
		for _, other := range same[1:] {
			if print(same[0]) != print(other) {
				t.Errorf("%s and %s differ", same[0], other)
			}
		}
	}
	for _, differ := range [][2]string{{`b("c" b"d")`, `b("cd")`}, {`b("c", "d")`, `b("cd")`}, {`b(f"{k}" "{l}")`, `b(f"{k}{l}")`}, {`b(c ("d"))`, `b(c "d")`}} {
		if print(differ[0]) == print(differ[1]) {
			t.Errorf("%s and %s are the same", differ[0], differ[1])
		}
	}
}

// TestDeletedFunctions: "= delete" and "= default" define a C++ function.
func TestDeletedFunctions(t *testing.T) {
	f := Parse("a.cc", []byte("class A {\n  A(int a) : b(a) {}\n  A(const A&) = delete;\n  int c();\n};\nint A::c() { return 1; }\n"))
	if len(f.Find("A.A")) != 2 || len(f.Find("A.c")) != 1 || len(f.Find("A::c")) != 1 {
		t.Errorf("%+v", f.Symbols)
	}
}
