package page

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/net/html/atom"

	"sdd/internal/markdown"
	"sdd/internal/pattern"
)

const (
	maxNesting  = 12      // nested lists and quotes; deeper ones are rendered flat
	maxRendered = 2 << 20 // bytes of Markdown of one object
	maxAddress  = 2048    // bytes of a link
)

// renderer renders nodes of a page as Markdown without HTML.
type renderer struct {
	p       *Page
	base    *url.URL // the page's address
	leave   func(n int32) bool
	nesting int
	written int
	work    int
}

func (r *renderer) full() bool { return r.written > maxRendered || r.work > 8*maxRendered }

// link returns the absolute address of href, "" if it has none to show, such as one of a file of this machine.
func (r *renderer) link(href string) string {
	href = strings.TrimSpace(href)
	if href == "" || len(href) > maxAddress || r.base == nil {
		return ""
	}
	u, err := r.base.Parse(href)
	if err != nil {
		return ""
	}
	switch u.Scheme {
	case "http", "https", "mailto", "ftp":
	default:
		return ""
	}
	u.User = nil
	to := u.String()
	if len(to) > maxAddress || strings.ContainsFunc(to, func(c rune) bool { return c <= ' ' || c == 0x7f }) {
		return ""
	}
	return linkMarks.Replace(to)
}

var linkMarks = strings.NewReplacer("(", "%28", ")", "%29", "<", "%3C", ">", "%3E", "\\", "%5C", "`", "%60", "[", "%5B", "]", "%5D", "*",
	"%2A", "|", "%7C")

func (r *renderer) blocks(nodes []int32) string {
	var out []string
	var run *spans
	flush := func() {
		if run != nil {
			if t := run.text(); t != "" {
				out = append(out, t)
			}
			run = nil
		}
	}
	for _, n := range nodes {
		if r.full() {
			break
		}
		x := &r.p.nodes[n]
		if !x.text && (r.p.dropped(n) || r.leave != nil && r.leave(n)) {
			continue
		}
		if x.text || !r.standsAlone(n) {
			if run == nil {
				run = &spans{r: r}
			}
			run.node(n)
			continue
		}
		flush()
		if t := r.block(n); t != "" {
			out = append(out, t)
			r.written += len(t)
		}
	}
	flush()
	return strings.Join(out, "\n\n")
}

func (r *renderer) inside(n int32) string { return r.blocks(r.p.children(n)) }

func (p *Page) children(n int32) []int32 {
	var out []int32
	for c := p.nodes[n].first; c != 0; c = p.nodes[c].next {
		out = append(out, c)
	}
	return out
}

// standsAlone reports whether n is a block, or holds one.
func (r *renderer) standsAlone(n int32) bool {
	if block(r.p.nodes[n].tag) {
		return true
	}
	switch r.p.nodes[n].tag {
	case atom.Code, atom.Tt, atom.Kbd, atom.Samp, atom.Br, atom.Img, atom.Math:
		return false
	}
	return r.p.find(n, func(m int32) (bool, bool) {
		r.work++
		return block(r.p.nodes[m].tag), r.p.dropped(m)
	}) != 0
}

func (r *renderer) block(n int32) string {
	p := r.p
	r.work++
	switch tag := p.nodes[n].tag; tag {
	case atom.P, atom.Caption, atom.Figcaption, atom.Address, atom.Dt:
		t := r.inline(n)
		if p.has(n, "admonition-title", "rubric", "topic-title", "sidebar-title") {
			return bold(t)
		}
		return t
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		s := &spans{r: r, link: 1} // headings link to themselves
		s.children(n)
		if t := strings.ReplaceAll(s.text(), "\\\n", " "); t != "" {
			return strings.Repeat("#", heading(tag)) + " " + t
		}
		return ""
	case atom.Summary:
		return bold(r.inline(n))
	case atom.Pre:
		return r.fence(n)
	case atom.Ul, atom.Ol, atom.Menu, atom.Dir:
		return r.list(n, tag == atom.Ol)
	case atom.Dl:
		return r.definitions(n)
	case atom.Li, atom.Dd:
		return r.inside(n)
	case atom.Blockquote:
		return r.quote(r.nested(n))
	case atom.Table:
		return r.table(n)
	case atom.Hr:
		return "---"
	case atom.Div:
		switch {
		case p.has(n, "line-block"):
			return r.lines(n)
		case p.has(n, "math") && p.tagged(n, atom.Img) == 0 && p.tagged(n, atom.P) == 0:
			if t := trimMath(p.verbatim(n)); t != "" {
				return fenced("math", t)
			}
			return ""
		case p.has(n, "admonition"):
			return r.quote(r.nested(n))
		case p.has(n, "arithmatex"):
			return fenced("math", trimMath(p.verbatim(n)))
		}
	}
	return r.inside(n)
}

