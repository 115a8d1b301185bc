package grep

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sdd/internal/fault"
)

// Search opens root and searches it.
func Search(ctx context.Context, root string, q Query) (Found, error) {
	t, err := Open(root)
	if err != nil {
		return Found{}, err
	}
	defer t.Close()
	return t.Search(ctx, q)
}

// plant writes files into a new folder. A name that ends with / makes a folder.
func plant(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func gitInit(t testing.TB, dir string) {
	t.Helper()
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(dir, "none"))
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(t.TempDir(), "none"))
	if out, err := exec.Command("git", "-C", dir, "init", "-q").CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
}

func search(t testing.TB, dir string, q Query) Found {
	t.Helper()
	f, err := Search(t.Context(), dir, q)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func ranges(hits []Hit) []string {
	var out []string
	for _, h := range hits {
		out = append(out, fmt.Sprintf("%s:%d-%d", h.Path, h.Start, h.End))
	}
	return out
}

const goFile = `// Package sample is for tests.
package sample

import "time"

// retryDelay is the pause between two attempts.
const retryDelay = time.Second

// Client talks to the server.
type Client struct {
	attempts int
}

// Reconnect opens the connection again after it was lost.
func (c *Client) Reconnect() error {
	for range c.attempts {
		time.Sleep(retryDelay)
	}
	return nil
}

func use(c *Client) {
	_ = c.Reconnect()
}
`

func TestGrowsToWhatItBelongsTo(t *testing.T) {
	dir := plant(t, map[string]string{
		"client.go": goFile,
		"tool.py": `import os

@cached
def load_settings(path):
    """Read the settings."""
    with open(path) as f:
        return parse(f)


class Store:
    def evict(self):
        # drop the oldest entry
        self.items.pop()
`,
		"app.js": `const a = 1

// Draws the chart.
function drawChart(
  data,
) {
  render(data)
}

function other() {}
`,
		"doc.md": "# Guide\n\nHello.\n\n## Rotating keys\n\nUse the rotate command.\n\n## Other\n\nNothing.\n",
	})
	for _, c := range []struct{ query, want string }{
		{"reopen lost connection Reconnect", "client.go:14-20"},
		{"pause between attempts", "client.go:6-7"},
		{"drop oldest entry", "tool.py:11-13"},
		{"load_settings", "tool.py:3-7"},
		{"settings are parsed", "tool.py:3-7"},
		{"render data", "app.js:3-8"},
		{"rotating keys", "doc.md:5-7"},
	} {
		f := search(t, dir, Query{Query: c.query})
		if len(f.Hits) == 0 || ranges(f.Hits)[0] != c.want {
			t.Errorf("%q: got %v, want %s first", c.query, ranges(f.Hits), c.want)
		}
	}
}

func TestDefinitionBeforeUseBeforeTest(t *testing.T) {
	dir := plant(t, map[string]string{
		"a_test.go": "package a\n\nfunc TestParseHeader(t *T) {\n\tParseHeader()\n\tParseHeader()\n\tParseHeader()\n}\n",
		"b.go":      "package a\n\nfunc run() {\n\tParseHeader()\n\tParseHeader()\n}\n",
		"z.go":      "package a\n\n// ParseHeader reads a header.\nfunc ParseHeader() {\n}\n",
	})
	want := []string{"z.go:3-5", "b.go:3-6", "a_test.go:3-7"}
	for _, q := range []Query{{Query: "ParseHeader"}, {Query: "parse the header"}, {Pattern: `ParseHeader\(`}} {
		if diff := cmp.Diff(want, ranges(search(t, dir, q).Hits)); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", q, diff)
		}
	}
}

func TestWordForms(t *testing.T) {
	dir := plant(t, map[string]string{"a.go": "package a\n\nfunc authenticateUsers() {\n}\n\nfunc HTTPServerURLs() {\n}\n\nfunc cfgDir() {\n}\n\nfunc lockfile() {\n}\n"})
	for query, want := range map[string]int{
		"authentication of a user":    3,
		"user authenticating":         3,
		"http":                        6,
		"the url":                     6,
		"configuration directory":     9,
		"lock file":                   12,
		"authenticateUsers":           3,
		"what is authenticate_users?": 3,
	} {
		f := search(t, dir, Query{Query: query})
		if len(f.Hits) == 0 || f.Hits[0].Start != want {
			t.Errorf("%q: got %v, want line %d", query, ranges(f.Hits), want)
		}
	}
}

