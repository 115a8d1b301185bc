package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is set by the release build; a build from source says so.
var version = "dev"

// Version returns the program's version, with the commit it was built from where that is known.
func Version() (v, commit string) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return version, ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			commit = s.Value
		}
	}
	return version, commit
}

func newVersion(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version and the commit it was built from",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			v, commit := Version()
			out := struct {
				Version string `json:"version"`
				Commit  string `json:"commit"`
				Go      string `json:"go"`
				OS      string `json:"os"`
				Arch    string `json:"arch"`
			}{v, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH}
			return a.print(out, func() string {
				s := "sdd " + v
				if commit != "" {
					s += " (" + commit + ")"
				}
				return fmt.Sprintf("%s %s %s/%s\n", s, out.Go, out.OS, out.Arch)
			})
		},
	}
}

// noArgs refuses arguments with a usage error.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usage("%s takes no argument, %q is given", cmd.CommandPath(), args[0])
}
