package decision

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sdd/internal/fault"
	"sdd/internal/markdown"
	"sdd/internal/record"
)

func TestRecord(t *testing.T) {
	f := newFixture(t)
	got := f.record(Input{
		Decision: "Use JWT for sessions", Causes: record.Causes{Reasons: []string{"services stay stateless", "every language has a library"}, Consequences: []string{"a token cannot be taken back"}, Constraints: []string{"no session store"}, Assumptions: []string{"clocks agree"}, Alternatives: []string{"cookies and a table", "Use JWT for sessions"}},
	})
	if got.ID != "decision/use-jwt-for-sessions" || got.Action != Created || got.File != ".sdd/decisions/use-jwt-for-sessions.md" || got.Confidence != 1 || got.Status != accepted {
		t.Errorf("%+v", got)
	}
	want := `---
title: Use JWT for sessions
status: accepted
date: 2026-11-21
created: 2026-11-21
---

# Use JWT for sessions

## Context and Problem Statement

Constraints:

- no session store

Assumptions:

- clocks agree

## Considered Options

- Use JWT for sessions
- cookies and a table

## Decision Outcome

Chosen option: "Use JWT for sessions", because

- services stay stateless
- every language has a library

### Consequences

- a token cannot be taken back
`
	if text := f.file(got.File); text != want {
		t.Errorf("the file is\n%s", text)
	}
	if found := record.Validate("decisions/use-jwt-for-sessions.md", []byte(want), record.Defaults{}); len(found) > 0 {
		t.Errorf("it is not valid: %+v", found)
	}
	d := f.get(got.ID)
	for _, c := range []struct {
		name      string
		got, want []string
	}{
		{"because", d.Because, []string{"services stay stateless", "every language has a library"}}, {"consequences", d.Consequences, []string{"a token cannot be taken back"}},
		{"constraints", d.Constraints, []string{"no session store"}}, {"assumptions", d.Assumptions, []string{"clocks agree"}}, {"alternatives", d.Alternatives, []string{"cookies and a table"}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: %q", c.name, c.got)
		}
	}
}

func TestSameDecisionAgain(t *testing.T) {
	f := newFixture(t)
	first := f.record(Input{Decision: "Use JWT for sessions", Causes: record.Causes{Reasons: []string{"stateless"}}})
	before := f.file(first.File)
	info, _ := os.Stat(filepath.Join(f.dir, first.File))
	for _, told := range []string{"Use JWT for sessions", "use  jwt for sessions.", "We decided to use JWT for our sessions", "We chose JWT for the sessions"} {
		again := f.record(Input{Decision: told, Causes: record.Causes{Reasons: []string{"Stateless."}}})
		if again.ID != first.ID || again.Action != Merged {
			t.Errorf("%q: %+v", told, again)
		}
	}
	if now, _ := os.Stat(filepath.Join(f.dir, first.File)); f.file(first.File) != before || now.ModTime() != info.ModTime() {
		t.Errorf("nothing was new, and the file was touched:\n%s", f.file(first.File))
	}
	again := f.record(Input{Decision: "We will use JWT for sessions", Causes: record.Causes{Reasons: []string{"stateless", "simple to test"}, Consequences: []string{"short life"}, Alternatives: []string{"cookies"}, Constraints: []string{"two services"}}})
	if again.ID != first.ID || f.files() != "use-jwt-for-sessions.md" {
		t.Errorf("%+v, files %s", again, f.files())
	}
	d := f.get(first.ID)
	if !slices.Equal(d.Because, []string{"stateless", "simple to test"}) || !slices.Equal(d.Consequences, []string{"short life"}) ||
		!slices.Equal(d.Alternatives, []string{"cookies"}) || !slices.Equal(d.Constraints, []string{"two services"}) {
		t.Errorf("%+v", d)
	}
	for _, other := range []string{"Do not use JWT for sessions", "Use JWT without sessions", "Use sessions for JWT", "Use JWT v2 for sessions"} {
		if o := f.record(Input{Decision: other}); o.ID == first.ID {
			t.Errorf("%q was taken for %s", other, first.ID)
		}
	}
}

