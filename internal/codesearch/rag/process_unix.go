//go:build unix

package rag

import (
	"os/exec"
	"syscall"
)

// own makes the command the head of a group of processes, so that what it starts ends with it.
func own(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// kill ends the command and its group. The group is there as long as one process of it is.
func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
