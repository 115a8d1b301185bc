package eval

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"sdd/internal/longtest"
)

// TestMain lets the test binary stand in for sdd: run as `mcp`, it serves a store as simply as can be.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) == 2 && os.Args[1] == "mcp":
		simple{}.serve()
	case len(os.Args) == 2 && os.Args[1] == "version":
	case len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-"):
		fmt.Fprintln(os.Stderr, "the stand-in has no command", os.Args[1]) // and runs no tests instead
		os.Exit(2)
	default:
		longtest.Patient()
		os.Exit(m.Run())
	}
}

// simple is a server without an index: it reads all files for each search, and saves without care.
type simple struct{}

func (s simple) serve() {
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var q struct {
			ID     *int
			Method string
			Params struct {
				Name      string
				Arguments map[string]any
			}
		}
		if err := json.Unmarshal(line, &q); err != nil || q.ID == nil {
			continue
		}
		fmt.Println(`{"jsonrpc":"2.0","method":"notifications/message","params":{}}`) // clients must cope
		var result any = map[string]any{}
		switch q.Method {
		case "tools/list":
			result = map[string]any{"tools": []any{map[string]any{"name": "sdd_explore", "description": "d", "inputSchema": map[string]any{"type": "object"}}}}
		case "tools/call":
			result = s.tool(q.Params.Name, q.Params.Arguments)
		}
		b, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": q.ID, "result": result})
		fmt.Println(string(b))
	}
}

func (simple) tool(name string, args map[string]any) any {
	ok := func(v any) any { return map[string]any{"structuredContent": v} }
	switch name {
	case "sdd_search":
		n := 0
		query, _ := args["query"].(string)
		_ = walkRecords(".sdd/explore", func(path string) error {
			if query == "" {
				n++
				return nil
			}
			text, err := os.ReadFile(path)
			if bytes.Contains(text, []byte(query)) {
				n++
			}
			return err
		})
		return ok(map[string]any{"total": n, "results": []any{}})
	case "sdd_get":
		return ok(map[string]any{"title": args["id"]})
	case "sdd_context":
		return map[string]any{"content": []any{map[string]any{"text": "# bench"}},
			"structuredContent": map[string]any{"tokens_used": 300, "facts_count": 5, "discovery_performed": true}}
	case "sdd_explore":
		if args["scope"] != nil {
			return map[string]any{"isError": true, "content": []any{map[string]any{"text": "no such scope"}}}
		}
		r := record{title: args["title"].(string), text: map[string]string{}}
		for _, s := range sections {
			r.text[s.arg], _ = args[s.arg].(string)
		}
		path := filepath.Join(".sdd/explore", r.file())
		action := "created"
		if old, err := os.ReadFile(path); err == nil {
			action = "updated"
			for arg, text := range parsed(string(old)) {
				if r.text[arg] == "" {
					r.text[arg] = text
				}
			}
		}
		_ = os.WriteFile(path, r.markdown(), 0o644)
		return ok(map[string]any{"action": action})
	}
	return ok(map[string]any{})
}

// parsed returns the sections of a record by argument.
func parsed(text string) map[string]string {
	out := map[string]string{}
	for _, s := range sections {
		_, rest, _ := strings.Cut(text, "\n## "+s.heading+"\n")
		body, _, _ := strings.Cut(rest, "\n## ")
		out[s.arg] = strings.TrimSpace(body)
	}
	return out
}

func runBench(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	args = append([]string{"bench", "-sdd", os.Args[0], "-dir", t.TempDir(), "-n", "10", "-starts", "2", "-window", "10ms", "-files", "60"}, args...)
	if err := Run(t.Context(), args, &stdout, &stderr); err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	return stdout.String()
}

