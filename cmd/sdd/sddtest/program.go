// Package sddtest has the helpers for tests of the whole program: the program itself and clones for it. The tests are in the
// folders below, by subject, so that each package ends long before Go's time limit.
package sddtest

import (
	"flag"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"sdd/cmd/sdd/program"
	"sdd/internal/longtest"
	_ "sdd/internal/memory/start" // as in the real program: tests start it some thousand times
)

// Main is the TestMain of such a package. It puts the test's own program into PATH as sdd, and the further programs of the package. In
// short runs twice as many tests run at once as there are processors: they wait for the programs that they start.
func Main(m *testing.M, further map[string]func()) {
	if !longtest.Set() {
		flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0)))
	}
	programs := map[string]func(){"sdd": func() { os.Exit(program.Main()) }}
	maps.Copy(programs, further)
	testscript.Main(cleaned{m}, programs)
}

type cleaned struct{ *testing.M }

func (m cleaned) Run() int {
	longtest.Patient()
	dir, err := os.MkdirTemp("", "sdd-shared")
	if err == nil {
		err = longtest.GitTemplate(filepath.Join(dir, "git"))
	}
	if err != nil {
		log.Fatal(err)
	}
	shared.dir, shared.made = dir, map[string]bool{}
	os.Setenv("GIT_TEMPLATE_DIR", filepath.Join(dir, "git"))
	defer func() {
		os.RemoveAll(dir)
		os.RemoveAll(built.dir)
	}()
	return m.M.Run()
}

// Program is the path of the sdd in PATH.
func Program(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("sdd")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

var built struct {
	sync.Once
	dir string
	out []byte
	err error
}

// Build installs the real program on the disk, once in a package, and returns its path. Tests that do not need the real main use the sdd
// in PATH.
func Build(t testing.TB) string {
	t.Helper()
	built.Do(func() {
		if built.dir, built.err = os.MkdirTemp(longtest.Disk, "sdd-built"); built.err == nil {
			install := exec.Command("go", "install", "sdd/cmd/sdd")
			install.Env = append(os.Environ(), "GOBIN="+built.dir)
			built.out, built.err = install.CombinedOutput()
		}
	})
	if built.err != nil {
		t.Fatalf("go install: %v\n%s", built.err, built.out)
	}
	name := "sdd"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(built.dir, name)
}
