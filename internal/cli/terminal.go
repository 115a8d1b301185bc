package cli

import (
	"io"
	"os"
	"strings"
	"unicode"
)

// isTerminal reports whether the stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	st, err := f.Stat()
	return err == nil && st.Mode()&os.ModeCharDevice != 0 && st.Mode()&os.ModeDevice != 0 && f.Name() != os.DevNull
}

// safe returns s fit for where it is printed: on a terminal, control characters of stored text are
// shown, not obeyed.
func (a *app) safe(s string) string {
	if !isTerminal(a.out) && !isTerminal(a.err) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
			return '\uFFFD'
		}
		return r
	}, s)
}

// readAll reads a stream up to limit bytes and one more, so that the caller sees that it is too long.
func readAll(r io.Reader, limit int) (string, error) {
	data, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	return string(data), err
}
