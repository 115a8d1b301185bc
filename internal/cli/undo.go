package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"sdd/internal/fault"
	"sdd/internal/lookup"
	"sdd/internal/record"
	"sdd/internal/store"
)

func newUndo(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "undo [RECORD]",
		Short: "Take back the last save by sdd, of a record or of the store",
		Long: `Give back the bytes from before the last save of this store by sdd, a removal too. Called again it
takes back the save before that. What was edited by hand since is kept; where both changed the same
words, nothing happens and the error shows them.`,
		Args: mayHave("RECORD"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runOnRecord(cmd.Context(), args, "taken back", (*store.Store).Undo)
		},
	}
}

// written is the answer of a command that wrote one record.
type written struct {
	Record  string `json:"record"`
	File    string `json:"file"`
	Action  string `json:"action"` // updated, removed, unchanged
	Etag    string `json:"etag"`   // "" when the file is gone
	Summary string `json:"-"`
}

// runOnRecord runs one of the store's own repairs on the record that args name, or on the latest.
func (a *app) runOnRecord(ctx context.Context, args []string, done string, f func(*store.Store, context.Context, string) (store.Saved, error)) error {
	st, ix, err := a.open()
	if err != nil {
		return err
	}
	if err := ix.Refresh(ctx); err != nil {
		return err
	}
	id := ""
	if len(args) == 1 {
		id = args[0]
		// A record that was removed is known to the journal only, by its id.
		if e, err := lookup.One(ix, id, "", ""); err == nil {
			id = e.ID
		} else if !fault.Is(err, fault.NotFound) {
			return err
		}
	}
	saved, err := f(st, ctx, id)
	if err != nil {
		return err
	}
	out := written{Record: id, File: store.Folder + "/" + saved.Path, Action: "updated", Etag: record.Etag(saved.After)}
	switch {
	case saved.Unchanged:
		out.Action = "unchanged"
	case saved.After == nil:
		out.Action, out.Etag = "removed", ""
	}
	if err := ix.Refresh(ctx); err != nil {
		return err
	}
	return a.print(out, func() string {
		return strings.Join([]string{out.File, done + ":", out.Action}, " ") + "\n"
	})
}
