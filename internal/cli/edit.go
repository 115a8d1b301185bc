package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"sdd/internal/app"
	"sdd/internal/fault"
	"sdd/internal/lookup"
	"sdd/internal/record"
	"sdd/internal/store"
)

func newEdit(a *session) *cobra.Command {
	var project, scope string
	cmd := command("edit RECORD", "Open a record in $EDITOR", oneArg("RECORD"),
		a.with(func(ctx context.Context, w *app.App, args []string) error {
			fault.Check(w.Index.Refresh(ctx))
			err := a.edit(ctx, w, args[0], project, scope)
			if !fault.Is(err, fault.NotFound) {
				return err
			}
			return a.orPrivate(ctx, w, err, func(far *app.App) error { return a.editPrivate(ctx, w, far, args[0], project, scope) })
		}))
	narrow(cmd, &project, &scope)
	return cmd
}

func (a *session) edit(ctx context.Context, w *app.App, ref, project, scope string) (err error) {
	defer fault.Caught(&err) // the caller decides on it
	st := w.Store
	e, err := lookup.One(w.Index, ref, project, scope)
	if fault.Is(err, fault.NotFound) {
		if own, src, ok := w.Decisions.InPlace(ctx, ref, scope); ok {
			return a.editInPlace(ctx, w, own, src)
		}
	}
	fault.Check(err)
	before := fault.Must(st.Read(e.Path))
	fault.Check(a.runEditor(filepath.Join(st.Dir(), filepath.FromSlash(e.File))))
	fault.Check(w.Index.Refresh(ctx)) // close names what an older text in the editor undid
	after := fault.Must(st.Read(e.Path))
	r := record.Parse(e.Path, after.Bytes, record.Defaults{Project: st.Project()})
	out := edited{ID: r.ID, File: e.File, Etag: r.Etag}
	for _, p := range r.Problems {
		out.Warnings = append(out.Warnings, fmt.Sprintf("%s:%d: %s", e.File, p.Line, p.Text))
	}
	return a.printEdited(out, string(before.Bytes) == string(after.Bytes))
}

// editInPlace is edit for a decision record in a folder of the project's own, which src was read from.
func (a *session) editInPlace(ctx context.Context, w *app.App, own record.Record, src []byte) error {
	file := path.Join(store.Folder, own.File)
	fault.Check(a.runEditor(filepath.Join(w.Store.Dir(), filepath.FromSlash(file))))
	now, after, ok := w.Decisions.InPlace(ctx, file, "")
	if !ok {
		return fault.New(fault.Invalid, "%s is no decision record now", file)
	}
	return a.printEdited(edited{ID: now.ID, File: file, Etag: now.Etag}, string(src) == string(after))
}

type edited struct {
	ID       string   `json:"id"`
	File     string   `json:"file"`
	Action   string   `json:"action"`
	Etag     string   `json:"etag"`
	Warnings []string `json:"warnings"`
}

func (a *session) printEdited(out edited, unchanged bool) error {
	out.Action, out.Warnings = "updated", append([]string{}, out.Warnings...)
	if unchanged {
		out.Action = "unchanged"
	}
	return a.print(out, func() string {
		lines := append([]string{fmt.Sprintf("%s %s (%s)", out.File, out.Action, out.ID)}, out.Warnings...)
		return strings.Join(lines, "\n") + "\n"
	})
}

// editPrivate is edit for one of the private records in far, which belong to w.
func (a *session) editPrivate(ctx context.Context, w, far *app.App, ref, project, scope string) (err error) {
	defer fault.Caught(&err)
	e := fault.Must(lookup.One(far.Index, ref, project, scope))
	before := fault.Must(far.Store.Read(e.Path))
	text := a.inEditor(before.Bytes, true)
	saved := fault.Must(w.EditPrivate(ctx, e.ID, e.Path, before.Bytes, text))
	return a.printEdited(edited{ID: e.ID, File: e.File, Etag: saved.Doc.Etag}, saved.Unchanged)
}

// orPrivate runs use on the private records when no other one was found, which is the failure missed.
func (a *session) orPrivate(ctx context.Context, w *app.App, missed error, use func(far *app.App) error) error {
	note, err := w.InPrivate(ctx, use)
	a.noteLine(note)
	if fault.Is(err, fault.NotFound) {
		return missed
	}
	return err
}

func (a *session) noteLine(note string) {
	if note != "" {
		fmt.Fprintln(a.err, "note: "+a.safe(note))
	}
}

func (a *session) runEditor(path string) error {
	editor := findEditor()
	if editor == "" {
		return fault.New(fault.Unavailable, "no editor is set, and none was found").With("set EDITOR, or open the file by hand: " + path)
	}
	// As with git, the variable may contain arguments ("code --wait"), which the shell splits.
	var cmd *exec.Cmd
	if runtime.GOOS == "windows" {
		words := strings.Fields(editor)
		cmd = exec.Command(words[0], append(words[1:], path)...)
	} else {
		cmd = exec.Command("sh", "-c", editor+` "$@"`, editor, path)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.in, a.err, a.err
	if f, ok := a.out.(*os.File); ok && isTerminal(f) {
		cmd.Stdout = f
	}
	if err := cmd.Run(); err != nil {
		return fault.New(fault.Unavailable, "the editor %q ended with an error: %v", editor, err).
			With("nothing was saved by sdd; the file is as the editor left it")
	}
	return nil
}

// editors are the programs that edit a file when neither the environment nor git names one, the first that is found.
var editors = []string{"editor", "nano", "vim", "nvim", "vi", "micro", "hx", "emacs", "notepad.exe"}

// findEditor returns the command of the user's editor: of VISUAL or EDITOR, of git, else one that is installed here; "" for none.
func findEditor() string {
	if named := cmp.Or(os.Getenv("VISUAL"), os.Getenv("EDITOR"), os.Getenv("GIT_EDITOR")); named != "" {
		return named
	}
	if out, err := exec.Command("git", "config", "core.editor").Output(); err == nil && len(out) > 1 {
		return strings.TrimSpace(string(out))
	}
	for _, name := range editors {
		if _, err := exec.LookPath(name); err == nil {
			return name
		}
	}
	return ""
}
