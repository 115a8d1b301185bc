package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"unicode/utf8"

	"sdd/internal/fault"
	"sdd/internal/tty"
)

// isTerminal reports whether the stream is a tty.
func isTerminal(stream any) bool { return tty.Is(stream) }

// safe returns s for printing: on a terminal, control characters in stored text become visible, so that the terminal ignores them.
func (a *session) safe(s string) string {
	if !isTerminal(a.out) && !isTerminal(a.err) {
		return s
	}
	return tty.Safe(s)
}

// writeJSON writes JSON to standard output. On a terminal it writes control characters that JSON allows (DEL, 8-bit controls, changes
// of direction) as \u escapes, which mean the same.
func (a *session) writeJSON(text []byte) error {
	if isTerminal(a.out) {
		var b []byte
		for _, r := range string(text) {
			if tty.Obeyed(r) {
				b = fmt.Appendf(b, "\\u%04x", r)
			} else {
				b = utf8.AppendRune(b, r)
			}
		}
		text = b
	}
	_, err := a.out.Write(text)
	return err
}

// endingReader fails when its context ends, even while a read waits for the keyboard or a pipe.
type endingReader struct {
	ctx context.Context
	r   io.Reader
}

func (e endingReader) Read(p []byte) (int, error) {
	type result struct {
		n   int
		err error
	}
	own, done := make([]byte, len(p)), make(chan result, 1)
	go func() {
		n, err := e.r.Read(own)
		done <- result{n, err}
	}()
	select {
	case <-e.ctx.Done():
		return 0, e.ctx.Err()
	case r := <-done:
		return copy(p, own[:r.n]), r.err
	}
}

// readAll reads at most limit+1 bytes, so that the caller can see whether the stream is too long.
func readAll(r io.Reader, limit int) (string, error) {
	data, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if err != nil {
		name := "standard input"
		if refused, ok := errors.AsType[*fs.PathError](err); ok {
			name, err = refused.Path, refused.Err
		}
		return "", fault.New(fault.Invalid, "cannot read %q: %v", name, err).With("give the path of a file, or - for standard input")
	}
	return string(data), nil
}
