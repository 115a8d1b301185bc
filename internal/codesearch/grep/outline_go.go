package grep

import (
	tokens "go/scanner"
	"go/token"
)

const wholeGroup = 25 // lines up to which a group of declarations stays together

// goUnits are the declarations of a Go file with their comments, told from its tokens alone: reading on is most of what a
// search does after the first pass, and a parser would make trees of all bodies. In a file that does not parse, a
// keyword at the start of a line begins a declaration, whatever is still open.
func goUnits(o *outline) []unit {
	files := token.NewFileSet()
	file := files.AddFile("", files.Base(), len(o.src))
	d := declarations{outline: o, last: -1, doc: unit{0, -1}}
	d.Init(file, o.src, nil, tokens.ScanComments)
	for {
		pos, tok, text := d.Scan()
		if tok == token.EOF {
			break
		}
		d.take(file.Offset(pos), tok, text)
	}
	d.end()
	return d.found
}

// declarations reads tokens in their order.
type declarations struct {
	tokens.Scanner
	*outline
	found []unit

	open    token.Token // the keyword of the declaration that is being read, ILLEGAL between them
	keyword int         // its line
	whole   unit        // the declaration so far, with its comment
	depth   int         // of brackets
	group   bool        // its specs stand in parentheses
	spec    bool        // one of them is being read
	specs   []unit
	at      int  // the line that was told last
	last    int  // line in which the token before ends, -1 before the first
	doc     unit // the comment that may belong to what comes next; none where it ends before it starts
}

var declares = map[token.Token]bool{token.PACKAGE: true, token.IMPORT: true, token.CONST: true, token.VAR: true, token.TYPE: true, token.FUNC: true}

func (d *declarations) take(at int, tok token.Token, text string) {
	line := d.line(at)
	if tok == token.COMMENT {
		d.comment(line, d.line(at+len(text)-1))
		return
	}
	if tok == token.SEMICOLON {
		switch {
		case d.open == token.ILLEGAL:
		case d.depth == 0:
			d.end()
		case d.depth == 1 && d.group:
			d.spec = false
		}
		return
	}
	switch {
	case declares[tok] && (d.open == token.ILLEGAL || d.depth > 0 && at == d.starts[line]):
		d.end()
		d.open, d.keyword, d.whole = tok, line, d.documented(line)
	case d.open == token.ILLEGAL:
	case tok == token.LPAREN && d.depth == 0 && line == d.keyword && d.whole.end == d.keyword && d.first(at):
		d.group = d.open != token.FUNC
	case d.group && d.depth == 1 && tok != token.RPAREN && !d.spec:
		d.spec = true
		d.specs = append(d.specs, d.documented(line))
	}
	switch tok {
	case token.LPAREN, token.LBRACK, token.LBRACE:
		d.depth++
	case token.RPAREN, token.RBRACK, token.RBRACE:
		d.depth = max(0, d.depth-1)
	}
	end := line
	if text != "" && tok == token.STRING {
		end = d.line(at + len(text) - 1)
	}
	d.last, d.doc = end, unit{0, -1}
	if d.open != token.ILLEGAL {
		d.whole.end = end
		if d.spec {
			d.specs[len(d.specs)-1].end = end
		}
	}
}

// first reports whether nothing but the keyword stands in its line before the offset.
func (d *declarations) first(at int) bool {
	start := d.starts[d.keyword]
	for _, c := range d.src[start+len(d.open.String()) : at] {
		if c != ' ' && c != '\t' {
			return false
		}
	}
	return true
}

// comment adds to the comment that may belong to what comes next. One behind a token in its line belongs to that.
func (d *declarations) comment(from, to int) {
	switch {
	case from == d.last:
		d.doc = unit{0, -1}
	case d.doc.end >= d.doc.start && from <= d.doc.end+1:
		d.doc.end = to
	default:
		d.doc = unit{from, to}
	}
}

// documented is the start of something in the line, with the comment right above it.
func (d *declarations) documented(line int) unit {
	if d.doc.end >= d.doc.start && d.doc.end+1 == line {
		return unit{d.doc.start, line}
	}
	return unit{line, line}
}

// end ends the declaration that is being read.
func (d *declarations) end() {
	switch {
	case d.open == token.ILLEGAL:
	case d.open == token.PACKAGE:
		if d.whole.start < d.keyword {
			d.add(d.whole)
		}
	case d.group && d.whole.end-d.keyword >= wholeGroup:
		for _, s := range d.specs {
			d.add(s)
		}
	default:
		d.add(d.whole)
	}
	d.open, d.depth, d.group, d.spec, d.specs = token.ILLEGAL, 0, false, false, nil
}

// add keeps units sorted and apart: two declarations in one line are one.
func (d *declarations) add(u unit) {
	if n := len(d.found); n == 0 || u.start > d.found[n-1].end {
		d.found = append(d.found, u)
	}
}

// line returns the line of an offset that is not before the one it was asked for last.
func (d *declarations) line(offset int) int {
	for d.at+1 < len(d.starts) && d.starts[d.at+1] <= offset {
		d.at++
	}
	return d.at
}
