// Package eval measures the program: relevance, speed, memory, verdicts on code, and attacks by records. It is not linked into sdd.
package eval

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os/exec"
	"strings"

	"sdd/internal/app"
	"sdd/internal/fault"
	"sdd/internal/index"
	"sdd/internal/store"
)

// call is one run of a measure.
type call struct {
	ctx   context.Context
	flags *flag.FlagSet
	out   io.Writer
	log   io.Writer // progress and what goes wrong
}

// measures declare their flags and return what measures. The error names the figures that miss their bar.
var measures = map[string]func(*call) func() error{
	"relevance": measureRelevance, "anchors": measureAnchors, "bench": measureBench, "code": measureCode, "start": measureStart,
	"transcripts": measureTranscripts, "trust": measureTrust,
}

// Run takes the measure that the first argument names, relevance without one, and writes a Markdown table.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	defer fault.Caught(&err)
	name := "relevance"
	if len(args) > 0 && measures[args[0]] != nil {
		name, args = args[0], args[1:]
	}
	c := &call{ctx, flag.NewFlagSet("sdd-eval "+name, flag.ContinueOnError), stdout, stderr}
	c.flags.SetOutput(stderr)
	measure := measures[name](c)
	check(c.flags.Parse(args))
	return measure()
}

// noArguments ends a measure that takes flags only.
func (c *call) noArguments() {
	if c.flags.NArg() > 0 {
		check(fmt.Errorf("unexpected argument %q", c.flags.Arg(0)))
	}
}

// table writes a Markdown table. The heads of its columns are separated by bars.
func table(to io.Writer, heads string, rows [][]any) error {
	var b strings.Builder
	b.WriteString("| " + strings.ReplaceAll(heads, "|", " | ") + " |\n|---" + strings.Repeat("|--:", strings.Count(heads, "|")) + "|\n")
	for _, row := range rows {
		for _, cell := range row {
			fmt.Fprintf(&b, "| %v ", cell)
		}
		b.WriteString("|\n")
	}
	_, err := io.WriteString(to, b.String())
	return err
}

// cell is the text of a cell that some rows have.
func cell(has bool, text string) string {
	if !has {
		return ""
	}
	return text
}

func missed(figures []string) error {
	if len(figures) == 0 {
		return nil
	}
	return errors.New("not reached: " + strings.Join(figures, "; "))
}

// ratio is a share of cases, or the mean of their scores.
type ratio struct {
	Right float64 // cases, or the sum over them
	Of    int
}

func (r *ratio) add(right bool) {
	if r.Of++; right {
		r.Right++
	}
}

func (r ratio) percent() float64 { return 100 * r.Right / float64(max(1, r.Of)) }

func (r ratio) String() string {
	return cell(r.Of > 0, fmt.Sprintf("%.2f %% (%.0f of %d)", r.percent(), r.Right, r.Of))
}

func (r ratio) plus(o ratio) ratio { return ratio{r.Right + o.Right, r.Of + o.Of} }

// check and get end the measure with an error, unless it is nil.
func check(err error) { fault.Check(err) }

func get[T any](v T, err error) T { return fault.Must(v, err) }

func runGit(ctx context.Context, dir string, args ...string) (string, error) {
	args = append([]string{"-C", dir, "-c", "core.quotePath=false", "-c", "commit.gpgsign=false", "-c", "user.name=Owner",
		"-c", "user.email=owner@example.com"}, args...)
	cmd := exec.CommandContext(ctx, "git", args...)
	var problem strings.Builder
	cmd.Stderr = &problem
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("git %s: %w: %s", args[9], err, problem.String())
	}
	return strings.TrimSpace(string(out)), err
}

// openApp calls do with the use cases of the store in dir. open is index.Open, or index.OpenOnce for a single question.
func openApp(dir string, open func(*store.Store) *index.Index, do func(*app.App)) {
	st := get(store.Open(store.Options{Dir: dir, Tool: "sdd-eval"}))
	defer st.Close()
	ix := open(st)
	defer ix.Close()
	w := app.New(st, ix, app.Options{})
	defer w.Close()
	do(w)
}
