package grep

import (
	"slices"
	"strings"
	"testing"
)

const manyLines = "\tstep()\n\tstep()\n\tstep()\n\tstep()\n\tstep()\n\tstep()\n\tstep()\n\tstep()\n\tstep()\n\tstep()\n"

// TestNames searches for names alone: the definition comes first, then the uses, and no file that has only parts of a name.
func TestNames(t *testing.T) {
	dir := plant(t, map[string]string{
		"retry/helper.cs": "class Helper\n{\n" + strings.ReplaceAll(manyLines, "step", "Jitter") +
			"\n    // Spreads the retries.\n    internal static long SpreadBackoffV2(int attempt)\n    {\n        return 1;\n    }\n}\n",
		"retry/kind.cs":      "// SpreadBackoff and backoff and spread.\nenum SpreadBackoff\n{\n    Spread,\n    Backoff,\n}\n",
		"test/HelperTest.cs": "class HelperTest\n{\n    void SpreadBackoffV2_Holds()\n    {\n" + manyLines + "        SpreadBackoffV2(3);\n    }\n}\n",
		"src/buffer.rs":      "use std::io;\n\n/// The size.\npub(crate) const BUFFER_SIZE: usize = 64;\n\nfn f() {\n    g(BUFFER_SIZE);\n}\n",
		"src/Options.cs":     "class Options\n{\n    public int? MaxDepth\n    {\n        get => 3;\n    }\n}\n",
		"test/MaxDepth.cs":   "class MaxDepth\n{\n    int Read() => options.MaxDepth;\n}\n",
		"src/a.rs":           "fn buffer() {\n" + manyLines + "    size(BUFFER_SIZE, BUFFER_SIZE);\n}\n\nconst MY_BUFFER_SIZE_2: usize = 3;\n",
		"lib/conf.py":        "buffer_size = max_size\n\ndef open(max_size):\n    return max_size\n",
		"lib/more.py":        "class Conf:\n    max_size = 3\n    _size = 4\n",
		"CHANGES":            "0.9.1\n\n18.6.6 is another\nfrom v8.6.6 on\n",
		"list.md":            "# Changes\n\n## 8.6.6\n\nNew.\n",
	})
	for query, want := range map[string]string{
		"SpreadBackoffV2":        "retry/helper.cs test/HelperTest.cs",
		"Helper.SpreadBackoffV2": "retry/helper.cs test/HelperTest.cs",
		"`SpreadBackoffV2()`":    "retry/helper.cs test/HelperTest.cs",
		"MaxDepth":               "src/Options.cs test/MaxDepth.cs",
		"BUFFER_SIZE":            "src/buffer.rs src/a.rs",
		"SpreadBackoff":          "retry/kind.cs",
		"max_size buffer_size":   "lib/conf.py lib/more.py",
		"_size":                  "lib/more.py",
		"MaxDepth.Read":          "test/MaxDepth.cs",
		"8.6.6":                  "list.md CHANGES",
		"v8.6.6":                 "list.md CHANGES",
	} {
		f := search(t, dir, Query{Query: query})
		var got []string
		for _, h := range f.Hits {
			if !slices.Contains(got, h.Path) {
				got = append(got, h.Path)
			}
		}
		if !f.Named || strings.Join(got, " ") != want {
			t.Errorf("%s: named %v, %q, want %s", query, f.Named, got, want)
		}
	}
	f := search(t, dir, Query{Query: "BUFFER_SIZE"})
	if h := f.Hits[0]; h.Path != "src/buffer.rs" || h.Start != 3 || h.End != 4 {
		t.Errorf("the first hit is %s:%d-%d, want the constant", h.Path, h.Start, h.End)
	}
	last := f.Hits[len(f.Hits)-1]
	for i, line := range strings.Split(last.Text, "\n") {
		if near := i+last.Start >= 10 && i+last.Start <= 14; (last.Worth[i] > 0) != near {
			t.Errorf("line %d of a use has worth %.2f: %s", i+last.Start, last.Worth[i], line)
		}
	}
	if f := search(t, dir, Query{Query: "SpreadBackoffV3"}); f.Named || len(f.Hits) == 0 {
		t.Errorf("a name that the tree lacks: named %v, %d hits", f.Named, len(f.Hits))
	}
}

