package transcript

import (
	"bufio"
	"io"
	"slices"
	"strings"
)

// Prose returns the words of the roles in a transcript of one of the formats; of any other text, all of it. In Markdown the words keep
// their lines. The caller reads to the end, or closes it.
func Prose(r io.Reader, formats []Format, roles ...Role) io.ReadCloser {
	b := bufio.NewReaderSize(r, peeked)
	head, _ := b.Peek(peeked)
	f := Detect("", head)
	if !slices.Contains(formats, f) {
		return io.NopCloser(b)
	}
	from, to := io.Pipe()
	go func() {
		line := 1
		to.CloseWithError(Read(b, f, func(m Message) error {
			if !slices.Contains(roles, m.Role) {
				return nil
			}
			text := strings.Repeat("\n", max(0, m.Line-line)) + m.Text + "\n\n"
			line += strings.Count(text, "\n")
			_, err := io.WriteString(to, text)
			return err
		}))
	}()
	return from
}