func TestPattern(t *testing.T) {
	dir := plant(t, map[string]string{
		"a.txt": "one\n\ntwo foo(1)\n\nthree\nFOO(2)\n",
		"b.txt": "nothing\n",
	})
	for pattern, want := range map[string][]string{
		`foo\(\d`:     {"a.txt:3-3"},
		`(?i)foo\(`:   {"a.txt:3-3", "a.txt:5-6"},
		`^three$`:     {"a.txt:5-6"},
		`foo(`:        {"a.txt:3-3"}, // taken literally
		`two\s+[^x]+`: {"a.txt:3-3"}, // never over the end of a line
		`one\s*two`:   nil,
	} {
		f := search(t, dir, Query{Pattern: pattern})
		if diff := cmp.Diff(want, ranges(f.Hits)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", pattern, diff)
		}
		if f.Literal != (pattern == "foo(") {
			t.Errorf("%s: literal is %v", pattern, f.Literal)
		}
	}
}

// TestPatternLikeRegexp holds the shortcut over literals against the expression alone.
func TestPatternLikeRegexp(t *testing.T) {
	text := strings.Repeat("alpha Beta gamma\nTaskKill ſtop K 12-34\n\nbeta(alpha)\n", 3)
	for _, p := range []string{`alpha`, `(?i)BETA`, `(?i)task`, `(?i)stop`, `[ab]eta\(`, `\d+-\d+`, `(beta|gamma)`, `a.*a`, `(?i)kill.*k`, `gamma$`, `^beta`} {
		w := &wanted{}
		if err := w.addPattern(p); err != nil {
			t.Fatal(err)
		}
		var got []int
		for start := range newScanner(t.Context(), w).patterns(languageOf("a.txt"), []byte(text)) {
			got = append(got, start)
		}
		var want []int
		for _, m := range regexp.MustCompile("(?m:"+p+")").FindAllStringIndex(text, -1) {
			want = append(want, m[0])
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", p, diff)
		}
	}
}

var tree = map[string]string{
	".gitignore":              "*.log\n/build/\n!keep.log\nsecret/*\n!secret/open.txt\n\\#odd.txt\ndoc/**/draft.md\n",
	"a.txt":                   "needle",
	"debug.log":               "needle",
	"keep.log":                "needle",
	"build/out.txt":           "needle",
	"src/build/in.txt":        "needle",
	"secret/closed.txt":       "needle",
	"secret/open.txt":         "needle",
	"src/.gitignore":          "/local.txt\n!debug.log\nsub/\n",
	"src/local.txt":           "needle",
	"src/deep/local.txt":      "needle",
	"src/debug.log":           "needle",
	"src/sub/x.txt":           "needle",
	"#odd.txt":                "needle",
	"doc/draft.md":            "needle",
	"doc/a/b/draft.md":        "needle",
	"doc/a/final.md":          "needle",
	"excluded.txt":            "needle",
	"vendor/lib/lib.go":       "needle",
	"node_modules/x/index.js": "needle",
	"web/app.min.js":          "needle",
	"gen.go":                  "// Code generated by x. DO NOT EDIT.\npackage x // needle\n",
	"data.bin":                "needle\x00",
	"pic.png":                 "needle",
	"space name.txt":          "needle",
	"ünïcode.txt":             "needle",
}

func found(t *testing.T, dir string, paths ...string) []string {
	t.Helper()
	var out []string
	for _, h := range search(t, dir, Query{Query: "needle", Paths: paths, Limit: 100}).Hits {
		out = append(out, h.Path)
	}
	slices.Sort(out)
	return out
}

