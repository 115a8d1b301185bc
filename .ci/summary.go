//go:build ignore

// Summary reads `go test -json` and prints what a person wants of it: the closing line of every package, and
// all that the failed tests said. It writes "N passed, N failed, N skipped" to the file named by its argument
// and exits 1 when anything failed. Tests with subtests count as well as these, and so does a package that
// fails without a test. A test that ran twice counts once: as failed when it ever failed, as skipped when it never ran.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
)

type event struct{ Action, Package, ImportPath, Test, Output string }

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go test -json | summary FILE")
		os.Exit(2)
	}
	rank := map[string]int{"skip": 1, "pass": 2, "fail": 3}
	ended := map[[2]string]string{}          // how, by package and test
	said := map[[2]string]*strings.Builder{} // by package and test
	failed := map[string]bool{}              // packages
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadString('\n')
		var e event
		if line != "" && json.Unmarshal([]byte(line), &e) != nil {
			fmt.Print(line) // not from a test
		}
		at := [2]string{e.Package, e.Test}
		switch e.Action {
		case "output":
			if said[at] == nil {
				said[at] = new(strings.Builder)
			}
			if e.Test == "" && closing(e.Output) {
				fmt.Print(e.Output)
			} else {
				said[at].WriteString(e.Output)
			}
		case "build-output":
			fmt.Print(e.Output)
		case "pass", "fail", "skip":
			if e.Test != "" || e.Action == "fail" && !failed[e.Package] { // a package may fail without a test
				if rank[e.Action] > rank[ended[at]] {
					ended[at] = e.Action
				}
			}
			if e.Action == "fail" {
				failed[e.Package] = true
				tell(said, at)
			}
			delete(said, at)
		}
		if err != nil {
			break
		}
	}
	count := map[string]int{}
	for _, how := range ended {
		count[how]++
	}
	summary := fmt.Sprintf("%d passed, %d failed, %d skipped", count["pass"], count["fail"], count["skip"])
	if err := os.WriteFile(os.Args[1], []byte(summary+"\n"), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if len(failed) > 0 {
		os.Exit(1)
	}
}

// tell prints what a failed test said; of a failed package also what its unfinished tests said, such as a stack.
func tell(said map[[2]string]*strings.Builder, at [2]string) {
	if at[1] != "" {
		if b := said[at]; b != nil {
			fmt.Print(b)
		}
		return
	}
	var all [][2]string
	for other := range said {
		if other[0] == at[0] {
			all = append(all, other)
		}
	}
	slices.SortFunc(all, func(a, b [2]string) int { return strings.Compare(a[1], b[1]) })
	for _, other := range all {
		fmt.Print(said[other])
		delete(said, other)
	}
}

// closing reports whether a line is the one with which a package's tests end.
func closing(line string) bool {
	for _, mark := range []string{"ok  ", "FAIL\t", "?   ", "---", "panic:"} {
		if strings.HasPrefix(line, mark) {
			return true
		}
	}
	return false
}
