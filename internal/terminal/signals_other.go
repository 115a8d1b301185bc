//go:build !unix

package terminal

import (
	"context"
	"time"
)

// followSize calls check regularly until ctx ends: the system has no signal for a new size.
func followSize(ctx context.Context, check func()) {
	go func() {
		every := time.NewTicker(300 * time.Millisecond)
		defer every.Stop()
		for {
			select {
			case <-every.C:
				check()
			case <-ctx.Done():
				return
			}
		}
	}()
}

// stopProcess does nothing: the system cannot stop a process from its terminal.
func stopProcess() {}
