package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// version and commit are set by the release build, with -ldflags -X. Without them Version uses Go's build information.
var version, commit string

// Version returns the program's version and the commit it was built from. A release build has both; go install MODULE@VERSION gives
// that version, and no commit if it is a tag; a build in a clone gives Go's version from the last tag, and the commit. The version
// ends with +dirty if files of the clone were changed. An unknown version is "dev", an unknown commit "".
func Version() (v, from string) {
	if version != "" {
		return version, commit
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return unversioned, ""
	}
	return stamped(info)
}

const unversioned = "dev"

// stamped returns version and commit from Go's build information.
func stamped(info *debug.BuildInfo) (v, from string) {
	const dirty = "+dirty"
	v = info.Main.Version
	if v == "" || v == "(devel)" {
		v = unversioned
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			from = s.Value
		case s.Key == "vcs.modified" && s.Value == "true" && !strings.HasSuffix(v, dirty):
			v += dirty
		}
	}
	return v, from
}

func newVersion(a *session) *cobra.Command {
	return command("version", "Print the version and the commit it was built from", noArgs,
		func(*cobra.Command, []string) error { return a.printVersion() })
}

func (a *session) printVersion() error {
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
}

// noArgs refuses arguments with a usage error.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usage("%s takes no argument, %q is given", cmd.CommandPath(), args[0])
}
