package frontmatter

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	yaml2 "gopkg.in/yaml.v2"

	"go.yaml.in/yaml/v3"

	"sdd/internal/fault"
	_ "sdd/internal/longtest"
)

var testOrder = []string{"title", "project", "scope", "revision", "created"}

func TestApply(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		sets     []Set
		want     string
	}{
		// no block yet
		{"new block", "# T\n", []Set{{"title", "x"}, {"revision", 1}}, "---\ntitle: x\nrevision: 1\n---\n\n# T\n"},
		{"new block, empty file", "", []Set{{"title", "x"}}, "---\ntitle: x\n---\n"},
		{"new block, blank line there", "\n# T\n", []Set{{"title", "x"}}, "---\ntitle: x\n---\n\n# T\n"},
		{"new block, CRLF", "# T\r\n\r\ntext\r\n", []Set{{"title", "x"}, {"tags", []string{"a"}}}, "---\r\ntitle: x\r\ntags:\r\n  - a\r\n---\r\n\r\n# T\r\n\r\ntext\r\n"},
		{"new block, BOM", "\ufeff# T", []Set{{"title", "x"}}, "\ufeff---\ntitle: x\n---\n\n# T"},
		{"new block above a thematic break", "---\n\ntext\n", []Set{{"title", "x"}}, "---\ntitle: x\n---\n\n---\n\ntext\n"},
		{"nothing to remove", "# T\n", []Set{{"title", nil}}, "# T\n"},

		// scalars in place
		{"plain", "---\nrevision: 3\n---\n", []Set{{"revision", 4}}, "---\nrevision: 4\n---\n"},
		{"comment stays", "---\nrevision:  3   # saves\n---\n", []Set{{"revision", 4}}, "---\nrevision:  4   # saves\n---\n"},
		{"single quotes stay", "---\na: 'x' # c\n---\n", []Set{{"a", "it's"}}, "---\na: 'it''s' # c\n---\n"},
		{"double quotes stay", "---\na: \"x\"\n---\n", []Set{{"a", "y"}}, "---\na: \"y\"\n---\n"},
		{"single to double for a line break", "---\na: 'x'\n---\n", []Set{{"a", "y\nz"}}, "---\na: \"y\\nz\"\n---\n"},
		{"plain to quoted", "---\na: x\n---\n", []Set{{"a", "y: z"}}, "---\na: \"y: z\"\n---\n"},
		{"empty value", "---\na:\nb: 1\n---\n", []Set{{"a", "x"}}, "---\na: x\nb: 1\n---\n"},
		{"empty value with comment", "---\na: # c\n---\n", []Set{{"a", "x"}}, "---\na: x # c\n---\n"},
		{"null", "---\na: ~ # c\n---\n", []Set{{"a", false}}, "---\na: false # c\n---\n"},
		{"tag goes", "---\na: !!str 5\n---\n", []Set{{"a", "x"}}, "---\na: x\n---\n"},
		{"unused anchor stays", "---\na: &k x\n---\n", []Set{{"a", "w"}}, "---\na: &k w\n---\n"},
		{"an alias is replaced", "---\na: &k x\nb: *k # c\n---\n", []Set{{"b", "w"}}, "---\na: &k x\nb: w # c\n---\n"},
		{"value below its key", "---\na: # c\n  x\nb: 1\n---\n", []Set{{"a", "w"}}, "---\na: # c\n  w\nb: 1\n---\n"},
		{"CRLF", "---\r\na: x\r\nb: 1\r\n---\r\n\r\n# T\r\n", []Set{{"a", "w"}}, "---\r\na: w\r\nb: 1\r\n---\r\n\r\n# T\r\n"},
		{"runes before", "---\n日本: 🎉 # x\nb: 'é' # ü\n---\n", []Set{{"日本", "w"}, {"b", "z"}}, "---\n日本: w # x\nb: 'z' # ü\n---\n"},
		{"quoted key", "---\n\"a b\": x\n---\n", []Set{{"a b", "w"}}, "---\n\"a b\": w\n---\n"},
		{"space before colon", "---\na : x\n---\n", []Set{{"a", "w"}}, "---\na : w\n---\n"},
		{"tab", "---\na:\tx\t# c\n---\n", []Set{{"a", "w"}}, "---\na:\tw\t# c\n---\n"},
		{"flow map to scalar", "---\na: {b: c} # d\n---\n", []Set{{"a", "x"}}, "---\na: x # d\n---\n"},

		// values over several lines
		{"literal to scalar", "---\na: | # c\n  x\n\n  # text\nb: 1\n---\n", []Set{{"a", "w"}}, "---\na: w # c\nb: 1\n---\n"},
		{"literal stays literal", "---\na: |\n   x\nb: 1\n---\n", []Set{{"a", "y\n\n z\n"}}, "---\na: |\n   y\n\n    z\nb: 1\n---\n"},
		{"literal without last line end", "---\na: |\n  x\nb: 1\n---\n", []Set{{"a", "y\nz"}}, "---\na: |-\n  y\n  z\nb: 1\n---\n"},
		{"literal that cannot hold it", "---\na: |\n  x\nb: 1\n---\n", []Set{{"a", " y\nz"}}, "---\na: \" y\\nz\"\nb: 1\n---\n"},
		{"folded to scalar", "---\na: >-\n  x\n  y\n# c\nb: 1\n---\n", []Set{{"a", "z"}}, "---\na: z\n# c\nb: 1\n---\n"},
		{"plain lines", "---\na: x\n  y # c\nb: 1\n---\n", []Set{{"a", "z"}}, "---\na: z # c\nb: 1\n---\n"},
		{"quoted lines", "---\na: \"x\n  # y\"  # c\nb: 1\n---\n", []Set{{"a", "z"}}, "---\na: z  # c\nb: 1\n---\n"},
		{"block list to scalar", "---\na: # c\n  - x # d\n  # e\nb: 1\n---\n", []Set{{"a", "z"}}, "---\na: z # c\nb: 1\n---\n"},
		{"flow lines to scalar", "---\na: [x, # d\n  y] # c\nb: 1\n---\n", []Set{{"a", "z"}}, "---\na: z # c\nb: 1\n---\n"},
		{"map to scalar", "---\na:\n  b: 1\n  c: 2\nd: 1\n---\n", []Set{{"a", 5}}, "---\na: 5\nd: 1\n---\n"},

		// lists
		{"new list", "---\na: 1\n---\n", []Set{{"l", []string{"x", "yes", "p: q", "- r"}}}, "---\na: 1\nl:\n  - x\n  - \"yes\"\n  - \"p: q\"\n  - \"- r\"\n---\n"},
		{"new empty list", "---\na: 1\n---\n", []Set{{"l", []string{}}}, "---\na: 1\nl: []\n---\n"},
		{"append keeps comments", "---\nl: # c\n  - x # why\n  # about y\n  - 'y'\nb: 1\n---\n", []Set{{"l", []string{"x", "y", "z"}}}, "---\nl: # c\n  - x # why\n  # about y\n  - 'y'\n  - z\nb: 1\n---\n"},
		{"insert and drop", "---\nl:\n- a\n- b # gone\n- c\n---\n", []Set{{"l", []string{"0", "a", "c"}}}, "---\nl:\n- \"0\"\n- a\n- c\n---\n"},
		{"reorder keeps comments", "---\nl:\n  - a # x\n  # about b\n  - b\n  # about c\n  - c\n---\n", []Set{{"l", []string{"b", "a"}}}, "---\nl:\n  # about b\n  - b\n  - a # x\n  # about c\n---\n"},
		{"flow list stays", "---\nl: [ a, \"b\" ] # c\n---\n", []Set{{"l", []string{"b", "x, y"}}}, "---\nl: [ \"b\", \"x, y\" ] # c\n---\n"},
		{"flow list with a comma at its end", "---\nl: [a, b, ] # c\n---\n", []Set{{"l", []string{"b"}}}, "---\nl: [b] # c\n---\n"},
		{"empty flow list", "---\nl: [] # c\n---\n", []Set{{"l", []string{"a"}}}, "---\nl: [a] # c\n---\n"},
		{"emptied", "---\nl: # c\n  - a\nb: 1\n---\n", []Set{{"l", []string{}}}, "---\nl: [] # c\nb: 1\n---\n"},
		{"scalar to list", "---\nl: a # c\nb: 1\n---\n", []Set{{"l", []string{"a", "b"}}}, "---\nl: # c\n  - a\n  - b\nb: 1\n---\n"},
		{"nothing to list", "---\nl: # c\nb: 1\n---\n", []Set{{"l", []string{"a"}}}, "---\nl: # c\n  - a\nb: 1\n---\n"},
		{"list of one is the scalar", "---\nl: a\n---\n", []Set{{"l", []string{"a"}}}, "---\nl: a\n---\n"},
		{"list over lines", "---\nl: [a,\n  b]\nb: 1\n---\n", []Set{{"l", []string{"a"}}}, "---\nl:\n  - a\nb: 1\n---\n"},
		{"CRLF list", "---\r\nl:\r\n  - a\r\nb: 1\r\n---\r\n", []Set{{"l", []string{"a", "b"}}}, "---\r\nl:\r\n  - a\r\n  - b\r\nb: 1\r\n---\r\n"},

		// maps
		{"new map", "---\na: 1\n---\n", []Set{{"ttl", map[string]any{"days": 30, "on": "x", "in": []string{"p"}, "no": map[string]any{}}}},
			"---\na: 1\nttl:\n  days: 30\n  in:\n    - p\n  \"no\": {}\n  \"on\": x\n---\n"},
		{"same map", "---\nttl: {on_expire: archive, days: 30} # c\n---\n", []Set{{"ttl", map[string]any{"days": float64(30), "on_expire": "archive"}}}, "---\nttl: {on_expire: archive, days: 30} # c\n---\n"},
		{"flow map stays", "---\nttl: {days: 30} # c\n---\n", []Set{{"ttl", map[string]any{"days": 7}}}, "---\nttl: {days: 7} # c\n---\n"},

		// removal
		{"remove", "---\n# about a\na: 1\nb: 2\n---\n", []Set{{"a", nil}}, "---\n# about a\nb: 2\n---\n"},
		{"remove with lines", "---\na:\n  - x\n  # c\n# d\nb: 2\n---\n", []Set{{"a", nil}}, "---\n# d\nb: 2\n---\n"},
		{"remove the last", "---\na: 1\n---\nbody", []Set{{"a", nil}}, "---\n---\nbody"},
		{"remove literal with blank lines kept", "---\na: |+\n  x\n\n\nb: 2\n---\n", []Set{{"a", nil}}, "---\nb: 2\n---\n"},

		// places of new keys
		{"after the one before", "---\ncustom: 1\ntitle: x\nother: 2\n---\n", []Set{{"project", "p"}}, "---\ncustom: 1\ntitle: x\nproject: p\nother: 2\n---\n"},
		{"before the one after", "---\ncustom: 1\n# about revision\nrevision: 2\n---\n", []Set{{"title", "x"}}, "---\ncustom: 1\ntitle: x\n# about revision\nrevision: 2\n---\n"},
		{"at the end", "---\ncustom: 1\n# end\n---\n", []Set{{"title", "x"}}, "---\ncustom: 1\ntitle: x\n# end\n---\n"},
		{"unknown at the end", "---\ntitle: x\nrevision: 1\n---\n", []Set{{"zzz", 1.5}}, "---\ntitle: x\nrevision: 1\nzzz: 1.5\n---\n"},
		{"after lines", "---\ntitle: |\n  x\n  # y\n  # z\nother: 1\n---\n", []Set{{"project", "p"}}, "---\ntitle: |\n  x\n  # y\n  # z\nproject: p\nother: 1\n---\n"},
		{"several in order", "---\nscope: s\n---\n", []Set{{"created", "d"}, {"title", "t"}, {"revision", 1}}, "---\ntitle: t\nscope: s\nrevision: 1\ncreated: d\n---\n"},
		{"empty block", "---\n---\n\n# T\n", []Set{{"title", "x"}}, "---\ntitle: x\n---\n\n# T\n"},
		{"comment block", "---\n# c\n---\n", []Set{{"title", "x"}}, "---\n# c\ntitle: x\n---\n"},
		{"braces", "---\n{}\n---\n", []Set{{"title", "x"}}, "---\ntitle: x\n---\n"},
		{"indented keys", "---\n  title: x\n---\n", []Set{{"project", "p"}, {"l", []string{"a"}}}, "---\n  title: x\n  project: p\n  l:\n    - a\n---\n"},
		{"odd key", "---\na: 1\n---\n", []Set{{"b: c", "x"}, {"true", "w"}, {"<<", "z"}}, "---\na: 1\n\"b: c\": x\n\"true\": w\n\"<<\": z\n---\n"},
		{"no line end at the end", "---\ntitle: x\n---", []Set{{"project", "p"}}, "---\ntitle: x\nproject: p\n---"},

		// what is there already
		{"same text", "---\na: 'x'\nb: 1.10\nc: 0x1F\nd: yes\ne:\n---\n", []Set{{"a", "x"}, {"b", "1.10"}, {"c", "0x1F"}, {"d", true}, {"e", ""}}, "---\na: 'x'\nb: 1.10\nc: 0x1F\nd: yes\ne:\n---\n"},
		{"same numbers", "---\na: \"3\"\nb: 1.10\nc: 0x1F\n---\n", []Set{{"a", 3}, {"b", 1.1}, {"c", 31}}, "---\na: \"3\"\nb: 1.10\nc: 0x1F\n---\n"},
		{"same date", "---\ncreated: 2026-11-21\n---\n", []Set{{"created", "2026-11-21"}}, "---\ncreated: 2026-11-21\n---\n"},
		{"same in braces", "---\n{title: x}\n---\n", []Set{{"title", "x"}}, "---\n{title: x}\n---\n"},
		{"same through an alias", "---\na: &k x\nb: *k\n---\n", []Set{{"b", "x"}, {"a", "x"}}, "---\na: &k x\nb: *k\n---\n"},
		{"inherited", "---\nb: &b {s: active}\n<<: *b\n---\n", []Set{{"s", "active"}}, "---\nb: &b {s: active}\n<<: *b\n---\n"},
		{"inherited and overridden", "---\nb: &b {s: active}\n<<: *b\n---\n", []Set{{"s", "done"}}, "---\nb: &b {s: active}\n<<: *b\ns: done\n---\n"},
		{"there and back", "---\na: x # c\n---\n", []Set{{"a", "w"}, {"a", "x"}}, "---\na: x # c\n---\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Apply([]byte(tt.in), testOrder, tt.sets)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tt.want {
				t.Errorf("got\n%q\nwant\n%q", got, tt.want)
			}
			again, err := Apply(got, testOrder, tt.sets)
			if err != nil || string(again) != string(got) && tt.name != "there and back" {
				t.Errorf("a second time: %v\n%q", err, again)
			}
		})
	}
}

