package signal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// blocks are pieces of prose and code that leave nothing open.
var blocks = []string{
	"The build passes now, but it took three runs: the cache was cold.",
	"a < b and c > d, so x << 2",
	"# Heading with a `span`",
	"- one\n- two with `x <y>`\n  - three",
	"> quoted: \"words\"",
	"```go\nif a < b {\n\treturn\n}\n```",
	"~~~~ text\n```\nnot closed in here\n~~~~",
	"1. first\n\n   ```sh\n   ls -l\n   ```\n2. second",
	"| a | b |\n|---|---|\n| `c` | d |",
	"See `<swarm>LEARNING_LOCAL:an example</swarm>` or ``a ` b``.",
	"An odd ` tick, and C:\\dir\\`x`.",
	"<p>markup: &lt;</p>",
	`{"type":"assistant","text":"a \"quoted\" <b>"}`,
	"日本語の文。Ümläute. 🚀",
	"line one\nline two\nline three",
}

var contents = []string{
	"use", "x<y", "a -> b", "std::map<k, v>", "\"quoted\"", "it's", "`code`", "`</swarm>`", "key: value", "</div>", "<swarms>", "</chorus>", "<swarm> ",
	"<swarm>DONE</swarm>", "\n", "\n\n", "\nlist:\n- item", "日本", "🚀", "C:\\new", "100%", "&amp;", "{\"a\": 1}", "# no", "~~", "|",
}

func pick(r *rand.Rand, from []string) string { return from[r.IntN(len(from))] }

// TestASignalAnywhereIsFound puts a signal at a random place outside code.
func TestASignalAnywhereIsFound(t *testing.T) {
	for seed := range uint64(4000) {
		r := rand.New(rand.NewPCG(seed, 4))
		var parts []string
		for range 1 + r.IntN(8) {
			parts = append(parts, pick(r, contents))
		}
		content := strings.TrimSpace("w " + strings.Join(parts, " ") + " w")
		family := families[r.IntN(len(families))]
		name := names[r.IntN(len(names))]
		// Of the tags only the family that closes the payload may be in it, and only in pairs.
		content = strings.NewReplacer("<swarm>", "<"+family+">", "</swarm>", "</"+family+">", "</chorus>", "</axiom >").Replace(content)
		var text strings.Builder
		for range r.IntN(6) {
			text.WriteString(pick(r, blocks) + "\n\n")
		}
		if r.IntN(2) == 0 {
			text.WriteString("some words and then ")
		}
		line := 1 + strings.Count(text.String(), "\n")
		fmt.Fprintf(&text, "<%s>%s:%s</%s>", family, name, content, family)
		text.WriteString(pick(r, []string{"", "\n", " and on it goes\n"}))
		for range r.IntN(6) {
			text.WriteString("\n\n" + pick(r, blocks))
		}
		got, warnings := ScanString(text.String(), 0)
		want := Signal{Name: name, Global: strings.HasSuffix(name, "_GLOBAL"), Content: content, Line: line}
		if len(got) != 1 || got[0] != want || len(warnings) != 0 {
			t.Fatalf("seed %d: got %+v and %+v, want %+v in\n%s", seed, got, warnings, want, text.String())
		}
	}
}

// TestLargerThanTheView puts signals at every kind of place relative to the borders of the view: in a text on
// lines, in one line, and in one JSON string.
func TestLargerThanTheView(t *testing.T) {
	const max = 512
	filler := strings.Repeat("words of an agent, ", 1000)
	for shift := range 60 {
		var text, want strings.Builder
		for i := range 12 {
			text.WriteString(filler[:len(filler)-shift*7-i])
			fmt.Fprintf(&text, "<swarm>LEARNING_LOCAL:number %d says \"x<y\"</swarm>", i)
			fmt.Fprintf(&want, "number %d says \"x<y\"\n", i)
		}
		record, _ := json.Marshal(map[string]any{"id": 7, "text": text.String(), "end": []int{1}})
		for _, in := range []string{text.String(), strings.ReplaceAll(text.String(), "agent, ", "agent,\n"), string(record), string(record) + "\n{}\n"} {
			var got strings.Builder
			signals, warnings := ScanString(in, max)
			for _, s := range signals {
				got.WriteString(s.Content + "\n")
			}
			if got.String() != want.String() || len(warnings) > 0 {
				t.Fatalf("shift %d, %.20q…: got %q with %v, want %q", shift, in, got.String(), warnings, want.String())
			}
		}
	}
}

