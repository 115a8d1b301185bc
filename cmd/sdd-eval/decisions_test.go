package main

import (
	"strings"
	"testing"
)

// TestNotMeasured: where the real texts are not there, each row says so.
func TestNotMeasured(t *testing.T) {
	var b strings.Builder
	if err := writeDecisions(&b, t.TempDir()); err != nil || strings.Count(b.String(), "not measured here") != 9 {
		t.Errorf("%v\n%s", err, b.String())
	}
}
