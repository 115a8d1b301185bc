// Package transfer imports and exports the records of other programs (carry.go and the files of the formats), and hands records off
// to other workflows (handoff.go).
//
// A file ideas.jsonl that is imported and exported again contains the same JSON objects. Reading an idea normalises the known keys into
// fields. Extra keeps the unknown keys, and the spelling of known keys that differs from the normal form, for the export; the
// front-matter key imported keeps Extra with the idea.
package transfer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/learning"
	"sdd/internal/lines"
	"sdd/internal/record"
)

// underMetadata precedes the names of keys in the metadata.
const underMetadata = "metadata."

// MaxLine is the longest line in bytes.
const MaxLine = 16 << 20

// Codes of warnings.
const (
	Malformed = "malformed" // a line that is not a JSON object, or too long; it is left out
	Empty     = "empty"     // an idea without content; it is left out
	Again     = "again"     // a later line has the same id; this one is left out
	Taken     = "taken"     // another record has the id; it does not become an alias
	Refused   = "refused"   // an idea that the store refuses; it is left out
	Color     = "color"     // an unknown colour
	Status    = "status"    // a status that the colour does not have
	Time      = "time"
	Value     = "value" // a value of another type or out of range
)

// Warning is a problem in a line. It never ends the import.
type Warning struct {
	Code string `json:"code"`
	Line int    `json:"line"` // from 1
	Text string `json:"text"`
}

// EachIdea reads ideas, one JSON object on each line, and calls f with each and the number of its line. It accepts blank lines, a BOM
// and CRLF. An error of r or f ends it.
func EachIdea(r io.Reader, f func(line int, idea Idea) error) (warnings []Warning, err error) {
	src, broken := io.ReadAll(r)
	for n, line := range linesOf(src) {
		warn := func(code, format string, args ...any) {
			warnings = append(warnings, Warning{code, n, fmt.Sprintf(format, args...)})
		}
		if line == nil {
			warn(Malformed, "the line has more than %d bytes; it is left out", MaxLine)
			continue
		}
		idea, err := readIdea(line, warn)
		switch {
		case err != nil:
			warn(Malformed, "the line is no JSON object (%v); it is left out", err)
		case strings.TrimSpace(idea.Content) == "":
			warn(Empty, "the idea %q has no content; it is left out", idea.ID)
		default:
			if err := f(n, idea); err != nil {
				return warnings, err
			}
		}
	}
	if broken != nil {
		return warnings, fault.New(fault.Unavailable, "the ideas could not be read: %v", broken)
	}
	return warnings, nil
}

// linesOf returns the lines of a text that are not blank, with their numbers from 1 and without their ends; a line that is too long is
// nil.
func linesOf(src []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		n := 0
		for line := range bytes.Lines(bytes.TrimPrefix(src, []byte("\ufeff"))) {
			n++
			line = bytes.TrimRight(line, "\r\n")
			if len(bytes.TrimSpace(line)) == 0 {
				continue
			}
			if len(line) > MaxLine {
				line = nil
			}
			if !yield(n, line) {
				return
			}
		}
	}
}

func readIdea(line []byte, warn func(code, format string, args ...any)) (Idea, error) {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(line, &object); err != nil {
		return Idea{}, err
	}
	if object == nil {
		return Idea{}, errors.New("it is null")
	}
	var i Idea
	if raw, ok := object["color"]; ok {
		i.Extra.Keys = map[string]json.RawMessage{"color": raw} // readStatus looks for white
	}
	metadata := map[string]json.RawMessage{}
	inner := keysOf(object["metadata"])
	if raw, ok := object["metadata"]; ok {
		if json.Unmarshal(raw, &metadata) != nil {
			warn(Value, "metadata is no object")
		} else if len(metadata) > 0 {
			delete(object, "metadata")
		}
	}
	i.read(topKeys, object, "", warn)
	i.read(i.metadataKeys(), metadata, underMetadata, warn)
	i.Extra = Extra{Order: ownOrder(keysOf(line), topKeys, "metadata"), Inner: ownOrder(inner, i.metadataKeys(), "")}
	i.Extra.Metadata = i.rest(i.metadataKeys(), metadata, underMetadata)
	i.Extra.Keys = i.rest(topKeys, object, "")
	return i, nil
}

func (i *Idea) read(keys []key, from map[string]json.RawMessage, under string, warn func(code, format string, args ...any)) {
	for _, k := range keys {
		if k.read == nil {
			continue
		}
		if problem := k.read(i, from[k.name]); problem != "" {
			warn(cmp.Or(k.code, Value), "%s%s %s", under, k.name, problem)
		}
	}
}

// rest returns the keys that the fields do not represent, nil for none, and adds missing keys to Extra.Absent.
func (i *Idea) rest(keys []key, from map[string]json.RawMessage, under string) map[string]json.RawMessage {
	for _, k := range keys {
		if k.read == nil {
			continue
		}
		raw, ok := from[k.name]
		normal := k.normal(i)
		switch {
		case !ok && (normal != nil || k.once):
			i.Extra.Absent = append(i.Extra.Absent, under+k.name)
		case ok && normal != nil && same(raw, normal):
			delete(from, k.name)
		}
	}
	if len(from) == 0 {
		return nil
	}
	for name, raw := range from {
		from[name] = compacted(raw)
	}
	return from
}

// compacted copies a parsed value without blanks.
func compacted(raw json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	_ = json.Compact(&b, raw)
	return b.Bytes()
}

