package transport

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
)

func TestLines(t *testing.T) {
	full := strings.Repeat("f", maxMessage)
	input := "one\r\n\n" + full + "\r\n" + full + "x\nafter\n" + `{"id":"far","a":"` + full + "\"}\nlast"
	for name, wrap := range map[string]func(io.Reader) io.Reader{"whole": func(r io.Reader) io.Reader { return r }, "halves": iotest.HalfReader} {
		r := bufio.NewReader(wrap(strings.NewReader(input)))
		want := []line{{text: []byte("one")}, {}, {text: []byte(full)}, {tooLong: true}, {text: []byte("after")}, {tooLong: true, id: json.RawMessage(`"far"`)}, {text: []byte("last"), cut: true}}
		for i, w := range want {
			got, err := nextLine(r)
			if err != nil || !bytes.Equal(got.text, w.text) || got.tooLong != w.tooLong || got.cut != w.cut || string(got.id) != string(w.id) {
				t.Fatalf("%s: line %d: %d bytes, too long %v, cut %v, id %s, %v", name, i, len(got.text), got.tooLong, got.cut, got.id, err)
			}
		}
		if _, err := nextLine(r); err != io.EOF {
			t.Errorf("%s: at the end: %v", name, err)
		}
	}
	broken := errors.New("broken")
	r := bufio.NewReader(io.MultiReader(strings.NewReader("half"), iotest.ErrReader(broken)))
	if l, err := nextLine(r); err != nil || string(l.text) != "half" || !l.cut {
		t.Errorf("before an error: %q, %v", l.text, err)
	}
	if _, err := nextLine(r); !errors.Is(err, broken) {
		t.Errorf("the error is lost: %v", err)
	}
}

// The reader of endless lines keeps no more than the limit, and knows that no line ended.
func TestLinesKeepLittle(t *testing.T) {
	r := bufio.NewReader(io.LimitReader(repeat('x'), 64<<20))
	l, err := nextLine(r)
	if err != nil || !l.tooLong || !l.cut {
		t.Fatalf("%+v, %v", l, err)
	}
}

type repeat byte

func (c repeat) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(c)
	}
	return len(p), nil
}

func TestIDOf(t *testing.T) {
	for text, want := range map[string]string{
		`{"id":1,"a":2}`: `1`,
		` { "jsonrpc" : "2.0" , "id" : "b" ,"x":1}`: `"b"`,
		`{"params":{"id":5,"x":"}"},"id" : -7 } `:   `-7`,
		`{"params":[{"id":5}],"id":"z"}`:            `"z"`,
		`{"a":"id","id":4}`:                         `4`,
		`{"a":"\"id\":9","id":4}`:                   `4`,
		`{"id":1,"id":2}`:                           `2`,
		`{"a":",\"id\":4}`:                          ``,
		`{"params":{"a":1,"id":4}}`:                 ``,
		`{"params":{"id":1,"a":4}}`:                 ``,
		`{"id":null,"a":1}`:                         ``,
		`{"id":1.5,"a":1}`:                          ``,
		`{"id":[1],"a":1}`:                          ``,
		`{"method":"x"}`:                            ``,
		`[{"id":1,"a":1}]`:                          ``,
		`"id":1,`:                                   ``,
	} {
		if got := string(idOf([]byte(text), []byte(text))); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// What idOf finds in a JSON object is its id.
func TestIDOfProperty(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var value func(depth int) any
	value = func(depth int) any {
		switch n := r.IntN(7); {
		case n == 0:
			return r.IntN(100)
		case n == 1:
			return nil
		case n < 4 || depth == 0:
			return []string{"", `"`, `\`, `{"id":1}`, `",`, "}", "id", `,"id":1}`, "日本\n"}[r.IntN(9)]
		case n == 4:
			return []any{value(depth - 1), value(depth - 1)}
		default:
			return map[string]any{"id": value(depth - 1), "x": value(depth - 1), `i"d`: value(depth - 1)}
		}
	}
	found := 0
	for range 5000 {
		m := map[string]any{"id": value(1)}
		for _, name := range []string{"a", "params", "z"}[:r.IntN(4)] {
			m[name] = value(3)
		}
		raw, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := json.Marshal(m["id"])
		if got := idOf(raw, raw); got != nil {
			found++
			if string(got) != string(want) {
				t.Fatalf("%s: %s, want %s", raw, got, want)
			}
		}
	}
	if found < 100 {
		t.Errorf("found %d ids", found)
	}
}
