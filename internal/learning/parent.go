package learning

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"os"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/record"
)

// A parent that is done takes its learnings along. Many files change, and a crash must not leave it half done:
// first the intent is written, with everything that shall happen; from then on every reader takes the
// learnings for archived. Then the parent's own file is set to done, which every clone sees, then the
// learnings are archived one by one, and the intent is removed. The next call that writes completes one that was left behind.
//
// A parent that was set to done by hand archives its learnings in the same way for readers; their files are
// changed by Check only. What was learned or resurrected after a parent was done (done_at) is not archived with it.

const intentFolder = "learning/done"

// intent is a parent that is being set to done.
type intent struct {
	Parent  string   `json:"parent"`         // as given, or the id
	Idea    bool     `json:"idea,omitempty"` // the parent is an idea of this store
	Names   []string `json:"names"`          // the parent's id and aliases
	Archive []string `json:"archive"`        // the learnings to archive
	At      string   `json:"at"`
	Tool    string   `json:"tool,omitempty"`
	Session string   `json:"session,omitempty"`

	name string // of its file
}

// finished sets a parent to done, an idea or an outside id.
func (l *Learnings) finished(ctx context.Context, id string, a Action, out *Reviewed) error {
	w, err := l.writer()
	if err != nil {
		return err
	}
	if id, err = oneLine("ids", id, w.cfg.Limits); err != nil {
		return err
	}
	t := intent{Parent: id, Names: []string{id}, At: record.Stamp(l.now()), Tool: a.Tool, Session: a.Session}
	parent, err := l.one(id)
	switch {
	case err == nil && parent.Learning():
		return fault.New(fault.Invalid, "%s is a learning: done is for the work it came from", parent.ID).For("action").
			With("allowed now: " + strings.Join(Moves(parent.Effective()), ", "))
	case err == nil && asRead(parent, a.IfMatch) != nil:
		return asRead(parent, a.IfMatch)
	case err == nil:
		t.Parent, t.Idea, t.Names = parent.ID, true, append([]string{parent.ID}, parent.Aliases...)
	case !fault.Is(err, fault.NotFound):
		return err
	case id == "" || record.IsHexID(id):
		return err // an id of this store that nothing has is a slip
	}
	children := l.cache.childrenOf(t.Names)
	if !t.Idea && a.IfMatch != "" {
		return fault.New(fault.Invalid, "%q is no idea of this store: it has no etag", record.Brief(id)).For("if_match").With("omit it")
	}
	if !t.Idea && len(children) == 0 {
		return nil // outside work that taught nothing
	}
	for _, i := range children {
		if w.set.followsParent(i) {
			t.Archive = append(t.Archive, i.ID)
		}
		if i.Scope == record.Global || i.Validated || i.Impact == "high" || i.Impact == "critical" {
			out.Graduates = append(out.Graduates, l.show(i))
		}
	}
	if err := l.write(&t); err != nil {
		return err
	}
	if err := l.at("intent"); err != nil {
		return err
	}
	return l.complete(ctx, t, out)
}

// complete does what is left of an intent.
func (l *Learnings) complete(ctx context.Context, t intent, out *Reviewed) error {
	if t.Idea {
		switch m, err := l.setDone(ctx, t); {
		case err == nil:
			out.Items = append(out.Items, m)
		case !fault.Is(err, fault.NotFound): // its file may be gone by the time a call is completed
			return err
		}
	}
	if err := l.at("parent"); err != nil {
		return err
	}
	for _, id := range t.Archive {
		m := Moved{ID: id, Kind: "learning"}
		by := putting{op: "review done", tool: t.Tool, session: t.Session,
			detail: map[string]string{"action": done, "reason": parentDone, "parent": t.Parent}}
		now, err := l.set(ctx, id, by, func(i *Idea) []frontmatter.Set {
			m.From, m.To = i.Status, i.Status
			if i.Status != active || after(i, t.At) {
				return nil
			}
			m.To = archived
			return archivedWith(t.At)
		})
		switch {
		case fault.Is(err, fault.NotFound):
			continue // deleted meanwhile
		case err != nil:
			return err
		}
		m.File, m.Etag = now.File, now.Etag
		out.Items = append(out.Items, m)
		if err := l.at("child"); err != nil {
			return err
		}
	}
	return l.drop(t)
}

// setDone sets the parent's file to done.
func (l *Learnings) setDone(ctx context.Context, t intent) (Moved, error) {
	m := Moved{ID: t.Parent, Kind: string(record.Idea), To: done}
	by := putting{op: "review done", tool: t.Tool, session: t.Session, detail: map[string]string{"action": done}}
	now, err := l.set(ctx, t.Parent, by, func(i *Idea) []frontmatter.Set {
		if m.From = i.Status; i.Status == done {
			return nil
		}
		return []frontmatter.Set{{Key: "status", Value: done}, {Key: "done_at", Value: t.At}}
	})
	if err != nil {
		return m, err
	}
	m.File, m.Etag = now.File, now.Etag
	return m, nil
}

func archivedWith(at string) []frontmatter.Set {
	return []frontmatter.Set{{Key: "status", Value: archived}, {Key: "archived_at", Value: at}, {Key: "archived_reason", Value: parentDone}}
}

// after reports whether a learning is newer than a moment, or was resurrected since.
func after(i *Idea, at string) bool {
	t := record.Moment(at)
	return t > 0 && (i.created > t || i.ResurrectedAt != "" && record.Moment(i.ResurrectedAt) >= t)
}

// write puts the intent on disk.
func (l *Learnings) write(t *intent) error {
	if _, err := l.st.Ensure(); err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(t.Parent + "\x00" + t.At))
	t.name = hex.EncodeToString(sum[:8]) + ".json"
	src, err := json.Marshal(t)
	if err == nil {
		err = l.writePrivate(intentFolder, t.name, src, true)
	}
	if err != nil {
		return &fault.Error{Code: fault.Unwritable, Message: "what shall be done could not be written down: " + err.Error(),
			Hint: "check the disk and the rights of .sdd/.local; nothing was changed", Cause: err}
	}
	return nil
}

func (l *Learnings) drop(t intent) error {
	dir, err := l.st.Private(intentFolder, false)
	if err != nil {
		return nil // all of it was deleted
	}
	defer dir.Close()
	if err := dir.Remove(t.name); !os.IsNotExist(err) {
		return err
	}
	return nil
}

// intents returns what calls have begun and not completed, by name.
func (l *Learnings) intents() (out []intent) {
	dir, err := l.st.Private(intentFolder, false)
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := fs.Glob(dir.FS(), "*.json")
	for _, name := range names {
		t := intent{name: name}
		if src, err := dir.ReadFile(name); err == nil && json.Unmarshal(src, &t) == nil && t.Parent != "" {
			out = append(out, t)
		}
	}
	return out
}

// finish completes what a call left behind that was stopped. Every call that writes begins with it.
func (l *Learnings) finish(ctx context.Context) error {
	for _, t := range l.intents() {
		err := l.complete(ctx, t, &Reviewed{})
		// Where a file cannot be written, the rest of the call waits until the file is mended.
		if err != nil && !fault.Is(err, fault.Ambiguous) && !fault.Is(err, fault.Broken) {
			return err
		}
	}
	return nil
}
