// Package sddtest is what tests of the whole program share: the program itself and clones that it works in. The tests are in the
// folders below, by what they look at, so that each package ends long before Go's time limit.
package sddtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"sdd/cmd/sdd/program"
	"sdd/internal/longtest"
)

// Main is the TestMain of such a package. The test's own program is in PATH as sdd.
func Main(m *testing.M) {
	testscript.Main(cleaned{m}, map[string]func(){
		"sdd": func() { os.Exit(program.Main()) },
	})
}

type cleaned struct{ *testing.M }

func (m cleaned) Run() int {
	longtest.Patient()
	defer func() { os.RemoveAll(built.dir) }()
	return m.M.Run()
}

var built struct {
	sync.Once
	dir string
	out []byte
	err error
}

// Build makes the real program, once in a package, and returns its path. Tests that do not need main itself take the sdd in PATH.
func Build(t testing.TB) string {
	t.Helper()
	built.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "sdd-built"); built.err == nil {
			built.out, built.err = exec.Command("go", "build", "-o", filepath.Join(built.dir, "sdd.exe"), "sdd/cmd/sdd").CombinedOutput()
		}
	})
	if built.err != nil {
		t.Fatalf("go build: %v\n%s", built.err, built.out)
	}
	return filepath.Join(built.dir, "sdd.exe")
}
