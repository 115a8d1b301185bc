package eval

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sdd/internal/codesearch"
)

// The measure code shows which files code search puts first, and how many lines of a known commit an answer shows. Projects are in two
// halves by the hash of their names: authors of a ranking look at the failures of the tuned half only.

type task struct {
	Repo  string   `json:"repo"` // the project's name
	Dir   string   `json:"dir"`  // its git directory
	Rev   string   `json:"rev"`  // the commit to search at
	Fix   string   `json:"fix"`  // the commit of the answer
	SHA   string   `json:"sha"`  // instead of rev and fix: a commit whose parent is searched
	Text  string   `json:"q"`
	Files []string `json:"files"`
	Main  []string `json:"rel"`  // instead of files: those that answer it
	Also  []string `json:"sec"`  // and those that help
	Root  string   `json:"root"` // the folder to search

	passing bool // its tree is not kept
}

func (t task) searched() string {
	if t.Rev == "" {
		return t.SHA + "^"
	}
	return t.Rev
}

func (t task) commit() string { return cmp.Or(t.Fix, t.SHA) }

type codeOptions struct {
	dir, only       string
	commits, budget int
	code, verbose   bool
}

const (
	mostFiles   = 10  // of an answer that count
	mostChanged = 5   // files of a commit that is taken from a history
	leastWords  = 4   // of its subject
	leastShown  = .45 // share of the hunks of a history's commits
	everything  = "all"
)

func measureCode(c *call) func() error {
	var o codeOptions
	c.flags.StringVar(&o.dir, "git", "", "git directory of questions that name none")
	c.flags.StringVar(&o.only, "only", "", "only projects whose name contains this, or the half: tuned or untuned")
	c.flags.IntVar(&o.commits, "n", 40, "commits taken from a history")
	c.flags.IntVar(&o.budget, "tokens", 3000, "budget of the answer that should show the hunks")
	c.flags.BoolVar(&o.code, "code", false, "search source code only, and expect the source files only")
	c.flags.BoolVar(&o.verbose, "v", false, "list the failures of the tuned half")
	return func() error {
		if c.flags.NArg() == 0 {
			return errors.New("name a file with questions, or a git directory")
		}
		var rows [][]any
		var below []string
		for _, set := range c.flags.Args() {
			st, err := os.Stat(set)
			history := err == nil && st.IsDir()
			all := readSet
			if history {
				all = func(dir string) []task { return taken(c.ctx, dir, o.commits) }
			}
			name := strings.TrimSuffix(filepath.Base(strings.TrimSuffix(filepath.ToSlash(set), "/repo")), filepath.Ext(set))
			of := o.answer(c, name, all(set))
			for _, project := range slices.Sorted(maps.Keys(of)) {
				rows = append(rows, of[project].cells(name, project))
			}
			if r := of[everything]; r != nil && history && r.shown < leastShown*r.commits {
				below = append(below, fmt.Sprintf("%g of the hunks in %s", leastShown, set))
			}
		}
		return errors.Join(table(c.out, "set|project|questions|all in 1|3|5|10|recall in 10|NDCG@10|hunks shown", rows), missed(below))
	}
}

// ranking has the sums over some questions.
type ranking struct {
	questions    float64
	all          [4]float64 // how often all files are among the first 1, 3, 5 and 10
	recall, ndcg float64

	commits float64 // questions whose commit is known
	shown   float64 // hunks of which the answer has all lines
}

func (r *ranking) cells(set, project string) []any {
	out := []any{set, project, r.questions}
	share := func(v, of float64) string { return fmt.Sprintf("%.3f", v/max(1, of)) }
	for _, v := range []float64{r.all[0], r.all[1], r.all[2], r.all[3], r.recall, r.ndcg} {
		out = append(out, share(v, r.questions))
	}
	return append(out, share(r.shown, r.commits))
}

// add counts an answer: the files in the order in which they come first. It reports whether they could not be better.
func (r *ranking) add(want, got []string) bool {
	r.questions++
	last, found, gain, ideal := 0, 0, 0.0, 0.0
	for i, f := range got[:min(len(got), mostFiles)] {
		if slices.Contains(want, f) {
			last, found, gain = i+1, found+1, gain+1/math.Log2(float64(i)+2)
		}
	}
	for i := range min(len(want), mostFiles) {
		ideal += 1 / math.Log2(float64(i)+2)
	}
	for i, p := range []int{1, 3, 5, mostFiles} {
		if found == len(want) && last <= p {
			r.all[i]++
		}
	}
	r.recall += float64(found) / float64(len(want))
	r.ndcg += gain / ideal
	return gain == ideal
}

// half is the half of the projects to which a project belongs.
func half(project string) string {
	h := fnv.New32a()
	io.WriteString(h, project)
	return []string{"tuned", "untuned"}[h.Sum32()>>3%2]
}

