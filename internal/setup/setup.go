package setup

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sdd/internal/agenthook"
	"sdd/internal/fault"
	"sdd/internal/setup/jsonc"
)

// ChangeState is what happened to a file, or in a dry run would happen.
type ChangeState string

const (
	Added       ChangeState = "added"
	Updated     ChangeState = "updated" // what this program added earlier is now up to date
	Removed     ChangeState = "removed"
	Unchanged   ChangeState = "unchanged"
	Absent      ChangeState = "absent"      // there is nothing to remove
	ByHand      ChangeState = "by_hand"     // the user wrote it, so it stays
	Left        ChangeState = "left"        // the file cannot be read or written, so it stays
	Unsupported ChangeState = "unsupported" // the client has no such file
	Manual      ChangeState = "manual"      // the user adds the lines
)

// Change is what happened to one file of others, or in a dry run would happen.
type Change struct {
	For     string      `json:"client"` // its name, or "instructions"
	Scope   Scope       `json:"scope"`
	File    string      `json:"file"` // as its client reads it, absolute; "" when there is none
	Shown   string      `json:"-"`    // for people
	State   ChangeState `json:"state"`
	Changed bool        `json:"changed"` // the file was written
	Line    int         `json:"line"`    // of an entry by hand, or of what cannot be read; else 0
	Text    string      `json:"text"`    // details, "" when the state is enough
	Fix     string      `json:"fix"`     // what to do, "" when there is nothing
	Lines   []string    `json:"lines"`   // what to add or run by hand
	Diff    string      `json:"diff"`    // unified, "" when nothing differs
	Backup  string      `json:"backup"`  // the file with the earlier content, "" when there was none
}

// Changes is the result of Apply.
type Changes struct {
	DryRun  bool     `json:"dry_run"`
	Root    string   `json:"root"` // the project's folder
	Changes []Change `json:"changes"`
}

// Failed reports whether a file could not be read or written.
func (c Changes) Failed() bool {
	return slices.ContainsFunc(c.Changes, func(x Change) bool { return x.State == Left })
}

// Request is what to set up or, with Remove, to take out.
type Request struct {
	Root         string   // the project's folder, absolute
	Clients      []string // empty: those that are found; to remove: all
	Scope        Scope    // "": the user's file; to remove: both
	Remove       bool
	DryRun       bool
	Instructions bool     // the block for agents; without Clients nothing else
	Hooks        bool     // the hooks of agents and nothing else; Clients may name any of HookClientNames
	Commands     bool     // the prompts as commands of the clients; without Clients, or to remove, nothing else
	Editors      []string // that start the language server; without Clients nothing else
	Version      string   // of this program, for the extension of an editor
}

// only reports whether the request is about no entries.
func (r Request) only() bool {
	return len(r.Clients) == 0 && (r.Instructions || r.Commands || len(r.Editors) > 0) || r.Remove && r.Commands
}

// Apply adds this program to the files of MCP clients, or removes it. It splices: comments, order and line ends stay. It keeps the earlier
// content, and restores it on removal; if the file was changed since, the removal keeps all other bytes instead. A second call changes
// nothing.
//
// A file that cannot be read or written stays as it is, and its Change has the lines to add by hand; the other files are changed all the
// same. An error means a wrong request, or a temporary program whose path would get into the user's files.
func (s Surroundings) Apply(r Request) (Changes, error) {
	out := Changes{DryRun: r.DryRun, Root: r.Root, Changes: []Change{}}
	if r.Scope != "" && r.Scope != UserScope && r.Scope != ProjectScope {
		return out, fault.New(fault.Invalid, "the scope %q is not known", string(r.Scope)).For("scope").With("user or project")
	}
	if r.Hooks {
		w := s.worker(r.DryRun)
		defer w.end()
		err := s.applyHooks(r, w)
		out.Changes = append(out.Changes, w.done...)
		return out, err
	}
	chosen, err := named(r.Clients)
	if err != nil {
		return out, err
	}
	if len(r.Editors) > 0 && r.Scope == ProjectScope {
		return out, fault.New(fault.Invalid, "--editor does not go with --project: the files of an editor are yours").For("editor")
	}
	chosenEditors, err := namedEditors(r.Editors)
	if err != nil {
		return out, err
	}
	if !r.Remove && r.Scope != ProjectScope && (!r.only() || len(r.Editors) > 0) { // the user's files get the path of this program
		if err := lasting(s.Program, s.Home); err != nil {
			return out, err
		}
	}
	w := s.worker(r.DryRun)
	defer w.end()
	if !r.Remove && len(chosen) == 0 && (r.Commands || !r.only()) {
		chosen = slices.DeleteFunc(slices.Clone(clients), func(c *client) bool { return !c.present(s) && !c.usedIn(r.Root) })
		if len(chosen) == 0 {
			return out, fault.New(fault.NotFound, "no MCP client is found on this machine").For("client").
				With("name the one that you use: " + strings.Join(ClientNames(), ", "))
		}
	}
	if r.Remove {
		w.removeAll(r, chosen)
	} else {
		w.addAll(r, chosen)
	}
	w.editors(r, chosenEditors)
	if r.Instructions {
		w.instructions(r)
	}
	out.Changes = append(out.Changes, w.done...)
	return out, nil
}

