package extracteval

import (
	"strings"
	"testing"
)

func TestEvaluate(t *testing.T) {
	r, err := Evaluate("testdata")
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	if err := r.Table(&table); err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + table.String() + strings.Join(r.Wrong, "\n"))
	for _, m := range r.Missed() {
		t.Error(m)
	}
}
