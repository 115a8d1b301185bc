package setup

import (
	"os"
	"os/exec"
	"path/filepath"

	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/pattern"
)

// Program returns the word with which a shell calls this program: its bare name if PATH finds it, which outlives an update, else its path.
func Program() string {
	path, found := ownPath()
	if path == "" || found {
		return driverName
	}
	return shellQuote(filepath.ToSlash(path))
}

// ownPath is the path of this program, "" when unknown; of one that PATH finds the path there, which outlives an update.
func ownPath() (path string, found bool) {
	path, err := os.Executable()
	if err != nil {
		return "", false
	}
	if inPath, err := exec.LookPath(driverName); err == nil && git.SameFile(inPath, path) {
		if abs, err := filepath.Abs(inPath); err == nil {
			return abs, true
		}
	}
	return path, false
}

// lastingProgram is Program for a setting in keeper, a file or folder. Its fault is Unavailable for a temporary program.
func lastingProgram(keeper string) (string, error) {
	program := Program()
	if program == driverName {
		return program, nil
	}
	path, _ := os.Executable()
	return program, lasting(path, keeper)
}

// lasting refuses a program that will be gone before keeper.
func lasting(program, keeper string) error {
	if !temporary(program, keeper) {
		return nil
	}
	return fault.New(fault.Unavailable, "this program is temporary, and its path %q would lead nowhere soon", filepath.ToSlash(program)).
		With(installHint + ", then run the command again with the installed sdd")
}

const installHint = "install it: go install ./cmd/sdd, or go build -o FOLDER ./cmd/sdd with a folder of your PATH"

// buildCache matches a program in Go's build cache, and one that `go run` makes.
var buildCache = pattern.Late(`/[0-9a-f]{2}/[0-9a-f]{64}-d/[^/]+$|/go-build[0-9]+/b[0-9]+/`)

// temporary reports whether a program goes before keeper: it is in Go's build cache, or, unlike keeper, in the temporary folder.
func temporary(program, keeper string) bool {
	if !filepath.IsAbs(program) { // PATH finds it
		return false
	}
	if buildCache().MatchString(filepath.ToSlash(program)) {
		return true
	}
	temp := realFolder(os.TempDir())
	return below(temp, realFolder(program)) && !below(temp, realFolder(keeper))
}
