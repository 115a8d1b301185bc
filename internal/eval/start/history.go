package start

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"sdd/internal/eval/clone"
	"sdd/internal/eval/must"
	"sdd/internal/transcript"
)

// history is a clone of a repository in a temporary folder, whose work tree follows the sessions.
type history struct {
	*clone.Clone
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

func historyOf(ctx context.Context, dir string) *history {
	top := must.Get(os.MkdirTemp("", "sdd-eval-start-"))
	h := &history{Clone: must.Get(clone.Of(ctx, dir, filepath.Join(top, "work")))}
	h.tip = h.git(ctx, "rev-parse", "HEAD")
	h.git(ctx, "remote", "remove", "origin") // which would show the future
	for _, folder := range []string{".sdd", ".git/info"} {
		must.Check(os.MkdirAll(filepath.Join(h.Dir, folder), 0o755))
	}
	must.Check(os.WriteFile(filepath.Join(h.Dir, ".git/info/exclude"), []byte(".sdd\n"), 0o644))
	return h
}

func (h *history) git(ctx context.Context, args ...string) string {
	return must.Get(h.Git(ctx, args...))
}

var (
	fileStamp = regexp.MustCompile(`^(\d{4}-\d\d-\d\d_\d\d-\d\d)(-\d\d)?Z?-?`)
	merged    = regexp.MustCompile(`Merge (?:branch '|pull request #\d+ from [^/\s]+/)([\w./-]+)`)
	drive     = regexp.MustCompile(`^/?[A-Za-z](?::|%3A)/`)
	// touching matches a path that an agent reads or edits, as clients' transcripts have it.
	touching = regexp.MustCompile("(?m)(?:(?:Read|Edit|Write|Create|Delete) file: |Apply patch for |^The file |" +
		"File created successfully at: |\\]\\(file://|\"?file_?[pP]ath\"?: [`\"]|\\*\\*(?:Read|Edit|MultiEdit|Write)\\*\\*(?:</summary>)?\\s+`)" +
		"([^`\"\n<>|]+?)(?:[`\"<)#\n]| has been updated|$)")
)

// recorded lists the transcripts that any commit has, each in its last version, by their time; those from before the first commit
// are left out. Of several files of one session, by its second or by its minute and title, the longest counts.
func (h *history) recorded(ctx context.Context) []session {
	log := h.git(ctx, "log", "-z", "--no-renames", "--diff-filter=AM", "--format=%x01%H", "--name-only", h.tip, "--",
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
		s := session{name: item, start: must.Get(time.Parse("2006-01-02_15-04-05", m[1]+cmp.Or(m[2], "-00")))}
		s.text = h.git(ctx, "show", commit+":"+item)
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
		must.Check(transcript.Read(strings.NewReader(s.text), transcript.SpecStory, func(m transcript.Message) error {
			if m.Time.After(s.end) {
				s.end = m.Time
			}
			return nil
		}))
		s.base = h.git(ctx, "rev-list", "-1", "--before="+fmt.Sprint(s.start.Unix()), h.tip)
	}
	return slices.DeleteFunc(list, func(s session) bool { return s.base == "" })
}

// commits lists the last commits as sessions that edit their files, the oldest first. A merge stands for the work on its branch.
func (h *history) commits(ctx context.Context, n int) (list []session) {
	out := h.git(ctx, "log", "--first-parent", "--max-count="+fmt.Sprint(n), "--min-parents=1", "--format=%H %s", h.tip)
	for line := range strings.Lines(out) {
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

// checkout puts a commit into the work tree, on a branch, without the files that the clone lacks.
func (h *history) checkout(ctx context.Context, s session) error {
	return h.Checkout(ctx, "-B", cmp.Or(s.branch, "main"), s.base)
}

// files lists the files of the work tree that a session reads or edits, by name.
func (h *history) files(ctx context.Context, s session) []string {
	out := h.git(ctx, "ls-files")
	used, tracked := map[string]bool{}, strings.Split(out, "\n")
	if s.text == "" {
		out = h.git(ctx, "diff", "--name-only", "--no-renames", s.base, s.name)
		for f := range strings.SplitSeq(out, "\n") {
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

// within returns the tracked file that a path of another machine names: the longest end of an absolute path that is a tracked
// file with a folder, or the only file that a relative path is the end of; "" without one.
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
