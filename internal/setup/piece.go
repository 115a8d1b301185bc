package setup

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/setup/jsonc"
)

// piece is what setup writes into one file for one of its users: an entry, the hooks of a client, a block, or a whole file.
type piece struct {
	user   string // a client's id, alone or with a prefix, an editor with its prefix, or instructionsName
	scope  Scope
	root   string                                       // the project's folder
	path   string                                       // "" when there is no file: then the change is none
	none   Change                                       // state, text, fix and lines
	err    error                                        // why the piece cannot be made
	in     func(src []byte) (p place, e []jsonc.Member) // where it is in a file with those bytes; nil for a whole file
	text   string                                       // of a whole file
	part   string                                       // of the note
	marked bool                                         // its marks identify it, even without a note
	thing  string                                       // what the user may have written in its place
	words  func(*step)                                  // adds to the report
}

type place interface {
	get(src []byte) (value any, line int, ok bool, err error)
	set(src []byte, entry []jsonc.Member) ([]byte, error)
	remove(src []byte, prune int) ([]byte, bool, error)
	kept(src []byte) int // a record of what exists around the piece; one more is prune
}

type step struct {
	Change
	file   *ownedFile
	write  bool // the file changes
	after  []byte
	exists bool // the file exists afterwards

	part   string
	before []byte
	noted  *note // the present note
	note   *note // the new note, nil for none
	keep   bool  // the note changes
}

// left returns the step as one that leaves the file alone.
func (st step) left(err error) step {
	f := fault.Of(err)
	st.State, st.Text, st.Fix, st.Line, st.Diff, st.Changed = Left, f.Message, f.Hint, f.Line, "", false
	st.write, st.keep = false, false
	return st
}

func (st *step) byHand(line int, text, fix string) {
	st.State, st.Line, st.Text, st.Fix = ByHand, line, text, fix
}

func (st *step) changes(state ChangeState, after []byte, exists bool) {
	st.State, st.after, st.exists, st.write = state, after, exists, true
	st.Diff = unifiedDiff(st.Shown, st.file.src, after, st.file.exists, exists)
	if bytes.IndexByte(slices.Concat(st.file.src, after), 0) >= 0 {
		st.Diff = "Binary file " + st.Shown + " differs\n"
	}
}

func (s Surroundings) start(p piece, path string) (step, error) {
	st := step{Change: Change{For: p.user, Scope: p.scope, File: filepath.ToSlash(path), Shown: s.shown(p.root, path)}, part: p.part}
	inside := ""
	if p.scope == ProjectScope {
		inside = p.root
	}
	var err error
	if st.file, err = openOwned(path, inside); err != nil {
		return st, err
	}
	if !st.file.exists && p.scope == UserScope {
		st.file.mode = 0o600 // clients keep secrets in them
	}
	st.noted = s.notes().read(st.file.target, p.part)
	return st, nil
}

func (s Surroundings) plan(p piece) step {
	if p.path == "" {
		p.none.For, p.none.Scope = p.user, p.scope
		return step{Change: p.none}
	}
	st, err := s.start(p, p.path)
	if err == nil {
		err = p.err
	}
	switch {
	case err == nil && p.in != nil:
		err = s.put(&st, p)
	case err == nil:
		s.putFile(&st, p)
	}
	if err != nil {
		st = st.left(err)
		if p.in != nil && p.err == nil {
			in, entry := p.in(nil)
			if text, err := in.set(nil, entry); err == nil {
				st.Fix = cmp.Or(st.Fix, "mend it, or add this by hand:")
				st.Lines = strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
			}
		}
	}
	if p.words != nil {
		p.words(&st)
	}
	return st
}

func (p piece) newNote(st *step) *note {
	n := &note{File: st.file.target, Part: p.part, Path: st.file.path}
	if p.scope == ProjectScope {
		n.Root = p.root
	}
	return n
}

