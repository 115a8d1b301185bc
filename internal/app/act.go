package app

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"sdd/internal/decision"
	"sdd/internal/fault"
	"sdd/internal/lookup"
	"sdd/internal/merge"
	"sdd/internal/record"
	"sdd/internal/store"
)

// By is the caller, for the journal.
type By struct{ Tool, Session string }

type Outcome struct {
	Text   string // one or more lines, as the command line prints it
	Open   bool   // a conflict is left: Text has the next step
	Action string // its id for TakeBack, "" when it saved nothing
}

// WantsReason reports whether the action i.Refuse stores a reason. The user may leave it empty.
func (i Item) WantsReason() bool {
	return i.Refuse == reject || i.Refuse == archive && i.Type == "learning"
}

// TakeBack undoes an action, as sdd undo does.
func (w *App) TakeBack(ctx context.Context, action string) error {
	if _, err := w.Store.TakeBack(ctx, action); err != nil {
		return err
	}
	return w.Index.Refresh(ctx)
}

// Act does one action, such as i.Accept or i.Refuse of an item, on each item as one step of the journal: it makes a record of a candidate
// or rejects it, confirms or archives a learning or fact, accepts or rejects a decision, vouches for the code of a record, restores what an
// editor undid or keeps the file as it was saved, or repeats a merge that left a conflict. It refuses an item that has changed since it was
// read (Conflict); other faults are those of the use case. It stops at the first error; the outcome has what was done before.
func (w *App) Act(ctx context.Context, items []Item, action, reason string, by By) (all Outcome, err error) {
	ctx = store.WithAction(ctx)
	for _, i := range items {
		out, failed := w.do(ctx, i, action, reason, by)
		if failed != nil {
			err = failed
			break
		}
		all.Text, all.Open = all.Text+out.Text, all.Open || out.Open
	}
	all.Action = w.Store.Acted(ctx).ID
	return all, cmp.Or(err, w.Index.Refresh(ctx))
}

// Take resolves the conflict that begins in a line of the item's file, see merge.Take.
func (w *App) Take(ctx context.Context, i Item, line int, side string) (Outcome, error) {
	ctx = store.WithAction(ctx)
	path := strings.TrimPrefix(i.File, store.Folder+"/")
	if err := merge.Take(ctx, w.Store, path, line, side, i.Etag); err != nil {
		return Outcome{}, err
	}
	return Outcome{Text: fmt.Sprintf("took %s in line %d", side, line), Action: w.Store.Acted(ctx).ID}, w.Index.Refresh(ctx)
}

// do does the action, on an item that has not changed since the caller read it.
func (w *App) do(ctx context.Context, i Item, action, reason string, by By) (out Outcome, err error) {
	args := ReviewArgs{Action: action, IDs: []string{i.ID}, Reason: reason, Tool: by.Tool, session: by.Session}
	reviewer, etag := i.Type, ""
	switch {
	case action == "":
		return out, fault.New(fault.Invalid, "%s waits for no decision", i.ID).With("open it, or edit it")
	case action == putBack:
		_, err := w.Store.Resolve(ctx, i.ID)
		return Outcome{Text: i.ID + ": put back\n"}, err
	case action == dismiss:
		return Outcome{Text: i.ID + ": left as it is\n"}, w.Store.Dismiss(ctx, i.ID)
	case action == mergeAgain:
		done, err := merge.Resolve(ctx, w.Store, []string{strings.TrimPrefix(i.File, store.Folder+"/")})
		return Outcome{Text: done.Text(), Open: done.Open()}, err
	case action == affirm:
		e, failed := lookup.One(w.Index, i.ID, "", "")
		reviewer, etag, err = affirm, e.Etag, failed
	case i.Type == candidateKind:
		now, failed := w.Inbox.Get(ctx, i.ID)
		etag, err = now.Seen(), failed
	case i.Type == factKind:
		now, failed := w.Facts.Get(ctx, i.ID)
		etag, err, args.Reason = now.Etag, failed, ""
	case i.Type == string(record.Decision):
		return w.judgeDecision(ctx, i, action, by)
	default: // learnings check the etag under the lock
		reviewer, etag, args.IfMatch = learningKind, i.Etag, i.Etag
	}
	if err := cmp.Or(err, asRead(i, etag)); err != nil {
		return out, err
	}
	done, err := w.review(ctx, reviewer, args)
	return Outcome{Text: done.text}, err
}

func (w *App) judgeDecision(ctx context.Context, i Item, action string, by By) (out Outcome, err error) {
	status := map[string]string{accept: "accepted", reject: "rejected"}[action]
	if status == "" {
		return out, fault.New(fault.Invalid, "action %q is unknown for a decision", record.Brief(action)).For("action").
			With("allowed: accept, reject")
	}
	now, err := w.Decisions.Get(ctx, i.ID)
	if err := cmp.Or(err, asRead(i, now.Etag)); err != nil {
		return out, err
	}
	done, err := w.Decisions.Record(ctx, decision.Input{Decision: now.Title, Status: status, Scope: now.Scope, Tool: by.Tool,
		Session: by.Session})
	return Outcome{Text: done.Text()}, err
}

func asRead(i Item, etag string) error {
	if etag == i.Etag {
		return nil
	}
	return fault.New(fault.Conflict, "%s has changed since it was read, nothing was done", i.ID).For("id").At(i.File, 0).
		With("look at it again")
}