// TestManyNames: more names than a query has terms are words; no name stands for another term.
func TestManyNames(t *testing.T) {
	var names []string
	for c := 'a'; c < 'n'; c++ {
		names = append(names, strings.ReplaceAll("zxkob_zxkud_zxkef_zxkag", "x", string(c)))
	}
	w, err := parseQuery(Query{Query: strings.Join(names, " ")})
	if err != nil || len(w.terms) != maxTerms {
		t.Fatalf("%d terms, %v", len(w.terms), err)
	}
	for i, term := range w.terms {
		if w.names>>i&1 == 1 && !term.symbol {
			t.Errorf("%q is wanted as a name", term.word)
		}
	}
}

func TestDeclares(t *testing.T) {
	for _, tt := range []struct {
		file, line string
		want       int
	}{
		{"a.rs", "pub(crate) const Name: usize = 3;", 2},
		{"a.rs", "    pub Name: usize,", 1},
		{"a.rs", "    let x: Name = f();", 0},
		{"a.rs", "use a::Name;", 0},
		{"a.cs", "    private const double Name = 0.5;", 1},
		{"a.cs", "    public TimeSpan Name { get; set; }", 1},
		{"a.cs", "    internal static List<int> Name(int attempt)", 2},
		{"a.cs", "        var x = Name(3);", 0},
		{"a.cs", "        return Name(3);", 0},
		{"a.cs", "        helper.Name(3);", 0},
		{"a.java", "    private final int Name;", 1},
		{"a.java", "import a.b.Name;", 0},
		{"a.cs", "            Name = 3,", 0},
		{"a.cs", "        options.Name = 3;", 0},
		{"a.h", "#define Name 3", 1},
		{"a.c", "  if (x == Name)", 0},
		{"a.py", "Name = 3", 1},
		{"a.py", "    self.Name = 3", 1},
		{"a.py", "    if Name == 3:", 0},
		{"a.py", "def Name(x):", 2},
		{"a.js", "export const Name = 3", 2},
		{"a.js", "  items.map(Name => 3)", 0},
		{"a.go", "\tName = 3", 2},
		{"a.go", "\tname := Name.x", 0},
		{"a.go", "\tx, Name = 3", 1},
		{"a.go", "\tf(a, Name)", 0},
		{"a.go", "// Name is a comment.", 0},
		{"a.md", "## Name", 1},
		{"a.md", "Name = 3", 0},
	} {
		l := languageOf(tt.file)
		at := strings.Index(tt.line, "Name")
		if got := l.declares(l.readLine([]byte(tt.line)), []byte(tt.line), at, at+4); got != tt.want {
			t.Errorf("%s, %q: %d, want %d", tt.file, tt.line, got, tt.want)
		}
	}
}

// TestPlaces: the function around a line that the query names comes first, also of a frame of a stack trace.
func TestPlaces(t *testing.T) {
	dir := plant(t, map[string]string{
		"main.go":  "package main\n\nfunc first() {\n\tcrash()\n\tcrash()\n}\n\nfunc second() {\n\tpanic(1)\n}\n",
		"other.go": "package main\n\n// crash is a crash of main.\nfunc crash() {}\n",
	})
	for _, query := range []string{"crash at main.go:9", "panic: crash\n\nmain.crash()\n\t/src/main.go:9 +0x1", "Error\n  File \"main.go\", line 9, in crash",
		"File \"main.go\", line 9, in crash"} {
		f := search(t, dir, Query{Query: query})
		if len(f.Hits) == 0 || f.Hits[0].Path != "main.go" || f.Hits[0].Start != 8 {
			t.Errorf("%q: %+v", query, f.Hits)
		}
	}
	if f := search(t, dir, Query{Query: "crash at main.go:900"}); len(f.Hits) == 0 {
		t.Error("a line past the end finds nothing")
	}
}

// TestGoTrace: the file at the top of a project is meant although its clone has the name of a folder, and the frame's function is first.
func TestGoTrace(t *testing.T) {
	body := strings.Repeat("\tstep()\n", 30)
	dir := plant(t, map[string]string{
		"task.go":          "package task\n\nfunc Other() {\n" + body + "}\n\nfunc (e *Executor) RunTask() {\n" + body + "\tpanic(1)\n}\n",
		"cmd/task/task.go": "package main\n\nfunc main() {\n" + body + body + body + "}\n",
	})
	trace := "panic: runtime error\ngoroutine 1 [running]:\ngithub.com/go-task/task/v3.(*Executor).RunTask(0xc0001b4000, {0x10a7f20, 0xc00})\n" +
		"\t/home/me/src/task/task.go:50 +0x5f\n"
	for _, query := range []string{trace, "panic at /home/me/src/task/task.go:50"} {
		if f := search(t, dir, Query{Query: query}); len(f.Hits) == 0 || f.Hits[0].Path != "task.go" || f.Hits[0].Start != 36 {
			t.Errorf("%q: %+v", query, f.Hits[:min(1, len(f.Hits))])
		}
	}
}

