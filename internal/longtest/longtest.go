// Package longtest sets how long tests run: `go test ./...` runs few random rounds and no evaluation, so that it ends in
// minutes; .ci/run sets SDD_LONG=1 and runs all of them. No test fails because the machine is busy.
package longtest

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
)

// Short runs collect garbage less often, here and in the programs that they start: that saves a tenth of the processor time.
func init() {
	if !Set() && os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
		os.Setenv("GOGC", "400")
	}
}

// Set reports whether SDD_LONG=1 is set.
func Set() bool { return os.Getenv("SDD_LONG") == "1" }

// Of returns long when SDD_LONG=1 is set, else short.
func Of[T any](short, long T) T {
	if Set() {
		return long
	}
	return short
}

// Only skips a test without SDD_LONG=1.
func Only(t testing.TB) {
	t.Helper()
	if !Set() {
		t.Skip("long: SDD_LONG=1 runs it")
	}
}

// Patient has this process and those that it starts wait for the locks of a store until the tests' own limit. A TestMain calls it.
func Patient() { os.Setenv("SDD_SAVE_WAIT", "24h") }

// Disk is where a test makes a folder that is not to be in memory, "" where folders are there anyway.
var Disk string

// GitTemplate fills a folder for GIT_TEMPLATE_DIR. Repositories that git makes with it have no sample hooks, and git starts no
// second process after each commit to see whether there is something to tidy.
func GitTemplate(dir string) error {
	for _, name := range []string{"hooks", "info"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, "config"), []byte("[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n"), 0o644)
}