func same(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// WriteIdeas writes ideas, one JSON object on each line. Keys are in the order of the import, else in the format's order, then unknown
// keys sorted, then the metadata. The same ideas give the same bytes.
func WriteIdeas(w io.Writer, ideas []Idea) error {
	var out []byte
	for _, i := range ideas {
		members := i.members(topKeys, i.Extra.Keys, "")
		metadata := i.members(i.metadataKeys(), i.Extra.Metadata, underMetadata)
		if raw, ok := i.Extra.Keys["metadata"]; ok && len(metadata) == 0 {
			members = append(members, member{"metadata", raw})
		} else if len(metadata) > 0 {
			members = append(members, member{"metadata", object(metadata, i.Extra.Inner)})
		}
		out = append(append(out, object(members, i.Extra.Order)...), '\n')
	}
	if _, err := w.Write(out); err != nil {
		return fault.New(fault.Unwritable, "the ideas could not be written: %v", err)
	}
	return nil
}

// members returns the members of an object: the known keys in their order, then the others.
func (i Idea) members(keys []key, extra map[string]json.RawMessage, under string) (members []member) {
	known := map[string]bool{"metadata": under == ""}
	for _, k := range keys {
		known[k.name] = true
		if value := i.value(k, extra, under); value != nil {
			members = append(members, member{k.name, value})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		if !known[name] {
			members = append(members, member{name, extra[name]})
		}
	}
	return members
}

// value returns the value to write for a key, nil for none: in the spelling of the import, or absent, when that still means the value
// of the field.
func (i Idea) value(k key, extra map[string]json.RawMessage, under string) json.RawMessage {
	spelled, ok := extra[k.name]
	if k.read == nil {
		return spelled
	}
	normal := k.normal(&i)
	if ok || slices.Contains(i.Extra.Absent, under+k.name) {
		if !ok && k.once {
			return nil
		}
		was := i
		was.Agents = slices.Clone(i.Agents)
		if k.read(&was, spelled); bytes.Equal(k.normal(&was), normal) {
			return spelled
		}
	}
	return normal
}

// Idea is one line. A field is empty when its key is missing or null. Color is one of record.Colors: white becomes green and done. Times
// are RFC 3339 in UTC. For other colours than yellow, the values of learnings are in Extra.
type Idea struct {
	learning.Idea
	Extra Extra
}

func (i *Idea) metadataKeys() []key {
	if i.Color == record.Learning {
		return metadataKeys
	}
	return nil
}

// Extra is the part of a line that the fields of an idea cannot represent.
type Extra struct {
	Keys     map[string]json.RawMessage `json:"keys,omitempty"`     // unknown keys of the object, and known keys in another spelling
	Metadata map[string]json.RawMessage `json:"metadata,omitempty"` // the same for its metadata
	Absent   []string                   `json:"absent,omitempty"`   // missing keys that an export would write; with "metadata."
	Order    []string                   `json:"order,omitempty"`    // the keys of the object, when their order differs from an export's
	Inner    []string                   `json:"inner,omitempty"`    // the same for its metadata
	Line     int                        `json:"line,omitempty"`     // of the file, when the order of its lines is not an export's
}

// Renamed returns the ideas with the ids in names, and the references to them, replaced. An export uses it to write imported ideas
// under their old ids.
func Renamed(ideas []Idea, names map[string]string) []Idea {
	rename := func(id string) string { return cmp.Or(names[id], id) }
	out := slices.Clone(ideas)
	for n := range out {
		i := &out[n]
		i.ID, i.Parent, i.SupersededBy, i.AppliedTo = rename(i.ID), rename(i.Parent), rename(i.SupersededBy), slices.Clone(i.AppliedTo)
		for k, id := range i.AppliedTo {
			i.AppliedTo[k] = rename(id)
		}
	}
	return out
}

func text(s string) json.RawMessage { return encoded(s) }

// encoded is v as one line of JSON, without the escapes for HTML. It is for strings and structs of parsed values, which always encode.
func encoded(v any) json.RawMessage { return bytes.TrimSuffix(lines.JSON(v, ""), []byte("\n")) }

// An export restores the order of keys and lines that an import found. A record keeps the names of the keys and the number of the line; it
// keeps neither when the order is an export's own.

// keysOf returns the keys of a JSON object in their order, each once; nil when it is not an object.
func keysOf(object []byte) []string {
	d := json.NewDecoder(bytes.NewReader(object))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	var names []string
	for d.More() {
		t, err := d.Token()
		name, ok := t.(string)
		var value json.RawMessage
		if err != nil || !ok || d.Decode(&value) != nil {
			return nil
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// ownOrder returns names, or nil when they are in the order of an export: the known keys, then the others sorted, then last.
func ownOrder(names []string, keys []key, last string) []string {
	var known []string
	for _, k := range keys {
		known = append(known, k.name)
	}
	rank := func(name string) int {
		if name == last {
			return len(known) + 1
		}
		return place(known, name)
	}
	if slices.IsSortedFunc(names, func(a, b string) int { return cmp.Or(rank(a)-rank(b), strings.Compare(a, b)) }) {
		return nil
	}
	return names
}

// place is the index of a name in an order, or behind it.
func place(order []string, name string) int {
	if i := slices.Index(order, name); i >= 0 {
		return i
	}
	return len(order)
}

type member struct {
	name  string
	value json.RawMessage
}

// object writes members: first those in order, then the others.
func object(members []member, order []string) []byte {
	slices.SortStableFunc(members, func(a, b member) int { return place(order, a.name) - place(order, b.name) })
	var b []byte
	for _, m := range members {
		b = append(append(append(append(b, ','), text(m.name)...), ':'), m.value...)
	}
	return slices.Concat([]byte("{"), bytes.TrimPrefix(b, []byte(",")), []byte("}"))
}
