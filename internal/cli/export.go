package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sdd/internal/app"
	"sdd/internal/atomicfile"
	"sdd/internal/fault"
	"sdd/internal/transfer"
)

func newExport(a *session) *cobra.Command {
	var format string
	names := []string{transfer.IdeasJSONL, transfer.ClaudeMemory}
	cmd := command("export --format FORMAT [FILE|-]", "Write learnings and ideas as another tool reads them", mayHave("FILE"),
		a.with(func(ctx context.Context, w *app.App, args []string) error {
			if !slices.Contains(names, format) {
				return noFormat(format, names)
			}
			target := strings.Join(args, "")
			if target == "-" {
				target = ""
			}
			if format == transfer.IdeasJSONL {
				return a.exportIdeas(ctx, w, target)
			}
			return a.exportMemories(ctx, w, target)
		}))
	cmd.Flags().StringVar(&format, "format", "", strings.Join(names, ", "))
	return cmd
}

// exportMemories writes the active learnings into a client's file; a target "" is standard output.
func (a *session) exportMemories(ctx context.Context, w *app.App, target string) error {
	out, err := transfer.ExportMemories(ctx, w.Learnings, target)
	if err != nil {
		return err
	}
	if !a.json {
		for _, l := range out.LeftOut {
			fmt.Fprintln(a.err, a.safe("note: left out, "+l.Line()))
		}
	}
	done := fmt.Sprintf("%d records in %s\n", out.Records, target)
	if len(out.Text) == 0 && target != "" {
		return a.print(out, func() string { return done }) // the client knows all already: no empty file
	}
	return a.writeExport(target, out.Text, done, out, func() any { return exportedText{out, string(out.Text)} })
}

// exportIdeas writes every idea; a target "" is standard output.
func (a *session) exportIdeas(ctx context.Context, w *app.App, target string) error {
	var b bytes.Buffer
	out, err := transfer.ExportIdeas(ctx, w.Learnings, &b)
	if err != nil {
		return err
	}
	for _, f := range out.LeftOut {
		fmt.Fprintln(a.err, a.safe("note: left out, it cannot be understood: "+f))
	}
	return a.writeExport(target, b.Bytes(), fmt.Sprintf("%d ideas in %s\n", out.Ideas, target), out, func() any {
		lines := exportedLines{out, []json.RawMessage{}}
		for line := range bytes.Lines(b.Bytes()) {
			lines.Lines = append(lines.Lines, bytes.TrimSuffix(line, []byte("\n")))
		}
		return lines
	})
}

// writeExport writes text to the file target and prints done, or report with --json. Without a target it prints text, unchanged unless
// standard output is a terminal, or whole with --json.
func (a *session) writeExport(target string, text []byte, done string, report any, whole func() any) error {
	if target != "" {
		if err := replaceFile(target, text); err != nil {
			return fault.New(fault.Unwritable, "%s cannot be written: %v", target, err).For("FILE").
				With("check the folder and its rights, or write to standard output")
		}
		return a.print(report, func() string { return done })
	}
	if a.json {
		return a.print(whole(), nil)
	}
	if isTerminal(a.out) {
		text = []byte(a.safe(string(text)))
	}
	_, err := a.out.Write(text)
	return err
}

// exportedText is an export of learnings on standard output as JSON, exportedLines one of ideas there.
type exportedText struct {
	transfer.ExportedMemories
	Text string `json:"text"`
}

type exportedLines struct {
	transfer.Exported
	Lines []json.RawMessage `json:"lines"`
}

// replaceFile writes a file outside the store; a reader sees the old or the new text, never a part.
func replaceFile(file string, text []byte) error {
	if target, err := filepath.EvalSymlinks(file); err == nil {
		file = target
	}
	mode := os.FileMode(0o644)
	if st, err := os.Stat(file); err == nil {
		if !st.Mode().IsRegular() { // a device or pipe cannot be replaced
			return os.WriteFile(file, text, mode)
		}
		mode = st.Mode().Perm()
	}
	return atomicfile.Replace(file, text, mode)
}