// TestIgnored holds the two lists, git's and ours, against each other.
func TestIgnored(t *testing.T) {
	want := []string{"a.txt", "doc/a/final.md", "keep.log", "secret/open.txt", "space name.txt", "src/build/in.txt", "src/debug.log", "src/deep/local.txt", "ünïcode.txt"}
	dir := plant(t, tree)
	gitInit(t, dir)
	if err := os.WriteFile(filepath.Join(dir, ".git", "info", "exclude"), []byte("excluded.txt\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, found(t, dir)); diff != "" {
		t.Errorf("with git (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"build/in.txt", "debug.log", "deep/local.txt"}, found(t, filepath.Join(dir, "src"))); diff != "" {
		t.Errorf("in a folder, with git (-want +got):\n%s", diff)
	}
}

// TestTracked has what only git knows: files that are tracked although a rule is about them, repositories inside, and
// rules in places that settings name.
func TestTracked(t *testing.T) {
	dir := plant(t, map[string]string{
		".gitignore": "*.log\n/out/\n", "a.txt": "needle", "kept.log": "needle", "lost.log": "needle", "out/kept.txt": "needle",
		"out/lost.txt": "needle", "out/deep/kept.txt": "needle", "mine.tmp": "needle", "inner/own.log": "needle", "inner/skip.txt": "needle",
		"inner/.gitignore": "skip.txt\n",
	})
	gitInit(t, dir)
	git := func(at string, args ...string) {
		t.Helper()
		if out, err := exec.Command("git", append([]string{"-C", filepath.Join(dir, at)}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args[0], err, out)
		}
	}
	git("", "add", "-f", "kept.log", "out/kept.txt", "out/deep/kept.txt", "a.txt")
	git("inner", "init", "-q")
	want := []string{"a.txt", "inner/own.log", "kept.log", "mine.tmp", "out/deep/kept.txt", "out/kept.txt"}
	if diff := cmp.Diff(want, found(t, dir)); diff != "" {
		t.Errorf("tracked (-want +got):\n%s", diff)
	}
	rules := filepath.Join(t.TempDir(), "rules")
	if err := os.WriteFile(rules, []byte("*.tmp\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	git("", "config", "core.excludesFile", rules)
	if diff := cmp.Diff(slices.DeleteFunc(want, func(p string) bool { return p == "mine.tmp" }), found(t, dir)); diff != "" {
		t.Errorf("with settings (-want +got):\n%s", diff)
	}
}

// TestTwoWaysToRead holds the folders of this system against those of the standard library.
func TestTwoWaysToRead(t *testing.T) {
	files := map[string]string{"in/empty.txt": "", "in/large.txt": strings.Repeat("x", firstBuffer+1), "in/exact.txt": strings.Repeat("y", firstBuffer), "in/a.txt": "needle", "in/deep/b.txt": "b"}
	files["in/huge.txt"] = strings.Repeat("z", maxFile+1)
	top := plant(t, files)
	if err := os.Symlink("a.txt", filepath.Join(top, "in", "link.txt")); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink("in", filepath.Join(top, "twin")); err != nil {
		t.Skip(err)
	}
	tr, err := Open(top)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	for _, open := range []func(string) (dir, error){tr.openDir, tr.openRootDir} {
		d, err := open("in")
		if err != nil {
			t.Fatal(err)
		}
		list, err := d.entries()
		slices.SortFunc(list, func(a, b entry) int { return strings.Compare(a.name, b.name) })
		want := []entry{{"a.txt", false}, {"deep", true}, {"empty.txt", false}, {"exact.txt", false}, {"huge.txt", false}, {"large.txt", false}}
		if diff := cmp.Diff(want, list, cmp.AllowUnexported(entry{})); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		var buf []byte
		for _, name := range []string{"a.txt", "exact.txt", "large.txt", "a.txt"} {
			if got := d.read(name, &buf); string(got) != files["in/"+name] {
				t.Errorf("%s has %d bytes", name, len(got))
			}
		}
		for _, name := range []string{"empty.txt", "huge.txt", "link.txt", "deep", "none"} {
			if got := d.read(name, &buf); got != nil {
				t.Errorf("%s was read: %d bytes", name, len(got))
			}
		}
		d.Close()
		for _, p := range []string{"twin", "twin/deep", "..", "in/a.txt", "none"} {
			if d, err := open(p); err == nil {
				d.Close()
				t.Errorf("%s was opened", p)
			}
		}
	}
}

func TestPaths(t *testing.T) {
	dir := plant(t, tree)
	gitInit(t, dir)
	for _, c := range []struct {
		paths, want []string
	}{
		{[]string{"src"}, []string{"src/build/in.txt", "src/debug.log", "src/deep/local.txt"}},
		{[]string{"./src/"}, []string{"src/build/in.txt", "src/debug.log", "src/deep/local.txt"}},
		{[]string{"src", "!src/build"}, []string{"src/debug.log", "src/deep/local.txt"}},
		{[]string{"*.md"}, []string{"doc/a/final.md"}},
		{[]string{"src/**/*.txt"}, []string{"src/build/in.txt", "src/deep/local.txt"}},
		{[]string{filepath.Join(dir, "a.txt")}, []string{"a.txt"}},
		{[]string{"vendor"}, []string{"vendor/lib/lib.go"}},
		{[]string{"vendor/lib"}, []string{"vendor/lib/lib.go"}},
		{[]string{"gen.go"}, []string{"gen.go"}},
		{[]string{"web/app.min.js"}, []string{"web/app.min.js"}},
		{[]string{"data.bin"}, nil},
	} {
		if diff := cmp.Diff(c.want, found(t, dir, c.paths...)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.paths, diff)
		}
	}
	for _, bad := range []string{"../x", "/etc/passwd", "a/../../x"} {
		if _, err := Search(t.Context(), dir, Query{Query: "needle", Paths: []string{bad}}); !fault.Is(err, fault.Outside) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestNothingOutside(t *testing.T) {
	outside := plant(t, map[string]string{"secret.txt": "needle"})
	dir := plant(t, map[string]string{"in/a.txt": "needle"})
	for name, target := range map[string]string{
		"out.txt": filepath.Join(outside, "secret.txt"), "out": outside, "twin.txt": "in/a.txt", "twin": "in", "loop": ".",
	} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	check := func() {
		t.Helper()
		if diff := cmp.Diff([]string{"in/a.txt"}, found(t, dir)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	check()
	gitInit(t, dir)
	check()
	tr, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	for _, name := range []string{"out.txt", "out/secret.txt", "../x", "/etc/passwd", "in/../../x"} {
		if src, err := tr.Read(name); err == nil {
			t.Errorf("%s was read: %q", name, src)
		}
	}
	if src, err := tr.Read("twin.txt"); err != nil || string(src) != "needle" {
		t.Errorf("a link inside the tree: %q, %v", src, err)
	}
}

func TestOddFiles(t *testing.T) {
	dir := plant(t, map[string]string{
		"crlf.go": "package a\r\n\r\nfunc needle() {\r\n}\r\n", "bom.md": "\ufeff# needle\n", "broken.go": "package a\n\nfunc needle( {\n\n",
		"empty.go": "", "one.go": "needle", "latin.txt": "caf\xe9 needle\n", "deep.py": strings.Repeat("  ", 300) + "needle()\n",
	})
	found := map[string]bool{}
	for _, h := range search(t, dir, Query{Query: "needle"}).Hits {
		found[h.Path] = true
		src, err := os.ReadFile(filepath.Join(dir, h.Path))
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.SplitAfter(string(src), "\n")
		if got := strings.TrimRight(strings.Join(lines[h.Start-1:h.End], ""), "\r\n"); got != h.Text {
			t.Errorf("%s:%d-%d is %q, not %q", h.Path, h.Start, h.End, got, h.Text)
		}
	}
	if len(found) != 6 {
		t.Errorf("found in %v, want 6 files", slices.Sorted(maps.Keys(found)))
	}
}

func TestRefusals(t *testing.T) {
	dir := plant(t, map[string]string{"a.go": "package a"})
	for _, q := range []Query{{}, {Query: "the of and"}, {Query: "?!"}, {Pattern: "x*"}, {Pattern: strings.Repeat("a", maxPattern+1)}, {Query: strings.Repeat("a ", maxQuery)}} {
		if _, err := Search(t.Context(), dir, q); !fault.Is(err, fault.Invalid) || fault.Of(err).Hint == "" || fault.Of(err).Arg == "" {
			t.Errorf("%.40q %.40q: %v", q.Query, q.Pattern, err)
		}
	}
	if _, err := Search(t.Context(), filepath.Join(dir, "none"), Query{Query: "x1"}); !fault.Is(err, fault.NotFound) {
		t.Errorf("no folder: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Search(ctx, dir, Query{Query: "package"}); err == nil {
		t.Error("a cancelled search has a result")
	}
}

func TestLongFunction(t *testing.T) {
	var b strings.Builder
	b.WriteString("package a\n\nfunc long() {\n")
	for i := range 500 {
		fmt.Fprintf(&b, "\tstep%d()\n", i)
	}
	text := strings.Replace(b.String(), "step300", "fetchNeedle", 1) + "}\n"
	dir := plant(t, map[string]string{"a.go": text})
	h := search(t, dir, Query{Query: "fetch needle"}).Hits
	if len(h) != 1 || h[0].Start > 304 || h[0].End < 304 || h[0].End-h[0].Start > longUnit {
		t.Errorf("got %v", ranges(h))
	}
}

func TestSameAnswerEveryTime(t *testing.T) {
	root := goRoot()
	if root == "" {
		t.Skip("no Go sources")
	}
	dir := filepath.Join(root, "src", "net")
	q := Query{Query: "how is the handshake timeout of a connection checked"}
	first := search(t, dir, q)
	for range 3 {
		if diff := cmp.Diff(first, search(t, dir, q)); diff != "" {
			t.Fatalf("(-first +again):\n%s", diff)
		}
	}
}

// FuzzRanges: every hit is a range of its file, whatever the file holds.
func FuzzRanges(f *testing.F) {
	f.Add("a.go", goFile, "client reconnect")
	f.Add("a.py", "def a():\n  b\n\n c\n", "def")
	f.Add("a.md", "# a\n\nb\n====\n", "b a")
	f.Add("a.c", "\r\n\t}\n{needle", "needle")
	f.Fuzz(func(t *testing.T, name, text, query string) {
		if path.Base(name) != name || !filepath.IsLocal(name) || len(name) > 30 || strings.ContainsAny(name, "\\:\x00") {
			t.Skip()
		}
		want, err := parseQuery(Query{Query: query})
		if err != nil {
			t.Skip()
		}
		src := []byte(text)
		if len(src) == 0 {
			t.Skip()
		}
		s := newScanner(t.Context(), want)
		r := ranked{stat: &stat{path: name}, idf: make([]float64, len(want.terms)), kind: 1}
		o := outlineOf(name, src)
		c := candidate{r, o, s.pieces(r, o)}
		order([]candidate{c}, want)
		values := c.values(0)
		hits := c.hits(values, perFile)
		for _, h := range append(hits, c.rest(values, hits)...) {
			if h.Start < 1 || h.End < h.Start || h.End > len(o.starts) || !strings.Contains(text, h.Text) || len(h.Worth) != h.End-h.Start+1 {
				t.Fatalf("%d-%d of %d lines", h.Start, h.End, len(o.starts))
			}
		}
	})
}

// BenchmarkSearch reads Go's own sources, about two million lines.
func BenchmarkSearch(b *testing.B) {
	dir := filepath.Join(goRoot(), "src")
	for name, q := range map[string]Query{
		"words":   {Query: "where is the handshake timeout of a connection checked"},
		"literal": {Pattern: `HandshakeTimeout\b`},
		"regexp":  {Pattern: `[a-z]+_[a-z]+_[0-9]+`},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				search(b, dir, q)
			}
		})
	}
}

// goRoot is where Go's own sources are, "" where the go command is not there to tell.
func goRoot() string {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// A list of modules in other files, and the arms of a match, were shown as if they defined what the question names.
func TestRustDefinitions(t *testing.T) {
	for text, want := range map[string]role{"mod parser;": body, "pub(crate) mod parser;": body, "mod tests {": definition, "struct Unit;": definition,
		"Item::Recipe(recipe) => {": body} {
		if got := languageOf("a.rs").readLine([]byte(text)); got.role != want {
			t.Errorf("%s: %v", text, got.role)
		}
	}
}

// C# has the brace of a method on the next line, and long lists of parameters.
func TestMethodsWithoutABraceAreDefinitions(t *testing.T) {
	for text, want := range map[string]string{
		"    public Task<int> Send(": "Send", "    internal static void Retry(int times)": "Retry", "    List<string?> Names(int a,": "Names",
		"    Send(message)": "", "    return Send(message)": "", "    x.Send(message)": "", "describe(": "", "    delete Send(message)": "", "    user, Send(total),": "",
		"    ready && Send(x)": "", "    n * Send(n)": "", "    software is free (see there)": "", "    int n = Send(": "",
	} {
		l := languageOf("a.cs").readLine([]byte(text))
		if got := text[l.from:l.to]; got != want || (l.role == definition) != (want != "") {
			t.Errorf("%s: %q", text, got)
		}
	}
}

// A generic implementation block of 1,800 lines was one unit, so its functions were never found.
func TestFunctionsOfALongGenericBlockAreUnits(t *testing.T) {
	src := "impl<'a> Parser<'a> {\n" + strings.Repeat("  fn other() {\n    1\n  }\n\n", maxLines) + "  fn parse() {\n    2\n  }\n}\n"
	o := outlineOf("a.rs", []byte(src))
	o.around(0)
	at := 1 + 4*maxLines
	if u := o.around(at + 1); u.start != at || u.lines() != 3 {
		t.Errorf("%v, want 3 lines from %d", u, at)
	}
}

func TestFoldersOfTests(t *testing.T) {
	for file, want := range map[string]float64{
		"src/Polly.Core.Tests/RetryHelper.cs": asTest, "test/retry.cs": asTest, "src/Polly.Testing/Retry.cs": 1, "src/latest/retry.cs": 1,
	} {
		if got := kindOf(file, &wanted{}); got != want {
			t.Errorf("%s: %v, want %v", file, got, want)
		}
	}
}
