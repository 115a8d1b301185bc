package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
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
	"sdd/internal/atomicfile"
	"sdd/internal/fault"
	"sdd/internal/record"
	"sdd/internal/store"
	"sdd/internal/transcript"
	"sdd/internal/transfer"
)

func formats() (names []string, text string) {
	all := []transfer.Format{{Name: transfer.IdeasJSONL, About: "ideas of every colour, one JSON object a line"}}
	all = append(all, transfer.Formats()...)
	for _, f := range transcript.Formats {
		all = append(all, transfer.Format{Name: string(f), About: transcript.About[f]})
	}
	for _, f := range all {
		names = append(names, f.Name)
		text += fmt.Sprintf("  %-12s %s\n", f.Name, f.About)
	}
	return names, text
}

type importOptions struct {
	format, project, since string
	dryRun                 bool
}

func newImport(a *session) *cobra.Command {
	var o importOptions
	names, _ := formats()
	cmd := command("import [--format FORMAT] [FILE|FOLDER|-]",
		"Bring in what another tool keeps, or what was decided in old sessions", arguments("FILE", 0, math.MaxInt),
		a.with(func(ctx context.Context, w *app.App, args []string) error {
			if o.format != "" && !slices.Contains(names, o.format) {
				return noFormat(o.format, names)
			}
			path, done, err := a.source(args)
			if err == nil {
				defer done()
			}
			sessions := a.sessionFormat(&o.format, path)
			switch {
			case sessions:
			case o.since != "":
				return usage("--since goes with transcripts: --format %s", transcript.Names())
			case len(args) > 1 && o.format != transfer.ClaudeMemory:
				return fault.New(fault.Invalid, "one FILE is allowed, %d are given", len(args)).For("FILE").
					With("several go with --format " + transfer.ClaudeMemory + ", " + transcript.Names())
			}
			fault.Check(err)
			root := w.Store.Dir()
			if o.dryRun {
				copied, remove := a.copyOf(w.Store)
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

func (a *session) importRecords(ctx context.Context, w *app.App, o importOptions, root string, paths []string) error {
	if o.format == "" {
		o.format = fault.Must(transfer.Detect(paths[0]))
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
	uses := transfer.Uses{Store: w.Store, Index: w.Index, Learnings: w.Learnings, Inbox: w.Inbox}
	out, err := transfer.Import(ctx, uses, o.format, ask, a.progress("item %d"))
	out.DryRun = o.dryRun
	return a.printReviewed(len(out.Records), out, out.Text, err)
}

// copyOf returns the uses of a temporary copy of the store, where an import can be tried.
func (a *session) copyOf(st *store.Store) (w *app.App, remove func()) {
	tmp, err := os.MkdirTemp("", "sdd-import-*")
	defer func() {
		if w == nil {
			os.RemoveAll(tmp)
		}
	}()
	// Without a project in config.yaml, the folder's name is the project.
	dir := filepath.Join(tmp, record.Slug(st.Project()))
	if err == nil {
		err = os.Mkdir(dir, 0o700)
	}
	if err == nil && st.Exists() {
		err = copyStore(st, dir)
	}
	if err != nil {
		fault.Check(fault.New(fault.Unwritable, "there is no room for a copy of the store: %v", err).
			With("look at the folder for temporary files"))
	}
	w, done, err := openUses(store.Options{Dir: dir, Tool: "sdd"}, app.Options{Extract: a.extract})
	fault.Check(err)
	return w, func() { done(); os.RemoveAll(tmp) }
}

func copyStore(st *store.Store, dir string) error {
	from, to := filepath.Join(st.Dir(), store.Folder), filepath.Join(dir, store.Folder)
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		target := to + strings.TrimPrefix(path, from)
		switch {
		case err != nil:
			return err
		case e.IsDir() && (path == filepath.Join(from, ".local") || path == filepath.Join(from, "views")):
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
	var n int64
	f, err := os.CreateTemp("", "sdd-import-*")
	if err == nil {
		done = func() { os.Remove(f.Name()) }
		n, err = io.Copy(f, a.stdin)
		if err = cmp.Or(err, f.Close()); err == nil && n > 0 {
			return f.Name(), done, nil
		}
		done()
	}
	if err != nil {
		return "", nil, fault.New(fault.Unwritable, "there is no room for what is read: %v", err).With("give a file instead of standard input")
	}
	return "", nil, fault.New(fault.Invalid, "standard input is empty").For("FILE").With("give a file or folder, or - to read standard input")
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
			a.showProgress(format, n)
		}
	}
}

// sessionFormat reports whether sdd import reads transcripts, and detects the format that the user did not give.
func (a *session) sessionFormat(format *string, path string) bool {
	if *format == "" {
		if *format = string(transcript.DetectFile(path)); *format != "" && !a.json {
			fmt.Fprintln(a.err, "format: "+*format)
		}
	}
	return slices.Contains(transcript.Formats, transcript.Format(*format))
}

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
	out := fault.Must(transfer.ExportMemories(ctx, w.Learnings, target))
	if !a.json {
		for _, l := range out.LeftOut {
			fmt.Fprintln(a.err, a.safe("note: left out, "+l.Line()))
		}
	}
	done := fault.Count(out.Records, "record", "records") + " in " + target + "\n"
	if len(out.Text) == 0 && target != "" {
		return a.print(out, func() string { return done }) // the client knows all already: no empty file
	}
	return a.writeExport(target, out.Text, done, out, struct {
		transfer.ExportedMemories
		Text string `json:"text"`
	}{out, string(out.Text)})
}

// exportIdeas writes every idea; a target "" is standard output.
func (a *session) exportIdeas(ctx context.Context, w *app.App, target string) error {
	var b bytes.Buffer
	out := fault.Must(transfer.ExportIdeas(ctx, w.Learnings, &b))
	for _, f := range out.LeftOut {
		fmt.Fprintln(a.err, a.safe("note: left out, it cannot be understood: "+f))
	}
	lines := []json.RawMessage{}
	for line := range bytes.Lines(b.Bytes()) {
		lines = append(lines, bytes.TrimSuffix(line, []byte("\n")))
	}
	return a.writeExport(target, b.Bytes(), fault.Count(out.Ideas, "idea", "ideas")+" in "+target+"\n", out, struct {
		transfer.Exported
		Lines []json.RawMessage `json:"lines"`
	}{out, lines})
}

// writeExport writes text to the file target and prints done, or report with --json; without a target it prints text, or whole.
func (a *session) writeExport(target string, text []byte, done string, report, whole any) error {
	if target != "" {
		err := replaceFile(target, text)
		if errors.Is(err, fs.ErrNotExist) {
			return fault.New(fault.Unwritable, "%s cannot be written: its folder is not there", target).For("FILE").
				With("make the folder " + filepath.Dir(target) + ", or write to standard output")
		}
		if err != nil {
			return fault.New(fault.Unwritable, "%s cannot be written: %v", target, err).For("FILE").
				With("check the folder and its rights, or write to standard output")
		}
		return a.print(report, func() string { return done })
	}
	if a.json {
		return a.print(whole, nil)
	}
	if isTerminal(a.out) {
		text = []byte(a.safe(string(text)))
	}
	_, err := a.out.Write(text)
	return err
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

func newHandoff(a *session) *cobra.Command {
	var ask transfer.HandoffAsk
	cmd := command("handoff RECORD [--to TARGET]", "Make a proposal, task, ADR or issue of an exploration or decision", oneArg("RECORD"),
		a.with(func(ctx context.Context, w *app.App, args []string) error {
			ask.ID = args[0]
			out := fault.Must(transfer.HandOff(ctx, transfer.HandoffSources{Store: w.Store, Index: w.Index, Decisions: w.Decisions}, ask))
			err := a.print(out, func() string {
				switch {
				case out.File == "":
					return out.Text
				case ask.DryRun:
					would := map[string]string{
						"create": "would create %s\n", "unchanged": "would leave %s: it says the same\n",
						"kept": "would not write %s: it says something else\n",
					}
					fmt.Fprintf(a.err, would[out.Action], a.safe(out.File))
					return out.Text
				}
				return out.File + " " + out.Action + "\n"
			})
			if err == nil && !a.json {
				fmt.Fprintln(a.err, "next: "+a.safe(out.Next))
			}
			return err
		}))
	cmd.Flags().StringVar(&ask.To, "to", "", strings.Join(transfer.HandoffTargets(), ", "))
	cmd.Flags().BoolVar(&ask.DryRun, "dry-run", false, "print the document and write nothing")
	narrow(cmd, &ask.Project, &ask.Scope)
	return cmd
}