// TestWhatPeopleWroteStays adds causes to files of people and demands that every line of theirs is still there, in order.
func TestWhatPeopleWroteStays(t *testing.T) {
	for name, text := range map[string]string{
		"madr 4": "---\nstatus: accepted # yes\ndate: '2025-01-02'\ndecision-makers: [ada, bob]\n---\n\n# Use Postgres\n\n## Context and Problem Statement\n\nWe need one store.\n\n<!-- note -->\n\n## Decision Drivers\n\n* price\n\n## Considered Options\n\n* Use Postgres\n* MySQL\n\n## Decision Outcome\n\nChosen option: \"Use Postgres\", because it has JSON columns.\n\n### Consequences\n\n* Good, because one server\n* Bad, because\n  wrapped\n\n### Confirmation\n\nA test.\n\n## More Information\n\nSee the wiki.\n",
		"madr 2": "# Use Postgres\n\n* Status: accepted\n* Date: 2020-03-04\n\n## Context and Problem Statement\n\nOne store.\n\n## Considered Options\n\n1. Use Postgres\n2. MySQL\n\n## Decision Outcome\n\nChosen option: \"Use Postgres\", because it has JSON columns.\n\n### Positive Consequences\n\n* one server\n\n### Negative Consequences\n\n* one more to run\n",
		"nygard": "# 3. Use Postgres\n\n## Status\n\nAccepted\n\n## Context\n\nOne store.\n\n## Decision\n\nWe will use Postgres because it has JSON columns.\n\n## Consequences\n\nOne server.\n",
		"bare":   "---\ntitle: Use Postgres\n---\n\nJust words.\n",
		"crlf":   "---\r\ntitle: Use Postgres\r\n---\r\n\r\n## Decision Outcome\r\n\r\nChosen option: \"Use Postgres\", because\r\n\r\n+ it has JSON columns\r\n\r\n### Consequences\r\n\r\n+ one server",
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.write(".sdd/decisions/pg.md", text)
			title := "Use Postgres"
			if name == "nygard" {
				title = "3. Use Postgres"
			}
			got := f.record(Input{Decision: title, Causes: record.Causes{Reasons: []string{"it has JSON columns", "we know it"}, Consequences: []string{"one backup"}, Constraints: []string{"one team"}, Alternatives: []string{"MySQL", "SQLite"}}})
			now := f.file(".sdd/decisions/pg.md")
			if got.Action != Merged || f.files() != "pg.md" {
				t.Fatalf("%+v %s", got, f.files())
			}
			at := 0
			for line := range strings.Lines(text) {
				n := strings.Index(now[at:], strings.TrimRight(line, "\r\n"))
				if n < 0 {
					t.Fatalf("the line %q is gone or moved:\n%s", line, now)
				}
				at += n
			}
			if strings.Contains(text, "\r\n") && strings.Count(now, "\n") != strings.Count(now, "\r\n") {
				t.Errorf("line ends are mixed: %q", now)
			}
			d := f.get(got.ID)
			count := func(list []string, want string) (n int) {
				for _, s := range list {
					if itemKey(s) == itemKey(want) {
						n++
					}
				}
				return n
			}
			if count(d.Because, "we know it") != 1 || name != "bare" && count(d.Because, "it has JSON columns") != 1 || count(d.Consequences, "one backup") != 1 ||
				count(d.Constraints, "one team") != 1 || count(d.Alternatives, "SQLite") != 1 || count(d.Alternatives, "MySQL") != 1 {
				t.Errorf("reads back as %+v\n%s", d, now)
			}
			again := f.record(Input{Decision: title, Causes: record.Causes{Reasons: []string{"we know it"}, Consequences: []string{"one backup"}, Alternatives: []string{"SQLite"}}})
			if f.file(".sdd/decisions/pg.md") != now {
				t.Errorf("said twice, written twice: %+v\n%s", again, f.file(".sdd/decisions/pg.md"))
			}
		})
	}
}

