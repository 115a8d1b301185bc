package lsp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"sdd/internal/app"
	"sdd/internal/index"
	_ "sdd/internal/longtest" // files are in memory where there is room
	"sdd/internal/store"
)

var update = flag.Bool("update", false, "write the answers into the scripts")

func TestMain(m *testing.M) {
	authorWait = time.Minute
	now = func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
	os.Exit(m.Run())
}

// client is an editor's side of a connection with a server in this process.
type client struct {
	t       testing.TB
	root    string
	in      io.WriteCloser
	out     writer
	mu      sync.Mutex
	more    *sync.Cond
	answers map[string]json.RawMessage // by id, result or error
	pushed  map[string]published       // by uri
	asked   []string                   // methods of the server's requests and notifications
	next    int
	docs    map[string]*document // as the editor has them
	ended   chan error
}

// dial starts a server for a folder. Its result's log must stay empty.
func dial(t testing.TB, root string) *client {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := &client{
		t: t, root: root, in: inW, out: writer{out: inW}, answers: map[string]json.RawMessage{}, pushed: map[string]published{},
		docs: map[string]*document{}, ended: make(chan error, 1),
	}
	c.more = sync.NewCond(&c.mu)
	var opened *app.App
	open := func(dir string) (*app.App, error) {
		st, err := store.Open(store.Options{Dir: dir, Tool: "sdd"})
		if err != nil {
			return nil, err
		}
		opened = app.New(st, index.Open(st), app.Options{})
		opened.Tree.Patience = time.Minute // on a busy machine too
		return opened, nil
	}
	var log bytes.Buffer
	go func() {
		err := Serve(context.Background(), open, "test", inR, outW, &log)
		if opened != nil {
			opened.Close()
			opened.Index.Close()
			opened.Store.Close()
		}
		inR.Close()
		outW.Close()
		c.ended <- err
	}()
	reading := make(chan struct{})
	go func() {
		defer close(reading)
		c.read(bufio.NewReader(outR))
	}()
	t.Cleanup(func() {
		inW.Close()
		<-reading
		if log.Len() > 0 {
			t.Errorf("the server's log: %s", &log)
		}
	})
	return c
}

func (c *client) read(r *bufio.Reader) {
	for {
		n, err := readHeader(r)
		if err != nil {
			return
		}
		body := make([]byte, n)
		if _, err := io.ReadFull(r, body); err != nil {
			return
		}
		var m struct {
			ID            json.RawMessage
			Method        string
			Params        published
			Result, Error json.RawMessage
		}
		_ = json.Unmarshal(body, &m)
		c.mu.Lock()
		switch {
		case m.Method == "textDocument/publishDiagnostics":
			c.pushed[m.Params.URI] = m.Params
		case m.Method != "":
			c.asked = append(c.asked, string(body))
		case m.Error != nil:
			c.answers[string(m.ID)] = m.Error
		default:
			c.answers[string(m.ID)] = m.Result
		}
		c.more.Broadcast()
		c.mu.Unlock()
	}
}

// send sends a request and returns its id.
func (c *client) send(method string, params any) string {
	c.next++
	c.out.write(request{"2.0", c.next, method, params})
	return fmt.Sprint(c.next)
}

// answer waits for the response to a request.
func (c *client) answer(id string) json.RawMessage {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.answers[id] == nil {
		c.more.Wait()
	}
	return c.answers[id]
}

func (c *client) call(method string, params any) json.RawMessage {
	return c.answer(c.send(method, params))
}

func (c *client) initialize(options map[string]any) json.RawMessage {
	params := map[string]any{"processId": os.Getpid(), "rootUri": uriOf(c.root), "capabilities": map[string]any{
		"workspace": map[string]any{"workspaceEdit": map[string]any{"documentChanges": true, "resourceOperations": []string{"create"}}},
	}}
	for k, v := range options {
		params[k] = v
	}
	result := c.call("initialize", params)
	c.out.notify("initialized", map[string]any{})
	return result
}

func (c *client) uri(file string) string {
	return uriOf(filepath.Join(c.root, filepath.FromSlash(file)))
}

func (c *client) open(file string) {
	src, err := os.ReadFile(filepath.Join(c.root, filepath.FromSlash(file)))
	if err != nil {
		c.t.Fatal(err)
	}
	d := &document{text: newText(src, false), uri: c.uri(file), version: 1}
	c.docs[file] = d
	c.out.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": d.uri, "languageId": "markdown", "version": 1, "text": string(src),
	}})
}

// change replaces the first occurrence of a text by an incremental change.
func (c *client) change(file, old, now string) {
	d := c.docs[file]
	at := bytes.Index(d.src, []byte(old))
	if at < 0 {
		c.t.Fatalf("%s has no %q", file, old)
	}
	r := d.span(at, at+len(old))
	d.version++
	d.text = d.with(change{&r, now})
	c.out.notify("textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": d.uri, "version": d.version},
		"contentChanges": []change{{&r, now}},
	})
}

// diagnostics waits for those of the present version of a document.
func (c *client) diagnostics(file string) published {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.pushed[c.uri(file)].Version < c.docs[file].version {
		c.more.Wait()
	}
	return c.pushed[c.uri(file)]
}

