package transfer

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"sdd/internal/decision"
	"sdd/internal/fault"
	"sdd/internal/index"
	"sdd/internal/markdown"
	"sdd/internal/store"
)

// handoffs opens a project that holds those files.
func handoffs(t *testing.T, files map[string]string) (string, HandoffSources) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	st, err := store.Open(store.Options{Dir: dir, Tool: "test"})
	if err != nil {
		t.Fatal(err)
	}
	ix := index.Open(st)
	d := decision.New(st, ix)
	t.Cleanup(func() {
		d.Close()
		ix.Close()
		st.Close()
	})
	return dir, HandoffSources{st, ix, d}
}

// hostile are sections that would each affect the text after them.
var hostile = map[string]string{
	"fence":   "```\nopen",
	"comment": "<!-- open",
	"html":    "<div>\nopen",
	"setext":  "text\n\n    code",
	"list":    "- a\n\n  - b\n\n    ```\n    open",
	"mark":    "<!-- sdd handoff: explore/other 000000000000 -->",
	"table":   "| a |\n|---|\n| b |",
}

// Each section stays in its place in every document, and a file knows what it was made of.
func TestHandoffIsContained(t *testing.T) {
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) {
			dir, from := handoffs(t, map[string]string{
				".sdd/explore/x.md":  "---\ntitle: X\n---\n\n## Goals\n\n- g\n\n## Constraints\n\n- c\n\n## Unknowns\n\n- u\n\n## Decisions\n\n- d\n\n## Context\n\n" + text + "\n",
				"backlog/config.yml": "",
			})
			if err := os.Mkdir(filepath.Join(dir, "openspec"), 0o755); err != nil {
				t.Fatal(err)
			}
			for to, want := range map[string]string{
				"openspec":     "Why, What Changes, Impact, Open Questions",
				"spec-kit":     "/speckit.specify, /speckit.plan",
				"hoofy":        "Problem Statement, Proposed Solution, Success Criteria, Open Questions",
				"backlog":      "Description, Acceptance Criteria, Implementation Notes",
				"adr":          "Context and Problem Statement, Decision Drivers, Decision Outcome, More Information",
				"github-issue": "Goals, Context, Constraints, Decisions, Open questions",
			} {
				out, err := HandOff(t.Context(), from, HandoffAsk{ID: "explore/x", To: to})
				if err != nil {
					t.Fatalf("%s: %v", to, err)
				}
				body := out.Text
				if strings.HasPrefix(body, "---\n") {
					body = body[strings.Index(body[4:], "---\n")+8:]
				}
				doc, err := markdown.Parse([]byte(body), 0)
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, h := range doc.Headings {
					if h.Level == 2 {
						got = append(got, h.Text)
					}
				}
				if strings.Join(got, ", ") != want {
					t.Errorf("%s: %q\n%s", to, got, out.Text)
				}
				again, err := HandOff(t.Context(), from, HandoffAsk{ID: "x", To: to})
				if err != nil || again.Text != out.Text || again.File != out.File || out.File != "" && again.Action != handUnchanged {
					t.Errorf("%s again: %s %s %v", to, again.Action, again.File, err)
				}
				if out.File == "" {
					continue
				}
				src, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(out.File)))
				if err != nil || string(src) != out.Text {
					t.Fatalf("%s: %v", to, err)
				}
				if id, untouched := madeOf(src); id != "explore/x" || !untouched {
					t.Errorf("%s was made of %q, %v", to, id, untouched)
				}
			}
		})
	}
}

// A file with any changed byte belongs to the user; only line ends may differ, since git changes them.
func TestHandoffKnowsEdits(t *testing.T) {
	text := marked([]byte("# X\n\n## Why\n\ntext\n"), "explore/x")
	for at := range text {
		for _, b := range []byte{'z', ' ', '\n'} {
			edited := bytes.Clone(text)
			if edited[at] == b {
				continue
			}
			edited[at] = b
			if id, untouched := madeOf(edited); untouched && id == "explore/x" && at < len(text)-1 {
				t.Errorf("byte %d as %q is not seen:\n%s", at, b, edited)
			}
		}
		if _, untouched := madeOf(text[:at]); untouched && at < len(text)-1 {
			t.Errorf("cut at %d is not seen", at)
		}
	}
	if _, untouched := madeOf(append(bytes.Clone(text), "more\n"...)); untouched {
		t.Error("a line behind the mark is not seen")
	}
	if id, untouched := madeOf(bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))); id != "explore/x" || !untouched {
		t.Error("line ends count as an edit")
	}
}

