package frontmatter

import (
	"bytes"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/pattern"
)

// Set gives a key a value: string, bool, int, int64, float64, []string, []any or map[string]any. A nil Value removes the key.
type Set struct {
	Key   string
	Value any
}

// Apply makes the sets in src, and changes only the bytes of the keys that they name; src itself if every key has its value.
//
// A value on one line is replaced in place, in its quoting style if that can hold it, and keeps the comment after it; one over several
// lines as a whole, but a list keeps the lines of its remaining items. Comments above a removed key stay. A new key goes below the nearest
// key before it in order, else above the nearest after it, else to the end. A missing block is added at the top,
// with an empty line after it unless the body begins with one.
//
// Apply reads the result again: if anything else differs, or a key does not read back as set, the fault is Broken. So it is for keys
// without separate bytes: those of a `{…}` block, `? key` forms, and values that an alias elsewhere refers to.
func Apply(src []byte, order []string, sets []Set) ([]byte, error) {
	before, err := Parse(src)
	if err != nil {
		return nil, err
	}
	after, err := before.Apply(order, sets)
	if err != nil {
		return nil, err
	}
	return after.Src, nil
}

// Apply is the function Apply for a parsed file. It returns before itself if nothing changes.
func (before *Doc) Apply(order []string, sets []Set) (after *Doc, err error) {
	after = before
	wanted := make(map[string]*node, len(sets))
	for _, s := range sets {
		var n *node
		if s.Value != nil {
			if n, err = want(s.Key, s.Value); err != nil {
				return nil, err
			}
		}
		out, err := after.set(order, s.Key, n)
		if err != nil {
			return nil, err
		}
		wanted[s.Key] = n
		if out == nil {
			continue
		}
		if after, err = Parse(out); err != nil {
			if after.YAML.End-after.YAML.Start > maxBlock {
				return nil, fault.New(fault.Invalid, "with %q the front matter would have more than %d bytes", s.Key, maxBlock).
					For(s.Key).With("put long text into the body")
			}
			return nil, before.damaged(s.Key, err)
		}
	}
	if after == before {
		return before, nil
	}
	if key, ok := unchanged(before, after, wanted); !ok {
		return nil, before.damaged(key, nil)
	}
	return after, nil
}

// damaged returns the fault for a change that the block's form does not allow.
func (d *Doc) damaged(key string, cause error) error {
	line := 1
	if i := d.index(key); i >= 0 {
		line = d.Keys[i].Line
	}
	return fault.New(fault.Broken, "the key %q cannot be changed without touching another one", key).
		With("change it by hand in an editor").At("", line).From(cause)
}

// unchanged checks the guarantees of Apply. If one fails, key is the key at fault.
func unchanged(before, after *Doc, wanted map[string]*node) (key string, ok bool) {
	body := after.Src[after.Body:]
	if !before.Present {
		body = bytes.TrimPrefix(body, []byte(blankLine(before)))
	}
	if before.BOM != after.BOM || !bytes.Equal(before.Src[before.Body:], body) {
		return "", false
	}
	rest := func(d *Doc) (keys []int) {
		for i := range d.Keys {
			if _, named := wanted[d.Keys[i].Name]; !named {
				keys = append(keys, i)
			}
		}
		return keys
	}
	old, now := rest(before), rest(after)
	if len(old) != len(now) {
		return "", false
	}
	for i := range old {
		a, b := before.Keys[old[i]], after.Keys[now[i]]
		if a.Name != b.Name || !bytes.Equal(before.Src[a.Span.Start:a.Span.End], after.Src[b.Span.Start:b.Span.End]) ||
			!reflect.DeepEqual(before.root.items[2*old[i]+1].value(), after.root.items[2*now[i]+1].value()) {
			return a.Name, false
		}
	}
	for name, n := range wanted {
		have := after.find(name)
		if n == nil && after.index(name) >= 0 || n != nil && (have == nil || !have.holds(n)) {
			return name, false
		}
	}
	return "", true
}

// index returns the number of one of the block's own keys, -1 if there is no such key.
func (d *Doc) index(key string) int {
	return slices.IndexFunc(d.Keys, func(k Key) bool { return k.Name == key })
}

// set returns the file with one key set, or removed if n is nil. A nil result means no change.
func (d *Doc) set(order []string, key string, n *node) ([]byte, error) {
	i := d.index(key)
	if have := d.find(key); n != nil && have != nil && have.holds(n) || n == nil && i < 0 {
		return nil, nil
	}
	if i < 0 {
		return d.insert(order, key, n)
	}
	if alias := d.aliasTo(i); alias != nil {
		return nil, fault.New(fault.Broken, "the value of %q is also used on line %d, as *%s", key, alias.line, alias.text).
			With("write the value out on line "+strconv.Itoa(alias.line)+" first").At("", d.Keys[i].Line)
	}
	e, ok := d.entry(i)
	if !ok {
		return nil, d.damaged(key, nil)
	}
	if n == nil {
		return splice(d.Src, e.lines, ""), nil
	}
	return d.replace(e, n), nil
}

func splice(src []byte, at Span, text string) []byte {
	return slices.Concat(src[:at.Start], []byte(text), src[at.End:])
}

// indent returns the spaces before each key: nearly always none.
func (d *Doc) indent() string {
	if len(d.Keys) == 0 {
		return ""
	}
	line := d.Src[d.Keys[0].Span.Start:d.Keys[0].Span.End]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " "))])
}

