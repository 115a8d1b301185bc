package page

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

var address = &url.URL{Scheme: "https", Host: "docs.example.org", Path: "/a/b.html"}

func entry(t *testing.T, source, fragment string) Entry {
	t.Helper()
	p, err := Parse([]byte(source), "")
	if err != nil {
		t.Fatalf("%.80q: %v", source, err)
	}
	e, err := p.Entry(fragment, address)
	if err != nil {
		t.Fatalf("%.80q #%s: %v", source, fragment, err)
	}
	return e
}

// TestMarkdown tells pieces of pages.
func TestMarkdown(t *testing.T) {
	for _, tt := range []struct{ html, want string }{
		{"<p>One\n two</p><p>three</p>", "One two\n\nthree"},
		{"<p>a <em>b </em>c<strong>d</strong> <code>e  `f</code></p>", "a *b* cd ``e `f``"},
		{"<p>x<code>y</code><code>z</code></p>", "x`y` `z`"},
		{"<p><strong>a <em>b</em></strong> <em><a href='c.html'>d</a></em></p>", "**a b** *[d](https://docs.example.org/a/c.html)*"},
		{"<p><a href='../c.html#d'>x</a> <a href='#e'>y</a> <a href='javascript:f()'>z</a> <a href='data:text/html,x'>w</a> <a>v</a></p>",
			"[x](https://docs.example.org/c.html#d) [y](https://docs.example.org/a/b.html#e) z w v"},
		{"<p>&lt;b&gt; &amp;lt; *a* _b_ a_b __init__ `c` 1 * 2 [x](y) a&lt;b a &lt; b \\* c:\\d</p>", "\\<b> \\&lt; \\*a\\* \\_b\\_ a_b \\_\\_init\\_\\_ \\`c\\` 1 * 2 [x\\](y) a\\<b a < b \\\\\\* c:\\d"},
		{"<p># no heading</p><p>- no list</p><p>1. no list</p><p>&gt; no quote</p><p>--- </p><p>===</p><p>~~~</p>", "\\# no heading\n\n\\- no list\n\n1\\. no list\n\n\\> no quote\n\n\\---\n\n\\===\n\n\\~\\~\\~"},
		{"<p>a<br>b</p>", "a\\\nb"},
		{"<ul><li>a</li><li><p>b</p><ul><li>c</li></ul></li></ul>", "- a\n- b\n  - c"},
		{"<ol start=3><li><p>a</p><p>b</p></li><li>c</ol>", "3. a\n\n   b\n\n4. c"},
		{"<dl><dt>a</dt><dd>b</dd><dt>c<dt>d<dd><p>e</p><p>f</p></dl>", "- **a**: b\n\n- **c**, **d**\n\n  e\n\n  f"},
		{"<div class='highlight-python3'><div class='highlight'><pre><span class='linenos'>1 </span>a\n  <b>b</b>\n</pre></div></div>", "```python\na\n  b\n```"},
		{"<pre><code class='language-go'>x\n```\ny</code></pre>", "````go\nx\n```\ny\n````"},
		{"<div class='highlight-default'><pre>\n\n a\n</pre></div>", "```\n a\n```"},
		{"<table class='highlighttable'><tr><td class='linenos'><pre>1\n2</pre></td><td class='code'><pre>a\nb</pre></td></tr></table>", "```\na\nb\n```"},
		{"<table><thead><tr><th>A</th><th>B|C</th></tr></thead><tbody><tr><td><p>x</p><p>y</p></td><td><code>a|b</code></td></tr><tr><td colspan=2>z</td></tr></tbody></table>",
			"| A | B\\|C |\n| --- | --- |\n| x y | `a\\|b` |\n| z | |"},
		{"<table><tr><td>x<td><ul><li>a<li>b</ul></table>", "| | |\n| --- | --- |\n| x | a; b |"},
		{"<div class='admonition note'><p class='admonition-title'>Note</p><p>a</p></div>", "> **Note**\n>\n> a"},
		{"<div class='versionadded'><p><span class='versionmodified'>New in version 3.</span></p></div>", "New in version 3."},
		{"<p>a</p><script>b</script><style>c</style><nav>d</nav><aside>e</aside><button>f</button><div class='sidebar'>g</div><div class='toctree-wrapper'>h</div><!-- i -->", "a"},
		{"<p>a<img src='i.png' alt='the  i'> <img class='math' alt='x^2'></p>", "a![the i](https://docs.example.org/a/i.png) `x^2`"},
		{"<p>E <span class='math'>\\(mc^2\\)</span></p><div class='math'>\\[a_b\\]</div>", "E `mc^2`\n\n```math\na_b\n```"},
		{"<p>z</p><h3>T <a class='headerlink' href='#x'>¶</a></h3><p>a</p><hr><blockquote><p>b</p><p>c</p></blockquote>", "z\n\n### T\n\na\n\n---\n\n> b\n>\n> c"},
		{"<div class='line-block'><div class='line'>a</div><div class='line'>b</div></div>", "a\\\nb"},
		{"<details><summary>S</summary><p>a</p></details>", "**S**\n\na"},
		{"text <b>bold</b><p>a</p>tail", "text **bold**\n\na\n\ntail"},
	} {
		if got := entry(t, "<html><body><div id='x'>"+tt.html+"</div></body></html>", "x").Description; got != tt.want {
			t.Errorf("%s\n got %q\nwant %q", tt.html, got, tt.want)
		}
	}
}

