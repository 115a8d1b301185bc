package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sdd/internal/app"
	"sdd/internal/check"
	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/learning"
)

type checkOptions struct {
	check.Options
	staged, sarif, github bool
}

func newCheck(a *session) *cobra.Command {
	var o checkOptions
	cmd := command("check [PATH...]", "Find problems in records: broken and duplicate files, dead links, secrets", nil,
		func(cmd *cobra.Command, args []string) error {
			o.Paths = args
			if o.sarif && o.github || a.json && (o.sarif || o.github) {
				return usage("one of --json, --sarif and --github is allowed")
			}
			if o.staged {
				return a.checkStaged(cmd.Context(), o)
			}
			st, ix := a.open()
			a.noticeLost(cmd.Context())
			report := fault.Must(check.Check(cmd.Context(), st, ix, o.Options))
			return exitIf(len(report.Findings) > 0, errFindings, a.printReport(report, o))
		})
	f := cmd.Flags()
	f.BoolVar(&o.Fix, "fix", false, "correct what can be corrected without changing a meaning; sdd undo reverts it")
	f.BoolVar(&o.staged, "staged", false, "check the staged versions of records, not those on disk")
	f.BoolVar(&o.sarif, "sarif", false, "print SARIF 2.1.0, for code scanning")
	f.BoolVar(&o.github, "github", false, "print workflow commands that annotate a change on GitHub")
	return cmd
}

// checkStaged is the check of the pre-commit hook. Without findings it prints nothing.
func (a *session) checkStaged(ctx context.Context, o checkOptions) error {
	if len(o.Paths) > 0 || o.Fix {
		return usage("--staged goes with no PATH and without --fix")
	}
	report := fault.Must(check.CheckStaged(ctx, fault.Must(git.OpenStage(a.dir))))
	if len(report.Findings) > 0 || a.json || o.sarif {
		fault.Check(a.printReport(report, o))
	}
	if report.Errors() > 0 {
		fmt.Fprintln(a.err, "hint: mend it and git add it again (config.yaml too: what is staged counts), then commit; "+
			"git commit --no-verify commits it as it is")
		return errFindings
	}
	return nil
}

func (a *session) printReport(report check.Report, o checkOptions) (err error) {
	switch {
	case o.sarif:
		return a.writeJSON(report.SARIF())
	case o.github:
		_, err = fmt.Fprint(a.out, a.safe(report.Annotations()))
	default:
		if err = a.print(report, report.Text); !a.json {
			fmt.Fprintln(a.err, report.Summary())
		}
	}
	return err
}

func newStatus(a *session) *cobra.Command {
	var learnings bool
	cmd := command("status", "Show the store's records, problems and use; --learnings: figures of the learnings", noArgs,
		a.with(func(ctx context.Context, w *app.App, _ []string) error {
			if learnings {
				m := fault.Must(w.Learnings.Metrics(ctx))
				return a.print(m, func() string { return metricsText(m) })
			}
			s := fault.Must(w.Status(ctx))
			return exitIf(len(s.Problems) > 0, errFindings, a.print(s, s.Text))
		}))
	cmd.Flags().BoolVar(&learnings, "learnings", false, "print the figures of the learnings instead")
	return cmd
}

func metricsText(m learning.Metrics) string {
	var b strings.Builder
	row := func(name, format string, v ...any) { fmt.Fprintf(&b, "%-22s %s\n", name, fmt.Sprintf(format, v...)) }
	row("learnings", "%d", m.Total)
	row("by status", "%s", counts(m.ByStatus))
	row("by scope", "%s", counts(m.ByScope))
	row("by impact", "%s", counts(m.ByImpact))
	row("source parents", "%s", counts(m.SourceParents))
	row("duplicates prevented", "%d", m.DuplicatesPrevented)
	row("injected a prompt", "%.1f", m.InjectionRate)
	row("validated", "%.0f %%", 100*m.ValidationRate)
	row("outdated", "%.0f %%", 100*m.OutdatedRate)
	return b.String()
}

func counts(m map[string]int) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if m[k] > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", k, m[k]))
		}
	}
	return strings.Join(parts, ", ")
}
