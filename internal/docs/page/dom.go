// Package page reads pages of documentation: it finds the description at an anchor, whatever generator or
// theme made the page, and renders it as Markdown without HTML.
package page

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"
)

// Limits of a page.
const (
	MaxBytes = 16 << 20 // of a page
	maxNodes = 5 << 18  // elements, attributes and texts of a page; the largest seen has 740,000
	maxIDs   = 1 << 17  // anchors of a page; the largest seen has 56,000
	maxToken = 8 << 20  // bytes of a tag or of a script
	maxText  = 4 << 20  // bytes of one description; the largest seen has 90,000
	maxDepth = 400      // open elements; deeper ones become siblings
)

// The reasons why Parse refuses a page.
var (
	ErrTooLarge = errors.New("the page is too large")
	ErrNotHTML  = errors.New("not a page of HTML")
	ErrNoAnchor = errors.New("the page has no such anchor")
)

// Page is a parsed page. It is immutable; several goroutines may read it.
//
// This package builds the tree itself. The error recovery of html.Parse may make any number of nodes
// of a hostile page; here the cost is proportional to the page's length. Generated documentation is
// well formed, except for optional end tags.
type Page struct {
	src   string // valid UTF-8
	nodes []node
	attrs []attr
	ids   map[string]int32 // the element with that id, or a[name]
}

// node is an element, or a text if tag is 0 and name is "". Node 0 is the root; a link to 0 means none.
type node struct {
	parent, first, last, next int32
	tag                       atom.Atom // 0 also for elements that HTML does not know
	off, end                  uint32    // the range of a text in src
	attr                      uint32
	attrs                     uint16
	text                      bool
}

type attr struct {
	value string
	key   uint8 // in attrKeys
}

// attrKeys are the attributes that this package uses; it drops the others.
var attrKeys = [...]string{"", "id", "class", "name", "href", "src", "alt", "role", "start", "data-lang", "colspan"}

// attrKey returns the index of an attribute in attrKeys, 0 for others.
func attrKey(key string) uint8 { return uint8(max(0, slices.Index(attrKeys[:], key))) }

// Parse parses a page. contentType is the server's, "" for a file. The error is ErrTooLarge or ErrNotHTML.
func Parse(data []byte, contentType string) (*Page, error) {
	if len(data) > MaxBytes {
		return nil, ErrTooLarge
	}
	src, err := decode(data, contentType)
	if err != nil {
		return nil, err
	}
	p := &Page{src: src, ids: map[string]int32{}}
	// Nearly always enough to avoid a copy: a text for each tag, an element for every second.
	p.nodes = make([]node, 1, min(maxNodes+16, 64+strings.Count(src, "<")*3/2))
	p.attrs = make([]attr, 0, min(maxNodes, strings.Count(src, "=")/2+16))
	b := builder{p: p, open: make([]int32, 1, 64)}
	if err := b.build(); err != nil {
		return nil, err
	}
	if !b.markup {
		return nil, ErrNotHTML
	}
	return p, nil
}

// Bytes is the approximate memory of the page.
func (p *Page) Bytes() int {
	return len(p.src) + 36*cap(p.nodes) + 24*cap(p.attrs) + 64*len(p.ids)
}

type builder struct {
	p      *Page
	open   []int32 // the open elements, from the root
	deeper int     // open elements beyond maxDepth
	markup bool    // the parser has seen an element
}

func (b *builder) build() error {
	z := html.NewTokenizer(strings.NewReader(b.p.src))
	z.SetMaxBuf(maxToken)
	at := 0
	for {
		tt := z.Next()
		raw := len(z.Raw())
		start := at
		at += raw
		switch tt {
		case html.ErrorToken:
			if errors.Is(z.Err(), html.ErrBufferExceeded) {
				return ErrTooLarge
			}
			if raw > 0 {
				b.text(start, at)
			}
			return nil
		case html.TextToken:
			b.text(start, at)
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			b.start(atom.Lookup(name), more, z, tt == html.SelfClosingTagToken, b.p.src[start:at])
		case html.EndTagToken:
			name, _ := z.TagName()
			b.close(atom.Lookup(name))
		}
		if len(b.p.nodes)+len(b.p.attrs) > maxNodes || len(b.p.ids) > maxIDs {
			return ErrTooLarge
		}
	}
}

