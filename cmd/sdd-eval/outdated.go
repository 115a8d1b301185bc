package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"sdd/internal/index"
	"sdd/internal/learning"
	"sdd/internal/store"
)

// decide says whether the learning with that id is outdated by a commit of the repository at repo, as it is
// checked out, and by which: its full hash.
type decide func(ctx context.Context, repo, id string) (outdated bool, commit string, err error)

// decideOutdated is what the program says.
func decideOutdated(ctx context.Context, repo, id string) (outdated bool, commit string, err error) {
	st, err := store.Open(store.Options{Dir: repo})
	if err != nil {
		return false, "", err
	}
	defer st.Close()
	ix := index.Open(st)
	defer ix.Close()
	l := learning.New(st, ix)
	defer l.Close()
	i, err := l.Get(ctx, id)
	if err != nil || i.Verdict == nil || i.Verdict.Commit == "" {
		return false, "", err
	}
	return true, i.Verdict.Commit, nil
}

// outdatedFolder holds the histories, relative to the module.
const outdatedFolder = "internal/learning/testdata/outdated"

// players is how many histories are played at once: git waits for its processes more than for the disk.
const players = 4

// Labels and verdicts of a learning.
const (
	outdated = "outdated"
	current  = "current"
	// another is the verdict outdated that names a commit which is not the one.
	another = "outdated by another commit"
)

func measureOutdated(ctx context.Context, top string, parts []string) ([]row, error) {
	histories, err := readHistories(filepath.Join(top, outdatedFolder))
	if err != nil {
		return nil, err
	}
	histories = slices.DeleteFunc(histories, func(h history) bool { return !slices.Contains(parts, h.Part) })
	verdicts, err := judge(ctx, histories, decideOutdated)
	if err != nil {
		return nil, err
	}
	o := newOutcome(parts)
	for i, h := range histories {
		o.add(h, label(h.Outdated), verdicts[i], "")
	}
	return []row{o.row("outdated", 100, matrix.accuracy)}, nil
}

func label(isOutdated bool) string {
	if isOutdated {
		return outdated
	}
	return current
}

// judge plays each history in a repository of its own and returns what by says of its learning.
func judge(ctx context.Context, histories []history, by decide) ([]string, error) {
	dir, err := os.MkdirTemp("", "sdd-eval-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	verdicts, failed := make([]string, len(histories)), make([]error, len(histories))
	free := make(chan struct{}, players)
	var running sync.WaitGroup
	for i, h := range histories {
		free <- struct{}{}
		running.Go(func() {
			defer func() { <-free }()
			var err error
			if verdicts[i], err = verdict(ctx, h, filepath.Join(dir, h.ID), by); err != nil {
				failed[i] = fmt.Errorf("%s: %w", h.ID, err)
			}
		})
	}
	running.Wait()
	return verdicts, errors.Join(failed...)
}

func verdict(ctx context.Context, h history, repo string, by decide) (string, error) {
	p, err := play(ctx, h, repo)
	if err != nil {
		return "", err
	}
	isOutdated, commit, err := by(ctx, repo, p.id)
	switch {
	case err != nil:
		return "", err
	case isOutdated && h.Outdated && commit != p.commits[h.Commit-1]:
		return another, nil
	}
	return label(isOutdated), nil
}
