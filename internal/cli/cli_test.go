package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"sdd/internal/app"
	"sdd/internal/fault"
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

// TestProgressIsWiped: no line of progress stays before a result or a failure.
func TestProgressIsWiped(t *testing.T) {
	var both bytes.Buffer
	a := &session{out: &both, err: &both}
	a.showProgress("item %d", 9)
	if err := a.print(nil, func() string { return "result\n" }); err != nil {
		t.Fatal(err)
	}
	a.showProgress("item %d", 10)
	a.note("text", fault.New(fault.Invalid, "wrong"))
	if want := "\ritem 9\x1b[K\r\x1b[Kresult\n\ritem 10\x1b[K\r\x1b[Knote: text: wrong\n"; both.String() != want {
		t.Errorf("%q, want %q", &both, want)
	}
}

// TestResultsBeforeAFailure: with --json, the records that were changed before a failure are in the output, which is one value.
func TestResultsBeforeAFailure(t *testing.T) {
	for n, want := range map[int]string{1: "[\n  \"idea-1\"\n]\n", 0: "{\n  \"status\": \"error\","} {
		var out, errs bytes.Buffer
		a := &session{out: &out, err: &errs, json: true}
		code := a.report(a.printReviewed(n, []string{"idea-1"}, nil, fault.New(fault.Invalid, "the second one failed")))
		one := strings.HasPrefix(out.String(), want) && !strings.Contains(out.String(), "\n{")
		if !one || code != exitUsage || errs.String() != "sdd: the second one failed\n" {
			t.Errorf("%d: %d, %s%s", n, code, &out, &errs)
		}
	}
}
