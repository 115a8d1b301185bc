package web

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBranches(t *testing.T) {
	s := newShelf(t)
	if page := s.get("/branches", 200); !strings.Contains(page, "git init") {
		t.Errorf("outside git:\n%s", page)
	}
	s.git("init", "-q", "-b", "main")
	if page := s.get("/branches", 200); !strings.Contains(page, "nothing is committed yet") {
		t.Errorf("without a commit:\n%s", page)
	}
	s.explore("User auth", "- log in by mail")
	if err := os.WriteFile(filepath.Join(s.dir, "auth.go"), []byte("package auth\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s.putFact(factA, "level: 3\ncode_ref: auth.go", "Auth is in `auth.go`")
	s.git("add", "-A")
	s.git("commit", "-qm", "begin")
	if page := s.get("/branches", 200); !strings.Contains(page, "no commits of its own") {
		t.Errorf("on the base:\n%s", page)
	}
	goals := func(text string) {
		s.write("explore/user-auth.md", "---\ntitle: User auth\n---\n\n## Goals\n\n- "+text+"\n")
	}
	s.git("checkout", "-qb", "passkeys")
	goals("log in by <b>passkey</b>")
	s.git("commit", "-qam", "passkeys")
	s.git("checkout", "-q", "main")
	s.git("checkout", "-qb", "badges")
	goals("log in by badge")
	s.git("rm", "-q", "auth.go")
	s.git("commit", "-qam", "badges")
	page := s.get("/branches", 200)
	for _, want := range []string{
		"<bdi>passkeys</bdi>", "<bdi>badges</bdi>", "<strong><bdi>Goals</bdi></strong> of <a href=\"/explore/user-auth\">", "<bdi>log in by mail</bdi>", "log in by badge",
		"<code>auth.go</code> is gone", `href="/facts/` + factA + `"`, `value="main"`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not there:\n%s", want, page)
		}
	}
	if page := s.get("/branches?base=passkeys", 200); !strings.Contains(page, "Both change what was") {
		t.Errorf("nothing about what the base changed too:\n%s", page)
	}
	page = s.get("/branches?ours=passkeys&theirs=badges", 200)
	for _, want := range []string{`<option selected="">`, "a conflict when merged", "\n- log in by mail</pre>", "\n- log in by &lt;b&gt;passkey&lt;/b&gt;</pre>", "\n- log in by badge</pre>"} {
		if !strings.Contains(strings.ReplaceAll(page, "<option selected>", `<option selected="">`), want) {
			t.Errorf("side by side: %q is not there:\n%s", want, page)
		}
	}
	if page := s.get("/branches?ours=main&theirs=badges", 200); !strings.Contains(page, "No record was changed by both") {
		t.Errorf("main and badges:\n%s", page)
	}
	s.get("/branches?ours=--all&theirs=badges", 400)
	s.get("/branches?ours=nothing&theirs=badges", 404)
	goals("not committed")
	if page := s.get("/branches", 200); !strings.Contains(page, "1 record has changes that are not committed") {
		t.Errorf("%s", page)
	}
	for base, status := range map[string]int{"nothing": 404, "--all": 400, "main..badges": 400, "-p": 400, "main%00": 400} {
		if page := s.get("/branches?base="+base, status); !strings.Contains(page, "There is nothing to compare.") || !strings.Contains(page, `name="base"`) {
			t.Errorf("%s:\n%s", base, page)
		}
	}
}
