package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sdd/internal/app"
	"sdd/internal/fault"
	"sdd/internal/record"
	"sdd/internal/store"
	"sdd/internal/transcript"
	"sdd/internal/transfer"
)

// formats lists the formats of import.
func formats() []transfer.Format {
	ideas := transfer.Format{Name: transfer.IdeasJSONL, About: "ideas of every colour, one JSON object a line"}
	return append([]transfer.Format{ideas}, transfer.Formats()...)
}

func formatNames() (names []string) {
	for _, f := range formats() {
		names = append(names, f.Name)
	}
	return names
}

// formatsText describes each format on a line.
func formatsText() string {
	var b strings.Builder
	for _, f := range formats() {
		fmt.Fprintf(&b, "  %-12s %s\n", f.Name, f.About)
	}
	for _, f := range transcript.Formats {
		fmt.Fprintf(&b, "  %-12s %s\n", f, transcript.About[f])
	}
	return b.String()
}

// importOptions are the flags of sdd import.
type importOptions struct {
	format, project, since string
	dryRun                 bool
}

func newImport(a *session) *cobra.Command {
	var o importOptions
	names := formatNames()
	for _, f := range transcript.Formats {
		names = append(names, string(f))
	}
	cmd := command("import [--format FORMAT] [FILE|FOLDER|-]",
		"Bring in what another tool keeps, or what was decided in old sessions", arguments("FILE", 0, math.MaxInt),
		a.with(func(ctx context.Context, w *app.App, args []string) error {
			sessions := a.sessionFormat(&o.format, args)
			switch {
			case sessions:
			case o.since != "":
				return usage("--since goes with transcripts: --format %s", transcript.Names())
			case len(args) > 1 && o.format != transfer.ClaudeMemory:
				return mayHave("FILE")(nil, args)
			}
			if o.format != "" && !slices.Contains(names, o.format) {
				return noFormat(o.format, names)
			}
			path, done, err := a.source(args)
			if err != nil {
				return err
			}
			defer done()
			root := w.Store.Dir()
			if o.dryRun {
				copied, remove, err := a.copyOf(w.Store)
				if err != nil {
					return err
				}
				defer remove()
				w = copied
			}
			args = append([]string{path}, args[min(1, len(args)):]...)
			if sessions {
				return a.importSessions(ctx, w, o, args)
			}
			return a.importRecords(ctx, w, o, root, args)
		}))
	cmd.Flags().StringVar(&o.format, "format", "", strings.Join(names, ", "))
	cmd.Flags().StringVar(&o.project, "project", "",
		"whose memories to bring in, where the file holds several projects' (default: this project's; '"+transfer.AnyProject+"': all)")
	cmd.Flags().StringVar(&o.since, "since", "", "of transcripts: leave out older messages, such as 2026-01-31")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "report what would be done, and write nothing")
	return cmd
}

func (a *session) importRecords(ctx context.Context, w *app.App, o importOptions, root string, paths []string) (err error) {
	if o.format == "" {
		if o.format, err = transfer.Detect(paths[0]); err != nil {
			return err
		}
		if !a.json {
			fmt.Fprintln(a.err, "format: "+o.format)
		}
	}
	if o.project != "" && o.format != transfer.Hoofy && o.format != transfer.Engram {
		return fault.New(fault.Invalid, "%s has no projects", o.format).For("project").With("omit --project")
	}
	if o.format == transfer.IdeasJSONL {
		return a.importIdeas(ctx, w, o, paths[0])
	}
	ask := transfer.Ask{Path: paths[0], More: paths[1:], Project: o.project, Root: root}
	out, err := transfer.Import(ctx, usesOf(w), o.format, ask, a.progress("item %d"))
	out.DryRun = o.dryRun
	return a.printReviewed(len(out.Records), out, out.Text, err)
}

func usesOf(w *app.App) transfer.Uses {
	return transfer.Uses{Store: w.Store, Index: w.Index, Learnings: w.Learnings, Inbox: w.Inbox}
}

