package app

import (
	"context"
	"fmt"
	"strings"

	"sdd/internal/answer"
	"sdd/internal/explore"
	"sdd/internal/fault"
	"sdd/internal/index"
	"sdd/internal/lookup"
	"sdd/internal/record"
	"sdd/internal/sealed"
	"sdd/internal/store"
)

// The private records are in a store of their own, in memory, for one call: a use that does not ask for them here does without them.

func (w *App) keys() *sealed.Keys {
	c, _ := w.Store.Config()
	return sealed.Open(c, store.Local(w.Store.Dir()))
}

// Explore is explore.Save in every scope.
func (w *App) Explore(ctx context.Context, in explore.Input) (r explore.Result, err error) {
	if strings.ToLower(strings.TrimSpace(in.Scope)) != record.Private {
		return explore.Save(ctx, w.Store, w.Index, in)
	}
	if w.forOthers { // the result has the whole record
		return r, fault.New(fault.Unavailable, "private records are saved on this machine only").For("scope").With("save with sdd explore")
	}
	err = w.Store.SaveEncrypted(ctx, w.keys(), func(st *store.Store) error {
		ix := index.OpenOnce(st)
		defer ix.Close()
		r, err = explore.Save(ctx, st, ix, in)
		return err
	})
	return r, err
}

// EditPrivate replaces the text of a private record, which was read as before; what was saved since is merged.
func (w *App) EditPrivate(ctx context.Context, id, path string, before, after []byte) (saved store.Saved, err error) {
	err = w.Store.SaveEncrypted(ctx, w.keys(), func(st *store.Store) error {
		saved, err = st.Save(ctx, store.Edit{Record: id, Resolve: func() (string, error) { return path, nil },
			Apply: func(now []byte, exists bool) ([]byte, error) {
				if string(now) == string(before) {
					return after, nil
				}
				return store.Merge(path, before, now, after)
			}})
		return err
	})
	return saved, err
}

// EncryptAgain encrypts the private records that the user can read for the present recipients of config.yaml.
func (w *App) EncryptAgain(ctx context.Context) (int, error) {
	return w.Store.EncryptAgain(ctx, w.keys())
}

// InPrivate calls use with the private records that the user's key opens; it must only read. note says how many are withheld or damaged,
// "" for none. The fault is NotFound when there are no records to use.
func (w *App) InPrivate(ctx context.Context, use func(far *App) error) (note string, err error) {
	none := fault.New(fault.NotFound, "there is no private record")
	if w.forOthers {
		return "", none
	}
	var keys *sealed.Keys
	e, err := w.Store.ReadEncrypted(func() *sealed.Keys { keys = w.keys(); return keys })
	if err != nil {
		return "", err
	}
	if e.Withheld > 0 {
		why := "no key"
		if keys.Err() != nil {
			why = keys.Err().Error()
		}
		note = fmt.Sprintf("%s withheld (%s)", fault.Count(e.Withheld, "private record", "private records"), why)
	}
	for _, d := range e.Damaged[:min(len(e.Damaged), mostNamed)] {
		note = both(note, d.Error())
	}
	if more := len(e.Damaged) - mostNamed; more > 0 {
		note = both(note, fmt.Sprintf("%d more files, see sdd check", more))
	}
	if len(e.Texts) == 0 {
		return note, none
	}
	st := store.OpenTexts(e.Texts, w.Store)
	defer st.Close()
	ix := index.OpenOnce(st)
	defer ix.Close()
	if err := ix.Refresh(ctx); err != nil {
		return note, err
	}
	far := New(st, ix, Options{})
	own := far.Tree
	far.Tree, far.plainOf = w.Tree, w
	defer func() { far.Tree = own; far.Close() }()
	return note, use(far)
}

const (
	mostPrivate = 5 // private records at the head of a search
	mostNamed   = 3 // damaged files in a note
)

// addPrivate adds the private records that match to a search, and to an answer those that it may use.
func (w *App) addPrivate(ctx context.Context, q *lookup.Query) error {
	if q.Cursor != "" || q.Scope != "" && !strings.EqualFold(q.Scope, record.Private) {
		return nil
	}
	note, err := w.InPrivate(ctx, func(far *App) error {
		found, err := far.Search(ctx, lookup.Query{Query: q.Query, Type: q.Type, Project: q.Project, Status: q.Status, SessionID: q.SessionID,
			Limit: mostPrivate, MaxTokens: lookup.MostTokens})
		q.Before = found.Results
		return err
	})
	q.Note = both(q.Note, note)
	return unless(fault.NotFound, err)
}

func (w *App) privateTexts(ctx context.Context, q *answer.Query) error {
	note, err := w.InPrivate(ctx, func(far *App) error {
		now := far.Tiers(ctx)
		for _, e := range far.Index.Entries() {
			f, err := far.Store.Read(e.Path)
			if err != nil {
				return err
			}
			q.Texts = append(q.Texts, answer.Text{
				Document: index.Document{Path: e.ID, Title: e.Title, Source: f.Bytes}, Tier: now.Of(e.Path)})
		}
		return nil
	})
	q.Note = both(q.Note, note)
	return unless(fault.NotFound, err)
}

func unless(code fault.Code, err error) error {
	if fault.Is(err, code) {
		return nil
	}
	return err
}

// both is a line of two notes, each of which may be empty.
func both(a, b string) string { return strings.Trim(a+"; "+b, "; ") }
