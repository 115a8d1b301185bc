package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"sdd/internal/app"
	"sdd/internal/fault"
	"sdd/internal/index"
	"sdd/internal/journal"
	"sdd/internal/lookup"
	"sdd/internal/merge"
	"sdd/internal/record"
	"sdd/internal/sealed"
	"sdd/internal/setup"
	"sdd/internal/store"
)

func newMerge(a *session) *cobra.Command {
	return command("merge BASE", "Merge a branch into this one, records by section and item", oneArg("BASE"),
		a.with(func(ctx context.Context, w *app.App, args []string) error {
			b, err := merge.MergeBranch(ctx, w.Store.Dir(), args[0], setup.DriverSettings(setup.Program()))
			return exitIf(b.Action == merge.InConflict, exitConflict, a.answer(b, err))
		}))
}

// Exit codes of the driver: for git, 1 to 128 is a conflict and above that a failure.
const (
	driverConflict = 1
	driverFailed   = 129
)

func newMergeDriver(a *session) *cobra.Command {
	cmd := command("merge-driver %O %A %B [%L [%P [%S %X %Y]]]", "Merge one record for git (sdd init sets it up)",
		func(_ *cobra.Command, args []string) error {
			if len(args) < 3 || len(args) > 8 {
				return usage("git gives 3 to 8 arguments, there are %d", len(args))
			}
			return nil
		},
		func(cmd *cobra.Command, args []string) error {
			d := fault.Must(driverOf(args))
			clean, err := d.Run(cmd.Context())
			switch {
			case fault.Is(err, fault.Conflict):
				fmt.Fprintln(a.err, "sdd: "+a.safe(d.Path+": "+err.Error()+"; "+fault.Of(err).Hint))
				return errExit(driverConflict)
			case err != nil:
				fmt.Fprintln(a.err, "sdd: "+a.safe(d.Path+" was not merged: "+err.Error()))
				return errExit(driverFailed)
			}
			return exitIf(!clean, driverConflict, nil)
		})
	cmd.Flags().SetInterspersed(false) // a path may begin with a dash
	return cmd
}

// driverOf reads git's values for %O %A %B %L %P %S %X %Y. An older git does not replace the last three.
func driverOf(args []string) (merge.Driver, error) {
	at := func(i int) string {
		if i < len(args) && args[i] != "%S" && args[i] != "%X" && args[i] != "%Y" {
			return args[i]
		}
		return ""
	}
	d := merge.Driver{Base: args[0], Ours: args[1], Theirs: args[2], Path: at(4)}
	d.Labels = merge.Labels{Base: at(5), Ours: at(6), Theirs: at(7)}
	if size := at(3); size != "" {
		n, err := strconv.Atoi(size)
		if err != nil || n < 1 || n > 1000 {
			return d, fault.New(fault.Invalid, "the marker size %q is no number from 1 to 1000", size).For("%L")
		}
		d.MarkerSize = n
	}
	return d, nil
}

func newTextconv(a *session) *cobra.Command {
	return command("textconv FILE", "Print a record as git shows it in diffs (sdd init sets it up)", oneArg("FILE"),
		func(_ *cobra.Command, args []string) error {
			src, err := os.ReadFile(args[0])
			if err != nil {
				return fault.New(fault.NotFound, "cannot read %q", args[0]).For("FILE").With("give the path of a file")
			}
			if sealed.Sealed(src) {
				plain, err := sealed.ForReading().Decrypt(src)
				switch {
				case errors.Is(err, sealed.ErrNoKey): // the version makes a diff show a change
					plain = []byte("private record, encrypted (no key), version " + record.Etag(src) + "\n")
				case err != nil:
					plain = []byte("private record: " + err.Error() + "\n")
				}
				src = plain
			}
			_, err = a.out.Write(merge.Readable(src))
			return err
		})
}

func newResolve(a *session) *cobra.Command {
	drop := false
	cmd := command("resolve [FILE|RECORD]...",
		"Mend conflicts that a merge left in records; put back a change that a stale editor overwrote", nil,
		a.with(func(ctx context.Context, w *app.App, args []string) error {
			fault.Check(w.Index.Refresh(ctx))
			if drop {
				return a.dismiss(ctx, w.Store, w.Index, args)
			}
			return a.resolve(ctx, w.Store, w.Index, args)
		}))
	cmd.Flags().BoolVar(&drop, "dismiss", false, "drop the changes that wait to be put back: of the records, or all")
	return cmd
}

