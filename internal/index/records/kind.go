// Package records reads and changes the records of one kind. Every kind lives alike: its files are parsed once, an id
// leads to one file also after a rename, and a change is one save that refuses broken files and new secrets.
package records

import (
	"context"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/index"
	"sdd/internal/record"
	"sdd/internal/store"
)

// Kind has the records of one kind, parsed as T.
type Kind[T any] struct {
	*index.View[T]
	About[T]
	Store *store.Store
	Index *index.Index
}

// About describes a kind.
type About[T any] struct {
	Kind record.Kind
	Noun string // in messages: "fact"
	Hint string // how to find the ids
	Read func(path string, doc *record.Doc) *T
	ID   func(*T) string
	Etag func(*T) string
	File func(*T) string // relative to the store's root
}

// New returns the records of a kind. It reads nothing.
func New[T any](st *store.Store, ix *index.Index, about About[T]) Kind[T] {
	parse := func(path string, src []byte) *T { return about.Read(path, record.Open(src)) }
	return Kind[T]{index.NewView(ix, st, about.Kind, parse, about.Etag), about, st, ix}
}

// Save makes one durable change of a file, and brings index and view up to date.
func (k *Kind[T]) Save(ctx context.Context, e store.Edit) (store.Saved, error) {
	e.Lock = record.LockOf(e.Record)
	path, resolve := "", e.Resolve
	e.Resolve = func() (_ string, err error) {
		path, err = resolve()
		return path, err
	}
	e.Merge = func(base, ours, theirs []byte) ([]byte, error) {
		return record.MergeSaves(k.Kind, base, ours, theirs, "if_match", "read it again, and repeat the call")
	}
	saved, err := k.Store.Save(ctx, e)
	if err == nil && !saved.Unchanged {
		k.Index.Put(saved)
		k.Wrote(saved.Path)
	}
	return saved, store.InFile(err, path)
}

// Put creates a record or adds to it. It refuses a broken file and new secrets. A record that is refused creates no store.
func (k *Kind[T]) Put(ctx context.Context, e store.Edit) (store.Saved, error) {
	e.Change = k.checked(e.Change)
	if !k.Store.Exists() {
		if _, err := e.Change(record.NoFile(), false); err != nil {
			return store.Saved{}, err
		}
	}
	return k.Save(ctx, e)
}

func (k *Kind[T]) checked(change func(*record.Doc, bool) (*record.Doc, error)) func(*record.Doc, bool) (*record.Doc, error) {
	return func(before *record.Doc, exists bool) (*record.Doc, error) {
		if exists {
			if err := before.Writable(); err != nil {
				return nil, err
			}
		}
		after, err := change(before, exists)
		if err != nil {
			return nil, err
		}
		return after, k.Store.RefuseSecrets(before.Src, after.Src)
	}
}

// Change makes one change of an existing record, and returns the record afterwards. Of several files with its id it takes
// the known one; with "" these are Ambiguous. do is pure and may be called again. e names the record and the call.
func (k *Kind[T]) Change(ctx context.Context, e store.Edit, known string,
	do func(before *record.Doc, now *T) (*record.Doc, error)) (*T, error) {
	path := known
	if e.Resolve == nil {
		e.Resolve = func() (_ string, err error) {
			if path, err = k.PathOf(ctx, "ids", e.Record, known); err == nil && path == "" {
				err = fault.New(fault.NotFound, "there is no %s %q any more", k.Noun, e.Record).For("ids").With(k.Hint)
			}
			return path, err
		}
	}
	e.Change = k.checked(func(before *record.Doc, exists bool) (*record.Doc, error) {
		if !exists {
			return nil, fault.New(fault.NotFound, "the file of %s is gone", e.Record).For("ids").With("sdd undo may bring it back")
		}
		return do(before, k.Read(path, before))
	})
	saved, err := k.Save(ctx, e)
	if err != nil {
		return nil, err
	}
	return k.Read(saved.Path, saved.Doc), nil
}

// PathOf returns the path of the record with that id: known if several files have the id, "" if none has.
func (k *Kind[T]) PathOf(ctx context.Context, arg, id, known string) (string, error) {
	held, err := k.Index.Holders(ctx, id)
	if err != nil {
		return "", err
	}
	held = slices.DeleteFunc(held, func(e index.Entry) bool { return e.Kind != k.Kind })
	switch {
	case slices.ContainsFunc(held, func(e index.Entry) bool { return e.Path == known }):
		return known, nil
	case len(held) == 0:
		return "", nil
	case len(held) == 1:
		return held[0].Path, nil
	}
	return "", index.SeveralFiles(arg, k.Noun, id, index.Files(held))
}

// Present returns the keys that have a value.
func Present(sets []frontmatter.Set) []frontmatter.Set {
	return slices.DeleteFunc(sets, func(s frontmatter.Set) bool {
		list, isList := s.Value.([]string)
		return s.Value == nil || isList && len(list) == 0 || !isList && (s.Value == "" || s.Value == 0.0)
	})
}

// Named returns the records with the id that ref is; else those whose id begins with it, else the one in that file.
func (k *Kind[T]) Named(ref string) (found []*T) {
	low := strings.ToLower(strings.TrimSpace(ref))
	var begun []*T
	for _, one := range k.All {
		if id := strings.ToLower(k.ID(one)); id == low {
			found = append(found, one)
		} else if record.IsShortID(low) && strings.HasPrefix(id, low) {
			begun = append(begun, one)
		}
	}
	if len(found) == 0 {
		found = begun
	}
	if one := k.All[strings.TrimPrefix(strings.TrimSpace(ref), store.Folder+"/")]; len(found) == 0 && one != nil {
		return []*T{one}
	}
	slices.SortFunc(found, func(a, b *T) int { return strings.Compare(k.File(a), k.File(b)) })
	return found
}

// Only returns the record in found, which has those that ref names. Faults: NotFound with the nearest ids, Ambiguous.
func (k *Kind[T]) Only(arg, ref string, found []*T) (*T, error) {
	switch {
	case strings.TrimSpace(ref) == "":
		return nil, fault.New(fault.Invalid, "an id is required").For(arg).With(k.Hint)
	case len(found) == 0:
		return nil, index.NotFound(arg, k.Noun, ref, k.Index.Nearest(k.Kind, ref, 3), k.Hint)
	case len(found) == 1:
		return found[0], nil
	}
	var files []string
	for _, one := range found {
		files = append(files, k.File(one))
	}
	return nil, index.SeveralFiles(arg, k.Noun, ref, files)
}