func TestTable(t *testing.T) {
	out := runBench(t, "-records", "20,130", "-only", "start,memory,search,save,context,growth,idle,clients,ledger,discovery") // a million lines take too long
	for _, want := range []string{
		"start to tools/list answered | 20 |", "start to first search, with cache | 130 |", "cache deleted | 130 |",
		"search, rare word | 20 |", "search, word in 1 % of records | 130 |", "search, no query (list) | 20 |", "get by title | 20 |",
		"| insert | 130 |", "| upsert | 20 |", "8 clients saving different records", "saves lost (of 80) | 1,000 | 0 |",
		"context, 3,000 tokens | 20 |", "start to first context, with cache | 130 |", "a repository of 60 files",
		"tokens of sdd_explore", "tokens of tools/list", "raw durable write",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the table lacks %q:\n%s", want, out)
		}
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	for _, line := range lines[4:] {
		if strings.Count(line, "|") != 9 {
			t.Errorf("not a line of the table: %s", line)
		}
	}
}

func TestBadFlags(t *testing.T) {
	for _, args := range [][]string{{"-records", "x"}, {"-records", "0"}, {"-only", "nothing"}, {"-n", "0"}, {"extra"}} {
		if err := Run(t.Context(), append([]string{"bench"}, args...), new(bytes.Buffer), new(bytes.Buffer)); err == nil {
			t.Errorf("%q was accepted", args)
		}
	}
}

func TestCorpus(t *testing.T) {
	c, err := newCorpus(t.TempDir(), 250)
	if err != nil {
		t.Fatal(err)
	}
	rare, common, files, size := map[string]int{}, map[string]int{}, 0, 0
	slugs := map[string]bool{}
	for i := range c.size {
		r := c.record(i)
		text, err := os.ReadFile(filepath.Join(c.explore(), r.file()))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(text, r.markdown()) {
			t.Errorf("record %d is not always the same", i)
		}
		files, size = files+1, size+len(text)
		if slugs[r.slug()] || len(r.slug()) > 80 || !utf8.Valid(text) || strings.Count(string(text), "\n- ") != 14 {
			t.Errorf("record %d is odd: %s", i, r.slug())
		}
		slugs[r.slug()] = true
		for _, word := range strings.Fields(string(text)) {
			switch {
			case strings.HasPrefix(word, "zq"):
				rare[word]++
			case strings.HasPrefix(word, "vx"):
				common[word]++
			}
		}
	}
	if mean := size / files; mean < 1500 || mean > 3000 {
		t.Errorf("a record has %d bytes", mean)
	}
	for i := range c.size {
		if rare[rareWord(i)] != 1 {
			t.Errorf("%s stands in %d records", rareWord(i), rare[rareWord(i)])
		}
	}
	for k := range commonWords {
		if n := common[commonWord(k)]; n != withCommon(c.size, k) || n < 2 || n > 3 {
			t.Errorf("%s stands in %d records, not %d", commonWord(k), n, withCommon(c.size, k))
		}
	}
	if n := len(c.words); n != 20_000 {
		t.Errorf("%d words", n)
	}
}

func TestWriteDurably(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.md")
	for _, text := range []string{"one", "two"} {
		if err := writeDurably(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if b, _ := os.ReadFile(path); string(b) != text {
			t.Errorf("%q was written", b)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("%d files are left", len(entries))
	}
}

func TestPercentile(t *testing.T) {
	var d []time.Duration
	for i := range 100 {
		d = append(d, time.Duration(99-i+1))
	}
	for p, want := range map[int]time.Duration{50: 50, 95: 95, 100: 100} {
		if got := percentile(d, p); got != want {
			t.Errorf("percentile %d = %d", p, got)
		}
	}
	if percentile(nil, 50) != 0 || percentile(d[:1], 95) != 100 {
		t.Error("few values")
	}
}

func TestNumber(t *testing.T) {
	for _, tc := range []struct {
		v          float64
		unit, want string
	}{{0.1234, "ms", "0.123 ms"}, {1.234, "ms", "1.23 ms"}, {12.34, "ms", "12.3 ms"}, {1234.5, "ms", "1,235 ms"},
		{2000, "tokens", "2,000 tokens"}, {0, "", "0"}, {1234567, "bytes", "1,234,567 bytes"}} {
		if got := number(tc.v, tc.unit); got != tc.want {
			t.Errorf("number(%g) = %q, want %q", tc.v, got, tc.want)
		}
	}
}
