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
Loading breaks in pkg/fields.py since the update.

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
	for path, want := range map[string]int{"src/pkg/schema.py": 2, "pkg/fields.py": 4, "pkg/__init__.py": 0, "other/schema.py": 0} {
		got := 0
		for _, m := range w.mentioned(path) {
			got = max(got, m.parts)
		}
		if got != want {
			t.Errorf("%s is mentioned with %d parts, want %d", path, got, want)
		}
	}
}

// A sentence that begins with a function is no frame of a trace.
func TestProseWithCalls(t *testing.T) {
	for text, want := range map[string]string{"Bug\nsave() loses the session cookie": "loses the session", "Bug\nfoo(...) is never called": "never called"} {
		all := ""
		for _, p := range readReport(text).passages {
			all += p.text + "\n"
		}
		if !strings.Contains(all, want) {
			t.Errorf("%q: %q", text, all)
		}
	}
}

// A settings file that the author only mentions came before the code, because a mention was worth more than any kind costs.
func TestMentionedSettingsAreContext(t *testing.T) {
	report := "Handlers lose the name after a reload\n\nMy tool.yml has handlers and a name, and the reload keeps neither."
	for query, want := range map[string]string{report: "handlers.go", "tool.yml: handlers lose the name": "tool.yml"} {
		dir := plant(t, map[string]string{
			"tool.yml":    "handlers:\n  name: a\n  reload: true\n",
			"handlers.go": "package a\n\n// reload keeps the name of the handlers\nfunc reload() {}\n",
		})
		if got := search(t, dir, Query{Query: query}); got.Hits[0].Path != want {
			t.Errorf("%q: %s is first", query, got.Hits[0].Path)
		}
	}
}

func FuzzReadReport(f *testing.F) {
	f.Add(reported)
	f.Add("invalid syntax\n  File \"a.py\", line 3\n    def f(:") // a frame without a function
	f.Add("title\n```\n  at a.b.C.d(C.java:3)\nx.py in f(\nfrom a.b import C, D\n~~~")
	f.Fuzz(func(t *testing.T, text string) {
		r := readReport(text)
		if len(r.mentions) > maxMentions {
			t.Errorf("%d mentions", len(r.mentions))
		}
		for _, m := range r.mentions {
			if len(m.parts) == 0 || m.frame < 0 {
				t.Errorf("bad mention %+v", m)
			}
			m.matches(nil, "")
			m.matches([]string{"a"}, "__init__.py")
		}
		if w, err := parseQuery(Query{Query: text}); err == nil && len(w.terms) > maxTerms {
			t.Errorf("%d terms", len(w.terms))
		}
	})
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
