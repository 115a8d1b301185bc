package codesearch

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"sdd/internal/atomicfile"
	"sdd/internal/store"
)

// A semantic tool that failed is not asked again in the same phase: each attempt would take its whole timeout. A
// server process remembers failures until it ends, the command line for ten minutes.

const (
	remembered  = 10 * time.Minute
	memoryFile  = "code-failures.json"
	maxRemember = 100 // phases
)

type failure struct {
	Reason string    `json:"reason"`
	Until  time.Time `json:"until"`
}

func (s *Searcher) recall(key string) (why string, ok bool) {
	if s.opt.OneCall {
		f, ok := s.readMemory()[key]
		return f.Reason, ok
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	why, ok = s.failed[key]
	return why, ok
}

func (s *Searcher) remember(key, why string) {
	if !s.opt.OneCall {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.failed[key] = why
		return
	}
	all := s.readMemory()
	if len(all) >= maxRemember {
		clear(all)
	}
	all[key] = failure{why, time.Now().Add(remembered)}
	data, err := json.Marshal(all)
	if err != nil {
		return
	}
	// If the file cannot be written, the next call only tries again.
	file := filepath.Join(store.Local(s.root), memoryFile)
	if err := os.Mkdir(filepath.Dir(file), 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return // no store yet
	}
	_ = atomicfile.Replace(file, data, atomicfile.Private)
}

// readMemory returns the failures that still count.
func (s *Searcher) readMemory() map[string]failure {
	all := map[string]failure{}
	src, err := os.ReadFile(filepath.Join(store.Local(s.root), memoryFile))
	if err != nil || json.Unmarshal(src, &all) != nil || all == nil {
		return map[string]failure{}
	}
	now := time.Now()
	for k, f := range all {
		if now.After(f.Until) || f.Until.After(now.Add(2*remembered)) {
			delete(all, k)
		}
	}
	return all
}