// TestQuotesInOutcome: quotes in the reason do not extend the option, nor do quotes in the option end it.
func TestQuotesInOutcome(t *testing.T) {
	for text, want := range map[string][2]string{
		`Chosen option: "Use an asterisk", because an asterisk does not mean "good" or "bad".`: {"Use an asterisk", `an asterisk does not mean "good" or "bad"`},
		`Chosen option: "Use an asterisk". The others mean "good" or "bad".`:                   {"Use an asterisk", ""},
		`Chosen option: “Use an asterisk”, because “good” is “bad”.`:                           {"Use an asterisk", "“good” is “bad”"},
		`Chosen option: 'Don't use tabs', because 'tabs' differ.`:                              {"Don't use tabs", "'tabs' differ"},
		`Chosen option: "Call it "sku", not "article"", because "sku" is short.`:               {`Call it "sku", not "article"`, `"sku" is short`},
		`Chosen option: "Say "no" because "yes" costs"`:                                        {`Say "no" because "yes" costs`, ""},
		`Chosen option: "Use 3" disks"`:                                                        {`Use 3" disks`, ""},
	} {
		option, rest, _ := record.ChosenOption(text)
		if got := [2]string{option, record.InSentence(rest)}; got != want {
			t.Errorf("%s: %q", text, got)
		}
	}
}

func TestSupersede(t *testing.T) {
	f := newFixture(t)
	old := f.record(Input{Decision: "Use cookies"})
	f.record(Input{Decision: "Use Redis for sessions", DependsOn: []string{"use-cookies"}})
	now := f.record(Input{Decision: "Use JWT", Supersedes: "Use cookies", RelatesTo: []string{"decision/use-redis-for-sessions"}})
	if !slices.Equal(now.Superseded, []string{old.ID}) || !strings.Contains(f.file(old.File), "\nstatus: superseded\n") {
		t.Errorf("%+v\n%s", now, f.file(old.File))
	}
	if text := f.file(now.File); !strings.Contains(text, "supersedes:") || !strings.Contains(text, "decision/use-cookies") {
		t.Error(text)
	}
	if d := f.get(old.ID); d.SupersededBy != now.ID || d.Effective() != superseded {
		t.Errorf("%+v", d)
	}
	fails := func(in Input, code fault.Code, want string) {
		t.Helper()
		before := f.files()
		_, err := f.Record(context.Background(), in)
		if !fault.Is(err, code) || !strings.Contains(err.Error()+fault.Of(err).Hint, want) {
			t.Errorf("%+v: %v (%s)", in, err, fault.Of(err).Hint)
		}
		if f.files() != before {
			t.Errorf("something was written: %s", f.files())
		}
	}
	fails(Input{Decision: "Use cookies", Supersedes: "use-jwt"}, fault.Invalid, "circle")
	fails(Input{Decision: "Use JWT", Supersedes: "use-jwt"}, fault.Invalid, "itself")
	fails(Input{Decision: "Use PASETO", Supersedes: "use-jwtt"}, fault.NotFound, "decision/use-jwt")
	fails(Input{Decision: "Use PASETO", DependsOn: []string{"nothing like it"}}, fault.NotFound, "nothing like it")
	fails(Input{Decision: "Use PASETO", Status: "maybe"}, fault.Invalid, "proposed, accepted")
	fails(Input{Decision: "Use cookies", DependsOn: []string{"use-redis-for-sessions"}}, fault.Invalid, "circle")
	fails(Input{Decision: " "}, fault.Invalid, "decision")
	fails(Input{Decision: strings.Repeat("long ", 80)}, fault.Invalid, "characters")
	fails(Input{Decision: "A", Text: "We decided to use B."}, fault.Invalid, "both")
	fails(Input{Text: "We decided to use B.", Status: "accepted"}, fault.Invalid, "status")
	fails(Input{Decision: "Use the key AKIA" + "IOSFODNN7EXAMPLQ"}, fault.Invalid, "")
}

// TestHalfDone stops a call between its two writes: readers see what holds, and the same call again sets it.
func TestHalfDone(t *testing.T) {
	f := newFixture(t)
	old := f.record(Input{Decision: "Use cookies"})
	stopped := errors.New("stopped")
	f.recorded = func() error { return stopped }
	if _, err := f.Record(context.Background(), Input{Decision: "Use JWT", Supersedes: old.ID}); !errors.Is(err, stopped) {
		t.Fatal(err)
	}
	f.recorded = nil
	g := open(t, f.dir)
	if d := g.get(old.ID); d.Status != accepted || d.Effective() != superseded || d.SupersededBy != "decision/use-jwt" {
		t.Errorf("%+v", d)
	}
	if r := g.record(Input{Decision: "Use JWT"}); !slices.Equal(r.Superseded, []string{old.ID}) {
		t.Errorf("%+v", r)
	}
	if d := g.get(old.ID); d.Status != superseded {
		t.Errorf("%+v", d)
	}
}