func (w *worker) addAll(r Request, chosen []*client) {
	scope := cmp.Or(r.Scope, UserScope)
	for _, c := range chosen {
		found := len(r.Clients) == 0 // not named by the user: no messages about what the client does not support
		if !r.only() && !(found && scope == ProjectScope && c.project == "") {
			w.run(func() step { return w.s.add(c, scope, r.Root) })
		}
		if r.Commands && (c.commands != nil || !found) {
			w.addCommands(c, scope, r.Root)
		}
	}
}

func (w *worker) removeAll(r Request, chosen []*client) {
	if r.only() && !r.Commands {
		return
	}
	all := len(chosen) == 0
	if all {
		chosen = clients
	}
	for _, c := range chosen {
		w.going = append(w.going, c.id)
	}
	if !r.only() { // before the servers, which came first
		w.silent = true
		w.removeHooks(r)
	}
	for _, c := range chosen {
		for _, scope := range []Scope{UserScope, ProjectScope} {
			if r.Scope != "" && scope != r.Scope {
				continue
			}
			w.silent = all || r.Scope == ""
			if !r.only() {
				w.remove(c, scope, r.Root)
			}
			w.removeCommands(c, scope, r.Root)
		}
		last := len(w.done) - 1
		if !all && (last < 0 || w.done[last].For != c.id) {
			w.done = append(w.done, Change{For: c.id, Scope: UserScope, State: Absent, Lines: []string{}})
		}
	}
	w.silent = false
	if all && !r.only() && r.Scope != UserScope {
		for _, n := range w.s.notes().all() {
			if slices.Contains(n.Users, instructionsName) && n.Root == r.Root {
				w.run(func() step { return w.withdraw(n, instructionsName, ProjectScope) })
			}
		}
	}
}

// step is one file and its planned change.
type step struct {
	Change
	file   *ownedFile
	write  bool // the file changes
	after  []byte
	exists bool // the file exists afterwards

	note   *note // the new note, nil for none
	before []byte
	noted  *note // the present note
	keep   bool  // the note changes
	part   string
}

