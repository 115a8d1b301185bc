package web

import (
	"cmp"
	"fmt"
	"html"
	"html/template"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"sdd/internal/app"
	"sdd/internal/fault"
	"sdd/internal/index"
	"sdd/internal/markdown"
	"sdd/internal/merge"
	"sdd/internal/pattern"
	"sdd/internal/record"
	"sdd/internal/store"
)

// Stored text is data: templates escape it, and characters that affect the text around them appear as their number.

// visible returns s with its control characters in visible form, except the marks that right-to-left languages need.
func visible(s string) string {
	if strings.IndexFunc(s, steers) < 0 && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if steers(r) {
			fmt.Fprintf(&b, "[U+%04X]", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func steers(r rune) bool {
	switch r {
	case '\n', '\t', '\r', '\u200e', '\u200f', '\u061c':
		return false
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
}

// oneLine is the start of a text as a name for it.
func oneLine(s string, most int) string {
	s = visible(strings.Join(strings.Fields(s), " "))
	if rs := []rune(s); len(rs) > most {
		s = string(rs[:most])
		if word := strings.LastIndexByte(s, ' '); word > len(s)/2 {
			s = s[:word]
		}
		return s + "…"
	}
	return s
}

var (
	inlineTags = pattern.Late(`</?(?:em|strong|del|code|a|span)(?: [^>]*)?>`)
	otherTags  = pattern.Late(`<[^>]*>`)
)

// nameOf is the start of a stored Markdown text as a name for it, without its marks.
func nameOf(text string, most int) string {
	start := text[:min(len(text), 8*most)]
	page := inlineTags().ReplaceAllString(markdown.HTML(strings.ToValidUTF8(start, ""), nil), "")
	return oneLine(html.UnescapeString(otherTags().ReplaceAllString(page, " ")), most)
}

// prose renders stored Markdown below a heading of level under. It shows both sides of a merge conflict as source text.
func (s *site) prose(text, file string, under int) template.HTML {
	parts := record.Parts(text)
	if len(parts) == 1 && parts[0].Side == record.Outside {
		return s.markdown(text, file, under)
	}
	var b strings.Builder
	for i, p := range parts {
		if p.Side == record.Outside {
			b.WriteString(string(s.markdown(p.Text, file, under)))
			continue
		}
		if i == 0 || parts[i-1].Side == record.Outside {
			b.WriteString(`<div class="sides">`)
		}
		name := map[record.Side]string{record.Ours: "One side", record.Before: "Before both", record.Theirs: "The other side"}[p.Side]
		if p.Label != "" {
			name += ", " + oneLine(p.Label, 120)
		}
		said := visible(p.Text)
		if said == "" {
			said = "(nothing)\n"
		}
		fmt.Fprintf(&b, `<p class="small"><strong><bdi>%s</bdi></strong></p><pre class="written boxed" tabindex="0" dir="auto">%s</pre>`,
			html.EscapeString(name), "\n"+html.EscapeString(said)) // HTML drops a first line end
		if i == len(parts)-1 || parts[i+1].Side == record.Outside || parts[i+1].Side == record.Ours {
			b.WriteString(`</div>`)
		}
	}
	return template.HTML(b.String())
}

// closed is the reason why a record's file cannot be saved now, and what to do; "" when it can.
func (s *site) closed(file string) string {
	if file == "" { // not a record
		return ""
	}
	var problems []record.Problem
	for _, e := range s.Index.Lookup(index.Ref{ID: file}) {
		problems = append(problems, e.Problems...)
	}
	return closedBy(file, problems)
}

func closedBy(file string, problems []record.Problem) string {
	for _, p := range problems {
		switch p.Code {
		case record.Conflicted:
			return fmt.Sprintf("A merge conflict begins in line %d. Run sdd resolve %s, or open the file in an editor, keep what holds and "+
				"take the marker lines out. Then it can be changed here again", p.Line, file)
		case record.DuplicateSection:
		default:
			return fmt.Sprintf("The file cannot be changed here until it is mended in an editor. Line %d: %s", max(p.Line, 1), p.Text)
		}
	}
	return ""
}

// conflictPart is a file with conflicts, and the form that resolves one by taking a side.
type conflictPart struct {
	File, Etag string
	Blocks     []record.Block
}

// notice is a text above a record that cannot be changed; below it are the conflicts of its file with a button for each side.
func (s *site) notice(text, file string) template.HTML {
	if text == "" {
		return ""
	}
	var b strings.Builder
	b.WriteString(`<div class="said said-warn" id="closed"><p>` + html.EscapeString(visible(text)) + `.</p></div>`)
	path := strings.TrimPrefix(file, store.Folder+"/")
	if f, err := s.Store.Read(path); err == nil {
		part := conflictPart{path, record.Etag(f.Bytes), record.Unresolved(f.Bytes)}
		if err := templates()["record"].ExecuteTemplate(&b, "conflicts", part); err != nil {
			return template.HTML(html.EscapeString(visible(err.Error())))
		}
	}
	return template.HTML(b.String())
}

// take resolves a conflict by taking a side, and returns to the record's page.
func (s *site) take(w http.ResponseWriter, r *http.Request) error {
	line, err := strconv.Atoi(r.PostForm.Get("line"))
	if err != nil {
		return fault.New(fault.Invalid, "line %q is no number", record.Brief(r.PostForm.Get("line"))).For("line").
			With("use the buttons of the page")
	}
	file := r.PathValue("file")
	if _, ok := record.KindOf(file); !ok {
		return fault.New(fault.NotFound, "no record has the file %q", record.Brief(file)).With("use the buttons of the page")
	}
	fault.Check(merge.Take(r.Context(), s.Store, file, line, r.PostForm.Get("side"), r.PostForm.Get("if_match")))
	fault.Check(s.Index.Refresh(r.Context()))
	return s.finish(w, r, cmp.Or(s.pageOfFile(store.Folder+"/"+file), "/inbox")+"?done=took")
}

// markdown renders Markdown. Its headings skip no level, whatever the text does, and users can scroll wide content with keys.
func (s *site) markdown(text, file string, under int) template.HTML {
	page := markdown.HTML(visible(text), func(to string) string {
		if to, _, _ = strings.Cut(to, "#"); to == "" {
			return ""
		}
		return s.pageOfFile(path.Join(path.Dir(file), to))
	})
	page = scrollers.Replace(page)
	if !strings.Contains(page, "<h") {
		return template.HTML(page)
	}
	var open []string // the open headings: their level in the text, and their level here
	return template.HTML(headingTags().ReplaceAllStringFunc(page, func(tag string) string {
		level := tag[len(tag)-2 : len(tag)-1]
		if !strings.HasPrefix(tag, "</") {
			for len(open) > 0 && open[len(open)-1] >= level {
				open = open[:len(open)-1]
			}
			open = append(open, level)
		}
		return tag[:len(tag)-2] + strconv.Itoa(min(6, under+len(open))) + ">"
	}))
}

var (
	headingTags = pattern.Late(`</?h[1-6]>`)
	scrollers   = strings.NewReplacer("<pre>", `<pre tabindex="0">`, "<table>", `<div class="scroll" tabindex="0"><table>`, "</table>",
		"</table></div>")
)

// pageOfFile is the page of the record in a file, by its path relative to the store's root; "" for none.
func (s *site) pageOfFile(file string) string {
	if !strings.HasPrefix(file, store.Folder+"/") {
		return ""
	}
	found := s.Index.Lookup(index.Ref{ID: file})
	if len(found) != 1 {
		return ""
	}
	return pageOfEntry(found[0])
}

func pageOfEntry(e index.Entry) string { return app.PagePath(e.Type(), e.ID) }

func escapePath(p string) string { return (&url.URL{Path: p}).EscapedPath() }

// when is a time from a record or from git.
type when struct {
	Machine string // for the datetime attribute, "" when it cannot be read
	Human   string
}

func parseTime(s string) when {
	s = strings.TrimSpace(s)
	if t, err := time.Parse(time.DateOnly, s); err == nil {
		return when{s, t.Format("2 Jan 2006")}
	}
	if t, ok := record.Time(s); ok {
		t = t.UTC()
		return when{t.Format(time.RFC3339), t.Format("2 Jan 2006, 15:04 MST")}
	}
	return when{"", visible(s)}
}

func lineEnds(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }
