package setup

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/pattern"
)

// Program returns how the shell calls this program as long as it runs: by its bare name where that finds it in PATH, so that
// settings outlive an update, else by its path, quoted.
func Program() string {
	path, err := os.Executable()
	if err != nil {
		return driverName
	}
	if found, err := exec.LookPath(driverName); err == nil && git.SameFile(found, path) {
		return driverName
	}
	return shellQuote(filepath.ToSlash(path))
}

// lastingProgram is Program for what is written into a file or folder, keeper. Its fault is Unavailable when the program will be
// gone before that.
func lastingProgram(keeper string) (string, error) {
	program := Program()
	if program == driverName {
		return program, nil
	}
	path, _ := os.Executable()
	return program, lasting(path, keeper)
}

// lasting refuses a program that will be gone when what keeper says is used.
func lasting(program, keeper string) error {
	if !temporary(program, keeper) {
		return nil
	}
	return fault.New(fault.Unavailable, "this program is temporary, and its path %q would lead nowhere soon", filepath.ToSlash(program)).
		With(installHint + ", then run the command again with the installed sdd")
}

const installHint = "install it: go install ./cmd/sdd, or go build -o FOLDER ./cmd/sdd with a folder of your PATH"

// buildCache is the folder of a program in Go's build cache, wherever that is, and of one that `go run` makes.
var buildCache = pattern.Late(`/[0-9a-f]{2}/[0-9a-f]{64}-d/[^/]+$|/go-build[0-9]+/b[0-9]+/`)

// temporary reports whether a program will be gone before keeper: it is in Go's build cache, or in the folder for temporary
// files and keeper is not.
func temporary(program, keeper string) bool {
	if !filepath.IsAbs(program) { // PATH says where it is
		return false
	}
	if buildCache().MatchString(filepath.ToSlash(program)) {
		return true
	}
	return within(os.TempDir(), program) && !within(os.TempDir(), keeper)
}

// within reports whether path is below folder, links followed as far as they lead somewhere.
func within(folder, path string) bool {
	real := func(p string) string {
		rest := ""
		for at := p; ; at = filepath.Dir(at) {
			if r, err := filepath.EvalSymlinks(at); err == nil {
				return filepath.Join(r, rest)
			}
			if at == filepath.Dir(at) {
				return p
			}
			rest = filepath.Join(filepath.Base(at), rest)
		}
	}
	rel, err := filepath.Rel(real(folder), real(path))
	return err == nil && filepath.IsLocal(rel) && !strings.HasPrefix(rel, "..")
}