func (s Surroundings) put(st *step, p piece) (err error) {
	defer fault.Caught(&err)
	src, n := st.file.src, st.noted
	in, entry := p.in(src)
	now, line, there, err := in.get(src)
	fault.Check(err)
	same := there && sameEntry(now, entry)
	if there && p.marked {
		after, err := in.set(src, entry)
		if same = bytes.Equal(after, src); err != nil {
			return err
		}
	}
	start := startOf(now)
	st.State, st.exists = Unchanged, true
	switch {
	case same && p.marked:
		return nil
	case same && n == nil:
		st.Text, st.Line = "by hand", line
		return nil
	case same && slices.Contains(n.Users, st.For) && n.started(start):
		return nil
	case same:
		st.keep, st.note = true, n.with(st.For)
		st.note.Starts = [][]string{start}
		return nil
	case there && !p.marked && (n == nil || !n.owns(src, now)):
		st.byHand(line, p.thing+" is there, by hand", "take it out if sdd setup is to write it")
		return nil
	}
	if n == nil || !there {
		n = p.newNote(st)
	}
	n, base, state := n.with(st.For), src, Updated
	switch {
	case !there:
		n.Made, n.Kept = !st.file.exists, in.kept(src)
		st.before, st.noted, state = src, nil, Added
	case sumOf(src) == n.Sum:
		if st.before, err = s.beforeOf(n); !p.marked {
			base = st.before // as in a first set-up
		}
	default:
		st.before, _, err = in.remove(src, n.Kept+1)
		n.Made = n.Made && void(st.before)
	}
	fault.Check(err)
	after := fault.Must(in.set(base, entry))
	st.changes(state, after, true)
	n.Sum, n.Starts = sumOf(after), nil
	written, _, _, _ := in.get(after) // set has read it
	for _, line := range [][]string{startOf(written), start} {
		if line != nil {
			n.Starts = append(n.Starts, line)
		}
	}
	st.note = n
	return nil
}

// putFile plans a file that this program writes as a whole.
func (s Surroundings) putFile(st *step, p piece) {
	text, n := []byte(p.text), st.noted
	same := bytes.Equal(st.file.src, text)
	st.State, st.exists = Unchanged, true
	switch {
	case !st.file.exists:
		st.changes(Added, text, true)
	case same && (n == nil || slices.Contains(n.Users, st.For)):
		return
	case same:
		st.keep = true
	case n == nil:
		st.byHand(0, notOurs, "take it away if sdd setup is to write it")
		return
	case sumOf(st.file.src) != n.Sum:
		st.byHand(0, changedSince, "take it away if sdd setup is to write it anew")
		return
	default:
		st.changes(Updated, text, true)
	}
	if n == nil {
		n = p.newNote(st)
		n.Made, n.Command = true, true
	}
	st.note = n.with(st.For)
	st.note.Sum = sumOf(text)
}

const (
	notOurs      = "a file of that name" + unknownHere
	unknownHere  = " is there, which sdd setup did not write on this machine"
	changedSince = "somebody changed it since sdd setup wrote it"
)

// beforeOf returns the earlier content of a file, none for a file that this program made.
func (s Surroundings) beforeOf(n *note) ([]byte, error) {
	if n.Made {
		return nil, nil
	}
	before, err := os.ReadFile(s.notes().backup(n))
	return before, s.notes().fault(err)
}

// void reports whether a file has no content but braces and blanks.
func void(src []byte) bool {
	return len(bytes.Trim(bytes.TrimPrefix(src, []byte(byteOrderMark)), " \t\r\n{}")) == 0
}

// planRemoval plans to remove a piece that no note has: only marks identify it as this program's.
func (s Surroundings) planRemoval(p piece) step {
	st, err := s.start(p, p.path)
	if err != nil {
		return st.left(err)
	}
	st.State = Absent
	if !st.file.exists {
		return st
	}
	if p.in == nil {
		st.byHand(0, notOurs, "take it away if you want it gone")
		return st
	}
	in, _ := p.in(st.file.src)
	if !p.marked {
		if _, line, there, err := in.get(st.file.src); err == nil && there {
			st.byHand(line, p.thing+unknownHere, "take it out by hand if you want it gone")
		}
		return st
	}
	after, was, err := in.remove(st.file.src, 0)
	if err != nil {
		return st.left(err)
	}
	if was {
		st.changes(Removed, after, !void(after))
	}
	return st
}

