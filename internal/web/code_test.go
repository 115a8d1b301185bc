package web

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestCode: the pages of records of each kind say that their code changed, and a button vouches for it.
func TestCode(t *testing.T) {
	s := newShelf(t)
	code := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(s.dir, "auth.go"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	code("package auth\n\nfunc Sign() int { return 1 }\n")
	const front = "code_ref: auth.go#Sign\nseen: auth.go#Sign symbol:9:0123456789ab\n"
	s.putFact(factA, "level: 0\nstatus: active\n"+front, "Sign returns <one>")
	s.write("ideas/idea-00000000000a-x.md", "---\nid: idea-00000000000a\ncolor: yellow\nstatus: active\nscope: global\n"+front+"---\n\nSign returns one\n")
	s.write("explore/sign.md", "---\ntitle: Sign\n"+front+"---\n\n## Goals\n\n- Sign\n")
	s.write("decisions/sign.md", "---\ntitle: Sign\nstatus: accepted\n"+front+"---\n\n## Context and Problem Statement\n\nWho signs?\n")
	health := s.get("/health", 200)
	for _, page := range []string{"/facts/" + factA, "/learnings/idea-00000000000a", "/explore/sign", "/decision/sign"} {
		if !strings.Contains(health, `<a href="`+page+`" data-open>`) {
			t.Errorf("the health page does not lead to %s", page)
		}
		body := s.get(page, 200)
		if !strings.Contains(body, "auth.go#Sign changed") || !strings.Contains(body, "Still true for this code") || strings.Contains(body, "Take the new place") {
			t.Errorf("%s:\n%s", page, body)
			continue
		}
		form := regexp.MustCompile(`(?s)<form method="post" action="(/affirm/[^"]+)" data-act><input type="hidden" name="if_match" value="([^"]+)">`).FindStringSubmatch(body)
		if form == nil {
			t.Fatalf("%s has no form:\n%s", page, body)
		}
		s.post(form[1], 409, url.Values{"action": {"affirm"}, "if_match": {"0000000000000000"}})
		s.post(form[1], 400, url.Values{"action": {"archive"}, "if_match": {form[2]}})
		_, to := s.post(form[1], 303, url.Values{"action": {"affirm"}, "if_match": {form[2]}})
		if to != page+"?done=affirm" {
			t.Errorf("%s leads to %s", form[1], to)
		}
		if body := s.get(to, 200); !strings.Contains(body, "Affirmed: it holds for the code as it is now.") || strings.Contains(body, "auth.go#Sign changed") {
			t.Errorf("%s after it:\n%s", page, body)
		}
	}
	if health := s.get("/health", 200); strings.Contains(health, "auth.go#Sign") {
		t.Error("the health page still lists them")
	}

	// moved to another name in the file, and gone
	code("package auth\n\nfunc Seal(key []byte, text string) (int, error) { if len(key) == 0 { return 0, nil }; return len(text), nil }\n")
	s.putFact(factB, "level: 0\nstatus: active\ncode_ref: auth.go#Seal", "Seal counts")
	if _, err := s.Affirm(t.Context(), factB, false, "test"); err != nil {
		t.Fatal(err)
	}
	code("package auth\n\nfunc Count(key []byte, text string) (int, error) { if len(key) == 0 { return 0, nil }; return len(text), nil }\n")
	body := s.get("/facts/"+factB, 200)
	form := regexp.MustCompile(`(?s)<form method="post" action="(/affirm/[^"]+)" data-act><input type="hidden" name="if_match" value="([^"]+)">`).FindStringSubmatch(body)
	if form == nil || !strings.Contains(body, "auth.go#Seal is now auth.go#Count") || strings.Contains(body, "Still true for this code") {
		t.Fatalf("moved:\n%s", body)
	}
	_, to := s.post(form[1], 303, url.Values{"action": {"moved"}, "if_match": {form[2]}})
	if body := s.get(to, 200); !strings.Contains(body, "Saved: it names the new place.") || !strings.Contains(body, "auth.go#Count") {
		t.Errorf("%s:\n%s", to, body)
	}
	s.putFact(factC, "level: 0\nstatus: active\ncode_ref: auth.go#Nowhere", "Nobody")
	s.putFact(factD, "level: 0\nstatus: archived\ncode_ref: auth.go#Nowhere", "Nobody any more")
	if body := s.get("/facts/"+factC, 200); !strings.Contains(body, "auth.go#Nowhere is gone") && !strings.Contains(body, "unpinned") || strings.Contains(body, "/affirm/") {
		t.Errorf("gone:\n%s", body)
	}
	if body := s.get("/facts/"+factD, 200); strings.Contains(body, "is gone") {
		t.Errorf("archived:\n%s", body)
	}
}
