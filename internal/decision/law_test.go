package decision

import (
	"slices"
	"strings"
	"testing"

	"sdd/internal/markdown"
	"sdd/internal/record"
)

// FuzzWritten holds the laws of writing: what is recorded reads back, in a new file and in one that is there; adding
// what is there changes no byte; and of a file that people wrote every line stays, in order, outside of what was added.
func FuzzWritten(f *testing.F) {
	for _, s := range []string{
		"", "---\ntitle: Use X\n---\n\n## Decision Outcome\n\nChosen option: \"Use X\", because it is good.\n\n### Consequences\n\n* one\n",
		"# Use X\n\n## Decision\n\nWe use X.\n\n## Consequences\n\n1. a\n2. b", "## Decision Outcome\n\n```\nopen fence", "## Considered Options\n\n- a\n  - b\n\n    code\n\ntext",
		"## Context and Problem Statement\r\n\r\nConstraints:\r\n\r\n+ a\r\n", "## Decision Outcome\n\n**Because**\n\n- a\n\nNext steps:\n\n- b\n", "## Decision Outcome\n\n### Confirmation\n\nby test\n",
	} {
		f.Add("Use X", "a reason", "a\nconsequence", s)
	}
	f.Add(`a "quoted", because b`, "- -", "# h\n```", "")
	f.Add("---", "because", "\\", "")
	f.Fuzz(func(t *testing.T, title, reason, consequence, file string) {
		if len(file) > 1<<13 || len(title)+len(reason)+len(consequence) > 1<<10 {
			return
		}
		title = strings.Join(strings.Fields(title), " ")
		if title == "" || record.CheckLine("title", title, 200) != nil || record.CheckText("r", reason) != nil || record.CheckText("c", consequence) != nil || record.CheckText("f", file) != nil {
			return
		}
		c := record.Causes{Constraints: []string{"no time"}, Alternatives: []string{"other"}}
		for _, l := range []struct {
			text string
			to   *[]string
		}{{reason, &c.Reasons}, {consequence, &c.Consequences}} {
			if item, _ := markdown.ItemText(l.text); strings.TrimSpace(item) != "" {
				*l.to = []string{item}
			}
		}
		r := recording{in: Input{Decision: title, Scope: record.Project}, today: "2026-11-21"}
		src, _, err := compose(title, r.keys(), c, "")
		if err != nil {
			t.Fatalf("%q %+v: %v", title, c, err)
		}
		d := readDoc("decisions/x.md", src)
		if d.Title != title || !slices.Equal(d.Because, c.Reasons) || !slices.Equal(d.Consequences, c.Consequences) || !slices.Equal(d.Constraints, c.Constraints) {
			t.Errorf("%q %+v reads back as %+v\n%s", title, c, d, src.Src)
		}
		if again, _, err := extend("decisions/x.md", src, nil, c); err != nil || string(again.Src) != string(src.Src) {
			t.Errorf("again: %v\n%s\nwas\n%s", err, again.Src, src.Src)
		}

		if record.Writable([]byte(file)) != nil {
			return
		}
		doc, warned, err := extend("decisions/x.md", record.Open([]byte(file)), nil, c)
		if err != nil {
			return // refused, nothing written
		}
		out := doc.Src
		if again, _, err := extend("decisions/x.md", doc, nil, c); err != nil || string(again.Src) != string(out) {
			t.Errorf("added twice: %v\n%q\nwas\n%q", err, again.Src, out)
		}
		if len(warned) > 0 || strings.Contains(file, "\r") {
			return
		}
		at := 0
		for line := range strings.Lines(file) {
			line = strings.TrimRight(line, "\r\n \t")
			n := strings.Index(string(out[at:]), line)
			if n < 0 {
				t.Fatalf("the line %q is gone\n%q\nwas\n%q", line, out, file)
			}
			at += n + len(line)
		}
	})
}

func TestMeaning(t *testing.T) {
	for _, same := range [][]string{
		{"Use JWT for sessions", "We decided to use JWT for our sessions", "use jwt for the sessions!", "We chose JWT for sessions", "Sessions: JWT"[10:] + " for sessions"},
		{"Мы решили использовать gRPC", "Использовать gRPC", "решено использовать grpc"},
		{"We went with Kafka", "Go with Kafka"},
		{"Wir haben entschieden Postgres zu verwenden", "Postgres zu verwenden"},
	} {
		for _, s := range same[1:] {
			if meaning(s) != meaning(same[0]) {
				t.Errorf("%q (%s) and %q (%s)", same[0], meaning(same[0]), s, meaning(s))
			}
		}
	}
	for _, pair := range [][2]string{
		{"Use JWT", "Do not use JWT"}, {"Use Redis instead of Kafka", "Use Kafka instead of Redis"}, {"Use C++", "Use C"}, {"Use Go 1.25", "Use Go 1.26"},
		{"Cache with Redis", "Cache without Redis"}, {"Move from Ant to Maven", "Move from Maven to Ant"}, {"No JWT", "JWT"}, {"Не использовать JWT", "Использовать JWT"}, {"Nicht Redis", "Redis"},
	} {
		if meaning(pair[0]) == meaning(pair[1]) {
			t.Errorf("%q and %q are %q", pair[0], pair[1], meaning(pair[0]))
		}
	}
}
