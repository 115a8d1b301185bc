package jsonc

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/tailscale/hujson"
)

// list returns the list at a path; a is nil when nothing is there.
func list(src []byte, path []string) (d *document, a *hujson.Array, end int, err error) {
	d, err = parse(src, path...)
	if err != nil || !d.has(path) {
		return d, nil, 0, err
	}
	v := d.object.Members[d.member].Value
	a, ok := v.Value.(*hujson.Array)
	if !ok {
		return nil, nil, 0, d.failAt(v.StartOffset, "\""+path[len(path)-1]+"\" is not a list")
	}
	return d, a, v.EndOffset, nil
}

// Prepend returns the text with one more value at the start of the list at a path, which it creates when it is missing. A comment before an
// element stays with it. Every other byte stays.
func Prepend(src []byte, value any, path ...string) ([]byte, error) {
	d, a, end, err := list(src, path)
	if err != nil {
		return nil, err
	}
	if a == nil {
		return Set(src, []any{value}, path...)
	}
	member := d.object.Members[d.member]
	at := member.Value.StartOffset + 1
	st, inside := d.style(), src[at:end-1]
	indent, _ := d.indentOf(member.Name.StartOffset)
	own := indent + st.unit
	if len(a.Elements) > 0 {
		if first, alone := d.indentOf(a.Elements[0].StartOffset); alone {
			own = first
		} else {
			st.flat = true
		}
	}
	in := st.newline + own
	text := st.render(value, own)
	switch {
	case st.flat && len(a.Elements) > 0:
		text += ", "
	case st.flat:
	case len(a.Elements) > 0:
		text = in + text + ","
	case !bytes.Contains(inside, []byte("\n")):
		text = in + text + st.newline + indent
	default:
		text = in + text
	}
	return repacked(slices.Concat(src[:at], []byte(text), src[at:]))
}

// Drop returns the text without the element of that index of the list at a path. The other elements and the comments stay.
func Drop(src []byte, index int, path ...string) ([]byte, error) {
	_, a, end, err := list(src, path)
	if err != nil {
		return nil, err
	}
	if a == nil || index >= len(a.Elements) {
		return nil, fmt.Errorf("the list has no element %d", index)
	}
	e, last := a.Elements[index], index == len(a.Elements)-1
	from, to := e.StartOffset, e.EndOffset
	extra := src[from-len(e.BeforeExtra) : from]
	from -= len(extra) - len(bytes.TrimRight(extra, " \t\r\n")) // the blanks before it
	switch {
	case !last: // with its comma
		to += len(e.AfterExtra) + 1
		if rest := src[to:end]; from == e.StartOffset && len(rest) > 0 && rest[0] == ' ' { // on one line
			to++
		}
	case index > 0: // with the comma before it
		before := a.Elements[index-1]
		comma := before.EndOffset + len(before.AfterExtra)
		if len(bytes.TrimSpace(extra)) > 0 || e.AfterExtra != nil { // a comment stays, and the comma with it
			break
		}
		from = comma
	default:
		if e.AfterExtra != nil { // a trailing comma
			to += len(e.AfterExtra) + 1
		}
		if open := from; len(bytes.TrimSpace(extra)) == 0 && len(bytes.TrimSpace(src[to:end-1])) == 0 {
			return repacked(slices.Concat(src[:open], src[end-1:]))
		}
	}
	return repacked(slices.Concat(src[:from], src[to:]))
}

// repacked returns a changed text, which must be valid.
func repacked(out []byte) ([]byte, error) {
	d := &document{src: out}
	if _, err := parse(out); err != nil {
		return nil, d.failAt(0, "the change would break the file: "+err.Error())
	}
	return out, nil
}
