package store

import (
	"context"
	"crypto/rand"
	"os"
	"path/filepath"

	"sdd/internal/fault"
)

// OpenTexts returns a store that only reads, but for SaveEncrypted: its records are texts in memory, by their paths, with the
// project and the config.yaml of as. Its folder does not exist, so that nothing is read beside the texts and nothing is
// written.
func OpenTexts(texts map[string][]byte, as *Store) *Store {
	dir := filepath.Join(os.TempDir(), "sdd-texts-"+rand.Text())
	s := &Store{dir: dir, sdd: filepath.Join(dir, Folder), texts: texts, opt: as.opt}
	s.opt.As = as
	for i := range s.turns {
		s.turns[i] = make(chan struct{}, 1)
	}
	return s
}

func (s *Store) readText(path string) (File, error) {
	src, ok := s.texts[path]
	if !ok {
		return File{}, fault.New(fault.NotFound, "there is no file %q", shown(path)).At(shown(path), 0).With("search for its title")
	}
	return File{Path: path, Bytes: src, Stat: textStat(src)}, nil
}

// textStat returns the Stat of a text, which never changes.
func textStat(src []byte) Stat { return Stat{Size: int64(len(src)), Mtime: 1} }

func (s *Store) scanTexts(ctx context.Context, visit func(path string, st Stat) error) error {
	for path, src := range s.texts {
		if err := visit(path, textStat(src)); err != nil {
			return err
		}
	}
	return ctx.Err()
}
