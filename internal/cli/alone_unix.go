//go:build unix

package cli

import (
	"os/exec"
	"syscall"
)

// alone makes a command outlive this process and its terminal.
func alone(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
