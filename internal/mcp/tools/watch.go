package tools

import (
	"context"
	"strings"

	"sdd/internal/index"
	"sdd/internal/learning"
	"sdd/internal/mcp/transport"
	"sdd/internal/record"
)

// watch reports changes of the index to h, whether this process, another one or an editor made
// them.
func (c core) watch(ctx context.Context, h *transport.Hub) error {
	if err := c.Index.Refresh(ctx); err != nil {
		return err
	}
	cancel := c.Index.Subscribe(func(changes []index.Change) {
		list := false
		for _, ch := range changes {
			if slug, ok := strings.CutPrefix(ch.ID, "explore/"); ok {
				h.Updated(exploreURI + slug)
				h.UpdatedBelow(exploreURI + slug)
			}
			if slug, ok := strings.CutPrefix(ch.ID, "decision/"); ok {
				h.Updated(decisionURI + slug)
			}
			if ch.Kind == record.Idea {
				h.Updated(ideaURI + ch.ID)
				h.Updated(learningsURI)
			}
			if ch.Kind == record.Fact {
				h.Updated(factURI + ch.ID)
			}
			list = list || ch.What != index.Changed
		}
		h.Updated(overviewURI)
		h.UpdatedBelow(overviewURI)
		h.Updated(statusURI)
		if list {
			h.ListChanged()
		}
	})
	// Commits that touch learnings change no record.
	cancelEvents := c.Learnings.Subscribe(func(e learning.Event) {
		h.Updated(ideaURI + e.Idea)
		h.Updated(learningsURI)
	})
	if err := c.Learnings.Notice(ctx); err != nil {
		return err
	}
	// A commit marks learnings and yields facts without changing any file of the store.
	c.Store.WatchHead(ctx, func() {
		if c.Inbox.Follow(ctx) != nil || c.Learnings.Notice(ctx) != nil {
			return // the next call fails for the same reason
		}
		h.Updated(overviewURI)
		h.Updated(statusURI)
	})
	context.AfterFunc(ctx, func() {
		cancel()
		cancelEvents()
	})
	return nil
}
