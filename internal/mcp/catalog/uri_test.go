package catalog

import (
	"maps"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
)

func TestURIPattern(t *testing.T) {
	tests := []struct {
		pattern, uri string
		vars         map[string]string // nil: does not fit
		canonical    string
	}{
		{"sdd://idea/{id}", "sdd://idea/idea-1", map[string]string{"id": "idea-1"}, "sdd://idea/idea-1"},
		{"sdd://explore/{slug}", "sdd://explore/日本", map[string]string{"slug": "日本"}, "sdd://explore/%E6%97%A5%E6%9C%AC"},
		{"sdd://explore/{slug}", "sdd://explore/a@b", map[string]string{"slug": "a@b"}, "sdd://explore/a%40b"},
		{"sdd://explore/{slug}", "sdd://explore/a%40b", map[string]string{"slug": "a@b"}, "sdd://explore/a%40b"},
		{"sdd://explore/{slug}", "sdd://explore/a b", map[string]string{"slug": "a b"}, "sdd://explore/a%20b"},
		{"sdd://{kind}/{id}/raw", "sdd://fact/7/raw", map[string]string{"kind": "fact", "id": "7"}, "sdd://fact/7/raw"},
		{"sdd://overview", "sdd://overview", map[string]string{}, "sdd://overview"},

		{"sdd://idea/{id}", "sdd://idea/", nil, ""},
		{"sdd://idea/{id}", "sdd://idea", nil, ""},
		{"sdd://idea/{id}", "sdd://idea/a/b", nil, ""},
		{"sdd://idea/{id}", "sdd://idea/a%2fb", nil, ""},
		{"sdd://idea/{id}", "sdd://idea/..", nil, ""},
		{"sdd://idea/{id}", "sdd://idea/%2E%2e", nil, ""},
		{"sdd://idea/{id}", "sdd://idea/a%5Cb", nil, ""},
		{"sdd://idea/{id}", "sdd://idea/a%00", nil, ""},
		{"sdd://idea/{id}", "sdd://idea/a\n", nil, ""},
		{"sdd://idea/{id}", "sdd://idea/%ff", nil, ""},
		{"sdd://idea/{id}", "sdd://idea/\xff", nil, ""},
		{"sdd://idea/{id}", "sdd://idea/%", nil, ""},
		{"sdd://idea/{id}", "sdd://idea/a?b", nil, ""},
		{"sdd://idea/{id}", "sdd://idea/a#b", nil, ""},
		{"sdd://idea/{id}", "file:///etc/passwd", nil, ""},
		{"sdd://overview", "sdd://overview/", nil, ""},
	}
	for _, test := range tests {
		p, err := ParsePattern(test.pattern)
		if err != nil {
			t.Fatal(err)
		}
		vars, ok := p.Match(test.uri)
		if ok != (test.vars != nil) || ok && !maps.Equal(vars, test.vars) {
			t.Errorf("%s on %q: %v, %v", test.pattern, test.uri, vars, ok)
			continue
		}
		if !ok {
			continue
		}
		if got := p.Expand(vars); got != test.canonical {
			t.Errorf("%s: canonical spelling of %q is %q", test.pattern, test.uri, got)
		}
		// mcp-go must see the canonical spelling as one of the template.
		lib := mcp.NewResourceTemplate(test.pattern, "x").URITemplate
		if !lib.Regexp().MatchString(test.canonical) {
			t.Errorf("%s: mcp-go does not know %q", test.pattern, test.canonical)
		}
	}
	for _, bad := range []string{"x{", "x{}", "x{a}{b}", "x{+a}", "x{#a}", "x{a*}", "x{a,b}", "x{?a}"} {
		if _, err := ParsePattern(bad); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

func FuzzURIPattern(f *testing.F) {
	for _, s := range []string{"a", "日本", "a%40b", "%2e%2e", "a b", "%%", "\x00"} {
		f.Add(s)
	}
	p, err := ParsePattern("sdd://x/{id}/y")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, s string) {
		vars, ok := p.Match("sdd://x/" + s + "/y")
		if !ok {
			return
		}
		again, ok := p.Match(p.Expand(vars))
		if !ok || again["id"] != vars["id"] {
			t.Errorf("%q means %q, its canonical spelling %q", s, vars["id"], again["id"])
		}
	})
}
