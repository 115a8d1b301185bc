package check

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sdd/internal/frontmatter"
	"sdd/internal/store"
)

func TestCheckFix(t *testing.T) {
	for _, tt := range []struct{ name, file, before, after string }{
		{"case of a listed value", ".sdd/decisions/a.md", doc("title: A\nstatus: Accepted # by all\n", "x\n"), doc("title: A\nstatus: accepted # by all\n", "x\n")},
		{"blanks around a listed value", ".sdd/explore/a.md", doc("title: A\nscope: ' PROJECT '\n", good), doc("title: A\nscope: 'project'\n", good)},
		{"quoted numbers", ".sdd/facts/fact-000000000001-a.md", doc("level: \"2\"\nconfidence: '0.5'\n", "x\n"), doc("level: 2\nconfidence: 0.5\n", "x\n")},
		{"quoted truth", ".sdd/ideas/idea-000000000001-a.md", doc("validated: 'True'\n", "x\n"), doc("validated: true\n", "x\n")},
		{"status of the colour", ".sdd/ideas/idea-000000000001-a.md", doc("color: Yellow\nstatus: ACTIVE\n", "x\n"), doc("color: yellow\nstatus: active\n", "x\n")},
		{
			"absolute links", ".sdd/explore/a.md", doc("title: A\n", "a [x](ROOT/src/a.go#L1 'title') b\n[y](<file://ROOT/b c.md>) `[z](ROOT/src/a.go)`\n\n[d]: ROOT/.sdd/explore/a.md\n"),
			doc("title: A\n", "a [x](../../src/a.go#L1 'title') b\n[y](<../../b c.md>) `[z](ROOT/src/a.go)`\n\n[d]: a.md\n"),
		},
		{"absolute code", ".sdd/facts/fact-000000000001-a.md", doc("code_ref: ROOT/src/a.go#L1\n", "x\n"), doc("code_ref: src/a.go#L1\n", "x\n")},
		{"CRLF, BOM, no end", ".sdd/decisions/a.md", "\xef\xbb\xbf---\r\ntitle: A\r\nstatus: Proposed\r\n---\r\n\r\nx", "\xef\xbb\xbf---\r\ntitle: A\r\nstatus: proposed\r\n---\r\n\r\nx"},
		{"what nobody can know", ".sdd/ideas/idea-000000000001-a.md", doc("color: pink\nstatus: open\nagents: ann, bob\nimpact: 3\ncreated: 20.11.2026\n", "x\n"), doc("color: pink\nstatus: open\nagents: ann, bob\nimpact: 3\ncreated: 20.11.2026\n", "x\n")},
		{"a broken file", ".sdd/decisions/a.md", "---\nstatus: Accepted\nx: [\n---\n", "---\nstatus: Accepted\nx: [\n---\n"},
		{"a conflict", ".sdd/decisions/a.md", doc("status: Accepted\n", "<<<<<<< a\nb\n=======\nc\n>>>>>>> d\n"), doc("status: Accepted\n", "<<<<<<< a\nb\n=======\nc\n>>>>>>> d\n")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before, dir := checkStore(t, map[string]string{tt.file: tt.before, "src/a.go": "1\n", "b c.md": "x\n"}, Options{})
			name := filepath.Join(dir, tt.file)
			was := stat(t, name)
			r, err := checkDir(t, dir, Options{Fix: true})
			if err != nil {
				t.Fatal(err)
			}
			got, _ := os.ReadFile(name)
			if diff := cmp.Diff(strings.ReplaceAll(tt.after, "ROOT", dir), string(got)); diff != "" {
				t.Fatalf("file (-want +got):\n%s", diff)
			}
			changed := tt.after != tt.before
			if changed != (len(r.Fixed) > 0) || len(r.Fixed)+len(r.Findings) != len(before.Findings) {
				t.Errorf("fixed %+v\nleft %s\nof %s", r.Fixed, r.Text(), before.Text())
			}
			for _, f := range before.Findings {
				if said := strings.Contains(f.Fix, "sdd check --fix"); said && !changed {
					t.Errorf("a fix is promised: %+v", f)
				}
			}
			now := stat(t, name)
			if !changed && !now.ModTime().Equal(was.ModTime()) {
				t.Error("the file was touched")
			}
			again, err := checkDir(t, dir, Options{Fix: true})
			if err != nil || len(again.Fixed) > 0 || cmp.Diff(r.Findings, again.Findings) != "" {
				t.Errorf("a second run fixed %+v (%v)", again.Fixed, err)
			}
			if !stat(t, name).ModTime().Equal(now.ModTime()) {
				t.Error("the second run touched the file")
			}
		})
	}
}

