package store

import "golang.org/x/sys/unix"

// localKinds are the file systems that report every change to inotify: those whose files only
// this machine changes.
var localKinds = map[int64]bool{
	unix.EXT4_SUPER_MAGIC:      true, // ext2 and ext3 too
	unix.XFS_SUPER_MAGIC:       true,
	unix.BTRFS_SUPER_MAGIC:     true,
	unix.TMPFS_MAGIC:           true,
	unix.RAMFS_MAGIC:           true,
	unix.OVERLAYFS_SUPER_MAGIC: true,
	unix.F2FS_SUPER_MAGIC:      true,
	unix.MSDOS_SUPER_MAGIC:     true,
	unix.EXFAT_SUPER_MAGIC:     true,
	unix.NILFS_SUPER_MAGIC:     true,
	unix.REISERFS_SUPER_MAGIC:  true,
	unix.ECRYPTFS_SUPER_MAGIC:  true,
	0x2fc12fc1:                 true, // zfs
	0xca451a4e:                 true, // bcachefs
	0x3153464a:                 true, // jfs
	0x7366746e:                 true, // ntfs3
}

// watchable reports whether the file system of a folder makes an event for every change.
func watchable(dir string) bool {
	var st unix.Statfs_t
	return unix.Statfs(dir, &st) == nil && localKinds[int64(st.Type)]
}
