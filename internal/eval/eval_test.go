package eval

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"sdd/internal/longtest"
)

// TestBars runs the evaluation as the command does: every figure that can be measured here reaches its bar.
func TestBars(t *testing.T) {
	longtest.Only(t)
	var stdout, stderr bytes.Buffer
	if err := Run(t.Context(), []string{"-json"}, &stdout, &stderr); err != nil {
		t.Error(err)
	}
	var report struct{ Rows []row }
	if err := json.Unmarshal(stdout.Bytes(), &report); err != nil {
		t.Fatal(err)
	}
	if len(report.Rows) != 37 {
		t.Errorf("%d rows, want 37", len(report.Rows))
	}
	for _, r := range report.Rows {
		t.Logf("%s: tuned %s, held %s", r.Figure, r.Tuned, r.Held)
	}
}

// TestNotMeasured: where the texts are missing, each row says so, and no bar is missed.
func TestNotMeasured(t *testing.T) {
	var rows []row
	for _, f := range figures {
		of := f.measure(t.Context(), t.TempDir())
		if len(of) == 0 {
			t.Fatal(f.name)
		}
		rows = append(rows, of...)
	}
	var b strings.Builder
	if err := writeTable(&b, rows); err != nil || strings.Count(b.String(), "not measured here") != len(rows) || missed(rows) != nil {
		t.Errorf("%v, %v\n%s", err, missed(rows), b.String())
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
	for _, tt := range []struct {
		row  row
		want string
	}{
		{row{Figure: "a", Tuned: share(85, 100), AtLeast: 85}, "| a | 85.0 % (of 100) |  | ≥ 85 % | yes |"},
		{row{Figure: "a", Tuned: share(113, 133), AtLeast: 85}, "| a | 85.0 % (of 133) |  | ≥ 85 % | **no** |"},
		{row{Figure: "a", Tuned: share(10, 10), Held: share(6, 10), AtLeast: 85}, "| a | 100.0 % (of 10) | 60.0 % (of 10) | ≥ 85 % | **no** |"},
		{row{Figure: "a", Tuned: share(1, 10), AtMost: 5}, "| a | 10.0 % (of 10) |  | ≤ 5 % | **no** |"},
		{row{Figure: "a", Held: share(1, 2)}, "| a |  | 50.0 % (of 2) |  |  |"},
	} {
		var b strings.Builder
		if err := writeTable(&b, []row{tt.row}); err != nil || !strings.HasSuffix(b.String(), tt.want+"\n") {
			t.Errorf("%s\nwant the line\n%s", b.String(), tt.want)
		}
		if err := missed([]row{tt.row}); (err != nil) != strings.Contains(tt.want, "**no**") {
			t.Errorf("%s: %v", tt.want, err)
		}
	}
}