func TestApplyRefuses(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		set      Set
		code     fault.Code
		line     int
		text     string
	}{
		{"broken", "---\na: [\n---\n", Set{"b", 1}, fault.Broken, 2, "does not parse"},
		{"unclosed", "---\na: 1\n\ntext\n", Set{"b", 1}, fault.Broken, 1, "never closed"},
		{"anchor used elsewhere", "---\na: &k x\nb: *k\n---\n", Set{"a", "y"}, fault.Broken, 2, "also used on line 3, as *k"},
		{"anchor inside removed", "---\na:\n  b: &k x\nc: [*k]\n---\n", Set{"a", nil}, fault.Broken, 2, "also used on line 4"},
		{"anchored key", "---\n&k a: x\nb: *k\n---\n", Set{"a", "y"}, fault.Broken, 2, "also used on line 3"},
		{"braces", "---\n{a: 1}\n---\n", Set{"a", 2}, fault.Broken, 2, "without touching another"},
		{"new in braces", "---\n{a: 1}\n---\n", Set{"b", 2}, fault.Broken, 1, "without touching another"},
		{"question mark", "---\n? a\n: 1\n---\n", Set{"a", 2}, fault.Broken, 2, "without touching another"},
		{"invalid text", "---\na: 1\n---\n", Set{"a", "\xff"}, fault.Invalid, 0, "UTF-8"},
		{"too large", "---\na: 1\n---\n", Set{"a", strings.Repeat("x", maxBlock)}, fault.Invalid, 0, "more than 262144 bytes"},
		{"type", "---\na: 1\n---\n", Set{"a", struct{}{}}, fault.Internal, 0, "cannot be stored"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, err := Apply([]byte(tt.in), testOrder, []Set{tt.set})
			f := fault.Of(err)
			if err == nil || out != nil || f.Code != tt.code || f.Line != tt.line || !strings.Contains(f.Message, tt.text) {
				t.Errorf("got %q, %v (%s, line %d)", out, err, f.Code, f.Line)
			}
			if f.Code == fault.Broken && f.Hint == "" {
				t.Error("no hint")
			}
		})
	}
}

