//go:build !unix

package terminal

import (
	"context"
	"time"
)

// followSize calls tell now and then, for nothing tells of another size here, until ctx ends.
func followSize(ctx context.Context, tell func()) {
	go func() {
		every := time.NewTicker(300 * time.Millisecond)
		defer every.Stop()
		for {
			select {
			case <-every.C:
				tell()
			case <-ctx.Done():
				return
			}
		}
	}()
}

// stopProcess does nothing where a process cannot be stopped from its terminal.
func stopProcess() {}
