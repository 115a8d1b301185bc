package frontmatter

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"sdd/internal/fault"
)

// naiveBody finds the end of the block line by line.
func naiveBody(src []byte) (body int, present bool) {
	rest := strings.TrimPrefix(string(src), "\ufeff")
	at := len(src) - len(rest)
	lines := strings.SplitAfter(rest, "\n")
	is := func(line string) bool { return strings.TrimRight(line, " \t\r\n") == "---" }
	if !is(lines[0]) {
		return at, false
	}
	end := at + len(lines[0])
	for _, line := range lines[1:] {
		end += len(line)
		if is(line) {
			return end, true
		}
	}
	return at, false
}

// FuzzFrontMatter holds Parse to the boundary of a naive reader and Apply to its law.
func FuzzFrontMatter(f *testing.F) {
	for _, src := range corpus(f) {
		if len(src) < 2000 {
			f.Add(src, "title", "New: text # x")
			f.Add(src, "agents", "a\nb")
		}
	}
	f.Fuzz(func(t *testing.T, src []byte, key, value string) {
		if len(src) > 8<<10 {
			return
		}
		d, err := Parse(src)
		if body, present := naiveBody(src); d.Body != body || d.Present != present {
			t.Fatalf("body %d, present %v; naively %d, %v: %q", d.Body, d.Present, body, present, src)
		}
		if d.Present && (d.YAML.Start > d.YAML.End || d.YAML.End > d.Body) {
			t.Fatalf("spans %+v, %d", d.YAML, d.Body)
		}
		out, applyErr := Apply(src, []string{"title", key, "revision"}, []Set{{key, value}})
		if err != nil {
			if !fault.Is(err, fault.Broken) || fault.Of(err).Line < 1 || applyErr == nil || len(d.Keys) > 0 {
				t.Fatalf("%v, then %v: %q", err, applyErr, src)
			}
			return
		}
		at := d.YAML.Start
		for _, k := range d.Keys {
			if k.Span.Start < at && d.root.style != styleFlow || k.Span.End <= k.Span.Start || k.Span.End > d.YAML.End {
				t.Fatalf("key %+v in %+v: %q", k, d.YAML, src)
			}
			at = k.Span.End
		}
		d.Map()
		if applyErr != nil {
			if code := fault.Of(applyErr).Code; code != fault.Broken && (code != fault.Invalid || utf8.ValidString(value) && utf8.ValidString(key)) {
				t.Fatalf("%v: %q", applyErr, src)
			}
			return
		}
		checkApplied(t, "fuzz", src, out, key, value)
		after, _ := Parse(out)
		if got := after.String(key); got != value {
			t.Fatalf("set %q, got %q: %q", value, got, out)
		}
		again, err := Apply(out, nil, []Set{{key, value}})
		if err != nil || !bytes.Equal(again, out) {
			t.Fatalf("a second time: %q, %v", again, err)
		}
		for _, k := range d.Keys {
			if out, err := Apply(src, nil, []Set{{k.Name, nil}}); err == nil {
				checkApplied(t, "fuzz", src, out, k.Name, nil)
			}
		}
	})
}

// FuzzMerge holds Merge to its laws on blocks of any kind.
func FuzzMerge(f *testing.F) {
	files := corpus(f)
	for _, src := range files {
		if len(src) < 1000 {
			f.Add(src, bytes.Replace(src, []byte("revision: "), []byte("revision: 1"), 1), bytes.Replace(src, []byte("---\n\n"), []byte("zz: 1\n---\n\n"), 1))
			f.Add(src, bytes.Replace(src, []byte("title: "), []byte("title: 'x' # "), 1), files["comments"])
			f.Add(src, bytes.Replace(src, []byte("- a"), []byte("- q\n  - a"), 1), bytes.Replace(src, []byte("[a"), []byte("[new, a"), 1))
		}
	}
	f.Fuzz(func(t *testing.T, base, ours, theirs []byte) {
		if len(base)+len(ours)+len(theirs) > 6<<10 {
			return
		}
		got, conflicts := Merge(base, ours, theirs, testRules, Labels{})
		swapped, other := Merge(base, theirs, ours, testRules, Labels{})
		if len(conflicts) != len(other) || len(conflicts) == 0 && !bytes.Equal(got, swapped) {
			t.Fatalf("%q %v\nswapped %q %v\nof %q\nours %q\ntheirs %q", got, conflicts, swapped, other, base, ours, theirs)
		}
		for _, side := range [][]byte{ours, theirs} {
			if one, conflicts := Merge(base, side, base, testRules, Labels{}); !bytes.Equal(one, head(side)) || len(conflicts) > 0 {
				t.Fatalf("one side: %q of %q", one, side)
			}
		}
		if len(conflicts) > 0 || bytes.Equal(head(ours), head(base)) || bytes.Equal(head(theirs), head(base)) || bytes.Equal(ours, theirs) {
			return
		}
		d, err := Parse(got)
		if err != nil || d.Body != len(got) {
			t.Fatalf("%v: %q\nof %q\nours %q\ntheirs %q", err, got, base, ours, theirs)
		}
		again, conflicts := Merge(got, got, got, testRules, Labels{})
		if !bytes.Equal(again, got) || len(conflicts) > 0 {
			t.Fatalf("again %q", again)
		}
	})
}
