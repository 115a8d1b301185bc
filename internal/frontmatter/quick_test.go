package frontmatter

import (
	"strings"
	"testing"
)

// slow reads a block with YAML proper.
func slow(t testing.TB, text string) (*Doc, error) {
	t.Helper()
	src := []byte("---\n" + text + "---\n")
	d := &Doc{Src: src, Present: true, YAML: Span{4, len(src) - 4}, Body: len(src), Newline: "\n"}
	return d, d.decodeSlow()
}

func checkQuick(t testing.TB, text string) {
	t.Helper()
	src := []byte("---\n" + text + "---\n")
	q := &Doc{Src: src, Present: true, YAML: Span{4, len(src) - 4}, Body: len(src), Newline: "\n"}
	if !q.readQuick() {
		return
	}
	s, err := slow(t, text)
	if err != nil {
		t.Fatalf("quick reads what YAML refuses: %v\n%q", err, text)
	}
	if !sameTree(&q.root, &s.root) {
		t.Fatalf("the readers differ on %q:\nquick %+v\nyaml  %+v", text, q.root.items, s.root.items)
	}
	if len(q.Keys) != len(s.Keys) {
		t.Fatalf("quick has %d keys, YAML %d: %q", len(q.Keys), len(s.Keys), text)
	}
	for i := range q.Keys {
		if q.Keys[i] != s.Keys[i] {
			t.Fatalf("key %d of %q: quick %+v, YAML %+v", i, text, q.Keys[i], s.Keys[i])
		}
	}
}

// sameTree compares nodes as they are written.
func sameTree(a, b *node) bool {
	if len(a.items) == 0 && len(b.items) == 0 && a.kind == kindTable && b.kind == kindTable {
		return true
	}
	if a.kind != b.kind || a.style != b.style || a.tag != b.tag || a.anchor != b.anchor || a.text != b.text || len(a.items) != len(b.items) {
		return false
	}
	for i := range a.items {
		if !sameTree(&a.items[i], &b.items[i]) {
			return false
		}
	}
	return true
}

var quickBlocks = []string{
	"",
	"# only a comment\n\n",
	"title: Single sign-on with OIDC\nproject: demo\nscope: project\nrevision: 3\ncreated: 2026-11-21\nsession_id: manual-save\n",
	"title: \"a: b # c\"   # comment\r\nx: 'y'\r\nempty:\r\nnull_: ~\r\n",
	"agents:\n  - a\n  - \"b c\" # why\n  - 'd'\nnext: 1\n",
	"agents:\n- a\n- -5\n- .5\nnext: [a, \"b\", 'c d', e/f]  # list\nnone: []\n",
	"v: 1.10\nx: 0x1F\ny: yes\nn: null\nt: C# rocks\nu: http://x/y#z\nw: a:b\n",
	"title: 日本語 Café 🎉\ntags: [日本, x]\n",
	"a: b\n\n# c\n\nd: e\n",
	"a: x  \nb:   y\nc: # nothing\n",
	"ttl:\n  days: 7\n  refresh_on: go.mod,api/**\ncreated: \"2026-11-21T19:16:16Z\"\n",
	"a:\n  b: c # d\n  e: [f, \"g\"]\n  h: 'i'\nj:\n    k: l\n",
}

