package cli

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"sdd/internal/fault"
	"sdd/internal/merge"
)

// Exit codes of the driver: for git, 1 to 128 is a conflict and above that a failure.
const (
	driverConflict = 1
	driverFailed   = 129
)

func newMergeDriver(a *session) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "merge-driver %O %A %B [%L [%P [%S %X %Y]]]",
		Short: "Merge one record for git (sdd init sets it up)",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 3 || len(args) > 8 {
				return usage("git gives 3 to 8 arguments, there are %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := driverOf(args)
			if err != nil {
				return err
			}
			clean, err := d.Run(cmd.Context())
			switch {
			case err != nil:
				fmt.Fprintln(a.err, "sdd: "+a.safe(d.Path+" was not merged: "+err.Error()))
				return errExit(driverFailed)
			case !clean:
				return errExit(driverConflict)
			}
			return nil
		},
	}
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
