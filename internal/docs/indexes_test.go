package docs

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sdd/internal/fault"
)

func TestSearchIndexOfMkDocs(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "search/search_index.json", `{"config":{},"docs":[{"location":"","title":"Demo &amp; Co","text":""},{"location":"guide/","title":"Guide"},{"location":"guide/#first-steps","title":"First <b>steps</b>","text":"x"}]}`)
	put(t, dir, "index.html", `<html><body><div role="main"><h1 id="demo">Demo</h1><p>Welcome.</p></div></body></html>`)
	put(t, dir, "guide/index.html", `<html><body><div role="main"><h1 id="guide">Guide</h1><p>Read it.</p><h2 id="first-steps">First steps<a class="headerlink" href="#x">¶</a></h2><p>Walk.</p><h2 id="more">More</h2><p>Run.</p></div></body></html>`)
	res := explore(t, anyPath(), dir, "first steps", Options{MaxObjects: 1})
	d := res.Documents[0]
	if res.Project != "Demo & Co" || res.Provenance.Kind != "mkdocs" || d.Role != "section" || *d.Documentation.Signature != "First steps" || *d.Documentation.Description != "Walk." ||
		!strings.HasSuffix(d.Documentation.URL, "/guide/index.html#first-steps") {
		t.Errorf("%+v %q", res, *d.Documentation.Description)
	}
	if got := *explore(t, anyPath(), dir, "", Options{Role: "page"}).Documents[0].Documentation.Description; got != "Read it.\n\n## First steps\n\nWalk.\n\n## More\n\nRun." && got != "Welcome." {
		t.Errorf("%q", got)
	}
	put(t, dir, "search/search_index.json", `{"docs": [`)
	if _, err := anyPath().Explore(context.Background(), dir, "x", Options{}); !fault.Is(err, fault.Broken) {
		t.Errorf("a broken index: %v", err)
	}
}

func TestRustdoc(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "[x]")
	put(t, dir, "search-index1.0.js", "")
	put(t, dir, "demo/all.html", `<html><body class="rustdoc"><section id="main-content"><h3>Structs</h3><ul><li><a href="store/struct.Box.html">store::Box</a></li><li><a href="fn.run.html">run</a></li><li><a href="../evil/struct.X.html">X</a></li><li><a href="https://x.org/struct.Y.html">Y</a></li></ul></section></body></html>`)
	put(t, dir, "demo/fn.run.html", `<html><body class="rustdoc fn"><main><section id="main-content"><div class="main-heading"><h1 class="fqn">Function demo::run</h1></div><div class="item-decl"><pre class="rust fn"><code>pub fn run(x: <a href="#">u8</a>)</code></pre></div><details class="top-doc" open><summary class="hideme"><span>Expand description</span></summary><div class="docblock"><p>Runs.</p></div></details></section></main></body></html>`)
	put(t, dir, "demo/store/struct.Box.html", `<html><body class="rustdoc struct"><section id="main-content"><div class="main-heading"><h1 class="fqn">Struct Box</h1></div><div class="docblock item-decl"><pre class="rust struct"><code>pub struct Box;</code></pre></div><div class="docblock"><p>A box.</p></div><h2 id="implementations">Impl</h2>
<details class="rustdoc-toggle method-toggle" open><summary><section id="method.open" class="method"><a href="#method.open" class="anchor">§</a><h4 class="code-header">pub fn <a href="#method.open">open</a>(&amp;self)</h4></section></summary><div class="docblock"><p>Opens it.</p></div></details>
<section id="method.shut" class="method"><h4 class="code-header">pub fn shut()</h4></section></section></body></html>`)
	tell := func(query string) [3]string {
		res := explore(t, anyPath(), dir, query, Options{MaxObjects: 1})
		if res.Provenance.Kind != "rustdoc" || len(res.Documents) != 1 {
			t.Fatalf("%q: %+v", query, res)
		}
		d := res.Documents[0]
		return [3]string{d.Role + " " + d.Name, *d.Documentation.Signature, *d.Documentation.Description}
	}
	for query, want := range map[string][3]string{
		"demo::run":  {"fn demo::run", "pub fn run(x: u8)", "Runs."},
		"Box":        {"struct demo::store::Box", "pub struct Box;", "A box."},
		"Box::open":  {"method demo::store::Box::open", "pub fn open(&self)", "Opens it."},
		"box open()": {"method demo::store::Box::open", "pub fn open(&self)", "Opens it."},
		"Box::shut":  {"method demo::store::Box::shut", "pub fn shut()", ""},
	} {
		if got := tell(query); got != want {
			t.Errorf("%q: %q\nwant %q", query, got, want)
		}
	}
	var names []string
	for _, d := range explore(t, anyPath(), dir, "", Options{IncludeDocumentation: new(bool), MaxObjects: 50}).Documents {
		names = append(names, d.Name)
	}
	if want := []string{"demo", "demo::run", "demo::store", "demo::store::Box"}; !slices.Equal(names, want) {
		t.Errorf("%q", names)
	}
}

// TestRustStandardLibrary looks at the real pages, with signatures and first sentences as they stand there.
func TestRustStandardLibrary(t *testing.T) {
	const dir = "/usr/share/doc/rust-doc/html"
	if _, err := os.Stat(dir + "/std/all.html"); err != nil {
		t.Skip("not installed: apt-get install rust-doc")
	}
	r := anyPath()
	for query, want := range map[string][2]string{
		"Vec::push":               {"pub fn push(&mut self, value: T)", "Appends an element to the back of a collection."},
		"std::fs::read_to_string": {"pub fn read_to_string<P: AsRef<Path>>(path: P) -> Result<String>", "Read the entire contents of a file into a string."},
		"Option::unwrap_or":       {"pub fn unwrap_or(self, default: T) -> T", "Returns the contained"},
		"Iterator::map":           {"fn map<B, F>(self, f: F) -> Map<Self, F>", "Takes a closure and creates an iterator which calls that closure on each element."},
	} {
		d := explore(t, r, dir, query, Options{MaxObjects: 1}).Documents[0].Documentation
		if !strings.HasPrefix(strings.Join(strings.Fields(*d.Signature), " "), want[0]) || !strings.HasPrefix(*d.Description, want[1]) {
			t.Errorf("%q: %q %.200q", query, *d.Signature, *d.Description)
		}
	}
}