func TestStatus(t *testing.T) {
	f := newFixture(t)
	r := f.record(Input{Decision: "Use gRPC", Status: "proposed"})
	old := f.record(Input{Decision: "Use REST"})
	if p := f.record(Input{Decision: "Use GraphQL", Status: "proposed", Supersedes: old.ID}); len(p.Superseded) > 0 || f.get(old.ID).Effective() != accepted {
		t.Errorf("a proposal took effect: %+v", p)
	}
	if f.get(r.ID).Status != proposed {
		t.Error("not proposed")
	}
	if again := f.record(Input{Decision: "Use gRPC"}); again.Status != accepted {
		t.Errorf("a proposal that is decided is accepted: %+v", again)
	}
	f.record(Input{Decision: "Use gRPC", Status: "Rejected"})
	out, err := f.Record(context.Background(), Input{Decision: "Use gRPC", Causes: record.Causes{Reasons: []string{"fast"}}})
	if err != nil || out.Results[0].Status != "rejected" || len(out.Warnings) != 1 || out.Warnings[0].Code != notInForce {
		t.Errorf("%v %+v", err, out)
	}
}

func TestBrokenFilesAreLeftAlone(t *testing.T) {
	f := newFixture(t)
	f.write(".sdd/decisions/use-jwt.md", "---\ntitle: Use JWT\nstatus: [\n---\n\nText.\n")
	if _, err := f.Record(context.Background(), Input{Decision: "Use JWT", Causes: record.Causes{Reasons: []string{"x"}}}); !fault.Is(err, fault.Broken) || fault.Of(err).File != ".sdd/decisions/use-jwt.md" {
		t.Errorf("%v", err)
	}
	if _, err := f.Record(context.Background(), Input{Decision: "Use PASETO", Supersedes: "use-jwt"}); !fault.Is(err, fault.Broken) {
		t.Errorf("%v", err)
	}
	if f.files() != "use-jwt.md" {
		t.Error(f.files())
	}
}

// TestBranches records the same decision on two branches and merges the files.
func TestBranches(t *testing.T) {
	side := func(in Input) []byte {
		f := newFixture(t)
		r := f.record(in)
		return []byte(f.file(r.File))
	}
	full := Input{Decision: "Use JWT", Causes: record.Causes{Reasons: []string{"stateless"}, Consequences: []string{"no revocation"}, Constraints: []string{"two services"}, Alternatives: []string{"cookies"}}}
	other := Input{Decision: "Use JWT", Causes: record.Causes{Reasons: []string{"simple", "stateless"}, Consequences: []string{"short life"}, Assumptions: []string{"clocks agree"}, Alternatives: []string{"Redis"}}}
	bare := Input{Decision: "Use JWT"}
	for _, p := range [][2]Input{{full, other}, {full, bare}, {bare, other}, {full, full}} {
		ours, theirs := side(p[0]), side(p[1])
		m := record.Merge(record.Decision, nil, ours, theirs, markdown.MergeLabels{})
		if len(m.Conflicts) > 0 {
			t.Errorf("conflicts: %+v\n%s", m.Conflicts, m.Out)
			continue
		}
		d := read("decisions/use-jwt.md", m.Out)
		for _, in := range p {
			for _, l := range []struct{ have, want []string }{
				{d.Because, in.Reasons}, {d.Consequences, in.Consequences}, {d.Constraints, in.Constraints}, {d.Assumptions, in.Assumptions}, {d.Alternatives, in.Alternatives},
			} {
				if len(news(l.have, l.want)) > 0 {
					t.Errorf("%q is not in %q\n%s", l.want, l.have, m.Out)
				}
			}
		}
		if record.Writable(m.Out) == nil && len(d.Because) > 2 || len(d.Constraints) > 1 || len(d.Assumptions) > 1 {
			t.Errorf("something is there twice or in the wrong place: %+v\n%s", d, m.Out)
		}
	}
}

