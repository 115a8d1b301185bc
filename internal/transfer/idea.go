// Package transfer brings in what other programs keep and gives it back (carry.go and the files of the formats), and hands
// records on to other pipelines (handoff.go).
//
// Of ideas.jsonl a file that is read and written again holds the same JSON objects, key for key and value for value.
// What this program's ideas have a field for is read into it, normalised (statuses, colours, times); the rest, and
// every value whose spelling a field does not keep, lies in Extra. When an idea is written, a field is
// written as it was spelled as long as it still means the same, else in the normal form. So an import that keeps
// Extra with the idea loses nothing. This one does: in the key imported of the idea's front matter.
package transfer

import (
	"bytes"
	"encoding/json"
)

// Idea is one line. Empty fields are those that the line does not have, or has as null.
type Idea struct {
	ID      string // as in the file; an importer keeps it as an alias
	Color   string // one of record.Colors; white is green that is done
	Status  string // one that the colour may have
	Content string
	Parent  string // an id of the file, or an outside one
	Created string // RFC 3339 in UTC, like all times here

	// The rest is for learnings (yellow) only. For other colours it is in Extra.

	Scope        string   // local or global
	Source       string   // the work that brought the learning, when that is not the parent
	Agents       []string // the first is the one that the seed's format knows
	Impact       string   // low, medium, high, critical, or ""
	Category     string
	Validated    bool
	AppliedTo    []string
	SupersededBy string

	ArchivedAt, ArchivedReason     string
	ResurrectedAt, ResurrectedBy   string
	OutdatedReason, OutdatedCommit string
	ValidatedAt                    string

	Extra Extra
}

// Extra is what the fields of an idea do not hold. As JSON it is one value, which an importer may keep as
// it is; keys come out sorted.
type Extra struct {
	Keys     map[string]json.RawMessage `json:"keys,omitempty"`     // of the object, unknown ones and spellings of known ones
	Metadata map[string]json.RawMessage `json:"metadata,omitempty"` // of its metadata
	Absent   []string                   `json:"absent,omitempty"`   // keys that others have and this one does not, those of the metadata with "metadata." before them
	Order    []string                   `json:"order,omitempty"`    // the keys of the object, where they came in another order than they are written in
	Inner    []string                   `json:"inner,omitempty"`    // those of its metadata
	After    string                     `json:"after,omitempty"`    // id of the line before, in a file that is not in the order of an export
}

// IsZero reports whether there is nothing in it.
func (e Extra) IsZero() bool {
	return len(e.Keys) == 0 && len(e.Metadata) == 0 && len(e.Absent) == 0 && len(e.Order) == 0 && len(e.Inner) == 0 && e.After == ""
}

// Renamed returns the ideas with every id, and every reference to one, replaced by what names says; ids
// that it does not have stay. An export uses it to write imported ideas under their old ids.
func Renamed(ideas []Idea, names map[string]string) []Idea {
	rename := func(id string) string {
		if name, ok := names[id]; ok {
			return name
		}
		return id
	}
	out := make([]Idea, len(ideas))
	for n, i := range ideas {
		i.ID, i.Parent, i.Source, i.SupersededBy = rename(i.ID), rename(i.Parent), rename(i.Source), rename(i.SupersededBy)
		applied := make([]string, len(i.AppliedTo))
		for k, id := range i.AppliedTo {
			applied[k] = rename(id)
		}
		if i.AppliedTo = applied; len(applied) == 0 {
			i.AppliedTo = nil
		}
		out[n] = i
	}
	return out
}

// text is s as a JSON string.
func text(s string) json.RawMessage { return encoded(s) }

// encoded is v as one line of JSON, without the escapes that are for HTML. It is for strings, and structs of raw values that
// were parsed: they are always encoded.
func encoded(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
