package transport

import (
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
	input := "one\r\n\n" + full + "\r\n" + full + "x\nafter\n" + strings.Repeat(`{"id":"far","a":"`, 1) + full + "\"}\nlast"
	for name, wrap := range map[string]func(io.Reader) io.Reader{"whole": func(r io.Reader) io.Reader { return r }, "halves": iotest.HalfReader} {
		r := newLineReader(wrap(strings.NewReader(input)))
		want := []line{{text: []byte("one")}, {}, {text: []byte(full)}, {tooLong: true}, {text: []byte("after")}, {tooLong: true, id: json.RawMessage(`"far"`)}, {text: []byte("last"), cut: true}}
		for i, w := range want {
			got, err := r.next()
			if err != nil || !bytes.Equal(got.text, w.text) || got.tooLong != w.tooLong || got.cut != w.cut || string(got.id) != string(w.id) {
				t.Fatalf("%s: line %d: %d bytes, too long %v, cut %v, id %s, %v", name, i, len(got.text), got.tooLong, got.cut, got.id, err)
			}
		}
		if _, err := r.next(); err != io.EOF {
			t.Errorf("%s: at the end: %v", name, err)
		}
	}
	broken := errors.New("broken")
	r := newLineReader(io.MultiReader(strings.NewReader("half"), iotest.ErrReader(broken)))
	if l, err := r.next(); err != nil || string(l.text) != "half" || !l.cut {
		t.Errorf("before an error: %q, %v", l.text, err)
	}
	if _, err := r.next(); !errors.Is(err, broken) {
		t.Errorf("the error is lost: %v", err)
	}
}

// The reader of endless lines keeps no more than the limit.
func TestLinesKeepLittle(t *testing.T) {
	r := newLineReader(io.LimitReader(repeat('x'), 64<<20))
	l, err := r.next()
	if err != nil || !l.tooLong || !l.cut {
		t.Fatalf("%+v, %v", l, err)
	}
	if cap(r.buf) > 0 {
		t.Errorf("%d bytes are kept", cap(r.buf))
	}
}

type repeat byte

func (c repeat) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(c)
	}
	return len(p), nil
}

func TestIDScanner(t *testing.T) {
	for in, want := range map[string]string{
		`{"id":1}`:                               `1`,
		`{"jsonrpc":"2.0","id":"a\"}b","x":[1]}`: `"a\"}b"`,
		`{"params":{"id":5,"x":"}"},"id" : -7 }`: `-7`,
		`{"params":[{"id":5}],"id":7}`:           `7`,
		`{"a":"\\","id":3}`:                      `3`,
		`{"a":"id","id":4}`:                      `4`,
		`{"a":"\"id\":9","id":4}`:                `4`,
		`{"id":1,"id":2}`:                        `2`,
		`{"id":null}`:                            ``,
		`{"id":1.5}`:                             ``,
		`{"id":{"id":1}}`:                        ``,
		`{"id":[1]}`:                             ``,
		`{"method":"x"}`:                         ``,
		`[{"id":1}]`:                             ``,
		`"id":1`:                                 ``,
		`{"id":"` + strings.Repeat("x", 5000) + `"}`: ``,
		`{"id":5`: ``,
	} {
		for size := 1; size < 9; size++ {
			var s idScanner
			for rest := []byte(in); len(rest) > 0; {
				n := min(size, len(rest))
				s.scan(rest[:n])
				rest = rest[n:]
			}
			if got := string(s.id()); got != want {
				t.Errorf("%s in pieces of %d: %s, want %s", in, size, got, want)
			}
		}
	}
}

// On any JSON object the scanner finds the id that encoding/json finds.
func TestIDScannerProperty(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var value func(depth int) any
	value = func(depth int) any {
		switch n := r.IntN(7); {
		case n == 0:
			return r.IntN(100)
		case n == 1:
			return nil
		case n < 4 || depth == 0:
			return []string{"", `"`, `\`, `{"id":1}`, `",`, "}", "id", "日本\n"}[r.IntN(8)]
		case n == 4:
			return []any{value(depth - 1), value(depth - 1)}
		default:
			return map[string]any{"id": value(depth - 1), "x": value(depth - 1), `i"d`: value(depth - 1)}
		}
	}
	for range 5000 {
		m := map[string]any{"jsonrpc": "2.0", "params": value(3), "id": value(1), "z": value(2)}
		raw, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		var out struct {
			ID json.RawMessage `json:"id"`
		}
		if err := json.Unmarshal(raw, &out); err != nil {
			t.Fatal(err)
		}
		want, _, _ := readID(out.ID)
		var s idScanner
		s.scan(raw)
		if string(s.id()) != string(want) {
			t.Fatalf("%s: %s, want %s", raw, s.id(), want)
		}
	}
}
