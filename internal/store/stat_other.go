//go:build !linux && !darwin

package store

import "io/fs"

func statOf(fi fs.FileInfo) Stat {
	return Stat{Size: fi.Size(), Mtime: fi.ModTime().UnixNano()}
}
