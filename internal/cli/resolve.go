package cli

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sdd/internal/app"
	"sdd/internal/fault"
	"sdd/internal/index"
	"sdd/internal/lookup"
	"sdd/internal/merge"
	"sdd/internal/record"
	"sdd/internal/store"
)

func newResolve(a *session) *cobra.Command {
	drop := false
	cmd := command("resolve [FILE|RECORD]...",
		"Mend conflicts that a merge left in records; put back a change that a stale editor overwrote", nil,
		a.withFresh(func(ctx context.Context, w *app.App, args []string) error {
			if drop {
				return a.dismiss(ctx, w.Store, w.Index, args)
			}
			return a.resolve(ctx, w.Store, w.Index, args)
		}))
	cmd.Flags().BoolVar(&drop, "dismiss", false, "drop the changes that wait to be put back: of the records, or all")
	return cmd
}

// dismiss drops overwritten changes.
func (a *session) dismiss(ctx context.Context, st *store.Store, ix *index.Index, args []string) (err error) {
	waiting := pendingRecords(st)
	records := waiting
	if len(args) > 0 {
		if _, records, err = sortArgs(st, ix, args, nil); err != nil {
			return err
		}
	} else if len(waiting) == 0 {
		return fault.New(fault.NotFound, "nothing waits to be put back").With("run sdd status for details")
	}
	for _, id := range records {
		out := written{Record: id, Action: "dismissed"}
		var path string
		var text strings.Builder
		for _, n := range st.Pending() {
			if n.Record == id {
				path = n.Path
				fmt.Fprintf(&text, "%s: dismissed: %s\n", id, n.LostText())
			}
		}
		if err := st.Dismiss(ctx, id); err != nil {
			return err
		}
		out.File = store.Folder + "/" + path
		if f, err := st.Read(path); err == nil {
			out.Etag = record.Etag(f.Bytes)
		}
		if err := a.print(out, text.String); err != nil {
			return err
		}
	}
	return nil
}

func (a *session) resolve(ctx context.Context, st *store.Store, ix *index.Index, args []string) error {
	conflicted, err := inConflict(ctx, st, ix)
	if err != nil {
		return err
	}
	files, records := conflicted, []string(nil)
	if len(args) > 0 {
		if files, records, err = sortArgs(st, ix, args, conflicted); err != nil {
			return err
		}
	}
	if len(files) > 0 {
		if err := a.resolveFiles(ctx, st, ix, files); err != nil || len(records) == 0 {
			return err
		}
	}
	if len(args) == 0 {
		if records = pendingRecords(st); len(records) == 0 {
			return fault.New(fault.NotFound, "no record is in conflict and nothing waits to be put back").With("run sdd status for details")
		}
	}
	var failed error
	for _, id := range records { // a conflict does not stop the others
		if failed != nil {
			fmt.Fprintln(a.err, "sdd: "+a.safe(fault.Of(failed).Error()))
		}
		saved, err := st.Resolve(ctx, id)
		if err != nil {
			failed = err
			continue
		}
		out := writtenOf(id, saved)
		if err := a.print(out, func() string { return fmt.Sprintf("%s put back: %s\n", out.File, out.Action) }); err != nil {
			return err
		}
	}
	return cmp.Or(ix.Refresh(ctx), failed)
}

func (a *session) resolveFiles(ctx context.Context, st *store.Store, ix *index.Index, files []string) error {
	done, err := merge.Resolve(ctx, st, files)
	if err != nil {
		return err
	}
	if err := ix.Refresh(ctx); err != nil {
		return err
	}
	return exitIf(done.Open(), exitConflict, a.print(done, done.Text))
}

// inConflict lists the files of records that are unmerged in git or contain conflict markers, relative to .sdd.
func inConflict(ctx context.Context, st *store.Store, ix *index.Index) ([]string, error) {
	files, err := merge.Unmerged(ctx, st)
	if err != nil {
		return nil, err
	}
	for _, e := range ix.Broken() {
		if slices.ContainsFunc(e.Problems, func(p record.Problem) bool { return p.Code == record.Conflicted }) {
			files = append(files, e.Path)
		}
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// sortArgs sorts arguments into files in conflict and other records.
func sortArgs(st *store.Store, ix *index.Index, args, conflicted []string) (files, records []string, err error) {
	for _, arg := range args {
		path := pathIn(st, arg)
		e, err := lookup.One(ix, arg, "", "")
		switch missing := fault.Is(err, fault.NotFound); {
		case path != "" && slices.Contains(conflicted, path):
			files = append(files, path)
		case err == nil && slices.Contains(conflicted, e.Path):
			files = append(files, e.Path)
		case err == nil:
			records = append(records, e.ID)
		case missing && path != "":
			return nil, nil, fault.New(fault.NotFound, "%q is no record in conflict", arg).
				With("without an argument, sdd resolve takes all that are")
		case missing && slices.Contains(pendingRecords(st), arg): // only the journal knows a removed record, by its id
			records = append(records, arg)
		default:
			return nil, nil, err
		}
	}
	return files, records, nil
}

// pathIn converts the path of a record's file, from here or from the store's root, to one relative to .sdd; "" for another argument.
func pathIn(st *store.Store, arg string) string {
	for _, file := range []string{arg, filepath.Join(st.Dir(), arg)} {
		if rel, ok := belowStore(st, file); ok {
			if _, isRecord := record.KindOf(rel); isRecord {
				return rel
			}
		}
	}
	return ""
}

// pendingRecords lists the records with overwritten changes to put back, each once.
func pendingRecords(st *store.Store) []string {
	var ids []string
	for _, n := range st.Pending() {
		if !slices.Contains(ids, n.Record) {
			ids = append(ids, n.Record)
		}
	}
	return ids
}
