//go:build unix

package allow

import (
	"os/exec"
	"syscall"
)

// Detach makes a command outlive this process and its terminal.
func Detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// Group makes the command the head of a process group, so that its child processes can end with it.
func Group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// KillGroup ends the process group of a command after a call of Group. It exists as long as one of its processes runs.
func KillGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
