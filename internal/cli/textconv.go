package cli

import (
	"os"

	"github.com/spf13/cobra"

	"sdd/internal/fault"
	"sdd/internal/merge"
)

func newTextconv(a *session) *cobra.Command {
	return &cobra.Command{
		Use:   "textconv FILE",
		Short: "Print a record as git shows it in diffs (sdd init sets it up)",
		Args:  oneArg("FILE"),
		RunE: func(_ *cobra.Command, args []string) error {
			src, err := os.ReadFile(args[0])
			if err != nil {
				return fault.New(fault.NotFound, "cannot read %q", args[0]).For("FILE").With("give the path of a file")
			}
			_, err = a.out.Write(merge.Readable(src))
			return err
		},
	}
}
