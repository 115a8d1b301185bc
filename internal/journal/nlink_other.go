//go:build !unix

package journal

import "io/fs"

// unlinked reports that an open file has been deleted; here an open file cannot be.
func unlinked(fs.FileInfo) bool { return false }