// answer answers the questions of one set, and returns the rankings of each project, each half and the set.
func (o codeOptions) answer(c *call, set string, tasks []task) map[string]*ranking {
	out := map[string]*ranking{}
	for _, t := range tasks {
		t.Dir, t.Repo, t.Files = cmp.Or(t.Dir, o.dir), cmp.Or(t.Repo, set), slices.Concat(t.Files, t.Main, t.Also)
		h := half(t.Repo)
		if o.code {
			t.Files = slices.DeleteFunc(t.Files, func(f string) bool { return !slices.Contains(sources, "*"+filepath.Ext(f)) })
		}
		if !strings.Contains(t.Repo, o.only) && h != o.only || len(t.Files) == 0 {
			continue
		}
		top, err := checkout(c.ctx, t)
		check(c.ctx.Err())
		if err != nil {
			fmt.Fprintf(c.log, "%s: left out: %v\n", t.Repo, err)
			continue
		}
		got := o.files(c.ctx, top, t)
		var hunks []hunk
		var short []codesearch.Snippet
		if t.commit() != "" {
			if hunks = hunksOf(c.ctx, t); len(hunks) > 0 {
				short = shownBy(get(o.ask(c.ctx, top, t, codesearch.Query{MaxTokens: o.budget})).Text())
			}
		}
		best := false
		for _, name := range []string{t.Repo, h, everything} {
			if out[name] == nil {
				out[name] = &ranking{}
			}
			best = out[name].add(t.Files, got)
			out[name].addHunks(hunks, short)
		}
		if o.verbose && h == "tuned" && !best {
			t.print(c.out, got)
		}
		if t.passing {
			os.RemoveAll(top)
		}
	}
	return out
}

// print lists the files of a question with their places in the answer, 0 for none, and the files that came before them.
func (t task) print(w io.Writer, got []string) {
	title, _, _ := strings.Cut(t.Text, "\n")
	fmt.Fprintf(w, "%s %s: %s\n", t.Repo, cmp.Or(t.Rev, t.SHA), title)
	for _, f := range t.Files {
		fmt.Fprintf(w, "  want %2d %s\n", slices.Index(got, f)+1, f)
	}
	for i, f := range got[:min(len(got), 5)] {
		fmt.Fprintf(w, "  got  %2d %s\n", i+1, f)
	}
}

func readSet(file string) (list []task) {
	f := get(os.Open(file))
	defer f.Close()
	for d := json.NewDecoder(f); ; {
		var raw json.RawMessage
		if err := d.Decode(&raw); err == io.EOF {
			return list
		} else if err != nil {
			check(fmt.Errorf("%s: %w", file, err))
		}
		if raw[0] != '[' {
			raw = slices.Concat([]byte("["), raw, []byte("]"))
		}
		var some []task
		if err := json.Unmarshal(raw, &some); err != nil {
			check(fmt.Errorf("%s: %w", file, err))
		}
		list = append(list, some...)
	}
}

var sources = strings.Fields(`*.go *.py *.js *.ts *.jsx *.tsx *.mjs *.c *.h *.cc *.cpp *.hpp *.rs *.java *.kt *.rb *.php *.cs *.swift
	*.scala *.ex *.exs *.lua *.zig *.hs *.sh *.vue *.svelte`)

// files returns the files of an answer in the order in which they come first.
func (o codeOptions) files(ctx context.Context, top string, t task) (files []string) {
	for _, s := range get(o.ask(ctx, top, t, codesearch.Query{Limit: 20, MaxTokens: 100_000})).Snippets {
		if f := path.Join(t.Root, s.Path); !slices.Contains(files, f) {
			files = append(files, f)
		}
	}
	return files
}

func (o codeOptions) ask(ctx context.Context, top string, t task, as codesearch.Query) (codesearch.Result, error) {
	if as.Query = t.Text; o.code {
		as.Paths = sources
	}
	return codesearch.Search(ctx, filepath.Join(top, t.Root), as, codesearch.Strategy{Mode: codesearch.ModeGrep})
}

