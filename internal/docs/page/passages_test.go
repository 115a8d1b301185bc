package page

import (
	"fmt"
	"strings"
	"testing"
)

func TestPassages(t *testing.T) {
	for _, tt := range []struct{ name, html, want string }{
		{"sections", `<title>T</title><nav>no</nav><main><section id=a><h1>A<a class=headerlink href=#a>¶</a></h1><p>One</p><section id=b><h2>B</h2>Two</section>Three</section></main>`,
			"a|A|A One Three; b|B|B Two"},
		{"old sections", `<body><div class=section id=a><h1>A</h1>One<div class=section id=b><h2>B</h2>Two</div></div>`, "a|A|A One; b|B|B Two"},
		{"objects", `<body><section id=s><h1>S</h1>x<dl class="py class"><dt class=sig id=C><span class=descname>C</span></dt><dd>Of C<dl class="py method"><dt class=sig id=C.f>
<span class=descname>f</span>()</dt><dt class=sig id=C.g><span class=descname>g</span>()</dt><dd>Of f and g</dd></dl>more</dd></dl></section>`,
			"s|S|S x; C|C|C Of C more; C.f|f()|f() g() Of f and g"},
		{"headings", `<title>T</title><body><article><p>Lead</p><h1 id=a>A</h1><p>One</p><h2 id=b>B</h2><p>Two</p></article>`, "|T|Lead; a|A|One; b|B|Two"},
		{"mkdocstrings", `<body><div class="doc doc-object"><h2 id=m.f class="doc doc-heading"><code>f()</code></h2><div class="doc doc-contents"><p>Of f</p></div></div>`, "m.f|f()|f() Of f"},
		{"pydoctor", `<body><div class=basefunction><a name=m.f></a><div class=functionHeader>def f():</div><div class="docstring functionBody">Of f</div></div>`, "m.f|m.f|def f(): Of f"},
		{"rustdoc", `<body class=rustdoc><main><details class="rustdoc-toggle method-toggle"><summary><section id=method.open><h4>fn open()</h4></section></summary><div class=docblock>Opens</div></details></main>`,
			"method.open|fn open()|fn open() Opens"},
		{"a heading in a box", `<body><div><h2 id=a>A</h2><p>One</p></div><p>Two`, "||Two; a|A|One"},
		{"terms without anchors", "<body><dl id=q>" + strings.Repeat("<dt class=sig>x", 50_000), "||" + strings.TrimSpace(strings.Repeat("x ", 50_000))},
		{"headings after much", "<body><div>" + strings.Repeat("<i></i>", 50_000) + strings.Repeat("<h2 id=a></h2>", 50_000) + "x", "a||x"},
		{"an unclosed heading", `<body><h2 id=a>A<h3 id=b>B</h3><p>One</p><h2 id=c>C</h2><p>Two`, "b|B|One; c|C|Two"},
		{"a section and its heading", `<body><section id=a><h1 id=b>T</h1><p>One</p></section>`, "a|T|T One"},
		{"nothing", `<body><nav>x</nav><script>y</script>`, ""},
		{"no section", `<title>T</title><p>One`, "|T|One"},
		{"section without id", `<body><section><h1 id=h>H</h1>x</section>`, "h|H|H x"},
	} {
		p, err := Parse([]byte(tt.html), "")
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		var got []string
		for _, s := range p.Passages() {
			got = append(got, fmt.Sprintf("%s|%s|%s", s.Anchor, s.Title, strings.Join(strings.Fields(s.Text), " ")))
		}
		if s := strings.Join(got, "; "); s != tt.want {
			t.Errorf("%s: %s\nwant %s", tt.name, s, tt.want)
		}
	}
}
