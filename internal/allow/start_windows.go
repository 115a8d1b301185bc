package allow

import (
	"os/exec"
	"syscall"
)

// Detach makes a command outlive this process and its console.
func Detach(cmd *exec.Cmd) {
	const detached = 0x00000008
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: detached | syscall.CREATE_NEW_PROCESS_GROUP}
}

// Group makes the command the head of a group of processes, so that what it starts ends with it; here it does nothing.
func Group(*exec.Cmd) {}

// KillGroup ends a command that Group was called for.
func KillGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
