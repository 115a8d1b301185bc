package store

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"time"

	"sdd/internal/journal"
)

// An action holds all changes of one call. Undo takes back whole ones that a user or agent asked for, no background work.

type actionKey struct{}

type acting struct {
	id  string
	own bool
}

// WithAction begins an action: saves under the context belong to it. A save without one is an action of its own.
func WithAction(ctx context.Context) context.Context {
	return context.WithValue(ctx, actionKey{}, acting{id: strings.ToLower(rand.Text()[:10])})
}

// ByItself marks the saves under the context as the program's own: no user or agent asked for them.
func ByItself(ctx context.Context) context.Context {
	return context.WithValue(ctx, actionKey{}, acting{own: true})
}

func actingIn(ctx context.Context) acting {
	a, _ := ctx.Value(actionKey{}).(acting)
	return a
}

// Action is a unit of Undo: its changes that have not been taken back yet, oldest first.
type Action struct {
	ID      string // set by WithAction, else the id of its only change
	Changes []journal.Entry
}

// RecordAt returns the record of the action's change of a file.
func (a Action) RecordAt(path string) string {
	i := slices.IndexFunc(a.Changes, func(e journal.Entry) bool { return e.Path == path })
	if i < 0 {
		return ""
	}
	return a.Changes[i].Record
}

// mostNamed is the number of files that the text of an action names.
const mostNamed = 5

// Text names the action in one line: the use case, when, by whom, and what it did to which files.
func (a Action) Text() string {
	if len(a.Changes) == 0 {
		return "nothing"
	}
	last := a.Changes[len(a.Changes)-1]
	by := cmp.Or(last.Tool, "another process")
	var files []string
	for _, e := range a.Changes {
		what := "changed"
		switch {
		case e.Op == journal.Remove:
			what = "removed"
		case e.Before == "":
			what = "made"
		}
		if in := strings.Join(titled(journal.Names(e.Sections)), ", "); what == "changed" && in != "" {
			what += " (" + in + ")"
		}
		files = append(files, shown(e.Path)+" "+what)
	}
	if more := len(files) - mostNamed; more > 0 {
		files = append(files[:mostNamed], fmt.Sprintf("and %d more", more))
	}
	return fmt.Sprintf("%s by %s at %s: %s", last.Use, by, last.Time.Local().Format(time.DateTime), strings.Join(files, ", "))
}

// titled returns the names of sections without that of the text before the first one.
func titled(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "" })
}

type callerKey struct{}

// WithCaller names the caller of the saves under the context, by a name of its own in the process: Notices leaves them out for it.
func WithCaller(ctx context.Context, caller string) context.Context {
	return context.WithValue(ctx, callerKey{}, caller)
}
