package codesearch

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"sdd/internal/codesearch/rag"
	"sdd/internal/fault"
)

const (
	soonFailed  = 700 * time.Millisecond // how long a search waits for a failure
	reindexTime = 10 * time.Minute       // how long a reindexer may run
	maxChanged  = 10_000
)

// reindex starts to renew the index for the changed files and does not wait for the end. It returns the risks known so
// far.
func (s *Searcher) reindex(ctx context.Context, st Strategy, files []string) []string {
	if risk := s.cannotReindex(st, files); risk != "" {
		return []string{risk}
	}
	var ended <-chan error
	if s.opt.Detach != nil {
		var err error
		if ended, err = s.opt.Detach(files); err != nil {
			return []string{"the index is not renewed: " + err.Error()}
		}
	} else {
		done := make(chan error, 1)
		ended = done
		s.work.Go(func() { done <- s.Reindex(s.life, files) })
	}
	select {
	case err := <-ended:
		if err != nil {
			return []string{"the index is not renewed: " + fault.Of(err).Error()}
		}
	case <-time.After(soonFailed):
	case <-ctx.Done():
	}
	return nil
}

// cannotReindex returns why the reindexer cannot start; "" when it can.
func (s *Searcher) cannotReindex(st Strategy, files []string) string {
	if len(files) > maxChanged {
		return fmt.Sprintf("the index is not renewed: %d files are too many, at most %d are taken", len(files), maxChanged)
	}
	for _, f := range files {
		if !filepath.IsLocal(filepath.FromSlash(f)) {
			return fmt.Sprintf("the index is not renewed: %q leads out of the project", f)
		}
	}
	if st.Mode != ModeHybrid || st.RAG.ReindexTool == "" {
		return "the index is not renewed: search_strategy.rag.reindex_tool is not set"
	}
	if _, risk := s.server(st.RAG); risk != "" {
		return "the index is not renewed: " + risk
	}
	return ""
}

// Reindex renews the index for the changed files and waits for the end, ten minutes at most.
func (s *Searcher) Reindex(ctx context.Context, files []string) error {
	st := s.Strategy()
	if risk := s.cannotReindex(st, files); risk != "" {
		return fault.New(fault.Unavailable, "%s", risk).With("set search_strategy in .sdd/config.yaml, and see sdd trust")
	}
	server, _ := s.server(st.RAG)
	ctx, cancel := context.WithTimeout(ctx, reindexTime)
	defer cancel()
	// A connection of its own: a search may drop the shared one.
	c, err := rag.Connect(ctx, server, s.root)
	if err == nil {
		defer c.Close()
		err = c.Reindex(ctx, rag.Request{Tool: st.RAG.ReindexTool, Root: s.root, Files: files, Fixed: st.RAG.Args})
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fault.New(fault.Unavailable, "the reindexer did not end within %s", reindexTime).With("look after the server")
	}
	return err
}
