package app

import (
	"context"

	"sdd/internal/answer"
	"sdd/internal/config"
	"sdd/internal/index"
	"sdd/internal/sealed"
	"sdd/internal/tier"
)

// Tiers returns how far the records have come: only on this disk, on this branch, or on the default branch.
func (w *App) Tiers(ctx context.Context) tier.Standing {
	if w.fromHub {
		return tier.Merged()
	}
	if w.plainOf != nil {
		there, now := w.plainOf.Tiers(ctx), tier.Standing{}
		now.Elsewhere = func(path string) (tier.Tier, bool) { return there.Of(sealed.OnDisk(path)), true }
		return now
	}
	w.follow.Do(func() { w.unfollow = w.Index.Listen(func([]index.Change) { w.tree.Changed() }) })
	now := w.tree.Now(ctx)
	if w.others != nil {
		now.Elsewhere = w.cameFrom
	}
	return now
}

// askTiers starts Tiers and returns a channel for the result, since git takes longer than a look-up.
func (w *App) askTiers(ctx context.Context) <-chan tier.Standing {
	out := make(chan tier.Standing, 1)
	go func() { out <- w.Tiers(ctx) }()
	return out
}

// policy returns what answers may use: as config.yaml says, and never less strict than it says on the default branch.
func (w *App) policy(ctx context.Context, now tier.Standing) tier.Policy {
	c, _ := w.Store.Config()
	here := tier.PolicyOf(c.Sections[tier.Section])
	if t := now.Of(config.Name); t == tier.Main || t == tier.Unknown || t == tier.Own {
		return here // the same file
	}
	base, _ := config.Parse(w.tree.OnBase(ctx, config.Name))
	return here.Within(tier.PolicyOf(base.Sections[tier.Section]))
}

// answerTiers starts to find what an answer says of its records.
func (w *App) answerTiers(ctx context.Context) <-chan answer.Tiers {
	out := make(chan answer.Tiers, 1)
	go func() {
		now := w.Tiers(ctx)
		t := answer.Tiers{Standing: now, Policy: w.policy(ctx, now)}
		if t.Least == tier.Signed {
			t.Sign = func(ctx context.Context, path string) tier.Tier { return w.tree.Sign(ctx, t.Policy, path) }
		}
		out <- t
	}()
	return out
}