// TestApplyCorpus changes each key of each odd file in several ways. The oracle is YAML
// itself and the bytes outside of the key's lines.
func TestApplyCorpus(t *testing.T) {
	values := []any{"new text", "yes: # no", 42, true, []string{"x", "y z"}, map[string]any{"p": "q"}, nil, "two\nlines\n"}
	for name, src := range corpus(t) {
		d, err := Parse(src)
		if err != nil {
			if out, err := Apply(src, testOrder, []Set{{"title", "x"}}); err == nil {
				t.Errorf("%s: a broken block was written to: %q", name, out)
			}
			continue
		}
		keys := []string{"brand_new"}
		for _, k := range d.Keys {
			keys = append(keys, k.Name)
		}
		refused := 0
		for _, key := range keys {
			for _, v := range values {
				out, err := Apply(src, testOrder, []Set{{key, v}})
				if err != nil {
					refused++
					if !fault.Is(err, fault.Broken) {
						t.Errorf("%s: %s = %v: %v", name, key, v, err)
					}
					continue
				}
				checkApplied(t, name, src, out, key, v)
			}
		}
		whole := map[string]bool{"flow-root-lines": true, "json-in-dashes": true, "bom-inside": true}
		some := map[string]bool{"anchors": true, "anchored-list": true, "alias-in-list": true, "alias-as-key": true, "anchor-on-key": true,
			"merge-key": true, "merge-key-top": true, "merge-list": true, "explicit-key-simple": true, "lone-cr": true}
		if refused > 0 && !whole[name] && !some[name] {
			t.Errorf("%s: %d changes refused", name, refused)
		}
	}
}

