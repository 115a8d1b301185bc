// Package pattern makes regular expressions that cost nothing until they are used. The program is started for
// every editor window and every git merge, and most of those processes need few of its expressions.
package pattern

import (
	"regexp"
	"sync"
)

// Late returns the regular expression, which is compiled on the first call and panics then if it is none. Several
// goroutines may call it.
func Late(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
