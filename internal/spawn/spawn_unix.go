//go:build unix

package spawn

import (
	"os/exec"
	"syscall"
)

// Alone makes a command outlive this process and its terminal.
func Alone(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// Own makes the command the head of a group of processes, so that what it starts ends with it.
func Own(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// Kill ends a command that is Own, and its group. The group is there as long as one process of it is.
func Kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