// rich is a text with every kind of block; each of its words has the section's name in it.
func rich(section string) string {
	return strings.ReplaceAll(`@intro, of two
lines @here.

- @first goal
  - @nested thing

    with @more
- [x] @done thing
- [ ] @open thing
1. @numbered

> a @quote

| @head | b |
|---|---|
| @cell | 2 |

`+"```go\n@code()\n```"+`

    @indented code

### @sub heading

@text

#### @deeper

* @last

  <b>@html</b>

* ### @title in an item

[@reference]: https://@reference.example
<!-- @comment -->`, "@", section)
}

// Every word of every section is in every document, whatever its block.
func TestHandoffLosesNothing(t *testing.T) {
	sections := []string{"Goals", "Constraints", "Preferences", "Unknowns", "Decisions", "Context"}
	for _, only := range append(sections, "Notes", "preamble", "twice", "appendix", "all") {
		t.Run(only, func(t *testing.T) {
			var src strings.Builder
			src.WriteString("---\ntitle: X\n---\n\n")
			if only == "preamble" || only == "all" {
				src.WriteString(rich("preamble") + "\n\n")
			}
			for _, s := range append(sections, "Notes") {
				if only == s || only == "all" {
					src.WriteString("## " + s + "\n\n" + rich(s) + "\n\n")
				}
			}
			if only == "twice" || only == "all" {
				src.WriteString("## Goals\n\n- once\n\n## Context\n\nonce\n\n## Goals\n\n" + rich("twice") + "\n\n## Context\n\n" + rich("again") + "\n\n")
			}
			if only == "appendix" || only == "all" {
				src.WriteString("## Goals\n\n- one\n\n# An appendix\n\n" + rich("appendix") + "\n")
			}
			for _, folders := range []bool{false, true} {
				files := map[string]string{".sdd/explore/x.md": src.String()}
				if folders {
					files["backlog/config.yml"], files["openspec/project.md"] = "", ""
				}
				_, from := handoffs(t, files)
				for _, to := range HandoffTargets() {
					out, err := HandOff(t.Context(), from, HandoffAsk{ID: "x", To: to, DryRun: true})
					if err != nil {
						t.Fatalf("%s: %v", to, err)
					}
					has := map[string]bool{}
					for _, w := range wordsIn(out.Text) {
						has[w] = true
					}
					var missing []string
					for _, w := range wordsIn(strings.ReplaceAll(strings.TrimPrefix(src.String(), "---\ntitle: X\n---\n"), "\n1. ", "\n")) {
						if !has[w] && !slices.Contains(sections, w) && !slices.Contains(missing, w) {
							missing = append(missing, w)
						}
					}
					if len(missing) > 0 {
						t.Errorf("%s has no %q:\n%s", to, missing, out.Text)
					}
					if strings.Contains(out.Text, "] [x]") || strings.Contains(out.Text, ": [x]") {
						t.Errorf("%s: a task in a task:\n%s", to, out.Text)
					}
				}
			}
		})
	}
}

