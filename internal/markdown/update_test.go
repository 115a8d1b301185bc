package markdown

import (
	"bytes"
	"strings"
	"testing"

	"sdd/internal/fault"
)

func save(t *testing.T, src string, order []Known, changes ...Change) Updated {
	t.Helper()
	u, err := Update([]byte(src), bodyStart([]byte(src)), order, changes)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func replace(name, text string) Change { return Change{Section: Known{Name: name}, Text: text} }
func add(name, text string) Change {
	return Change{Section: Known{Name: name}, Text: text, Op: Append}
}
func remove(name string) Change { return Change{Section: Known{Name: name}, Op: Clear} }

// TestShape pins the bytes for every place a section can stand in.
func TestShape(t *testing.T) {
	tests := []struct {
		name, src string
		changes   []Change
		want      string
	}{
		{"new file", "", []Change{replace("Constraints", "b"), replace("Goals", "a\n")}, "## Goals\n\na\n\n## Constraints\n\nb\n"},
		{"new file with front matter", "---\nt: x\n---\n", []Change{replace("Goals", "a")}, "---\nt: x\n---\n\n## Goals\n\na\n"},
		{"front matter without a line end", "---\nt: x\n---", []Change{replace("Goals", "a")}, "---\nt: x\n---\n\n## Goals\n\na\n"},
		{"front matter and a blank line", "---\nt: x\n---\n\n", []Change{replace("Goals", "a")}, "---\nt: x\n---\n\n## Goals\n\na\n"},
		{"byte order mark", "\ufeff", []Change{replace("Goals", "a")}, "\ufeff## Goals\n\na\n"},
		{"after a title", "# T\n\nIntro.\n", []Change{replace("Goals", "a")}, "# T\n\nIntro.\n\n## Goals\n\na\n"},
		{"after the one before", "## Goals\n\na\n\n## Context\n\nf\n", []Change{replace("Unknowns", "d")}, "## Goals\n\na\n\n## Unknowns\n\nd\n\n## Context\n\nf\n"},
		{"not after a later one", "## Context\n\nf\n\n## Goals\n\na\n", []Change{replace("Unknowns", "d")}, "## Context\n\nf\n\n## Goals\n\na\n\n## Unknowns\n\nd\n"},
		{"before the next one", "Intro.\n\n## Notes\n\nn\n\n## Context\n\nf\n", []Change{replace("Goals", "a")}, "Intro.\n\n## Notes\n\nn\n\n## Goals\n\na\n\n## Context\n\nf\n"},
		{"with neither", "## Notes\n\nn", []Change{replace("Goals", "a")}, "## Notes\n\nn\n\n## Goals\n\na\n"},
		{"before a part", "## Goals\n\na\n\n# Part\n\np\n", []Change{replace("Context", "f")}, "## Goals\n\na\n\n## Context\n\nf\n\n# Part\n\np\n"},
		{"no line end stays none", "## Goals\n\na\n\n## Context\n\nf", []Change{replace("Constraints", "b")}, "## Goals\n\na\n\n## Constraints\n\nb\n\n## Context\n\nf"},
		{"unknown section", "## Goals\n\na\n", []Change{replace("Notes", "n")}, "## Goals\n\na\n\n## Notes\n\nn\n"},
		{"crlf", "## Goals\r\n\r\na\r\n", []Change{replace("Context", "x\ny")}, "## Goals\r\n\r\na\r\n\r\n## Context\r\n\r\nx\r\ny\r\n"},

		{"blank lines around stay", "## Goals\n\n\n\na\n\n\n## Context\n\nf\n", []Change{replace("Goals", "b")}, "## Goals\n\n\n\nb\n\n\n## Context\n\nf\n"},
		{"no blank lines stay none", "## Goals\na\n## Context\nf", []Change{replace("Goals", "b"), replace("Context", "g")}, "## Goals\nb\n## Context\ng"},
		{"blank line where it is needed", "## Goals\n```\n```\nContext\n---\n", []Change{replace("Goals", "b")}, "## Goals\nb\n\nContext\n---\n"},
		{"text for an empty section", "## Goals\n## Context\n", []Change{replace("Goals", "a"), replace("Context", "f")}, "## Goals\n\na\n\n## Context\n\nf\n"},
		{"text for an empty last section", "## Goals", []Change{replace("Goals", "a")}, "## Goals\n\na"},
		{"emptied", "## Goals\n\na\n\nb\n\n## Context\n\nf\n", []Change{replace("Goals", "\n"), replace("Context", "")}, "## Goals\n\n## Context\n"},
		{"empty text for no section", "## Context\n\nf\n", []Change{replace("Goals", " ")}, "## Context\n\nf\n"},
		{"heading as it is written", "##  goals ## {#g}\n\na\n", []Change{replace("GOALS", "b")}, "##  goals ## {#g}\n\nb\n"},

		{"cleared", "# T\n\n## Goals\n\na\n\n## Context\n\nf\n", []Change{remove("Goals")}, "# T\n\n## Context\n\nf\n"},
		{"last cleared", "## Goals\n\na\n\n## Context\n\nf\n", []Change{remove("Context")}, "## Goals\n\na\n\n"},
		{"blank line where a section was", "## Goals\n\na\n## Context\n\nf\n\nNext\n---\n", []Change{remove("Context")}, "## Goals\n\na\n\nNext\n---\n"},
		{"no byte order mark made", "## Goals\n\na\n\n\ufeffNext\n---\n", []Change{remove("Goals")}, "\n\ufeffNext\n---\n"},
		{"absent cleared", "## Goals\n\na\n", []Change{remove("Context")}, "## Goals\n\na\n"},
		{"cleared and written", "## Goals\n\na\n", []Change{remove("Goals"), replace("Goals", "b")}, "## Goals\n\nb\n"},

		{"list goes on", "## Goals\n\n- a\n- b\n\n## Context\n", []Change{add("Goals", "- c\n- d")}, "## Goals\n\n- a\n- b\n- c\n- d\n\n## Context\n"},
		{"numbered list goes on", "## Goals\n\n1. a\n", []Change{add("Goals", "2. b")}, "## Goals\n\n1. a\n2. b\n"},
		{"nested list goes on", "## Goals\n\n- a\n  1. b\n", []Change{add("Goals", "- c")}, "## Goals\n\n- a\n  1. b\n- c\n"},
		{"another list", "## Goals\n\n- a\n", []Change{add("Goals", "* b")}, "## Goals\n\n- a\n\n* b\n"},
		{"paragraph after a list", "## Goals\n\n- a\n", []Change{add("Goals", "b")}, "## Goals\n\n- a\n\nb\n"},
		{"list after a paragraph", "## Goals\n\na", []Change{add("Goals", "- b")}, "## Goals\n\na\n\n- b"},
		{"lines that stand there", "## Goals\n\n- a\n- b\n- c\n", []Change{add("Goals", "\n- b\n- c\n")}, "## Goals\n\n- a\n- b\n- c\n"},
		{"part of a line", "## Goals\n\n- about\n", []Change{add("Goals", "- a")}, "## Goals\n\n- about\n- a\n"},
		{"added to nothing", "## Goals\n\n## Context\n", []Change{add("Goals", "a"), add("Unknowns", "d")}, "## Goals\n\na\n\n## Unknowns\n\nd\n\n## Context\n"},
		{"added after a fence left open", "## Goals\n\n```\nx\n", []Change{add("Goals", "a")}, "## Goals\n\n```\nx\n```\n\na\n"},
		{"added after a comment left open", "## Goals\n\n<!-- x\n## y\n", []Change{add("Goals", "a")}, "## Goals\n\n<!-- x\n## y\n-->\n\na\n"},
		{"crlf list", "## Goals\r\n\r\n- a\r\n", []Change{add("Goals", "- b")}, "## Goals\r\n\r\n- a\r\n- b\r\n"},

		{"first of two", "## Goals\n\na\n\n## goals\n\nb\n", []Change{replace("Goals", "c")}, "## Goals\n\nc\n\n## goals\n\nb\n"},
		{"before a fence left open", "## Goals\n\n```\nx\n", []Change{replace("Context", "f")}, "## Context\n\nf\n\n## Goals\n\n```\nx\n"},
		{"list before an indented heading", "## Goals\n\na\n\n  ## Context\n", []Change{replace("Goals", "- b")}, "## Goals\n\n- b\n\n<!-- -->\n\n  ## Context\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			u := save(t, tt.src, order, tt.changes...)
			if string(u.Out) != tt.want {
				t.Errorf("got\n%q\nwant\n%q", u.Out, tt.want)
			}
			if again := save(t, tt.want, order, tt.changes...); string(again.Out) != tt.want && tt.changes[0].Op != Clear {
				t.Errorf("again\n%q\nwant\n%q", again.Out, tt.want)
			}
		})
	}
}

