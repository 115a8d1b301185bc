package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"sdd/internal/fault"
	"sdd/internal/transfer"
)

// exportFormats are what sdd export writes, in the order in which they are listed.
var exportFormats = []struct {
	name, about string
	run         func(a *app, ctx context.Context, file string) error
}{
	{transfer.IdeasJSONL, "ideas of every colour, one JSON object a line", (*app).exportIdeas},
}

func newExport(a *app) *cobra.Command {
	var format string
	var names, about []string
	for _, f := range exportFormats {
		names, about = append(names, f.name), append(about, fmt.Sprintf("  %-12s %s", f.name, f.about))
	}
	cmd := &cobra.Command{
		Use:   "export --format FORMAT [FILE|-]",
		Short: "Write records as another tool reads them: " + strings.Join(names, ", "),
		Long: `Write records as another tool reads them, to standard output or into a file, which is replaced at once or not at all. The
same records give the same bytes. What was imported comes out under the ids that it had, with the keys that it had.

` + strings.Join(about, "\n"),
		Example: `  sdd export --format ideas-jsonl > ideas.jsonl`,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, f := range exportFormats {
				if f.name == format {
					return f.run(a, cmd.Context(), strings.Join(args, ""))
				}
			}
			return noFormat(format, names)
		},
	}
	cmd.Flags().StringVar(&format, "format", "", strings.Join(names, ", "))
	return cmd
}

// exportedLines is an export on standard output as JSON.
type exportedLines struct {
	transfer.Exported
	Lines []json.RawMessage `json:"lines"`
}

func (a *app) exportIdeas(ctx context.Context, file string) error {
	l, err := a.learnings()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	out, err := transfer.ExportIdeas(ctx, l, &b)
	if err != nil {
		return err
	}
	for _, f := range out.LeftOut {
		fmt.Fprintln(a.err, a.safe("note: left out, it cannot be understood: "+f))
	}
	switch {
	case file != "" && file != "-":
		if err := replaceFile(file, b.Bytes()); err != nil {
			return err
		}
		return a.print(out, func() string { return fmt.Sprintf("%d ideas in %s\n", out.Ideas, file) })
	case a.json:
		lines := exportedLines{out, []json.RawMessage{}}
		for line := range bytes.Lines(b.Bytes()) {
			lines.Lines = append(lines.Lines, bytes.TrimSuffix(line, []byte("\n")))
		}
		return a.print(lines, nil)
	}
	if isTerminal(a.out) {
		_, err = io.WriteString(a.out, a.safe(b.String()))
	} else {
		_, err = a.out.Write(b.Bytes())
	}
	return err
}

// replaceFile writes a file that lies outside the store: a reader sees the old or the new one.
func replaceFile(file string, text []byte) error {
	failed := func(err error) error {
		return fault.New(fault.Unwritable, "%s cannot be written: %v", file, err).For("FILE").With("check the folder and its rights, or write to standard output")
	}
	if target, err := filepath.EvalSymlinks(file); err == nil {
		file = target
	}
	mode := os.FileMode(0o644)
	if st, err := os.Stat(file); err == nil {
		if !st.Mode().IsRegular() { // a device or pipe is written to
			if err := os.WriteFile(file, text, mode); err != nil {
				return failed(err)
			}
			return nil
		}
		mode = st.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(file), ".sdd-export-*")
	if err != nil {
		return failed(err)
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Chmod(mode)
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		os.Remove(f.Name())
		return failed(err)
	}
	return nil
}
