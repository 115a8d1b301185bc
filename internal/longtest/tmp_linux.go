package longtest

import (
	"os"
	"syscall"
)

// Tests make and remove some hundred thousand small files. ext4 avoids for some seconds what was just removed, and looks long
// for the rest: a file system in memory, where there is a large one that can run programs, saves a fifth of the processor time.
// With SDD_LONG=1 they stay on the disk.
func init() {
	const memory, tmpfs, noexec, least = "/dev/shm", 0x01021994, 8, 4 << 30
	if Set() || os.Getenv("TMPDIR") != "" {
		return
	}
	var fs syscall.Statfs_t
	if syscall.Statfs(memory, &fs) != nil || fs.Type != tmpfs || fs.Flags&noexec != 0 || fs.Bavail*uint64(fs.Bsize) < least {
		return
	}
	if dir, err := os.MkdirTemp(memory, "sdd"); err == nil {
		os.Remove(dir)
		Disk = os.TempDir()
		os.Setenv("TMPDIR", memory)
	}
}