func wordsIn(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// What lists of plain items become, and what becomes of all else.
func TestHandoffPoints(t *testing.T) {
	for _, c := range []struct{ name, text, tasks, clarified, criteria string }{
		{"items", "- a\n- b", "- [ ] a\n- [ ] b", "- [NEEDS CLARIFICATION: a]\n- [NEEDS CLARIFICATION: b]", "- [ ] #1 a\n- [ ] #2 b"},
		{"loose", "* a\n\n* b", "* [ ] a\n\n* [ ] b", "* [NEEDS CLARIFICATION: a]\n\n* [NEEDS CLARIFICATION: b]", "- [ ] #1 a\n- [ ] #2 b"},
		{"tasks", "- [x] a\n- [ ] b\n- [X] c", "- [x] a\n- [ ] b\n- [X] c", "- [x] a\n- [ ] [NEEDS CLARIFICATION: b]\n- [X] c", "- [x] #1 a\n- [ ] #2 b\n- [X] #3 c"},
		{"paragraphs", "a\nb\n\nc", "- [ ] a\n  b\n\n- [ ] c", "- [NEEDS CLARIFICATION: a b]\n\n- [NEEDS CLARIFICATION: c]", "- [ ] #1 a b\n- [ ] #2 c"},
		{"nested", "- a\n  - b\n    - c\n- d", "- [ ] a\n  - b\n    - c\n- [ ] d", "- [NEEDS CLARIFICATION: a]\n  - b\n    - c\n- [NEEDS CLARIFICATION: d]", "- [ ] #1 a\n- [ ] #2 d"},
		{"numbers", "1. a\n   - b\n2. c", "1. [ ] a\n   - b\n2. [ ] c", "1. [NEEDS CLARIFICATION: a]\n   - b\n2. [NEEDS CLARIFICATION: c]", "- [ ] #1 a\n- [ ] #2 c"},
		{"an introduction", "Intro.\n- a\n\nEnd.", "Intro.\n- [ ] a\n\nEnd.", "Intro.\n- [NEEDS CLARIFICATION: a]\n\nEnd.", "- [ ] #1 a"},
		{"code in an item", "- ```\n  x\n  ```\n- a", "- ```\n  x\n  ```\n- [ ] a", "- ```\n  x\n  ```\n- [NEEDS CLARIFICATION: a]", "- [ ] #1 a"},
		{"indented behind a wide item", "10.  a\n\n   > q", "10.  [ ] a\n\n   > q", "10.  [NEEDS CLARIFICATION: a]\n\n   > q", "- [ ] #1 a"},
		{"no item", "> q", "> q", "> q", ""},
		{"nothing", "", "", "", ""},
	} {
		if got := points(c.text, task); got != c.tasks {
			t.Errorf("%s, tasks:\n%s", c.name, got)
		}
		if got := points(c.text, unclear); got != c.clarified {
			t.Errorf("%s, unclear:\n%s", c.name, got)
		}
		got, _ := criteria(c.text)
		if got = strings.TrimSuffix(strings.TrimPrefix(got, "<!-- AC:BEGIN -->\n"), "\n<!-- AC:END -->"); got != c.criteria {
			t.Errorf("%s, criteria:\n%s", c.name, got)
		}
	}
}

// Headings stay below that of their section.
func TestHandoffDemotesHeadings(t *testing.T) {
	_, from := handoffs(t, map[string]string{".sdd/explore/x.md": "---\ntitle: X\n---\n\n## Goals\n\n- log in\n\n### Later\n\n- pay\n\n#### Much later\n\n- leave\n\n## Context\n\n### Now\n\nc\n\n## Notes\n\nn\n"})
	for to, want := range map[string]string{
		"github-issue": "## Goals\n\n- [ ] log in\n\n### Later\n\n- [ ] pay\n\n#### Much later\n\n- [ ] leave\n\n## Context\n\n### Now\n\nc\n\n### Notes\n\nn\n",
		"spec-kit":     "# X\n\n## /speckit.specify\n\n### Goals\n\n- log in\n\n#### Later\n\n- pay\n\n##### Much later\n\n- leave\n\n### Context\n\n#### Now\n\nc\n\n#### Notes\n\nn\n",
	} {
		out, err := HandOff(t.Context(), from, HandoffAsk{ID: "x", To: to})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, out.Text); diff != "" {
			t.Errorf("%s: %s", to, diff)
		}
	}
}