func TestPersonal(t *testing.T) {
	f := newFixture(t)
	mine := f.record(Input{Decision: "Try Zig", Scope: "personal"})
	if mine.ID != "personal/decision/try-zig" || mine.File != ".sdd/personal/decisions/try-zig.md" {
		t.Errorf("%+v", mine)
	}
	if ours := f.record(Input{Decision: "Try Zig"}); ours.ID != "decision/try-zig" || ours.Action != Created {
		t.Errorf("%+v", ours)
	}
	if _, err := f.Record(context.Background(), Input{Decision: "Use Zig", RelatesTo: []string{mine.ID}}); !fault.Is(err, fault.Invalid) {
		t.Errorf("%v", err)
	}
}

func TestSuggestions(t *testing.T) {
	f := newFixture(t)
	f.record(Input{Decision: "Use MySQL for the order store", Causes: record.Causes{Reasons: []string{"we know it"}}})
	f.record(Input{Decision: "Run one Kubernetes cluster", Causes: record.Causes{Reasons: []string{"one team"}}})
	f.record(Input{Decision: "Write changelogs by hand"})
	out, err := f.Record(context.Background(), Input{Decision: "Use Postgres for the order store", Causes: record.Causes{Reasons: []string{"JSON columns"}}})
	if err != nil || len(out.Suggestions) != 1 || out.Suggestions[0].ID != "decision/use-mysql-for-the-order-store" || out.Suggestions[0].Relation != supersedesLink {
		t.Fatalf("%v %+v", err, out.Suggestions)
	}
	if text := f.file(out.Results[0].File); strings.Contains(text, "supersedes") {
		t.Errorf("a suggestion was taken:\n%s", text)
	}
	out, err = f.Record(context.Background(), Input{Decision: "Deploy with Helm", Causes: record.Causes{Reasons: []string{"there is one Kubernetes cluster to run"}}})
	if err != nil || len(out.Suggestions) != 1 || out.Suggestions[0].Relation != dependsOnLink {
		t.Errorf("%v %+v", err, out.Suggestions)
	}
	out, err = f.Record(context.Background(), Input{Decision: "Sign commits", DependsOn: []string{"write-changelogs-by-hand"}})
	if err != nil || len(out.Suggestions) != 0 {
		t.Errorf("nothing like it is there: %v %+v", err, out.Suggestions)
	}
}

// TestManyEntries would take longer than a package may, were each entry compared with all before it.
func TestManyEntries(t *testing.T) {
	var given []string
	for i := range 60_000 {
		given = append(given, fmt.Sprintf("reason number %d", i), "the same")
	}
	if got, _, err := prepared("reasons", given, 1000); err != nil || len(got) != 60_001 {
		t.Errorf("%d entries, %v", len(got), err)
	}
}

// TestRetitled: a decision in words that a user has changed by hand in its file names that record, in its place or after a move.
func TestRetitled(t *testing.T) {
	for _, to := range []string{"", "use-jwt-for-sessions.md", "no-session.md"} {
		f := newFixture(t)
		in := Input{Decision: "Use JWT for sessions", Causes: record.Causes{Constraints: []string{"one team"}}}
		f.record(in)
		text := strings.ReplaceAll(f.file(".sdd/decisions/use-jwt-for-sessions.md"), in.Decision, "Keep nothing on the server")
		if err := os.Remove(filepath.Join(f.dir, ".sdd", "decisions", "use-jwt-for-sessions.md")); err != nil {
			t.Fatal(err)
		}
		if to != "" {
			f.write(".sdd/decisions/"+to, text)
		}
		for n, action := range []string{Created, Merged} {
			out, err := f.Record(t.Context(), in)
			if err != nil || out.Results[0].Action != action {
				t.Fatalf("%+v, %v", out, err)
			}
			named := slices.ContainsFunc(out.Warnings, func(w Warning) bool {
				return w.Code == retitled && strings.Contains(w.Text, "decision/keep-nothing-on-the-server")
			})
			if named != (to != "" && n == 0) {
				t.Errorf("%s, moved to %q: %+v", action, to, out.Warnings)
			}
		}
	}
}
