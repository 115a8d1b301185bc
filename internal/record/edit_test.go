package record

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/markdown"
)

// put is a change of a section of an exploration, by argument name.
func put(key, text string) markdown.Change {
	k, ok := SectionNamed(Exploration, key)
	if !ok {
		panic(key)
	}
	return markdown.Change{Section: k, Text: text}
}

func set(key string, value any) frontmatter.Set { return frontmatter.Set{Key: key, Value: value} }

func TestEditNew(t *testing.T) {
	u, err := Edit(nil, Exploration,
		[]frontmatter.Set{set("created", "2026-11-20"), set("revision", 1), set("title", "C++: a topic"), set("project", "sdd"), set("scope", "project")},
		[]markdown.Change{put("context", "last\n"), put("goals", "- one\n- two")})
	if err != nil {
		t.Fatal(err)
	}
	want := "---\ntitle: \"C++: a topic\"\nproject: sdd\nscope: project\nrevision: 1\ncreated: \"2026-11-20\"\n---\n\n## Goals\n\n- one\n- two\n\n## Context\n\nlast\n"
	if diff := cmp.Diff(want, string(u.Out)); diff != "" {
		t.Errorf("new record (-want +got):\n%s", diff)
	}
	r := Parse("explore/a.md", u.Out, own)
	if r.Title != "C++: a topic" || r.Created != "2026-11-20" || r.Revision != 1 || len(r.Sections) != 2 {
		t.Errorf("reads back as %+v", r)
	}
}

func TestEdit(t *testing.T) {
	for _, c := range []struct {
		name, src string
		sets      []frontmatter.Set
		changes   []markdown.Change
		want      string
	}{
		{
			"one section and one key",
			"---\n# keep me\ntitle:   \"A\"   # and me\nother: {x: 1}\nrevision: 1\n---\npreamble\n\n## Goals\n\nold\n\n## Mine\n\nx\n",
			[]frontmatter.Set{set("revision", 2)}, []markdown.Change{put("goals", "new")},
			"---\n# keep me\ntitle:   \"A\"   # and me\nother: {x: 1}\nrevision: 2\n---\npreamble\n\n## Goals\n\nnew\n\n## Mine\n\nx\n",
		},
		{
			"nothing but front matter, without a final newline",
			"---\ntitle: A\n---",
			nil, []markdown.Change{put("goals", "new")},
			"---\ntitle: A\n---\n\n## Goals\n\nnew\n",
		},
		{
			"nothing new",
			"---\ntitle: A\n---\n\n## Goals\n\nold",
			[]frontmatter.Set{set("title", "A")}, []markdown.Change{put("goals", "old\n")},
			"---\ntitle: A\n---\n\n## Goals\n\nold",
		},
		{
			"no front matter",
			"# A\n\n## Goals\n\nold\n",
			[]frontmatter.Set{set("title", "A"), set("revision", 2)}, []markdown.Change{put("goals", "new")},
			"---\ntitle: A\nrevision: 2\n---\n\n# A\n\n## Goals\n\nnew\n",
		},
		{
			"no front matter, BOM and CRLF",
			"\ufeff# A\r\n\r\n## Goals\r\n\r\nold",
			[]frontmatter.Set{set("title", "A")}, []markdown.Change{put("goals", "new")},
			"\ufeff---\r\ntitle: A\r\n---\r\n\r\n# A\r\n\r\n## Goals\r\n\r\nnew",
		},
		{
			"no front matter and none made",
			"# A\n",
			nil, []markdown.Change{put("goals", "new")},
			"# A\n\n## Goals\n\nnew\n",
		},
		{
			"a key removed, a section cleared",
			"---\ntitle: A\nsession_id: s\n---\n## Goals\n\nold\n\n## Context\n\nx\n",
			[]frontmatter.Set{set("session_id", nil)}, []markdown.Change{{Section: ExplorationSections[0], Op: markdown.Clear}},
			"---\ntitle: A\n---\n## Context\n\nx\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			u, err := Edit([]byte(c.src), Exploration, c.sets, c.changes)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, string(u.Out)); diff != "" {
				t.Errorf("Edit (-want +got):\n%s", diff)
			}
			again, err := Edit(u.Out, Exploration, c.sets, c.changes)
			if err != nil || !bytes.Equal(again.Out, u.Out) {
				t.Errorf("the same edit again: %v\n%s", err, again.Out)
			}
		})
	}
}

