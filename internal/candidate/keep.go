package candidate

import (
	"context"
	"path"
	"strings"
	"time"

	"sdd/internal/anchor"
	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/markdown"
	"sdd/internal/record"
	"sdd/internal/store"
)

// keep is the default Keeper: the candidate's file becomes the record's, without the keys of a candidate. It keeps
// everything that a person wrote into it, comments and unknown keys included, and vouches for the record's places in code.
// It writes nothing when there is a record with that id.
func (i *Inbox) keep(ctx context.Context, c Candidate, by By) (Kept, error) {
	kind := record.Kind(c.Kind)
	doc, err := asRecord(c)
	if err == nil {
		doc, _, err = anchor.AffirmAll(ctx, i.st.Dir(), kind, doc)
	}
	if err != nil {
		return Kept{}, err
	}
	saved, err := i.st.Save(ctx, store.Edit{
		Lock: record.LockOf(c.ID), Record: c.ID, Op: "approve", Tool: by.Tool, Session: by.Session,
		Resolve: func() (string, error) {
			records, err := i.ix.Holders(ctx, c.ID)
			if err != nil {
				return "", err
			}
			if len(records) > 0 {
				return records[0].Path, nil
			}
			base := c.base()
			if name := path.Base(c.path); c.path != "" && strings.HasPrefix(name, c.ID) {
				base = name // a person may have renamed the file
			}
			return i.ix.FreePath(record.Folder(kind)+"/"+base, c.ID), nil
		},
		Change: func(before *record.Doc, exists bool) (*record.Doc, error) {
			if exists {
				return before, nil
			}
			return doc, i.st.RefuseSecrets(c.src, doc.Src)
		},
	})
	if err != nil {
		return Kept{}, err
	}
	i.ix.Put(saved)
	out := Kept{ID: c.ID, Action: "created", File: store.Folder + "/" + saved.Path, Etag: record.Etag(saved.After)}
	if saved.Unchanged {
		out.Action = "duplicate"
	}
	return out, nil
}

// asRecord turns the file of a candidate into that of a record of its kind. A fact stored without approval keeps its
// confidence.
func asRecord(c Candidate) (*record.Doc, error) {
	sets := []frontmatter.Set{{Key: "kind"}, {Key: reasonKey}}
	set := func(key string, v any) { sets = append(sets, frontmatter.Set{Key: key, Value: v}) }
	kind := record.Kind(c.Kind)
	var changes []markdown.Change
	if kind != record.Fact || c.Status != Queued {
		set("confidence", nil)
	}
	if kind != record.Fact {
		changes = []markdown.Change{{Section: markdown.Known{Name: evidenceName}, Op: markdown.Clear}}
	}
	switch kind {
	case record.Fact:
		set("id", c.ID)
		set("status", "active")
	case record.Decision:
		set("title", c.Title)
		set("status", "accepted")
		if len(c.Created) >= len(time.DateOnly) {
			set("date", frontmatter.Date(c.Created[:len(time.DateOnly)]))
		}
	case record.Idea:
		set("id", c.ID)
		set("color", c.Color)
		if c.Color == record.Learning {
			set("status", "active")
		} else {
			set("status", "pending")
		}
	default:
		return nil, fault.New(fault.Broken, "%s does not say what it becomes", c.ID).At(c.File, 1).
			With("set kind to fact, decision or idea in it")
	}
	u, err := record.Edit(c.src, kind, sets, changes)
	if err != nil {
		return nil, store.InFile(err, c.path)
	}
	return u.Doc, nil
}
