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
			a.fill(w.Store, &o)
			res := fault.Must(w.Explore(ctx, o.in))
			if isTerminal(a.out) {
				return a.print(res, res.Brief)
			}
			return a.print(res, res.Text)
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
func (a *session) fill(st *store.Store, o *exploreOptions) {
	cfg := fault.Must(st.Config())
	given := len(o.in.Clear) > 0 || len(o.in.CodeRef) > 0 || o.file != ""
	stdin := o.file == "-"
	for _, name := range explore.FieldNames {
		text := o.in.Field(name)
		given = given || strings.TrimSpace(*text) != ""
		if *text != "-" {
			continue
		}
		if stdin {
			fault.Check(fault.New(fault.Invalid, "standard input is asked for twice").For(name).With("give - once"))
		}
		stdin = true
		*text = fault.Must(readAll(a.stdin, cfg.Limits.Section))
	}
	switch {
	case o.file != "":
		a.fillFromFile(o, cfg.Limits.File)
	case !given && o.in.Title != "" && isTerminal(a.in) && isTerminal(a.out):
		a.fillFromEditor(o)
	}
}

// fillFromFile reads the sections of a Markdown file; text in no known section becomes context.
func (a *session) fillFromFile(o *exploreOptions, limit int) {
	in := a.stdin
	if o.file != "-" {
		f, err := os.Open(o.file)
		if err != nil {
			fault.Check(fault.New(fault.NotFound, "cannot read %q", o.file).For("file").
				With("give the path of a Markdown file, - for standard input"))
		}
		defer f.Close()
		in = f
	}
	src := fault.Must(readAll(in, limit))
	if len(src) > limit {
		fault.Check(fault.New(fault.Invalid, "%q has more than %d bytes", o.file, limit).For("file").
			With("save the essence; limits.file in .sdd/config.yaml sets the limit"))
	}
	o.in.FromMarkdown(o.file, []byte(src))
}

func (a *session) fillFromEditor(o *exploreOptions) {
	var b strings.Builder
	for _, s := range record.ExplorationSections {
		b.WriteString("## " + s.Name + "\n\n\n")
	}
	o.in.FromMarkdown("", a.inEditor([]byte(b.String()), strings.EqualFold(o.in.Scope, record.Private)))
}

// inEditor returns a text as the user leaves it in $EDITOR. The file of a private text is in memory, never on a disk.
func (a *session) inEditor(text []byte, private bool) []byte {
	dir := ""
	if private {
		if dir = inMemory(); dir == "" {
			fault.Check(fault.New(fault.Unavailable, "there is no folder in memory for the editor's file (XDG_RUNTIME_DIR, /dev/shm)").
				With("pass the whole sections on standard input: sdd explore TITLE --scope private --file -"))
		}
	}
	dir = fault.Must(os.MkdirTemp(dir, "sdd-"))
	defer os.RemoveAll(dir) // with the editor's own copies
	file := filepath.Join(dir, "record.md")
	fault.Check(os.WriteFile(file, text, 0o600))
	fault.Check(a.runEditor(file))
	return fault.Must(os.ReadFile(file))
}
