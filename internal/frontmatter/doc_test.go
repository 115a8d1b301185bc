package frontmatter

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	adrg "github.com/adrg/frontmatter"
	"github.com/google/go-cmp/cmp"

	"sdd/internal/fault"
)

func TestAccessors(t *testing.T) {
	d, err := Parse([]byte("---\ntitle: 'a b'\nn: 3\nq: \"4\"\nhex: 0x1F\nzero: 010\nf: 1.10\nyes: on\nno: \"false\"\nempty:\nl: [a, 1.10, ~, [x], {y: z}]\none: x\nm: {a: 1}\nd: 2026-11-21\n---\n"))
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"title": "a b", "n": "3", "q": "4", "hex": "0x1F", "zero": "010", "f": "1.10", "yes": "on",
		"empty": "", "l": "", "m": "", "d": "2026-11-21", "missing": ""} {
		if got := d.String(key); got != want {
			t.Errorf("String(%s) = %q", key, got)
		}
	}
	for key, want := range map[string]string{"n": "3 true", "q": "4 true", "hex": "31 true", "zero": "10 true", "f": "0 false", "title": "0 false", "l": "0 false", "missing": "0 false"} {
		if got := fmt.Sprint(d.Int(key)); got != want {
			t.Errorf("Int(%s) = %s", key, got)
		}
	}
	for key, want := range map[string]string{"yes": "true true", "no": "false true", "n": "false false", "missing": "false false"} {
		if got := fmt.Sprint(d.Bool(key)); got != want {
			t.Errorf("Bool(%s) = %s", key, got)
		}
	}
	for key, want := range map[string][]string{"l": {"a", "1.10"}, "one": {"x"}, "empty": nil, "m": nil, "missing": nil} {
		if diff := cmp.Diff(want, d.Strings(key)); diff != "" {
			t.Errorf("Strings(%s): %s", key, diff)
		}
	}
	if !d.Has("empty") || d.Has("missing") {
		t.Error("Has")
	}
	if diff := cmp.Diff([]any{"a", 1.1, nil, []any{"x"}, map[string]any{"y": "z"}}, d.Value("l")); diff != "" {
		t.Error(diff)
	}
	none, err := Parse([]byte("# T\n"))
	if err != nil || len(none.Map()) != 0 || none.Value("x") != nil || none.Under() != nil {
		t.Errorf("no block: %v %v", none.Map(), err)
	}
}

