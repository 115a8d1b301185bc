// Package transfer imports and exports the records of other programs (carry.go and the files of the formats), and hands records off
// to other workflows (handoff.go).
//
// A file ideas.jsonl that is imported and exported again contains the same JSON objects, key by key and value by value. Reading an
// idea normalises the known keys into fields (statuses, colours, times). Extra keeps the unknown keys, and the spelling of known
// keys that differs from the normal form. Writing an idea uses that spelling as long as it has the same meaning. The front-matter
// key imported keeps Extra with the idea.
package transfer

import (
	"bytes"
	"cmp"
	"encoding/json"

	"sdd/internal/learning"
	"sdd/internal/record"
)

// Idea is one line. A field is empty when its key is missing or null. Color is one of record.Colors: white becomes green and done. Times
// are RFC 3339 in UTC. For other colours than yellow, the values of learnings are in Extra.
type Idea struct {
	learning.Idea
	Extra Extra
}

// metadataKeys are the keys of the metadata that have fields.
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
	out := make([]Idea, len(ideas))
	for n, i := range ideas {
		i.ID, i.Parent, i.SupersededBy = rename(i.ID), rename(i.Parent), rename(i.SupersededBy)
		applied := i.AppliedTo
		i.AppliedTo = nil
		for _, id := range applied {
			i.AppliedTo = append(i.AppliedTo, rename(id))
		}
		out[n] = i
	}
	return out
}

// text is s as a JSON string.
func text(s string) json.RawMessage { return encoded(s) }

// encoded is v as one line of JSON, without the escapes for HTML. It is for strings and structs of parsed values, which always encode.
func encoded(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