// worker does steps one after the other. From the first one that writes on, it has the lock.
type worker struct {
	s       Surroundings
	dry     bool
	silent  bool // it reports nothing that is absent
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

func (w *worker) report(st step) {
	if w.silent && (st.State == Absent || st.State == Unsupported) {
		return
	}
	if st.Lines == nil {
		st.Lines = []string{}
	}
	w.done = append(w.done, st.Change)
}

// left returns the step as one that leaves the file alone.
func (st step) left(err error) step {
	f := fault.Of(err)
	st.State, st.Text, st.Fix, st.Line, st.Diff, st.Changed = Left, f.Message, f.Hint, f.Line, "", false
	st.write, st.keep = false, false
	return st
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

// start returns a step for a client's file of a scope.
func (s Surroundings) start(who string, scope Scope, root, path string) (step, error) {
	st := step{Change: Change{For: who, Scope: scope, File: filepath.ToSlash(path), Shown: s.shown(root, path), Lines: []string{}}}
	inside := ""
	if scope == ProjectScope {
		inside = root
	}
	var err error
	if st.file, err = openOwned(path, inside); err == nil && !st.file.exists && scope == UserScope {
		st.file.mode = 0o600 // clients keep secrets in them
	}
	return st, err
}

// changes sets the change of the file.
func (st *step) changes(state ChangeState, after []byte, exists bool) {
	st.State, st.after, st.exists, st.write = state, after, exists, true
	st.Diff = unifiedDiff(st.Shown, st.file.src, after, st.file.exists, exists)
	if bytes.IndexByte(slices.Concat(st.file.src, after), 0) >= 0 {
		st.Diff = "Binary file " + st.Shown + " differs\n"
	}
}

// add plans the entry of a client.
func (s Surroundings) add(c *client, scope Scope, root string) step {
	path := c.file(s, scope, root)
	if path == "" {
		return step{Change: Change{For: c.id, Scope: scope, State: Unsupported, Text: c.name + " reads no file of a project",
			Fix: "sdd setup " + c.id + " --user"}}
	}
	st, err := s.start(c.id, scope, root, path)
	program, args := c.command(s, scope, root)
	var src []byte
	if st.file != nil {
		src = st.file.src
	}
	p, form := c.place(s, scope, src, driverName)
	entry := form.of(program, args)
	if err == nil && program == "" {
		return st.left(fault.New(fault.Unavailable, "this program has no path that stays: `go run` removes it when it ends").
			With("go install ./cmd/sdd, then run sdd setup"))
	}
	if err == nil {
		err = s.put(&st, p, entry, root)
	}
	if err != nil {
		st = st.left(err)
		st.Fix = cmp.Or(st.Fix, "mend it, or add this by hand:")
		st.Lines = []string{}
		if text, err := p.set(nil, entry); err == nil {
			st.Lines = strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		}
	}
	if st.State == Added && scope == ProjectScope {
		st.Text = c.asks
	}
	if c.pinned && st.State != Left {
		st.Text = strings.TrimPrefix(st.Text+"; it knows of no project, so it gets this one: "+s.shown("", root), "; ")
	}
	return st
}

// put plans an entry in a file that was read.
func (s Surroundings) put(st *step, p place, entry []jsonc.Member, root string) error {
	now, line, there, err := p.get(st.file.src)
	if err != nil {
		return err
	}
	start := startOf(now)
	st.State, st.noted, st.exists = Unchanged, s.notes().of(st.part).read(st.file.target), true
	n := st.noted
	switch {
	case there && sameEntry(now, entry):
		if n == nil {
			st.Text, st.Line = "by hand", line
			return nil
		}
		if slices.Contains(n.Users, st.For) && n.started(start) {
			return nil
		}
		st.keep, st.note = true, n.with(st.For)
		st.note.Starts = [][]string{start}
		return nil
	case there && (n == nil || !n.owns(st.file.src, now)):
		st.State, st.Line, st.Text = ByHand, line, "an entry of that name is there, by hand"
		st.Fix = "take it out if sdd setup is to write it"
		return nil
	case !there:
		n = &note{File: st.file.target, Part: st.part, Path: st.file.path, Users: []string{st.For}, Made: !st.file.exists,
			Kept: kept(p, st.file.src)}
		if st.Scope == ProjectScope {
			n.Root = root
		}
		st.before, st.noted = st.file.src, nil
		st.State = Added
	default:
		if n, err = s.refresh(st, p); err != nil {
			return err
		}
		st.State = Updated
	}
	base := st.file.src
	if st.State == Updated && sumOf(base) == st.noted.Sum {
		base = st.before // as in a first set-up
	}
	after, err := p.set(base, entry)
	if err != nil {
		return err
	}
	st.changes(st.State, after, true)
	n.Sum, n.Starts = sumOf(after), nil
	written, _, _, _ := p.get(after) // set has read it
	for _, line := range [][]string{startOf(written), start} {
		if line != nil {
			n.Starts = append(n.Starts, line)
		}
	}
	st.note = n
	return nil
}

// refresh returns the note of an entry to update, and sets before to the file without the entry.
func (s Surroundings) refresh(st *step, p place) (*note, error) {
	n := st.noted.with(st.For)
	if sumOf(st.file.src) == n.Sum {
		var err error
		st.before, err = s.beforeOf(n)
		return n, err
	}
	before, _, err := p.remove(st.file.src, n.Kept+1)
	st.before, n.Made = before, n.Made && void(before)
	return n, err
}

// beforeOf returns the earlier content of a file, none for a file that this program made.
func (s Surroundings) beforeOf(n *note) ([]byte, error) {
	if n.Made {
		return nil, nil
	}
	before, err := os.ReadFile(s.notes().of(n.Part).backup(n.File))
	if err != nil {
		return nil, s.notes().fault(err)
	}
	return before, nil
}

// with returns the note with one more user.
func (n *note) with(user string) *note {
	more := *n
	more.Users = slices.Clone(n.Users)
	if !slices.Contains(n.Users, user) {
		more.Users = append(more.Users, user)
	}
	return &more
}

// kept counts the existing objects above an entry.
func kept(p place, src []byte) int {
	if hooks, ok := p.(hookPlace); ok {
		return hooks.kept(src)
	}
	at, ok := p.(jsonPlace)
	if !ok {
		return 0
	}
	n := 0
	for n < len(at.path)-1 {
		if _, _, ok, err := jsonc.Get(src, at.path[:n+1]...); !ok || err != nil {
			break
		}
		n++
	}
	return n
}

// void reports whether a file has no content but braces and blanks.
func void(src []byte) bool {
	return len(bytes.Trim(bytes.TrimPrefix(src, []byte(byteOrderMark)), " \t\r\n{}")) == 0
}

// remove takes out a client's entries of a scope.
func (w *worker) remove(c *client, scope Scope, root string) {
	s := w.s
	found := false
	for _, n := range s.notes().all() {
		if !n.Command && n.of(c.id, scope, root) {
			found = true
			w.run(func() step { return w.withdraw(n, c.id, scope) })
		}
	}
	if found {
		return
	}
	w.run(func() step {
		path := c.file(s, scope, root)
		if path == "" {
			return step{Change: Change{For: c.id, Scope: scope, State: Unsupported}}
		}
		st, err := s.start(c.id, scope, root, path)
		st.State = Absent
		if err != nil || !st.file.exists {
			return st
		}
		p, _ := c.place(s, scope, st.file.src, driverName)
		_, line, there, err := p.get(st.file.src)
		if err == nil && there && s.notes().read(st.file.target) == nil {
			st.State, st.Line, st.Text = ByHand, line, "an entry of that name is there, which sdd setup did not write on this machine"
			st.Fix = "take it out by hand if you want it gone"
		}
		return st
	})
}

// withdraw plans the removal of a noted entry or file for one of its users.
func (w *worker) withdraw(n *note, user string, scope Scope) step {
	s := w.s
	st, err := s.start(user, scope, n.Root, n.Path)
	if err == nil && st.file.target != n.File { // a link leads elsewhere now
		st, err = s.start(user, scope, n.Root, n.File)
	}
	if err != nil {
		return st.left(err)
	}
	st.part = n.Part
	st.noted, st.State = s.notes().of(n.Part).read(n.File), Absent
	if n = st.noted; n == nil || !slices.Contains(n.Users, user) {
		return st // another process was faster
	}
	if line, changed := s.changed(n, user, scope, st.file.src); changed {
		st.State, st.Line, st.Text = ByHand, line, "somebody changed the entry to something else"
		st.Fix = "take it out by hand if you want it gone, and run this again to forget it"
		less := *n
		less.Sum = "" // the note stays: it recognises the entry if the user restores it
		st.note, st.keep = &less, n.Sum != ""
		return st
	}
	gone := strings.Fields(w.gone[n.File] + " " + user)
	if rest := without(n.Users, gone); len(rest) > 0 {
		others := *n
		others.Users = rest
		st.note, st.keep, st.State, st.Text = &others, true, Removed, "the same file as for "+strings.Join(rest, ", ")
		if stay := without(rest, w.going); len(stay) > 0 {
			st.Text = "it stays as long as it is set up for " + strings.Join(stay, ", ")
		}
		return st
	}
	st.keep = true // the note goes
	if st.file.exists && sumOf(st.file.src) == n.Sum {
		before, err := s.beforeOf(n)
		if err != nil {
			return st.left(err)
		}
		st.changes(Removed, before, !n.Made)
		return st
	}
	if n.Command {
		if st.file.exists {
			st.State, st.Text, st.Fix = ByHand, changedSince, "take it away if you want it gone"
		}
		return st
	}
	after, was, err := s.placeOf(user, scope, st.file.src).remove(st.file.src, n.Kept+1)
	switch {
	case err != nil:
		st = st.left(err)
		st.Fix = "mend it and run this again, or take the entry out by hand"
	case was:
		st.changes(Removed, after, !(n.Made && void(after)))
	}
	return st
}

// without returns a list without the elements of another one.
func without(list, others []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(others, s) })
}

// changed reports whether the user changed a noted entry, and its line.
func (s Surroundings) changed(n *note, user string, scope Scope, src []byte) (line int, changed bool) {
	if n.Command {
		return 0, false // a whole file
	}
	now, line, there, err := s.placeOf(user, scope, src).get(src)
	return line, err == nil && there && !n.owns(src, now)
}

// placeOf is the place of a user's entry in its file.
func (s Surroundings) placeOf(user string, scope Scope, src []byte) place {
	if id, ok := strings.CutPrefix(user, hooksPrefix); ok && agenthook.Named(id) != nil {
		return hookPlace{agenthook.Named(id), s.hookLine(s.hookProgram(scope), id)}
	}
	for _, c := range clients {
		if c.id == user {
			p, _ := c.place(s, scope, src, driverName)
			return p
		}
	}
	if user == "editor:helix" {
		return helixPlace{blockPlace{marks: helixMarks}}
	}
	return instructionsPlace
}