// checkout returns a folder with the tree of a question, in the user's cache. It stays there for the next run of a set.
func checkout(ctx context.Context, t task) (string, error) {
	rev := t.searched()
	name := strings.NewReplacer("/", "+", "^", "-parent").Replace(t.Repo + "@" + rev)
	top := filepath.Join(get(os.UserCacheDir()), "sdd-eval", "code", name)
	if _, err := os.Stat(top); err == nil {
		return top, nil
	}
	tmp := top + ".tmp"
	check(errors.Join(os.RemoveAll(tmp), os.MkdirAll(tmp, 0o755)))
	index := tmp + ".index"
	defer os.Remove(index)
	git := func(args ...string) error {
		cmd := exec.CommandContext(ctx, "git", append([]string{"-C", t.Dir, "--work-tree=" + tmp}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_INDEX_FILE="+index, "GIT_NO_LAZY_FETCH=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			err = fmt.Errorf("%w: %s", err, out)
		}
		return err
	}
	if err := git("read-tree", rev); err != nil {
		return "", err
	}
	_ = git("checkout-index", "--all", "--quiet") // all files but those that a partial copy lacks
	return top, os.Rename(tmp, top)
}

var (
	pullRequest = regexp.MustCompile(`\s*\(#\d+\)\s*$`)
	sourceFile  = regexp.MustCompile(`\.(go|py|rs|js|jsx|ts|tsx|java|kt|c|h|cc|cpp|hpp|cs|php|rb|swift|scala|ex|exs|lua)$`)
	testFile    = regexp.MustCompile(`(?i)(^|/)(tests?|spec|testdata|__tests__|fixtures|vendor)/|_test\.|[._]spec\.|\.test\.|(^|/)test_` +
		`|Tests?\.`)
)

// taken returns n commits of the history, evenly spread, with one to five source files and a subject of four words or more.
func taken(ctx context.Context, dir string, n int) (out []task) {
	dir = get(filepath.Abs(dir))
	log := get(runGit(ctx, dir, "log", "--no-merges", "--no-renames", "--diff-filter=M", "--name-only", "--format=%x01%H %s"))
	var all []task
	for one := range strings.SplitSeq(log, "\x01") {
		head, names, _ := strings.Cut(one, "\n")
		sha, subject, _ := strings.Cut(head, " ")
		t := task{Dir: dir, SHA: sha, Text: pullRequest.ReplaceAllString(subject, ""), passing: true}
		for f := range strings.FieldsSeq(names) {
			if sourceFile.MatchString(f) && !testFile.MatchString(f) {
				t.Files = append(t.Files, f)
			}
		}
		if len(t.Files) > 0 && len(t.Files) <= mostChanged && len(strings.Fields(t.Text)) >= leastWords {
			all = append(all, t)
		}
	}
	all = all[:min(len(all), 10*n)]
	for i := range min(n, len(all)) {
		out = append(out, all[i*len(all)/min(n, len(all))])
	}
	return out
}

// hunk is a range of lines that a commit changed, as its parent has it. Added lines stand between the lines start and end.
type hunk struct {
	path       string
	start, end int
	added      bool
}

var hunkHead = regexp.MustCompile(`^@@ -(\d+)(?:,(\d+))? `)

// hunksOf returns the hunks in the files of a question whose commit is known.
func hunksOf(ctx context.Context, t task) (out []hunk) {
	args := append([]string{"diff", "-U0", "--no-renames", "--no-color", t.searched(), t.commit(), "--"}, t.Files...)
	file := ""
	for line := range strings.Lines(get(runGit(ctx, t.Dir, args...))) {
		line = strings.TrimRight(line, "\r\n")
		if name, ok := strings.CutPrefix(line, "--- a/"); ok {
			file = strings.TrimRight(name, "\t")
		} else if strings.HasPrefix(line, "--- /dev/null") {
			file = ""
		}
		m := hunkHead.FindStringSubmatch(line)
		if m == nil || file == "" {
			continue
		}
		start, _ := strconv.Atoi(m[1])
		count, _ := strconv.Atoi(cmp.Or(m[2], "1"))
		h := hunk{file, start, start + count - 1, count == 0}
		if h.added {
			h.end = start + 1
		}
		out = append(out, h)
	}
	return out
}

// seenIn reports whether the answer shows the lines of a hunk. Of an addition one of the two lines is enough.
func (h hunk) seenIn(shown []codesearch.Snippet) bool {
	n := 0
	for l := h.start; l <= h.end; l++ {
		if slices.ContainsFunc(shown, func(s codesearch.Snippet) bool { return s.Path == h.path && s.StartLine <= l && l <= s.EndLine }) {
			n++
		}
	}
	return n == h.end-h.start+1 || h.added && n > 0
}

var shownRange = regexp.MustCompile("(?m)^`{3,}\\S* source=\"([^\"]+):([0-9,-]+)\" by=")

func shownBy(text string) (shown []codesearch.Snippet) {
	for _, m := range shownRange.FindAllStringSubmatch(text, -1) {
		for one := range strings.SplitSeq(m[2], ",") {
			s := codesearch.Snippet{Path: m[1]}
			from, to, _ := strings.Cut(one, "-")
			s.StartLine, _ = strconv.Atoi(from)
			s.EndLine, _ = strconv.Atoi(to)
			shown = append(shown, s)
		}
	}
	return shown
}

// addHunks adds the share of the hunks of a commit that an answer shows.
func (r *ranking) addHunks(hunks []hunk, shown []codesearch.Snippet) {
	if len(hunks) == 0 {
		return
	}
	for _, h := range hunks {
		if h.seenIn(shown) {
			r.shown += 1 / float64(len(hunks))
		}
	}
	r.commits++
}