func bold(t string) string {
	if t == "" || strings.Contains(t, "**") || strings.HasPrefix(t, "*") || strings.HasSuffix(t, "*") {
		return t
	}
	return "**" + strings.ReplaceAll(t, "\\\n", " ") + "**"
}

// nested renders what is in n one level deeper.
func (r *renderer) nested(n int32) string {
	r.nesting++
	defer func() { r.nesting-- }()
	return r.inside(n)
}

func (r *renderer) quote(t string) string {
	if t == "" || r.nesting >= maxNesting {
		return t
	}
	return "> " + strings.ReplaceAll(strings.ReplaceAll(t, "\n", "\n> "), "> \n", ">\n")
}

// indent moves all lines but the first to the right.
func indent(t, by string) string {
	lines := strings.Split(t, "\n")
	for i := 1; i < len(lines); i++ {
		if lines[i] != "" {
			lines[i] = by + lines[i]
		}
	}
	return strings.Join(lines, "\n")
}

func (r *renderer) list(n int32, ordered bool) string {
	number := 1
	if v, err := strconv.Atoi(r.p.get(n, "start")); err == nil && v >= 0 && v < 1_000_000 {
		number = v
	}
	var items []string
	for _, c := range r.p.children(n) {
		if r.full() {
			break
		}
		if r.p.nodes[c].text || r.p.dropped(c) {
			continue
		}
		item := ""
		if r.p.nodes[c].tag == atom.Li {
			item = r.nested(c)
		} else {
			item = r.blocks([]int32{c})
		}
		if item == "" {
			continue
		}
		r.written += len(item)
		mark := "- "
		if ordered {
			mark = fmt.Sprintf("%d. ", number)
			number++
		}
		if r.nesting < maxNesting {
			item = mark + indent(tight(item), strings.Repeat(" ", len(mark)))
		}
		items = append(items, item)
	}
	return r.stack(items)
}

// stack joins the items of a list: with blank lines if one of them has several blocks.
func (r *renderer) stack(items []string) string {
	loose := func(item string) bool { return strings.Contains(item, "\n\n") }
	if r.nesting >= maxNesting || slices.ContainsFunc(items, loose) {
		return strings.Join(items, "\n\n")
	}
	return strings.Join(items, "\n")
}

// tight sets a list below the paragraph that introduces it, in an item that is just that.
func tight(item string) string {
	first, rest, ok := strings.Cut(item, "\n\n")
	if ok && strings.HasPrefix(rest, "- ") && !strings.Contains(rest, "\n\n") && !strings.Contains(first, "\n") {
		return first + "\n" + rest
	}
	return item
}

// definitions renders a list of terms, without the objects in it, which are results of their own.
func (r *renderer) definitions(n int32) string {
	var items, terms []string
	for _, c := range r.p.children(n) {
		if r.full() {
			break
		}
		if r.p.nodes[c].text || r.p.dropped(c) {
			continue
		}
		switch r.p.nodes[c].tag {
		case atom.Dt:
			if t := strings.ReplaceAll(r.inline(c), "\\\n", " "); t != "" {
				terms = append(terms, bold(t))
			}
			continue
		case atom.Div: // groups of HTML5
			if t := r.definitions(c); t != "" {
				items = append(items, t)
			}
			continue
		}
		body := r.nested(c)
		r.written += len(body)
		item := strings.Join(terms, ", ")
		terms = nil
		switch {
		case item == "" && body == "":
			continue
		case body == "":
		case item == "":
			item = body
		case !strings.Contains(body, "\n") && !blockMark(body):
			item += ": " + body
		default:
			item += "\n\n" + body
		}
		if r.nesting < maxNesting {
			item = "- " + indent(item, "  ")
		}
		items = append(items, item)
	}
	if len(terms) > 0 {
		items = append(items, "- "+strings.Join(terms, ", "))
	}
	return r.stack(items)
}

