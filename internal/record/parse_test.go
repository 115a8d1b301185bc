package record

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var own = Defaults{Project: "sdd"}

const whole = `---
title: "User: auth"  # the topic
project: sdd
scope: project
revision: 4
created: 2026-11-20
session_id: s-1
mine: [1, two]
---

Some words before.

## Goals

- log in
- log out

## Rollout

later

## context
   indented
`

func TestParse(t *testing.T) {
	got := Parse("explore/renamed.md", []byte(whole), own)
	want := Record{
		Kind: Exploration, ID: "explore/user-auth", TopicKey: "explore/user-auth", Title: "User: auth", Slug: "user-auth",
		Project: "sdd", Scope: "project", Session: "s-1", Revision: 4, Created: "2026-11-20",
		File: "explore/renamed.md", Etag: Etag([]byte(whole)),
		FrontMatter: map[string]any{
			"title": "User: auth", "project": "sdd", "scope": "project", "revision": int64(4), "created": "2026-11-20",
			"session_id": "s-1", "mine": []any{int64(1), "two"},
		},
		Preamble: "Some words before.", PreambleLine: 11,
		Sections: []Section{
			{"Goals", "goals", "- log in\n- log out", Etag([]byte("- log in\n- log out")), 13, 15},
			{"Rollout", "", "later", Etag([]byte("later")), 18, 20},
			{"context", "context", "   indented", Etag([]byte("   indented")), 22, 23},
		},
		Writable: true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Parse (-want +got):\n%s", diff)
	}
	for _, s := range got.Sections {
		lines := strings.Split(whole, "\n")
		if !strings.HasPrefix(lines[s.Line-1], "## ") || !strings.HasPrefix(s.Text, lines[s.TextLine-1]) {
			t.Errorf("section %s: line %d, text in line %d", s.Name, s.Line, s.TextLine)
		}
	}
}

// TestParseDefaults reads files that leave things unsaid.
func TestParseDefaults(t *testing.T) {
	for _, c := range []struct{ name, file, src, want string }{
		{"empty", "explore/a-b.md", "", "A id=explore/a-b title=a-b scope=project project=sdd rev=1"},
		{"heading", "explore/x.md", "# The topic #\n\n## Goals\nx\n", "A id=explore/the-topic title=The topic scope=project project=sdd rev=1"},
		{"setext heading", "explore/x.md", "The topic\n=========\n", "A id=explore/the-topic title=The topic scope=project project=sdd rev=1"},
		{"heading in a quote", "explore/x.md", "> # Not it\n", "A id=explore/x title=x scope=project project=sdd rev=1"},
		{"heading in BOM and CRLF", "explore/x.md", "\ufeff# Topic\r\n\r\n## Goals\r\nx\r\n", "A id=explore/topic title=Topic scope=project project=sdd rev=1"},
		{"title wins", "explore/x.md", "---\ntitle: B\n---\n# A\n", "A id=explore/b title=B scope=project project=sdd rev=1"},
		{"empty title", "explore/x.md", "---\ntitle: \"\"\n---\n# A\n", "A id=explore/a title=A scope=project project=sdd rev=1"},
		{"number as title", "explore/x.md", "---\ntitle: 1.10\n---\n", "A id=explore/1-10 title=1.10 scope=project project=sdd rev=1"},
		{"list as title", "explore/x.md", "---\ntitle: [a, b]\n---\n# A\n", "A id=explore/a title=A scope=project project=sdd rev=1"},
		{"folded title", "explore/x.md", "---\ntitle: >\n  one\n  two\n---\n", "A id=explore/one-two title=one two scope=project project=sdd rev=1"},
		{"other project", "explore/x.md", "---\ntitle: A\nproject: Else\n---\n", "A id=explore/a@else title=A scope=project project=Else rev=1"},
		{"personal by folder", "personal/explore/x.md", "# A\n", "A id=personal/explore/a title=A scope=personal project=sdd rev=1"},
		{"scope by key", "explore/x.md", "---\nscope: personal\n---\n# A\n", "A id=personal/explore/a title=A scope=personal project=sdd rev=1"},
		{"unknown scope", "personal/explore/x.md", "---\nscope: team\n---\n# A\n", "A id=personal/explore/a title=A scope=personal project=sdd rev=1"},
		{"revision", "explore/x.md", "---\nrevision: 7\n---\n# A\n", "A id=explore/a title=A scope=project project=sdd rev=7"},
		{"revision of words", "explore/x.md", "---\nrevision: many\n---\n# A\n", "A id=explore/a title=A scope=project project=sdd rev=1"},
		{"negative revision", "explore/x.md", "---\nrevision: -7\n---\n# A\n", "A id=explore/a title=A scope=project project=sdd rev=1"},
		{"revision that is too large", "explore/x.md", "---\nrevision: 2147483647\n---\n# A\n", "A id=explore/a title=A scope=project project=sdd rev=1"},
		{"thematic break", "explore/x.md", "---\n\ntext\n", "A id=explore/x title=x scope=project project=sdd rev=1"},
		{"empty front matter", "explore/x.md", "---\n---\n# A\n", "A id=explore/a title=A scope=project project=sdd rev=1"},
		{"learning", "ideas/idea-0123456789ab-x.md", "---\ncolor: yellow\n---\n- Use X.\n", "A id=idea-0123456789ab title=Use X. scope=local project=sdd rev=1"},
		{"idea of no id", "ideas/x.md", "Use X.\n", "A id=" + HexID("idea", "Use X.", nil) + " title=Use X. scope=local project=sdd rev=1"},
		{"fact", "facts/x.md", "---\nid: fact-0123456789ab\n---\n# F\n\nText\n", "A id=fact-0123456789ab title=F scope=project project=sdd rev=1"},
		{"decision", "decisions/x.md", "---\ntitle: Use Go\n---\n", "A id=decision/use-go title=Use Go scope=project project=sdd rev=1"},
		{"personal decision", "personal/decisions/use-go.md", "", "A id=personal/decision/use-go title=use-go scope=personal project=sdd rev=1"},
		{"candidate", "inbox/fact-0123456789ab-x.md", "---\nkind: fact\n---\nText\n", "A id=fact-0123456789ab title=Text scope=project project=sdd rev=1"},
		{"candidate of a decision", "inbox/use-go.md", "---\nkind: decision\ntitle: Use Go\n---\nText\n", "A id=decision/use-go title=Use Go scope=project project=sdd rev=1"},
	} {
		r := Parse(c.file, []byte(c.src), own)
		got := fmt.Sprintf("A id=%s title=%s scope=%s project=%s rev=%d", r.ID, r.Title, r.Scope, r.Project, r.Revision)
		if got != c.want || !r.Writable || len(r.Problems) > 0 {
			t.Errorf("%s:\n got %s\nwant %s, problems %v", c.name, got, c.want, r.Problems)
		}
	}
}