func (a *session) dismiss(ctx context.Context, st *store.Store, ix *index.Index, args []string) error {
	records := recordsOf(st.Pending())
	if len(args) > 0 {
		_, records = sortArgs(st, ix, args, nil)
	} else if len(records) == 0 {
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
		fault.Check(st.Dismiss(ctx, id))
		out.File = store.Folder + "/" + path
		if f, err := st.Read(path); err == nil {
			out.Etag = record.Etag(f.Bytes)
		}
		fault.Check(a.print(out, text.String))
	}
	return nil
}

func (a *session) resolve(ctx context.Context, st *store.Store, ix *index.Index, args []string) error {
	conflicted := inConflict(ctx, st, ix)
	files, records := conflicted, []string(nil)
	if len(args) > 0 {
		files, records = sortArgs(st, ix, args, conflicted)
	}
	if len(files) > 0 {
		done := fault.Must(merge.Resolve(ctx, st, files))
		fault.Check(ix.Refresh(ctx))
		if err := exitIf(done.Open(), exitConflict, a.answer(done, nil)); err != nil || len(records) == 0 {
			return err
		}
	} else if len(args) == 0 {
		if records = recordsOf(st.Undone(ctx)); len(records) == 0 {
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
		fault.Check(a.print(out, func() string { return fmt.Sprintf("%s put back: %s\n", out.File, out.Action) }))
	}
	return cmp.Or(ix.Refresh(ctx), failed)
}

// inConflict lists the files of records that are unmerged in git or contain conflict markers, relative to .sdd.
func inConflict(ctx context.Context, st *store.Store, ix *index.Index) []string {
	files := fault.Must(merge.Unmerged(ctx, st))
	for _, e := range ix.Broken() {
		if slices.ContainsFunc(e.Problems, func(p record.Problem) bool { return p.Code == record.Conflicted }) {
			files = append(files, e.Path)
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// sortArgs sorts arguments into files in conflict and other records.
func sortArgs(st *store.Store, ix *index.Index, args, conflicted []string) (files, records []string) {
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
			fault.Check(fault.New(fault.NotFound, "%q is no record in conflict", arg).
				With("without an argument, sdd resolve takes all that are"))
		case missing && slices.Contains(recordsOf(st.Pending()), arg): // only the journal knows a removed record, by its id
			records = append(records, arg)
		default:
			fault.Check(err)
		}
	}
	return files, records
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

func recordsOf(notices []store.Notice) []string {
	var ids []string
	for _, n := range notices {
		if !slices.Contains(ids, n.Record) {
			ids = append(ids, n.Record)
		}
	}
	return ids
}

func newUndo(a *session) *cobra.Command {
	var skip bool
	cmd := command("undo [RECORD]", "Take back the last action of sdd, on a record or in the store", mayHave("RECORD"),
		a.with(func(ctx context.Context, w *app.App, args []string) error { return a.undo(ctx, w, args, skip) }))
	cmd.Flags().BoolVar(&skip, "skip", false, "leave the last action for good, and take back the one before it")
	return cmd
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

func (a *session) undo(ctx context.Context, w *app.App, args []string, skip bool) error {
	fault.Check(w.Index.Refresh(ctx))
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
	last := fault.Must(w.Store.Last(id))
	if skip {
		before := fault.Must(w.Store.Last(id, last.Changes...))
		fault.Check(w.Store.Leave(ctx, last))
		fmt.Fprintln(a.err, "leaving: "+a.safe(last.Text()))
		last = before
	}
	fmt.Fprintln(a.err, "taking back: "+a.safe(last.Text()))
	saved, err := w.Store.TakeBack(ctx, last.ID)
	if fault.Is(err, fault.Conflict, fault.NotFound, fault.Broken) {
		fault.Of(err).Hint += "; sdd undo --skip leaves this action and takes back the one before it"
	}
	fault.Check(err)
	fault.Check(w.Index.Refresh(ctx))
	out := undone{Undone: last.Text()}
	var text strings.Builder
	for _, one := range saved {
		file := writtenOf(last.RecordAt(one.Path), one)
		out.Changes = append(out.Changes, file)
		if one.Unchanged {
			fmt.Fprintf(&text, "%s unchanged: what the action changed was taken back or reworded by hand since\n", file.File)
		} else {
			kept := "; what was edited by hand since stays"
			if slices.ContainsFunc(last.Changes, func(e journal.Entry) bool {
				return e.Path == one.Path && (e.After == "" || e.After == record.Etag(one.Before)) // "": the action removed the file
			}) {
				kept = ""
			}
			fmt.Fprintf(&text, "%s taken back: %s%s\n", file.File, file.Action, kept)
		}
	}
	out.written = out.Changes[0]
	return a.print(out, text.String)
}
