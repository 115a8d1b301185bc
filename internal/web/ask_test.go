package web

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAsk(t *testing.T) {
	s := newShelf(t)
	if page := s.get("/ask", 200); !strings.Contains(page, "Ask a question as an agent would") {
		t.Errorf("%s", page)
	}
	s.putFact(factA, "level: 0\ndomain: auth", "Tokens are signed with <b>ES256</b>")
	page := s.get("/ask?q=how+are+tokens+signed&max_tokens=500", 200)
	for _, want := range []string{"Tokens are signed with &lt;b&gt;ES256&lt;/b&gt;", " of 500 (", `href="/facts/` + factA + `"`, "Where it comes from (1)"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not there:\n%s", want, page)
		}
	}
	for _, bad := range []string{"max_tokens=3", "max_tokens=x", "max_tokens=0", "max_tokens=-1"} {
		if page := s.get("/ask?q=tokens&"+bad, 400); !strings.Contains(page, `value="tokens"`) || !strings.Contains(page, "max_tokens") {
			t.Errorf("%s: the question is gone, or nothing is said:\n%s", bad, page)
		}
	}
	s.putFact(factB, "level: 0", "The gateway listens on port 8443")
	first := s.get("/ask?q=how+are+tokens+signed", 200)
	if again := s.get("/ask?q=how+are+tokens+signed", 200); again != first || !strings.Contains(first, "8443") {
		t.Errorf("first\n%s\nthen\n%s", first, again)
	}
	// Looking is no call of an agent: nothing is discovered or counted.
	if facts, err := s.Facts.All(t.Context()); err != nil || len(facts) != 2 {
		t.Errorf("%d facts, %v", len(facts), err)
	}
	s.Answers.Close()
	if _, err := os.Stat(filepath.Join(s.dir, ".sdd", ".local", "metrics", "context.log")); err == nil {
		t.Error("the answer was counted")
	}
}
