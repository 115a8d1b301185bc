package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// ratio is a share of cases, or the mean of what each came to. Of none it is no success: nothing was measured.
type ratio struct {
	Right int     `json:"right,omitempty"`
	Of    int     `json:"of"`
	Value float64 `json:"value"`
	Mean  bool    `json:"mean,omitempty"`
}

func mean(value float64, of int) ratio { return ratio{Of: of, Value: value, Mean: true} }

func share(right, of int) ratio {
	r := ratio{Right: right, Of: of}
	if of > 0 {
		r.Value = float64(right) / float64(of)
	}
	return r
}

// reaches reports whether the share is at least percent, without rounding.
func (r ratio) reaches(percent int) bool {
	if r.Mean {
		return r.Of > 0 && 100*r.Value >= float64(percent)
	}
	return r.Of > 0 && 100*r.Right >= percent*r.Of
}

func (r ratio) String() string {
	if r.Of == 0 {
		return "none"
	}
	if r.Mean {
		return fmt.Sprintf("%.1f %% (mean of %d)", 100*r.Value, r.Of)
	}
	return fmt.Sprintf("%.1f %% (%d of %d)", 100*r.Value, r.Right, r.Of)
}

// matrix counts the cases of a part by label and verdict.
type matrix map[string]map[string]int

func (m matrix) add(want, got string) {
	if m[want] == nil {
		m[want] = map[string]int{}
	}
	m[want][got]++
}

// accuracy is the share of cases whose verdict is their label.
func (m matrix) accuracy() ratio {
	right, of := 0, 0
	for want, row := range m {
		for got, n := range row {
			of += n
			if got == want {
				right += n
			}
		}
	}
	return share(right, of)
}

// precision is the share of the verdicts label that are right.
func (m matrix) precision(label string) ratio {
	of := 0
	for _, row := range m {
		of += row[label]
	}
	return share(m[label][label], of)
}

// recall is the share of the cases labelled so that get this verdict.
func (m matrix) recall(label string) ratio {
	of := 0
	for _, n := range m[label] {
		of += n
	}
	return share(m[label][label], of)
}

// wrong is a case of the tuned part with another verdict than its label.
type wrong struct {
	ID   string `json:"id"`
	Want string `json:"want"`
	Got  string `json:"got"`
	Rule string `json:"rule,omitempty"` // that decided
}

// outcome is what the cases of a corpus came to.
type outcome struct {
	cases  int               // of the measured parts
	matrix map[string]matrix // by part
	wrong  []wrong
}

func newOutcome(parts []string) *outcome {
	o := &outcome{matrix: map[string]matrix{}}
	for _, p := range parts {
		o.matrix[p] = matrix{}
	}
	return o
}

// add counts a case, unless its part is not measured.
func (o *outcome) add(c labelled, want, got, rule string) {
	m, ok := o.matrix[c.part()]
	if !ok {
		return
	}
	o.cases++
	m.add(want, got)
	if got != want && c.part() == tuned {
		o.wrong = append(o.wrong, wrong{c.name(), want, got, rule})
	}
}

// row is one figure: a line of the table.
type row struct {
	Figure  string            `json:"figure"`
	Cases   int               `json:"cases"`
	Tuned   *ratio            `json:"tuned,omitempty"`
	Held    *ratio            `json:"held,omitempty"`
	Must    int               `json:"must_reach"` // per cent, by each part
	Reached bool              `json:"reached"`
	Real    bool              `json:"real,omitempty"`   // of texts that others wrote and labelled: half of them lies in shared/corpora, the other is measured elsewhere
	Matrix  map[string]matrix `json:"matrix,omitempty"` // part, label, verdict; none where there are no verdicts
	Wrong   []wrong           `json:"wrong,omitempty"`
}

// row returns the line of a figure that of takes from the matrix of each part.
func (o *outcome) row(figure string, must int, of func(matrix) ratio) row {
	r := row{Figure: figure, Cases: o.cases, Must: must, Reached: true, Matrix: o.matrix, Wrong: o.wrong}
	for part, m := range o.matrix {
		v := of(m)
		if part == tuned {
			r.Tuned = &v
		} else {
			r.Held = &v
		}
		r.Reached = r.Reached && v.reaches(must)
	}
	return r
}

// unmeasured reports whether the texts of the row are not here.
func (r row) unmeasured() bool { return r.Real && r.Tuned == nil && r.Held == nil }

// writeTable writes the rows as a Markdown table.
func writeTable(w io.Writer, rows []row) error {
	var b strings.Builder
	b.WriteString("| figure | text | cases | tuned part | held part | must reach | reached |\n")
	b.WriteString("|---|---|--:|--:|--:|--:|---|\n")
	for _, r := range rows {
		reached := "**no**"
		switch {
		case r.unmeasured():
			reached = "not measured here"
		case r.Reached && r.Must == 0:
			reached = ""
		case r.Reached:
			reached = "yes"
		}
		text := "own" // sentences that we wrote: the bar is a floor against regressions, and no evidence
		switch {
		case r.Real:
			text = "real"
		case strings.HasPrefix(r.Figure, "code search"):
			text = "own questions, real code"
		}
		fmt.Fprintf(&b, "| %s | %s | %d | %s | %s | %d %% | %s |\n", r.Figure, text, r.Cases, cell(r.Tuned), cell(r.Held), r.Must, reached)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func cell(r *ratio) string {
	if r == nil {
		return ""
	}
	return r.String()
}

// missed returns an error that names the figures below their bars, nil when there are none.
func missed(rows []row) error {
	var names []string
	for _, r := range rows {
		if !r.Reached && !r.unmeasured() {
			names = append(names, r.Figure)
		}
	}
	if names == nil {
		return nil
	}
	return errors.New("not reached: " + strings.Join(names, "; "))
}
