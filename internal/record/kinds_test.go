package record

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"sdd/internal/fault"
	"sdd/internal/markdown"
	"sdd/schema"
)

func TestKindOf(t *testing.T) {
	for file, want := range map[string]Kind{
		"explore/a.md":             Exploration,
		"explore/a@b.md":           Exploration,
		"explore/sub/a.md":         Exploration,
		"personal/explore/a.md":    Exploration,
		"ideas/idea-1.md":          Idea,
		"facts/f.md":               Fact,
		"personal/facts/f.md":      Fact,
		"decisions/d.md":           Decision,
		"personal/decisions/d.md":  Decision,
		"inbox/c.md":               Candidate,
		"personal/ideas/i.md":      "",
		"personal/inbox/c.md":      "",
		"explore/a.txt":            "",
		"explore/.md":              "",
		"explore/.a.md":            "",
		"explore/.git/a.md":        "",
		".local/tmp/a.md":          "",
		"views/learnings.md":       "",
		"explore":                  "",
		"a.md":                     "",
		"":                         "",
		"personal/a.md":            "",
		"personal/views/a.md":      "",
		"personal/personal/a.md":   "",
		"exploration/a.md":         "",
		"personal/explore/sub/.md": "",
	} {
		got, ok := KindOf(file)
		if got != want || ok != (want != "") {
			t.Errorf("KindOf(%q) = %q, %v, want %q", file, got, ok, want)
		}
	}
}

func TestParseType(t *testing.T) {
	for name, want := range map[string]Type{
		"explore": {Kind: Exploration}, "Exploration": {Kind: Exploration}, "context": {Kind: Exploration}, "discuss": {Kind: Exploration},
		"learning": {Idea, Learning}, "idea": {Kind: Idea}, " fact ": {Kind: Fact}, "decision": {Kind: Decision}, "candidate": {Kind: Candidate},
	} {
		if got, err := ParseType(name); got != want || err != nil {
			t.Errorf("ParseType(%q) = %v, %v", name, got, err)
		}
	}
	for _, name := range Types {
		if _, err := ParseType(name); err != nil {
			t.Errorf("ParseType(%q): %v", name, err)
		}
	}
	if _, err := ParseType("ideas"); !fault.Is(err, fault.Invalid) || fault.Of(err).Arg != "type" {
		t.Errorf("ParseType(ideas): %v", err)
	}
	if l, _ := ParseType("learning"); l.Kind != Idea || l.Color != "yellow" {
		t.Errorf("a learning is %v", l)
	}
}

func TestSections(t *testing.T) {
	for _, k := range Kinds {
		for _, s := range Sections(k) {
			key := SectionKey(k, s)
			if key == "" {
				t.Errorf("%s: section %v has no key", k, s)
			}
			if got, ok := SectionNamed(k, key); !ok || got != s {
				t.Errorf("%s: %q names %v, want %v", k, key, got, s)
			}
			if got, ok := SectionNamed(k, s.Name); !ok || got != s {
				t.Errorf("%s: %q names %v, want %v", k, s.Name, got, s)
			}
		}
	}
	if got := SectionsOf(Candidate, Decision); got[len(got)-1].Name != "Evidence" || !slices.Contains(got, markdown.Known{Name: "Consequences", Under: "Decision Outcome"}) {
		t.Errorf("a candidate for a decision knows %v", got)
	}
	if got := KeysOf(Candidate, Fact); !slices.Equal(got[len(got)-4:], []string{"kind", "confidence", "status", "rejected_reason"}) || slices.Index(got, "status") != len(got)-2 {
		t.Errorf("a candidate for a fact has keys %v", got)
	}
}

// TestSchema fails when the code and the schemas part: keys, enumerations, section arguments.
func TestSchema(t *testing.T) {
	type node struct {
		Enum       []string        `json:"enum"`
		Properties map[string]node `json:"properties"`
		Items      *node           `json:"items"`
		Maximum    *int            `json:"maximum"`
	}
	load := func(name string) node {
		var n node
		if err := json.Unmarshal(schema.Load(name), &n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	same := func(what string, got, want []string) {
		t.Helper()
		if !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))) {
			t.Errorf("%s: schema has %v, code has %v", what, got, want)
		}
	}
	for _, k := range Kinds {
		n := load(Noun(string(k)))
		if k != Candidate {
			same(string(k)+" keys", slices.Collect(maps.Keys(n.Properties)), Keys(k))
			same(string(k)+" scopes", n.Properties["scope"].Enum, ScopesOf(k))
		}
		same(string(k)+" statuses", n.Properties["status"].Enum, StatusesOf(k, ""))
	}
	idea, fact := load("idea"), load("fact")
	same("colours", idea.Properties["color"].Enum, Colors)
	if *fact.Properties["level"].Maximum != len(Levels)-1 {
		t.Errorf("levels of facts: %v", Levels)
	}
	input := load("tools/sdd_explore.input")
	for _, s := range ExplorationSections {
		key := SectionKey(Exploration, s)
		if _, ok := input.Properties[key]; !ok {
			t.Errorf("sdd_explore has no argument %s", key)
		}
	}
	same("scopes", input.Properties["scope"].Enum, append(slices.Clone(ScopesOf(Exploration)), Private))
	// The colours' own statuses stand in conditions that only validation reads.
	for _, color := range Colors {
		for _, status := range StatusesOf(Idea, "") {
			err := schema.Compile("idea").Validate(map[string]any{"color": color, "status": status})
			if (err == nil) != slices.Contains(StatusesOf(Idea, color), status) {
				t.Errorf("%s idea with status %s: %v", color, status, err)
			}
		}
	}
}
