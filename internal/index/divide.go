package index

import (
	"iter"
	"runtime"
	"sync"
	"sync/atomic"
)

// divide runs work in as many goroutines as there are processors, at most workers, and waits for them. Together they get the
// numbers from 0 to n-1, each once.
func divide(n, workers int, work func(numbers iter.Seq[int])) {
	var next atomic.Int64
	numbers := func(yield func(int) bool) {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			if !yield(i) {
				return
			}
		}
	}
	var done sync.WaitGroup
	for range min(workers, runtime.GOMAXPROCS(0)) {
		done.Go(func() { work(numbers) })
	}
	done.Wait()
}