// TestParseProblems reads files that cannot be understood, or not wholly.
func TestParseProblems(t *testing.T) {
	for _, c := range []struct {
		name, src    string
		code         string
		line         int
		title, holds string // what must be found in the sections or the preamble
		writable     bool
	}{
		{"broken YAML", "---\ntitle: Good\nscope: [\n---\n# H\n\n## Goals\n\nfindme\n", BrokenYAML, 3, "Good", "findme", false},
		{"broken title", "---\ntitle: [oops\n---\n# H\n\n## Goals\n\nfindme\n", BrokenYAML, 2, "H", "findme", false},
		{"duplicate key", "---\ntitle: A\ntitle: B\n---\nfindme\n", BrokenYAML, 3, "A", "findme", false},
		{"not closed", "---\ntitle: A\n\n## Goals\n\nfindme\n", BrokenYAML, 1, "A", "findme", false},
		{"a list", "---\n- a\n---\nfindme\n", BrokenYAML, 2, "f", "findme", false},
		{"thematic breaks", "---\n\nfindme\n\n---\n\nmore\n", BrokenYAML, 3, "f", "findme", false},
		{"broken YAML is text", "---\ntitle: [findme\n---\n", BrokenYAML, 2, "f", "findme", false},
		{"conflict in front matter", "---\ntitle: A\n<<<<<<< a\nrevision: 2\n=======\nrevision: 3\n>>>>>>> b\n---\nfindme\n", Conflicted, 3, "A", "findme", false},
		{"conflict in a section", "## Goals\n\n<<<<<<< a\nours\n=======\nfindme\n>>>>>>> b\n", Conflicted, 3, "f", "findme", false},
		{"not UTF-8", "## Goals\n\nfindme caf\xe9\n", InvalidUTF8, 3, "f", "findme caf\uFFFD", false},
		{"NUL", "# A\n\n## Goals\n\nfindme\x00.\n", InvalidUTF8, 5, "A", "findme\uFFFD.", false},
		{"UTF-16", "\xff\xfe#\x00 \x00A\x00\n\x00", InvalidUTF8, 1, "", "", false},
		{"too large", "findme\n" + strings.Repeat("x", 3000), TooLarge, 0, "f", "findme", false},
		{"too large to be read", strings.Repeat("x", 5<<20), TooLarge, 0, "f", "", false},
		{"too deep", "# A\n\n" + strings.Repeat("> ", 10000) + "findme\n", TooDeep, 3, "f", "findme", false},
		{"duplicate section", "## Goals\n\na\n\n## goals\n\nfindme\n", DuplicateSection, 5, "f", "findme", true},
	} {
		r := Parse("explore/f.md", []byte(c.src), Defaults{Project: "sdd", Limits: Limits{File: 2000}})
		if c.code == TooLarge && slices.ContainsFunc(r.Problems, func(p Problem) bool { return p.Code == TooDeep }) {
			t.Errorf("%s: %v", c.name, r.Problems)
		}
		if c.code == TooDeep {
			r = Parse("explore/f.md", []byte(c.src), own)
		}
		if len(r.Problems) == 0 || r.Problems[0].Code != c.code || r.Problems[0].Line != c.line || r.Writable != c.writable {
			t.Errorf("%s: problems %v, writable %v", c.name, r.Problems, r.Writable)
		}
		if strings.HasPrefix(r.Problems[0].Text, "line ") { // its readers print the line
			t.Errorf("%s: %s", c.name, r.Problems[0].Text)
		}
		if c.title != "" && r.Title != c.title {
			t.Errorf("%s: title %q, want %q", c.name, r.Title, c.title)
		}
		text := r.Preamble
		for _, s := range r.Sections {
			text += "\n" + s.Text
		}
		if !strings.Contains(text, c.holds) {
			t.Errorf("%s: %q is not in %.200q", c.name, c.holds, text)
		}
		if err := Writable([]byte(c.src)); c.code != TooLarge && (err == nil) != c.writable {
			t.Errorf("%s: Writable says %v", c.name, err)
		}
	}
}

