package transfer

import (
	"bufio"
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

// readIdea reads the object of a line.
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
	i.Extra = Extra{}
	i.Extra.Order, i.Extra.Inner = ownOrder(keysOf(line), topKeys, "metadata"), ownOrder(inner, i.metadataKeys(), "")
	i.Extra.Metadata = i.rest(i.metadataKeys(), metadata, underMetadata)
	i.Extra.Keys = i.rest(topKeys, object, "")
	return i, nil
}

// read sets the fields of the known keys.
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

// same reports whether two JSON values are equal.
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
	out := bufio.NewWriter(w)
	for n := range ideas {
		_, _ = out.Write(ideas[n].appendJSON(nil)) // Flush returns the first error
	}
	if err := out.Flush(); err != nil {
		return fault.New(fault.Unwritable, "the ideas could not be written: %v", err)
	}
	return nil
}

// appendJSON appends the idea as a line.
func (i Idea) appendJSON(b []byte) []byte {
	members := i.members(topKeys, i.Extra.Keys, "")
	metadata := i.members(i.metadataKeys(), i.Extra.Metadata, underMetadata)
	if raw, ok := i.Extra.Keys["metadata"]; ok && len(metadata) == 0 {
		members = append(members, member{"metadata", raw})
	} else if len(metadata) > 0 {
		members = append(members, member{"metadata", object(metadata, i.Extra.Inner)})
	}
	return append(append(b, object(members, i.Extra.Order)...), '\n')
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
