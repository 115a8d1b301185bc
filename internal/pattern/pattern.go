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

// Late returns the regular expression, which is compiled on the first call and panics then if it is none. Several
// goroutines may call it.
func Late(expr string) func() *regexp.Regexp { return (&late{expr: expr}).get }

// MaxProgram is how many instructions an expression may compile to that a caller gave: a match takes time in proportion to them.
const MaxProgram = 1000

// Given compiles an expression that a caller gave. One whose program is too large is refused.
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

// late is one small object, where sync.OnceValue makes five: the program has hundreds of expressions.
type late struct {
	once sync.Once
	expr string
	re   *regexp.Regexp
}

func (l *late) get() *regexp.Regexp {
	l.once.Do(func() { l.re = regexp.MustCompile(l.expr) })
	return l.re
}

// Words returns the set of the words of a list, which stand between blanks and are taken as they stand there. It is made on the
// first call. Several goroutines may call it.
func Words(list string) func() map[string]bool { return (&words{list: list}).get }

type words struct {
	once sync.Once
	list string
	set  map[string]bool
}

func (w *words) get() map[string]bool {
	w.once.Do(func() {
		w.set = map[string]bool{}
		for word := range strings.FieldsSeq(w.list) {
			w.set[word] = true
		}
	})
	return w.set
}
