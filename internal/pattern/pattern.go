// Package pattern makes regular expressions and sets of words that cost nothing until they are used. The program is started
// for every editor window and every git merge, and most of those processes need few of them.
package pattern

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
)

// Late returns a function that compiles the regular expression on its first call. It panics if expr is invalid. Several
// goroutines may call it.
func Late(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// MaxProgram limits the instructions of a caller's compiled expression, because the time of a match grows with their number.
const MaxProgram = 1000

// Given compiles a caller's expression. It refuses an expression with a program over MaxProgram.
func Given(tree *syntax.Regexp) (*regexp.Regexp, error) {
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, err
	}
	if n := len(prog.Inst); n > MaxProgram {
		return nil, fmt.Errorf("it makes a program of %d steps, at most %d are run: x{1000} counts as a thousand x", n, MaxProgram)
	}
	return regexp.Compile(tree.String())
}

// Words returns a function that splits the list at white space on its first call and returns the set of its words. Several
// goroutines may call it.
func Words(list string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		set := map[string]bool{}
		for word := range strings.FieldsSeq(list) {
			set[word] = true
		}
		return set
	})
}

// Lists is Words for lines of a name, a colon and words: it returns a set for each name. Lines of one name add up, and # begins a comment.
func Lists(text string) func() map[string]map[string]bool {
	return sync.OnceValue(func() map[string]map[string]bool {
		sets := map[string]map[string]bool{}
		for line := range strings.Lines(text) {
			name, words, ok := strings.Cut(line, ": ")
			if !ok || line[0] == '#' {
				continue
			}
			if sets[name] == nil {
				sets[name] = map[string]bool{}
			}
			for word := range strings.FieldsSeq(words) {
				sets[name][word] = true
			}
		}
		return sets
	})
}
