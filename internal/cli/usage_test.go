package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sdd/internal/fault"
)

// TestWrongUsage gives every command no argument and far too many, and every flag that is no text a wrong value: each either takes
// it or reports, in this program's words, what is wrong and what to do.
func TestWrongUsage(t *testing.T) {
	root := Commands()
	demand := func(what string, err error) {
		t.Helper()
		if err == nil {
			return
		}
		if f := fault.Of(err); f.Code != fault.Invalid || f.Hint == "" || strings.Contains(f.Message, "arg(s)") || strings.Contains(f.Message, "strconv") {
			t.Errorf("%s: %s %q, hint %q", what, f.Code, f.Message, f.Hint)
		}
	}
	limited := 0
	walk(root, func(cmd *cobra.Command) {
		path := cmd.CommandPath()
		if !cmd.Runnable() {
			t.Errorf("%s passes over wrong arguments", path)
		}
		if err := cmd.ValidateArgs(slices.Repeat([]string{"x"}, 50)); err != nil {
			limited++
			demand(path+" x x x…", err)
		}
		demand(path, cmd.ValidateArgs(nil))
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !slices.Contains([]string{"int", "float64", "bool"}, f.Value.Type()) {
				return
			}
			for _, wrong := range []string{"abc", "", "99999999999999999999999", "1e999"} {
				if err := cmd.ParseFlags([]string{"--" + f.Name + "=" + wrong}); err != nil {
					err = cmd.FlagErrorFunc()(cmd, err)
					demand(path+" --"+f.Name+"="+wrong, err)
					if !strings.HasPrefix(err.Error(), "--"+f.Name+" ") {
						t.Errorf("%s --%s=%s: %v", path, f.Name, wrong, err)
					}
				} else if wrong == "abc" {
					t.Errorf("%s --%s takes %q", path, f.Name, wrong)
				}
			}
		})
	})
	if limited < 20 {
		t.Errorf("%d commands refuse fifty arguments", limited)
	}
}
