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
		Long: `git calls this for git diff, git show and git blame. The output has the file's lines one for one, without a
byte order mark, carriage returns and meaningless blanks at line ends; invisible characters
are written as <U+200B>. git diff --no-textconv shows the bytes.`,
		Args: oneArg("FILE"),
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
