package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"sdd/internal/app"
	"sdd/internal/fault"
	"sdd/internal/merge"
	"sdd/internal/record"
	"sdd/internal/sealed"
	"sdd/internal/setup"
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
			d, err := driverOf(args)
			if err != nil {
				return err
			}
			clean, err := d.Run(cmd.Context())
			switch {
			case fault.Is(err, fault.Conflict):
				fmt.Fprintln(a.err, "sdd: "+a.safe(d.Path+": "+err.Error()+"; "+fault.Of(err).Hint))
				return errExit(driverConflict)
			case err != nil:
				fmt.Fprintln(a.err, "sdd: "+a.safe(d.Path+" was not merged: "+err.Error()))
				return errExit(driverFailed)
			case !clean:
				return errExit(driverConflict)
			}
			return nil
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
				if errors.Is(err, sealed.ErrNoKey) {
					src = []byte("private record, encrypted (no key), version " + record.Etag(src) + "\n") // so that a diff shows a change
				} else if err != nil {
					src = []byte("private record: " + err.Error() + "\n")
				} else {
					src = plain
				}
			}
			_, err = a.out.Write(merge.Readable(src))
			return err
		})
}
