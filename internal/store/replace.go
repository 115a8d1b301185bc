package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"

	"sdd/internal/journal"
	"sdd/internal/record"
)

// replace puts the new bytes in place. If an editor saved since, the error is errChanged and the next round begins with its text: mostly
// seen before the exchange, else exchanged back at once, after some ten microseconds.
func (w *saving) replace(was Stat, open bool) (Saved, error) {
	fi, err := w.to.Lstat(w.to.name)
	if err != nil || !fi.Mode().IsRegular() {
		return Saved{}, errChanged
	}
	name := w.tempName(w.before.Etag, w.after.Etag)
	written, err := w.p.tmp.write(name.String(), w.after.Src, fi, w.rounds < lateRounds)
	if err == nil {
		err = w.s.at("written")
	}
	if now, gone := w.to.Lstat(w.to.name); err == nil && (gone != nil || statOf(now) != was) {
		err = errChanged
	}
	if err == nil {
		err = w.s.at("checked")
	}
	old := name
	old.displaced = true
	if err == nil {
		err = w.t.exchange(w.p.tmp, name.String(), old.String(), w.to.dir, w.to.name)
	}
	if err != nil {
		written.close()
		w.p.tmp.Remove(name.String())
		w.lose(open)
		return Saved{}, blocked(w.path, err)
	}
	if err := w.s.at("exchanged"); err != nil {
		return Saved{}, err
	}
	out := w.peek(old, w.before)
	if out.err != nil || out.open && !open || out.Etag != w.before.Etag {
		written.close()
		if err := w.putBack(out); err != nil {
			return Saved{}, refused(w.path, err)
		}
		w.lose(open)
		return Saved{}, errChanged
	}
	return w.finish(written, &out)
}

// displaced is a file that a save took from its place into .local/tmp.
type displaced struct {
	*record.Doc
	name tempName
	open bool  // another program has it open for writing
	err  error // why it cannot be read
}

// peek reads a displaced file, without waiting. When .local was deleted meanwhile, peek returns the expected text.
func (w *saving) peek(name tempName, expect *record.Doc) displaced {
	out := displaced{Doc: expect, name: name}
	f, err := openToRead(w.p.tmp, name.String(), w.path)
	if errors.Is(err, fs.ErrNotExist) {
		return out
	}
	if err == nil {
		defer f.Close()
		var now []byte
		now, _, out.open, err = waitForWriter(f, -1, patience{})
		if err == nil && !bytes.Equal(now, expect.Src) {
			out.Doc = record.Open(now)
		}
	}
	out.err = err
	return out
}

// putBack undoes an exchange. When another program has saved in between, its text stays.
func (w *saving) putBack(file displaced) error {
	expect := w.after
	for range mostRounds {
		name := w.tempName("", w.after.Etag) // if a crash leaves this file, it has an editor's text
		name.displaced = true
		err := w.t.exchange(w.p.tmp, file.name.String(), name.String(), w.to.dir, w.to.name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // the file or .local was deleted: nothing to put back
		}
		if err != nil {
			return err
		}
		out := w.peek(name, expect)
		switch {
		case out.err != nil || out.open || out.Etag != expect.Etag:
			file, expect = out, file.Doc
		case out.Etag == w.after.Etag:
			w.p.tmp.Remove(name.String())
			return nil
		default:
			w.discard(out)
			return nil
		}
	}
	return nil // recovery handles the rest in .local/tmp
}

// discard moves a displaced file to the trash. A file that a program still has open stays, and the trash gets a copy of its present text.
func (w *saving) discard(f displaced) {
	if f.open {
		w.s.leftovers.Store(true)
		w.t.keep(w.p, w.s.nonce(), f.Doc)
	} else if w.t.toTrash(w.p, f.name.String(), f.Etag) != nil {
		w.s.leftovers.Store(true)
	}
}

// race holds the versions of a save at the moment when an editor first saved the same file.
type race struct {
	base, after *record.Doc
	whole       bool // no program had the file open when base was read
}

func (w *saving) lose(open bool) {
	if w.raced == nil {
		w.raced = &race{w.before, w.after, !open}
	}
}

