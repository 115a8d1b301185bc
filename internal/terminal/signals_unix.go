//go:build unix

package terminal

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// followSize calls check whenever the terminal has a new size, until ctx ends.
func followSize(ctx context.Context, check func()) {
	changed := make(chan os.Signal, 1)
	signal.Notify(changed, syscall.SIGWINCH)
	go func() {
		defer signal.Stop(changed)
		for {
			select {
			case <-changed:
				check()
			case <-ctx.Done():
				return
			}
		}
	}()
}

// stopProcess stops this process like Ctrl-Z, unless no shell could continue it, and returns when it continues.
func stopProcess() {
	on := make(chan os.Signal, 1)
	signal.Notify(on, syscall.SIGCONT)
	defer signal.Stop(on)
	if syscall.Kill(0, syscall.SIGTSTP) != nil {
		return
	}
	select {
	case <-on:
	case <-time.After(stopWithin):
	}
}

// stopWithin is the longest time that the system takes to stop a process.
const stopWithin = 200 * time.Millisecond
