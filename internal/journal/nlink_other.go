//go:build !unix

package journal

import "io/fs"

// unlinked reports whether an open file has been deleted. This system does not delete open files.
func unlinked(fs.FileInfo) bool { return false }
