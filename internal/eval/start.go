package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"sdd/internal/app"
	"sdd/internal/candidate"
	"sdd/internal/index"
	kind "sdd/internal/record"
	"sdd/internal/tokens"
	"sdd/internal/transcript"
)

// The measure start replays recorded sessions: does the index of the start name the records of files that they used afterwards?

const (
	mostTokens = 800
	mustName   = 85 // per cent of the sessions that need a record
)

var by = candidate.By{Tool: "sdd-eval"}

type starts struct {
	sessions, needing, named int // sessions; those that need a record; those whose index names one of them
	records, found, possible int // of the sessions: needed records; those named; those that as many lines could have named
	tokens                   []int
}

func measureStart(c *call) func() error {
	verbose := c.flags.Bool("v", false, "print each session that needs records, and its index when that names none")
	commits := c.flags.Int("commits", 0, "replay so many of the last commits: each stands for a session that edits its files")
	return func() error {
		if c.flags.NArg() == 0 {
			return errors.New("give clones of repositories with .specstory/history, or -commits N")
		}
		detail := io.Discard
		if *verbose {
			detail = c.out
		}
		var all starts
		var rows [][]any
		for _, dir := range c.flags.Args() {
			one := replaySessions(c.ctx, dir, *commits, detail)
			rows = append(rows, one.cells(dir))
			all.add(one)
		}
		err := table(c.out, "repository|sessions|need a record|index names one|needed records named|possible|"+
			"tokens, median and most", append(rows, all.cells("all")))
		if 100*all.named < mustName*all.needing || slices.Max(append(all.tokens, 0)) > mostTokens {
			err = errors.Join(err, errors.New("the bar is missed"))
		}
		return err
	}
}

func (f *starts) add(o starts) {
	f.sessions, f.needing, f.named = f.sessions+o.sessions, f.needing+o.needing, f.named+o.named
	f.records, f.found, f.possible = f.records+o.records, f.found+o.found, f.possible+o.possible
	f.tokens = append(f.tokens, o.tokens...)
}

func (f *starts) cells(name string) []any {
	share := func(n, of int) string { return fmt.Sprintf("%d (%.0f %%)", n, 100*float64(n)/float64(max(1, of))) }
	size := slices.Sorted(slices.Values(append(f.tokens, 0)))
	n := len(size)
	return []any{name, f.sessions, f.needing, share(f.named, f.needing), fmt.Sprint(share(f.found, f.records), " of ", f.records),
		share(f.possible, f.records), fmt.Sprintf("%v, %v", size[n/2], size[n-1])}
}

func replaySessions(ctx context.Context, dir string, commits int, detail io.Writer) (f starts) {
	h := cloneOf(ctx, dir)
	defer os.RemoveAll(filepath.Dir(h.dir))
	sessions := h.recorded
	if commits > 0 {
		sessions = func() []session { return h.commits(commits) }
	}
	list := sessions()
	captured := map[int]bool{}
	last := "" // the commit of the session before
	for n, s := range list {
		h.checkout(s)
		openApp(h.dir, index.OpenOnce, func(w *app.App) {
			if last == "" {
				get(w.Inbox.Extract(ctx, "", candidate.Range{All: true}, by))
			} else if last != s.base {
				get(w.Inbox.Extract(ctx, last+".."+s.base, candidate.Range{}, by))
			}
			last = s.base
			for i, old := range list[:n] {
				if old.text != "" && !captured[i] && !old.end.After(s.start) {
					captured[i] = true
					file := filepath.Join(filepath.Dir(h.dir), filepath.Base(old.name))
					writeFile(file, old.text)
					get(w.CaptureTranscript(ctx, file, transcript.SpecStory, app.Capture{Tool: by.Tool}))
				}
			}
			get(w.Inbox.ApproveAll(ctx, 0, by))
		})
		openApp(h.dir, index.OpenOnce, func(w *app.App) { h.start(w, s, &f, detail) })
	}
	return f
}

