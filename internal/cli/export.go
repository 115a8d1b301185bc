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

	"sdd/internal/fault"
	"sdd/internal/transfer"
)

func newExport(a *session) *cobra.Command {
	var format string
	names := formatNames()
	cmd := &cobra.Command{
		Use:   "export --format FORMAT [FILE|FOLDER|-]",
		Short: "Write records as another tool reads them: " + strings.Join(names, ", "),
		Args:  mayHave("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case format == transfer.IdeasJSONL:
				return a.exportIdeas(cmd.Context(), strings.Join(args, ""))
			case slices.Contains(names, format):
				return a.runExport(cmd.Context(), format, strings.Join(args, ""))
			}
			return noFormat(format, names)
		},
	}
	cmd.Flags().StringVar(&format, "format", "", strings.Join(names, ", "))
	return cmd
}

func (a *session) runExport(ctx context.Context, format, target string) error {
	w, err := a.uses()
	if err != nil {
		return err
	}
	folder := slices.ContainsFunc(transfer.Formats(), func(f transfer.Format) bool { return f.Name == format && f.Folder })
	if folder && (target == "" || target == "-") {
		return fault.New(fault.Invalid, "FOLDER is required: %s is a folder of files", format).For("FOLDER").
			With("give a new folder, or the one that was imported")
	}
	out, err := transfer.Export(ctx, transfer.Uses{Store: w.Store, Index: w.Index, Learnings: w.Learnings, Inbox: w.Inbox}, format)
	if err != nil {
		return err
	}
	if !a.json {
		for _, l := range out.LeftOut {
			fmt.Fprintln(a.err, a.safe("note: left out, "+l.Line()))
		}
	}
	text := func() string { return fmt.Sprintf("%d records in %s\n", out.Records, target) }
	switch {
	case folder:
		written, err := transfer.WriteFolder(target, out.Files)
		if err != nil {
			return err
		}
		return a.print(exportedFiles{out, written}, text)
	case target != "" && target != "-":
		if err := replaceFile(target, out.Files[0].Bytes); err != nil {
			return err
		}
		return a.print(out, text)
	case a.json:
		return a.print(exportedText{out, string(out.Files[0].Bytes)}, nil)
	}
	return a.writeExport(out.Files[0].Bytes)
}

// writeExport writes an export to standard output, unchanged unless that is a terminal.
func (a *session) writeExport(text []byte) error {
	if isTerminal(a.out) {
		text = []byte(a.safe(string(text)))
	}
	_, err := a.out.Write(text)
	return err
}

// exportedFiles is an export into a folder as JSON, exportedText one on standard output.
type exportedFiles struct {
	transfer.Outgoing
	Written []string `json:"written"` // the new files
}

type exportedText struct {
	transfer.Outgoing
	Text string `json:"text"`
}

// exportedLines is an export on standard output as JSON.
type exportedLines struct {
	transfer.Exported
	Lines []json.RawMessage `json:"lines"`
}

func (a *session) exportIdeas(ctx context.Context, file string) error {
	w, err := a.uses()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	out, err := transfer.ExportIdeas(ctx, w.Learnings, &b)
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
	return a.writeExport(b.Bytes())
}

// replaceFile writes a file outside the store; a reader sees the old or the new text, never a part.
func replaceFile(file string, text []byte) error {
	failed := func(err error) error {
		return fault.New(fault.Unwritable, "%s cannot be written: %v", file, err).For("FILE").
			With("check the folder and its rights, or write to standard output")
	}
	if target, err := filepath.EvalSymlinks(file); err == nil {
		file = target
	}
	mode := os.FileMode(0o644)
	if st, err := os.Stat(file); err == nil {
		if !st.Mode().IsRegular() { // a device or pipe cannot be replaced
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
