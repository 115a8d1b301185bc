package index

import (
	"iter"
	"runtime"
	"sync"
	"sync/atomic"
)

// divide runs work in at most workers goroutines, one of them the caller's. Together they get each number from 0 to n-1 once.
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
	for range min(workers, runtime.GOMAXPROCS(0)) - 1 {
		done.Go(func() { work(numbers) })
	}
	work(numbers)
	done.Wait()
}
