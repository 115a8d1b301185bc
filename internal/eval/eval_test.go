package eval

import (
	"bytes"
	"strings"
	"testing"

	"sdd/internal/longtest"
)

// TestBars runs the evaluation as the command does: every figure that can be measured here reaches its bar.
func TestBars(t *testing.T) {
	longtest.Only(t)
	var stdout, stderr bytes.Buffer
	if err := Run(t.Context(), nil, &stdout, &stderr); err != nil {
		t.Error(err)
	}
	if rows := strings.Count(stdout.String(), "\n") - 2; rows != 37 {
		t.Errorf("%d rows, want 37", rows)
	}
	t.Log(stdout.String())
}

// TestNotMeasured: where the texts are missing, each row says so, and no bar is missed.
func TestNotMeasured(t *testing.T) {
	var rows []score
	for _, group := range relevance {
		of := group.rows(t.Context(), t.TempDir())
		if len(of) == 0 {
			t.Fatal(group.name)
		}
		rows = append(rows, of...)
	}
	var b strings.Builder
	if err := writeScores(&call{out: &b}, rows); err != nil || strings.Count(b.String(), "not measured here") != len(rows) {
		t.Errorf("%v\n%s", err, b.String())
	}
}

func TestArguments(t *testing.T) {
	for _, args := range [][]string{{"impact"}, {"-unknown"}, {"-only", "nothing"}} {
		var stdout, stderr bytes.Buffer
		if err := Run(t.Context(), args, &stdout, &stderr); err == nil || stdout.Len() > 0 {
			t.Errorf("%v: %v, %q", args, err, stdout.String())
		}
	}
}

// TestRow: both parts together must reach the bar, without rounding.
func TestRow(t *testing.T) {
	part := func(right float64, of int) ratio { return ratio{right, of} }
	for _, tt := range []struct {
		row  score
		want string
	}{
		{score{Figure: "a", Tuned: part(85, 100), AtLeast: 85}, "| a | 85.0 % (of 100) |  | ≥ 85 % | yes |"},
		{score{Figure: "a", Tuned: part(113, 133), AtLeast: 85}, "| a | 85.0 % (of 133) |  | ≥ 85 % | **no** |"},
		{score{Figure: "a", Tuned: part(10, 10), Held: part(6, 10), AtLeast: 85}, "| a | 100.0 % (of 10) | 60.0 % (of 10) | ≥ 85 % | **no** |"},
		{score{Figure: "a", Tuned: part(1, 10), AtMost: 5}, "| a | 10.0 % (of 10) |  | ≤ 5 % | **no** |"},
		{score{Figure: "a", Held: part(1, 2)}, "| a |  | 50.0 % (of 2) |  |  |"},
	} {
		var b strings.Builder
		err := writeScores(&call{out: &b}, []score{tt.row})
		if !strings.HasSuffix(b.String(), tt.want+"\n") {
			t.Errorf("%s\nwant the line\n%s", b.String(), tt.want)
		}
		if (err != nil) != strings.Contains(tt.want, "**no**") {
			t.Errorf("%s: %v", tt.want, err)
		}
	}
}
