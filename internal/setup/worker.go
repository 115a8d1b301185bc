package setup

import "path/filepath"

// worker does steps one after the other. From the first one that writes on, it has the lock.
type worker struct {
	s       Surroundings
	dry     bool
	unlock  func()
	done    []Change
	planned map[string]string // in a dry run: the client that changes a file, by path
	going   []string          // the clients that are taken out
	gone    map[string]string // in a dry run: the clients whose use of a file ends, by path
}

func (s Surroundings) worker(dry bool) *worker {
	return &worker{s: s, dry: dry, planned: map[string]string{}, gone: map[string]string{}}
}

func (w *worker) end() {
	if w.unlock != nil {
		w.unlock()
	}
}

// add adds a piece, which depends on the files that are there.
func (w *worker) add(of func() piece) {
	w.run(func() step { return w.s.plan(of()) })
}

// remove removes pieces of one user in one scope, and reports those that the user wrote.
func (w *worker) remove(pieces ...piece) {
	var unnoted []piece
	for _, p := range pieces {
		if p.path == "" {
			continue
		}
		if st, err := w.s.start(p, p.path); err != nil && p.marked || err == nil && st.noted == nil {
			unnoted = append(unnoted, p)
		}
	}
	w.removeNoted(pieces[0])
	for _, p := range unnoted {
		w.runRemoval(func() step { return w.s.planRemoval(p) })
	}
}

// removeNoted removes the pieces of the user of p in its scope of which there are notes, also of earlier versions.
func (w *worker) removeNoted(p piece) {
	for _, n := range w.s.notes().all() {
		if n.Command == (p.in == nil) && n.of(p.user, p.scope, p.root) {
			w.runRemoval(func() step { return w.withdraw(n, p) })
		}
	}
}

// runRemoval does one step, and reports it unless there is nothing to remove.
func (w *worker) runRemoval(plan func() step) {
	before := len(w.done)
	w.run(plan)
	if len(w.done) > before && w.done[before].State == Absent {
		w.done = w.done[:before]
	}
}

// reportAbsent reports that there is nothing of a user to remove, unless something was reported since.
func (w *worker) reportAbsent(since int, user string, scope Scope) {
	if len(w.done) == since {
		w.report(step{Change: Change{For: user, Scope: scope, State: Absent}})
	}
}

func (w *worker) report(st step) {
	if st.Lines == nil {
		st.Lines = []string{}
	}
	w.done = append(w.done, st.Change)
}

// run does one step. With the lock it plans the step again.
func (w *worker) run(plan func() step) {
	st := plan()
	if st.write && w.dry {
		switch who := w.planned[st.file.target]; who {
		case st.For:
			return // reported already
		case "":
			w.planned[st.file.target] = st.For
		default:
			st.State, st.Diff, st.Text = Unchanged, "", "the same file as for "+who
		}
	}
	if (st.write || st.keep) && !w.dry {
		if w.unlock == nil {
			unlock, err := w.s.notes().lock()
			if err != nil {
				w.report(st.left(err))
				return
			}
			w.unlock = unlock
			st = plan()
		}
		if st.write || st.keep { // no other process was faster
			if err := w.s.do(&st); err != nil {
				st = st.left(err)
			}
		}
	}
	if st.keep && w.dry && st.noted != nil && st.State == Removed {
		w.gone[st.file.target] += " " + st.For
	}
	w.report(st)
}

// do carries out a step. It writes the note first, so that a process that is killed in between leaves nothing without a note.
func (s Surroundings) do(st *step) error {
	notes, target := s.notes().of(st.part), st.file.target
	switch {
	case st.note == nil:
		if err := st.apply(); err != nil {
			return err
		}
		switch made := st.noted != nil && st.noted.Made; {
		case made && st.exists:
			notes.handOver(st.noted)
		case made:
			removeEmptyFolders(target, st.noted.Folders)
		}
		return notes.drop(target)
	case !st.write:
		return notes.change(st.note)
	}
	if st.note.Made && st.noted == nil {
		st.note.Folders = notes.foldersMade(target)
	}
	err := notes.write(st.note, st.before, st.file.mode)
	if err == nil {
		err = st.apply()
	}
	switch {
	case err != nil && st.noted == nil:
		notes.drop(target)
	case err != nil:
		notes.write(st.noted, st.before, st.file.mode)
	case !st.note.Made:
		st.Backup = filepath.ToSlash(notes.backup(target))
	}
	return err
}

// apply writes or removes the file.
func (st *step) apply() (err error) {
	switch {
	case !st.write:
		return nil
	case st.exists:
		err = st.file.write(st.after)
	default:
		err = st.file.remove()
	}
	st.Changed = err == nil
	return err
}