// copyOf returns the uses of a temporary copy of the store, where an import can be tried.
func (a *session) copyOf(st *store.Store) (w *app.App, remove func(), err error) {
	failed := func(err error) error {
		return fault.New(fault.Unwritable, "there is no room for a copy of the store: %v", err).With("look at the folder for temporary files")
	}
	tmp, err := os.MkdirTemp("", "sdd-import-*")
	if err != nil {
		return nil, nil, failed(err)
	}
	defer func() {
		if err != nil {
			os.RemoveAll(tmp)
		}
	}()
	// Without a project in config.yaml, the folder's name is the project.
	dir := filepath.Join(tmp, record.Slug(st.Project()))
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, nil, failed(err)
	}
	if st.Exists() {
		if err := copyStore(st, dir); err != nil {
			return nil, nil, failed(err)
		}
	}
	w, done, err := openUses(store.Options{Dir: dir, Tool: "sdd"}, app.Options{Extract: a.extract})
	return w, func() { done(); os.RemoveAll(tmp) }, err
}

// copyStore copies the records and the configuration of a store.
func copyStore(st *store.Store, dir string) error {
	from, to := filepath.Join(st.Dir(), store.Folder), filepath.Join(dir, store.Folder)
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, name)
		switch {
		case e.IsDir() && (name == ".local" || name == "views"):
			return filepath.SkipDir
		case e.IsDir():
			return os.MkdirAll(target, 0o700)
		case !e.Type().IsRegular():
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, src, 0o600)
	})
}

func noFormat(format string, names []string) error {
	allowed := "allowed: " + strings.Join(names, ", ")
	if format == "" {
		return fault.New(fault.Invalid, "format is required").For("format").With(allowed)
	}
	return fault.New(fault.Invalid, "format %q is unknown", format).For("format").With(allowed)
}

// source returns the file or folder to import. It copies standard input to a temporary file, since formats are read more than once.
func (a *session) source(args []string) (path string, done func(), err error) {
	if len(args) > 0 && args[0] != "-" {
		if _, err := os.Stat(args[0]); os.IsNotExist(err) {
			return "", nil, fault.New(fault.NotFound, "there is no file %q", args[0]).For("FILE").With("give its path, or - for standard input")
		} else if err != nil {
			return "", nil, fault.New(fault.Invalid, "the file cannot be read: %v", err).For("FILE")
		}
		return args[0], func() {}, nil
	}
	if len(args) == 0 && isTerminal(a.in) {
		return "", nil, fault.New(fault.Invalid, "FILE is required").For("FILE").With("give a file or folder, or - to read standard input")
	}
	f, err := os.CreateTemp("", "sdd-import-*")
	if err != nil {
		return "", nil, fault.New(fault.Unwritable, "there is no room for what is read: %v", err).With("give a file instead of standard input")
	}
	done = func() { os.Remove(f.Name()) }
	_, err = io.Copy(f, a.stdin)
	if err = cmp.Or(err, f.Close()); err != nil {
		done()
		return "", nil, fault.New(fault.Unwritable, "there is no room for what is read: %v", err).With("give a file instead of standard input")
	}
	return f.Name(), done, nil
}

func (a *session) importIdeas(ctx context.Context, w *app.App, o importOptions, path string) error {
	src, err := os.Open(path)
	if err != nil {
		return fault.New(fault.Invalid, "the file cannot be read: %v", err).For("FILE")
	}
	defer src.Close()
	if st, err := src.Stat(); err == nil && st.IsDir() {
		return fault.New(fault.Invalid, "%q is a folder", path).For("FILE").With("give a file")
	}
	out, err := transfer.ImportIdeas(ctx, w.Learnings, src, a.progress("line %d"))
	out.DryRun = o.dryRun
	return a.printReviewed(len(out.Ideas), out, out.Text, err)
}

// progress returns a function that shows a command's progress on a terminal after the first second; nil without a terminal.
func (a *session) progress(format string) func(n int) {
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
