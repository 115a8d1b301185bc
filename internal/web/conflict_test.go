package web

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestConflictOnThePage shows a merge conflict as the texts of its sides, offers no edit while it is there, and takes edits again as
// soon as the markers are gone.
func TestConflictOnThePage(t *testing.T) {
	s := newShelf(t)
	withMarkers := "---\ntitle: User auth\nrevision: 2\n---\n\n## Goals\n\n- one\n<<<<<<< HEAD\n- two of *ours*\n=======\n- two of <theirs>\n>>>>>>> topic\n- *three*\n\n## Context\n\ntext\n"
	without := strings.NewReplacer("<<<<<<< HEAD\n", "", "=======\n", "", ">>>>>>> topic\n", "")
	s.write("explore/user-auth.md", without.Replace(withMarkers))
	const edit = "/explore/user-auth?section=goals&amp;view=edit"
	field := regexp.MustCompile(`name="if_match" value="([0-9a-f]+)"`)
	form := func(page, text string) url.Values {
		t.Helper()
		m := field.FindStringSubmatch(page)
		if m == nil {
			t.Fatalf("no form:\n%s", page)
		}
		return url.Values{"action": {"edit"}, "section": {"goals"}, "if_match": {m[1]}, "content": {text}}
	}
	before := form(s.get("/explore/user-auth?view=edit&section=goals", 200), "- one\n- two")

	s.write("explore/user-auth.md", withMarkers)
	page := s.get("/explore/user-auth", 200)
	for _, want := range []string{
		"sdd resolve .sdd/explore/user-auth.md", "<bdi>One side, HEAD</bdi>", "\n- two of *ours*\n</pre>", "<bdi>The other side, topic</bdi>", "\n- two of &lt;theirs&gt;\n</pre>", "<em>three</em>",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q:\n%s", want, page)
		}
	}
	for _, not := range []string{"view=edit", "&lt;&lt;&lt;", "=====", "<blockquote>"} {
		if strings.Contains(page, not) {
			t.Errorf("%q is there:\n%s", not, page)
		}
	}
	if r := s.do(s.request("GET", "/explore/user-auth?view=edit&section=goals", nil)); r.StatusCode != 303 {
		t.Errorf("the form is shown: %d", r.StatusCode)
	}
	// A form from before is not saved, and its text is not lost.
	page, _ = s.post("/explore/user-auth", 422, before)
	if !strings.Contains(page, "- two</textarea>") {
		t.Errorf("the text is lost:\n%s", page)
	}

	s.write("explore/user-auth.md", without.Replace(withMarkers))
	if page := s.get("/explore/user-auth", 200); !strings.Contains(page, edit) {
		t.Errorf("no edit is offered:\n%s", page)
	}
	s.post("/explore/user-auth", 303, form(page, "- one\n- two"))
	b, err := os.ReadFile(filepath.Join(s.dir, ".sdd", "explore", "user-auth.md"))
	if err != nil || !strings.Contains(string(b), "- one\n- two\n\n## Context") {
		t.Errorf("%v\n%s", err, b)
	}
}

// TestConflictedCards offers no action on a learning, a fact or a candidate whose file has a conflict.
func TestConflictedCards(t *testing.T) {
	s := newShelf(t)
	const id = "0123456789ab"
	conflict := "Ports are *open*\n<<<<<<< HEAD\nabove 1024\n=======\nbelow 80\n>>>>>>> topic\n"
	for page, file := range map[string]string{
		"/learnings/idea-" + id:  "ideas/idea-" + id + "-x.md|id: idea-" + id + "\ncolor: yellow\nstatus: active\nscope: local",
		"/facts/fact-" + id:      "facts/fact-" + id + "-x.md|id: fact-" + id + "\nlevel: 0\nstatus: active",
		"/inbox/fact-c" + id[1:]: "inbox/fact-c" + id[1:] + "-x.md|id: fact-c" + id[1:] + "\nkind: fact\nlevel: 0\nconfidence: 0.5\nstatus: pending",
	} {
		path, keys, _ := strings.Cut(file, "|")
		write := func(body string) { s.write(path, "---\n"+keys+"\n---\n\n"+body) }
		write("Ports are *open*\n")
		if shown := s.get(page, 200); !strings.Contains(shown, `name="action"`) {
			t.Errorf("%s offers nothing:\n%s", page, shown)
		}
		write(conflict)
		shown := s.get(page, 200)
		if strings.Contains(shown, `name="action"`) || strings.Contains(shown, ">Edit<") || !strings.Contains(shown, "sdd resolve .sdd/"+path) || !strings.Contains(shown, "above 1024\n</pre>") {
			t.Errorf("%s:\n%s", page, shown[strings.Index(shown, "<main"):])
		}
		write("Ports are *open*\n")
		if shown := s.get(page, 200); !strings.Contains(shown, `name="action"`) {
			t.Errorf("%s offers nothing after the markers are gone:\n%s", page, shown)
		}
	}
}

// TestTake resolves conflicts one by one: a side takes the place of its block, the other blocks and the text around stay, and undo
// brings the markers back.
func TestTake(t *testing.T) {
	s := newShelf(t)
	text := "---\ntitle: User auth\n---\n\n## Goals\n\n<<<<<<< HEAD\n- mail\n||||||| base\n- old\n=======\n- <badge>\n>>>>>>> topic\n- stays\n<<<<<<< HEAD\n- one\n=======\n- two\n>>>>>>> topic\n"
	s.write("explore/user-auth.md", text)
	read := func() string {
		t.Helper()
		b, err := os.ReadFile(filepath.Join(s.dir, ".sdd", "explore", "user-auth.md"))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	take := func(line, side string, status int) string {
		t.Helper()
		etag := regexp.MustCompile(`name="if_match" value="([0-9a-f]+)"`).FindStringSubmatch(s.get("/explore/user-auth", 200))
		if etag == nil {
			t.Fatal("no form")
		}
		_, to := s.post("/take/explore/user-auth.md", status, url.Values{"if_match": {etag[1]}, "line": {line}, "side": {side}})
		return to
	}
	for _, bad := range [][2]string{{"8", "ours"}, {"x", "ours"}, {"7", "left"}} {
		take(bad[0], bad[1], 400)
	}
	s.post("/take/explore/user-auth.md", 409, url.Values{"if_match": {"0123456789abcdef"}, "line": {"7"}, "side": {"ours"}})
	s.post("/take/config.yaml", 404, url.Values{"if_match": {"0123456789abcdef"}, "line": {"7"}, "side": {"ours"}})
	if read() != text {
		t.Fatalf("a refused choice changed the file:\n%s", read())
	}
	if to := take("7", "theirs", 303); to != "/explore/user-auth?done=took" || !strings.Contains(read(), "\n- <badge>\n- stays\n<<<<<<< HEAD\n") {
		t.Errorf("to %s:\n%s", to, read())
	}
	take("9", "both", 303)
	if !strings.HasSuffix(read(), "- <badge>\n- stays\n- one\n- two\n") {
		t.Errorf("both:\n%s", read())
	}
	if page := s.get("/explore/user-auth", 200); strings.Contains(page, "Take ours") {
		t.Error("a conflict is left on the page")
	}
}
