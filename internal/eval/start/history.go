package start

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// history is a clone of a repository in a temporary folder, whose work tree follows the sessions.
type history struct {
	dir string
	tip string // the newest commit

	absent []string // patterns of files that the clone lacks
}

// session is a recorded session, or a commit that stands for one.
type session struct {
	name       string // of the transcript
	text       string // of the transcript, "" for a commit
	start, end time.Time
	commit     string // the commit that stands for the session
	branch     string // the name of its branch where the history has it
}

func nameOf(dir string) string {
	name := filepath.Base(strings.TrimSuffix(filepath.Clean(dir), "/.git"))
	if name == "repo" {
		name = filepath.Base(filepath.Dir(filepath.Clean(dir)))
	}
	return name
}

func clone(ctx context.Context, dir string) (*history, error) {
	top, err := os.MkdirTemp("", "sdd-eval-start-")
	if err != nil {
		return nil, err
	}
	h := &history{dir: filepath.Join(top, "work")}
	if dir, err = filepath.Abs(dir); err == nil {
		err = exec.CommandContext(ctx, "git", "clone", "-q", "--shared", "--no-checkout", dir, h.dir).Run()
	}
	if err == nil {
		h.tip, err = h.git(ctx, "rev-parse", "HEAD")
	}
	if err == nil {
		_, err = h.git(ctx, "remote", "remove", "origin")
	}
	for _, folder := range []string{".sdd", ".git/info"} {
		err = errors.Join(err, os.MkdirAll(filepath.Join(h.dir, folder), 0o755))
	}
	return h, errors.Join(err, os.WriteFile(filepath.Join(h.dir, ".git/info/exclude"), []byte(".sdd\n"), 0o644))
}

func (h *history) git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", h.dir, "-c", "core.quotePath=false", "-c", "advice.detachedHead=false"}, args...)...)
	var problem bytes.Buffer
	cmd.Stderr = &problem
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("git %s: %w: %s", args[0], err, problem.String())
	}
	return strings.TrimSpace(string(out)), err
}

var (
	fileStamp = regexp.MustCompile(`^(\d{4}-\d\d-\d\d)_(\d\d)-(\d\d)(?:-(\d\d))?Z?-?`)
	anyStamp  = regexp.MustCompile(`(?m)^_\*\*.*?(\d{4}-\d\d-\d\d)[T ](\d\d):(\d\d)(?::(\d\d))?Z?\)\*\*_`)
)

// stampOf reads the time that a match has, in UTC.
func stampOf(m []string) time.Time {
	if m == nil {
		return time.Time{}
	}
	second := m[4]
	if second == "" {
		second = "00"
	}
	t, _ := time.Parse("2006-01-02 15:04:05", m[1]+" "+m[2]+":"+m[3]+":"+second)
	return t
}

// recorded lists the transcripts that any commit has, each in its last version, by their time. Of several files of one session, by
// its second or by its minute and title, the longest counts.
func (h *history) recorded(ctx context.Context) (list []session, err error) {
	log, err := h.git(ctx, "log", "-z", "--no-renames", "--diff-filter=AM", "--format=%x01%H", "--name-only", h.tip, "--", ":(glob)**/.specstory/history/*.md")
	if err != nil {
		return nil, err
	}
	commit, seen, byKey := "", map[string]bool{}, map[string]session{}
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
		key := strings.Join(m[1:], "")
		if m[4] == "" {
			key += strings.TrimPrefix(path.Base(item), m[0])
		}
		text, err := h.git(ctx, "show", commit+":"+item)
		if err != nil {
			return nil, err
		}
		s := session{name: item, text: text, start: stampOf(m)}
		s.end = s.start
		for _, m := range anyStamp.FindAllStringSubmatch(text, -1) {
			if t := stampOf(m); t.After(s.end) {
				s.end = t
			}
		}
		if len(text) > len(byKey[key].text) {
			byKey[key] = s
		}
	}
	return slices.SortedFunc(maps.Values(byKey), func(a, b session) int {
		return cmp.Or(a.start.Compare(b.start), strings.Compare(a.name, b.name))
	}), nil
}

// before returns the last commit before a session, "" without one.
func (h *history) before(ctx context.Context, s session) (string, error) {
	if s.commit != "" {
		return h.git(ctx, "rev-parse", "--verify", s.commit+"^1")
	}
	return h.git(ctx, "rev-list", "-1", "--before="+fmt.Sprint(s.start.Unix()), h.tip)
}

// unread matches the report of a file that is too large for the clone to have it.
var unread = regexp.MustCompile(`unable to read sha1 file of (.+) \([0-9a-f]+\)`)

