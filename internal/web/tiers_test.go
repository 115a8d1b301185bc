package web

import (
	"strings"
	"testing"
)

// TestTierOfPages: the page of a record that is not on the default branch says how far it has come.
func TestTierOfPages(t *testing.T) {
	s := newShelf(t)
	s.git("init", "-q", "-b", "main")
	save := func(more string) {
		s.putFact(factA, "level: 0\nstatus: active\n", "Sign returns one"+more)
		s.write("ideas/idea-00000000000a-x.md", "---\nid: idea-00000000000a\ncolor: yellow\nstatus: active\nscope: global\n---\n\nSign returns one"+more+"\n")
		s.write("explore/sign.md", "---\ntitle: Sign\n---\n\n## Goals\n\n- Sign"+more+"\n")
		s.write("decisions/sign.md", "---\ntitle: Sign\nstatus: accepted\n---\n\n## Context and Problem Statement\n\nWho signs?"+more+"\n")
	}
	save("")
	s.git("add", "-A")
	s.git("commit", "-q", "-m", "begin")
	pages := []string{"/facts/" + factA, "/learnings/idea-00000000000a", "/explore/sign", "/decision/sign"}
	say := func(when, word string) {
		t.Helper()
		for _, page := range pages {
			if body := s.get(page, 200); strings.Contains(body, `<span class="badge">`+word+`</span>`) != (word != "main") {
				t.Errorf("%s, %s:\n%s", when, page, body)
			}
		}
	}
	say("merged", "main")
	s.git("checkout", "-q", "-b", "work")
	save(" and more")
	say("changed", "uncommitted")
	s.git("add", "-A")
	s.git("commit", "-q", "-m", "more")
	say("on a branch", "only committed")
}