// TestAnchors finds what stands at an anchor, in the forms that generators write.
func TestAnchors(t *testing.T) {
	const object = `<dl class="py method"><dt class="sig" id="a.b"><span class="descname">b</span>()</dt><dt class="sig" id="a.c"><span class="descname">c</span>()</dt><dd><p>Both.</p></dd></dl>`
	for _, tt := range []struct {
		name, html, fragment, signature, description string
	}{
		{"one of two terms", object, "a.c", "c()", "Both."},
		{"within a term", `<dl><dt class=sig><a id="t"></a><b class=descname>f</b>()</dt><dd>F.</dd></dl>`, "t", "f()", "F."},
		{"glossary", `<dl class="glossary"><dt id="term-a">a</dt><dt id="term-b">b<a class="headerlink" href="#">¶</a></dt><dd><p>Shared.</p></dd></dl>`, "term-b", "b", "Shared."},
		{"empty dd", `<dl class="x"><dt id="d"><code class="descname">d</code></dt><dd></dd></dl><p>One.</p><p>Two.</p><span id="s"></span><p>Not.</p>`, "d", "d", "One.\n\nTwo."},
		{"empty dd before a heading", `<dl class="x"><dt id="d"><code class="descname">d</code></dt><dd></dd></dl><p>One.</p><h2>Next</h2><p>Not.</p>`, "d", "d", "One."},
		{"section", `<section id="s"><h2>Title<a class="headerlink" href="#s">¶</a></h2><p>One.</p>` + object + `<section><h3>In</h3><p>Not.</p></section></section>`, "s", "Title", "One."},
		{"section that says nothing", `<section id="s"><h2>Title</h2><section><h3>In</h3><p>One.</p></section></section>`, "s", "Title", "One."},
		{"old section", `<div class="section" id="s"><span id="t"></span><h2>Title</h2><p>One.</p></div>`, "t", "Title", "One."},
		{"stacked targets", `<span class="target" id="a"></span><span class="target" id="b"></span><section id="s"><h2>Title</h2><p>One.</p></section>`, "a", "Title", "One."},
		{"target before an object", `<span id="a"></span>` + object, "a", "b()", "Both."},
		{"target before a paragraph", `<span id="a"></span><p>One.</p><p>Not.</p>`, "a", "", "One."},
		{"target before a table", `<p id="a"></p><table><tr><th>H</th></tr><tr><td>c</td></tr></table><p>Not.</p>`, "a", "", "| H |\n| --- |\n| c |"},
		{"empty paragraph in an object", `<div class="doc doc-object"><h2 id="o" class="doc doc-heading">o</h2><p id="a"></p><p>One.</p></div>`, "a", "", "One."},
		{"target in a paragraph", `<p>Not.</p><p>One <span id="a"></span>two.</p>`, "a", "", "One two."},
		{"parameter", `<ul><li><p><strong id="a">x</strong> – one.</p><p>More.</p></li><li>y</li></ul>`, "a", "x", "**x** – one.\n\nMore."},
		{"module", `<span class="target" id="module-m"></span><p>One.</p><p>Two.</p>` + object, "module-m", "", "One.\n\nTwo."},
		{"heading without a section", `<h2 id="h">H</h2><p>One.</p><h3>Not</h3><p>Not.</p>`, "h", "H", "One."},
		{"heading that says nothing", `<h2 id="h">H</h2><h3>I</h3><p>One.</p><h3>Not</h3>`, "h", "H", "One."},
		{"rubric", `<p class="rubric" id="r">R</p><p>One.</p><p class="rubric">Not</p>`, "r", "R", "One."},
		{"mkdocstrings", `<div class="doc doc-object doc-function"><h2 id="m.f" class="doc doc-heading"><code class="highlight">f(x)</code><span class="doc-labels">async</span></h2><div class="doc doc-contents"><p>One.</p><div class="doc doc-children"><div class="doc doc-object"><h3 class="doc-heading" id="m.g">g</h3><div class="doc-contents"><p>Not.</p></div></div></div></div></div>`, "m.f", "f(x)", "One."},
		{"mkdocstrings, signature apart", `<div class="doc doc-object"><h2 id="m.f" class="doc doc-heading">f</h2><div class="doc-signature highlight"><pre><code>f(x,
  y)</code></pre></div><div class="doc-contents"><p>One.</p></div></div>`, "m.f", "f(x, y)", "One."},
		{"mkdocstrings without a heading", `<div class="doc doc-object"><a id="m"></a><div class="doc-contents first"><p>One.</p></div></div>`, "m", "", "One."},
		{"pydoctor", `<div class="basemethod"><a name="t.f"></a><a name="f"></a><div class="functionHeader"><span>def</span> f(self): <a class="sourceLink" href="x">(source)</a></div><div class="docstring functionBody"><div><p>One.</p></div></div></div>`, "f", "def f(self)", "One."},
		{"encoded", `<p id="a b">One.</p>`, "a%20b", "", "One."},
		{"two #", `<p id="a.b">One.</p>`, "document-x#a.b", "", "One."},
		{"other case", `<p id="Some-Thing">One.</p>`, "some_thing", "", "One."},
		{"a[name]", `<a name="n"></a><p>One.</p>`, "n", "", "One."},
		{"box with the id of its content", `<div id="g"><div><span id="g"></span><h1>G</h1><p>One.</p></div></div>`, "g", "G", "One."},
		{"other block", `<header id="h"><p>One.</p></header>`, "h", "", "One."},
		{"page with a section", `<nav>Not</nav><section><h1>T</h1><p>One.</p></section>`, "", "T", "One."},
		{"page with a main part", `<div>Not</div><div role="main"><h1>T</h1><p>One.</p></div>`, "", "T", "One."},
		{"page with an article", `<div>Not</div><article><p>One.</p></article>`, "", "", "One."},
		{"page", `<p>One.</p>`, "", "", "One."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := entry(t, "<html><head><title>T</title></head><body>"+tt.html+"</body></html>", tt.fragment)
			if e.Signature != tt.signature || e.Description != tt.description {
				t.Errorf("%q %q\nwant %q %q", e.Signature, e.Description, tt.signature, tt.description)
			}
		})
	}
	if e := entry(t, object, "a.b"); !slices.Equal(e.Signatures, []string{"b()", "c()"}) {
		t.Errorf("%q", e.Signatures)
	}
	p, err := Parse([]byte(`<p id="A"></p><p id="a">x</p>`), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Entry("none", address); err != ErrNoAnchor {
		t.Errorf("%v", err)
	}
}