func (b *builder) top() int32 { return b.open[len(b.open)-1] }

func (b *builder) add(n node) int32 {
	nodes := b.p.nodes
	i, parent := int32(len(nodes)), b.top()
	n.parent = parent
	if last := nodes[parent].last; last != 0 {
		nodes[last].next = i
	} else {
		nodes[parent].first = i
	}
	nodes[parent].last = i
	b.p.nodes = append(nodes, n)
	return i
}

func (b *builder) text(start, end int) {
	if start < end {
		b.add(node{off: uint32(start), end: uint32(end), text: true})
	}
}

// start adds an element; source is its tag.
func (b *builder) start(tag atom.Atom, more bool, z *html.Tokenizer, selfClosing bool, source string) {
	b.markup = b.markup || tag != 0
	b.imply(tag)
	n := node{tag: tag, attr: uint32(len(b.p.attrs))}
	id := ""
	for more {
		var key, value []byte
		key, value, more = z.TagAttr()
		k := attrKey(string(key))
		if k == 0 || len(b.p.attrs) > maxNodes {
			continue
		}
		v := string(value)
		if i := strings.Index(source, v); i >= 0 {
			v = source[i : i+len(v)] // without memory of its own
		}
		b.p.attrs = append(b.p.attrs, attr{v, k})
		if n.attrs++; string(key) == "id" || string(key) == "name" && tag == atom.A && id == "" {
			id = v
		}
	}
	i := b.add(n)
	// The first element with an id counts, except a box of the theme with the id of an element inside it.
	if first, taken := b.p.ids[id]; id != "" && (!taken || b.p.nodes[first].tag == atom.Div && b.p.within(i, first)) {
		b.p.ids[id] = i
	}
	switch {
	case void(tag), selfClosing && tag == 0:
	case len(b.open) >= maxDepth:
		b.deeper++
	default:
		b.open = append(b.open, i)
	}
}

// imply closes the open elements that a start tag ends without an end tag.
func (b *builder) imply(tag atom.Atom) {
	switch tag {
	case atom.Body, atom.Caption, atom.Colgroup, atom.Head, atom.Html, atom.Tbody, atom.Td, atom.Tfoot, atom.Th, atom.Thead, atom.Tr:
	default:
		if block(tag) {
			b.closeTo(lineScope, atom.P)
		}
	}
	switch tag {
	case atom.Li:
		b.closeTo(itemScope, atom.Li)
	case atom.Dd, atom.Dt:
		b.closeTo(itemScope, atom.Dd, atom.Dt)
	case atom.Tr:
		b.closeTo(tableScope, atom.Tr)
	case atom.Td, atom.Th:
		b.closeTo(rowScope, atom.Td, atom.Th)
	case atom.Tbody, atom.Thead, atom.Tfoot:
		b.closeTo(tableScope, atom.Tbody, atom.Thead, atom.Tfoot)
	case atom.A:
		b.closeTo(linkScope, atom.A)
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		if heading(b.p.nodes[b.top()].tag) > 0 {
			b.open = b.open[:len(b.open)-1]
		}
	}
}

// closeTo closes the innermost open element of the tags unless it reaches one of scope first.
func (b *builder) closeTo(scope func(atom.Atom) bool, tags ...atom.Atom) {
	for i := len(b.open) - 1; i > 0; i-- {
		t := b.p.nodes[b.open[i]].tag
		if slices.Contains(tags, t) {
			b.open = b.open[:i]
			return
		} else if scope(t) {
			return
		}
	}
}

