package app

import (
	"context"
	"slices"

	"sdd/internal/answer"
	"sdd/internal/config"
	"sdd/internal/git"
	"sdd/internal/history"
	"sdd/internal/index"
	"sdd/internal/record"
	"sdd/internal/sealed"
	"sdd/internal/store"
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
	w.follow.Do(func() {
		w.unfollow = w.Index.Listen(func(changes []index.Change) {
			for _, c := range changes {
				if c.What == index.Changed {
					w.tree.Edited(c.Path)
				} else {
					w.tree.Changed()
				}
			}
		})
	})
	_ = w.Index.Refresh(ctx) // the tree hears of edits by the index; the question that asks for tiers reports why it fails
	now := w.tree.Now(ctx)
	if w.others != nil {
		now.Elsewhere = w.cameFrom
	}
	return now
}

// askTiers starts Tiers and returns a channel for the result, since git takes longer than a look-up.
func (w *App) askTiers(ctx context.Context) <-chan tier.Standing {
	return started(func() tier.Standing { return w.Tiers(ctx) })
}

// started runs f in the background.
func started[T any](f func() T) <-chan T {
	out := make(chan T, 1)
	go func() { out <- f() }()
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
	return started(func() answer.Tiers {
		now := w.Tiers(ctx)
		t := answer.Tiers{Standing: now, Policy: w.policy(ctx, now)}
		if t.Least == tier.Signed {
			t.Sign = func(ctx context.Context, path string) tier.Tier { return w.tree.Sign(ctx, t.Policy, path) }
		}
		t.Instead = w.instead(ctx, t)
		return t
	})
}

// Why is history.WhyOf, with the tier of each item and the state of its commit's signature.
func (w *App) Why(ctx context.Context, s history.Subject, section string) (history.Why, error) {
	why, err := history.WhyOf(ctx, w.Store, s, section)
	if err != nil {
		return why, err
	}
	now := w.Tiers(ctx)
	var origins []*history.Origin
	for n := range why.Items {
		origins = append(origins, &why.Items[n].Origin)
	}
	commits := commitsOf(origins)
	of, branch := now.Of(s.Path), w.tree.Unmerged(ctx, commits)
	for n := range why.Items {
		i := &why.Items[n]
		switch i.Tier = of; {
		case of == tier.Unknown, of == tier.Own, of == tier.Proposed:
		case i.Commit == "":
			i.Tier = tier.Uncommitted
		case branch[i.Commit]:
			i.Tier = tier.Branch
		default:
			i.Tier = tier.Main
		}
	}
	w.verify(ctx, origins, now)
	return why, nil
}

// verify fills in the signatures of commits.
func (w *App) verify(ctx context.Context, origins []*history.Origin, now tier.Standing) {
	signed := w.tree.Signatures(ctx, w.policy(ctx, now), commitsOf(origins))
	for _, o := range origins {
		o.Signature = signed[o.Commit]
	}
}

func commitsOf(origins []*history.Origin) (commits []string) {
	for _, o := range origins {
		if o.Commit != "" && !slices.Contains(commits, o.Commit) {
			commits = append(commits, o.Commit)
		}
	}
	return commits
}

// instead returns the records that an answer may not use as on disk, in the version that it may use; those unreadable there are left out.
func (w *App) instead(ctx context.Context, t answer.Tiers) (texts []answer.Text) {
	changed, dir := t.Below(t.Least), w.Store.Home()
	if len(changed) == 0 {
		return nil
	}
	commit := t.Commit
	if t.Least >= tier.Main {
		commit = git.DefaultCommit(dir)
	}
	repo, err := git.Open(dir)
	if err != nil || commit == "" {
		return nil
	}
	files, err := store.InCommit(ctx, repo, dir, commit)
	if err != nil {
		return nil
	}
	objects := repo.Objects(ctx)
	defer objects.Close()
	for _, f := range files {
		kind, _ := record.KindOf(f.Path)
		if !changed[f.Path] || kind == record.Candidate {
			continue
		}
		src, err := objects.Read(f.ID)
		if err != nil {
			continue
		}
		r := record.Parse(f.Path, src, record.Defaults{Project: w.Store.Project()})
		one := answer.Text{Document: index.Document{Path: r.ID + answer.Earlier, Title: r.Title, Source: src}, Tier: min(t.Least, tier.Main)}
		if one.Tier == tier.Main && t.Sign != nil {
			one.Tier = t.Sign(ctx, f.Path)
		}
		if record.Gone(r.Status) || !t.Allows(one.Tier) {
			continue
		}
		if kind == record.Fact || kind == record.Idea {
			one.Line = r.Preamble
		}
		texts = append(texts, one)
	}
	return texts
}
