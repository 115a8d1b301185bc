package learning

import (
	"context"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/record"
)

// A parent that is done takes its learnings along. Its own file is set to done first, which every clone sees: from then on
// every reader takes the learnings for archived, also where a crash left their files active, or a person set the parent to done.
// Check writes that into their files. An outside parent has no file: done again archives those that a crash left.
// What was learned or resurrected after a parent was done (done_at) is not archived with it.

// finished sets a parent to done, an idea or an outside id.
func (l *Learnings) finished(ctx context.Context, id string, a Action, out *Reviewed) error {
	w, err := l.writer()
	if err != nil {
		return err
	}
	if err := record.TrimLine("ids", &id, w.cfg.Limits.Title); err != nil {
		return err
	}
	at := record.Stamp(l.now())
	parent, err := l.one(id)
	switch {
	case err == nil && parent.Learning():
		return fault.New(fault.Invalid, "%s is a learning: done is for the work it came from", parent.ID).For("action").
			With("allowed now: " + strings.Join(Moves(parent.Effective()), ", "))
	case err == nil && asRead(parent, a.IfMatch) != nil:
		return asRead(parent, a.IfMatch)
	case err == nil:
		id = parent.ID
	case !fault.Is(err, fault.NotFound):
		return err
	case id == "" || record.IsHexID(id):
		return err // an id of this store that nothing has is a slip
	case a.IfMatch != "":
		return fault.New(fault.Invalid, "%q is no idea of this store: it has no etag", record.Brief(id)).For("if_match").With("omit it")
	}
	children := l.childrenOf(id)
	if parent != nil {
		m, err := l.setDone(ctx, parent.ID, at, a)
		if err != nil {
			return err
		}
		out.Items = append(out.Items, m)
	}
	for _, i := range children {
		if i.Scope == record.Global || i.Validated || i.Impact == "high" || i.Impact == "critical" {
			out.Graduates = append(out.Graduates, l.show(i))
		}
		if !w.set.followsParent(i) {
			continue
		}
		if err := l.at("child"); err != nil {
			return err
		}
		m := Moved{ID: i.ID, Kind: "learning"}
		by := putting{op: "review done", tool: a.Tool, session: a.Session,
			detail: map[string]string{"action": done, "reason": parentDone, "parent": id}}
		now, err := l.set(ctx, i.ID, by, func(i *Idea) []frontmatter.Set {
			m.From, m.To = i.Status, i.Status
			if i.Status != active || after(i, at) {
				return nil
			}
			m.To = archived
			return archive(at, parentDone)
		})
		switch {
		case fault.Is(err, fault.NotFound):
			continue // deleted meanwhile
		case err != nil:
			return err
		}
		m.File, m.Etag = now.File, now.Etag
		out.Items = append(out.Items, m)
	}
	return nil
}

// setDone sets the parent's file to done.
func (l *Learnings) setDone(ctx context.Context, id, at string, a Action) (Moved, error) {
	m := Moved{ID: id, Kind: string(record.Idea), To: done}
	by := putting{op: "review done", tool: a.Tool, session: a.Session, detail: map[string]string{"action": done}}
	now, err := l.set(ctx, id, by, func(i *Idea) []frontmatter.Set {
		if m.From = i.Status; i.Status == done {
			return nil
		}
		return []frontmatter.Set{{Key: "status", Value: done}, {Key: "done_at", Value: at}}
	})
	if err != nil {
		return m, err
	}
	m.File, m.Etag = now.File, now.Etag
	return m, nil
}

// archive returns the keys of an archived learning.
func archive(at, reason string) []frontmatter.Set {
	return []frontmatter.Set{{Key: "status", Value: archived}, {Key: "archived_at", Value: at}, {Key: "archived_reason", Value: reason}}
}

// after reports whether a learning is newer than a moment, or was resurrected since.
func after(i *Idea, at string) bool {
	t := record.Moment(at)
	return t > 0 && (i.created > t || i.ResurrectedAt != "" && record.Moment(i.ResurrectedAt) >= t)
}
