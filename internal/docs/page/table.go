package page

import (
	"strconv"
	"strings"

	"golang.org/x/net/html/atom"
)

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
		for c := range columns {
			cell := ""
			if c < len(row) {
				cell = row[c]
			}
			if cell == "" {
				b.WriteString("| ")
			} else {
				b.WriteString("| " + cell + " ")
			}
		}
		b.WriteString("|\n")
		if i == 0 {
			b.WriteString(strings.Repeat("| --- ", columns) + "|\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// row returns the cells of a row, and whether all are header cells.
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

// cell returns the text of a cell in one line. It escapes a bar, in code too, since Markdown splits cells before
// code.
func (r *renderer) cell(n int32) string {
	s := &spans{r: r}
	for c := r.p.nodes[n].first; c != 0; c = r.p.nodes[c].next {
		if r.leave != nil && r.leave(c) {
			continue
		}
		s.cellNode(c)
	}
	text := strings.TrimSpace(strings.ReplaceAll(s.b.String(), "\\\n", " "))
	text = strings.ReplaceAll(text, "\n", " ")
	r.written += len(text)
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '|' && (i == 0 || text[i-1] != '\\') {
			b.WriteByte('\\')
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

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
