package check

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"sdd/internal/check/checktest"
	"sdd/internal/markdown"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// nested makes a store in a folder of a git repository, with a finding in a file whose name needs escapes.
func nested(t *testing.T) Report {
	t.Helper()
	top := t.TempDir()
	if out, err := exec.Command("git", "init", "-q", top).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v %s", err, out)
	}
	dir := filepath.Join(top, "apps", "a shop")
	name := filepath.Join(dir, ".sdd", "explore", "50%, é: x#1.md")
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	text := doc("title: A\nscope: \"x\\n::error::y%\"\n", "ü [gone](gone.md) "+token+"\n[up](../../../../README.md)\n")
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(top, "README.md"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := checkDir(t, dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestCheckSARIF(t *testing.T) {
	schema := checktest.SARIF(t)
	for name, r := range map[string]Report{"findings": nested(t), "none": {Findings: []Finding{}}} {
		log := r.SARIF()
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(log))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(v); err != nil {
			t.Errorf("%s: %v\n%s", name, err, log)
		}
	}
	r := nested(t)
	var log struct {
		Runs []struct {
			Tool struct {
				Driver struct{ Rules []struct{ ID string } }
			}
			Results []struct {
				RuleID              string
				RuleIndex           int
				PartialFingerprints map[string]string
				Locations           []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI, URIBaseID string }
						Region           struct{ StartLine, StartColumn int }
					}
				}
			}
		}
	}
	if err := json.Unmarshal(r.SARIF(), &log); err != nil {
		t.Fatal(err)
	}
	if got := log.Runs[0].Results; len(got) != len(r.Findings) {
		t.Fatalf("%d results of %d findings", len(got), len(r.Findings))
	}
	for i, res := range log.Runs[0].Results {
		f, at := r.Findings[i], res.Locations[0].PhysicalLocation
		if want := "apps/a%20shop/.sdd/explore/50%25%2C%20%C3%A9%3A%20x%231.md"; at.ArtifactLocation.URI != want {
			t.Errorf("uri %q, want %q", at.ArtifactLocation.URI, want)
		}
		if at.ArtifactLocation.URIBaseID != "%SRCROOT%" {
			t.Errorf("base %q", at.ArtifactLocation.URIBaseID)
		}
		if res.RuleID != f.Rule || log.Runs[0].Tool.Driver.Rules[res.RuleIndex].ID != f.Rule || at.Region.StartLine != f.Line || at.Region.StartColumn != f.Column {
			t.Errorf("result %+v of %+v", res, f)
		}
		if res.PartialFingerprints["sdd/v1"] != f.Fingerprint {
			t.Errorf("fingerprints %v", res.PartialFingerprints)
		}
	}
	if strings.Contains(string(r.SARIF()), token) {
		t.Error("the log shows a secret")
	}
}

func TestCheckAnnotations(t *testing.T) {
	r := nested(t)
	got := r.Annotations()
	lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	if len(lines) != len(r.Findings) {
		t.Fatalf("%d commands for %d findings:\n%s", len(lines), len(r.Findings), got)
	}
	file := "file=apps/a shop/.sdd/explore/50%25%2C é%3A x#1.md"
	for _, want := range []string{
		"::error " + file + ",line=3,col=1,title=bad-value::",
		"::error " + file + ",line=6,col=19,title=secret::",
		"::warning " + file + ",line=6,col=10,title=dead-link::gone.md: there is no such file%0A",
	} {
		if !slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, want) }) {
			t.Errorf("no command begins with %q:\n%s", want, got)
		}
	}
	if strings.Contains(got, token) || strings.Count(got, "::error::") > 1 {
		t.Errorf("commands:\n%s", got)
	}
}

func TestCheckText(t *testing.T) {
	r := Report{
		Checked: 2, Fixed: []Fixed{{".sdd/explore/a.md", 2, ruleValue, "set scope to project"}},
		Findings: []Finding{{".sdd/explore/a.md", 3, 4, ruleLink, Warning, "x.md: there is\nno such file", "correct it", "0123456789ab"}},
	}
	want := ".sdd/explore/a.md:2: fixed: set scope to project [bad-value]\n.sdd/explore/a.md:3:4: warning: x.md: there is no such file [dead-link]\n    correct it\n"
	if got := r.Text(); got != want {
		t.Errorf("got %q", got)
	}
	if got := r.Summary(); got != "0 errors and 1 warning in 2 files" {
		t.Errorf("got %q", got)
	}
}

func TestCheckRulesAreDescribed(t *testing.T) {
	text := RulesText()
	for i, r := range rules {
		if r.Summary == "" || r.Help == "" || !strings.Contains(text, r.ID) || slices.IndexFunc(rules, func(o Rule) bool { return o.ID == r.ID }) != i {
			t.Errorf("rule %+v", r)
		}
	}
	for code, to := range ruleOf {
		if severityOf(to.rule) == "" {
			t.Errorf("%s has no rule", code)
		}
	}
}

// FuzzLinks demands of any text: no crash, destinations that stand where they are said to be, in
// order, on the right line.
func FuzzLinks(f *testing.F) {
	for _, s := range []string{
		"[a](b) ![c](<d e> 'f')\n\n[g]: h\n", "`[a](b)` ``[`c`](d)``\n", "```\n[a](b)\n```\n", "- x\n\n      [a](b)\n", "<!-- [a](b)\n\n-->[c](d)", "sdd://explore/a.\n\\[a](b) [x](\\(y)", "> [a](b\n> c)", "[[a](b)](c)",
		strings.Repeat("[", 50) + strings.Repeat("](", 50), strings.Repeat("`", 30) + "[a](b)" + strings.Repeat("`` ", 30), "1. a\n2) [b](c)\n\t[d](e)\n\n\t\t[f](g)",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		end := 0
		for _, l := range markdown.Links(src, 0) {
			if l.Start < end || l.End <= l.Start || string(src[l.Start:l.End]) != l.Raw {
				t.Fatalf("link %+v after %d", l, end)
			}
			end = l.Start
			if want := 1 + bytes.Count(src[:l.Start], []byte("\n")); l.Line != want || l.Column < 1 {
				t.Fatalf("link %+v is on line %d", l, want)
			}
			l.Plain()
		}
	})
}

// BenchmarkLinks looks for links in texts that make it hard.
func BenchmarkLinks(b *testing.B) {
	for name, s := range map[string]string{
		"brackets": "[", "opened": "[a](", "ticks": "` `` ", "comments": "<!-- ", "links": "[a](b) ", "addresses": "sdd://a ", "quotes": "> ", "items": "- ", "parens": "[a]((((", "definitions": "[a]: b\n", "lists": "- a\n  - b\n",
	} {
		src := append([]byte("[a](b)\n\n"), bytes.Repeat([]byte(s), (1<<20)/len(s))...)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				markdown.Links(src, 0)
			}
		})
	}
}
