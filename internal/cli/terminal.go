package cli

import (
	"io"

	"sdd/internal/terminal"
)

// isTerminal reports whether the stream is a terminal.
func isTerminal(stream any) bool { return terminal.Is(stream) }

// safe returns s fit for where it is printed: on a terminal, control characters of stored text are
// shown, not obeyed.
func (a *app) safe(s string) string {
	if !isTerminal(a.out) && !isTerminal(a.err) {
		return s
	}
	return terminal.Safe(s)
}

// readAll reads a stream up to limit bytes and one more, so that the caller sees that it is too long.
func readAll(r io.Reader, limit int) (string, error) {
	data, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	return string(data), err
}
