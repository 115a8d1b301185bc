package history

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write golden files anew")

var commitID = regexp.MustCompile(`\b[0-9a-f]{40,64}\b`)

// TestJSON keeps the fields of every report: programs read them.
func TestJSON(t *testing.T) {
	r := newTestRepo(t)
	r.Write(".sdd/config.yaml", "project: demo\n")
	r.Write(".sdd/explore/a.md", exploration("A", sixSections))
	r.Write(".sdd/explore/gone.md", exploration("Gone", "See `src/x.go`.\n"))
	r.Write("src/x.go", "package x\n")
	r.Commit("Ann", "base")
	r.Git("checkout", "-q", "-b", "other")
	r.Write(".sdd/explore/a.md", exploration("A", strings.Replace(sixSections, "on the server", "in the browser", 1)))
	r.Commit("Cyd", "other")
	r.Git("checkout", "-q", "-b", "feature", "main")
	r.Git("mv", ".sdd/explore/a.md", ".sdd/explore/b.md")
	r.Write(".sdd/explore/b.md", exploration("A", strings.NewReplacer("on the server", "on the server for thirty days",
		"- Log in with a passkey that syncs", "- Log in with a passkey that syncs\n- Look at `src/x.go`").Replace(sixSections)))
	r.Remove(".sdd/explore/gone.md")
	r.Remove("src/x.go")
	r.Commit("Bob", "feature")
	r.Write(".sdd/explore/b.md", r.Read(".sdd/explore/b.md")+"\nBy hand.\n")
	ctx, st, s := t.Context(), r.store(), r.subject("explore/b.md")
	reports := map[string]any{}
	var err error
	keep := func(name string, report any, e error) {
		if reports[name] = report; e != nil {
			err = e
		}
	}
	d, e := Diff(ctx, st, Range{From: "main", To: "feature"}, nil)
	keep("diff", d, e)
	l, e := LogOf(ctx, st, s, "", 0)
	keep("log", l, e)
	w, e := WhyOf(ctx, st, s, "")
	keep("why", w, e)
	p, e := PullRequestOf(ctx, st, "main")
	keep("review-pr", p, e)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(reports); err != nil {
		t.Fatal(err)
	}
	got := commitID.ReplaceAllString(b.String(), "COMMIT")
	const golden = "testdata/reports.json"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("other fields or values (-update writes them):\n%s", diff)
	}
}
