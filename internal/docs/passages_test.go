package docs

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sdd/internal/fault"
	"sdd/internal/tokens"
)

const guidePage = `<html><head><title>Guide</title></head><body><main><section id="guide"><h1>Guide</h1>
<section id="levers"><h2>Levers and lids</h2><p>A stuck lid is lifted with a lever: push it under the rim.</p></section>
<section id="storing"><h2>Storing</h2><p>Put heavy things at the bottom, glass on top.</p><script>lever lever lever</script></section></section></main></body></html>`

func guided(t *testing.T) string {
	return demo(t, demoLines+"storing-label std:label -1 guide/index.html#storing Storing\n", map[string]string{"index.html": demoPage, "guide/index.html": guidePage, "_modules/x.html": guidePage, "genindex.html": guidePage})
}

// TestAnswers finds passages for questions, and names for names.
func TestAnswers(t *testing.T) {
	dir := guided(t)
	r := anyPath()
	for _, tt := range []struct{ query, uri, name, role, matched string }{
		{"how do I lift a stuck lid", "guide/index.html#levers", "Levers and lids", "section", "text"},
		{"where should heavy glass things be put", "guide/index.html#storing", "storing-label", "label", "text"},
		{"what runs things now", "index.html#demo.run", "demo.run", "function", "text"},
		{"demo.run", "index.html#demo.run", "demo.run", "function", ""},
		{"demo box open", "index.html#demo.Box.open", "demo.Box.open", "method", ""},
	} {
		res := explore(t, r, dir, tt.query, Options{MaxObjects: 2})
		if len(res.Documents) == 0 {
			t.Errorf("%q: nothing", tt.query)
			continue
		}
		d := res.Documents[0]
		if d.URI != tt.uri || d.Name != tt.name || d.Role != tt.role || d.Matched != tt.matched || (d.FuzzyScore == nil) != (tt.matched != "") || d.Documentation == nil {
			t.Errorf("%q: %+v", tt.query, d)
		}
	}
	d := explore(t, r, dir, "how do I lift a stuck lid", Options{MaxObjects: 1}).Documents[0]
	if want := fileURL(filepath.Join(dir, "guide", "index.html")).String() + "#levers"; d.Documentation.URL != want || *d.Documentation.Signature != "Levers and lids" || !strings.HasPrefix(*d.Documentation.Description, "A stuck lid") {
		t.Errorf("%+v", d.Documentation)
	}
	for name, o := range map[string]Options{"exact": {MatchMode: Exact}, "regex": {MatchMode: Regexp}, "domain": {Domain: "py"}, "role": {Role: "label"}} {
		for _, d := range explore(t, r, dir, "how do I lift a stuck lid", o).Documents {
			if d.Matched != "" {
				t.Errorf("%s: %+v", name, d)
			}
		}
	}
	if res := explore(t, r, dir, "why do zebras wear stripes outdoors", Options{FuzzyThreshold: new(int)}); len(res.Documents) > 0 && res.Documents[0].Matched != "" {
		t.Errorf("%+v", res.Documents[0])
	}
	for _, budget := range []int{60, 100, 300, 1000} {
		res := explore(t, r, dir, "how do I lift a stuck lid", Options{MaxTokens: budget})
		data, err := json.Marshal(res)
		if err != nil {
			t.Fatal(err)
		}
		if n := tokens.Count(res.Text()); n > budget {
			t.Errorf("budget %d: %d tokens of text", budget, n)
		}
		if n := tokens.Count(string(data)); budget >= 300 && n > budget {
			t.Errorf("budget %d: %d tokens", budget, n)
		}
	}
}

