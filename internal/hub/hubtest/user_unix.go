//go:build unix

package hubtest

import (
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// server returns the user that runs PostgreSQL, which refuses to run as root; ok is false when this user can.
func server() (uid, gid int, ok bool) {
	if os.Getuid() != 0 {
		return 0, 0, false
	}
	for _, name := range []string{"postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			uid, _ = strconv.Atoi(u.Uid)
			gid, _ = strconv.Atoi(u.Gid)
			return uid, gid, true
		}
	}
	return 0, 0, false
}

func own(dir string) error {
	uid, gid, ok := server()
	if !ok {
		return nil
	}
	return os.Chown(dir, uid, gid)
}

func asServer(cmd *exec.Cmd) {
	if uid, gid, ok := server(); ok {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	}
}
