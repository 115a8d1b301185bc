// Package code measures which files code search puts first, on questions whose files others know: the text of an issue and the
// files of its fix, the subject of a commit and the files that it changed, a short question and the files that answer it.
//
// For a question whose commit is known it also measures the lines that the commit changed: how many of them an answer of 3,000
// tokens shows.
//
// A set is a file of JSON values, one a line or in an array: q is the question, files the paths that answer it, repo the project's
// name, dir its git directory, rev the commit to search at, fix the commit of the answer. Instead of rev and fix, sha names a commit
// whose parent is searched. A git directory is a set too, of the subjects of its commits. Projects are divided into two halves by
// the hash of their names: authors of a ranking look at the failures of the tuned half only.
package code

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sdd/internal/codesearch"
)

// question is one value of a set.
type question struct {
	Repo  string   `json:"repo"`
	Dir   string   `json:"dir"`
	Rev   string   `json:"rev"`
	Fix   string   `json:"fix"`
	SHA   string   `json:"sha"`
	Text  string   `json:"q"`
	Files []string `json:"files"`
	Main  []string `json:"rel"`  // instead of files: those that answer it
	Also  []string `json:"sec"`  // and those that help
	Root  string   `json:"root"` // the folder to search

	passing bool // its tree is not kept
}

// searched returns the commit whose tree is searched.
func (q question) searched() string {
	if q.Rev == "" {
		return q.SHA + "^"
	}
	return q.Rev
}

// commit returns the commit with the answer, "" for none.
func (q question) commit() string { return cmp.Or(q.Fix, q.SHA) }

type options struct {
	dir, only       string
	commits, budget int
	code, verbose   bool
}

// mostFiles are the files of an answer that count.
const mostFiles = 10

// Run answers the questions of the sets that args name and prints one table.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("sdd-eval code", flag.ContinueOnError)
	flags.SetOutput(stderr)
	var o options
	flags.StringVar(&o.dir, "git", "", "git directory of questions that name none")
	flags.StringVar(&o.only, "only", "", "only projects whose name contains this, or the half: tuned or untuned")
	flags.IntVar(&o.commits, "n", 40, "commits taken from a history")
	flags.IntVar(&o.budget, "tokens", 3000, "budget of the answer that should show the hunks")
	flags.BoolVar(&o.code, "code", false, "search source code only, and expect the source files only")
	flags.BoolVar(&o.verbose, "v", false, "list the failures of the tuned half")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return errors.New("name a file with questions, or a git directory")
	}
	var rows []row
	var missed []string
	for _, set := range flags.Args() {
		of, err := o.measure(ctx, set, stdout, stderr)
		if err != nil {
			return fmt.Errorf("%s: %w", set, err)
		}
		for _, r := range of {
			if st, err := os.Stat(set); err == nil && st.IsDir() && r.project == everything && r.shown < leastShown*r.commits {
				missed = append(missed, set)
			}
		}
		rows = append(rows, of...)
	}
	fmt.Fprintln(stdout, "| set | project | questions | all in 1 | 3 | 5 | 10 | recall in 10 | NDCG@10 | ms |"+
		" hunks shown | touched | tokens |\n"+
		"|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
	for _, r := range rows {
		r.print(stdout)
	}
	if missed != nil {
		return fmt.Errorf("less than %g of the hunks are shown in %s", leastShown, strings.Join(missed, ", "))
	}
	return nil
}

// everything is the project of a row for a whole set.
const everything = "all"

// row has the sums over some questions.
type row struct {
	set, project string
	questions    float64
	all          [4]float64 // how often all files are among the first of places
	recall, ndcg float64
	took         time.Duration

	commits        float64 // questions whose commit is known
	shown, touched float64 // hunks of which the answer has all lines, or one
	tokens         float64 // of that answer
}

var places = [4]int{1, 3, 5, mostFiles}

func (r row) print(w io.Writer) {
	n := max(1, r.questions)
	fmt.Fprintf(w, "| %s | %s | %.0f |", r.set, r.project, r.questions)
	for _, v := range []float64{r.all[0], r.all[1], r.all[2], r.all[3], r.recall, r.ndcg} {
		fmt.Fprintf(w, " %.3f |", v/n)
	}
	n = max(1, r.commits)
	fmt.Fprintf(w, " %d | %.3f | %.3f | %.0f |\n", int(r.took.Seconds()*1000/max(1, r.questions)), r.shown/n, r.touched/n, r.tokens/n)
}

// add counts an answer: the files in the order in which they come first.
func (r *row) add(want, got []string, took time.Duration) {
	r.questions++
	r.took += took
	last, found, gain, ideal := 0, 0.0, 0.0, 0.0
	for i, f := range got[:min(len(got), mostFiles)] {
		if slices.Contains(want, f) {
			last, found, gain = i+1, found+1, gain+1/math.Log2(float64(i)+2)
		}
	}
	for i := range min(len(want), mostFiles) {
		ideal += 1 / math.Log2(float64(i)+2)
	}
	for i, p := range places {
		if int(found) == len(want) && last <= p {
			r.all[i]++
		}
	}
	r.recall += found / float64(len(want))
	r.ndcg += gain / ideal
}

// sum adds another row.
func (r *row) sum(one row) {
	r.questions += one.questions
	for i, v := range one.all {
		r.all[i] += v
	}
	r.recall += one.recall
	r.ndcg += one.ndcg
	r.took += one.took
	r.commits += one.commits
	r.shown += one.shown
	r.touched += one.touched
	r.tokens += one.tokens
}

// half is the half of the projects to which a project belongs.
func half(project string) string {
	h := fnv.New32a()
	io.WriteString(h, project)
	return []string{"tuned", "untuned"}[h.Sum32()>>3%2]
}