// blockMark reports whether a line is not a paragraph.
func blockMark(t string) bool { return begins(t, "- ", "> ", "#", "```", "| ") }

// begins reports whether a text begins with one of the marks.
func begins(t string, marks ...string) bool {
	return slices.ContainsFunc(marks, func(m string) bool { return strings.HasPrefix(t, m) })
}

// lines renders a block that keeps its line ends.
func (r *renderer) lines(n int32) string {
	var out []string
	r.p.find(n, func(m int32) (bool, bool) {
		if r.p.has(m, "line") {
			if t := r.inline(m); t != "" {
				out = append(out, t)
			}
			return false, true
		}
		return false, r.p.nodes[m].text
	})
	return strings.Join(out, "\\\n")
}

func (r *renderer) fence(n int32) string {
	code := strings.Trim(r.code(n), "\n")
	if strings.TrimSpace(code) == "" {
		return ""
	}
	return fenced(r.language(n), code)
}

func fenced(language, code string) string {
	lines := strings.Split(code, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t\r")
	}
	fence := strings.Repeat("`", max(3, markdown.LongestRun(code, '`')+1))
	return fence + language + "\n" + strings.Join(lines, "\n") + "\n" + fence
}

// code returns the text of a code block without line numbers.
func (r *renderer) code(n int32) string {
	var b strings.Builder
	r.p.writeCode(&b, n)
	return strings.ReplaceAll(b.String(), "\u00a0", " ")
}

func (p *Page) writeCode(b *strings.Builder, n int32) {
	for c := p.nodes[n].first; c != 0; c = p.nodes[c].next {
		switch x := &p.nodes[c]; {
		case x.text:
			b.WriteString(p.content(c))
		case x.tag == atom.Br:
			b.WriteByte('\n')
		case x.tag == atom.Button, x.tag == atom.Script, x.tag == atom.Style,
			p.has(c, "linenos", "lineno", "headerlink", "copybtn", "__codelineno", "src-line-numbers", "viewcode-link", "viewcode-back"):
		default:
			p.writeCode(b, c)
			if x.tag == atom.Div && !strings.HasSuffix(b.String(), "\n") {
				b.WriteByte('\n')
			}
		}
	}
}

// languages maps generators' names of languages to those of fences; "" means no language.
var languages = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"python3": "python", "ipython": "python", "ipython3": "python", "default": "", "none": "", "text": "", "notranslate": "", "guess": "",
		"highlight": "", "console": "console", "pycon3": "pycon", "plaintext": "", "literal-block": "", "doctest": "pycon", "py-doctest": "pycon",
		"copybutton": "", "nohighlight": "", "no-highlight": "", "table": "",
	}
})

// language returns the language of a code block by the classes of the block, of the code in it or of the elements around it.
func (r *renderer) language(n int32) string {
	p := r.p
	seen := []int32{n}
	if c := p.tagged(n, atom.Code); c != 0 {
		seen = append(seen, c)
	}
	for a, i := p.nodes[n].parent, 0; a != 0 && i < 4 &&
		(p.nodes[a].tag == atom.Div || p.nodes[a].tag == atom.Figure); a, i = p.nodes[a].parent, i+1 {
		seen = append(seen, a)
	}
	for _, m := range seen {
		if l := p.get(m, "data-lang"); l != "" {
			return spell(l)
		}
		for _, c := range strings.Fields(p.get(m, "class")) {
			for _, prefix := range []string{"highlight-", "language-", "lang-", "sourceCode-"} {
				if l, ok := strings.CutPrefix(c, prefix); ok {
					return spell(l)
				}
			}
			switch c {
			case "rust", "py-doctest", "doctest":
				return spell(c)
			}
		}
	}
	return ""
}

