package session

import (
	"testing"

	"sdd/internal/transcript"
)

// TestFinder lists what messages leave behind: kind and content of each finding.
func TestFinder(t *testing.T) {
	user := func(s string) transcript.Message { return transcript.Message{Role: transcript.User, Text: s, Line: 1} }
	agent := func(s string) transcript.Message { return transcript.Message{Role: transcript.Agent, Text: s, Line: 1} }
	ran := func(s string, failed bool) transcript.Message {
		return transcript.Message{Role: transcript.Command, Command: s, Failed: failed, Line: 1}
	}
	for _, c := range []struct {
		name     string
		messages []transcript.Message
		want     []string
	}{
		{"a correction", []transcript.Message{user("No, use Vitest instead of Jest because the build is Vite.")},
			[]string{"correction: Use Vitest instead of Jest because the build is Vite."}},
		{"a rule", []transcript.Message{user("From now on amounts are kept in cents.")},
			[]string{"correction: From now on amounts are kept in cents."}},
		{"in Russian", []transcript.Message{user("Нет, используй Postgres вместо SQLite.")},
			[]string{"correction: Используй Postgres вместо SQLite."}},
		{"a decision", []transcript.Message{user("Let's keep the command line in Go.")},
			[]string{"decision: Keep the command line in Go."}},
		{"an accepted proposal", []transcript.Message{agent("I recommend Redis for the session cache."), user("yes, do it")},
			[]string{"decision: I recommend Redis for the session cache."}},
		{"a refused proposal", []transcript.Message{agent("I recommend Redis for the session cache."), user("what would that cost?")}, nil},
		{"a task, a question, thanks", []transcript.Message{user("Add a button."), user("Should we use Redis?"), user("no problem")}, nil},
		{"a condition, a denial, a doubt", []transcript.Message{user("If we decided to drop Windows, users would leave."),
			user("I would not say that we decided to switch to tokio."), user("I don't think we should switch to tokio.")}, nil},
		{"a reason before it", []transcript.Message{user("The tests are slow, so we will mock the clock.")},
			[]string{"decision: The tests are slow, so we will mock the clock."}},
		{"narration", []transcript.Message{agent("Now I'll read the file. The tests pass."), agent("I've added the button.")}, nil},
		{"a command that failed and one that worked", []transcript.Message{ran("npm test", true), ran("npm test --run", false)},
			[]string{"retry: `npm test` fails here; `npm test --run` works."}},
	} {
		var f Finder
		var got []string
		for _, m := range c.messages {
			for _, x := range f.Add(m) {
				got = append(got, string(x.Kind)+": "+x.Content)
			}
		}
		if len(got) != len(c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%s: got %q, want %q", c.name, got[i], c.want[i])
			}
		}
	}
}
