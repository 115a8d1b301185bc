package agenthook

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// inputs are the events of testdata, which has each client's documented fields, one event a line.
func inputs(t testing.TB, client string) [][]byte {
	src, err := os.ReadFile("testdata/" + client + ".jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Split(bytes.TrimSpace(src), []byte("\n"))
}

func TestParse(t *testing.T) {
	const claude = "/home/u/.claude/projects/p/c1.jsonl"
	want := map[string][]Input{
		"claude-code": {
			{Kind: Start, Event: "SessionStart", Session: "c1", Transcript: claude, Dir: "/p"},
			{Kind: Resume, Event: "SessionStart", Session: "c1", Transcript: claude, Dir: "/p"},
			{Kind: Compacted, Event: "SessionStart", Session: "c1", Transcript: claude, Dir: "/p"},
			{Kind: File, Event: "PostToolUse", Session: "c1", Transcript: "/t", Dir: "/p", Files: []string{"/p/a.go"}},
			{Kind: File, Event: "PostToolUse", Session: "c1", Transcript: "/t", Dir: "/p", Files: []string{"/p/a.go"}, Edit: true, Text: "b\nd"},
			{Kind: File, Event: "PostToolUse", Session: "c1", Transcript: "/t", Dir: "/p", Text: "npm install"},
			{Kind: Compacting, Event: "PreCompact", Session: "c1", Transcript: "/t", Dir: "/p"},
			{Kind: End, Event: "SessionEnd", Session: "c1", Transcript: "/t", Dir: "/p"},
			{Event: "Teleported", Session: "c1", Transcript: "/t", Dir: "/p"},
		},
		"codex": {
			{Kind: Start, Event: "SessionStart", Session: "x1", Dir: "/p"},
			{Kind: File, Event: "PostToolUse", Session: "x1", Transcript: "/t", Dir: "/p", Files: []string{"a.go", "b.go"},
				Edit: true, Text: "y\nz"},
			{Kind: Compacting, Event: "PreCompact", Session: "x1", Transcript: "/t", Dir: "/p"},
			{Kind: End, Event: "Stop", Session: "x1", Transcript: "/t", Dir: "/p"},
			{Kind: End, Event: "SessionEnd", Session: "x1", Transcript: "/t", Dir: "/p"},
		},
		"cursor": {
			{Kind: Start, Event: "sessionStart", Session: "u1", Dir: "/p"},
			{Kind: File, Event: "postToolUse", Session: "u1", Transcript: "/t", Dir: "c:/p", Files: []string{"c:/p/a.go"}},
			{Kind: File, Event: "postToolUse", Session: "u1", Dir: "/p", Files: []string{"/p/a.go"}, Edit: true, Text: "new"},
			{Kind: Compacting, Event: "preCompact", Session: "u1", Dir: "/p"},
			{Kind: End, Event: "sessionEnd", Session: "u1", Transcript: "/t", Dir: "/p"},
		},
		"copilot-cli": {
			{Kind: Start, Event: "SessionStart", Session: "o1", Dir: "/p"},
			{Kind: Resume, Event: "SessionStart", Session: "o1", Dir: "/p"},
			{Kind: File, Event: "PostToolUse", Session: "o1", Dir: "/p", Files: []string{"/p/a.go"}},
			{Kind: File, Event: "PostToolUse", Session: "o1", Dir: "/p", Files: []string{"/p/b.go"}, Edit: true, Text: "package b"},
			{Kind: Compacting, Event: "PreCompact", Session: "o1", Transcript: "/t", Dir: "/p"},
			{Kind: End, Event: "Stop", Session: "o1", Transcript: "/t", Dir: "/p"},
		},
		"gemini-cli": {
			{Kind: Start, Event: "SessionStart", Session: "g1", Transcript: "/t", Dir: "/p"},
			{Kind: File, Event: "AfterTool", Session: "g1", Transcript: "/t", Dir: "/p", Files: []string{"a.go"}, Edit: true, Text: "y"},
			{Kind: File, Event: "AfterTool", Session: "g1", Transcript: "/t", Dir: "/p", Files: []string{"a.go", "b.go"}},
			{Kind: Compacting, Event: "PreCompress", Session: "g1", Transcript: "/t", Dir: "/p"},
			{Kind: End, Event: "SessionEnd", Session: "g1", Transcript: "/t", Dir: "/p"},
		},
		"windsurf": {
			{Kind: File, Event: "post_write_code", Session: "w1", Files: []string{"/p/a.go"}, Edit: true, Text: "y"},
			{Kind: File, Event: "post_run_command", Session: "w1", Dir: "/p", Text: "npm test"},
			{Kind: End, Event: "post_cascade_response_with_transcript", Session: "w1", Transcript: "/home/u/.windsurf/transcripts/w1.jsonl"},
		},
		"kiro": {
			{Kind: Start, Event: "SessionStart", Session: "k1", Dir: "/p"},
			{Kind: Start, Event: "agentSpawn", Dir: "/p"},
			{Kind: File, Event: "postToolUse", Dir: "/p", Files: []string{"a.go"}, Edit: true, Text: "package a\ncreate"},
		},
		"opencode": {
			{Kind: Start, Event: "start", Session: "n1", Dir: "/p"},
			{Kind: File, Event: "file", Session: "n1", Dir: "/p", Files: []string{"/p/a.go"}, Edit: true, Text: "y"},
		},
	}
	for _, c := range Clients {
		var got []Input
		for _, src := range inputs(t, c.ID) {
			in, err := Parse(c.ID, src)
			if err != nil {
				t.Errorf("%s: %s: %v", c.ID, src, err)
			}
			got = append(got, in)
		}
		if diff := cmp.Diff(want[c.ID], got); diff != "" {
			t.Errorf("%s: -want +got\n%s", c.ID, diff)
		}
		for _, e := range c.Events {
			if !slices.ContainsFunc(got, func(in Input) bool { return in.Event == e.Name && in.Kind == e.Kind }) {
				t.Errorf("%s: testdata has no %s of kind %s", c.ID, e.Name, e.Kind)
			}
		}
	}
}

func TestParseBadInput(t *testing.T) {
	for _, src := range []string{"", "null!", "[]", `{"session_id":`, "3", `"x"`} {
		if in, err := Parse("claude-code", []byte(src)); err == nil || in.Kind != "" {
			t.Errorf("%q: %+v, %v", src, in, err)
		}
	}
	if _, err := Parse("emacs", []byte("{}")); err == nil {
		t.Error("a client without hooks has no error")
	}
	in, err := Parse("codex", []byte("\xef\xbb\xbf"+`{"session_id":7,"cwd":"/p","hook_event_name":"PostToolUse","tool_input":[1],"source":{}}`+"\r\n"))
	if diff := cmp.Diff(Input{Kind: File, Event: "PostToolUse", Dir: "/p"}, in); err != nil || diff != "" {
		t.Errorf("fields of other types: %v\n%s", err, diff)
	}
}

func TestAnswer(t *testing.T) {
	const text = "a <b> \"c\"\nd"
	const quoted = `"a <b> \"c\"\nd"`
	want := map[string]string{
		"claude-code": `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":` + quoted + "}}\n",
		"codex":       `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":` + quoted + "}}\n",
		"gemini-cli":  `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":` + quoted + "}}\n",
		"cursor":      `{"additional_context":` + quoted + "}\n",
		"copilot-cli": `{"additionalContext":` + quoted + "}\n",
		"kiro":        text + "\n",
		"opencode":    text + "\n",
	}
	for _, c := range Clients {
		for _, src := range inputs(t, c.ID) {
			in, _ := Parse(c.ID, src)
			got := string(Answer(c.ID, in, text))
			silent := in.Kind == "" || in.Kind == Compacting || in.Kind == End || c.ID == "windsurf" || c.ID == "kiro" && in.Kind == File
			if form := strings.Replace(want[c.ID], "SessionStart", in.Event, 1); !silent && got != form || silent && got != "" {
				t.Errorf("%s: %s: got %q", c.ID, in.Event, got)
			}
			if Answer(c.ID, in, "") != nil {
				t.Errorf("%s: %s: an answer without a text", c.ID, in.Event)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	for i, c := range Clients {
		for _, src := range inputs(f, c.ID) {
			f.Add(i, src)
		}
	}
	f.Fuzz(func(t *testing.T, i int, src []byte) {
		c := Clients[uint(i)%uint(len(Clients))]
		in, err := Parse(c.ID, src)
		if err != nil && in.Kind != "" {
			t.Errorf("an error and the kind %q", in.Kind)
		}
		out := Answer(c.ID, in, "text")
		if len(out) > 0 && c.answer != plainText && !json.Valid(out) {
			t.Errorf("the answer is no JSON: %s", out)
		}
	})
}

func TestSampleAndCheck(t *testing.T) {
	for _, c := range Clients {
		in, err := Parse(c.ID, Sample(c, "/p"))
		if err != nil || in.Kind != c.Events[0].Kind || in.Session != SampleSession || in.Dir != "/p" {
			t.Errorf("%s: %+v, %v", c.ID, in, err)
		}
		if err := Check(c, Answer(c.ID, in, "text")); err != nil {
			t.Errorf("%s: %v", c.ID, err)
		}
		bad := "\xff"
		if c.answer != plainText {
			bad = `{"text":"x"}`
		}
		if Check(c, []byte(bad)) == nil || c.answer != plainText && Check(c, []byte("text")) == nil {
			t.Errorf("%s: a bad answer passes", c.ID)
		}
	}
}

// TestCaller: of the hooks in Claude Code's file only the events of Copilot CLI that get an answer are Copilot's.
func TestCaller(t *testing.T) {
	for _, src := range inputs(t, "claude-code") {
		if got := Caller("claude-code", src); got != "claude-code" {
			t.Errorf("%s: %s", src, got)
		}
	}
	for _, src := range inputs(t, "copilot-cli") {
		in, _ := Parse("copilot-cli", src)
		answered := in.Kind != Compacting && in.Kind != End
		if got := Caller("claude-code", src); answered != (got == "copilot-cli") {
			t.Errorf("%s: %s", src, got)
		}
	}
	if got := Caller("gemini-cli", inputs(t, "copilot-cli")[0]); got != "gemini-cli" {
		t.Error(got)
	}
}
