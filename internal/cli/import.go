package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sdd/internal/fault"
	"sdd/internal/transfer"
)

// importFormats are what sdd import reads, in the order in which they are listed.
var importFormats = []struct {
	name, about string
	run         func(a *app, ctx context.Context, src io.ReadSeeker) error
}{
	{transfer.IdeasJSONL, "ideas of every colour, one JSON object a line", (*app).importIdeas},
}

func newImport(a *app) *cobra.Command {
	var format string
	var names, about []string
	for _, f := range importFormats {
		names, about = append(names, f.name), append(about, fmt.Sprintf("  %-12s %s", f.name, f.about))
	}
	cmd := &cobra.Command{
		Use:   "import --format FORMAT [FILE|-]",
		Short: "Bring in what another tool keeps: " + strings.Join(names, ", "),
		Long: `Bring in what another tool keeps, from a file or from standard input. What is here already is not brought in twice: it
gains what it lacks and loses nothing. Lines that cannot be used are named and left out.

` + strings.Join(about, "\n"),
		Example: `  sdd import --format ideas-jsonl .swarm/ideas.jsonl`,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, f := range importFormats {
				if f.name == format {
					src, done, err := a.source(args)
					if err != nil {
						return err
					}
					defer done()
					return f.run(a, cmd.Context(), src)
				}
			}
			return noFormat(format, names)
		},
	}
	cmd.Flags().StringVar(&format, "format", "", strings.Join(names, ", "))
	return cmd
}

func noFormat(format string, names []string) error {
	allowed := "allowed: " + strings.Join(names, ", ")
	if format == "" {
		return fault.New(fault.Invalid, "format is required").For("format").With(allowed)
	}
	return fault.New(fault.Invalid, "format %q is unknown", format).For("format").With(allowed)
}

// source opens what is to be imported: the file that is named, else standard input. Formats read it more than once, so
// what comes through a pipe is put into a temporary file.
func (a *app) source(args []string) (src io.ReadSeeker, done func(), err error) {
	if len(args) > 0 && args[0] != "-" {
		f, err := os.Open(args[0])
		if os.IsNotExist(err) {
			return nil, nil, fault.New(fault.NotFound, "there is no file %q", args[0]).For("FILE").With("give its path, or - for standard input")
		} else if err != nil {
			return nil, nil, fault.New(fault.Invalid, "the file cannot be read: %v", err).For("FILE")
		}
		if st, err := f.Stat(); err == nil && st.IsDir() {
			f.Close()
			return nil, nil, fault.New(fault.Invalid, "%q is a folder", args[0]).For("FILE").With("give a file")
		}
		return f, func() { f.Close() }, nil
	}
	if len(args) == 0 && isTerminal(a.in) {
		return nil, nil, fault.New(fault.Invalid, "FILE is required").For("FILE").With("give a file, or - to read standard input")
	}
	if f, ok := a.in.(*os.File); ok {
		if st, err := f.Stat(); err == nil && st.Mode().IsRegular() {
			return f, func() {}, nil
		}
	}
	f, err := os.CreateTemp("", "sdd-import-*")
	if err != nil {
		return nil, nil, fault.New(fault.Unwritable, "there is no room for what is read: %v", err).With("give a file instead of standard input")
	}
	done = func() {
		f.Close()
		os.Remove(f.Name())
	}
	if _, err = io.Copy(f, a.in); err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		done()
		return nil, nil, fault.New(fault.Unwritable, "there is no room for what is read: %v", err).With("give a file instead of standard input")
	}
	return f, done, nil
}

func (a *app) importIdeas(ctx context.Context, src io.ReadSeeker) error {
	l, err := a.learnings()
	if err != nil {
		return err
	}
	out, err := transfer.ImportIdeas(ctx, l, src, a.progress("line %d"))
	if err != nil && (a.json || len(out.Ideas) == 0) {
		return err
	}
	if e := a.print(out, out.Text); e != nil {
		return e
	}
	return err
}

// progress returns what shows how far a command has come: on a terminal, from a second on, nowhere else.
func (a *app) progress(format string) func(n int) {
	if !isTerminal(a.err) {
		return nil
	}
	next := time.Now().Add(time.Second)
	return func(n int) {
		if now := time.Now(); now.After(next) {
			next = now.Add(time.Second / 4)
			fmt.Fprintf(a.err, "\r"+format+" ", n)
		}
	}
}
