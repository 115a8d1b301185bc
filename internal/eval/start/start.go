// Package start measures the index that a session starts with: it replays the recorded sessions of a repository, each in the
// work tree and with the records of its day, and asks whether the index names the records of the files that the session read or
// edited afterwards.
package start

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sdd/internal/app"
	"sdd/internal/candidate"
	"sdd/internal/eval/must"
	"sdd/internal/eval/program"
	"sdd/internal/index"
	"sdd/internal/record"
	"sdd/internal/tokens"
	"sdd/internal/transcript"
)

const (
	mostTokens = 800
	mustName   = 85 // per cent of the sessions that need a record
)

var by = candidate.By{Tool: "sdd-eval"}

// figures are the results of one repository, or of all.
type figures struct {
	sessions, needing, named int // sessions; those that need a record; those whose index names one of them
	records, found, possible int // of the sessions: needed records; those named; those that as many lines could have named
	lines, inForce           int // records that the indexes of the needing sessions name; records in force at the last session
	tokens                   []int
	took                     []time.Duration
}

// Run replays the sessions of clones, or with -commits their last commits, and prints the figures. The error says that the bar is
// missed.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	defer must.Caught(&err)
	flags := flag.NewFlagSet("sdd-eval start", flag.ContinueOnError)
	flags.SetOutput(stderr)
	verbose := flags.Bool("v", false, "print each session that needs records, and its index when that names none")
	commits := flags.Int("commits", 0, "replay so many of the last commits: each stands for a session that edits its files")
	must.Check(flags.Parse(args))
	if flags.NArg() == 0 {
		return errors.New("give clones of repositories with .specstory/history, or -commits N")
	}
	detail := io.Discard
	if *verbose {
		detail = stdout
	}
	fmt.Fprint(stdout, "| repository | sessions | need a record | index names one | needed records named | possible | "+
		"records in force, lines | tokens, median and most | ms, median and most |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	var all figures
	for _, dir := range flags.Args() {
		one := replay(ctx, dir, *commits, detail)
		one.print(stdout, dir)
		all.add(one)
	}
	all.print(stdout, "all")
	if 100*all.named < mustName*all.needing || slices.Max(append(all.tokens, 0)) > mostTokens {
		return errors.New("the bar is missed")
	}
	return nil
}

func (f *figures) add(o figures) {
	f.sessions, f.needing, f.named = f.sessions+o.sessions, f.needing+o.needing, f.named+o.named
	f.records, f.found, f.possible = f.records+o.records, f.found+o.found, f.possible+o.possible
	f.lines, f.inForce = f.lines+o.lines, f.inForce+o.inForce
	f.tokens, f.took = append(f.tokens, o.tokens...), append(f.took, o.took...)
}

func (f *figures) print(to io.Writer, name string) {
	share := func(n, of int) string { return fmt.Sprintf("%d (%.0f %%)", n, 100*float64(n)/float64(max(1, of))) }
	size, took := slices.Sorted(slices.Values(append(f.tokens, 0))), slices.Sorted(slices.Values(append(f.took, 0)))
	n := len(size)
	fmt.Fprintf(to, "| %s | %d | %d | %s | %s of %d | %s | %d, %d | %d, %d | %d, %d |\n", name, f.sessions, f.needing,
		share(f.named, f.needing), share(f.found, f.records), f.records, share(f.possible, f.records), f.inForce,
		f.lines/max(1, f.needing), size[n/2], size[n-1], took[n/2].Milliseconds(), took[n-1].Milliseconds())
}

// replay runs the sessions of one clone in their order.
func replay(ctx context.Context, dir string, commits int, detail io.Writer) (f figures) {
	h := historyOf(ctx, dir)
	defer os.RemoveAll(filepath.Dir(h.Dir))
	var sessions []session
	if commits > 0 {
		sessions = h.commits(ctx, commits)
	} else {
		sessions = h.recorded(ctx)
	}
	captured := map[int]bool{}
	last := "" // the commit of the session before
	for n, s := range sessions {
		must.Check(h.checkout(ctx, s))
		program.On(h.Dir, index.OpenOnce, func(w *app.App) {
			if last == "" {
				must.Get(w.Inbox.Extract(ctx, "", candidate.Range{All: true}, by))
			} else if last != s.base {
				must.Get(w.Inbox.Extract(ctx, last+".."+s.base, candidate.Range{}, by))
			}
			last = s.base
			for i, old := range sessions[:n] {
				if old.text != "" && !captured[i] && !old.end.After(s.start) {
					captured[i] = true
					h.capture(ctx, w, old)
				}
			}
			must.Get(w.Inbox.ApproveAll(ctx, 0, by))
		})
		program.On(h.Dir, index.OpenOnce, func(w *app.App) { h.start(ctx, w, s, &f, detail) })
	}
	return f
}

// capture puts what a session leaves behind into the inbox.
func (h *history) capture(ctx context.Context, w *app.App, s session) {
	file := filepath.Join(filepath.Dir(h.Dir), filepath.Base(s.name))
	must.Check(os.WriteFile(file, []byte(s.text), 0o600))
	must.Get(w.CaptureTranscript(ctx, file, transcript.SpecStory, app.Capture{Tool: by.Tool}))
}

// start writes the index for a session and compares it with the records that the session needs: those in force that name a file
// that it reads or edits.
func (h *history) start(ctx context.Context, w *app.App, s session, f *figures, detail io.Writer) {
	begin := time.Now()
	text := must.Get(w.StartIndex(ctx))
	f.sessions++
	f.took, f.tokens = append(f.took, time.Since(begin)), append(f.tokens, tokens.Count(text))
	files := h.files(ctx, s)
	gone := func(e index.Entry) bool { return record.Gone(e.Status) || e.Kind == record.Candidate }
	missing := func(e index.Entry) bool {
		return !strings.Contains(text, "["+e.ID+"]") && !strings.Contains(text, "["+record.ShortID(e.ID)+"]")
	}
	all := slices.DeleteFunc(w.Index.Entries(record.Fact, record.Decision, record.Idea), gone)
	f.inForce = len(all)
	var needed []index.Entry
	if len(files) > 0 {
		needed = slices.DeleteFunc(w.Index.Anchored(files...), gone)
	}
	if len(needed) == 0 {
		return
	}
	missed := slices.DeleteFunc(slices.Clone(needed), func(e index.Entry) bool { return !missing(e) })
	lines := len(slices.DeleteFunc(all, missing))
	found := len(needed) - len(missed)
	f.needing, f.records, f.found = f.needing+1, f.records+len(needed), f.found+found
	f.lines, f.possible = f.lines+lines, f.possible+min(lines, len(needed))
	fmt.Fprintf(detail, "%s: %d of %d named; %d files: %s\n", s.name, found, len(needed), len(files), strings.Join(files, " "))
	if found > 0 {
		f.named++
		return
	}
	for _, e := range missed {
		fmt.Fprintf(detail, "  missed %s %s: %s\n", e.Anchors[0].Path, e.ID, e.Title)
	}
	fmt.Fprintf(detail, "%s\n", text)
}