func TestWhoseWords(t *testing.T) {
	const x = "<swarm>LEARNING_LOCAL:x</swarm>"
	for line, want := range map[string]Source{
		x:                      Unmarked,
		`{"text":"` + x + `"}`: Unmarked,
		`{"role":"assistant","content":"` + x + `"}`:                                                                                     Assistant,
		`{"role":"user","content":"` + x + `"}`:                                                                                          User,
		`{"role":"developer","content":"` + x + `"}`:                                                                                     System,
		`{"type":"assistant","message":{"content":[{"type":"text","text":"` + x + `"}]}}`:                                                Assistant,
		`{"type":"assistant","message":{"content":[{"type":"tool_use","input":{"command":"` + x + `"}}]}}`:                               Tool,
		`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":[{"type":"text","text":"` + x + `"}]}]}}`:    Tool,
		`{"type":"user","toolUseResult":{"stdout":"` + x + `"}}`:                                                                         Tool,
		`{"type":"user","toolUseResult":{"stdout":"y"},"note":"` + x + `"}`:                                                              User,
		`{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"` + x + `"}]}}`: Assistant,
		`{"type":"response_item","payload":{"type":"function_call_output","output":"` + x + `"}}`:                                        Tool,
		`{"type":"response_item","payload":{"type":"function_call","arguments":"{\"a\":\"` + x + `\"}"}}`:                                Tool,
		`[{"role":"user","content":"y"},{"role":"model","parts":[{"text":"` + x + `"}]}]`:                                                Assistant,
	} {
		got, warnings := ScanString(line, 0)
		if len(got) != 1 || got[0].Source != want || len(warnings) > 0 {
			t.Errorf("%s\ngot %+v with %v, want one of source %q", line, got, warnings, want)
		}
	}
}

// hostile are pieces that cost the most for their length.
var hostile = map[string]string{
	"unclosed":            "<swarm>LEARNING_LOCAL:",
	"unclosed on lines":   "<swarm>LEARNING_LOCAL:x\n",
	"unclosed control":    "<swarm>A:",
	"control":             "<swarm>A</swarm>",
	"opening tags":        "<swarm>",
	"closing tags":        "</swarm>",
	"angle brackets":      "<",
	"ticks apart":         "` ``  ``` ",
	"ticks and signals":   "`<swarm>LEARNING_LOCAL:",
	"odd ticks":           "`x``<swarm>LEARNING_LOCAL:``` </swarm>",
	"escapes":             "\\`",
	"fences":              "```\n",
	"fences and signals":  "```\n<swarm>LEARNING_LOCAL:x</axiom>\n",
	"quotes":              "> ",
	"list markers":        "- ",
	"list lines":          "- `\n",
	"blanks":              " ",
	"line ends":           "\n",
	"braces":              "{",
	"records":             "{\"a\":\"<\n",
	"brackets and quotes": "[\"<",
	"quotes on lines":     "\"<\n",
	"nested strings":      "{\"a\":\"{\\\"a\\\":\\\"<",
	"escaped":             "{\"a\":\"\\u003cswarm>LEARNING_LOCAL:\"}\n",
}

// TestHostileTextsTakeLinearTime runs into the time limit of tests if the work for one of them grows with the
// square of its length.
func TestHostileTextsTakeLinearTime(t *testing.T) {
	for name, piece := range hostile {
		for first, size := range map[string]int{"": 1 << 20, "<swarm>LEARNING_LOCAL:": 1 << 16, "` ": 1 << 16, "```\n": 1 << 16, `{"a":"`: 1 << 16} {
			warnings, err := Scan(strings.NewReader(first+strings.Repeat(piece, size/len(piece))), 0, func(Signal) error { return nil })
			if err != nil || len(warnings) > MaxWarnings+1 {
				t.Errorf("%s after %q: %v, %d warnings", name, first, err, len(warnings))
			}
		}
	}
}

// TestEdges pins rules that only odd texts show.
func TestEdges(t *testing.T) {
	const yes, no = "<swarm>LEARNING_LOCAL:yes</swarm>", "<swarm>LEARNING_LOCAL:no</swarm>"
	for text, want := range map[string]string{
		"    ```\n" + yes + "\n":                          "yes", // indented code, no fence
		"- a\n\n      ```\n      " + no + "\n      ```\n": "",    // a fence in a list
		"- a\n\nb\n    ```\n\n" + yes + "\n":              "yes", // the list is over
		// Ticks in two signals are no code around the text between them.
		"<swarm>LEARNING_LOCAL:a ` b</swarm> <swarm>LEARNING_LOCAL:c ` d</swarm>": "a ` b|c ` d",
		"``` " + no + "\n```\n" + yes:                                                                           "yes", // the line of the fence is code too
		"`" + strings.Repeat("x", maxSpan) + "` " + yes:                                                         "yes",
		"`" + strings.Repeat("x\n", maxSpan) + yes + "` y":                                                      "yes", // too far apart for a code span
		"<swarm>LEARNING_LOCAL : yes </swarm>":                                                                  "yes",
		"<swarm>" + strings.Repeat(" ", maxBlank+1) + "LEARNING_LOCAL:no</swarm>":                               "",
		"<swarm>LEARNING_LOCAL:" + strings.Repeat("`<swarm>LEARNING_LOCAL:x</swarm>` ", maxHidden) + "</swarm>": strings.TrimSpace(strings.Repeat("`<swarm>LEARNING_LOCAL:x</swarm>` ", maxHidden)),
		`{"a":"{\"b\":\"<swarm>LEARNING_LOCAL:yes\\u0021</swarm>\"}"}`:                                          "yes!",
		`{"a":"\ud800<swarm>LEARNING_LOCAL:\ud83d yes</swarm>"}`:                                                "\ufffd yes",
	} {
		var got []string
		signals, _ := ScanString(text, 0)
		for _, s := range signals {
			got = append(got, s.Content)
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%.200q: got %q, want %q", text, got, want)
		}
	}
}

