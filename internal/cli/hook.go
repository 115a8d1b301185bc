package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sdd/internal/agenthook"
	"sdd/internal/app"
	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/index"
	"sdd/internal/record"
	"sdd/internal/setup"
	"sdd/internal/store"
	"sdd/internal/transcript"
)

func newHooks(a *session) *cobra.Command {
	return commandGroup("hooks", "Let git check staged records before a commit: install, uninstall, status",
		a.newHooksCommand("install", "Put sdd's block into git's hooks; again it changes nothing", setup.InstallHooks),
		a.newHooksCommand("uninstall", "Take sdd's block out of git's hooks and give back what was there", setup.UninstallHooks),
		a.newHooksCommand("status", "Show whether each hook calls sdd, and what to do", setup.HooksStatus),
	)
}

// newHooksCommand is a command on the hooks that its flags name, on all without flags.
func (a *session) newHooksCommand(name, short string, do func(context.Context, string, []string) (setup.Hooks, error)) *cobra.Command {
	wanted := make([]bool, len(setup.HookNames))
	cmd := command(name+" [--pre-commit] [--post-commit] [--post-merge]", short, noArgs,
		func(cmd *cobra.Command, _ []string) error {
			var names []string
			for i, hook := range setup.HookNames {
				if wanted[i] {
					names = append(names, hook)
				}
			}
			if names == nil {
				names = setup.HookNames
			}
			return a.answer(do(cmd.Context(), cmp.Or(a.dir, "."), names))
		})
	for i, hook := range setup.HookNames {
		cmd.Flags().BoolVar(&wanted[i], hook, false, "only "+hook+" and the others that are named")
	}
	return cmd
}

// gitHooks are the hooks of git after which there is work.
var gitHooks = []string{"post-commit", "post-merge"}

// afterGit does the work after a commit and after a merge: it finds the learnings whose files new commits touch and records them as
// events and in the views, and it finds candidates. It prints nothing and changes no record. When one part fails the other still runs,
// and the next call of sdd repeats the work. The index needs no part, since the next call sees the changes of a merge.
func afterGit(ctx context.Context, st *store.Store, ix *index.Index) {
	w := app.New(st, ix, app.Options{})
	defer w.Close()
	if w.Learnings.Notice(ctx) == nil {
		_ = w.Learnings.WriteViews(ctx)
	}
	_ = w.Inbox.Follow(ctx)
}

const hookPatience = time.Minute