func spell(l string) string {
	l = strings.ToLower(l)
	if known, ok := languages()[l]; ok {
		return known
	}
	return languageName().FindString(l)
}

var languageName = pattern.Late(`^[a-z0-9+#._-]{1,30}$`)

const maxColumns = 64

// table renders a table as a Markdown table, one line for each row; it joins the lines of a cell.
func (r *renderer) table(n int32) string {
	if r.p.has(n, "highlighttable", "rouge-table") {
		if pre := r.p.find(n, func(m int32) (bool, bool) {
			return r.p.nodes[m].tag == atom.Pre, r.p.has(m, "linenos")
		}); pre != 0 {
			return r.fence(pre)
		}
	}
	var rows [][]string
	header := false
	caption := ""
	r.p.find(n, func(m int32) (bool, bool) {
		switch r.p.nodes[m].tag {
		case atom.Caption:
			caption = r.inline(m)
			return false, true
		case atom.Tr:
			cells, heads := r.row(m)
			if len(cells) > 0 {
				if len(rows) == 0 {
					header = heads
				}
				rows = append(rows, cells)
			}
			return r.full(), true
		case atom.Thead, atom.Tbody, atom.Tfoot, atom.Colgroup:
			return false, false
		}
		return false, true
	})
	columns := 0
	for _, row := range rows {
		columns = max(columns, len(row))
	}
	if columns == 0 {
		return caption
	}
	if !header {
		rows = append([][]string{make([]string, columns)}, rows...)
	}
	var b strings.Builder
	if caption != "" {
		b.WriteString(caption + "\n\n")
	}
	for i, row := range rows {
		for _, cell := range append(row, make([]string, columns-len(row))...) {
			b.WriteString("| " + cell)
			if cell != "" {
				b.WriteByte(' ')
			}
		}
		b.WriteString("|\n")
		if i == 0 {
			b.WriteString(strings.Repeat("| --- ", columns) + "|\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (r *renderer) row(n int32) (cells []string, heads bool) {
	heads = true
	for _, c := range r.p.children(n) {
		tag := r.p.nodes[c].tag
		if tag != atom.Td && tag != atom.Th || len(cells) >= maxColumns {
			continue
		}
		heads = heads && tag == atom.Th
		cells = append(cells, r.cell(c))
		span, _ := strconv.Atoi(r.p.get(c, "colspan"))
		for i := 1; i < span && len(cells) < maxColumns; i++ {
			cells = append(cells, "")
		}
	}
	return cells, heads
}

// cell returns the text of a cell in one line. It escapes a bar, in code too, since Markdown splits cells before code.
func (r *renderer) cell(n int32) string {
	s := &spans{r: r}
	for _, c := range r.p.children(n) {
		if r.leave == nil || !r.leave(c) {
			s.cellNode(c)
		}
	}
	text := strings.TrimSpace(strings.ReplaceAll(s.b.String(), "\\\n", " "))
	text = strings.ReplaceAll(text, "\n", " ")
	r.written += len(text)
	return barMarks.Replace(text)
}

var barMarks = strings.NewReplacer(`\|`, `\|`, `|`, `\|`)

// cellNode adds a node of a cell: semicolons separate items of lists, code blocks become code spans.
func (s *spans) cellNode(n int32) {
	p := s.r.p
	switch p.nodes[n].tag {
	case atom.Pre:
		s.space = s.b.Len() > 0
		s.code(p.verbatim(n))
		s.space = true
	case atom.Ul, atom.Ol, atom.Dl, atom.Div, atom.Blockquote:
		for _, c := range p.children(n) {
			if p.nodes[c].text || p.dropped(c) {
				s.node(c)
				continue
			}
			if s.b.Len() > 0 && (p.nodes[c].tag == atom.Li || p.nodes[c].tag == atom.Dt) {
				s.space = false
				s.b.WriteString(";")
			}
			s.space = s.b.Len() > 0
			s.cellNode(c)
			s.space = s.b.Len() > 0
		}
	default:
		s.node(n)
	}
}