func TestEditRefuses(t *testing.T) {
	goals := []markdown.Change{put("goals", "new")}
	for _, c := range []struct {
		name, src string
		changes   []markdown.Change
		code      fault.Code
		line      int
		arg       string
	}{
		{"broken YAML", "---\ntitle: A\nx: [\n---\n", goals, fault.Broken, 3, ""},
		{"not closed", "---\ntitle: A\n\n## Goals\n", goals, fault.Broken, 1, ""},
		{"conflict", "## Goals\n\n<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n", goals, fault.Broken, 3, ""},
		{"not UTF-8", "a\n\xff\n", goals, fault.Broken, 2, ""},
		{"NUL", "a\n\n\x00\n", goals, fault.Broken, 3, ""},
		{"too deep", "a\n\n" + strings.Repeat("> ", 10000) + "x", goals, fault.Broken, 3, ""},
		{"text not UTF-8", "a\n", []markdown.Change{put("goals", "x\xff")}, fault.Invalid, 0, "goals"},
		{"text with NUL", "a\n", []markdown.Change{put("context", "x\x00")}, fault.Invalid, 0, "context"},
	} {
		u, err := Edit([]byte(c.src), Exploration, nil, c.changes)
		f := fault.Of(err)
		if err == nil || f.Code != c.code || f.Line != c.line || f.Arg != c.arg || f.Hint == "" || u.Out != nil {
			t.Errorf("%s: %+v, out %q", c.name, f, u.Out)
		}
	}
}

// TestEditConflictText saves text that documents a conflict: the file must stay writable.
func TestEditConflictText(t *testing.T) {
	block := "see\n<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> b\nend"
	for _, c := range []struct{ name, src, text, want string }{
		{"bare", "", block, "see\n<<<<<<< HEAD\nours\n\\=======\ntheirs\n>>>>>>> b\nend"},
		{"no underline", "", "<<<<<<< HEAD\n\n=======\n>>>>>>> b", "\\<<<<<<< HEAD\n\n=======\n>>>>>>> b"},
		{"fenced", "", "```\n" + block + "\n```", "```\n" + block + "\n```"},
		{"one fenced, one not", "", "```\n" + block + "\n```\n\n<<<<<<< HEAD\n\n=======\n>>>>>>> b", "```\n" + block + "\n```\n\n\\<<<<<<< HEAD\n\n=======\n>>>>>>> b"},
		{"the end of one begun before", "## Goals\n\n<<<<<<< a\n\n=======\n", ">>>>>>> c", "\\>>>>>>> c"},
	} {
		t.Run(c.name, func(t *testing.T) {
			u, err := Edit([]byte(c.src), Exploration, nil, []markdown.Change{put("context", c.text)})
			if err != nil {
				t.Fatal(err)
			}
			r := Parse("explore/a.md", u.Out, own)
			if !r.Writable {
				t.Errorf("not writable: %v\n%s", r.Problems, u.Out)
			}
			got := r.Sections[len(r.Sections)-1]
			if got.Key != "context" || got.Text != c.want {
				t.Errorf("reads back as %q, want %q", got.Text, c.want)
			}
			if (got.Text != c.text) != (len(u.Warnings) > 0) {
				t.Errorf("warnings %v", u.Warnings)
			}
			again, err := Edit(u.Out, Exploration, nil, []markdown.Change{put("context", c.text)})
			if err != nil || !bytes.Equal(again.Out, u.Out) {
				t.Errorf("the same text again: %v\n%s", err, again.Out)
			}
		})
	}
}

func TestEditCandidate(t *testing.T) {
	u, err := Edit(nil, Candidate, []frontmatter.Set{set("kind", "fact"), set("status", "pending"), set("id", "fact-0123456789ab"), set("level", 1), set("confidence", 0.5)},
		[]markdown.Change{{Section: markdown.Known{Name: "Evidence"}, Text: "commit abc"}})
	if err != nil {
		t.Fatal(err)
	}
	want := "---\nid: fact-0123456789ab\nlevel: 1\nkind: fact\nconfidence: 0.5\nstatus: pending\n---\n\n## Evidence\n\ncommit abc\n"
	if diff := cmp.Diff(want, string(u.Out)); diff != "" {
		t.Errorf("candidate (-want +got):\n%s", diff)
	}
}

