package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"sdd/internal/app"
	"sdd/internal/fault"
	"sdd/internal/transcript"
)

// sessionFormat reports whether the arguments of sdd import name transcripts, and sets the format of a file that has none.
func (a *session) sessionFormat(format *string, args []string) bool {
	if *format == "" && len(args) > 0 {
		f, err := os.Open(args[0])
		if err != nil {
			return false
		}
		defer f.Close()
		head := make([]byte, 64<<10)
		n, _ := io.ReadFull(f, head)
		if *format = string(transcript.Detect(args[0], head[:n])); *format != "" && !a.json {
			fmt.Fprintln(a.err, "format: "+*format)
		}
	}
	return slices.Contains(transcript.Formats, transcript.Format(*format))
}

// importSessions captures old sessions.
func (a *session) importSessions(ctx context.Context, w *app.App, o importOptions, args []string) error {
	if o.project != "" {
		return fault.New(fault.Invalid, "%s has no projects", o.format).For("project").With("omit --project")
	}
	c := app.Capture{Tool: "sdd import", Progress: a.progress("%d MB")}
	if o.since != "" {
		var err error
		if c.Since, err = time.Parse(time.DateOnly, o.since); err != nil {
			return fault.New(fault.Invalid, "%q is no date", o.since).For("since").With("give it as 2026-01-31")
		}
	}
	out, err := w.CaptureTranscripts(ctx, args, transcript.Format(o.format), c)
	out.DryRun = o.dryRun
	return a.printReviewed(out.Transcripts, out, out.Text, err)
}