// close handles an end tag. It ignores one without an open element, and an inline one does not end a block.
func (b *builder) close(tag atom.Atom) {
	if void(tag) {
		return
	}
	if b.deeper > 0 {
		b.deeper--
		return
	}
	for i := len(b.open) - 1; i > 0; i-- {
		t := b.p.nodes[b.open[i]].tag
		switch {
		case t == tag:
			b.open = b.open[:i]
			return
		case !block(tag) && block(t), slices.Contains(cellTags, t) && !slices.Contains(tableParts, tag) && tag != atom.Body && tag != atom.Html:
			return
		}
	}
}

func void(t atom.Atom) bool {
	switch t {
	case atom.Area, atom.Base, atom.Br, atom.Col, atom.Embed, atom.Hr, atom.Img, atom.Input, atom.Link, atom.Meta, atom.Param, atom.Source,
		atom.Track, atom.Wbr:
		return true
	}
	return false
}

func block(t atom.Atom) bool {
	switch t {
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Body, atom.Caption, atom.Center, atom.Colgroup, atom.Dd, atom.Details,
		atom.Dialog, atom.Dir, atom.Div, atom.Dl, atom.Dt, atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer, atom.Form, atom.H1, atom.H2,
		atom.H3, atom.H4, atom.H5, atom.H6, atom.Head, atom.Header, atom.Hgroup, atom.Hr, atom.Html, atom.Li, atom.Main, atom.Menu, atom.Nav,
		atom.Ol, atom.P, atom.Pre, atom.Section, atom.Summary, atom.Table, atom.Tbody, atom.Td, atom.Tfoot, atom.Th, atom.Thead, atom.Tr, atom.Ul:
		return true
	}
	return false
}

func anyOf(tags ...atom.Atom) func(atom.Atom) bool {
	return func(t atom.Atom) bool { return slices.Contains(tags, t) }
}

// The boundaries at which the search for an open paragraph, link, list item, row or cell ends.
var (
	lineScope  = func(t atom.Atom) bool { return block(t) || t == atom.Object || t == atom.Template || t == atom.Button }
	linkScope  = anyOf(atom.Caption, atom.Html, atom.Table, atom.Td, atom.Th, atom.Object, atom.Template, atom.Button)
	itemScope  = func(t atom.Atom) bool { return block(t) && t != atom.Div && t != atom.P && t != atom.Address }
	tableScope = anyOf(atom.Table, atom.Template, atom.Html)
	rowScope   = anyOf(atom.Tr, atom.Table, atom.Template, atom.Html)
)

var (
	// An end tag within a cell closes nothing around the cell, except the end tag of a part of the table.
	cellTags   = []atom.Atom{atom.Td, atom.Th, atom.Caption}
	tableParts = []atom.Atom{atom.Table, atom.Tbody, atom.Thead, atom.Tfoot, atom.Tr, atom.Td, atom.Th, atom.Caption}
	headings   = []atom.Atom{atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6}
)

// heading returns the level of a heading, 0 for other elements.
func heading(t atom.Atom) int { return slices.Index(headings, t) + 1 }

// decode returns the page as UTF-8, from the encoding of its byte order mark, its content type or its meta element, in this order,
// else UTF-8. Invalid bytes become U+FFFD.
func decode(data []byte, contentType string) (string, error) {
	// Pages that are said to be of ASCII, for which the web reads windows-1252, are often of UTF-8.
	enc, name, certain := charset.DetermineEncoding(data, contentType)
	if certain && name != "utf-8" && !(name == "windows-1252" && utf8.Valid(data)) {
		if out, err := enc.NewDecoder().Bytes(data); err == nil {
			data = out
		}
	}
	if len(data) > 2*MaxBytes {
		return "", ErrTooLarge
	}
	if start := data[:min(len(data), 1024)]; bytes.IndexByte(start, 0) >= 0 && !bytes.Contains(start, []byte("<")) {
		return "", ErrNotHTML // binary data
	}
	return strings.TrimPrefix(strings.ToValidUTF8(string(data), "\uFFFD"), "\ufeff"), nil
}
