package bench

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// row is one figure: a line of the table.
type row struct {
	Figure  string  `json:"figure"`
	Records int     `json:"records,omitempty"`
	Unit    string  `json:"unit"`
	Value   float64 `json:"value"` // the median of several samples
	P95     float64 `json:"p95,omitempty"`
	Floor   float64 `json:"floor,omitempty"`
	FloorOf string  `json:"floor_of,omitempty"`
	Ratio   float64 `json:"ratio,omitempty"` // value divided by floor
	Bar     string  `json:"bar,omitempty"`   // the required value
	Reached *bool   `json:"reached,omitempty"`
	Note    string  `json:"note,omitempty"`
}

// must sets the bar of a figure and whether the figure reaches it.
func (r row) must(reached bool, format string, args ...any) row {
	r.Bar, r.Reached = fmt.Sprintf(format, args...), &reached
	return r
}

// atMost sets the bar of a figure for its number of records, if there is one.
func (r row) atMost(bar map[int]float64) row {
	if most := bar[r.Records]; most > 0 {
		return r.must(r.Value <= most, "≤ %g %s", most, r.Unit)
	}
	return r
}

// against sets the floor of a figure.
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

// table writes the rows as a Markdown table.
func table(w io.Writer, rows []row) error {
	var b strings.Builder
	b.WriteString("| figure | records | median | p95 | floor | ratio | must reach | reached |\n")
	b.WriteString("|---|--:|--:|--:|---|--:|---|---|\n")
	for _, r := range rows {
		var floor, ratio, records, reached string
		if r.FloorOf != "" {
			floor = number(r.Floor, r.Unit) + ", " + r.FloorOf
		}
		if r.Ratio > 0 {
			ratio = strconv.FormatFloat(r.Ratio, 'f', 2, 64)
		}
		if r.Records > 0 {
			records = grouped(r.Records)
		}
		if r.Reached != nil {
			reached = map[bool]string{true: "yes", false: "**no**"}[*r.Reached]
		}
		p95 := ""
		if r.P95 > 0 {
			p95 = number(r.P95, r.Unit)
		}
		figure := r.Figure
		if r.Note != "" {
			figure += " (" + r.Note + ")"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s | %s |\n",
			figure, records, number(r.Value, r.Unit), p95, floor, ratio, r.Bar, reached)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// number writes a value with three significant digits, and its unit.
func number(v float64, unit string) string {
	digits := 0
	switch {
	case v == 0 || v >= 100 || unit == "tokens" || unit == "bytes":
	case v >= 10:
		digits = 1
	case v >= 1:
		digits = 2
	default:
		digits = 3
	}
	s := strconv.FormatFloat(v, 'f', digits, 64)
	if digits == 0 {
		s = grouped(int(v + 0.5))
	}
	if unit == "" {
		return s
	}
	return s + " " + unit
}

// grouped writes a number with commas between thousands.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// machine describes the machine of the measurement.
func machine(dir string) string {
	return fmt.Sprintf("%d CPUs, %s/%s, %s, stores on %s", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), fileSystem(dir))
}