// checkApplied checks the law of Apply without using its code.
func checkApplied(t testing.TB, name string, src, out []byte, key string, v any) {
	t.Helper()
	a, err := Parse(src)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	b, err := Parse(out)
	if err != nil {
		t.Fatalf("%s: %s = %v: does not parse any more: %v\n%q", name, key, v, err, out)
	}
	if bytes.Equal(src, out) {
		return
	}
	if !bytes.HasSuffix(out, src[a.Body:]) || a.BOM != b.BOM {
		t.Errorf("%s: %s = %v: the body changed\n%q", name, key, v, out)
	}
	without := func(d *Doc) string {
		i := d.index(key)
		if i < 0 {
			return string(d.Src[d.YAML.Start:d.YAML.End])
		}
		return string(d.Src[d.YAML.Start:d.Keys[i].Span.Start]) + string(d.Src[d.Keys[i].Span.End:d.YAML.End])
	}
	if a.Present && a.root.style != styleFlow && without(a) != without(b) {
		t.Errorf("%s: %s = %v: other bytes changed\n%q\n%q", name, key, v, without(a), without(b))
	}
	var before, after map[string]any
	if err := yaml.Unmarshal(a.Src[a.YAML.Start:a.YAML.End], &before); err == nil {
		if err := yaml.Unmarshal(b.Src[b.YAML.Start:b.YAML.End], &after); err != nil {
			t.Errorf("%s: %s = %v: %v\n%q", name, key, v, err, out)
		}
		delete(before, key)
		delete(after, key)
		// as text, because of NaN
		if a, b := fmt.Sprintf("%#v", before), fmt.Sprintf("%#v", after); len(before)+len(after) > 0 && key != "<<" && a != b {
			t.Errorf("%s: %s = %v: other values changed\n%v\n%v", name, key, v, before, after)
		}
	}
}