// YAML reads these otherwise than a line reader would, or not at all.
var trickyBlocks = []string{
	"a: b\n  c\n", "a: b: c\n", "a:\n  b: c\n", "a: |\n  x\n", "a: \"x\\n\"\n", "a: 'it''s'\n", "a: \"x\n  y\"\n",
	"a:\n  - b\n   - c\n", "a:\n  - b: c\n", "a:\n  - - b\n", "a:\n  -\n", "a:\n  # c\n  - b\n", "a:\n\n  - b\n",
	"a: [b: c]\n", "a: [b, ]\n", "a: [[b]]\n", "a: [b,\n c]\n", "a: {b: c}\n", "a: &x b\n", "a: *x\n", "a: !!str 1\n",
	"a: b\na: c\n", "a: @b\n", "a: `b`\n", "a: %b\n", "a: - b\n", "a: ? b\n", "a: b #c\n", "a: b#c\n", "a: #c\n",
	"a:b\n", "a :b\n", "a : b\n", "? a\n: b\n", "- a\n", "a\n", "...\n", "a: b\n...\nc: d\n", "%YAML 1.2\n",
	"a:\tb\n", "\ta: b\n", "a: b\t# c\n", "a: b\rc: d\n", "a: \u2028b\n", "a: \u0085\n", "a: b\x00\n", "a: \xff\n",
	"\ufeffa: b\n", "a: b\ufeff\n", "a: 'b' c\n", "a: \"b\"c\n", "a: \"b\"#c\n", "a: [b]#c\n", "a: [b] c\n", "a: ''\n", "a: ''''\n",
	"a: b:\n", "a: b :\n", "a: :b\n", "a: -\n", "a: --\n", "a: -b\n", "a: .\n", "a: +\n", "<<: x\n", "a: <<\n", "a: =\n",
	"a:\n- b\n  - c\n", "a:\n- b\nc\n", "a:\n  - b\n - c\n", "a:\n  - b\nb: c\n  - d\n", "a: b\n- c\n", "a:\n  - [b]\n",
	"a: [ ]\n", "a: [ b , c ]\n", "a: [b c, d]\n", "a: [-b]\n", "a: [.]\n", "a: ['b','c']\n", "a: [\"b\"c]\n", "a: [b",
	"a:\n  b: c\n  b: d\n", "a:\n  b: c\n   d: e\n", "a:\n  b: c\n d: e\n", "a:\n  b: c\n  - d\n", "a:\n  - b\n  c: d\n", "a:\n  b:\n    c: d\n", "a:\n  b:\n  c: d\n",
	"a:\n  b: c\n\n  d: e\n", "a:\n  b: c: d\n", "a:\n  b:c\n", "a:\n  b : c\n", "a:\n  1: c\n", "a:\n  b: c\n    d\n", "a: b\n  c: d\n", "a: \"\"\n  b: c\n", "a:\n  <<: b\n", "a:\n  ? b\n",
	"a:\n  b: &c d\n", "a: # b\n  c: d\n", "a:\n  b: |\n", "a:\n  b: {c: d}\n", "a:\n  b: [c\n", "a:\n  b: c\r\n  d: e\r\nf: g\r\n", "a:\n  null: b\n", "a:\n  b: c\nd\n",
	"a: {}\n", "a: {b}\n", "a: {b: }\n", "a: {b:c}\n", "a: {b: c, }\n", "a: {b: c, b: d}\n", "a: {b: c,d: e}\n", "a: {b: c\n", "a: {b: c}d\n", "a: {b: [c]}\n", "a: {b: {c: d}}\n",
	"a: {b: c: d}\n", "a: {\"b\": c}\n", "a: {b: \"c\"d}\n", "a: {1: b}\n", "a: {<<: b}\n", "a: {b: -c}\n", "a: {b: c #d}\n", "a: [{b: c}]\n", "a: {b: c, d}\n", "a: {b : c}\n", "- {a: b}\n",
	"1: a\n", "a: {b: c}\nttl: {days: 7, refresh_on: \"go.mod,api/**\"} # d\ne: { f: g h , i: 'j' }\nk:\n  l: {m: n}\n", "-a: b\n", "y: z\nnull: x\ntrue: w\n", "a: \"\"\nb: ''\n", strings.Repeat("k", 200) + ": v\n",
}

func TestQuickAgreesWithYAML(t *testing.T) {
	for _, text := range quickBlocks {
		src := []byte("---\n" + text + "---\n")
		d := &Doc{Src: src, Present: true, YAML: Span{4, len(src) - 4}}
		if !d.readQuick() {
			t.Errorf("quick gives up on %q", text)
		}
		checkQuick(t, text)
	}
	for _, text := range trickyBlocks {
		checkQuick(t, text)
	}
}

func FuzzQuick(f *testing.F) {
	for _, text := range append(quickBlocks, trickyBlocks...) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		if len(text) > 4<<10 {
			return
		}
		checkQuick(t, text)
	})
}