// TestAnswersFresh sees a page that changes, keeps an index for the next process, and makes one again that is damaged.
func TestAnswersFresh(t *testing.T) {
	dir, cache := guided(t), t.TempDir()
	first := func(r *Reader, query string) string {
		t.Helper()
		var b bytes.Buffer
		for _, d := range explore(t, r, dir, query, Options{MaxObjects: 1, IncludeDocumentation: new(bool)}).Documents {
			if d.Matched != "" {
				b.WriteString(d.URI)
			}
		}
		return b.String()
	}
	var seen []string
	settings := Settings{AnyPath: true, Cache: cache, Reading: func(done, all int) { seen = append(seen, fmt.Sprint(done, " of ", all)) }}
	r := New(settings)
	if got := first(r, "how do I lift a stuck lid"); got != "guide/index.html#levers" {
		t.Fatalf("%q", got)
	}
	if len(seen) != 1 || seen[0] != "2 of 2" {
		t.Errorf("progress: %q", seen)
	}
	put(t, dir, "new.html", `<h1 id="n">New</h1><p>The quick brown zebra lifts a stuck hatch.</p>`)
	kept, _ := r.passages.get(dir, "")
	kept.listed = time.Time{}
	r.passages.put(dir, "", kept, 1)
	if got := first(r, "how is a stuck hatch lifted"); got != "new.html#n" {
		t.Errorf("a new page is not seen: %q", got)
	}
	files, err := filepath.Glob(filepath.Join(cache, "prose", "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%q %v", files, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	kept, _ = r.passages.get(dir, "")
	if ix, ok := New(settings).readIndex(dir, kept.stamp); !ok || !bytes.Equal(ix.Bytes(), kept.index.Bytes()) {
		t.Error("the kept index is not read")
	}
	for _, bad := range [][]byte{data[:len(data)-1], nil, bytes.Replace(data, []byte("lever"), []byte("revel"), 1)} {
		if err := os.WriteFile(files[0], bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := first(New(settings), "how is a stuck hatch lifted"); got != "new.html#n" {
			t.Errorf("from a damaged index: %q", got)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := anyPath().Explore(ctx, dir, "how do I lift a stuck lid", Options{}); !fault.Is(err, fault.Unavailable) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestAnswersOfGo asks the comments of a package.
func TestAnswersOfGo(t *testing.T) {
	project := t.TempDir()
	put(t, project, "go.mod", "module example.org/app\n")
	put(t, project, "box/box.go", "// Package box keeps things.\npackage box\n\n// New makes a box.\nfunc New(name string) int { return 0 }\n\n// Pry lifts a lid that is stuck with a lever.\nfunc Pry() {}\n")
	d := explore(t, New(Settings{Dir: project}), "box", "how do I lift a stuck lid", Options{MaxObjects: 1}).Documents[0]
	if d.Name != "example.org/app/box.Pry" && d.Name != "box.Pry" || d.Matched != "text" || *d.Documentation.Signature != "func Pry()" {
		t.Errorf("%+v", d)
	}
}

// TestManyPages takes the pages at the top where there are too many, and passes over what is no page.
func TestManyPages(t *testing.T) {
	files := map[string]string{"huge.html": strings.Repeat("<p>x", maxProsePage), "search.html": guidePage, "sub/404.html": guidePage, ".hidden/a.html": guidePage}
	for i := range 20 {
		files[fmt.Sprintf("deep/er/%02d.html", i)] = guidePage
		files[fmt.Sprintf("%02d.html", i)] = guidePage
	}
	dir := demo(t, demoLines, files)
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	tree := localTree{root, dir}
	listed, stamp := tree.pages()
	if len(listed) != 40 || listed[0] != "00.html" || listed[39] != "deep/er/19.html" {
		t.Errorf("%q", listed)
	}
	put(t, dir, "01.html", guidePage+" ")
	if _, now := tree.pages(); now == stamp {
		t.Error("a change is not told")
	}
}

// TestUnlisted names a passage that the inventory does not list, whatever is in its page's name.
func TestUnlisted(t *testing.T) {
	dir := demo(t, demoLines, map[string]string{"a b/c%20d#e.html": guidePage})
	res := explore(t, anyPath(), dir, "how do I lift a stuck lid", Options{MaxObjects: 1})
	if len(res.Documents) != 1 || res.Documents[0].URI != "a b/c%2520d%23e.html#levers" {
		t.Errorf("%+v", res)
	}
	file, anchor, fail := splitURI("a b/c%2520d%23e.html#levers")
	if fail != nil || file != "a b/c%20d#e.html" || anchor != "levers" {
		t.Errorf("%q %q", file, anchor)
	}
}
