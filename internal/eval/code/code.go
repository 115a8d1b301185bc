// Package code measures which files code search puts first, on questions whose files others know: the text of an issue and the
// files of its fix, the subject of a commit and the files that it changed, a short question and the files that answer it.
//
// A set is a file of JSON values, one a line or in an array: q is the question, files the paths that answer it, repo the project's
// name, dir its git directory, rev the commit to search at. Instead of rev, sha names a commit whose parent is searched. Projects
// are divided into two halves by the hash of their names: authors of a ranking look at the failures of the tuned half only.
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
	SHA   string   `json:"sha"`
	Text  string   `json:"q"`
	Files []string `json:"files"`
	Main  []string `json:"rel"`  // instead of files: those that answer it
	Also  []string `json:"sec"`  // and those that help
	Root  string   `json:"root"` // the folder to search
}

type options struct {
	dir, only     string
	limit, tokens int
	code, verbose bool
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
	flags.IntVar(&o.limit, "limit", 20, "ranges of an answer")
	flags.IntVar(&o.tokens, "tokens", 100_000, "tokens of an answer")
	flags.BoolVar(&o.code, "code", false, "search source code only, and expect the source files only")
	flags.BoolVar(&o.verbose, "v", false, "list the failures of the tuned half")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return errors.New("name a file with questions")
	}
	var rows []row
	for _, file := range flags.Args() {
		of, err := o.measure(ctx, file, stdout, stderr)
		if err != nil {
			return err
		}
		rows = append(rows, of...)
	}
	fmt.Fprintln(stdout, "| set | project | questions | all in 1 | 3 | 5 | 10 | recall in 10 | NDCG@10 | ms |\n|---|---|--:|--:|--:|--:|--:|--:|--:|--:|")
	for _, r := range rows {
		r.print(stdout)
	}
	return nil
}

// row has the sums over some questions.
type row struct {
	set, project string
	questions    float64
	all          [4]float64 // how often all files are among the first of places
	recall, ndcg float64
	took         time.Duration
}

var places = [4]int{1, 3, 5, mostFiles}

func (r row) print(w io.Writer) {
	n := max(1, r.questions)
	fmt.Fprintf(w, "| %s | %s | %.0f |", r.set, r.project, r.questions)
	for _, v := range []float64{r.all[0], r.all[1], r.all[2], r.all[3], r.recall, r.ndcg} {
		fmt.Fprintf(w, " %.3f |", v/n)
	}
	fmt.Fprintf(w, " %d |\n", int(r.took.Seconds()*1000/n))
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

// half is the half of the projects to which a project belongs.
func half(project string) string {
	h := fnv.New32a()
	io.WriteString(h, project)
	return []string{"tuned", "untuned"}[h.Sum32()>>3%2]
}

// measure answers the questions of one set. The rows are for each project, each half and the set.
func (o options) measure(ctx context.Context, file string, stdout, stderr io.Writer) ([]row, error) {
	list, err := readSet(file)
	if err != nil {
		return nil, err
	}
	set := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
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
		for _, name := range []string{q.Repo, h, "all"} {
			if rows[name] == nil {
				rows[name] = &row{set: set, project: name}
			}
			rows[name].add(q.Files, got, took)
		}
		if o.verbose && h == "tuned" {
			var one row
			if one.add(q.Files, got, took); one.ndcg < 1 {
				report(stdout, q, got)
			}
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
	ask := codesearch.Query{Query: q.Text, Limit: o.limit, MaxTokens: o.tokens}
	if o.code {
		ask.Paths = sources
	}
	r, err := codesearch.Search(ctx, filepath.Join(top, q.Root), ask, codesearch.Strategy{Mode: codesearch.ModeGrep})
	var files []string
	for _, s := range r.Snippets {
		if f := path.Join(q.Root, s.Path); !slices.Contains(files, f) {
			files = append(files, f)
		}
	}
	return files, err
}

// checkout returns a folder with the tree of a question, in the user's cache. It stays there for the next run.
func checkout(ctx context.Context, q question) (string, error) {
	rev := q.Rev
	if rev == "" {
		rev = q.SHA + "^"
	}
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
		cmd := exec.CommandContext(ctx, "git", append([]string{"--git-dir=" + q.Dir, "--work-tree=" + tmp}, args...)...)
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
