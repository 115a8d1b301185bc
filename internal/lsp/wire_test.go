package lsp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"sdd/internal/app"
)

func framed(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

const (
	hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`
	bye   = `{"jsonrpc":"2.0","id":9,"method":"shutdown"}`
	exit  = `{"jsonrpc":"2.0","method":"exit"}`
)

// talkRaw serves an input and returns the bodies of the responses and the end of the server.
func talkRaw(t testing.TB, in io.Reader) (answers []string, err error) {
	t.Helper()
	var out, log bytes.Buffer
	open := func(string) (*app.App, error) { return nil, errors.New("no store") }
	err = Serve(context.Background(), open, "test", in, &out, &log)
	r := bufio.NewReader(&out)
	for {
		n, bad := readHeader(r)
		if bad != nil {
			return answers, err
		}
		body := make([]byte, n)
		if _, bad := io.ReadFull(r, body); bad != nil {
			t.Fatal(bad)
		}
		answers = append(answers, string(body))
	}
}

// TestBadInput: what is no message gets an error or ends the server, and never more.
func TestBadInput(t *testing.T) {
	all := func(bodies ...string) string {
		var b strings.Builder
		for _, body := range bodies {
			b.WriteString(framed(body))
		}
		return b.String()
	}
	for name, c := range map[string]struct {
		in   string
		want string // in the answers, one after the other
		fail bool   // the server ends with an error
	}{
		"nothing":            {"", "", false},
		"garbage":            {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "-32700", true},
		"binary":             {"\x00\xff\x00\n\n", "-32700", true},
		"one long line":      {strings.Repeat("x", 1<<16), "-32700", true},
		"many header lines":  {strings.Repeat("A: b\r\n", 2000), "-32700", true},
		"no length":          {"Content-Type: x\r\n\r\n{}", "-32700", true},
		"negative":           {"Content-Length: -1\r\n\r\n", "-32700", true},
		"not a number":       {"Content-Length: 1e3\r\n\r\n", "-32700", true},
		"over 64 bits":       {"Content-Length: 99999999999999999999\r\n\r\n", "-32700", true},
		"ends in the header": {"Content-Len", "", false},
		"shorter than said":  {"Content-Length: 100\r\n\r\n{}", "", false},
		"no JSON":            {all("{", hello, bye, exit), "-32700 serverInfo null", false},
		"half of a message":  {all(hello[:20], hello, bye, exit), "-32700 serverInfo null", false},
		"a batch":            {all("["+hello+"]", bye), "-32600 -32002", false},
		"another version":    {all(`{"jsonrpc":"1.0","id":1,"method":"initialize"}`), "-32600", false},
		"an id of an object": {all(`{"jsonrpc":"2.0","id":{},"method":"initialize"}`), "-32600", false},
		"before initialize":  {all(`{"jsonrpc":"2.0","id":"a","method":"textDocument/hover","params":{}}`, bye), "-32002 -32002", false},
		"twice":              {all(hello, hello, bye, exit), "serverInfo -32600 null", false},
		"after shutdown":     {all(hello, bye, hello, exit), "serverInfo null -32600", false},
		"exit at once":       {all(exit), "", true},
		"unknown request":    {all(hello, `{"jsonrpc":"2.0","id":2,"method":"$/x"}`, bye, exit), "serverInfo -32601 null", false},
		"unknown notice":     {all(hello, `{"jsonrpc":"2.0","method":"$/x","params":[1]}`, bye, exit), "serverInfo null", false},
		"wrong parameters": {
			all(hello, `{"jsonrpc":"2.0","id":2,"method":"textDocument/hover","params":[1]}`, bye, exit), "serverInfo -32602 null", false,
		},
		"a response":        {all(hello, `{"jsonrpc":"2.0","id":7,"result":1}`, bye, exit), "serverInfo null", false},
		"change of no file": {all(hello, `{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"x"}}}`, bye), "serverInfo null", false},
		"no file": {
			all(hello, `{"jsonrpc":"2.0","id":2,"method":"textDocument/hover","params":{"textDocument":{"uri":"untitled:1"},"position":{"line":-1,"character":-5}}}`, bye, exit),
			`serverInfo "result":null "result":null`, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			answers, err := talkRaw(t, strings.NewReader(c.in))
			if (err != nil) != c.fail {
				t.Errorf("the server ended with %v", err)
			}
			rest := strings.Join(answers, "\n")
			for _, want := range strings.Fields(c.want) {
				i := strings.Index(rest, want)
				if i < 0 {
					t.Fatalf("no %s in %s\nof %s", want, rest, answers)
				}
				rest = rest[i+len(want):]
			}
			if want := len(strings.Fields(c.want)); len(answers) != want {
				t.Errorf("%d answers, want %d: %s", len(answers), want, answers)
			}
		})
	}
}

// TestLongMessage: a message of 64 MB is refused, and the next one is answered.
func TestLongMessage(t *testing.T) {
	const size = 64 << 20
	answers, err := talkRaw(t, io.MultiReader(
		strings.NewReader(fmt.Sprintf("Content-Length: %d\r\n\r\n", size)), io.LimitReader(zeros{}, size), strings.NewReader(framed(hello)),
	))
	if err != nil || len(answers) != 2 || !strings.Contains(answers[0], "67108864 bytes") || !strings.Contains(answers[1], "serverInfo") {
		t.Errorf("%v, %.200s", err, answers)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// TestClientGone: the server ends with its client's process, even when its input stays open.
func TestClientGone(t *testing.T) {
	gone := exec.Command("git", "--version")
	if err := gone.Run(); err != nil {
		t.Skip(err)
	}
	c := dial(t, t.TempDir())
	c.send("initialize", map[string]any{"processId": gone.Process.Pid, "rootUri": uriOf(c.root)}) // the server may end before it answers
	if err := <-c.ended; err != nil {
		t.Error(err)
	}
}

// TestCancel: a cancelled request is answered with the code for it, or with its result when that was quicker.
func TestCancel(t *testing.T) {
	c := dial(t, topics(t, 50))
	c.initialize(nil)
	const doc = ".sdd/explore/topic-1.md"
	c.open(doc)
	id := c.send("textDocument/references", c.where(doc, "Topic 1"))
	c.out.notify("$/cancelRequest", map[string]any{"id": c.next})
	answer := string(c.answer(id))
	if !strings.Contains(answer, fmt.Sprint(codeCancelled)) && !strings.Contains(answer, "topic-1.md") {
		t.Error(answer)
	}
}

// topics writes a store of n explorations.
func topics(t testing.TB, n int) string {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(root, ".sdd/explore"), 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		text := fmt.Sprintf("---\ntitle: Topic %d\n---\n\n## Goals\n\n- see sdd://explore/topic-%d\n", i, (i+1)%n)
		if err := os.WriteFile(filepath.Join(root, fmt.Sprintf(".sdd/explore/topic-%d.md", i)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// TestManyEdits: of a thousand edits without a pause the last one is checked, most of the others are not.
func TestManyEdits(t *testing.T) {
	c := dial(t, topics(t, 3))
	c.initialize(nil)
	const doc = ".sdd/explore/topic-1.md"
	c.open(doc)
	for i := range 1000 {
		if i%2 == 0 {
			c.change(doc, "- see", "- 😀é see")
		} else {
			c.change(doc, "- 😀é see", "- see")
		}
	}
	c.change(doc, "topic-2", "topic-77")
	if got := c.diagnostics(doc).Diagnostics; len(got) != 1 || got[0].Code != "dead-link" {
		t.Errorf("%+v", got)
	}
}

// TestOtherFiles: what is outside of a store, or no record, has no answer and no error.
func TestOtherFiles(t *testing.T) {
	root := topics(t, 1)
	for file, text := range map[string]string{"note.md": "# Note\n", ".sdd/config.yaml": "project: x\n", "bad.go": "\xff\xfe{{{"} {
		if err := os.WriteFile(filepath.Join(root, file), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	outside := filepath.Join(t.TempDir(), "outside.md")
	if err := os.WriteFile(outside, []byte("# Outside\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	rel, err := filepath.Rel(root, outside)
	if err != nil {
		t.Skip(err)
	}
	c := dial(t, root)
	c.initialize(nil)
	for _, file := range []string{"note.md", ".sdd/config.yaml", "bad.go", rel} {
		c.open(file)
		for _, method := range []string{"hover", "completion", "definition", "references", "documentSymbol", "foldingRange", "codeAction", "codeLens"} {
			answer := string(c.call("textDocument/"+method, c.where(file, "")))
			if answer != "null" && answer != "[]" {
				t.Errorf("%s of %s: %s", method, file, answer)
			}
		}
	}
}

// TestWithoutStore: a project without records has no answers, until it has some.
func TestWithoutStore(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "main.go"), []byte("package main\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	c := dial(t, root)
	c.initialize(nil)
	c.open("main.go")
	if got := string(c.call("textDocument/codeLens", c.where("main.go", "package"))); got != "null" {
		t.Error(got)
	}
	if _, err := os.Stat(filepath.Join(root, ".sdd")); err == nil {
		t.Error("the server made a store")
	}
}

// TestEncoding: a client that offers UTF-8 gets positions in bytes.
func TestEncoding(t *testing.T) {
	c := dial(t, t.TempDir())
	got := c.initialize(map[string]any{"capabilities": map[string]any{"general": map[string]any{"positionEncodings": []string{"utf-16", "utf-8"}}}})
	var result struct {
		Capabilities struct{ PositionEncoding string }
	}
	if err := json.Unmarshal(got, &result); err != nil || result.Capabilities.PositionEncoding != "utf-8" {
		t.Errorf("%s", got)
	}
}

func FuzzMessages(f *testing.F) {
	f.Add([]byte(framed(hello) + framed(`{"jsonrpc":"2.0","id":2,"method":"textDocument/hover"}`) + framed(bye) + framed(exit)))
	f.Add([]byte("Content-Length: 3\r\nContent-Length: 2\r\n\r\n{}\n"))
	f.Add([]byte("Content-Length: 400000000\r\n\r\n{}"))
	f.Fuzz(func(t *testing.T, in []byte) { _, _ = talkRaw(t, bytes.NewReader(in)) })
}

func FuzzPositions(f *testing.F) {
	f.Add([]byte("a\r\nb😀é\rc\n"), 5, 2, "x\n", true)
	f.Add([]byte("\xff\xfe\n"), 1, 1, "", false)
	f.Fuzz(func(t *testing.T, src []byte, start, end int, put string, inUTF8 bool) {
		text := newText(src, inUTF8)
		for offset := range len(src) + 1 {
			p := text.position(offset)
			back := text.offset(p)
			inLineEnd := offset < len(src) && (src[offset] == '\n' && offset > 0 && src[offset-1] == '\r')
			inRune := offset < len(src) && !utf8.RuneStart(src[offset])
			if !inLineEnd && !inRune && utf8.Valid(src) && back != offset {
				t.Fatalf("byte %d of %q is %+v, and that is byte %d", offset, src, p, back)
			}
			if back > offset && !inRune || p.Line >= len(text.lines) {
				t.Fatalf("byte %d of %q is %+v, and that is byte %d", offset, src, p, back)
			}
		}
		a, b := text.offset(position{start, end}), text.offset(position{end, start})
		r := span{text.position(min(a, b)), text.position(max(a, b))}
		after := text.with(change{&r, put})
		want := string(src[:text.offset(r.Start)]) + put + string(src[text.offset(r.End):])
		if string(after.src) != want {
			t.Fatalf("%q with %q at %+v is %q", src, put, r, after.src)
		}
		if e := text.until(after.src); string(text.with(change{&e.Range, e.Text}).src) != want && utf8.Valid(src) && utf8.ValidString(put) {
			t.Fatalf("%q until %q is %+v", src, want, e)
		}
	})
}
