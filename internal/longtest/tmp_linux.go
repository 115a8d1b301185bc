package longtest

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Tests make and remove some hundred thousand small files. ext4 avoids for some seconds what was just removed, and looks long
// for the rest: a file system in memory, where there is a large one that can run programs, saves a fifth of the processor time.
// With SDD_LONG=1 they stay on the disk.
func init() {
	const memory, tmpfs, noexec, least = "/dev/shm", 0x01021994, 8, 4 << 30
	if Set() || os.Getenv("TMPDIR") != "" || !strings.HasSuffix(os.Args[0], ".test") {
		return
	}
	var fs syscall.Statfs_t
	if syscall.Statfs(memory, &fs) != nil || fs.Type != tmpfs || fs.Flags&noexec != 0 || fs.Bavail*uint64(fs.Bsize) < least {
		return
	}
	if dir, err := own(memory); err == nil {
		Disk = os.TempDir()
		os.Setenv("TMPDIR", dir)
		if template := filepath.Join(dir, "git"); GitTemplate(template) == nil {
			os.Setenv("GIT_TEMPLATE_DIR", template)
		}
	}
}

// own makes a folder that is locked until the process ends, and removes those of processes that have ended: killed tests remove nothing.
func own(in string) (string, error) {
	const name = "sddt"
	left, _ := filepath.Glob(filepath.Join(in, name+"*"))
	for _, dir := range left {
		if fd, err := lock(dir); err == nil {
			os.RemoveAll(dir)
			syscall.Close(fd)
		}
	}
	made, err := os.MkdirTemp(in, "."+name) // under this name others leave it until it is locked
	if err != nil {
		return "", err
	}
	if _, err := lock(made); err != nil {
		return "", err
	}
	if err := os.Chmod(made, 0o755); err != nil { // PostgreSQL runs as another user
		return "", err
	}
	dir := filepath.Join(in, strings.TrimPrefix(filepath.Base(made), "."))
	return dir, os.Rename(made, dir)
}

func lock(dir string) (int, error) {
	fd, err := syscall.Open(dir, syscall.O_DIRECTORY|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0)
	if err == nil {
		if err = syscall.Flock(fd, syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
			syscall.Close(fd)
		}
	}
	return fd, err
}