func TestMergeKeysAtTheTop(t *testing.T) {
	d, err := Parse([]byte("---\nbase: &b {status: active, level: 1}\n<<: *b\nlevel: 2\n---\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"base": map[string]any{"status": "active", "level": int64(1)}, "status": "active", "level": int64(2)}
	if diff := cmp.Diff(want, d.Map()); diff != "" {
		t.Error(diff)
	}
	if d.String("status") != "active" || d.String("level") != "2" || d.Has("<<") {
		t.Error(d.String("status"), d.String("level"))
	}
}

func TestKeySpans(t *testing.T) {
	src := []byte("\ufeff---\r\n# head\r\ntitle: 日本 # c\r\nl:\r\n  - a\r\n  # in\r\n# out\r\nt: |\r\n  # text\r\n\r\nend: 1\r\n---\r\nbody")
	d, err := Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, k := range d.Keys {
		got = append(got, fmt.Sprintf("%d %s %q", k.Line, k.Name, src[k.Span.Start:k.Span.End]))
	}
	want := []string{`3 title "title: 日本 # c\r\n"`, `4 l "l:\r\n  - a\r\n  # in\r\n"`, `8 t "t: |\r\n  # text\r\n"`, `11 end "end: 1\r\n"`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if string(src[d.Body:]) != "body" || d.Newline != "\r\n" || !d.BOM {
		t.Errorf("%+v", d)
	}
}

// TestBrokenLines checks that the line to mend is named, also where YAML names another one.
func TestBrokenLines(t *testing.T) {
	for _, tt := range []struct {
		yaml string
		line int
		text string
	}{
		{"a: b: c\n", 2, "mapping values"},
		{"ok: 1\nz: \"a\" b\n", 3, ""},
		{"ok: 1\n- x\n", 3, ""},
		{"ok: 1\n\nx: {a: 1\n\ny: 2\n", 4, ""},
		{"ok: 1\na: \"x\nb: c\n", 3, ""},
		{"ok: 1\nnokey\nz: 1\n", 3, ""},
		{"ok: 1\n  bad: 2\n", 3, ""},
		{"a:\n  - b\n c: d\n", 4, ""},
		{"ok: 1\nz: *u\n", 3, "unknown anchor"},
		{"ok: 1\na: @x\n", 3, ""},
		{"ok: 1\n\tb: 1\n", 3, ""},
		{"ok: 1\nok2: [a]\nok: 3\n", 4, `"ok" stands twice, on lines 2 and 4`},
		{"ok: 1\n<<<<<<< HEAD\na: 1\n=======\na: 2\n>>>>>>> x\n", 3, "conflict markers"},
		{"ok: 1\n...\nb: 2\n", 4, "goes on after the end"},
		{"{a: b}\nfoo: bar\n", 3, "goes on after the end"},
		{"{a: b} junk\n", 2, "goes on after the end"},
		{" a: b\nc: d\n", 3, "goes on after the end"},
		{strings.Repeat("k: [a]\n", 1) + strings.Repeat("# c\n", 200) + "b: [\n", 203, ""},
		{strings.Repeat("# long\n", maxBlock/7+1), 1, "at most 262144 are read"},
	} {
		_, err := Parse([]byte("---\n" + tt.yaml + "---\nbody\n"))
		f := fault.Of(err)
		if err == nil || f.Code != fault.Broken || f.Line != tt.line || f.Hint == "" || !strings.Contains(f.Message, tt.text) {
			t.Errorf("%.40q: line %d, %v", tt.yaml, f.Line, err)
		}
	}
}

// TestHostile has blocks made to cost time or memory.
func TestHostile(t *testing.T) {
	var bomb strings.Builder
	bomb.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 60; i++ {
		fmt.Fprintf(&bomb, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10), ", "))
	}
	long := strings.Repeat("x", 100<<10)
	for name, yaml := range map[string]string{
		"bomb":         bomb.String(),
		"long aliases": "a: &a " + long + "\nb: [" + strings.TrimSuffix(strings.Repeat("*a, ", 10000), ", ") + "]\n",
		"merge bomb":   "a: &a {x: 1}\nb: &b {<<: [" + strings.TrimSuffix(strings.Repeat("*a, ", 20000), ", ") + "]}\nc: {<<: [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b, *b, *b, *b, *b, *b, *b]}\n",
		"cycle":        "a: &a\n  b: &b\n    c: *a\n",
		"brackets":     "a: " + strings.Repeat("[", 10000) + strings.Repeat("]", 10000) + "\n",
		"open":         "a: " + strings.Repeat("{", 200000) + "\n",
		"dashes":       strings.Repeat("- ", 100000) + "\n",
		"questions":    strings.Repeat("? ", 9000) + "\n",
		"twice":        strings.Repeat("a: b\n", 50000),
	} {
		src := []byte("---\n" + yaml + "---\nbody\n")
		d, err := Parse(src)
		if !fault.Is(err, fault.Broken) || !d.Present || string(src[d.Body:]) != "body\n" || len(d.Map()) != 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Large, but honest.
	var many strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&many, "k%d: v\n", i)
	}
	for name, yaml := range map[string]string{
		"many keys": many.String(),
		"long list": "l: [" + strings.Repeat("é, ", 60000) + "x]\n",
		"comments":  strings.Repeat("# c\n", 60000) + "a: b\n",
	} {
		if _, err := Parse([]byte("---\n" + yaml + "---\n")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestLibraryBoundary shows the defects of adrg/frontmatter that the scan makes up for; if
// one is gone there, the scan may become simpler.
func TestLibraryBoundary(t *testing.T) {
	for _, src := range []string{"---\nnote: |\n  a\n  ---\n  b\n---\nbody\n", "\ufeff---\na: b\n---\nbody\n"} {
		rest, _ := adrg.Parse(strings.NewReader(src), &map[string]any{}, adrg.NewFormat("---", "---", func([]byte, any) error { return nil }))
		if string(rest) == "body\n" {
			t.Errorf("the library now finds the end of %q", src)
		}
		d, err := Parse([]byte(src))
		if err != nil || string(d.Src[d.Body:]) != "body\n" || len(d.Keys) != 1 {
			t.Errorf("%q: %v, body at %d", src, err, d.Body)
		}
	}
}

func TestParseYAML(t *testing.T) {
	src := []byte("\ufeff---\r\nproject: demo\r\nlimits:\r\n  title: 5 # c\r\n  size: 1\r\nx:\r\n...\r\n")
	d, err := ParseYAML(src)
	if err != nil || d.String("project") != "demo" || d.Line("limits", "size") != 5 || d.Line("limits", "no") != 0 || d.Line("project", "x") != 0 {
		t.Errorf("%v %+v", err, d)
	}
	var names []string
	for _, k := range append(d.Under(), d.Under("limits")...) {
		names = append(names, fmt.Sprintf("%s:%d", k.Name, k.Line))
	}
	if got := strings.Join(names, " "); got != "project:2 limits:3 x:6 title:4 size:5" {
		t.Error(got)
	}
	if d.Under("project") != nil || d.Under("no") != nil {
		t.Error("keys under what is no map")
	}
	for _, src := range []string{"", "# c", "a: b", "a:\n- b", "\ufeff"} {
		if d, err := ParseYAML([]byte(src)); err != nil || !d.Present || !bytes.Equal(d.Src, []byte(src)) {
			t.Errorf("%q: %v", src, err)
		}
	}
	if _, err := ParseYAML([]byte("a: 1\nb: [\n")); fault.Of(err).Line != 2 {
		t.Error(err)
	}
}