// measure answers the questions of one set. The rows are for each project, each half and the set.
func (o options) measure(ctx context.Context, name string, stdout, stderr io.Writer) ([]row, error) {
	list, err := o.questions(ctx, name)
	if err != nil {
		return nil, err
	}
	set := strings.TrimSuffix(filepath.Base(strings.TrimSuffix(filepath.ToSlash(name), "/repo")), filepath.Ext(name))
	rows := map[string]*row{}
	for _, q := range list {
		q.Dir = cmp.Or(q.Dir, o.dir)
		q.Repo = cmp.Or(q.Repo, set)
		q.Files = slices.Concat(q.Files, q.Main, q.Also)
		h := half(q.Repo)
		if o.code {
			q.Files = slices.DeleteFunc(q.Files, func(f string) bool { return !slices.Contains(sources, "*"+filepath.Ext(f)) })
		}
		if !strings.Contains(q.Repo, o.only) && h != o.only || len(q.Files) == 0 {
			continue
		}
		top, err := checkout(ctx, q)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		} else if err != nil {
			fmt.Fprintf(stderr, "%s: left out: %v\n", q.Repo, err)
			continue
		}
		start := time.Now()
		got, err := o.search(ctx, top, q)
		if err != nil {
			return nil, err
		}
		took := time.Since(start)
		var one row
		one.add(q.Files, got, took)
		if q.commit() != "" {
			if err := one.addHunks(ctx, top, q, o); err != nil {
				return nil, err
			}
		}
		for _, name := range []string{q.Repo, h, everything} {
			if rows[name] == nil {
				rows[name] = &row{set: set, project: name}
			}
			rows[name].sum(one)
		}
		if o.verbose && h == "tuned" && one.ndcg < 1 {
			report(stdout, q, got)
		}
		if q.passing {
			os.RemoveAll(top)
		}
	}
	return slices.Collect(func(yield func(row) bool) {
		for _, name := range slices.Sorted(maps.Keys(rows)) {
			if !yield(*rows[name]) {
				return
			}
		}
	}), nil
}

// report lists the files of a question with their places in the answer, 0 for none, and the files that came before them.
func report(w io.Writer, q question, got []string) {
	title, _, _ := strings.Cut(q.Text, "\n")
	fmt.Fprintf(w, "%s %s: %s\n", q.Repo, cmp.Or(q.Rev, q.SHA), title)
	for _, f := range q.Files {
		fmt.Fprintf(w, "  want %2d %s\n", slices.Index(got, f)+1, f)
	}
	for i, f := range got[:min(len(got), 5)] {
		fmt.Fprintf(w, "  got  %2d %s\n", i+1, f)
	}
}

// questions reads those of a file, or takes them from the history of a git directory.
func (o options) questions(ctx context.Context, set string) ([]question, error) {
	if st, err := os.Stat(set); err != nil || !st.IsDir() {
		return readSet(set)
	}
	dir, err := filepath.Abs(set)
	if err != nil {
		return nil, err
	}
	return taken(ctx, dir, o.commits)
}

// readSet reads the questions of a file.
func readSet(file string) ([]question, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var list []question
	for d := json.NewDecoder(f); ; {
		var raw json.RawMessage
		if err := d.Decode(&raw); err == io.EOF {
			return list, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		var one []question
		if raw[0] != '[' {
			raw = slices.Concat([]byte("["), raw, []byte("]"))
		}
		if err := json.Unmarshal(raw, &one); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		list = append(list, one...)
	}
}

// sources are the files that -code searches.
var sources = strings.Fields(`*.go *.py *.js *.ts *.jsx *.tsx *.mjs *.c *.h *.cc *.cpp *.hpp *.rs *.java *.kt *.rb *.php *.cs *.swift
	*.scala *.ex *.exs *.lua *.zig *.hs *.sh *.vue *.svelte`)

// search returns the files of an answer in the order in which they come first.
func (o options) search(ctx context.Context, top string, q question) ([]string, error) {
	r, err := o.ask(ctx, top, q, codesearch.Query{Limit: 20, MaxTokens: 100_000})
	var files []string
	for _, s := range r.Snippets {
		if f := path.Join(q.Root, s.Path); !slices.Contains(files, f) {
			files = append(files, f)
		}
	}
	return files, err
}

func (o options) ask(ctx context.Context, top string, q question, as codesearch.Query) (codesearch.Result, error) {
	if as.Query = q.Text; o.code {
		as.Paths = sources
	}
	return codesearch.Search(ctx, filepath.Join(top, q.Root), as, codesearch.Strategy{Mode: codesearch.ModeGrep})
}

// checkout returns a folder with the tree of a question, in the user's cache. It stays there for the next run of a set.
func checkout(ctx context.Context, q question) (string, error) {
	rev := q.searched()
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	name := strings.NewReplacer("/", "+", "^", "-parent").Replace(q.Repo + "@" + rev)
	top := filepath.Join(cache, "sdd-eval", "code", name)
	if _, err := os.Stat(top); err == nil {
		return top, nil
	}
	tmp := top + ".tmp"
	if err := errors.Join(os.RemoveAll(tmp), os.MkdirAll(tmp, 0o755)); err != nil {
		return "", err
	}
	index := tmp + ".index"
	defer os.Remove(index)
	git := func(args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, "git", append([]string{"-C", q.Dir, "--work-tree=" + tmp}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_INDEX_FILE="+index, "GIT_NO_LAZY_FETCH=1")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := git("read-tree", rev); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	git("checkout-index", "--all", "--quiet") // all files but those that a partial copy lacks
	return top, os.Rename(tmp, top)
}
