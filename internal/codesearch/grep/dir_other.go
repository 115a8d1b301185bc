//go:build !linux

package grep

func (t *Tree) openDir(p string) (dir, error) { return t.openRootDir(p) }
