package spawn

import (
	"os/exec"
	"syscall"
)

// Alone makes a command outlive this process and its console.
func Alone(cmd *exec.Cmd) {
	const detached = 0x00000008
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: detached | syscall.CREATE_NEW_PROCESS_GROUP}
}

// Own makes the command the head of a group of processes, so that what it starts ends with it; here it does nothing.
func Own(*exec.Cmd) {}

// Kill ends a command that is Own.
func Kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
