package page

import (
	"net/url"
	"testing"
)

// FuzzPage reads any page: it ends, and every anchor has an entry or is too large.
func FuzzPage(f *testing.F) {
	for _, s := range []string{
		"<main><section id=a><h1>A</h1><dl class=py><dt class=sig id=b><b class=descname>b</b><dd>c<dl><dt id=d>e</dl></dl>", "<div class=doc-object><h2 id=x><code>y</code></h2><table><tr><td colspan=9>z",
		"<body class=rustdoc><section id=main-content><details class=rustdoc-toggle><summary><section id=method.m>", "<a name=p></a><div class=functionHeader>q</div>", "<pre>```</pre><ul><li><ol start=x><li>&lt;b&gt;\x00\xff",
		"<span id=a></span><span id=b></span><p id=c>", "<div class=admonition><p class=admonition-title>N</p><dl class=glossary><dt id=t>u<dd>v",
	} {
		f.Add([]byte(s))
	}
	address := &url.URL{Scheme: "file", Path: "/a/b.html"}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Parse(data, "")
		if err != nil {
			return
		}
		anchors := p.Anchors()
		for _, a := range append(anchors[:min(len(anchors), 20)], "") {
			e, err := p.Entry(url.PathEscape(a), address)
			if err != nil && a == "" {
				t.Fatalf("the page itself: %v", err)
			}
			_ = e
		}
		for _, s := range p.Passages() {
			if s.Anchor != "" && p.ids[s.Anchor] == 0 {
				t.Fatalf("a passage stands at %q, which is no anchor", s.Anchor)
			}
		}
		if most := 64<<10 + 400*len(data); p.Bytes() > most {
			t.Fatalf("%d bytes take %d", len(data), p.Bytes())
		}
	})
}
