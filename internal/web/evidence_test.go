package web

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sdd/internal/app"
	"sdd/internal/candidate"
	"sdd/internal/transcript"
)

// TestEvidenceOfCommits: a candidate shows what its commit changed at the lines, linked to the commit and the file.
func TestEvidenceOfCommits(t *testing.T) {
	s := newShelf(t)
	file := filepath.Join(s.dir, "auth.go")
	lines := strings.Split(strings.Repeat("same\n", 100), "\n")
	commit := func(subject string) string {
		if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
		s.git("add", "-A")
		s.git("commit", "-qm", subject)
		return s.git("rev-parse", "HEAD")
	}
	s.git("init", "-q")
	commit("Begin")
	lines[1], lines[80] = "far <away>", "ttl = 15"
	id := commit("Set the <b>time</b>\n\nIt was too long.")
	s.write("inbox/"+factID+"-a.md", "---\nid: "+factID+"\nkind: fact\nconfidence: 0.7\nstatus: pending\n---\n\nTokens live long.\n\n"+
		"## Evidence\n\n- commit `"+id+"` in `auth.go#L81`: `ttl = 15`\n- commit `0000000000000000` in `gone.go#L1`: `x`\n- commit `--output=x` in `y#L1`: `z`\n")
	page := s.get("/inbox/"+factID, 200)
	if !strings.Contains(page, `added: </span><bdi>ttl = 15`) || strings.Contains(page, "far &lt;away") {
		t.Errorf("not the lines of the evidence:\n%s", page)
	}
	to := "/commit/" + id + "?path=auth.go"
	if !strings.Contains(page, `href="`+to+`"`) {
		t.Errorf("no link to the commit:\n%s", page)
	}
	page = s.get(to, 200)
	for _, want := range []string{"Set the &lt;b&gt;time", "It was too long.", "far &lt;away&gt;", "ttl = 15", "<code>auth.go</code>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the commit lacks %q:\n%s", want, page)
		}
	}
	s.get("/commit/0000000000000000", 404)
	s.get("/commit/--output=x", 400)
	s.get("/commit/"+id+"?path=%3A%28exclude%29auth.go", 200)
}

// TestEvidenceOfTranscripts: a candidate from a session shows what was said around the line, without secrets, while the file is there.
func TestEvidenceOfTranscripts(t *testing.T) {
	s := newShelf(t)
	secret := "glpat-" + "Zq3xK9vT" + "w7LmR2bYc4Hd"
	file := filepath.Join(t.TempDir(), "s1.jsonl")
	var b strings.Builder
	for n, m := range []string{`"user","content":"Long before"`, `"assistant","content":"Before, with ` + secret + `"`, `"assistant","content":"I'll run <npm> test."`,
		`"user","content":"No, use pnpm instead of npm, because the lockfile is pnpm's."`, `"assistant","content":"Done."`, `"assistant","content":"Long after"`} {
		role, _, _ := strings.Cut(m[1:], `"`)
		b.WriteString(`{"type":"` + role + `","sessionId":"7f3a","message":{"role":` + m + `},"uuid":"` + string(rune('a'+n)) + `","timestamp":"2026-03-01T10:00:00.000Z"}` + "\n")
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	s.explore("User auth", "- mail")
	if _, err := s.CaptureTranscript(t.Context(), file, transcript.ClaudeCode, app.Capture{Tool: "test"}); err != nil {
		t.Fatal(err)
	}
	all, _, _, err := s.Inbox.List(t.Context(), candidate.Filter{})
	if err != nil || len(all) != 1 {
		t.Fatalf("%v, %+v", err, all)
	}
	page := s.get(candidateHref(all[0].ID), 200)
	m := regexp.MustCompile(`id="said-\d" class="here"><span class="small">user, line 4</span> <p dir="auto">No, use pnpm`)
	if !m.MatchString(page) || !strings.Contains(page, `href="#said-`) {
		t.Errorf("not linked to its line:\n%s", page)
	}
	for text, want := range map[string]bool{"Before, with": true, "I&#39;ll run &lt;npm&gt;": true, "Done.": true, "Long before": false, "Long after": false, secret: false} {
		if strings.Contains(page, text) != want {
			t.Errorf("%q is there: %v", text, !want)
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if page := s.get(candidateHref(all[0].ID), 200); strings.Contains(page, "said-") || !strings.Contains(page, "No, use pnpm") {
		t.Errorf("without the file:\n%s", page)
	}
}
