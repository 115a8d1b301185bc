package transcript

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	_ "sdd/internal/longtest"
)

// read returns the messages of a transcript, one a line: line, role, text.
func read(t *testing.T, f Format, text string) string {
	t.Helper()
	var b strings.Builder
	err := Read(strings.NewReader(text), f, func(m Message) error {
		switch {
		case m.Role == Command:
			fmt.Fprintf(&b, "%d command %s failed=%v\n", m.Line, m.Command, m.Failed)
		default:
			fmt.Fprintf(&b, "%d %s %s\n", m.Line, []string{"user", "agent"}[m.Role], strings.Join(strings.Fields(m.Text), " "))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestRead(t *testing.T) {
	for _, c := range []struct {
		name   string
		format Format
		text   string
		want   string
	}{
		{"context of the client, code, quotes and logs are nobody's words", ClaudeCode,
			`{"type":"user","message":{"content":"<system-reminder>Always lint.</system-reminder>Go on\n> quoted\n` + "```" + `\ncode\n` + "```" +
				`\n[INFO] started\n2026-01-01 10:00:00 up"}}` + "\n", "1 user Go on\n"},
		{"a tag that is never closed is text", ClaudeCode, `{"type":"user","message":{"content":"the <my-tag> element"}}`, "1 user the <my-tag> element\n"},
		{"the prompt of a subagent is the agent's", ClaudeCode, `{"type":"user","isSidechain":true,"message":{"content":"Look"}}`, "1 agent Look\n"},
		{"a summary is nobody's", ClaudeCode, `{"type":"user","isCompactSummary":true,"message":{"content":"We decided"}}`, ""},
		{"what the user said when it refused a tool", ClaudeCode, `{"type":"user","message":{"content":[{"type":"tool_result","is_error":true,` +
			`"content":"The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nuse make"}]}}`, "1 user use make\n"},
		{"garbage, half a line, a lone scalar", ClaudeCode, "garbage\n{\"type\":\n7\n\n" + `{"type":"user","message":{"content":"whole"}}` + "\n" +
			`{"type":"user","message":{"content":"ha`, "5 user whole\n"},
		{"codex, both forms of a message", Codex, `{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"s"}}
{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"# AGENTS.md instructions for /x\nlint"}]}}
{"type":"response_item","payload":{"type":"message","role":"developer","content":[{"type":"input_text","text":"rules"}]}}
{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Hello"}]}}
{"type":"event_msg","payload":{"type":"user_message","message":"Hello"}}
{"type":"event_msg","payload":{"type":"agent_reasoning","text":"hm"}}
{"type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"bash\",\"-lc\",\"make x\"]}","call_id":"c"}}
{"type":"response_item","payload":{"type":"function_call_output","call_id":"c","output":"{\"output\":\"no\",\"metadata\":{\"exit_code\":2}}"}}
{"type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"make y\"}","call_id":"d"}}
{"type":"response_item","payload":{"type":"function_call_output","call_id":"d","output":"Process exited with code 0\nok"}}
{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Done"}]}}
`, "4 user Hello\n7 command make x failed=true\n9 command make y failed=false\n11 agent Done\n"},
		{"codex of 2025, without an envelope", Codex, `{"id":"s","timestamp":"2025-05-01T00:00:00Z","instructions":null}
{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hi"}]}`, "2 agent Hi\n"},
		{"gemini, one document", Gemini, `{
  "sessionId": "g", "projectHash": "h",
  "messages": [
    {"id": "1", "timestamp": "2026-01-01T00:00:00Z", "type": "user",
     "content": [{"text": "Hello"}]},
    {"id": "2", "type": "gemini", "content": "Hi {\"a\":[1]}", "toolCalls": [{"name": "run_shell_command", "status": "success",
     "args": {"command": "make x"}, "result": [{"functionResponse": {"response": {"output": "Exit Code: 2"}}}]}]},
    {"id": "3", "type": "info", "content": "note"},
    {"id": "4", "type": "user", "content": "half`, "4 user Hello\n6 agent Hi {\"a\":[1]}\n6 command make x failed=true\n"},
		{"gemini, records", Gemini, `{"sessionId":"g","projectHash":"h","startTime":"2026-01-01T00:00:00Z"}
{"id":"1","type":"user","content":[{"text":"Hello\n--- Content from referenced files ---\nalways"}]}
{"$set":{"messages":[{"id":"2","type":"gemini","content":"Hi"}]}}
{"$rewindTo":"1"}
`, "2 user Hello\n3 agent Hi\n"},
		{"cursor, records", Cursor, `{"role":"user","message":{"content":[{"type":"text","text":"<user_info>mac</user_info>\n<user_query>\nHello\n</user_query>"}]}}
{"role":"assistant","message":{"content":[{"type":"text","text":"Hi"},{"type":"tool_use","name":"Read","input":{}}]}}
`, "1 user Hello\n2 agent Hi\n"},
		{"cursor, a chat as Markdown", Cursor, "# Chat\n_Exported on 1/1/2026 from Cursor (1.0)_\n\n---\n\n**User**\n\nHello\n\n---\n\n**Cursor**\n\nHi\n",
			"6 user Hello\n12 agent Hi\n"},
		{"copilot of the terminal", Copilot, `{"type":"session.start","data":{"sessionId":"c"},"timestamp":"2026-01-01T00:00:00Z"}
{"type":"user.message","data":{"content":"Hello","transformedContent":"<reminder>x</reminder>Hello"}}
{"type":"tool.execution_start","data":{"toolCallId":"1","toolName":"bash","arguments":{"command":"make x"}}}
{"type":"tool.execution_complete","data":{"toolCallId":"1","success":true,"result":{"content":"no\n<exited with exit code 2>"}}}
{"type":"assistant.message","data":{"content":"Hi","toolRequests":[]}}
`, "2 user Hello\n3 command make x failed=true\n5 agent Hi\n"},
		{"copilot of VS Code", Copilot, `{
  "requesterUsername": "ann", "sessionId": "c",
  "requests": [
    {"requestId": "1", "timestamp": 1767225600000, "message": {"text": "Hello", "parts": [{"text": "Hello"}]},
     "response": [{"value": "Hi "}, {"kind": "inlineReference", "name": "x"}, {"value": "there"}, {"kind": "toolInvocationSerialized", "toolId": "x"}]}
  ]
}`, "4 user Hello\n4 agent Hi there\n"},
		{"copilot of VS Code, changes", Copilot, `{"kind":0,"v":{"sessionId":"c","requests":[]}}
{"kind":2,"k":["requests"],"v":[{"timestamp":1767225600000,"message":{"text":"Hello"},"response":[]}]}
{"kind":2,"k":["requests",0,"response"],"v":[{"value":"Hi"}]}
{"kind":1,"k":["customTitle"],"v":"Greeting"}
`, "2 user Hello\n3 agent Hi\n"},
		{"specstory", SpecStory, "<!-- Generated by SpecStory, Markdown v2.1.0 -->\n\n<!-- Claude Code Session s (2026-01-01 10:00:00Z) -->\n\n" +
			"_**User (2026-01-01 10:00:00Z)**_\n\nHello\n\n---\n\n_**Agent (m 2026-01-01 10:00:05Z)**_\n\n<think><details><summary>Thought Process</summary>\n" +
			"We decided.\n</details></think>\n\n<tool-use data-tool-type=\"read\" data-tool-name=\"Read\"><details>\n<summary>x</summary>\n_**User**_\nAlways.\n" +
			"</details></tool-use>\n\nHi\n\n_**User - sidechain**_\n\nLook\n", "5 user Hello\n11 agent Hi\n25 agent Look\n"},
		{"a chat with labels", MarkdownChat, "intro\n\n**User:** Hello\nthere\n\n**Assistant (gpt-5):** Hi\n\n```\n**User:** no\n```\n\n## 🧑 User\n\nUser interface\n\nAI: yes\n",
			"3 user Hello there\n6 agent Hi\n12 user User interface\n16 agent yes\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := read(t, c.format, c.text); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
			if got := Detect("chat.md", []byte(c.text)); got != c.format && c.name != "a summary is nobody's" && len(c.text) > 400 {
				t.Errorf("Detect: %q", got)
			}
		})
	}
}

func TestAt(t *testing.T) {
	var lines []int
	Read(strings.NewReader("## User\n\none\n\n```\nx\n```\n> y\nthree\n"), MarkdownChat, func(m Message) error {
		for i, l := range strings.Split(m.Text, "\n") {
			if strings.TrimSpace(l) != "" {
				lines = append(lines, m.At(i+1))
			}
		}
		return nil
	})
	if fmt.Sprint(lines) != "[3 9]" {
		t.Errorf("%v", lines)
	}
}

func TestTime(t *testing.T) {
	for text, want := range map[string]string{
		`_**User (2026-01-28 13:36:04Z)**_`:     "2026-01-28T13:36:04Z",
		`_**User (2026-01-28 13:36:04-0700)**_`: "2026-01-28T20:36:04Z",
		`_**User (2025-06-01 09:05)**_`:         "2025-06-01T09:05:00Z",
		`_**User**_`:                            "0001-01-01T00:00:00Z",
	} {
		if got := stamped(text).Format(time.RFC3339); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
}

// repeated yields a text n times.
type repeated struct {
	text string
	n    int
	rest string
	heap uint64 // the most while it was read
}

func (r *repeated) Read(p []byte) (int, error) {
	if r.rest == "" {
		if r.n == 0 {
			return 0, io.EOF
		}
		r.n, r.rest = r.n-1, r.text
		if r.n%(1+r.n/64) == 0 {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			r.heap = max(r.heap, m.HeapAlloc)
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// TestMemory reads transcripts with lines and values above the limit, and with many messages.
func TestMemory(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(20))
	long := strings.Repeat("x", 1<<20)
	for _, c := range []struct {
		name   string
		format Format
		head   string
		r      *repeated
	}{
		{"one line", ClaudeCode, `{"type":"user","message":{"content":"`, &repeated{text: long, n: 40}},
		{"one value", Gemini, "{\n\"messages\": [\n{\"content\": \"", &repeated{text: long, n: 40}},
		{"brackets", Gemini, "{\n", &repeated{text: strings.Repeat("[{", 1<<19), n: 32}},
		{"one text", SpecStory, "_**User**_\n", &repeated{text: long, n: 40}},
		{"many lines", SpecStory, "_**User**_\n", &repeated{text: strings.Repeat("word\n", 1<<18), n: 32}},
		{"messages", ClaudeCode, "", &repeated{text: `{"type":"assistant","message":{"content":[{"type":"text","text":"` + long[:4000] + `"}]}}` + "\n", n: 10 << 10}},
	} {
		runtime.GC()
		var before runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		if err := Read(io.MultiReader(strings.NewReader(c.head), c.r), c.format, func(Message) error { return nil }); err != nil {
			t.Error(c.name, err)
		}
		t.Logf("%s: %v, %d KiB", c.name, time.Since(start).Round(time.Millisecond), (c.r.heap-before.HeapAlloc)>>10)
		if c.r.heap > before.HeapAlloc+32<<20 {
			t.Errorf("%s: %d MiB", c.name, (c.r.heap-before.HeapAlloc)>>20)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(0, []byte(`{"type":"user","message":{"content":"<a-b>x</a-b> [Request"}}`))
	f.Add(1, []byte(`{"type":"response_item","payload":{"type":"function_call","arguments":"{\"command\":[\"a\",\"-c\"]}","call_id":"c"}}`))
	f.Add(2, []byte("{\n\"messages\": [\n{\"type\":\"user\",\"content\":\"x\"}, {\"$set\":{\"messages\":[{\"messages\":[{}]}]}}"))
	f.Add(3, []byte("**User**\n\n---\n**Cursor**\n"))
	f.Add(4, []byte(`{"kind":2,"k":["requests",0,"response"],"v":[{"kind":"x","value":1}]}`))
	f.Add(5, []byte("_**User (2026-01-01 00:00)**_\n<think><details>\n_**Agent**_\n"))
	f.Add(6, []byte("**User:** a\n```\nAI: b\n~~~\n"))
	f.Fuzz(func(t *testing.T, format int, text []byte) {
		lines := strings.Count(string(text), "\n") + 1
		size := 0
		err := Read(strings.NewReader(string(text)), Formats[uint(format)%uint(len(Formats))], func(m Message) error {
			size += len(m.Text) + len(m.Command)
			if m.Line < 1 || m.Line > lines || m.Role == Command != (m.Command != "") || m.Role == Command == (m.Text != "") {
				t.Fatalf("%+v of %d lines", m, lines)
			}
			if last := m.At(strings.Count(m.Text, "\n") + 1); last > lines && m.spread {
				t.Fatalf("line %d of %d", last, lines)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if size > 8*len(text)+100 {
			t.Fatalf("%d bytes of messages from %d", size, len(text))
		}
		Detect("", text)
	})
}