// FuzzEdit attacks laws 1 and 2 over whole files: what is not named stays byte for byte, what
// is saved reads back in its section and only there, and the same again changes nothing.
func FuzzEdit(f *testing.F) {
	f.Add([]byte(whole), "new goals", "context text", "A title", 5)
	f.Add([]byte(nil), "## Context\n\nstolen", "```\nopen", "C++: #1", 1)
	f.Add([]byte("\ufeff---\r\ntitle: A\r\n---\r\n## Goals\r\nx"), "<!-- open", "a\n---", "null", 2)
	f.Add([]byte("# A\n\n- list\n\n ## Context\nx\n"), "- a\n- b", "[a]: b\n'", "'", 3)
	f.Add([]byte("## Goals\n\n## goals\n\nx\n## Goals\n"), "<<<<<<< a\nx\n=======\ny\n>>>>>>> b", "=======\n>>>>>>> b", "yes", 0)
	f.Add([]byte("---\n---\n\n\n\ntext"), "\n\n    code", "\ttab", "a\tb", -1)
	f.Add([]byte("<div>\n## Goals\n\n## Goals\nx"), "<div>", "</div>", "#", 1)
	f.Add([]byte("\ufeff\ufeff"), "x", "", "A", 1) // the second mark is text
	f.Fuzz(func(t *testing.T, src []byte, goals, context, title string, revision int) {
		sets := []frontmatter.Set{set("title", title), set("revision", revision)}
		changes := []markdown.Change{put("context", context), put("goals", goals)}
		u, err := Edit(src, Exploration, sets, changes)
		if err != nil {
			if code := fault.Of(err).Code; code != fault.Broken && code != fault.Invalid {
				t.Fatalf("%s: %v", code, err)
			}
			return
		}
		before, after := Parse("explore/a.md", src, own), Parse("explore/a.md", u.Out, own)
		if !after.Writable {
			t.Fatalf("cannot be written to again: %v\n%s", after.Problems, u.Out)
		}
		if got, ok := after.FrontMatter["title"]; ok && title != "" && got != any(title) {
			if fm, _ := frontmatter.Parse(u.Out); fm.String("title") != title {
				t.Errorf("title is %q, set to %q", got, title)
			}
		}
		for key, old := range before.FrontMatter {
			if key != "title" && key != "revision" {
				if diff := cmp.Diff(old, after.FrontMatter[key]); diff != "" {
					t.Errorf("key %s changed: %s", key, diff)
				}
			}
		}
		rest := func(r Record) (texts []string) {
			seen := map[string]bool{}
			for _, s := range r.Sections {
				if (s.Key == "goals" || s.Key == "context") && !seen[s.Key] {
					seen[s.Key] = true
					continue
				}
				texts = append(texts, s.Name, s.Text)
			}
			return texts
		}
		if diff := cmp.Diff(rest(before), rest(after)); diff != "" {
			t.Errorf("other sections changed:\n%s", diff)
		}
		if before.Preamble != after.Preamble && strings.TrimSpace(before.Preamble) != strings.TrimSpace(after.Preamble) {
			t.Errorf("preamble %q became %q", before.Preamble, after.Preamble)
		}
		if len(u.Warnings) == 0 {
			for _, c := range []struct{ key, text string }{{"goals", goals}, {"context", context}} {
				if strings.TrimSpace(c.text) == "" {
					continue
				}
				if got := textOf(after, c.key); got != stored(c.text) && textOf(before, c.key) != got {
					t.Errorf("%s reads back as %q, saved %q", c.key, got, c.text)
				}
			}
		}
		again, err := Edit(u.Out, Exploration, sets, changes)
		if err != nil || !bytes.Equal(again.Out, u.Out) {
			t.Errorf("the same again: %v\n%q\n%q", err, u.Out, again.Out)
		}
	})
}

func textOf(r Record, key string) string {
	for _, s := range r.Sections {
		if s.Key == key {
			return s.Text
		}
	}
	return ""
}

// stored is text without the blank lines at its ends.
func stored(text string) string {
	d, err := markdown.Parse([]byte("## .\n"+text), 0)
	if err != nil {
		return text
	}
	return d.Text(markdown.Section{Body: markdown.Span{Start: 5, End: 5 + len(text)}})
}

func BenchmarkEdit(b *testing.B) {
	src := benchRecord()
	sets := []frontmatter.Set{set("revision", 8)}
	changes := []markdown.Change{put("goals", "- something new\n- and more")}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Edit(src, Exploration, sets, changes); err != nil {
			b.Fatal(err)
		}
	}
}

// changed reports whether an edit changed anything.
