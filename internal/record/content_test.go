package record

import (
	"strings"
	"testing"
	"time"

	"sdd/internal/fault"
	"sdd/internal/frontmatter"
)

// TestContent composes and replaces texts that try to leave their place: they read back, and nothing else changes.
func TestContent(t *testing.T) {
	texts := []string{"plain", "# Title\n\ntext", "---\nid: x\n---\n\ntext", "## History\n\nx", "## Evidence", "```\nopen", "<!-- open", "a\n---", "a\n===\nb",
		"- a\n\n## b", "<div>\n## x", "    code", "é\n\n日本", "<<<<<<< a\nb\n=======\nc\n>>>>>>> d"}
	for _, k := range []Kind{Idea, Fact} {
		known := Sections(k)[0].Name
		for _, text := range texts {
			out, warnings, err := Compose(k, []frontmatter.Set{{Key: "id", Value: IDPrefix(k) + "-0123456789ab"}}, text)
			if err != nil {
				if !fault.Is(err, fault.Invalid) || fault.Of(err).Arg != "content" {
					t.Errorf("%s %q: %v", k, text, err)
				}
				continue
			}
			r := Parse(Folder(k)+"/x.md", out, Defaults{})
			if r.ID != IDPrefix(k)+"-0123456789ab" || len(r.Sections) != 0 || len(warnings) == 0 && r.Preamble != text {
				t.Errorf("%s %q: %+v", k, text, r)
			}
			src := "---\r\nid: " + IDPrefix(k) + "-0123456789ab # kept\r\n---\r\n\r\nold\r\n\r\n## " + known + "\r\n\r\nstays\r\n"
			out, _, err = WithContent(k, []byte(src), text)
			if err != nil {
				continue
			}
			head, tail, _ := strings.Cut(src, "old")
			if !strings.HasPrefix(string(out), head) || !strings.HasSuffix(string(out), strings.TrimLeft(tail, "\r\n")) || strings.Count(string(out), "\n") != strings.Count(string(out), "\r\n") {
				t.Errorf("%s %q: other bytes changed:\n%q", k, text, out)
			}
		}
	}
	if got, err := Content("content", " a\r\nb\r", 10); err != nil || got != "a\nb" {
		t.Errorf("%q, %v", got, err)
	}
	for _, bad := range []string{"", " \n", "a\x00", "\xff", strings.Repeat("a", 11)} {
		if _, err := Content("text", bad, 10); !fault.Is(err, fault.Invalid) || fault.Of(err).Arg != "text" || fault.Of(err).Hint == "" {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestMoment(t *testing.T) {
	at := time.Date(2026, 11, 20, 10, 30, 0, 0, time.UTC)
	for s, want := range map[string]int64{
		Stamp(at): at.Unix(), "2026-11-20T10:30:00+00:00": at.Unix(), "2026-11-20T12:30:00+02:00": at.Unix(), "2026-11-20 10:30:00": at.Unix(), "2026-11-20T10:30:00": at.Unix(),
		"2026-11-20": at.Truncate(24 * time.Hour).Unix(), "2026-11-20 about noon": at.Truncate(24 * time.Hour).Unix(), "": 0, "soon": 0, "2026-13-40": 0, "yesterday evening": 0,
	} {
		if got := Moment(s); got != want {
			t.Errorf("%q: %d, want %d", s, got, want)
		}
	}
}

func TestNothing(t *testing.T) {
	for _, text := range []string{"", "- none", "None.", "n/a", "N/A", "-", "—", "keine", "нет", "*(none)*", "none so far", "なし"} {
		if !Nothing(text) {
			t.Errorf("%q asks something", text)
		}
	}
	for _, text := range []string{"None of the limits are known", "Why?", "no-op on Windows", "What if there is nothing?", "Нет ли кэша?", "nil or empty?", "n", "1?"} {
		if Nothing(text) {
			t.Errorf("%q asks nothing", text)
		}
	}
}