// changed returns the new version, made from the one in the file.
func (w *saving) changed(exists bool) (*record.Doc, error) {
	if r := w.raced; r != nil && exists && w.before.Etag != r.base.Etag {
		w.t.keep(w.p, w.s.nonce(), r.base) // Change may ask for it as a Version
		if w.e.Merge != nil && r.whole && w.rounds < lateRounds && w.undidNothing() {
			if next, err := w.e.Merge(r.base.Src, w.before.Src, r.after.Src); err == nil {
				return record.Open(next), nil
			}
		}
	}
	return w.e.Change(w.before, exists)
}

// undidNothing reports whether an editor's text has every acknowledged change.
func (w *saving) undidNothing() bool {
	if w.t.journal.Saved(w.path, w.before.Etag).ByTool {
		return true
	}
	lost, _ := w.s.findings(w.t, w.path, w.before)
	return len(lost) == 0
}

// check searches bytes that no tool wrote for changes that they lack, and for an editor's words that go; late, to keep the race short.
func (w *saving) check() {
	if w.t.journal.Saved(w.path, w.before.Etag).ByTool {
		return
	}
	w.s.recoverShard(w.t, w.p, shard(w.e.Lock), w.nonce) // a killed save may have written these bytes
	if w.t.journal.Saved(w.path, w.before.Etag).ByTool {
		return
	}
	lost := w.s.inspect(w.t, true, w.path, w.before)
	w.notices = append(w.notices, lost...)
	if w.raced != nil {
		w.displaced = w.gaveWay(lost)
	}
}

// gaveWay returns the entry for words that an editor saved during the save and that its result lacks; nil when there are none.
func (w *saving) gaveWay(lost []Notice) *journal.Entry {
	stale := map[string]bool{}
	for _, n := range lost {
		for _, name := range n.Sections {
			stale[journal.FoldName(name)] = true
		}
	}
	e := w.entry(journal.Displaced, nil)
	e.Before, e.After = w.raced.base.Etag, w.before.Etag
	changes := slices.DeleteFunc(w.s.diff(w.path, w.raced.base, w.before),
		func(c journal.Change) bool { return stale[journal.FoldName(c.Name)] })
	if e.Sections = w.s.describe(w.path, w.after).Without(changes); len(e.Sections) == 0 {
		return nil
	}
	return &e
}

// Remove moves a record's file to the trash, from where Undo brings it back, unless e.Allow refuses, also an editor's text of this moment.
func (s *Store) Remove(ctx context.Context, e Edit) (Saved, error) {
	e.kind = cmp.Or(e.kind, journal.Remove)
	return s.guarded(ctx, s.complete(e), func(w *saving, ctx context.Context) (Saved, error) {
		for range mostRounds {
			done, err := w.remove()
			if !errors.Is(err, errChanged) {
				return done, err
			}
		}
		return Saved{}, w.unsettled()
	})
}

func (w *saving) remove() (Saved, error) {
	var err error
	if w.path, err = w.e.Resolve(); err != nil {
		return Saved{}, err
	}
	if err := w.find(); err != nil {
		return Saved{}, err
	}
	defer w.to.close()
	was, open, err := w.read()
	if errors.Is(err, fs.ErrNotExist) {
		return Saved{}, noFile(w.path)
	}
	if err != nil {
		return Saved{}, err
	}
	if w.e.Allow != nil {
		if err := w.e.Allow(was.Bytes); err != nil {
			return Saved{}, err
		}
	}
	w.before = record.Open(was.Bytes)
	name := w.tempName(w.before.Etag, "")
	name.displaced = true
	if err := w.t.move(w.to.dir, w.to.name, w.p.tmp, name.String()); err != nil {
		return Saved{}, blocked(w.path, err)
	}
	out := w.peek(name, w.before)
	if out.err != nil || out.open && !open || out.Etag != w.before.Etag {
		// An editor saved just now: its file goes back, unless it has saved once more.
		if w.t.place(w.p.tmp, name.String(), w.to.dir, w.to.name) != nil {
			w.discard(out)
		}
		return Saved{}, errChanged
	}
	done, err := w.removed()
	w.discard(out)
	return done, err
}

func (w *saving) removed() (Saved, error) {
	if err := syncFolder(w.to.file); err != nil {
		return Saved{}, refused(w.path, err)
	}
	entry := w.entry(w.e.kind, w.s.diff(w.path, w.before, record.NoFile()))
	entry.Before = w.before.Etag
	out := Saved{Path: w.path, Before: w.before.Src}
	w.note(&entry, &out)
	w.s.prune(w.t, w.p, len(out.Before))
	return out, nil
}
