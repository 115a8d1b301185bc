package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"sdd/internal/agenthook"
	"sdd/internal/app"
	"sdd/internal/fault"
	"sdd/internal/index"
	"sdd/internal/record"
	"sdd/internal/setup"
	"sdd/internal/store"
	"sdd/internal/transcript"
)

// The hooks of coding agents: sdd hook CLIENT reads one event on standard input and prints the answer in the client's form.
// A client may stop the user's work when a hook fails, so this command exits 0 and prints nothing on any trouble; a line
// in .sdd/.local/hooks.log has the reason.

const (
	mostEvent     = 4 << 20         // bytes of an event
	eventPatience = 2 * time.Second // for the event, which the client writes at once
	notePatience  = 5 * time.Second // for the answer; only the first index of a large store takes so long
	hooksLog      = "hooks.log"
	mostHooksLog  = 64 << 10 // bytes; a longer log begins again
)

// agentHook answers an event of a client.
func (a *session) agentHook(ctx context.Context, client string) {
	src, late := readSoon(a.in, mostEvent, eventPatience)
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
		text, err = w.FileNote(ctx, in.Session, in.Files, edited(in))
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

// edited is the new text of an edit or a command, "" for what was only read.
func edited(in agenthook.Input) string {
	if in.Edit || len(in.Files) == 0 {
		return in.Text
	}
	return ""
}

// readSoon reads at most so many bytes, and what follows them to no use, until the end of r or the end of the patience.
func readSoon(r io.Reader, most int64, patience time.Duration) (src []byte, late bool) {
	done := make(chan []byte, 1)
	go func() {
		src, _ := io.ReadAll(io.LimitReader(r, most))
		if int64(len(src)) == most {
			_, _ = io.Copy(io.Discard, r)
		}
		done <- src
	}()
	select {
	case src = <-done:
		return src, false
	case <-time.After(patience):
		return nil, true
	}
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

// behindAgent does the work that a hook left to the background: with a transcript the capture of what it says, else the
// index. It prints nothing.
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
		_, err = w.CaptureTranscript(ctx, path, formatOf[client], app.Capture{Background: true, Tool: "sdd hook " + client})
	}
	logHook(st, client, "behind", err)
}

// formatOf is the format of a client's transcripts; of other clients the file's content tells it.
var formatOf = map[string]transcript.Format{
	"claude-code": transcript.ClaudeCode, "codex": transcript.Codex, "gemini-cli": transcript.Gemini, "cursor": transcript.Cursor,
	"copilot-cli": transcript.Copilot,
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
