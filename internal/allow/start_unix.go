//go:build unix

package allow

import (
	"os/exec"
	"syscall"
)

// Detach makes a command outlive this process and its terminal.
func Detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// Group makes the command the head of a group of processes, so that what it starts ends with it.
func Group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// KillGroup ends the group of a command that Group was called for. The group is there as long as one process of it is.
func KillGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