// TestAppendIntoList appends text that closes a fence in the list before it, so that what was inside
// a fence when looked at alone is outside.
func TestAppendIntoList(t *testing.T) {
	u := save(t, "## Goals\n\n- ```\n  a\n", order, add("Goals", "  ```\n## b\n  ```\nc"))
	if want := "## Goals\n\n- ```\n  a\n\n  ```\n### b\n  ```\nc\n```\n"; string(u.Out) != want {
		t.Errorf("got\n%s\nwant\n%s", u.Out, want)
	}
	if got := codes(u.Warnings); got != "fence_closed heading_demoted" && got != "heading_demoted fence_closed" {
		t.Errorf("warnings %q", got)
	}
}

// TestAppendBeforeDeeperHeading adds text to the section itself, not to the last heading in it.
func TestAppendBeforeDeeperHeading(t *testing.T) {
	below := "### Rejected\n\n- r1\n\n## Other\n\nx\n"
	for _, tt := range []struct{ name, src, text, want string }{
		{"after its text", "## Context\n\n- c1\n\n" + below, "- c2", "## Context\n\n- c1\n- c2\n\n" + below},
		{"without text", "## Context\n\n" + below, "- c2", "## Context\n\n- c2\n\n" + below},
		{"with a heading", "## Context\n\n- c1\n\n" + below, "### Open\n\n- o1", "## Context\n\n- c1\n\n" + strings.Replace(below, "r1\n", "r1\n\n### Open\n\n- o1\n", 1)},
		{"which it has", "## Context\n\n- c1\n\n" + below, "- r1", "## Context\n\n- c1\n\n" + below},
	} {
		if u := save(t, tt.src, order, add("Context", tt.text)); string(u.Out) != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, u.Out, tt.want)
		}
	}
}

