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
	"sdd/internal/index"
	"sdd/internal/record"
	"sdd/internal/store"
	"sdd/internal/tokens"
	"sdd/internal/transcript"
)

const (
	mostTokens = 800
	mustName   = 85 // per cent of the sessions that need a record
)

// figures are the results of one repository, or of all.
type figures struct {
	sessions, needing, named int // sessions; those that need a record; those whose index names one of them
	records, found           int // records that were needed, a session and a record counting once; those named
	possible                 int // of records: the most that an index of as many lines could have named
	lines                    int // records that the indexes of the needing sessions name
	inForce                  int // records in force at the last session
	tokens                   []int
	took                     []time.Duration
}

// Run replays the sessions of clones, or with -commits their last commits, and prints the figures. The error says that the bar is
// missed.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("sdd-eval start", flag.ContinueOnError)
	flags.SetOutput(stderr)
	verbose := flags.Bool("v", false, "print each session that needs records, and its index when none is named")
	commits := flags.Int("commits", 0, "replay so many of the last commits: each stands for a session that edits its files")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return errors.New("give clones of repositories with .specstory/history, or -commits N")
	}
	detail := io.Discard
	if *verbose {
		detail = stdout
	}
	fmt.Fprint(stdout, "| repository | sessions | need a record | index names one | needed records named | possible | records in force, lines | "+
		"tokens, median and most | ms, median and most |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	var all figures
	for _, dir := range flags.Args() {
		one, err := replay(ctx, dir, *commits, detail)
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		one.print(stdout, nameOf(dir))
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
	slices.Sort(f.tokens)
	slices.Sort(f.took)
	share := func(n, of int) string { return fmt.Sprintf("%d (%.0f %%)", n, 100*float64(n)/float64(max(1, of))) }
	n := len(f.tokens)
	if n == 0 {
		f.tokens, f.took, n = []int{0}, []time.Duration{0}, 1
	}
	fmt.Fprintf(to, "| %s | %d | %d | %s | %s of %d | %s | %d, %.0f | %d, %d | %d, %d |\n", name, f.sessions, f.needing,
		share(f.named, f.needing), share(f.found, f.records), f.records, share(f.possible, f.records), f.inForce,
		float64(f.lines)/float64(max(1, f.needing)), f.tokens[n/2], f.tokens[n-1],
		f.took[n/2].Milliseconds(), f.took[n-1].Milliseconds())
}

// replay runs the sessions of one clone in their order.
func replay(ctx context.Context, dir string, commits int, detail io.Writer) (f figures, err error) {
	h, err := clone(ctx, dir)
	if err != nil {
		return f, err
	}
	defer os.RemoveAll(filepath.Dir(h.dir))
	sessions, err := h.recorded(ctx)
	if commits > 0 {
		sessions, err = h.commits(ctx, commits)
	}
	if err != nil {
		return f, err
	}
	ended := map[int]bool{} // sessions that are captured
	last := ""              // the commit of the session before
	for n, s := range sessions {
		base, err := h.before(ctx, s)
		if base == "" || err != nil {
			continue // the session is older than the history
		}
		if err := h.checkout(ctx, base, s.branch); err != nil {
			return f, err
		}
		w, done, err := open(h.dir)
		if err != nil {
			return f, err
		}
		if last != base {
			all := candidate.Range{All: last == ""}
			spec := ""
			if !all.All {
				spec = last + ".." + base
			}
			_, err = w.Inbox.Extract(ctx, spec, all, candidate.By{Tool: "sdd-eval"})
			last = base
		}
		for i := range n {
			if old := sessions[i]; err == nil && old.text != "" && !ended[i] && !old.end.After(s.start) {
				ended[i] = true
				err = h.capture(ctx, w, old)
			}
		}
		if err == nil {
			_, err = w.Inbox.ApproveAll(ctx, 0, candidate.By{Tool: "sdd-eval"})
		}
		done()
		if err == nil {
			err = h.start(ctx, s, &f, detail)
		}
		if err != nil {
			return f, err
		}
	}
	return f, nil
}

// open returns the use cases of a folder's store.
func open(dir string) (*app.App, func(), error) {
	st, err := store.Open(store.Options{Dir: dir, Tool: "sdd-eval"})
	if err != nil {
		return nil, nil, err
	}
	ix := index.OpenOnce(st)
	w := app.New(st, ix, app.Options{})
	return w, func() { w.Close(); ix.Close(); st.Close() }, nil
}

// capture puts what a session leaves behind into the inbox.
func (h *history) capture(ctx context.Context, w *app.App, s session) error {
	file := filepath.Join(filepath.Dir(h.dir), filepath.Base(s.name))
	if err := os.WriteFile(file, []byte(s.text), 0o600); err != nil {
		return err
	}
	_, err := w.CaptureTranscript(ctx, file, transcript.SpecStory, app.Capture{Tool: "sdd-eval"})
	return err
}

// start writes the index for a session as the hook does, in an opened store, and compares it with what the session needs.
func (h *history) start(ctx context.Context, s session, f *figures, detail io.Writer) error {
	w, done, err := open(h.dir)
	if err != nil {
		return err
	}
	defer done()
	begin := time.Now()
	text, err := w.StartIndex(ctx)
	if err != nil {
		return err
	}
	f.sessions++
	f.took, f.tokens = append(f.took, time.Since(begin)), append(f.tokens, tokens.Count(text))
	inForce := func(list []index.Entry) []index.Entry {
		return slices.DeleteFunc(list, func(e index.Entry) bool { return e.Kind == record.Candidate || record.Gone(e.Status) })
	}
	all := inForce(slices.Concat(w.Index.Entries(record.Fact), w.Index.Entries(record.Decision), w.Index.Entries(record.Idea)))
	f.inForce = len(all)
	files := h.files(ctx, s)
	if len(files) == 0 {
		return nil
	}
	needed := inForce(w.Index.Anchored(files...))
	if len(needed) == 0 {
		return nil
	}
	f.needing++
	f.records += len(needed)
	lines := 0
	for _, e := range all {
		if names(text, e) {
			lines++
		}
	}
	f.lines += lines
	f.possible += min(lines, len(needed))
	missed := slices.DeleteFunc(slices.Clone(needed), func(e index.Entry) bool { return names(text, e) })
	found := len(needed) - len(missed)
	f.found += found
	fmt.Fprintf(detail, "%s: %d of %d named; %d files: %s\n", s.name, found, len(needed), len(files), strings.Join(files, " "))
	if found > 0 {
		f.named++
		return nil
	}
	for _, e := range missed {
		fmt.Fprintf(detail, "  missed %s %s: %s\n", e.Anchors[0].Path, e.ID, e.Title)
	}
	fmt.Fprintf(detail, "%s\n", text)
	return nil
}

// names reports whether a text names a record.
func names(text string, e index.Entry) bool {
	return strings.Contains(text, "["+e.ID+"]") || strings.Contains(text, "["+record.ShortID(e.ID)+"]")
}
