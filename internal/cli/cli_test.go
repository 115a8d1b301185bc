package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"sdd/internal/app"
	"sdd/internal/mcp"
)

// faces are the other faces as far as tests of the command line need them.
var faces = app.Faces{Tools: mcp.Tools}

// TestNearCommands: a command is offered to who may have meant it; in a short word two letters make another one.
func TestNearCommands(t *testing.T) {
	for name, want := range map[string]string{
		"shwo": "show", "serach": "search", "rev": "review, review-pr", "dif": "diff", "hokos": "hooks", "unistall": "uninstall", "LOG": "log",
		"nope": "", "building": "", "x": "", "": "", "mcp-fixtur": "",
	} {
		var out, errs bytes.Buffer
		code := run(context.Background(), faces, []string{name}, strings.NewReader(""), &out, &errs)
		hint := "hint: sdd help lists the commands"
		if want != "" {
			hint = "hint: did you mean: " + want
		}
		if !strings.Contains(errs.String(), hint+"\n") || code != exitUsage {
			t.Errorf("%q: %d, %s", name, code, &errs)
		}
	}
}
