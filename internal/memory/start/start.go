// Package start is imported for its effect: the program makes its first garbage collection later. Go collects first at
// 4 MiB, and what the packages of this program make when they are initialised comes close to that. All of it stays, so a
// collection then finds nothing and takes two milliseconds of the time to the first answer.
//
// It is a package of its own because the effect must come before most of the packages are initialised: Go initialises those
// first that import little and whose paths sort first.
package start

import (
	"os"
	"runtime"

	"sdd/internal/memory"
)

// growth is the percentage that puts the first collection at 12 MiB.
const growth = 300

func init() {
	if os.Getenv("GOGC") == "" { // else the user decides
		runtime.AddCleanup(new(*int), func(done func()) { done() }, memory.Grow(growth)) // after the first collection
	}
}
