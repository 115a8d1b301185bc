//go:build unix

package terminal

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// followSize calls tell whenever the terminal has another size, until ctx ends.
func followSize(ctx context.Context, tell func()) {
	changed := make(chan os.Signal, 1)
	signal.Notify(changed, syscall.SIGWINCH)
	go func() {
		defer signal.Stop(changed)
		for {
			select {
			case <-changed:
				tell()
			case <-ctx.Done():
				return
			}
		}
	}()
}

// stopProcess stops this process as Ctrl-Z does, and returns when it goes on. Where nobody could let it go on the system
// does not stop it.
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

// stopWithin is how long the system takes to stop a process at most.
const stopWithin = 200 * time.Millisecond