// aliasTo returns an alias outside of the i-th entry that refers to an anchor in it.
func (d *Doc) aliasTo(i int) *node {
	anchored := map[*node]bool{}
	for _, part := range []*node{&d.root.items[2*i], &d.root.items[2*i+1]} {
		for _, n := range part.all() {
			if n.anchor != "" {
				anchored[n] = true
			}
		}
	}
	if len(anchored) == 0 {
		return nil
	}
	for j := range d.root.items {
		for _, n := range d.root.items[j].all() {
			if j/2 != i && n.kind == kindAlias && anchored[n.target] {
				return n
			}
		}
	}
	return nil
}

// isInline reports whether n, which is at a place, fits one line and is no block list or map.
func (d *Doc) isInline(n *node, at Span) bool {
	switch n.style {
	case styleLiteral, styleFolded, styleBlock:
		return false
	}
	return lineContentEnd(d.Src[:at.End], at.Start) == at.End
}

func (d *Doc) replace(e entry, n *node) []byte {
	if n.kind == kindList && len(n.items) > 0 {
		if list, ok := d.list(e); ok {
			return splice(d.Src, e.lines, list.with(n.items, d.Newline))
		}
	}
	v := e.value
	staysFlow := n.kind != kindScalar && n.kind == v.kind && v.style == styleFlow
	if d.isInline(v, e.at) && (!n.isBlock() || staysFlow) {
		text := n.inline(v.style, false)
		switch {
		case e.at.End == e.colon+1:
			text = " " + text
		case v.anchor != "" && v.tag == "" && e.content < e.at.End:
			e.at.Start = e.content
		}
		return splice(d.Src, e.at, text)
	}

	src := d.Src[:d.YAML.End]
	tail := e.at.End // end of the old value; the comment after it stays
	stop := lineAfter(src, tail)
	if v.style == styleLiteral || v.style == styleFolded || v.style == styleBlock {
		tail, stop = e.colon+1, e.lines.End
	}
	comment := trailingComment().FindString(string(src[tail:lineContentEnd(src, tail)]))
	indent := d.indent()
	text := " " + n.inline(stylePlain, false) + comment + d.Newline
	if n.isBlock() {
		text = comment + d.Newline + n.lines(indent+"  ", d.Newline)
	} else if v.style == styleLiteral && n.kind == kindScalar {
		if lines, ok := literal(n.text, d.literalIndent(e), d.Newline); ok && n.style != stylePlain {
			head, body, _ := strings.Cut(lines, d.Newline)
			text = " " + head + comment + d.Newline + body
		}
	}
	return splice(d.Src, Span{e.colon + 1, stop}, text)
}

var trailingComment = pattern.Late(`[ \t]+#.*`)

// literalIndent returns how far the lines of a `|` value are indented.
func (d *Doc) literalIndent(e entry) string {
	for line := lineAfter(d.Src, e.content); line < e.at.End; line = lineAfter(d.Src, line) {
		text := d.Src[line:lineContentEnd(d.Src, line)]
		if spaces := len(text) - len(bytes.TrimLeft(text, " ")); spaces < len(text) && spaces > len(d.indent()) {
			return strings.Repeat(" ", spaces)
		}
	}
	return d.indent() + "  "
}

func (d *Doc) insert(order []string, key string, n *node) ([]byte, error) {
	if d.root.style == styleFlow && len(d.root.items) > 0 {
		return nil, d.damaged(key, nil)
	}
	text := d.indent() + spellKey(key) + ":"
	if n.isBlock() {
		text += d.Newline + n.lines(d.indent()+"  ", d.Newline)
	} else {
		text += " " + n.inline(stylePlain, false) + d.Newline
	}
	if !d.Present {
		text = "---" + d.Newline + text + "---" + d.Newline + blankLine(d)
		return splice(d.Src, Span{d.Body, d.Body}, text), nil
	}
	if d.root.style == styleFlow { // {}
		src := source(d.Src[:d.YAML.End])
		at, _, ok := src.value(&d.root, src.skipBlank(d.YAML.Start), 0)
		if !ok {
			return nil, d.damaged(key, nil)
		}
		return splice(d.Src, Span{lineStart(src, d.YAML.Start, at.Start), lineAfter(src, at.End)}, text), nil
	}
	at := d.place(order, key)
	return splice(d.Src, Span{at, at}, text), nil
}

// blankLine is what separates a new block from the body.
func blankLine(d *Doc) string {
	if rest := d.Src[d.Body:]; len(rest) == 0 || lineBreak(rest, 0) > 0 {
		return ""
	}
	return d.Newline
}

// place returns where a new key's line goes.
func (d *Doc) place(order []string, key string) int {
	at := slices.Index(order, key)
	for i := at - 1; i >= 0; i-- {
		if k := d.index(order[i]); k >= 0 {
			return d.Keys[k].Span.End
		}
	}
	for i := at + 1; at >= 0 && i < len(order); i++ {
		if k := d.index(order[i]); k >= 0 {
			return d.commentsAbove(k)
		}
	}
	if len(d.Keys) > 0 {
		return d.Keys[len(d.Keys)-1].Span.End
	}
	return d.YAML.End
}

// commentsAbove returns where the comments directly above the k-th key begin; those indented deeper belong to the entry above them.
func (d *Doc) commentsAbove(k int) int {
	at := d.YAML.Start
	if k > 0 {
		at = d.Keys[k-1].Span.End
	}
	for line := at; line < d.Keys[k].Span.Start; {
		next := lineAfter(d.Src, line)
		if text := bytes.TrimLeft(d.Src[line:next], " \t"); len(text) == 0 || text[0] != '#' || next-line-len(text) > len(d.indent()) {
			at = next
		}
		line = next
	}
	return at
}
