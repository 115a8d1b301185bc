package eval

import (
	"bytes"
	"errors"
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
)

// The measure bench runs one real process for each client; each figure alternates with its floor, the least that the machine needs.

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

// measureBench measures groups of figures. With -dir on a file system in memory, durable writes would look free.
func measureBench(c *call) func() error {
	var names []string
	for _, f := range figures {
		names = append(names, f.name)
	}
	b := &bench{log: c.log, stores: map[int]*corpus{}}
	records := c.flags.String("records", "100,1000,10000,100000", "sizes of the stores")
	only := c.flags.String("only", strings.Join(names, ","), "groups of figures to take")
	c.flags.StringVar(&b.sdd, "sdd", "", "binary to measure (default: built from this module)")
	dir := c.flags.String("dir", "", "folder in which the stores are made (default: a temporary one)")
	c.flags.IntVar(&b.samples, "n", 200, "operations of each save and search figure")
	c.flags.IntVar(&b.starts, "starts", 20, "process starts of each start figure")
	c.flags.DurationVar(&b.window, "window", 10*time.Second, "how long an idle server is watched")
	c.flags.IntVar(&b.lines, "lines", 1_000_000, "lines of code that are searched")
	c.flags.IntVar(&b.files, "files", 10_000, "files of the repository that is discovered")
	return func() error {
		c.noArguments()
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
		b.dir = get(filepath.Abs(get(os.MkdirTemp(*dir, "sdd-bench-"))))
		defer os.RemoveAll(b.dir)
		check(b.build())
		b.take(sizes, wanted)
		fmt.Fprintf(c.out, "%s\n\n", machine(b.dir))
		return b.table(c.out)
	}
}

// machine describes the machine of the measurement. Its file system matters: one in memory makes durable writes look free.
func machine(dir string) string {
	files, err := exec.Command("stat", "-f", "-c", "%T", dir).Output()
	if err != nil {
		files = []byte("an unknown file system")
	}
	return fmt.Sprintf("%d CPUs, %s/%s, %s, stores on %s", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(),
		bytes.TrimSpace(files))
}

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

// take measures the wanted groups. It keeps the stores until the end: after many deletions, ext4 is slow for minutes.
func (b *bench) take(sizes []int, wanted []string) {
	for _, size := range append(sizes, 0) { // 0 for those without sizes
		for _, f := range figures {
			if !slices.Contains(wanted, f.name) || (size > 0) != (f.sized != nil) {
				continue
			}
			if size == 0 {
				fmt.Fprintln(b.log, f.name)
				f.once(b)
				continue
			}
			if b.stores[size] == nil {
				fmt.Fprintf(b.log, "%d records: writing them\n", size)
				b.stores[size] = get(newCorpus(b.dir, size))
			}
			fmt.Fprintf(b.log, "%d records: %s\n", size, f.name)
			f.sized(b, b.stores[size])
		}
	}
}

type row struct {
	Figure  string
	Records int
	Unit    string
	Value   float64 // the median of several samples
	P95     float64
	Floor   float64
	FloorOf string
	Ratio   float64 // value divided by floor
	Bar     string  // the required value
	Reached bool
	Note    string
}

// must sets the bar of a figure and whether the figure reaches it.
func (r row) must(reached bool, format string, args ...any) row {
	r.Bar, r.Reached = fmt.Sprintf(format, args...), reached
	return r
}

// atMost sets the bar of a figure for its number of records, if there is one.
func (r row) atMost(bar map[int]float64) row {
	if most := bar[r.Records]; most > 0 {
		return r.must(r.Value <= most, "≤ %g %s", most, r.Unit)
	}
	return r
}

// p95AtMost is atMost for the 95th percentile.
func (r row) p95AtMost(bar map[int]float64) row {
	if most := bar[r.Records]; most > 0 {
		return r.must(r.P95 <= most, "p95 ≤ %g ms", most)
	}
	return r
}

func (r row) against(what string, floor float64) row {
	r.FloorOf, r.Floor = what, floor
	if floor > 0 {
		r.Ratio = r.Value / floor
	}
	return r
}

// timed returns the row of a figure measured in milliseconds.
func timed(figure string, records int, took []time.Duration) row {
	return row{Figure: figure, Records: records, Unit: "ms", Value: ms(median(took)), P95: ms(percentile(took, 95))}
}

// compared returns the row of a figure that alternates with its floor: each runs n times.
func compared(figure string, records, n int, run func(i int) error, what string, floor func(i int) error) row {
	took, least := inTurn(n, run, floor)
	return timed(figure, records, took).against(what, ms(median(least)))
}

// inTurn runs two functions n times each, in changing order, so that other work on the machine affects both equally.
func inTurn(n int, first, second func(i int) error) (a, b []time.Duration) {
	for i := range n {
		pair := []func(int) error{first, second}
		took := make([]time.Duration, 2)
		for k := range 2 {
			which := (i + k) % 2
			took[which] = timing(func() error { return pair[which](i) })
		}
		a, b = append(a, took[0]), append(b, took[1])
	}
	return a, b
}

func timing(f func() error) time.Duration {
	start := time.Now()
	check(f())
	return time.Since(start)
}

func (b *bench) add(r row) { b.rows = append(b.rows, r) }

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func median(d []time.Duration) time.Duration { return percentile(d, 50) }

// percentile returns the smallest value that p per cent of the values do not exceed.
func percentile(d []time.Duration, p int) time.Duration {
	if len(d) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(d))
	return s[max(0, (len(s)*p+99)/100-1)]
}

func (b *bench) table(to io.Writer) error {
	var rows [][]any
	for _, r := range b.rows {
		rows = append(rows, []any{
			r.Figure + cell(r.Note != "", " ("+r.Note+")"),
			cell(r.Records > 0, grouped(r.Records)),
			number(r.Value, r.Unit),
			cell(r.P95 > 0, number(r.P95, r.Unit)),
			cell(r.FloorOf != "", number(r.Floor, r.Unit)+", "+r.FloorOf),
			cell(r.Ratio > 0, fmt.Sprintf("%.2f", r.Ratio)),
			r.Bar,
			cell(r.Bar != "", map[bool]string{true: "yes", false: "**no**"}[r.Reached]),
		})
	}
	return table(to, "figure|records|median|p95|floor|ratio|must reach|reached", rows)
}

// number writes a value with three significant digits, and its unit.
func number(v float64, unit string) string {
	digits := 3
	switch {
	case v == 0 || v >= 100 || unit == "tokens" || unit == "bytes":
		digits = 0
	case v >= 10:
		digits = 1
	case v >= 1:
		digits = 2
	}
	s := strconv.FormatFloat(v, 'f', digits, 64)
	if digits == 0 {
		s = grouped(int(v + 0.5))
	}
	return strings.TrimSpace(s + " " + unit)
}

func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
