package app

import (
	"context"

	"sdd/internal/index"
	"sdd/internal/tier"
)

// Tiers returns how far the records have come: only on this disk, on this branch, or on the default branch.
func (w *App) Tiers(ctx context.Context) tier.Standing {
	w.follow.Do(func() { w.unfollow = w.Index.Listen(func([]index.Change) { w.tree.Changed() }) })
	return w.tree.Now(ctx)
}

// askTiers starts Tiers and returns a channel for the result, since git takes longer than a look-up.
func (w *App) askTiers(ctx context.Context) <-chan tier.Standing {
	out := make(chan tier.Standing, 1)
	go func() { out <- w.Tiers(ctx) }()
	return out
}