// where returns the parameters for a place: of a text in the document, with | at the cursor.
func (c *client) where(file, text string) map[string]any {
	d := c.docs[file]
	if d == nil {
		c.t.Fatalf("%s is not open", file)
	}
	before, after, _ := strings.Cut(text, "|")
	at := bytes.Index(d.src, []byte(before+after))
	if at < 0 {
		c.t.Fatalf("%s has no %q", file, before+after)
	}
	p := d.position(at + len(before))
	return map[string]any{
		"textDocument": map[string]any{"uri": d.uri}, "position": p, "range": span{p, p},
		"context": map[string]any{"includeDeclaration": true, "diagnostics": []any{}},
	}
}

// TestTalk plays the scripts of testdata/talk: the files of a project, and in the comment what an editor does, a command a line.
//
//	open FILE
//	change FILE OLD NEW       # \n is a line end
//	diagnostics FILE
//	METHOD FILE TEXT [JSON]   # textDocument/METHOD at the text, at its | where it has one; JSON are further parameters
//	ask METHOD JSON
//
// The answers are in the file "answers"; -update writes them.
func TestTalk(t *testing.T) {
	scripts, err := filepath.Glob("testdata/talk/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, script := range scripts {
		t.Run(strings.TrimSuffix(filepath.Base(script), ".txtar"), func(t *testing.T) { talk(t, script) })
	}
}

func talk(t *testing.T, script string) {
	a, err := txtar.ParseFile(script)
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	want := ""
	for _, f := range a.Files {
		if f.Name == "answers" {
			want = string(f.Data)
			continue
		}
		file := filepath.Join(root, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"}, {"add", "-A"},
		{"-c", "user.name=Ann", "-c", "user.email=ann@example.com", "commit", "-q", "-m", "begin", "--date=2026-01-02T03:04:05Z"},
	} {
		cmd := exec.Command("git", append([]string{"-C", root}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	c := dial(t, root)
	c.initialize(nil)
	var got strings.Builder
	for line := range strings.Lines(string(a.Comment)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		verb, rest, _ := strings.Cut(line, " ")
		file, rest, _ := strings.Cut(rest, " ")
		switch verb {
		case "open":
			c.open(file)
		case "change":
			old, now, _ := strings.Cut(rest, " => ")
			c.change(file, strings.ReplaceAll(old, `\n`, "\n"), strings.ReplaceAll(now, `\n`, "\n"))
		default:
			fmt.Fprintf(&got, "> %s\n", line)
			var result any
			switch verb {
			case "diagnostics":
				text, _ := json.Marshal(c.diagnostics(file).Diagnostics)
				_ = json.Unmarshal(text, &result)
			case "ask":
				_ = json.Unmarshal(c.call(file, json.RawMessage(strings.ReplaceAll(rest, "$ROOT", uriOf(root)))), &result)
			default:
				where, extra, _ := strings.Cut(rest, " {")
				params := c.where(file, where)
				if extra != "" {
					if err := json.Unmarshal([]byte("{"+extra), &params); err != nil {
						t.Fatal(line, err)
					}
				}
				_ = json.Unmarshal(c.call("textDocument/"+verb, params), &result)
			}
			got.WriteString(strings.ReplaceAll(shown(result, ""), uriOf(root), "$ROOT") + "\n")
		}
	}
	if got.String() == want {
		return
	}
	if !*update {
		t.Errorf("%s: the answers differ (go test -update writes them):\n%s", script, got.String())
		return
	}
	a.Files = append(a.Files[:0:0], a.Files...)
	for i := range a.Files {
		if a.Files[i].Name == "answers" {
			a.Files = append(a.Files[:i], a.Files[i+1:]...)
			break
		}
	}
	a.Files = append(a.Files, txtar.File{Name: "answers", Data: []byte(got.String())})
	if err := os.WriteFile(script, txtar.Format(a), 0o644); err != nil {
		t.Fatal(err)
	}
}

// shown renders an answer: ranges in one word, the elements of a list a line each.
func shown(v any, indent string) string {
	switch v := v.(type) {
	case []any:
		if len(v) == 0 {
			return "[]"
		}
		var b strings.Builder
		for _, e := range v {
			b.WriteString("\n" + indent + "- " + shown(e, indent+"  "))
		}
		return strings.TrimPrefix(b.String(), "\n")
	case map[string]any:
		if start, ok := v["start"].(map[string]any); ok && len(v) == 2 {
			end := v["end"].(map[string]any)
			return fmt.Sprintf("%v:%v-%v:%v", start["line"], start["character"], end["line"], end["character"])
		}
		var b strings.Builder
		for _, k := range sorted(v) {
			if b.Len() > 0 {
				b.WriteString(" ")
			}
			value := shown(v[k], indent+"  ")
			if list, ok := v[k].([]any); ok && len(list) > 0 {
				value = "\n" + value
			}
			b.WriteString(k + "=" + value)
		}
		return b.String()
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v)
	return strings.TrimSpace(b.String())
}

func sorted(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }
