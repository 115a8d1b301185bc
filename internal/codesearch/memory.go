package codesearch

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
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

// recall returns why the tool failed before.
func (s *Searcher) recall(key string) (why string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := s.failed[key]
	return f.Reason, ok
}

func (s *Searcher) remember(key, why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.failed) >= maxRemember {
		clear(s.failed)
	}
	s.failed[key] = failure{why, time.Now().Add(remembered)}
	data, err := json.Marshal(s.failed)
	file := filepath.Join(store.Local(s.root), memoryFile)
	if err != nil || !s.opt.OneCall {
		return
	}
	if err := os.Mkdir(filepath.Dir(file), 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return // no store yet
	}
	_ = atomicfile.Replace(file, data, atomicfile.Private) // if it cannot be written, the next call only tries again
}

// readMemory returns the failures of earlier processes that still count.
func readMemory(root string) map[string]failure {
	all := map[string]failure{}
	src, err := os.ReadFile(filepath.Join(store.Local(root), memoryFile))
	if err != nil || json.Unmarshal(src, &all) != nil || all == nil {
		return map[string]failure{}
	}
	now := time.Now()
	maps.DeleteFunc(all, func(_ string, f failure) bool { return now.After(f.Until) || f.Until.After(now.Add(2*remembered)) })
	return all
}
