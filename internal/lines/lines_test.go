package lines

import (
	"bufio"
	"io"
	"strings"
	"testing"
)

func TestEnd(t *testing.T) {
	src := []byte("a\r\nbc\n\nlast")
	for at, want := range map[int]int{0: 3, 2: 3, 3: 6, 6: 7, 7: 11, 11: 11} {
		if got := End(src, at); got != want {
			t.Errorf("End(%d) = %d, want %d", at, got, want)
		}
	}
	if got := string(First(src)); got != "a\r\n" {
		t.Errorf("First = %q", got)
	}
}

func TestNewline(t *testing.T) {
	for src, want := range map[string]string{"": "\n", "a\r\nb": "\r\n", "a\r\nb\n": "\n", "a\r\nb\r\nc\n": "\r\n", "a\rb": "\n"} {
		if got := Newline([]byte(src)); got != want {
			t.Errorf("Newline(%q) = %q, want %q", src, got, want)
		}
	}
}

func TestRead(t *testing.T) {
	r := bufio.NewReaderSize(strings.NewReader("one\n"+strings.Repeat("x", 100)+"\n\nend"), 16)
	for _, want := range []string{"one\n", strings.Repeat("x", 32), "\n"} {
		if line, err := Read(r, nil, 32); err != nil || string(line) != want {
			t.Errorf("%q, %v, want %q", line, err, want)
		}
	}
	if line, err := Read(r, nil, 32); err != io.EOF || string(line) != "end" {
		t.Errorf("%q, %v at the end", line, err)
	}
}