// start compares the index of a session with the records in force that name a file that it reads or edits.
func (h *clone) start(w *app.App, s session, f *starts, detail io.Writer) {
	text := get(w.StartIndex(h.ctx))
	f.sessions++
	f.tokens = append(f.tokens, tokens.Count(text))
	files := h.files(s)
	gone := func(e index.Entry) bool { return kind.Gone(e.Status) || e.Kind == kind.Candidate }
	missing := func(e index.Entry) bool {
		return !strings.Contains(text, "["+e.ID+"]") && !strings.Contains(text, "["+kind.ShortID(e.ID)+"]")
	}
	var needed []index.Entry
	if len(files) > 0 {
		needed = slices.DeleteFunc(w.Index.Anchored(files...), gone)
	}
	if len(needed) == 0 {
		return
	}
	missed := slices.DeleteFunc(slices.Clone(needed), func(e index.Entry) bool { return !missing(e) })
	all := slices.DeleteFunc(w.Index.Entries(kind.Fact, kind.Decision, kind.Idea), gone)
	lines := len(slices.DeleteFunc(all, missing))
	found := len(needed) - len(missed)
	f.needing, f.records, f.found = f.needing+1, f.records+len(needed), f.found+found
	f.possible += min(lines, len(needed))
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

// clone is a clone of a repository in a temporary folder, whose work tree follows the sessions.
type clone struct {
	ctx context.Context
	dir string
	tip string // the newest commit
}

// session is a recorded session, or a commit that stands for one.
type session struct {
	name       string // of the transcript or commit
	text       string // of the transcript, "" for a commit
	start, end time.Time
	base       string // the commit before it
	branch     string // of a merge
}

func cloneOf(ctx context.Context, dir string) *clone {
	h := &clone{ctx: ctx, dir: filepath.Join(get(os.MkdirTemp("", "sdd-eval-start-")), "work")}
	get(runGit(ctx, ".", "clone", "-q", "--shared", "--no-checkout", get(filepath.Abs(dir)), h.dir))
	h.tip = h.git("rev-parse", "HEAD")
	h.git("remote", "remove", "origin") // which would show the future
	check(os.MkdirAll(filepath.Join(h.dir, ".sdd"), 0o755))
	writeFile(filepath.Join(h.dir, ".git/info/exclude"), ".sdd\n")
	return h
}

func (h *clone) git(args ...string) string { return get(runGit(h.ctx, h.dir, args...)) }

var (
	fileStamp = regexp.MustCompile(`^(\d{4}-\d\d-\d\d_\d\d-\d\d)(-\d\d)?Z?-?`)
	merged    = regexp.MustCompile(`Merge (?:branch '|pull request #\d+ from [^/\s]+/)([\w./-]+)`)
	drive     = regexp.MustCompile(`^/?[A-Za-z](?::|%3A)/`)
	// touching matches a path that an agent reads or edits, as clients' transcripts have it.
	touching = regexp.MustCompile("(?m)(?:(?:Read|Edit|Write|Create|Delete) file: |Apply patch for |^The file |" +
		"File created successfully at: |\\]\\(file://|\"?file_?[pP]ath\"?: [`\"]|\\*\\*(?:Read|Edit|MultiEdit|Write)\\*\\*(?:</summary>)?\\s+`)" +
		"([^`\"\n<>|]+?)(?:[`\"<)#\n]| has been updated|$)")
)

// recorded lists the transcripts that any commit has by their time; of several files of one session the longest counts.
func (h *clone) recorded() []session {
	log := h.git("log", "-z", "--no-renames", "--diff-filter=AM", "--format=%x01%H", "--name-only", h.tip, "--",
		":(glob)**/.specstory/history/*.md")
	commit, seen, longest := "", map[string]bool{}, map[string]session{}
	for item := range strings.FieldsFuncSeq(log, func(r rune) bool { return r == 0 || r == '\n' }) {
		if id, ok := strings.CutPrefix(item, "\x01"); ok {
			commit = id
			continue
		}
		m := fileStamp.FindStringSubmatch(path.Base(item))
		if m == nil || seen[item] {
			continue
		}
		seen[item] = true
		s := session{name: item, start: get(time.Parse("2006-01-02_15-04-05", m[1]+cmp.Or(m[2], "-00")))}
		s.text = h.git("show", commit+":"+item)
		key := m[1] + m[2]
		if m[2] == "" {
			key += strings.TrimPrefix(path.Base(item), m[0])
		}
		if len(s.text) > len(longest[key].text) {
			longest[key] = s
		}
	}
	list := slices.SortedFunc(maps.Values(longest), func(a, b session) int {
		return cmp.Or(a.start.Compare(b.start), strings.Compare(a.name, b.name))
	})
	for i := range list {
		s := &list[i]
		s.end = s.start
		check(transcript.Read(strings.NewReader(s.text), transcript.SpecStory, func(m transcript.Message) error {
			if m.Time.After(s.end) {
				s.end = m.Time
			}
			return nil
		}))
		s.base = h.git("rev-list", "-1", "--before="+fmt.Sprint(s.start.Unix()), h.tip)
	}
	return slices.DeleteFunc(list, func(s session) bool { return s.base == "" })
}

// commits lists the last commits as sessions that edit their files, the oldest first. A merge stands for the work on its branch.
func (h *clone) commits(n int) (list []session) {
	for line := range strings.Lines(h.git("log", "--first-parent", "--max-count="+fmt.Sprint(n), "--min-parents=1", "--format=%H %s", h.tip)) {
		id, subject, _ := strings.Cut(line, " ")
		s := session{name: id, base: id + "^1"}
		if m := merged.FindStringSubmatch(subject); m != nil {
			s.branch = m[1]
		}
		list = append(list, s)
	}
	slices.Reverse(list)
	return list
}

// checkout puts a commit into the work tree, on a branch. Files that a partial clone lacks stay out of it.
func (h *clone) checkout(s session) {
	h.git("symbolic-ref", "HEAD", "refs/heads/"+cmp.Or(s.branch, "main"))
	h.git("update-ref", "HEAD", s.base)
	h.git("read-tree", s.base)
	_, _ = runGit(h.ctx, h.dir, "checkout-index", "--all", "--force", "--quiet")
	h.git("clean", "-fdq")
}

func (h *clone) files(s session) []string {
	used, tracked := map[string]bool{}, strings.Split(h.git("ls-files"), "\n")
	if s.text == "" {
		for f := range strings.SplitSeq(h.git("diff", "--name-only", "--no-renames", s.base, s.name), "\n") {
			used[f] = slices.Contains(tracked, f)
		}
	}
	for _, m := range touching.FindAllStringSubmatch(s.text, -1) {
		name := path.Clean(strings.ReplaceAll(strings.TrimSpace(m[1]), `\`, "/"))
		file := within(tracked, drive.ReplaceAllString(name, "/"))
		used[file] = file != ""
	}
	maps.DeleteFunc(used, func(_ string, is bool) bool { return !is })
	return slices.Sorted(maps.Keys(used))
}

// within returns the tracked file that another machine's path names: by the longest tracked end, or the only file with a relative end.
func within(tracked []string, name string) string {
	if rest, abs := strings.CutPrefix(name, "/"); abs {
		for strings.Contains(rest, "/") && !slices.Contains(tracked, rest) {
			_, rest, _ = strings.Cut(rest, "/")
		}
		if strings.Contains(rest, "/") {
			return rest
		}
	}
	ends := slices.DeleteFunc(slices.Clone(tracked), func(f string) bool { return !strings.HasSuffix("/"+f, "/"+name) })
	if slices.Contains(ends, name) || len(ends) == 1 {
		return slices.MinFunc(ends, func(a, b string) int { return len(a) - len(b) })
	}
	return ""
}
