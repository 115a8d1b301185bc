package agents

import (
	"bufio"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"sdd/internal/record"
)

// everyState is a store that has records of every kind in every state, each with the word zebra.
func everyState(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{
		"explore/a.md":          "---\ntitle: Zebra a\n---\n\n## Goals\n\n- x\n",
		"personal/explore/b.md": "---\ntitle: Zebra b\n---\n\n## Goals\n\n- x\n",
	}
	add := func(folder, id, keys string) {
		files[folder+"/"+id+".md"] = "---\nid: " + id + "\n" + keys + "---\n\nThe zebra " + id + ".\n"
	}
	add("facts", "fact-000000000001", "level: 0\nstatus: active\n")
	add("facts", "fact-000000000002", "level: 0\nstatus: stale\n")
	add("facts", "fact-000000000003", "level: 3\nstatus: active\ncreated: 2020-01-01\n")
	add("facts", "fact-000000000004", "level: 0\nvalid_until: 2020-01-01\n")
	add("facts", "fact-000000000005", "level: 0\nstatus: superseded\nsuperseded_by: fact-000000000001\n")
	add("facts", "fact-000000000006", "level: 0\nstatus: Archived\n")
	add("ideas", "idea-000000000001", "color: yellow\nstatus: active\nscope: local\n")
	add("ideas", "idea-000000000002", "color: yellow\nstatus: active\nscope: local\nsuperseded_by: idea-000000000001\n")
	add("ideas", "idea-000000000003", "color: yellow\nstatus: active\nscope: local\nparent: idea-000000000007\ncreated: 2020-01-01\n")
	add("ideas", "idea-000000000004", "color: yellow\nstatus: outdated\nscope: global\n")
	add("ideas", "idea-000000000005", "color: yellow\nstatus: archived\nscope: global\n")
	add("ideas", "idea-000000000006", "color: yellow\nstatus: deleted\nscope: global\n")
	add("ideas", "idea-000000000007", "color: green\nstatus: done\n")
	add("ideas", "idea-000000000008", "color: red\nstatus: blocked\n")
	decide := func(slug, keys string) {
		files["decisions/"+slug+".md"] = "---\ntitle: Zebra " + slug + "\n" + keys + "---\n\n## Decision Outcome\n\nThe zebra.\n"
	}
	decide("zebra-one", "status: accepted\nsupersedes: decision/zebra-two\n")
	decide("zebra-two", "status: accepted\n")
	decide("zebra-three", "status: superseded\n")
	decide("zebra-four", "status: rejected\n")
	decide("zebra-five", "status: proposed\n")
	add("inbox", "fact-00000000000a", "kind: fact\nconfidence: 0.5\nstatus: pending\n")
	add("inbox", "fact-00000000000b", "kind: fact\nconfidence: 0.5\nstatus: approved\n")
	add("inbox", "fact-00000000000c", "kind: fact\nconfidence: 0.5\nstatus: rejected\n")
	add("inbox", "fact-000000000001", "kind: fact\nconfidence: 0.5\nstatus: approved\n") // it is a record already
	for name, text := range files {
		write(t, filepath.Join(dir, ".sdd", name), text)
	}
	write(t, filepath.Join(dir, "docs/adr/0001-use-go.md"), "# Use Go\n\n## Status\n\nAccepted\n\n## Context\n\nZebra.\n\n## Decision\n\nWe use Go.\n")
	return dir
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// numbers is what a face says of the numbers.
type numbers struct {
	Records   map[string]int            `json:"records"`
	Living    map[string]int            `json:"living"`
	Elsewhere map[string]int            `json:"elsewhere"`
	Statuses  map[string]map[string]int `json:"statuses"`
}

// TestEveryFaceCountsTheSame asks each face how many records there are, and of which status, over one store with all states.
func TestEveryFaceCountsTheSame(t *testing.T) {
	bin, dir := build(t), everyState(t)
	want := numbers{
		Records:   map[string]int{"explore": 2, "idea": 8, "fact": 6, "decision": 6, "candidate": 3},
		Living:    map[string]int{"explore": 2, "idea": 3, "fact": 4, "decision": 3, "candidate": 2},
		Elsewhere: map[string]int{"decision": 1},
		Statuses: map[string]map[string]int{
			"explore": {"": 2},
			"fact":    {"active": 1, "stale": 3, "superseded": 1, "archived": 1},
			"yellow":  {"active": 1, "outdated": 2, "archived": 2, "deleted": 1}, "green": {"done": 1}, "red": {"blocked": 1},
			"decision":  {"accepted": 2, "superseded": 2, "rejected": 1, "proposed": 1},
			"candidate": {"pending": 1, "approved": 1, "rejected": 1},
		},
	}
	run := func(args ...string) []byte {
		t.Helper()
		cmd := exec.Command(bin, append(args, "--dir", dir)...)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("sdd %v: %v", args, err)
		}
		return out
	}
	decode := func(src []byte, v any) {
		t.Helper()
		if err := json.Unmarshal(src, v); err != nil {
			t.Fatalf("%v in %s", err, src)
		}
	}
	same := func(what string, want, got any) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}

	var status, alone numbers
	decode(run("status", "--json"), &status)
	same("sdd status", want, status)
	decode(run("--json"), &alone)
	same("sdd alone", want.Records, alone.Records)
	figures := "2 explorations, 8 ideas, 6 facts, 6 decisions, 3 candidates"
	if text := string(run("--plain")); !strings.Contains(text, figures+"\n") {
		t.Errorf("sdd alone lacks %q:\n%s", figures, text)
	}
	for _, line := range []string{"6 decision, 1 of them in the project's own folders\n", "facts: 1 active, 1 archived, 3 stale, 1 superseded;",
		"decisions: 2 accepted, 1 proposed, 1 rejected, 2 superseded;", "2 yellow archived, 1 yellow deleted, 2 yellow outdated"} {
		if text := string(run("status")); !strings.Contains(text, line) {
			t.Errorf("the status lacks %q:\n%s", line, text)
		}
	}
	var m struct {
		Total    int            `json:"total"`
		ByStatus map[string]int `json:"by_status"`
	}
	decode(run("status", "--learnings", "--json"), &m)
	same("sdd status --learnings", want.Statuses["yellow"], m.ByStatus)

	s := connect(t, bin, dir, nil)
	read, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "sdd://status"})
	if err != nil {
		t.Fatal(err)
	}
	var served numbers
	decode([]byte(read.Contents[0].Text), &served)
	same("sdd://status", want, served)

	type found struct {
		Total   int
		Results []struct{ ID, Type, Status, File string }
	}
	for kind, n := range want.Records {
		if kind != "decision" { // of what is elsewhere a search finds the decision in docs/adr
			n -= want.Elsewhere[kind]
		}
		for _, query := range []string{"", "zebra"} {
			f, _ := call[found](t, s, "sdd_search", map[string]any{"query": query, "type": kind, "limit": 100, "max_tokens": 100_000})
			if f.Total != n || len(f.Results) != f.Total {
				t.Errorf("search %q for %s: %d of %d, want %d", query, kind, len(f.Results), f.Total, n)
			}
			states, gone := map[string]int{}, ""
			for _, h := range f.Results {
				states[h.Status]++
				if record.Gone(h.Status) {
					gone = h.ID
				} else if gone != "" {
					t.Errorf("search %q for %s: %s (%s) below %s", query, kind, h.ID, h.Status, gone)
				}
			}
			expect := maps.Clone(want.Statuses[kind])
			if kind == "idea" {
				expect = map[string]int{"active": 1, "outdated": 2, "archived": 2, "deleted": 1, "done": 1, "blocked": 1}
			}
			same("search for "+kind, expect, states)
			for status, n := range expect {
				if status == "" {
					continue
				}
				f, _ := call[found](t, s, "sdd_search", map[string]any{"query": query, "type": kind, "status": status})
				if f.Total != n {
					t.Errorf("search %q for %s with status %s: %d, want %d", query, kind, status, f.Total, n)
				}
			}
		}
	}
	for id, status := range map[string]string{
		"fact-000000000003": "stale", "fact-000000000004": "stale", "fact-000000000006": "archived", "idea-000000000002": "outdated",
		"idea-000000000003": "archived", "decision/zebra-zebra-two": "superseded", ".sdd/inbox/fact-00000000000a.md": "pending",
	} {
		got, r := call[struct{ Status string }](t, s, "sdd_get", map[string]any{"id": id})
		if got.Status != status || !strings.Contains(text(r), "status: "+status+"\n") {
			t.Errorf("get %s: %q, want %q\n%s", id, got.Status, status, text(r))
		}
	}
	var lists struct{ Total int }
	for _, args := range [][]string{{"fact", "list", "--state", "any", "6"}, {"idea", "list", "--status", "any", "8"}, {"decide", "list", "6"}} {
		n := len(args) - 1
		decode(run(append(args[:n:n], "--json")...), &lists)
		same(strings.Join(args[:n], " "), args[n], fmt.Sprint(lists.Total))
	}

	page := openPage(t, bin, dir)
	for path, parts := range map[string][]string{
		"/":       {"Explorations 2 ", "Facts 6 1 is active", "Decisions 6 ", "Learnings 6 1 is active", " 2 candidates "},
		"/health": {"Explorations 2 ", "Ideas 8 2 learnings are outdated", "Facts 6 3 are stale", "Decisions 6 ", "Candidates 3 "},
		"/facts":  {"all levels 4 ", " 4 facts of 6 "}, "/facts?state=any": {"all levels 6 ", " 6 facts match "},
		"/decisions": {" all 6 ", " 6 decisions "}, "/explorations": {" 2 explorations "},
		"/learnings": {"all but deleted 5 ", " active 1 ", " outdated 2 ", " archived 2 ", " deleted 1 ", " 5 learnings of 6 "},
		"/inbox":     {"all that waits 10 ", "contradicting 3 ", "stale 3 ", "outdated 2 ", "candidates 2 ", "rejected 1 "},
	} {
		text := page(path)
		for _, part := range parts {
			if !strings.Contains(text, part) {
				t.Errorf("the page %s lacks %q:\n%s", path, part, text)
			}
		}
	}
}

// openPage starts sdd ui and returns what reads the words of a page.
func openPage(t *testing.T, bin, dir string) func(path string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), bin, "ui", "--no-open", "--dir", dir)
	cmd.Stderr = os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() }) // before its folder is removed; the context of the test ends it
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("no address: %v", err)
	}
	jar, _ := cookiejar.New(nil)
	client := &http.Client{Jar: jar}
	base, _, _ := strings.Cut(address, "/?")
	get := func(url string) string {
		t.Helper()
		r, err := client.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		src, err := io.ReadAll(r.Body)
		if err != nil || r.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s, %v\n%s", url, r.Status, err, src)
		}
		tags := regexp.MustCompile(`<[^>]*>`)
		return strings.Join(strings.Fields(html.UnescapeString(tags.ReplaceAllString(string(src), " "))), " ") + " "
	}
	get(strings.TrimSpace(address))
	return func(path string) string { t.Helper(); return get(base + path) }
}