func newHook(a *session) *cobra.Command {
	behind, refresh, transcript := false, false, ""
	cmd := &cobra.Command{
		Use:    "hook NAME",
		Short:  "Take notice of new commits for git, or of an event for the coding agent NAME, and never fail",
		Hidden: true,
		// Git may add arguments, and a later version of this program may have written the agent's configuration.
		Args:               cobra.ArbitraryArgs,
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
		RunE: func(cmd *cobra.Command, args []string) error {
			name := strings.Join(args[:min(len(args), 1)], "")
			switch {
			case slices.Contains(gitHooks, name) && behind:
				a.followGit(cmd.Context())
			case slices.Contains(gitHooks, name):
				a.runHook(name)
			case refresh || transcript != "":
				a.behindAgent(cmd.Context(), name, transcript)
			default:
				a.agentHook(cmd.Context(), name)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&behind, "behind", false, "do the work, and wait for it")
	cmd.Flags().BoolVar(&refresh, "refresh", false, "bring the index up to date for the agent's next event")
	cmd.Flags().StringVar(&transcript, "capture", "", "transcript of the agent's session to find decisions and corrections in")
	return cmd
}

// runHook starts the work and does not wait for it.
func (a *session) runHook(name string) {
	st, err := store.Open(store.Options{Dir: a.dir})
	if err != nil || !st.Exists() {
		return
	}
	if repo, err := git.Open(st.Dir()); err == nil {
		if op, _ := repo.Underway(); op == git.Rebasing || op == git.Applying {
			return // a rebase makes many commits, and the next call sees them all
		}
	}
	_ = startBehind(st.Dir(), "hook", name, "--behind", "--dir", st.Dir()) // if it fails, the next call of sdd does the work
}

// followGit does the work of afterGit, and repeats it while there are newer commits; of several processes only one does it.
func (a *session) followGit(ctx context.Context) {
	st, err := store.Open(store.Options{Dir: a.dir, Tool: "sdd"})
	if err != nil || !st.Exists() {
		return
	}
	defer st.Close()
	ctx, cancel := context.WithTimeout(ctx, hookPatience)
	defer cancel()
	_, _ = st.Alone(ctx, "hook", func(ctx context.Context) error {
		ix := index.Open(st)
		defer ix.Close()
		for {
			head := git.CheckedOutCommit(ctx, st.Dir())
			afterGit(ctx, st, ix)
			if ctx.Err() != nil || head == git.CheckedOutCommit(ctx, st.Dir()) {
				return nil
			}
		}
	})
}

// A client may stop the user's work when a hook fails: so on trouble it exits 0 and prints nothing; .sdd/.local/hooks.log has the reason.

const (
	mostEvent     = 4 << 20         // bytes of an event
	eventPatience = 2 * time.Second // for the event, which the client writes at once
	notePatience  = 5 * time.Second // for the answer; only the first index of a large store takes so long
	hooksLog      = "hooks.log"
	mostHooksLog  = 64 << 10 // bytes; a longer log begins again
)

func (a *session) agentHook(ctx context.Context, client string) {
	src, late := readSoon(ctx, a.in)
	named := client
	client = agenthook.Caller(client, src)
	in, err := agenthook.Parse(client, src)
	if late && err != nil {
		err = fault.New(fault.Unavailable, "no whole event within %s", eventPatience)
	}
	st, missing := store.Open(store.Options{Dir: a.dir, WorkDir: in.Dir, Tool: "sdd hook " + client})
	if missing != nil || !st.Exists() || client != named && setup.HasHooks(client, st.Dir()) { // its own hook answers
		return
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
		logHook(st, client, in.Event, err)
	}()
	if err == nil && in.Kind == "" {
		err = fault.New(fault.Invalid, "this version of sdd does not know the event")
	}
	if err != nil {
		return
	}
	if in.Kind == agenthook.End || in.Kind == agenthook.Compacting {
		if in.Transcript != "" {
			err = startBehind(st.Dir(), "hook", client, "--capture="+in.Transcript, "--dir="+st.Dir())
		}
		return
	}
	ctx, cancel := context.WithTimeout(ctx, notePatience)
	defer cancel()
	ix := index.OpenOnce(st)
	w := app.New(st, ix, app.Options{})
	var text string
	if in.Kind == agenthook.File {
		if !in.Edit && len(in.Files) > 0 { // the text was only read
			in.Text = ""
		}
		text, err = w.FileNote(ctx, in.Session, in.Files, in.Text)
	} else {
		w.ForgetNotes(in.Session)
		text, err = w.StartIndex(ctx)
	}
	if err != nil {
		if ctx.Err() != nil { // the first index takes long: the next call finds its cache
			_ = startBehind(st.Dir(), "hook", client, "--refresh", "--dir="+st.Dir())
		}
		return
	}
	if _, err = a.out.Write(agenthook.Answer(client, in, strings.TrimSuffix(text, "\n"))); err == nil {
		w.Close()
		ix.Close()
	}
}

// readSoon reads an event, and what follows its longest part to no use, until the end of r or of the patience.
func readSoon(ctx context.Context, r io.Reader) (src []byte, late bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), eventPatience)
	defer cancel()
	r = endingReader{ctx, r}
	src, err := io.ReadAll(io.LimitReader(r, mostEvent))
	if len(src) == mostEvent {
		_, err = io.Copy(io.Discard, r)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, true
	}
	return src, false
}

// startBehind starts this program in the background, in a folder.
func startBehind(dir string, args ...string) error {
	cmd, err := background(args...)
	if err != nil {
		return err
	}
	cmd.Dir = dir
	if err = cmd.Start(); err == nil {
		go func() { _ = cmd.Wait() }() // a server must not leave a zombie
	}
	return err
}

// behindAgent does the work that a hook left to the background: with a transcript its capture, else the index.
func (a *session) behindAgent(ctx context.Context, client, path string) {
	w, done, err := openUses(store.Options{Dir: a.dir, Tool: "sdd hook " + client}, app.Options{Extract: a.extract})
	if err != nil {
		return
	}
	defer done()
	st := w.Store
	if !st.Exists() {
		return
	}
	if path == "" {
		err = w.Index.Refresh(ctx)
	} else {
		format := transcript.Format(strings.TrimSuffix(client, "-cli"))
		if !slices.Contains(transcript.Formats, format) {
			format = "" // the file's content tells it
		}
		_, err = w.CaptureTranscript(ctx, path, format, app.Capture{Background: true, Tool: "sdd hook " + client})
	}
	logHook(st, client, "behind", err)
}

// logHook adds a failure to the log of hooks. A log that cannot be written is left.
func logHook(st *store.Store, client, event string, err error) {
	if err == nil {
		return
	}
	dir, failed := st.Private(".", true)
	if failed != nil {
		return
	}
	defer dir.Close()
	flags := os.O_WRONLY | os.O_CREATE | os.O_APPEND
	if info, err := dir.Stat(hooksLog); err == nil && info.Size() > mostHooksLog {
		flags |= os.O_TRUNC
	}
	f, failed := dir.OpenFile(hooksLog, flags, 0o644)
	if failed != nil {
		return
	}
	defer f.Close()
	what := cmp.Or(record.Brief(event), "an event")
	fmt.Fprintf(f, "%s %s %s: %s\n", time.Now().UTC().Format(time.RFC3339), record.Brief(client), what, record.Brief(err.Error()))
}
