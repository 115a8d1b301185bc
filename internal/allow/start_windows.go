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

// Group does nothing on this system: KillGroup ends only the command itself.
func Group(*exec.Cmd) {}

// KillGroup ends a command after a call of Group.
func KillGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
