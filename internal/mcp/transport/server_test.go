package transport_test

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"sdd/internal/fault"
	. "sdd/internal/mcp/catalog"
)

func TestCatalogIsChecked(t *testing.T) {
	if err := Check(newShelf().catalog()); err != nil {
		t.Error(err)
	}
	for name, spoil := range map[string]func(c *Catalog){
		"instructions": func(c *Catalog) { c.Instructions = strings.Repeat("é", 1500+1) },
		"tool twice":   func(c *Catalog) { c.Tools = append(c.Tools, c.Tools[0]) },
		"alias twice":  func(c *Catalog) { c.Tools[1].Aliases = []string{"note_get"} },
		"template":     func(c *Catalog) { c.Templates[0].URI = "note://{" },
		"names":        func(c *Catalog) { c.Resources = append(c.Resources, c.Resources[0]) },
		"prompt twice": func(c *Catalog) { c.Prompts = append(c.Prompts, c.Prompts[0]) },
	} {
		c := newShelf().catalog()
		spoil(&c)
		if _, err := New(c, Options{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for name, spoil := range map[string]func(t *Tool){
		"open input":    func(t *Tool) { t.Input = json.RawMessage(`{"type":"object"}`) },
		"output":        func(t *Tool) { t.Output = json.RawMessage(`{`) },
		"title":         func(t *Tool) { t.Title = "" },
		"contradiction": func(t *Tool) { t.Destructive = true },
	} {
		c := newShelf().catalog()
		spoil(&c.Tools[0])
		if Check(c) == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestToolsets(t *testing.T) {
	tests := []struct {
		sets     string
		readOnly bool
		listed   string
	}{
		{"", false, "note_get note_put wait count fail choose"},
		{"default", false, "note_get note_put wait count fail choose"},
		{" Default , compat", false, "note_get read_note note_put wait count fail choose"},
		{"compat", false, "note_get read_note note_put wait count fail choose"},
		{"all", false, "note_get note_put wait count fail choose who"},
		{"odd", false, "who"},
		{"write,odd", false, "note_put who"},
		{"write,odd", true, "who"},
		{"all,compat", true, "note_get read_note wait count fail choose who"},
	}
	for _, test := range tests {
		l := connect(t, newShelf().server(t, Options{Toolsets: strings.Split(test.sets, ","), ReadOnly: test.readOnly}))
		l.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		var list struct{ Tools []struct{ Name string } }
		if err := json.Unmarshal(l.next().Result, &list); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, tool := range list.Tools {
			names = append(names, tool.Name)
		}
		if got := strings.Join(names, " "); got != test.listed {
			t.Errorf("%q, read-only %v: %s", test.sets, test.readOnly, got)
		}
	}
	_, err := New(newShelf().catalog(), Options{Toolsets: []string{"wirte"}})
	f := fault.Of(err)
	if f.Code != fault.Invalid || !strings.Contains(f.Message, `did you mean "write"`) || f.Hint != "toolsets: default, all, compat, odd, read, write" {
		t.Errorf("%+v", f)
	}
}

// What fails in a handler is in the log and not in the answer.
func TestDefectsAreLogged(t *testing.T) {
	for _, line := range []string{
		call("1", "fail", `{"how":"error"}`),
		call("1", "fail", `{"how":"panic"}`),
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"note://broken"}}`,
	} {
		var log strings.Builder
		var out strings.Builder
		srv := newShelf().server(t, Options{Log: &log})
		if err := srv.Stdio(t.Context(), strings.NewReader(line), &out); err != nil {
			t.Error(err)
		}
		if strings.Contains(out.String(), "someone") || !strings.Contains(log.String(), "someone") {
			t.Errorf("%s\nanswer: %s\nlog: %s", line, &out, &log)
		}
	}
}

// A notice that fails does not cost the client its result.
func TestNoticesThatFail(t *testing.T) {
	c := newShelf().catalog()
	c.Notices = func(context.Context, Client) []string { panic("no news") }
	srv, err := New(c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	l := connect(t, srv)
	l.send(call("1", "note_get", `{"name":"a"}`))
	if r := l.next(); r.Error != nil || !strings.Contains(string(r.Result), "text of a") {
		t.Errorf("%+v", r)
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		newShelf().server(b, Options{})
	}
}

func BenchmarkCall(b *testing.B) {
	for name, line := range map[string]string{
		"ping":  `{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		"list":  `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		"short": call("1", "note_get", `{"name":"a"}`),
		"256K":  call("1", "note_put", `{"name":"a","text":"`+strings.Repeat("x", 256<<10)+`"}`),
	} {
		b.Run(name, func(b *testing.B) {
			inR, inW := io.Pipe()
			outR, outW := io.Pipe()
			go func() {
				_ = newShelf().server(b, Options{}).Stdio(context.Background(), inR, outW)
				outW.Close()
			}()
			buf := make([]byte, 1<<20)
			for b.Loop() {
				if _, err := io.WriteString(inW, line+"\n"); err != nil {
					b.Fatal(err)
				}
				for {
					n, err := outR.Read(buf)
					if err != nil {
						b.Fatal(err)
					}
					if buf[n-1] == '\n' {
						break
					}
				}
			}
			inW.Close()
		})
	}
}