// TestParseStatus reads the status of front matter that is broken, in conflict or of no known status.
func TestParseStatus(t *testing.T) {
	for _, c := range []struct{ name, file, front, status, text string }{
		{"none", "decisions/a.md", "title: A\n---\nText\n", "accepted", "Text"},
		{"misspelt", "facts/a.md", "status: Actve\n---\nText\n", "of unknown status actve", "Text"},
		{"misspelt, of a candidate", "inbox/a.md", "status: aproved\n---\nText\n", "pending", "Text"},
		{"beside a broken line", "facts/a.md", "level: \"1\nstatus: stale # why\n---\nText\n", "stale", "Text"},
		{"of a broken line", "facts/a.md", "status: [\n---\nText\n", "unreadable", "---\nstatus: [\n---\nText"},
		{"a list", "facts/a.md", "status: [archived]\n---\nText\n", "unreadable", "Text"},
		{"empty", "facts/a.md", "status:\n---\nText\n", "active", "Text"},
		{"a quoted key beside a broken line", "facts/a.md", "level: \"1\n\"status\": stale\n---\nText\n", "stale", "Text"},
		{"in a nested key", "facts/a.md", "level: \"1\nttl:\n  status: stale\n---\nText\n", "unreadable", "Text"},
		{"twice", "facts/a.md", "status: stale\nstatus: archived\nstatus: active\n---\nText\n", "in conflict", "Text"},
		{"beside a conflict", "facts/a.md", "<<<<<<< a\nlevel: 1\n=======\nlevel: 2\n>>>>>>> b\nstatus: stale\n---\nText\n", "stale", "Text"},
		{"the same on both sides", "facts/a.md", "<<<<<<< a\nstatus: stale\nlevel: 1\n=======\nlevel: 2\nstatus: stale\n>>>>>>> b\n---\nText\n",
			"stale", "Text"},
		{"a conflict with the text", "decisions/a.md",
			"title: A\n<<<<<<< a\nstatus: accepted\n---\nText\n=======\nstatus: rejected\n---\nNo\n>>>>>>> b\n",
			"in conflict", ""},
		{"of an exploration", "explore/a.md", "title: A\nscope: [\n---\nText\n", "", "Text"},
	} {
		r := Parse(c.file, []byte("---\n"+c.front), own)
		if r.Status != c.status || c.text != "" && r.Preamble != c.text {
			t.Errorf("%s: status %q, text %q", c.name, r.Status, r.Preamble)
		}
		if slices.Contains([]string{"pending", "accepted", "active", "stale", ""}, c.status) == Gone(r.Status) {
			t.Errorf("%s: gone is %v", c.name, Gone(r.Status))
		}
	}
}