func TestLead(t *testing.T) {
	for text, want := range map[string]string{
		"One.\n\nTwo.": "One.",
		"New in version 3.\n\n> **Note**\n>\n> x\n\n```python\na\n\nb\n```\n\n- a\n\n| a |\n\n# H\n\n**Title**\n\nThe prose.\n\nMore.": "The prose.",
		"```\na\n```": "",
		"":            "",
	} {
		if got := Lead(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// FuzzEntry demands that every anchor of any page can be told, without HTML in the result and without a panic.
func FuzzEntry(f *testing.F) {
	f.Add(`<dl class=x><dt id=a class=sig><b class=descname>f<dd><p id=b>x<table><tr><td id=c>y<ul><li id=d><pre>z</dl>`)
	f.Add(`<h1 id=a>x</h1><span id=b></span><section id=c><div class="section" id=d><h2>&lt;b&gt;</h2><p>[a](b) &lt;c</p>`)
	f.Add(`<div class=doc-object><a id=x></a><div class=doc-contents><a name=y></a><code id=z>&lt;i>` + "`" + `</code>`)
	f.Fuzz(func(t *testing.T, source string) {
		p, err := Parse([]byte(source), "")
		if err != nil {
			return
		}
		for _, id := range append(p.Anchors(), "") {
			e, err := p.Entry(url.PathEscape(id), address)
			if err != nil {
				continue
			}
			src := []byte(e.Description)
			doc := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough)).Parser().Parse(text.NewReader(src))
			_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
				if n.Kind() == ast.KindRawHTML || n.Kind() == ast.KindHTMLBlock {
					t.Fatalf("HTML of %q #%s in %q", source, id, e.Description)
				}
				if l, ok := n.(*ast.Link); ok && strings.HasPrefix(strings.ToLower(string(l.Destination)), "javascript:") {
					t.Fatalf("a link to a script of %q in %q", source, e.Description)
				}
				return ast.WalkContinue, nil
			})
		}
	})
}