// withdraw plans the removal of a noted piece for one of its users.
func (w *worker) withdraw(n *note, p piece) step {
	s := w.s
	st, err := s.start(p, n.Path)
	if err == nil && st.file.target != n.File { // a link leads elsewhere now
		st, err = s.start(p, n.File)
	}
	if err != nil {
		return st.left(err)
	}
	st.State = Absent
	if n = st.noted; n == nil || !slices.Contains(n.Users, p.user) {
		return st // another process was faster
	}
	src := st.file.src
	var in place
	if p.in != nil {
		in, _ = p.in(src)
		if now, line, there, err := in.get(src); err == nil && there && !n.owns(src, now) {
			st.byHand(line, "somebody changed the entry to something else",
				"take it out by hand if you want it gone, and run this again to forget it")
			less := *n
			less.Sum = "" // the note stays: it recognises the entry if the user restores it
			st.note, st.keep = &less, n.Sum != ""
			return st
		}
	}
	st.keep = true
	if rest := without(n.Users, strings.Fields(w.gone[n.File]+" "+p.user)); len(rest) > 0 {
		others := *n
		others.Users = rest
		st.note, st.State, st.Text = &others, Removed, "the same file as for "+strings.Join(rest, ", ")
		if stay := without(rest, w.going); len(stay) > 0 {
			st.Text = "it stays as long as it is set up for " + strings.Join(stay, ", ")
		}
		return st
	}
	switch {
	case st.file.exists && sumOf(src) == n.Sum:
		before, err := s.beforeOf(n)
		if err != nil {
			return st.left(err)
		}
		st.changes(Removed, before, !n.Made)
	case in != nil:
		after, was, err := in.remove(src, n.Kept+1)
		if err != nil {
			st = st.left(err)
			st.Fix = "mend it and run this again, or take the entry out by hand"
		} else if was {
			st.changes(Removed, after, !(n.Made && void(after)))
		}
	case st.file.exists:
		st.byHand(0, changedSince, "take it away if you want it gone")
	}
	if p.words != nil {
		p.words(&st)
	}
	return st
}

func without(list, others []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(others, s) })
}

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

func (w *worker) add(pieces ...piece) {
	for _, p := range pieces {
		w.run(func() step { return w.s.plan(p) })
	}
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
	for again := 0; again < 3 && st.State == Left && w.unlock == nil; again++ {
		st = plan() // another process may have dropped a note, which this one had read, and its backup
	}
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
	notes := s.notes()
	switch {
	case st.note == nil:
		if err := st.apply(); err != nil {
			return err
		}
		switch made := st.noted != nil && st.noted.Made; {
		case made && st.exists:
			notes.handOver(st.noted)
		case made:
			removeEmptyFolders(st.file.target, st.noted.Folders)
		}
		return notes.drop(&note{File: st.file.target, Part: st.part}) // also a damaged one
	case !st.write:
		return notes.change(st.note)
	}
	if st.note.Made && st.noted == nil {
		st.note.Folders = notes.foldersMade(st.file.target)
	}
	err := notes.write(st.note, st.before, st.file.mode)
	if err == nil {
		err = st.apply()
	}
	switch {
	case err != nil && st.noted == nil:
		notes.drop(st.note)
	case err != nil:
		notes.write(st.noted, st.before, st.file.mode)
	case !st.note.Made:
		st.Backup = filepath.ToSlash(notes.backup(st.note))
	}
	return err
}

func (st *step) apply() error {
	if !st.write {
		return nil
	}
	err := st.file.put(st.after, st.exists)
	st.Changed = err == nil
	return err
}