func TestParseDecision(t *testing.T) {
	src := "---\ntitle: Use Go\n---\n## Context and Problem Statement\n\nWhy\n\n## Decision Outcome\n\nGo.\n\n### Consequences\n\n* good\n\n### Confirmation\n\nx\n\n## More Information\n\n### Consequences\n\nnot these\n"
	r := Parse("decisions/use-go.md", []byte(src), own)
	var got []string
	for _, s := range r.Sections {
		got = append(got, fmt.Sprintf("%d %s %s %q", s.Line, s.Name, s.Key, s.Text))
	}
	want := []string{
		`4 Context and Problem Statement context "Why"`,
		`8 Decision Outcome outcome "Go.\n\n### Consequences\n\n* good\n\n### Confirmation\n\nx"`,
		`12 Consequences consequences "* good"`,
		`20 More Information  "### Consequences\n\nnot these"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sections (-want +got):\n%s", diff)
	}
}

// TestParseParts reads text below a level-1 heading that follows the first section.
func TestParseParts(t *testing.T) {
	r := Parse("explore/a.md", []byte("# A\n\nintro\n\n## Goals\n\nx\n\n# Appendix\n\nfindme\n\n## Context\n\ny\n\n# Empty\n"), own)
	var got []string
	for _, s := range r.Sections {
		got = append(got, s.Name+"/"+s.Key+"/"+s.Text)
	}
	if diff := cmp.Diff([]string{"Goals/goals/x", "Appendix//findme", "Context/context/y"}, got); diff != "" || r.Preamble != "# A\n\nintro" {
		t.Errorf("preamble %q, sections (-want +got):\n%s", r.Preamble, diff)
	}
}

// FuzzRecordParse holds what every reader relies on, whatever a file holds.
func FuzzRecordParse(f *testing.F) {
	f.Add("explore/a.md", []byte(whole))
	f.Add("decisions/d.md", []byte("---\ntitle: A\n---\n## Decision Outcome\n\n### Consequences\n\nx\n"))
	f.Add("inbox/f.md", []byte("---\nkind: fact\n---\nx\n## Evidence\ny"))
	f.Add("explore/a.md", []byte("---\ntitle: [\n---\n<<<<<<< a\n=======\n>>>>>>> b\n"))
	f.Add("personal/explore/a.md", []byte("\xef\xbb\xbf---\r\ntitle: A\r\n---\r\n## Goals\r\nx"))
	f.Add("ideas/i.md", []byte("\xff\x00\n# \n## \n##\n"))
	f.Add("explore/ .md", []byte("x"))
	f.Add("explore/a.md", []byte("A\n=\nB\n-\n\n# C\ntext\n## goals\n## Goals ##\n"))
	f.Fuzz(func(t *testing.T, file string, src []byte) {
		r := Parse(file, src, own)
		if r.ID == "" || r.Title == "" {
			t.Errorf("id %q, title %q of %q", r.ID, r.Title, file)
		}
		if strings.ContainsAny(r.Title+r.ID, "\r\n") {
			t.Errorf("id %q or title %q has several lines", r.ID, r.Title)
		}
		if r.Writable != (Writable(src) == nil) {
			t.Errorf("writable is %v, but Writable says %v", r.Writable, Writable(src))
		}
		lines := 1 + strings.Count(string(src), "\n")
		last := 0
		for _, s := range r.Sections {
			if s.Line < 1 || s.Line > lines || s.TextLine < s.Line || s.TextLine > lines || s.Line <= last {
				t.Errorf("section %q in line %d, its text in line %d, after line %d of %d", s.Name, s.Line, s.TextLine, last, lines)
			}
			last = s.Line
			if s.Text != "" && r.Writable && !strings.Contains(string(src), s.Text) {
				t.Errorf("section %q reads %q, which is not in the file", s.Name, s.Text)
			}
			if s.Etag != Etag([]byte(s.Text)) {
				t.Errorf("etag of %q", s.Name)
			}
		}
		for _, p := range r.Problems {
			if p.Line < 0 || p.Line > lines || p.Code == "" || p.Text == "" {
				t.Errorf("problem %+v in %d lines", p, lines)
			}
		}
	})
}

func benchRecord() []byte {
	var b strings.Builder
	b.WriteString("---\ntitle: Session tokens\nproject: sdd\nscope: project\nrevision: 7\ncreated: 2026-11-20\n---\n\n")
	for _, s := range ExplorationSections {
		b.WriteString("## " + s.Name + "\n\n")
		for i := range 5 {
			fmt.Fprintf(&b, "- item %d says that the `token` of a session must be rotated\n", i)
		}
		b.WriteString("\n")
	}
	return []byte(b.String())
}

func BenchmarkParse(b *testing.B) {
	src := benchRecord()
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		Parse("explore/session-tokens.md", src, own)
	}
}
