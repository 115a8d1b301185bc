// Package start delays the program's first garbage collection when it is imported. Go collects first at 4 MiB, near what the initialisation
// of this program's packages allocates and keeps: a collection would free nothing and delay the first answer by two milliseconds.
//
// Go first initialises packages with few imports and with paths that sort first, so it is a package of its own.
package start

import (
	"os"
	"runtime"

	"sdd/internal/memory"
)

// growth is the percentage for a first collection at 12 MiB.
const growth = 300

func init() {
	if os.Getenv("GOGC") == "" { // else the user's setting counts
		runtime.AddCleanup(new(*int), func(done func()) { done() }, memory.Grow(growth)) // after the first collection
	}
}
