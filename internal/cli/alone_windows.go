package cli

import (
	"os/exec"
	"syscall"
)

// alone makes a command outlive this process and its console.
func alone(cmd *exec.Cmd) {
	const detached = 0x00000008
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: detached | syscall.CREATE_NEW_PROCESS_GROUP}
}