// TestMessages: a line that prints the query is first, unlike a comment, and an option leads to its identifier.
func TestMessages(t *testing.T) {
	dir := plant(t, map[string]string{
		"find.go": "package main\n\nfunc find() error {\n\tif x == nil {\n\t\treturn errors.New(\"this parcel does not exist\")\n\t}\n\treturn nil\n}\n",
		"parcel.go": "package main\n\n// parcel is returned if the parcel does not exist, as it doesn't exist.\nfunc parcel() { exist() }\n\n" +
			"// exist makes a parcel exist.\nfunc exist() {}\n",
		"options.go": "package main\n\nvar opts struct{ batch_size int }\n",
		"send.go":    "package main\n\n// batch has items.\ntype batch struct{ size int }\n",
	})
	for query, want := range map[string]string{
		"find: this parcel does not exist":     "find.go",
		"a parcel that may exist":              "parcel.go",
		"what is the default of --batch-size?": "options.go",
	} {
		if f := search(t, dir, Query{Query: query}); len(f.Hits) == 0 || f.Hits[0].Path != want {
			t.Errorf("%q: %+v", query, f.Hits)
		}
	}
}

// TestJoinedWords: the definition of a name that joins all words of the query is first, unlike a local variable and a field.
func TestJoinedWords(t *testing.T) {
	long := strings.Repeat("\t// the sync interval is the default interval of sync\n\tsyncAll()\n", 30)
	dir := plant(t, map[string]string{
		"replica.go": "package main\n\nconst (\n\tDefaultSyncInterval = 3\n\tOther = 4\n)\n",
		"store.go":   "package main\n\n// SetSyncInterval sets it.\nfunc SetSyncInterval() {\n" + long + "\tdefaultSyncInterval := 5\n}\n",
		"config.go":  "package main\n\ntype Config struct {\n\tDefaultSyncInterval int\n}\n",
		"retry.py":   "def retry_policy(x):\n    return x\n",
		"policy.py":  "# the retry policy of the policy\ndef policy(retry):\n    return retry.policy(retry)\n",
	})
	for query, want := range map[string]string{
		"What is the default sync interval?": "replica.go", "default sync interval": "replica.go", "retry policy": "retry.py",
	} {
		if f := search(t, dir, Query{Query: query}); len(f.Hits) == 0 || f.Hits[0].Path != want {
			t.Errorf("%q: %+v", query, f.Hits[:min(1, len(f.Hits))])
		}
	}
}

// TestInlineTests: the function comes before its test in the same file, unless the query asks for tests.
func TestInlineTests(t *testing.T) {
	code := "/// Detects outliers.\npub fn num_outliers(xs: &[f64]) -> usize {\n    let z = scores(xs);\n    z.iter().filter(|x| x.abs() > LIMIT).count()\n}\n\n"
	test := "fn detects_outliers() {\n    // detect outliers: should detect a single outlier\n    assert_eq!(1, num_outliers(&[0.0, 9.0]));\n}\n"
	dir := plant(t, map[string]string{
		"a.rs": code + "#[test]\n" + test,
		"b.rs": code + "#[cfg(test)]\nmod tests {\n    use super::*;\n\n" + strings.ReplaceAll(test, "fn", "fn all_") + "}\n",
	})
	lib := plant(t, map[string]string{
		"lib.rs": "//! Outliers.\n#[cfg(test)]\nmod testutil;\n\n" + code,
	})
	if f := search(t, lib, Query{Query: "How are outliers detected?"}); len(f.Hits) == 0 || f.Hits[0].Start != 5 {
		t.Errorf("below a module of tests in another file: %+v", f.Hits)
	}
	for query, want := range map[string]int{"How are outliers detected?": 1, "test that outliers are detected": 7} {
		f := search(t, dir, Query{Query: query})
		first := map[string]int{}
		for _, h := range f.Hits {
			if first[h.Path] == 0 {
				first[h.Path] = h.Start
			}
		}
		if len(first) != 2 || (first["a.rs"] < 6) != (want < 6) || (first["b.rs"] < 6) != (want < 6) {
			t.Errorf("%q: %v", query, first)
		}
	}
}