func TestWarningsAreCounted(t *testing.T) {
	_, warnings := ScanString(strings.Repeat("<swarm>DONE</swarm>\n", MaxWarnings+7), 0)
	if last := warnings[len(warnings)-1]; len(warnings) != MaxWarnings+1 || last != (Warning{Omitted, 0, "7 more warnings are left out"}) {
		t.Errorf("%d warnings, the last %+v", len(warnings), last)
	}
}

// repeated reads a text over and over, up to n bytes.
type repeated struct {
	text string
	at   int
	n    int
}

func (r *repeated) Read(p []byte) (int, error) {
	if r.n <= 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), r.n)], r.text[r.at:])
	r.at = (r.at + n) % len(r.text)
	r.n -= n
	return n, nil
}

// transcript is some talk of an agent with a signal and an example in it.
var transcript = strings.Repeat("I looked at `internal/cache/store.go` and the failing test. The counter is not reset between runs, so the second one sees old entries.\n\n", 20) +
	"```go\nfunc (s *Store) Reset() {\n\ts.mu.Lock()\n\tdefer s.mu.Unlock()\n\tclear(s.entries)\n}\n```\n\n" +
	"<swarm>LEARNING_LOCAL:The cache store keeps its entries between tests; call Reset()</swarm>\n\n" +
	strings.Repeat("- ran `go test ./...`: 214 passed, if a < b then c\n", 30) + "\n"

func FuzzScan(f *testing.F) {
	for _, s := range samples(f) {
		f.Add(s.bytes(), uint16(s.Max), uint8(3))
	}
	f.Add([]byte("<swarm>LEARNING_LOCAL:0\r\r\n0</swarm>"), uint16(39), uint8(2))
	f.Fuzz(func(t *testing.T, text []byte, limit uint16, piece uint8) {
		max := int(limit)%2000 + 1
		want := scan(t, bytes.NewReader(text), max)
		if got := scan(t, pieces(text, int(piece)+1), max); !got.equal(want) {
			t.Fatalf("%q in pieces of %d: got %+v, want %+v", text, piece+1, got, want)
		}
		lines, at := 1+bytes.Count(text, []byte("\n")), 1
		for _, s := range want.signals {
			if s.Content == "" || s.Content != strings.TrimSpace(s.Content) || !utf8.ValidString(s.Content) || len(s.Content) > 3*max ||
				strings.Contains(s.Content, "\r\n") || s.Line < at || s.Line > lines {
				t.Fatalf("%q: %+v after line %d of %d", text, s, at, lines)
			}
			at = s.Line
		}
		for _, w := range want.warnings {
			if w.Line < 1 || w.Line > lines || w.Text == "" {
				t.Fatalf("%q: %+v", text, w)
			}
		}
		// A text has the same signals as a string in a record, one level of JSON further in.
		if !utf8.Valid(text) || bytes.HasPrefix(text, []byte(bom)) || bytes.Count(text, []byte(`\\\\`)) > 0 {
			return
		}
		record, err := json.Marshal(map[string]string{"text": string(text)})
		if err != nil {
			t.Fatal(err)
		}
		inner := scan(t, bytes.NewReader(record), max)
		if len(inner.signals) != len(want.signals) || len(inner.warnings) != len(want.warnings) {
			t.Fatalf("%q: got %+v in JSON, %+v as text", text, inner, want)
		}
		for i, s := range inner.signals {
			if w := want.signals[i]; s.Content != w.Content || s.Name != w.Name || s.Line != 1 {
				t.Fatalf("%q: got %+v in JSON, %+v as text", text, s, w)
			}
		}
	})
}

func benchmark(b *testing.B, text string) {
	const size = 32 << 20
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Scan(&repeated{text: text, n: size}, 0, func(Signal) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkText(b *testing.B) { benchmark(b, transcript) }

func BenchmarkRecords(b *testing.B) {
	said, _ := json.Marshal(map[string]any{"type": "assistant", "message": map[string]any{"role": "assistant", "content": []any{map[string]string{"type": "text", "text": transcript}}}})
	printed, _ := json.Marshal(map[string]any{"type": "user", "message": map[string]any{"content": []any{map[string]string{"type": "tool_result", "content": strings.Repeat("ok  \tpkg/x\t0.01s\n", 400)}}}})
	benchmark(b, string(said)+"\n"+strings.Repeat(string(printed)+"\n", 4))
}

func BenchmarkShort(b *testing.B) {
	for b.Loop() {
		if s, _ := ScanString("<swarm>LEARNING_LOCAL:This API requires authentication header</swarm>", 0); len(s) != 1 {
			b.Fatal(s)
		}
	}
}

// ScanString is Scan for a text in memory.
func ScanString(text string, max int) ([]Signal, []Warning) {
	var out []Signal
	warnings, _ := Scan(strings.NewReader(text), max, func(s Signal) error { // neither of them fails
		out = append(out, s)
		return nil
	})
	return out, warnings
}
