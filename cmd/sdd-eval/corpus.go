package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// The parts of a corpus.
const (
	tuned   = "tuned"
	heldOut = "held"
)

// moduleRoot returns the folder of the go.mod at or above the working directory.
func moduleRoot() (string, error) {
	at, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := at; ; {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		above := filepath.Dir(dir)
		if above == dir {
			return "", fmt.Errorf("no go.mod at or above %s: run it inside the module", at)
		}
		dir = above
	}
}

// labelled is a case of a corpus.
type labelled interface {
	name() string // that no other case of the corpus has
	part() string
	check() error // whether it can be measured at all
}

// readLines reads a corpus with one case a line. Keys that a case does not have are refused: a misspelt label
// would count as none.
func readLines[T labelled](file string) ([]T, error) {
	src, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var cases []T
	lines := bufio.NewScanner(bytes.NewReader(src))
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		var c T
		if err := strict(lines.Bytes(), &c); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", filepath.Base(file), n, err)
		}
		cases = append(cases, c)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(file), err)
	}
	return cases, checked(cases)
}

// checked refuses cases that are unfit, or that share a name.
func checked[T labelled](cases []T) error {
	seen := map[string]bool{}
	for _, c := range cases {
		switch {
		case c.name() == "" || seen[c.name()]:
			return fmt.Errorf("%q is the name of no case or of two", c.name())
		case c.part() != tuned && c.part() != heldOut:
			return fmt.Errorf("%s: part is %q, not %s or %s", c.name(), c.part(), tuned, heldOut)
		}
		if err := c.check(); err != nil {
			return fmt.Errorf("%s: %w", c.name(), err)
		}
		seen[c.name()] = true
	}
	return nil
}

// strict decodes one JSON value with no unknown keys.
func strict(src []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(src))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if d.More() {
		return errors.New("more than one value")
	}
	return nil
}
