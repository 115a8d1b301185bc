package prompt

import (
	"strings"
	"testing"
)

// TestFiles: a file lists every argument, and has no place left to fill.
func TestFiles(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range All() {
		if seen[p.Name] || p.Title == "" || p.Description == "" || Named(p.Name).Title != p.Title {
			t.Errorf("%+v", p)
		}
		seen[p.Name] = true
		text := p.File("GIVEN")
		if !strings.HasPrefix(text, "Given with this command: GIVEN\n\n- <") || strings.ContainsAny(text, "{}") || !strings.HasSuffix(text, "\n") {
			t.Errorf("%s: %s", p.Name, text)
		}
		for _, a := range p.Arguments {
			want := "(it may be left out)"
			if a.Required {
				want = "(ask me when it is not given)"
			}
			if !strings.Contains(text, "- <"+a.Name+">: "+a.Description+" "+want+"\n") {
				t.Errorf("%s does not tell of %s: %s", p.Name, a.Name, text)
			}
		}
	}
}

func TestFill(t *testing.T) {
	for _, test := range []struct {
		parts map[string]string
		want  string
	}{
		{nil, "{a} and {b}, {a}"},
		{map[string]string{"a": "x"}, "x and {b}, x"},
		{map[string]string{"a": "{b}", "b": "{a}"}, "{b} and {a}, {b}"}, // what is given is no text of ours
		{map[string]string{"a": "", "c": "y"}, " and {b}, "},
	} {
		if got := fill("{a} and {b}, {a}", test.parts); got != test.want {
			t.Errorf("%v: %q", test.parts, got)
		}
	}
}

// TestReviewSteps: one kind has the steps that all have.
func TestReviewSteps(t *testing.T) {
	all := ReviewSteps("")
	for _, kind := range Reviewed {
		if one := ReviewSteps(kind); !strings.Contains(all, one) || one == all || !strings.Contains(one, textOf("steps-"+kind)) {
			t.Errorf("%s: %s", kind, one)
		}
	}
}
