package explore

import (
	"cmp"
	"path/filepath"
	"strings"

	"sdd/internal/markdown"
	"sdd/internal/record"
)

// FromMarkdown takes the title, unless it is set, else name, and the sections from a text. Other text goes into Context with its heading.
func (in *Input) FromMarkdown(name string, src []byte) {
	r := record.Parse(filepath.Base(name), src, record.Defaults{})
	in.Title = cmp.Or(in.Title, r.Title)
	var f Fields
	var rest []string
	if p := strings.TrimSpace(withoutTitle(r.Preamble, in.Title)); p != "" {
		rest = append(rest, p)
	}
	for _, s := range r.Sections {
		if dst := f.Field(s.Key); dst != nil {
			*dst = join(*dst, s.Text)
			continue
		}
		rest = append(rest, strings.TrimRight("### "+s.Name+"\n\n"+markdown.Demote(s.Text, 1), "\n"))
		in.moved = append(in.moved, s.Name)
	}
	f.Context = join(f.Context, strings.Join(rest, "\n\n"))
	if len(rest) > 0 && strings.TrimSpace(in.Context) != "" {
		in.Context = join(in.Context, f.Context)
	}
	for _, name := range FieldNames {
		if dst := in.Field(name); strings.TrimSpace(*dst) == "" {
			*dst = *f.Field(name)
		}
	}
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
