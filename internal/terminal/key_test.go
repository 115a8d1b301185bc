package terminal

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// typed decodes all of in, which comes in the given pieces.
func typed(t testing.TB, pieces ...string) (keys []key) {
	t.Helper()
	var in []byte
	for n, p := range pieces {
		in = append(in, p...)
		for len(in) > 0 {
			k, taken := decode(in, n == len(pieces)-1)
			if taken == 0 {
				break
			}
			keys, in = append(keys, k), in[taken:]
		}
	}
	if len(in) > 0 {
		t.Fatalf("%q is left", in)
	}
	return keys
}

func TestKeys(t *testing.T) {
	k := func(c code) key { return key{code: c} }
	c := func(s string) key { return key{code: char, text: s} }
	for in, want := range map[string][]key{
		"aé日":                                      {c("a"), c("é"), c("日")},
		"\x1b[A\x1b[B\x1b[C\x1b[D":                 {k(up), k(down), k(right), k(left)},
		"\x1bOA\x1bOB\x1bOH\x1bOF":                 {k(up), k(down), k(home), k(end)},
		"\x1b[1;5A\x1b[5~\x1b[6~":                  {k(up), k(pageUp), k(pageDown)},
		"\x1b[H\x1b[F\x1b[1~\x1b[4~\x1b[7~\x1b[8~": {k(home), k(end), k(home), k(end), k(home), k(end)},
		"\t\x1b[Z\r\n\x7f\b":                       {k(tab), k(backTab), k(enter), k(enter), k(backspace), k(backspace)},
		"\x03\x1a\x0c\x15\x17":                     {k(interrupt), k(suspend), k(redraw), k(clearLine), k(eraseWord)},
		"\x1b":                                     {k(escape)},
		"\x1b\x1b":                                 {k(escape), k(escape)},
		"\x1b\x1b[A":                               {k(escape), k(up)},
		"\x1bx\x1b[3~\x1b[I\x01\x00":               {k(unknown), k(unknown), k(unknown), k(unknown), k(unknown)},
		"\x1b[200~a\x1bq\r\x1b[201~z":              {{code: pasted, text: "a\x1bq\r"}, c("z")},
		"\x1b[<0;3;4M\x1b[<0;3;4m\x1b[<65;1;1M":    {{code: click, x: 2, y: 3}, {code: unknown}, k(wheelDown)},
		"\x1b[<64;7;1M\x1b[<9;9M\x1b[<0;-1;0M":     {{code: wheelUp, x: 6}, k(unknown), k(unknown)},
		"\x1b[200~no end":                          {k(unknown)},
		"\x1b[12":                                  {k(unknown)},
		"\xff\xc3a":                                {k(unknown), k(unknown), c("a")},
		"\u009b":                                   {k(unknown)},
	} {
		if d := cmp.Diff(want, typed(t, in), cmp.AllowUnexported(key{})); d != "" {
			t.Errorf("%q:\n%s", in, d)
		}
	}
}

// FuzzKeys holds decoding to the same keys, however what was typed is split, unless it is split behind an escape.
func FuzzKeys(f *testing.F) {
	for _, s := range []string{"aé\x1b[A", "\x1b[200~x\x1b[201~", "\x1b[1;5D\xff", "日\x1bO"} {
		f.Add(s, 3)
	}
	f.Add("0\x1bé", 3)
	f.Fuzz(func(t *testing.T, in string, at int) {
		at = max(0, at) % (len(in) + 1)
		if d := cmp.Diff(typed(t, in), typed(t, in[:at], in[at:]), cmp.AllowUnexported(key{})); d != "" {
			t.Errorf("%q split at %d:\n%s", in, at, d)
		}
	})
}