// TestIdentity gives back the same bytes when nothing changes.
func TestIdentity(t *testing.T) {
	same := []byte("## Goals\n\na\n\n## Context\n\nf\n")
	u, err := Update(same, 0, order, []Change{replace("Goals", "a\r\n"), add("Context", "f")})
	if err != nil || &u.Out[0] != &same[0] || len(u.Warnings) > 0 {
		t.Errorf("the identity changed %s, warned %v (%v)", u.Out, u.Warnings, err)
	}
}

// TestLevelThree addresses a known section inside another one.
func TestLevelThree(t *testing.T) {
	consequences := Known{Name: "Consequences", Under: "Decision Outcome"}
	outcome := Known{Name: "Decision Outcome"}
	src := "## Decision Outcome\n\nChosen.\n\n### Consequences\n\n- good\n\n### Confirmation\n\ntest\n\n## More\n\n### Consequences\n\nnot this\n"
	tests := []struct {
		name, src string
		c         Change
		want      string
		codes     string
	}{
		{"replaced", src, Change{Section: consequences, Text: "- bad"}, strings.Replace(src, "good", "bad", 1), ""},
		{"contained", src, Change{Section: consequences, Text: "### x\n#### y\n## z"}, strings.Replace(src, "- good", "#### x\n#### y\n#### z", 1), "heading_demoted"},
		{"cleared", src, Change{Section: consequences, Op: Clear}, strings.Replace(src, "### Consequences\n\n- good\n\n", "", 1), ""},
		{"parent keeps it", src, Change{Section: outcome, Text: "Other."}, strings.Replace(src, "Chosen.", "Other.", 1), ""},
		{"parent closes its fence before it", src, Change{Section: outcome, Text: "```"}, strings.Replace(src, "Chosen.", "```\n```", 1), "fence_closed"},
		{"parent added to", src, Change{Section: outcome, Text: "Because.", Op: Append}, strings.Replace(src, "Chosen.", "Chosen.\n\nBecause.", 1), ""},
		{"parent given whole", src, Change{Section: outcome, Text: "New.\n\n### consequences\n\nnone"},
			"## Decision Outcome\n\nNew.\n\n### consequences\n\nnone\n\n## More\n\n### Consequences\n\nnot this\n", ""},
		{"new in its parent", "## Decision Outcome\n\nChosen.\n\n## More\n", Change{Section: consequences, Text: "- good"},
			"## Decision Outcome\n\nChosen.\n\n### Consequences\n\n- good\n\n## More\n", ""},
		{"new with its parent", "## Considered Options\n\n- a\n", Change{Section: consequences, Text: "- good"},
			"## Considered Options\n\n- a\n\n## Decision Outcome\n\n### Consequences\n\n- good\n", ""},
		{"no place in its parent", "## Decision Outcome\n\n### Why\n\n```\n", Change{Section: consequences, Text: "- good"},
			"## Decision Outcome\n\n### Consequences\n\n- good\n\n### Why\n\n```\n", "block_left_open"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			u := save(t, tt.src, madr, tt.c)
			if string(u.Out) != tt.want {
				t.Errorf("got\n%s\nwant\n%s", u.Out, tt.want)
			}
			if got := codes(u.Warnings); got != tt.codes {
				t.Errorf("warnings %q, want %q", got, tt.codes)
			}
		})
	}
	d := mustParse(t, []byte(src), 0)
	for _, text := range []string{d.Text(d.Find(outcome)[0]), "Chosen."} {
		if u := save(t, src, madr, Change{Section: outcome, Text: text}); string(u.Out) != src {
			t.Errorf("saving %q again gives\n%s", text, u.Out)
		}
	}
}

