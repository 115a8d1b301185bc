// Package pattern makes regular expressions and sets of words that cost nothing until they are used. The program is started
// for every editor window and every git merge, and most of those processes need few of them.
package pattern

import (
	"regexp"
	"strings"
	"sync"
)

// Late returns the regular expression, which is compiled on the first call and panics then if it is none. Several
// goroutines may call it.
func Late(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// Words returns the set of the words of a list, which stand between blanks and are taken as they stand there. It is made on the
// first call. Several goroutines may call it.
func Words(list string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		set := map[string]bool{}
		for w := range strings.FieldsSeq(list) {
			set[w] = true
		}
		return set
	})
}