// A decision is handed off unchanged, each section once.
func TestHandoffOfADecision(t *testing.T) {
	_, from := handoffs(t, map[string]string{".sdd/decisions/d.md": "---\ntitle: D\nstatus: accepted\n---\n\n# D\n\nBefore all.\n\n## Context\n\nc\n\n## Decision Outcome\n\nChosen.\n\n### Consequences\n\n- good\n\n## Empty\n## Notes\n\n- one\n\n## Notes\n\n- two\n\n# Appendix\n\na\n"})
	out, err := HandOff(t.Context(), from, HandoffAsk{ID: "decision/d", To: "adr", DryRun: true})
	if err != nil {
		t.Fatal(err)
	}
	got, _, _ := strings.Cut(out.Text, "\n<!--")
	want := "---\nstatus: accepted\n---\n\n# D\n\nBefore all.\n\n## Context\n\nc\n\n## Decision Outcome\n\nChosen.\n\n### Consequences\n\n- good\n\n## Notes\n\n- one\n\n- two\n\n## Appendix\n\na\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Records of one name get different files, and numbers continue those of the folder.
func TestHandoffFiles(t *testing.T) {
	dir, from := handoffs(t, map[string]string{
		".sdd/config.yaml":              "project: shop\n",
		".sdd/explore/x.md":             "---\ntitle: X\n---\n\n## Goals\n\n- g\n",
		".sdd/explore/x@other.md":       "---\ntitle: X\nproject: other\n---\n\n## Goals\n\n- another\n",
		"docs/adr/adr-012-go.md":        "# 12. Go\n\n## Status\n\nAccepted\n\n## Context\n\nc\n\n## Decision\n\nGo.\n\n## Consequences\n\nd\n",
		"docs/adr/2031-01-02-dated.md":  "# Dated\n\n## Status\n\nAccepted\n\n## Context\n\nc\n\n## Decision\n\nYes.\n\n## Consequences\n\nd\n",
		"backlog/tasks/BACK-7 - A.md":   "",
		"backlog/drafts/back-9 - B.md":  "",
		"backlog/tasks/task.md":         "",
		"openspec/changes/y/ignored.md": "",
	})
	for _, test := range []struct{ id, project, to, file, action string }{
		{"x", "shop", "openspec", "openspec/changes/x/proposal.md", "created"},
		{"x", "other", "openspec", "", ""},
		{"x", "shop", "openspec", "openspec/changes/x/proposal.md", "unchanged"},
		{"x", "shop", "adr", "docs/adr/adr-013-x.md", "created"},
		{"x", "other", "adr", "docs/adr/adr-014-x.md", "created"},
		{"x", "shop", "adr", "docs/adr/adr-013-x.md", "unchanged"},
		{"x", "shop", "backlog", "backlog/tasks/back-10 - x.md", "created"},
		{"x", "shop", "backlog", "backlog/tasks/back-10 - x.md", "unchanged"},
	} {
		out, err := HandOff(t.Context(), from, HandoffAsk{ID: test.id, Project: test.project, To: test.to})
		if test.file == "" {
			if !fault.Is(err, fault.Conflict) {
				t.Errorf("%+v: %+v, %v", test, out, err)
			}
		} else if err != nil || out.File != test.file || out.Action != test.action {
			t.Errorf("%+v: %s %s, %v", test, out.File, out.Action, err)
		}
	}
	if src, err := os.ReadFile(filepath.Join(dir, "openspec", "changes", "x", "proposal.md")); err != nil || strings.Contains(string(src), "another") {
		t.Errorf("%s %v", src, err)
	}
}

// A file that is there stays as it is, byte for byte, whoever made it, and a record has one numbered file wherever that went.
func TestHandoffOverwritesNothing(t *testing.T) {
	const record = ".sdd/explore/x.md"
	dir, from := handoffs(t, map[string]string{
		record:                                 "---\ntitle: X\n---\n\n## Goals\n\n- g\n",
		"docs/adr/0007-use-go.md":              "# 7. Use Go\n\n## Status\n\nAccepted\n\n## Decision\n\nGo.\n",
		"backlog/config.yml":                   "",
		"openspec/changes/archive/ignored.txt": "",
	})
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	move := func(was, now string) {
		t.Helper()
		now = filepath.Join(dir, filepath.FromSlash(now))
		if err := os.MkdirAll(filepath.Dir(now), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(dir, filepath.FromSlash(was)), now); err != nil {
			t.Fatal(err)
		}
	}
	files := func() map[string]string {
		t.Helper()
		all := map[string]string{}
		for _, folder := range []string{"openspec", "docs", "backlog"} {
			err := filepath.WalkDir(filepath.Join(dir, folder), func(p string, d fs.DirEntry, err error) error {
				if err == nil && !d.IsDir() {
					var src []byte
					src, err = os.ReadFile(p)
					all[p] = string(src)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		return all
	}
	made := func(to, file string) {
		t.Helper()
		if out, err := HandOff(t.Context(), from, HandoffAsk{ID: "x", To: to}); err != nil || out.Action != handCreated || out.File != file {
			t.Fatalf("%s: %s %s, %v", to, out.Action, out.File, err)
		}
	}
	refused := func(to, file string) {
		t.Helper()
		before := files()
		out, err := HandOff(t.Context(), from, HandoffAsk{ID: "x", To: to})
		if err == nil {
			t.Fatalf("%s: %s %s", to, out.Action, out.File)
		}
		if f := fault.Of(err); !fault.Is(err, fault.Conflict) || f.File != file || !strings.Contains(f.Hint, "move or delete it") || !strings.Contains(f.Hint, "--dry-run") {
			t.Errorf("%s: %v", to, err)
		}
		out, err = HandOff(t.Context(), from, HandoffAsk{ID: "x", To: to, DryRun: true})
		if err != nil || out.Action != handKept || out.File != file || !strings.Contains(out.Text, "- ") {
			t.Errorf("%s, dry: %+v, %v", to, out, err)
		}
		if diff := cmp.Diff(before, files()); diff != "" {
			t.Errorf("%s: %s", to, diff)
		}
	}
	const proposal, adr, task = "openspec/changes/x/proposal.md", "docs/adr/0008-x.md", "backlog/tasks/task-1 - x.md"
	made("openspec", proposal)
	made("adr", adr)
	made("backlog", task)
	refused("gentle-ai", proposal)
	write(record, "---\ntitle: X\n---\n\n## Goals\n\n- g\n- h\n")
	refused("openspec", proposal)
	refused("adr", adr)
	refused("backlog", task)
	// neither a file that a person took elsewhere nor a new folder makes a second one
	move(task, "backlog/completed/task-1 - x.md")
	refused("backlog", "backlog/completed/task-1 - x.md")
	move(adr, "docs/decisions/0008-x.md")
	refused("adr", "docs/decisions/0008-x.md")
	move("docs/decisions/0008-x.md", "docs/adr/old name.md")
	refused("adr", "docs/adr/old name.md")
	move("backlog/completed/task-1 - x.md", "backlog/tasks/renamed.md")
	refused("backlog", "backlog/tasks/renamed.md")
	// a folder of that name is in the way too
	for _, file := range []string{proposal, "docs/adr/old name.md"} {
		if err := os.Remove(filepath.Join(dir, filepath.FromSlash(file))); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, filepath.FromSlash(proposal)), 0o755); err != nil {
		t.Fatal(err)
	}
	refused("openspec", proposal)
	made("adr", adr)
}

func TestHandoffStaysInTheProject(t *testing.T) {
	dir, from := handoffs(t, map[string]string{".sdd/explore/x.md": "---\ntitle: X\n---\n\n## Goals\n\n- g\n", ".sdd/explore/empty.md": "---\ntitle: Empty\n---\n"})
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(dir, "openspec")); err != nil {
		t.Skip(err)
	}
	if _, err := HandOff(t.Context(), from, HandoffAsk{ID: "x", To: "openspec"}); !fault.Is(err, fault.Unwritable) {
		t.Errorf("through a link: %v", err)
	}
	if left, _ := os.ReadDir(outside); len(left) > 0 {
		t.Errorf("written outside: %v", left)
	}
	if _, err := HandOff(t.Context(), from, HandoffAsk{ID: "empty", To: "adr"}); !fault.Is(err, fault.Invalid) {
		t.Errorf("nothing to hand off: %v", err)
	}
}
