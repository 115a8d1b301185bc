package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"sdd/internal/app"
	"sdd/internal/explore"
	"sdd/internal/fault"
	"sdd/internal/record"
	"sdd/internal/store"
)

type exploreOptions struct {
	in   explore.Input
	file string
}

func newExplore(a *session) *cobra.Command {
	var o exploreOptions
	cmd := command("explore TITLE",
		"Save goals, constraints, preferences, unknowns, decisions and context under a title", mayHave("TITLE"),
		a.with(func(ctx context.Context, w *app.App, args []string) error {
			o.in.Title, o.in.Tool = strings.Join(args, ""), "sdd explore"
			if err := a.fill(w.Store, &o); err != nil {
				return err
			}
			res, err := w.Explore(ctx, o.in)
			if isTerminal(a.out) {
				return a.answerWith(res, err, res.Brief)
			}
			return a.answer(res, err)
		}))
	f := cmd.Flags()
	for _, name := range explore.FieldNames {
		f.StringVar(o.in.Field(name), name, "", "text of the section "+strings.ToUpper(name[:1])+name[1:]+", - for standard input")
	}
	f.StringVar(&o.file, "file", "", "take the sections of this Markdown file, - for standard input")
	f.StringVar(&o.in.Project, "project", "", "project the exploration belongs to (default: the store's own)")
	f.StringVar(&o.in.Scope, "scope", "", "project (committed, default), personal (ignored by git) or private (committed, encrypted)")
	f.StringVar(&o.in.SessionID, "session-id", "", "session that saves (default manual-save)")
	f.StringSliceVar(&o.in.Clear, "clear", nil, "sections to remove, by name")
	f.BoolVar(&o.in.Append, "append", false, "add to the sections instead of replacing them")
	a.codeRefFlag(cmd, &o.in.CodeRef)
	f.StringVar(&o.in.IfMatch, "if-match", "", "etag of the file or section this text was written against")
	return cmd
}

// fill reads texts from standard input, from a file, or from the editor.
func (a *session) fill(st *store.Store, o *exploreOptions) error {
	cfg, err := st.Config()
	if err != nil {
		return err
	}
	given := len(o.in.Clear) > 0 || len(o.in.CodeRef) > 0 || o.file != ""
	stdin := o.file == "-"
	for _, name := range explore.FieldNames {
		text := o.in.Field(name)
		given = given || strings.TrimSpace(*text) != ""
		if *text != "-" {
			continue
		}
		if stdin {
			return fault.New(fault.Invalid, "standard input is asked for twice").For(name).With("give - once")
		}
		stdin = true
		if *text, err = readAll(a.stdin, cfg.Limits.Section); err != nil {
			return err
		}
	}
	switch {
	case o.file != "":
		return a.fillFromFile(o, cfg.Limits.File)
	case !given && o.in.Title != "" && isTerminal(a.in) && isTerminal(a.out):
		return a.fillFromEditor(o)
	}
	return nil
}

// fillFromFile reads the sections of a Markdown file; text in no known section becomes context.
func (a *session) fillFromFile(o *exploreOptions, limit int) error {
	in := a.stdin
	if o.file != "-" {
		f, err := os.Open(o.file)
		if err != nil {
			return fault.New(fault.NotFound, "cannot read %q", o.file).For("file").With("give the path of a Markdown file, - for standard input")
		}
		defer f.Close()
		in = f
	}
	src, err := readAll(in, limit)
	switch {
	case err != nil:
		return err
	case len(src) > limit:
		return fault.New(fault.Invalid, "%q has more than %d bytes", o.file, limit).For("file").
			With("save the essence; limits.file in .sdd/config.yaml sets the limit")
	}
	title, fields := explore.FromMarkdown(o.file, []byte(src))
	if o.in.Title == "" {
		o.in.Title = title
	}
	for _, name := range explore.FieldNames {
		if dst := o.in.Field(name); strings.TrimSpace(*dst) == "" {
			*dst = *fields.Field(name)
		}
	}
	return nil
}

// fillFromEditor lets the user write the sections in $EDITOR.
func (a *session) fillFromEditor(o *exploreOptions) error {
	var b strings.Builder
	for _, s := range record.ExplorationSections {
		b.WriteString("## " + s.Name + "\n\n\n")
	}
	src, err := a.inEditor([]byte(b.String()), strings.EqualFold(o.in.Scope, record.Private))
	if err != nil {
		return err
	}
	_, o.in.Fields = explore.FromMarkdown("", src)
	return nil
}

// inEditor returns a text as the user leaves it in $EDITOR. The editor gets a temporary file. For a private text the file is in memory,
// never on a disk; it is an error when the system has no such place.
func (a *session) inEditor(text []byte, private bool) ([]byte, error) {
	dir := ""
	if private {
		if dir = inMemory(); dir == "" {
			return nil, fault.New(fault.Unavailable, "there is no folder in memory for the editor's file (XDG_RUNTIME_DIR, /dev/shm)").
				With("pass the whole sections on standard input: sdd explore TITLE --scope private --file -")
		}
	}
	dir, err := os.MkdirTemp(dir, "sdd-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) // with the editor's own copies
	file := filepath.Join(dir, "record.md")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return nil, err
	}
	if err := a.runEditor(file); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
}
