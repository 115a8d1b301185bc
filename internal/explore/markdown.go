package explore

import (
	"path/filepath"
	"strings"

	"sdd/internal/record"
)

// FromMarkdown takes a title and sections from any Markdown text. Other text goes into Context, under its own heading.
// name is the file's name, the title of a text without one.
func FromMarkdown(name string, src []byte) (title string, f Fields) {
	r := record.Parse(filepath.Base(name), src, record.Defaults{})
	var rest []string
	if p := strings.TrimSpace(withoutTitle(r.Preamble, r.Title)); p != "" {
		rest = append(rest, p)
	}
	for _, s := range r.Sections {
		if dst := f.Field(s.Key); dst != nil {
			*dst = join(*dst, s.Text)
			continue
		}
		rest = append(rest, strings.TrimRight("### "+s.Name+"\n\n"+s.Text, "\n"))
	}
	f.Context = join(f.Context, strings.Join(rest, "\n\n"))
	return r.Title, f
}

// withoutTitle removes the level-1 heading that is the title.
func withoutTitle(preamble, title string) string {
	before, after, found := strings.Cut(preamble, "# "+title)
	if !found || strings.TrimSpace(before) != "" {
		return preamble
	}
	return after
}

func join(a, b string) string {
	if strings.TrimSpace(a) == "" || strings.TrimSpace(b) == "" {
		return a + b
	}
	return strings.TrimRight(a, "\r\n") + "\n\n" + b
}
