package grep

import (
	"slices"
	"strings"
	"testing"
)

const reported = `Loading fails for nested fields
<!-- describe the bug -->
### Version
tool 2.20.0
- [x] I searched the issues
Loading breaks in pkg.fields since the update.

Traceback (most recent call last):
  File "app.py", line 3, in <module>
    load()
  File "/usr/lib/python3/site-packages/pkg/schema.py", line 628, in load_all
    raise ValidationError()
ValueError: nested value
`

func TestReadReport(t *testing.T) {
	r := readReport(reported)
	var all strings.Builder
	for _, p := range r.passages {
		all.WriteString(p.text + "\n")
	}
	if p := r.passages[0]; !p.title || p.text != "Loading fails for nested fields" {
		t.Errorf("the title is %+v", p)
	}
	for text, want := range map[string]bool{"Loading breaks": true, "ValueError": true, "describe": false, "2.20": false, "searched": false,
		"Version": false, "site-packages": false} {
		if strings.Contains(all.String(), text) != want {
			t.Errorf("%q in the passages: %v", text, !want)
		}
	}
	w, err := parseQuery(Query{Query: reported})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int{"src/pkg/schema.py": 2, "pkg/fields.py": 2, "pkg/__init__.py": 0, "other/schema.py": 0} {
		got := 0
		for _, m := range w.mentioned(path) {
			got = max(got, m.parts)
		}
		if got != want {
			t.Errorf("%s is mentioned with %d parts, want %d", path, got, want)
		}
	}
}

// A word's weight grew with a power of its count, so that one name in pasted code outweighed the title.
func TestRepeatedWordsAreWorthLittleMore(t *testing.T) {
	w, err := parseQuery(Query{Query: "Comparison fails\n" + strings.Repeat("selection_data ", 50)})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(w.terms, func(t term) bool { return t.word == "selection_data" })
	if i < 0 || w.terms[i].weight > 3*symbolWeight {
		t.Errorf("got %+v", w.terms)
	}
}
