package extracteval

import (
	"strings"
	"testing"
)

func TestEvaluate(t *testing.T) {
	r, err := Evaluate("testdata")
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	if err := r.Table(&table); err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + table.String())
	for _, w := range r.Wrong {
		t.Logf("%+v", w)
	}
	for _, p := range []Part{r.Tuned, r.Held} {
		if p.Commits < 50 || p.Languages < 6 || 10*p.Noise < 3*p.Commits {
			t.Errorf("too little is measured: %+v", p)
		}
	}
	for _, m := range r.Missed() {
		t.Error(m)
	}
}

func TestHeldStaysAside(t *testing.T) {
	all, err := read("testdata")
	if err != nil {
		t.Fatal(err)
	}
	held := map[string]bool{}
	for _, l := range all {
		held[l.name] = l.held
	}
	r, err := Evaluate("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range r.Wrong {
		if held[w.Commit] {
			t.Errorf("%s of the held part is listed", w.Commit)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{"name", "name Go\nwhat", "name Go\n--- a.go\nx"} {
		if l, err := parse(text); err == nil {
			t.Errorf("%q is %+v", text, l)
		}
	}
	if _, err := read(t.TempDir()); err == nil {
		t.Error("a folder without commits was measured")
	}
}
