package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"sdd/internal/review"
)

// checkOptions are the flags of sdd check.
type checkOptions struct {
	review.Options
	sarif, github bool
}

func newCheck(a *app) *cobra.Command {
	var o checkOptions
	cmd := &cobra.Command{
		Use:   "check [PATH...]",
		Short: "Look for what is wrong with records: broken, duplicate, leading nowhere, secret",
		Long: `Look at every record and at config.yaml, or only at the files and folders that are named. The exit
code is 5 when there is a finding, an error or a warning. --fix mends what can be read in one way only:
case and blanks of listed values, quoted numbers, absolute paths into the repository.

Rules:
` + review.RulesText(),
		Example: `  sdd check
  sdd check .sdd/explore --fix
  sdd check --sarif > check.sarif`,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Paths = args
			return a.runCheck(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.Fix, "fix", false, "mend what can be mended without changing a meaning; sdd undo takes it back")
	f.BoolVar(&o.sarif, "sarif", false, "print SARIF 2.1.0, for code scanning")
	f.BoolVar(&o.github, "github", false, "print workflow commands that annotate a change on GitHub")
	return cmd
}

func (a *app) runCheck(ctx context.Context, o checkOptions) error {
	if o.sarif && o.github || a.json && (o.sarif || o.github) {
		return usage("one of --json, --sarif and --github is allowed")
	}
	st, ix, err := a.open()
	if err != nil {
		return err
	}
	report, err := review.Check(ctx, st, ix, o.Options)
	if err != nil {
		return err
	}
	return a.printReport(report, o)
}

// printReport prints a report in the form that is asked for, and ends with its exit code.
func (a *app) printReport(report review.Report, o checkOptions) error {
	var err error
	switch {
	case o.sarif:
		_, err = a.out.Write(report.SARIF())
	case o.github:
		_, err = fmt.Fprint(a.out, a.safe(report.Annotations()))
	default:
		if err = a.print(report, report.Text); !a.json {
			fmt.Fprintln(a.err, report.Summary())
		}
	}
	if err != nil {
		return err
	}
	if len(report.Findings) > 0 {
		return errFindings
	}
	return nil
}
