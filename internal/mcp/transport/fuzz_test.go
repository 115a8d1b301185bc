package transport_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"

	. "sdd/internal/mcp/catalog"
	. "sdd/internal/mcp/transport"
)

// FuzzStdio sends any bytes. The server must not panic, must say nothing but protocol, must answer
// each request exactly once and everything else at most once, and must end.
func FuzzStdio(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		var all bytes.Buffer
		for line := range strings.Lines(string(ar.Files[len(ar.Files)-1].Data)) {
			switch {
			case strings.HasPrefix(line, ">"):
				all.WriteString(strings.TrimLeft(line, "> "))
			case strings.HasPrefix(line, "! raw "):
				if s, err := strconv.Unquote(strings.TrimSpace(line[6:])); err == nil {
					all.WriteString(s)
				}
			}
		}
		f.Add(all.Bytes())
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		var out bytes.Buffer
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			if err := newShelf().server(t, Options{}).Stdio(t.Context(), bytes.NewReader(input), &out); err != nil {
				t.Error(err)
			}
			if d := time.Since(start); d > 2*time.Second {
				t.Errorf("ended after %v", d)
			}
			time.Sleep(time.Hour) // tools that do not hear that they were ended
		})
		got := map[string]int{}
		anonymous := 0
		for line := range strings.Lines(out.String()) {
			switch m := protocol(t, line); {
			case m.Method != "" && m.ID != nil && !strings.HasPrefix(string(m.ID), `"ask-`):
				t.Fatalf("a request: %s", line)
			case m.Method != "":
			case string(m.ID) == "null":
				anonymous++
			default:
				key, err := KeyOf(m.ID)
				if err != nil {
					t.Fatalf("an id that nobody sent: %s", line)
				}
				got[key]++
			}
		}
		want, lines, exact := map[string]int{}, 0, true
		for line := range bytes.Lines(input) {
			if len(bytes.TrimSpace(line)) == 0 {
				continue
			}
			lines++
			isRequest, key, method, ok := Parse(line)
			switch {
			case ok && method == "notifications/cancelled":
				exact = false // some may not be answered
			case ok && isRequest:
				want[key]++
			}
		}
		if anonymous > lines {
			t.Errorf("%d answers to %d lines", anonymous, lines)
		}
		for key, n := range want {
			if exact && got[key] < n {
				t.Errorf("%d answers to %d requests with the id %q", got[key], n, key)
			}
		}
	})
}

// protocol returns the message in a line of output, and fails on anything that is none.
func protocol(t *testing.T, line string) said {
	t.Helper()
	if !utf8.ValidString(line) || !strings.HasSuffix(line, "\n") {
		t.Fatalf("not a line of UTF-8: %q", line)
	}
	var m map[string]json.RawMessage
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	_, method := m["method"]
	_, result := m["result"]
	_, failure := m["error"]
	if string(m["jsonrpc"]) != `"2.0"` || method == (result || failure) || result && failure {
		t.Fatalf("not a message: %s", line)
	}
	r := hear(t, line)
	if r.Error != nil && (r.Error.Code == 0 || r.Error.Message == "" || utf8.RuneCountInString(r.Error.Message) > 512) {
		t.Fatalf("not an error: %s", line)
	}
	return r
}
