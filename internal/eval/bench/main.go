// Package bench measures sdd as its users use it: through MCP over standard input and output, with one real process for each
// client, on stores of several sizes. Each figure alternates with its floor, the least that the machine itself needs. The soak,
// which lets agents, editors, a browser and git use one store, is a test: go test ./internal/eval/bench -run TestSoak -soak 1h
package bench

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"sdd/internal/eval/must"
)

// bench is one run.
type bench struct {
	sdd     string // the binary
	dir     string // where the stores are
	samples int    // operations of a save or search figure
	starts  int    // process starts of a start figure
	window  time.Duration
	files   int             // of the repository for discovery
	lines   int             // of code for code search
	log     io.Writer       // progress
	stores  map[int]*corpus // by size
	rows    []row
}

// figures are the groups of figures by name, in order. Those with sizes run for every size.
var figures = []struct {
	name  string
	sized func(*bench, *corpus)
	once  func(*bench)
}{
	{name: "start", sized: (*bench).start},
	{name: "hook", sized: (*bench).hook},
	{name: "memory", sized: (*bench).memory},
	{name: "search", sized: (*bench).search},
	{name: "save", sized: (*bench).save},
	{name: "context", sized: (*bench).context},
	{name: "growth", once: (*bench).growth},
	{name: "idle", once: (*bench).idle},
	{name: "clients", once: (*bench).clients},
	{name: "code", once: (*bench).code},
	{name: "ledger", once: (*bench).ledger},
	{name: "discovery", once: (*bench).discovery},
}

// Run measures the groups of figures that args names and writes one Markdown table, or JSON. The stores are in a temporary folder,
// or in -dir: on a file system in memory durable writes would look free.
func Run(_ context.Context, args []string, stdout, stderr io.Writer) (err error) {
	defer must.Caught(&err)
	flags := flag.NewFlagSet("sdd-eval bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	var names []string
	for _, f := range figures {
		names = append(names, f.name)
	}
	b := &bench{log: stderr, stores: map[int]*corpus{}}
	records := flags.String("records", "100,1000,10000,100000", "sizes of the stores")
	only := flags.String("only", strings.Join(names, ","), "groups of figures to take")
	asJSON := flags.Bool("json", false, "print JSON instead of a table")
	flags.StringVar(&b.sdd, "sdd", "", "binary to measure (default: built from this module)")
	dir := flags.String("dir", "", "folder in which the stores are made (default: a temporary one)")
	flags.IntVar(&b.samples, "n", 200, "operations of each save and search figure")
	flags.IntVar(&b.starts, "starts", 20, "process starts of each start figure")
	flags.DurationVar(&b.window, "window", 10*time.Second, "how long an idle server is watched")
	flags.IntVar(&b.lines, "lines", 1_000_000, "lines of code that are searched")
	flags.IntVar(&b.files, "files", 10_000, "files of the repository that is discovered")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	var sizes []int
	for s := range strings.SplitSeq(*records, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil || n < 1 {
			return fmt.Errorf("-records: %q is no size", s)
		}
		sizes = append(sizes, n)
	}
	wanted := strings.Split(*only, ",")
	for _, w := range wanted {
		if !slices.Contains(names, w) {
			return fmt.Errorf("-only: there is no group %q, only %s", w, strings.Join(names, ","))
		}
	}
	if b.samples < 1 || b.starts < 1 || b.files < 1 {
		return errors.New("-n, -starts and -files must be at least 1")
	}

	b.dir = must.Get(filepath.Abs(must.Get(os.MkdirTemp(*dir, "sdd-bench-"))))
	defer os.RemoveAll(b.dir)
	must.Check(b.build())
	b.take(sizes, wanted)
	if *asJSON {
		e := json.NewEncoder(stdout)
		e.SetIndent("", "  ")
		return e.Encode(struct {
			Machine string `json:"machine"`
			Rows    []row  `json:"rows"`
		}{machine(b.dir), b.rows})
	}
	fmt.Fprintf(stdout, "%s\n\n", machine(b.dir))
	return table(stdout, b.rows)
}

// build builds the program to measure, unless args names one.
func (b *bench) build() (err error) {
	if b.sdd != "" {
		b.sdd, err = filepath.Abs(b.sdd)
		return err
	}
	b.sdd = filepath.Join(b.dir, "sdd")
	if runtime.GOOS == "windows" {
		b.sdd += ".exe"
	}
	fmt.Fprintln(b.log, "building sdd")
	if out, err := exec.Command("go", "build", "-o", b.sdd, "sdd/cmd/sdd").CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return nil
}

// take measures the wanted groups of figures. It keeps the stores until the end: after many deletions, ext4 is slow to
// make files for minutes.
func (b *bench) take(sizes []int, wanted []string) {
	for _, size := range sizes {
		var c *corpus
		for _, f := range figures {
			if f.sized == nil || !slices.Contains(wanted, f.name) {
				continue
			}
			if c == nil {
				fmt.Fprintf(b.log, "%d records: writing them\n", size)
				c = must.Get(newCorpus(b.dir, size))
				b.stores[size] = c
			}
			fmt.Fprintf(b.log, "%d records: %s\n", size, f.name)
			f.sized(b, c)
		}
	}
	for _, f := range figures {
		if f.once == nil || !slices.Contains(wanted, f.name) {
			continue
		}
		fmt.Fprintln(b.log, f.name)
		f.once(b)
	}
}