func randomText(r *rand.Rand) string {
	alphabets := []string{
		"ab \n\t:#-?,[]{}&*!|>'\"%@`=<~\\\r.0123456789+_xXeEoO",
		"yesnotrufalYNTF~null", "0123456789-:.+eT Z_,",
		"é日本\u00a0\u0085\u2028\u2029\ufeff\u200b\u202e\u2066🎉\x00\x01\x1f\x7f\u0080\ufffd\ufffe\uffff\U0010ffff",
	}
	var b strings.Builder
	for range r.IntN(12) {
		runes := []rune(alphabets[r.IntN(len(alphabets))])
		for range 1 + r.IntN(4) {
			b.WriteRune(runes[r.IntN(len(runes))])
		}
	}
	return b.String()
}

// TestSetThenGet checks that any text comes back, from each kind of value it replaces, and
// that readers of YAML 1.1 and 1.2 agree.
func TestSetThenGet(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	bases := []string{"", "---\nk: old\nz: 1\n---\n", "---\nk: 'old' # c\nz: 1\n---\n", "---\nk: \"old\"\nz: 1\n---\n",
		"---\r\nk: |\r\n  old\r\nz: 1\r\n---\r\n", "---\nk:\n  - old\nz: 1\n---\n", "---\nk: [a]\nz: 1\n---\n", "---\nz: 1\n---\n"}
	for i := range 4000 {
		text := randomText(r)
		base := bases[i%len(bases)]
		out, err := Apply([]byte(base), nil, []Set{{"k", text}})
		if err != nil {
			t.Fatalf("%q into %q: %v", text, base, err)
		}
		d, err := Parse(out)
		if err != nil || d.String("k") != text {
			t.Fatalf("%q into %q gives %q: %q %v", text, base, d.String("k"), out, err)
		}
		block := d.Src[d.YAML.Start:d.YAML.End]
		var v3, v2 map[string]any
		if err := yaml.Unmarshal(block, &v3); err != nil || v3["k"] != any(text) {
			t.Fatalf("%q: YAML 1.2 reads %#v: %q %v", text, v3["k"], out, err)
		}
		if err := yaml2.Unmarshal(block, &v2); err != nil || v2["k"] != any(text) {
			t.Fatalf("%q: YAML 1.1 reads %#v: %q %v", text, v2["k"], out, err)
		}
		list := []string{text, "x", randomText(r)}
		out, err = Apply(out, nil, []Set{{"k", list}})
		if err != nil {
			t.Fatalf("%q into %q: %v", list, block, err)
		}
		d, err = Parse(out)
		if got := d.Strings("k"); err != nil || !slices.Equal(got, list) {
			t.Fatalf("%q gives %q: %q %v", list, got, out, err)
		}
	}
}

