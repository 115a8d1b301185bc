package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"sdd/internal/app"
	"sdd/internal/fault"
	"sdd/internal/lookup"
	"sdd/internal/record"
	"sdd/internal/store"
)

func newUndo(a *session) *cobra.Command {
	return command("undo [RECORD]", "Take back the last action of sdd, on a record or in the store", mayHave("RECORD"),
		a.withFresh(a.undo))
}

// written is the answer of a command that wrote one record.
type written struct {
	Record string `json:"record"`
	File   string `json:"file"`
	Action string `json:"action"` // updated, removed, unchanged, dismissed
	Etag   string `json:"etag"`   // "" when the file is gone
}

func writtenOf(id string, saved store.Saved) written {
	out := written{Record: id, File: store.Folder + "/" + saved.Path, Action: "updated", Etag: record.Etag(saved.After)}
	switch {
	case saved.Unchanged:
		out.Action = "unchanged"
	case saved.After == nil:
		out.Action, out.Etag = "removed", ""
	}
	return out
}

// undone is the answer of undo: the last change first, then all of the action.
type undone struct {
	written
	Undone  string    `json:"undone"` // the action
	Changes []written `json:"changes"`
}

func (a *session) undo(ctx context.Context, w *app.App, args []string) error {
	id := ""
	if len(args) == 1 {
		id = args[0]
		// Only the journal knows a removed record, by its id.
		if e, err := lookup.One(w.Index, id, "", ""); err == nil {
			id = e.ID
		} else if !fault.Is(err, fault.NotFound) {
			return err
		}
	}
	last, err := w.Store.Last(id)
	if err != nil {
		return err
	}
	fmt.Fprintln(a.err, "taking back: "+a.safe(last.Text()))
	saved, err := w.Store.TakeBack(ctx, last.ID)
	if err != nil {
		return err
	}
	if err := w.Index.Refresh(ctx); err != nil {
		return err
	}
	out := undone{Undone: last.Text()}
	var text strings.Builder
	for _, one := range saved {
		file := writtenOf(last.RecordAt(one.Path), one)
		out.Changes = append(out.Changes, file)
		fmt.Fprintf(&text, "%s taken back: %s\n", file.File, file.Action)
	}
	out.written = out.Changes[0]
	return a.print(out, text.String)
}
