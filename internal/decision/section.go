package decision

import (
	"context"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/markdown"
	"sdd/internal/record"
	"sdd/internal/secrets"
	"sdd/internal/store"
)

// SectionEdit is a new text for a section of a decision.
type SectionEdit struct {
	ID      string
	Section string // its argument name
	Content string `json:"content"` // blank removes the section
	IfMatch string // the etag of the section as it was read, of the file where the section is missing

	Tool, Session string
}

// EditSection replaces one section and no other byte. Faults: Invalid (the argument, the length, a secret), NotFound, Conflict (the
// section has changed since it was read), Broken, Unwritable.
func (d *Decisions) EditSection(ctx context.Context, in SectionEdit) (now record.Record, err error) {
	defer secrets.Blame(&err, in)
	known, ok := record.SectionNamed(record.Decision, in.Section)
	if !ok || known.Under != "" {
		return now, fault.New(fault.Invalid, "a decision has no section %q", record.Brief(in.Section)).For("section")
	}
	cfg, err := d.st.Config()
	if err != nil {
		return now, err
	}
	if len(in.Content) > cfg.Limits.Section {
		return now, fault.New(fault.Invalid, "%s would have %d bytes, at most %d are allowed", in.Section, len(in.Content), cfg.Limits.Section).
			For("content").With("shorten the text")
	}
	by := store.Edit{Record: in.ID, Op: "decide", Tool: in.Tool, Session: in.Session}
	_, err = d.cache.Change(ctx, by, "", func(before *record.Doc, found *Decision) (*record.Doc, error) {
		if now = before.Record(found.path, record.Defaults{}); etagOf(now, in.Section) != in.IfMatch {
			return nil, fault.New(fault.Conflict, "%s of %s has changed since it was read", in.Section, in.ID).For("if_match").
				With("look at it again")
		}
		change := markdown.Change{Section: known, Text: in.Content}
		if strings.TrimSpace(in.Content) == "" {
			change.Op = markdown.Clear
		}
		u, err := before.Edit(record.Decision, nil, []markdown.Change{change})
		if err != nil {
			return nil, err
		}
		now = u.Doc.Record(found.path, record.Defaults{})
		return u.Doc, nil
	})
	return now, err
}

// etagOf is the etag of a section by its argument name, of the file where it is missing.
func etagOf(r record.Record, key string) string {
	for _, s := range r.Sections {
		if s.Key == key {
			return s.Etag
		}
	}
	return r.Etag
}
