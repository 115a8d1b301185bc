package record

import "fmt"

// Moved is one record after an action of its life. From and To are statuses, equal where the action changed none; of promote they are
// scopes, of apply To is the target. To is deleted when the file was removed.
type Moved struct {
	ID   string `json:"id"`
	Kind string `json:"kind"` // learning, idea, fact or candidate; parent of an id outside the store
	From string `json:"from"`
	To   string `json:"to"`
	File string `json:"file"` // of a candidate that was approved that of its record
	Etag string `json:"etag"`
	Why  string `json:"why,omitempty"` // of a fact whose time is over; places not affirmed; of a parent without learnings
	Did  string `json:"did,omitempty"` // of an approved proposal: archived or superseded
	Of   string `json:"of,omitempty"`  // and the id of the record that it archived or superseded

	Changed bool `json:"-"` // its file, though From is To
}

// Line renders the change for an agent or a person.
func (m Moved) Line() string {
	if m.File == "" && m.From == m.To && m.Why != "" {
		return fmt.Sprintf("%s: %s\n", OneLine(m.ID), OneLine(m.Why))
	}
	did := OneLine(m.From) + " → " + OneLine(m.To)
	if m.From == m.To && m.Changed {
		did = OneLine(m.To) + ", changed"
	} else if m.From == m.To {
		did = OneLine(m.To) + " already"
	} else if m.From == "" {
		did = OneLine(m.To)
	}
	line := fmt.Sprintf("%s: %s (%s)", OneLine(m.ID), did, m.File)
	if m.Why != "" {
		line += ": " + OneLine(m.Why)
	}
	if m.Did != "" && m.From != m.To {
		line += fmt.Sprintf("\n%s: %s", OneLine(m.Of), m.Did)
	}
	return line + "\n"
}