func TestQuote(t *testing.T) {
	for _, s := range []string{"yes", "No", "on", "y", "1.10", "2024-01-01", "null", "~", "", " a", "a ", "a: b", "a #b", "- a", "-a", "?", "true",
		"1_000", "0x1F", "0o7", "12:30", "1.2.3", ".inf", "+.INF", ".NaN", "*a", "&a", "!a", "%a", "@a", "`a", "|", ">", "'a", "\"a", "{a", "[a", "]", "}", ",a", "#a",
		"a:", "a\nb", "a\tb", "\x00", "\u0085", "\u2028", "\ufeff", "\u202ea", "=", "<<", "...", "---", "5e3", "+1", "a\u00a0", "2026-11-21T10:00:00Z", "685_230.15", "0b101"} {
		if q := Quote(s); q[0] != '"' {
			t.Errorf("%q is written plain: %s", s, q)
		}
	}
	for _, s := range []string{"a", "C# rocks", "it's", "a \"b\"", "http://x.org/#y", "a:b", "日本語", "🎉", "Single sign-on with OIDC", "5 apples today", "yes please",
		"a, b", "a [b]", "v1.10", "C:\\x", "a - b", "(x)", "/path", "_x", "$5", "explore/x", "e5", "Null and void", "3D view"} {
		if q := Quote(s); q != s {
			t.Errorf("%q is written %s", s, q)
		}
	}
}