func stat(t *testing.T, name string) os.FileInfo {
	t.Helper()
	fi, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	return fi
}

func TestCheckFixStaysInItsPaths(t *testing.T) {
	text := doc("title: A\nstatus: Accepted\n", "x\n")
	_, dir := checkStore(t, map[string]string{".sdd/decisions/a.md": text, ".sdd/decisions/b.md": strings.Replace(text, "A\n", "B\n", 1)}, Options{})
	r, err := checkDir(t, dir, Options{Fix: true, Paths: []string{".sdd/decisions/a.md"}, WorkDir: dir})
	if err != nil || len(r.Fixed) != 1 || len(r.Findings) != 0 {
		t.Fatalf("fixed %+v, left %s, %v", r.Fixed, r.Text(), err)
	}
	if b, _ := os.ReadFile(filepath.Join(dir, ".sdd/decisions/b.md")); !strings.Contains(string(b), "Accepted") {
		t.Error("another file was mended, too")
	}
}

func TestCheckFixCanBeUndone(t *testing.T) {
	text := doc("title: A\nstatus: Accepted\n", "x\n")
	_, dir := checkStore(t, map[string]string{".sdd/decisions/a.md": text}, Options{Fix: true})
	st, err := store.Open(store.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	last, _ := st.Last("")
	if _, err := st.TakeBack(context.Background(), last.ID); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(filepath.Join(dir, ".sdd/decisions/a.md")); string(got) != text {
		t.Errorf("undo gave %q", got)
	}
}

// randomRecord makes a record of any kind with values that are right, nearly right or wrong, and links.
func randomRecord(r *rand.Rand, root string) (path string, src []byte) {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	keys := map[string][]string{
		"status": {"active", "Active", "' DONE '", "\"accepted\"", "Superseded", "nope", "[a]", "1", "''", "active # note", "&s Active", "*s"},
		"color":  {"yellow", "YELLOW", "'green '", "pink"}, "scope": {"project", "Personal", "\" project\"", "x"},
		"level": {"1", "'1'", "\"3\"", "'9'", "one", "1.0"}, "confidence": {"0.5", "'0.5'", "\"1\"", "'2'"}, "revision": {"3", "\"3\"", "'03'", "-1"},
		"validated": {"true", "'true'", "yes", "\"False\""}, "code_ref": {"src/a.go", root + "/src/a.go#L1", "'" + root + "/x y'", "https://x"},
		"impact": {"low", "High", "|\n  High", "> high"}, "title": {"A", "'A'", "1.10"}, "ttl": {"{days: '3'}", "x"}, "extra": {"[1, 2]", "{a: B}", "x"},
	}
	newline := pick("\n", "\n", "\r\n")
	var b strings.Builder
	b.WriteString(pick("", "", "\xef\xbb\xbf") + "---\n")
	for key, values := range keys {
		if r.IntN(2) == 0 {
			fmt.Fprintf(&b, "%s%s: %s%s\n", pick("", "", "# note\n"), key, pick(values...), pick("", "", " # why"))
		}
	}
	b.WriteString(pick("---\n", "---\n", "---\n\n", "--\n"))
	for range r.IntN(6) {
		to := pick("a.md", root+"/src/a.go", "file://"+root+"/b.md#L1", "<"+root+"/b c.md>", "/src/a.go", "sdd://explore/a", "https://x.dev", root)
		b.WriteString(pick("[x]("+to+")", "![x]("+to+" \"t\")", "`[x]("+to+")`", "\n[d]: "+to+"\n", "- "+to, "\n## Goals\n", "```\n["+to+"]("+to+")\n", "\n    [x]("+to+")\n", "<!-- [x]("+to+")", "\\[x]("+to+")") + pick(" ", "\n", "\n\n"))
	}
	path = pick("explore/a.md", "ideas/idea-000000000001-a.md", "facts/fact-000000000001-a.md", "decisions/a.md", "inbox/a.md", "personal/facts/f.md")
	return path, []byte(strings.ReplaceAll(b.String(), "\n", newline))
}

// TestMendProperty demands of random records that mending twice is mending once, that it adds no
// finding on balance, and that it changes only the values it names: law 1.
func TestMendProperty(t *testing.T) {
	st, err := store.Open(store.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	c := newChecker(st)
	mended := 0
	for seed := range uint64(1500) {
		r := rand.New(rand.NewPCG(seed, 1))
		path, src := randomRecord(r, c.root)
		kept := bytes.Clone(src)
		out, fixed := c.mend(path, src)
		if !bytes.Equal(src, kept) {
			t.Fatalf("seed %d: the given bytes were changed", seed)
		}
		if len(fixed) == 0 != bytes.Equal(out, src) {
			t.Fatalf("seed %d: fixed %+v, but the bytes say otherwise", seed, fixed)
		}
		if again, more := c.mend(path, out); len(more) > 0 || !bytes.Equal(again, out) {
			t.Fatalf("seed %d: a second time fixed %+v\n%s\n---\n%s", seed, more, out, again)
		}
		if len(fixed) == 0 {
			continue
		}
		mended++
		was, is := c.inspect(path, src), c.inspect(path, out)
		// One more can show: a colour that is right now, with a status that is not one of its own.
		if len(is.found) >= len(was.found) {
			t.Fatalf("seed %d: %d findings, %d fixed, %d left\n%s\n%s", seed, len(was.found), len(fixed), len(is.found), src, out)
		}
		if diff := untouched(src, out, fixed); diff != "" {
			t.Fatalf("seed %d: %s\n%s\n---\n%s", seed, diff, src, out)
		}
	}
	if mended < 200 {
		t.Errorf("only %d records had something to mend", mended)
	}
}

// untouched returns a line or key that differs although no fix names it.
func untouched(src, out []byte, fixed []Fixed) string {
	named := map[int]bool{}
	for _, f := range fixed {
		named[f.Line] = true
	}
	a, b := bytes.SplitAfter(src, []byte("\n")), bytes.SplitAfter(out, []byte("\n"))
	was, err1 := frontmatter.Parse(src)
	is, err2 := frontmatter.Parse(out)
	if err1 != nil || err2 != nil || len(was.Keys) != len(is.Keys) {
		return "the front matter has other keys"
	}
	keys := map[int]bool{}
	for i, k := range was.Keys {
		keys[k.Line] = true
		same := bytes.Equal(src[k.Span.Start:k.Span.End], out[is.Keys[i].Span.Start:is.Keys[i].Span.End])
		if k.Name != is.Keys[i].Name || !same && !named[k.Line] {
			return "the key " + k.Name + " was changed"
		}
	}
	if len(a) != len(b) {
		return "" // a value over several lines is on one now; the keys are compared above
	}
	for i := range a {
		if !bytes.Equal(a[i], b[i]) && !named[i+1] && (i < bytes.Count(src[:was.Body], []byte("\n")) == keys[i+1]) {
			return fmt.Sprintf("line %d was changed", i+1)
		}
	}
	return ""
}