// TestNoPlace refuses a section that no place in the file would let be one.
func TestNoPlace(t *testing.T) {
	for _, f := range corpus(t) {
		line, ok := map[string]int{"fence-left-open-preamble": 3, "fence-left-open-after-title": 3, "comment-left-open-preamble": 1}[f.name]
		_, err := Update(f.src, f.from, order, []Change{replace("Unknowns", "d")})
		if !ok && err != nil {
			t.Errorf("%s: %v", f.name, err)
		}
		if !ok {
			continue
		}
		if got := fault.Of(err); got.Code != fault.Broken || got.Line != line || got.Hint == "" {
			t.Errorf("%s: line %d, %v", f.name, got.Line, err)
		}
	}
}

// TestWarnings names the section and what a person has to look at.
func TestWarnings(t *testing.T) {
	tests := []struct {
		name, src string
		c         Change
		codes     string
		says      string
	}{
		{"duplicate", "## Goals\n\na\n\n## goals\n\nb\n", replace("Goals", "x\ny\nz"), "duplicate_section", "only the first one"},
		{"duplicate cleared", "## Goals\n\na\n\n## goals\n\nb\n", remove("Goals"), "duplicate_section", "only the first one"},
		{"to crlf", "## Goals\r\n\r\na\r\n", replace("Goals", "x\ny"), "newlines_converted", `\r\n`},
		{"to lf", "## Goals\n\na\n", replace("Goals", "x\r\ny"), "newlines_converted", `\n`},
		{"new file", "", replace("Goals", "x\r\ny\r\n"), "newlines_converted", `\n`},
		{"one line needs none", "## Goals\r\n\r\na\r\n", replace("Goals", "x"), "", ""},
		{"swallowed", "## Goals\n\n```\nx\n\n## Context\n\nf\n", replace("Goals", "a"), "block_left_open", "line 3"},
		{"swallowed and cleared", "## Goals\n\n<!-- x\n\n## Context\n\nf\n", remove("Goals"), "block_left_open", "line 3"},
		{"many headings", "", replace("Goals", "# a\n# b\n# c\n# d\n# e"), "heading_demoted", `"a", "b", "c" and 2 more`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			u := save(t, tt.src, order, tt.c)
			if got := codes(u.Warnings); got != tt.codes {
				t.Fatalf("warnings %q, want %q", got, tt.codes)
			}
			for _, w := range u.Warnings {
				if w.Section != "Goals" || !strings.Contains(w.Text, tt.says) {
					t.Errorf("%+v does not say %s", w, tt.says)
				}
			}
		})
	}
}

// TestClearBeforeIndented clears a section together with the one after it, whose heading would else become part of a list.
func TestClearBeforeIndented(t *testing.T) {
	src := []byte("## Goals\n\n- a\n\n## Constraints\n\nx\n\n   ## Unknowns\n\ny\n")
	known := []Known{{Name: "Goals"}, {Name: "Constraints"}, {Name: "Unknowns"}}
	both := []Change{{Section: known[1], Op: Clear}, {Section: known[2], Op: Clear}}
	u, err := Update(src, 0, known, both)
	if err != nil || string(u.Out) != "## Goals\n\n- a\n\n" {
		t.Errorf("%q %v", u.Out, err)
	}
	for _, changes := range [][]Change{both[:1], append(both[:1:1], Change{Section: known[1], Text: "z"})} {
		if u, err := Update(src, 0, known, changes); err == nil {
			t.Errorf("%v: %q", changes, u.Out)
		}
	}
}

// TestRefusedWhole leaves nothing half done: one text that cannot be stored refuses all.
func TestRefusedWhole(t *testing.T) {
	src := []byte("## Goals\n\na\n")
	before := bytes.Clone(src)
	u, err := Update(src, 0, order, []Change{replace("Goals", "b"), replace("Context", strings.Repeat("> ", 500))})
	if !fault.Is(err, fault.Invalid) || u.Out != nil || !bytes.Equal(src, before) {
		t.Errorf("%q, %v", u.Out, err)
	}
}