func TestDate(t *testing.T) {
	src := []byte("---\ntitle: x\n---\n")
	out, err := Apply(src, nil, []Set{{"created", Date("2026-11-21")}})
	if want := "---\ntitle: x\ncreated: 2026-11-21\n---\n"; err != nil || string(out) != want {
		t.Errorf("got %q, %v, want %q", out, err, want)
	}
	if again, err := Apply(out, nil, []Set{{"created", Date("2026-11-21")}}); err != nil || string(again) != string(out) {
		t.Errorf("set again: %q, %v", again, err)
	}
	if _, err := Apply(src, nil, []Set{{"created", Date("today")}}); err == nil {
		t.Error("no date was written as one")
	}
}

// TestUnchanged calls the check by itself: no change of a key reaches the bytes around the block, so Apply cannot show that
// the check looks at them.
func TestUnchanged(t *testing.T) {
	for _, tt := range []struct {
		name, before, after string
		ok                  bool
	}{
		{"same", "---\na: 1\n---\ntext\n", "---\na: 1\n---\ntext\n", true},
		{"new block", "text\n", "---\na: 1\n---\n\ntext\n", true},
		{"other body", "---\na: 1\n---\ntext\n", "---\na: 1\n---\nTEXT\n", false},
		{"last line end", "---\na: 1\n---\ntext", "---\na: 1\n---\ntext\n", false},
		{"no BOM any more", "\ufeff---\na: 1\n---\ntext\n", "---\na: 1\n---\ntext\n", false},
		{"new block, other body", "text\n", "---\na: 1\n---\n\nTEXT\n", false},
		{"other comment", "---\nb: 2 # x\na: 1\n---\n", "---\nb: 2 # y\na: 1\n---\n", false},
		{"other order", "---\na: 1\nb: 2\nc: 3\n---\n", "---\na: 1\nc: 3\nb: 2\n---\n", false},
		{"not as set", "---\na: 1\n---\n", "---\na: 2\n---\n", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before, err := Parse([]byte(tt.before))
			if err != nil {
				t.Fatal(err)
			}
			after, err := Parse([]byte(tt.after))
			if err != nil {
				t.Fatal(err)
			}
			one, err := want("a", 1)
			if err != nil {
				t.Fatal(err)
			}
			if key, ok := unchanged(before, after, map[string]*node{"a": one}); ok != tt.ok {
				t.Errorf("got %v (key %q), want %v", ok, key, tt.ok)
			}
		})
	}
}