// checkout puts a commit into the work tree, on a branch, but for the files that the clone lacks.
func (h *history) checkout(ctx context.Context, commit, branch string) error {
	if branch == "" {
		branch = "main"
	}
	_, err := h.git(ctx, "checkout", "-q", "--force", "-B", branch, commit)
	if err == nil || !unread.MatchString(err.Error()) {
		return err
	}
	h.absent = append(h.absent, "!/"+unread.FindStringSubmatch(err.Error())[1])
	if _, err := h.git(ctx, append([]string{"sparse-checkout", "set", "--no-cone", "/*"}, h.absent...)...); err != nil && !unread.MatchString(err.Error()) {
		return err
	}
	return h.checkout(ctx, commit, branch)
}

var (
	// touching matches the words before a path that an agent reads or edits, as clients' transcripts have them.
	touching = regexp.MustCompile("(?:(?:Read|Edit|Write|Create|Delete) file: |Apply patch for |^The file |File created successfully at: |" +
		"\\]\\(file://|\"?file_?[pP]ath\"?: [`\"]|\\*\\*(?:Read|Edit|MultiEdit|Write)\\*\\*(?:</summary>)?\\s+`)" +
		"([^`\"\n<>|]+?)(?:[`\"<)#\n]| has been updated|$)")
	drive = regexp.MustCompile(`^/?[A-Za-z](?::|%3A)/`)
	tool  = regexp.MustCompile(`^(?:<summary>)?Tool use: \*\*(?:Read|Edit|MultiEdit|Write)\*\*(?:</summary>)?\s*$`)
)

// files lists the files of the work tree that a session reads or edits, by name.
func (h *history) files(ctx context.Context, s session) (list []string) {
	out, _ := h.git(ctx, "ls-files")
	tracked := strings.Split(out, "\n")
	if s.commit != "" {
		out, _ := h.git(ctx, "diff", "--name-only", "--no-renames", s.commit+"^1", s.commit)
		edited := strings.Split(out, "\n")
		return slices.DeleteFunc(tracked, func(f string) bool { return !slices.Contains(edited, f) })
	}
	used := map[string]bool{}
	pending := "" // a line with the tool's name, whose path is in the next one
	for line := range strings.Lines(s.text) {
		line = pending + line
		if pending = ""; tool.MatchString(line) {
			pending = strings.TrimSpace(line) + " "
			continue
		}
		for _, m := range touching.FindAllStringSubmatch(line, -1) {
			if !strings.HasPrefix(line, "|") {
				used[drive.ReplaceAllString(path.Clean(strings.ReplaceAll(strings.TrimSpace(m[1]), `\`, "/")), "/")] = true
			}
		}
	}
	for name := range used {
		if file := within(tracked, name); file != "" && !slices.Contains(list, file) {
			list = append(list, file)
		}
	}
	slices.Sort(list)
	return list
}

// within returns the tracked file that a path of another machine names: the longest end of an absolute path that is a tracked
// file with a folder, or the only file that a relative path is the end of; "" without one.
func within(tracked []string, name string) string {
	for rest := strings.TrimPrefix(name, "/"); ; {
		if slices.Contains(tracked, rest) && (!path.IsAbs(name) || strings.Contains(rest, "/")) {
			return rest
		}
		_, after, ok := strings.Cut(rest, "/")
		if !ok || !path.IsAbs(name) {
			break
		}
		rest = after
	}
	var found []string
	for _, f := range tracked {
		if strings.HasSuffix(f, "/"+name) {
			found = append(found, f)
		}
	}
	if len(found) == 1 {
		return found[0]
	}
	return ""
}

// commits lists the last commits that change files, the oldest first. Their subjects are not shown to the index; a merge stands for
// the work on its branch, by that name.
func (h *history) commits(ctx context.Context, n int) (list []session, err error) {
	out, err := h.git(ctx, "log", "--first-parent", "--max-count="+fmt.Sprint(n), "--min-parents=1", "--format=%H %ct %s", h.tip)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(out) {
		var s session
		var at int64
		if _, err := fmt.Sscan(line, &s.commit, &at); err != nil {
			return nil, err
		}
		s.name, s.start = s.commit, time.Unix(at, 0)
		if m := merged.FindStringSubmatch(line); m != nil {
			s.branch = m[1]
		}
		list = append(list, s)
	}
	slices.Reverse(list)
	return list, nil
}

// merged matches the subject of a merge: git's own, and that of a pull request.
var merged = regexp.MustCompile(`Merge (?:branch '|pull request #\d+ from [^/\s]+/)([\w./-]+)`)
