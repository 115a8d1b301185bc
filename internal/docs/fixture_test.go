package docs

import (
	"bytes"
	"compress/zlib"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sdd/internal/docs/inventory"
)

// demo makes a documentation of the given files; lines is what its inventory lists.
func demo(t testing.TB, lines string, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "html")
	put(t, dir, "objects.inv", inventoryOf(lines))
	for name, text := range files {
		put(t, dir, name, text)
	}
	return dir
}

func put(t testing.TB, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func inventoryOf(lines string) string {
	var b bytes.Buffer
	b.WriteString("# Sphinx inventory version 2\n# Project: Demo\n# Version: 1.0\n# The remainder of this file is compressed using zlib.\n")
	w := zlib.NewWriter(&b)
	io.WriteString(w, lines)
	w.Close()
	return b.String()
}

// bomb is an inventory that says the same without an end: a piece of a compressed stream that ends at a byte can be
// repeated.
func bomb(line string) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	w.Flush()
	start := b.Len()
	io.WriteString(w, strings.Repeat(line, 1<<20/len(line)))
	w.Flush()
	stream := b.String()
	head, _, _ := strings.Cut(inventoryOf(""), "zlib.\n")
	return head + "zlib.\n" + stream[:start] + strings.Repeat(stream[start:], inventory.MaxText>>20+2)
}

// anyPath is a reader for a person.
func anyPath() *Reader { return New(Settings{AnyPath: true}) }

func explore(t testing.TB, r *Reader, source, query string, o Options) Result {
	t.Helper()
	res, err := r.Explore(context.Background(), source, query, o)
	if err != nil {
		t.Fatalf("%s %q: %v", source, query, err)
	}
	if res.Search.ObjectCount != len(res.Documents)+len(res.Errors) || res.Search.ObjectCount > res.Search.MaxObjects {
		t.Errorf("%q: %d objects of at most %d, but %d documents and %d errors", query, res.Search.ObjectCount, res.Search.MaxObjects, len(res.Documents), len(res.Errors))
	}
	return res
}

const demoPage = `<!DOCTYPE html><html><head><title>Demo</title></head><body><div role="main">
<section id="module-demo"><h1>demo — a module<a class="headerlink" href="#module-demo">¶</a></h1><p>It <em>does</em> things, see <a href="other.html#x">other</a>.</p>
<dl class="py function"><dt class="sig sig-object py" id="demo.run"><span class="sig-name descname">run</span>(<em>x</em>)<a class="reference internal" href="_modules/demo.html"><span class="viewcode-link">[source]</span></a><a class="headerlink" href="#demo.run">¶</a></dt>
<dd><p>Runs <code>x</code> &lt;now&gt;.</p><div class="highlight-python notranslate"><div class="highlight"><pre><span></span>run(1)
</pre></div></div></dd></dl>
<dl class="py class"><dt class="sig sig-object py" id="demo.Box"><em>class </em><span class="descname">Box</span></dt><dd><p>A box.</p>
<dl class="py method"><dt class="sig sig-object py" id="demo.Box.open"><span class="descname">open</span>()</dt><dd><p>Opens it.</p></dd></dl></dd></dl>
</section></div></body></html>`

const demoLines = "demo py:module 0 index.html#module-$ -\ndemo.run py:function 1 index.html#$ -\ndemo.Box py:class 1 index.html#$ -\ndemo.Box.open py:method 1 index.html#$ -\nlost py:function 1 gone.html#$ -\nhidden py:function 1 index.html#$ -\n"
