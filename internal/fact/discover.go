package fact

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"sdd/internal/fact/discovery"
	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/record"
	"sdd/internal/store"
)

// What discovery finds is stored as facts like any others. Their source is the file that they come from; their parent is
// "discovery:" and what they are about, such as discovery:build:go, which is how the next discovery knows them again:
//
//   - The same sentence is left alone, whatever became of its keys; one that had been superseded comes back.
//   - Another sentence about the same thing supersedes the old one.
//   - A sentence that nothing speaks for any more is superseded by nothing.
//   - A fact whose content was edited by hand (it does not fit its id any more) says what its editor wanted: it is never
//     changed, and no second one is made about the same thing. So is one that somebody archived, while the sentence
//     stays the same, and one whose file somebody deleted.
//
// .sdd/.local/discovery.json remembers, on this machine, from what the facts were made. Without it, as in a fresh clone,
// facts of level 0 are taken for what discovery would find.

const (
	discoveredFrom = "discovery:"
	rediscover     = 30 * day // seconds after which the project is looked at again
	stateName      = "discovery.json"
	savers         = 4 // facts that are saved at once: they wait for the disk most of the time
	mostNamed      = 3
)

func (f *Fact) discovered() bool { return strings.HasPrefix(f.Parent, discoveredFrom) }

// Discovered is what Discover did.
type Discovered struct {
	Performed bool          `json:"performed"`
	Why       string        `json:"why,omitempty"` // it was performed, or the state was noted only
	Project   string        `json:"project"`
	Created   int           `json:"created"`
	Updated   int           `json:"updated"`   // facts that say something else now
	Retired   int           `json:"retired"`   // facts that nothing speaks for any more
	Unchanged int           `json:"unchanged"` // facts that say the same
	Kept      int           `json:"kept"`      // what people edited, archived or deleted
	Facts     []Stored      `json:"facts"`     // created and updated ones, as discovery orders them
	Domains   []string      `json:"domains"`   // of facts that count, by name
	Warnings  []string      `json:"warnings"`
	Took      time.Duration `json:"-"`
}

// discoveryState is .sdd/.local/discovery.json.
type discoveryState struct {
	At        string            `json:"at"`
	Identity  string            `json:"identity"`
	Manifests map[string]string `json:"manifests"`
	Facts     map[string]string `json:"facts"`             // hash of each sentence, by what it is about
	Pending   bool              `json:"pending,omitempty"` // facts are being stored
	Took      int64             `json:"took_ms,omitempty"` // by the last look at the whole project
}

// looked is what this process knows of the last look at the project.
type looked struct {
	state   *discoveryState // where it could not be written
	checked string          // the signs under which nothing was due
	why     string          // the store could not be written
}

// Discover stores what discovery finds out about the project, when that is due: asked for with force, no fact of level 0,
// another repository (not another place of it), a manifest that came, changed or went, 30 days since the last time, or
// a discovery that was stopped half-way. Then only what changed is written. A store that cannot be written to gets
// its facts in memory, for this process, and the answer a warning.
//
// Faults: that of ctx; Invalid when the project's folder cannot be read; Broken when config.yaml cannot be used.
func (f *Facts) Discover(ctx context.Context, force bool) (Discovered, error) {
	f.discovering.Lock()
	defer f.discovering.Unlock()
	start := time.Now()
	out := Discovered{Project: f.st.Project(), Facts: []Stored{}, Domains: []string{}, Warnings: []string{}}
	if err := f.book.sync(ctx); err != nil {
		return out, err
	}
	state, known := f.readState()
	why, note := f.due(ctx, state, known, force)
	switch {
	case note:
		out.Why = "nothing was known of the last discovery; the facts of level 0 are taken as they are"
		f.note(ctx, &out)
	case why != "":
		out.Why, out.Performed = why, true
		report, err := discovery.Discover(ctx, f.st.Dir(), discovery.Options{Identity: state.Identity})
		if err != nil {
			return out, err
		}
		out.Warnings = append(out.Warnings, report.Warnings...)
		again := force || !f.hasProject()
		if err := f.reconcile(ctx, report, state, again, start, &out); err != nil {
			return out, err
		}
	}
	if f.looked.why != "" {
		out.Warnings = append(out.Warnings, f.looked.why)
	}
	all, err := f.book.all(ctx)
	if err != nil {
		return out, err
	}
	for i := range all {
		if d := all[i].Domain; d != "" && all[i].Live() && !slices.Contains(out.Domains, d) {
			out.Domains = append(out.Domains, d)
		}
	}
	slices.Sort(out.Domains)
	out.Took = time.Since(start)
	return out, nil
}

// hasProject reports whether there is a fact of level 0, whatever became of it.
func (f *Facts) hasProject() bool {
	f.book.state.RLock()
	defer f.book.state.RUnlock()
	level0 := func(one *Fact) bool { return one.Level == 0 }
	return slices.ContainsFunc(f.book.only, level0) || slices.ContainsFunc(slices.Collect(maps.Values(f.book.facts)), level0)
}

// due says why the project has to be looked at, "" when it has not; note says that only the state has to be noted.
func (f *Facts) due(ctx context.Context, state discoveryState, known, force bool) (why string, note bool) {
	now := f.now().Unix()
	switch {
	case force:
		return "it was asked for", false
	case !f.hasProject():
		return "there is no fact of level 0", false
	case !known:
		return "", true
	case state.Pending && state.At == "":
		return "the project was not looked at yet", false
	case state.Pending:
		return "the last discovery was stopped", false
	}
	at := record.Moment(state.At)
	if at > now+day { // a clock has jumped: it begins anew
		state.At = f.stampNow()
		f.writeState(state)
	} else if now >= at+rediscover {
		return "30 days have passed", false
	}
	signs := f.signs(state)
	if signs == f.looked.checked {
		return "", false
	}
	if changed := discovery.Changed(f.st.Dir(), state.Manifests); len(changed) > 0 {
		why := strings.Join(changed[:min(len(changed), mostNamed)], ", ")
		if more := len(changed) - mostNamed; more > 0 {
			why += fmt.Sprintf(" and %d more", more)
		}
		return why + " changed", false
	}
	if f.isAnother(ctx, state.Identity) {
		return "the repository is another one", false
	}
	f.looked.checked = signs
	return "", false
}

// expectDiscovery notes that a fact of level 0 was added before the first discovery: it must not be taken for one whose
// state is lost.
func (f *Facts) expectDiscovery() {
	if !f.discovering.TryLock() {
		return // it is under way
	}
	defer f.discovering.Unlock()
	if _, known := f.readState(); !known {
		f.writeState(discoveryState{Pending: true})
	}
}

// isAnother reports whether the repository is not the one with that identity. One that got its first commit since
// is the same.
func (f *Facts) isAnother(ctx context.Context, identity string) bool {
	kind, name, _ := strings.Cut(identity, ":")
	switch kind {
	case "root":
		if _, _, _, ok := git.Top(f.st.Dir()); !ok || !git.Available() {
			return false // the history is out of sight
		}
		now, err := discovery.Identity(ctx, f.st.Dir(), identity)
		return err == nil && strings.HasPrefix(now, "root:") && now != identity
	case "remote":
		now := git.RemoteName(f.st.Dir())
		return now != "" && now != name
	}
	return false // it follows from the manifests
}

// signs are what tells cheaply that nothing can have changed: sizes and times of the manifests, the names at the top, and
// which repository this is.
func (f *Facts) signs(state discoveryState) string {
	var b strings.Builder
	b.WriteString(state.At)
	stat := func(path string) {
		if info, err := os.Stat(path); err == nil {
			fmt.Fprintf(&b, "\x00%s %d %d", path, info.Size(), info.ModTime().UnixNano())
		}
	}
	for _, path := range slices.Sorted(maps.Keys(state.Manifests)) {
		stat(filepath.Join(f.st.Dir(), filepath.FromSlash(path)))
	}
	stat(f.st.Dir())
	if _, gitDir, common, ok := git.Top(f.st.Dir()); ok {
		for _, name := range []string{"config", "packed-refs", "shallow"} {
			stat(filepath.Join(common, name))
		}
		head, _ := os.ReadFile(filepath.Join(gitDir, "HEAD"))
		b.Write(head)
	}
	return b.String()
}

// note remembers the project as it is, without a walk over it. Manifests below the top are not looked at.
func (f *Facts) note(ctx context.Context, out *Discovered) {
	identity, err := "none", error(nil)
	if _, _, _, ok := git.Top(f.st.Dir()); ok {
		identity, err = discovery.Identity(ctx, f.st.Dir(), "")
	}
	if err != nil {
		return
	}
	out.Warnings = append(out.Warnings, out.Why)
	f.writeState(discoveryState{At: f.stampNow(), Identity: identity, Manifests: discovery.Top(f.st.Dir()), Facts: map[string]string{}})
}

// step is what has to be done about one sentence.
type step struct {
	found discovery.Found
	older []*Fact // that it supersedes
	back  *Fact   // that says so and comes back
}

// reconcile makes the facts say what the report says.
func (f *Facts) reconcile(ctx context.Context, report discovery.Report, state discoveryState, again bool, start time.Time, out *Discovered) error {
	next := discoveryState{At: f.stampNow(), Identity: report.Identity, Manifests: report.Manifests, Facts: map[string]string{}}
	about := f.aboutKeys()
	var todo []step
	keys := map[string]bool{}
	for _, found := range report.Facts {
		keys[found.Key] = true
		content := record.ContentKey(found.Content)
		next.Facts[found.Key] = content
		s, kept := f.plan(found, about[found.Key])
		switch {
		case s == nil && kept, s != nil && s.back == nil && len(s.older) == 0 && !again && state.Facts[found.Key] == content:
			out.Kept++ // the last: its file was deleted
		case s == nil:
			out.Unchanged++
		default:
			todo = append(todo, *s)
		}
	}
	gone := f.untrue(report, about, keys)
	var stored []Stored
	_, err := f.st.Ensure()
	if err == nil {
		pending := state // what is there already was made from this
		pending.Pending = true
		f.writeState(pending)
		stored, err = f.carryOut(ctx, todo)
	}
	if fault.Is(err, fault.Unwritable) {
		f.remember(report, next, err)
		for i := range f.book.only {
			one := f.book.only[i]
			out.Facts = append(out.Facts, Stored{ID: one.ID, Action: Created, News: []string{}, Level: one.Level, State: one.Status,
				Superseded: []Moved{}, Similar: []Similar{}, Warnings: []string{}, content: one.Content})
		}
		return nil
	}
	if err != nil {
		return err
	}
	for i, s := range stored {
		out.Facts = append(out.Facts, s)
		if len(todo[i].older) > 0 {
			out.Updated++
		} else {
			out.Created++
		}
	}
	for _, one := range gone {
		if _, err := f.supersede(ctx, one, "", "discovery", ""); err != nil {
			out.Warnings = append(out.Warnings, err.Error())
			continue
		}
		out.Retired++
	}
	f.looked.why = ""
	f.book.memory(nil)
	next.Took = time.Since(start).Milliseconds()
	f.writeState(next)
	return nil
}

// LastDiscovery says when the project was last looked at on this machine (RFC 3339), and how long that took; took is 0 where
// its facts came with a clone. ok is false when it never was.
func (f *Facts) LastDiscovery() (at string, took time.Duration, ok bool) {
	f.discovering.Lock()
	defer f.discovering.Unlock()
	state, known := f.readState()
	return state.At, time.Duration(state.Took) * time.Millisecond, known && state.At != ""
}

// aboutKeys returns the stored facts of discovery by what they are about.
func (f *Facts) aboutKeys() map[string][]*Fact {
	f.book.state.RLock()
	defer f.book.state.RUnlock()
	about := map[string][]*Fact{}
	for _, path := range slices.Sorted(maps.Keys(f.book.facts)) {
		if one := f.book.facts[path]; one.discovered() {
			key := strings.TrimPrefix(one.Parent, discoveredFrom)
			about[key] = append(about[key], one)
		}
	}
	return about
}

// plan says what has to be done about a sentence; nil for nothing, and then whether a person decided so. about are the
// facts about the same thing.
func (f *Facts) plan(found discovery.Found, about []*Fact) (s *step, kept bool) {
	content := record.ContentKey(found.Content)
	s = &step{found: found}
	same := slices.Clone(about)
	for _, one := range f.book.named(idOf(found.Content)) {
		if !slices.Contains(same, one) {
			same = append(same, one) // somebody said so before
		}
	}
	for _, one := range same {
		if record.ContentKey(one.Content) != content {
			continue
		}
		switch one.Status {
		case archived:
			return nil, true
		case superseded:
			if !one.discovered() || one.SupersededBy != "" && !slices.ContainsFunc(about, func(o *Fact) bool { return o.ID == one.SupersededBy }) {
				return nil, true
			}
			s.back = one
		default:
			s.back = nil
			s.older = slices.DeleteFunc(slices.Clone(about), func(o *Fact) bool {
				return o == one || !o.stands() || o.handEdited()
			})
			if len(s.older) == 0 {
				return nil, false
			}
			s.back = one // two branches found out different things, and this one is right
			return s, false
		}
	}
	for _, one := range about {
		switch {
		case !one.stands() || one == s.back:
		case one.handEdited():
			return nil, true
		default:
			s.older = append(s.older, one)
		}
	}
	return s, false
}

// stands reports whether the file says that the fact holds, or held until it got stale.
func (f *Fact) stands() bool { return f.Status == active || f.Status == stale }

// untrue returns the facts that nothing in the report speaks for.
func (f *Facts) untrue(report discovery.Report, about map[string][]*Fact, keys map[string]bool) (gone []*Fact) {
	for _, key := range slices.Sorted(maps.Keys(about)) {
		for _, one := range about[key] {
			file, _, _ := strings.Cut(one.Source, "#")
			unread := slices.ContainsFunc(report.Warnings, func(w string) bool { return strings.HasPrefix(w, file+":") })
			if !keys[key] && one.stands() && !one.handEdited() && !unread && !report.Truncated {
				gone = append(gone, one)
			}
		}
	}
	return gone
}

// carryOut stores the facts, several at a time, and returns what became of each.
func (f *Facts) carryOut(ctx context.Context, todo []step) ([]Stored, error) {
	stored, errs := make([]Stored, len(todo)), make([]error, len(todo))
	var work sync.WaitGroup
	workers := min(savers, len(todo), runtime.GOMAXPROCS(0)*savers)
	for w := range workers {
		work.Go(func() {
			for i := w; i < len(todo) && cmp.Or(errs[w], ctx.Err()) == nil; i += workers {
				stored[i], errs[w] = f.carry(ctx, todo[i])
			}
		})
	}
	work.Wait()
	return stored, cmp.Or(append(errs, ctx.Err())...)
}

// carry stores one fact and supersedes those that it replaces.
func (f *Facts) carry(ctx context.Context, s step) (Stored, error) {
	in := Input{
		Content: s.found.Content, Level: s.found.Level, Domain: s.found.Domain, Module: s.found.Module, Source: s.found.Source,
		Parent: discoveredFrom + s.found.Key, Confidence: s.found.Confidence, Scope: record.Project, Tool: "discovery",
	}
	cfg, err := f.st.Config()
	if err != nil {
		return Stored{}, err
	}
	if err := in.check(cfg.Limits); err != nil {
		return Stored{}, err
	}
	a := &adding{f: f, ctx: ctx, in: in, id: idOf(in.Content)}
	if s.back != nil {
		a.id = s.back.ID
	}
	if err := a.store(); err != nil {
		return Stored{}, err
	}
	for _, one := range s.older {
		m, err := f.supersede(ctx, one, a.out.ID, in.Tool, "")
		if err != nil {
			return Stored{}, err
		}
		a.out.Superseded = append(a.out.Superseded, m)
	}
	return a.out, nil
}

// remember keeps what could not be stored, for this process.
func (f *Facts) remember(report discovery.Report, next discoveryState, cause error) {
	var only []*Fact
	for _, found := range report.Facts {
		one := &Fact{ID: idOf(found.Content), Level: found.Level, Domain: found.Domain, Module: found.Module, Status: active,
			Content: found.Content, Confidence: found.Confidence, Source: found.Source, Parent: discoveredFrom + found.Key, Scope: record.Project,
			Created: next.At, created: record.Moment(next.At)}
		one.clock()
		only = append(only, one)
	}
	f.book.memory(only)
	f.looked.state = &next
	f.looked.why = "what was discovered counts until this process ends, it could not be stored: " + fault.Of(cause).Error()
}

// readState returns what is remembered of the last discovery; known is false when that is nothing.
func (f *Facts) readState() (state discoveryState, known bool) {
	if f.looked.state != nil {
		return *f.looked.state, true
	}
	dir, err := f.st.Private(".", false)
	if err != nil {
		return state, false
	}
	defer dir.Close()
	src, err := dir.ReadFile(stateName)
	if err != nil || json.Unmarshal(src, &state) != nil || record.Moment(state.At) == 0 && !state.Pending {
		return discoveryState{}, false
	}
	return state, true
}

// writeState writes it down; where that fails, this process remembers it.
func (f *Facts) writeState(state discoveryState) {
	f.looked.state, f.looked.checked = nil, ""
	src, err := json.MarshalIndent(state, "", "  ")
	if err == nil {
		var dir *os.Root
		if dir, err = f.st.Private(".", true); err == nil {
			err = store.WriteWhole(dir, stateName, append(src, '\n'), false)
			dir.Close()
		}
	}
	if err != nil && !state.Pending {
		f.looked.state = &state
	}
}

// Text renders what was done, for an agent or a person.
func (d Discovered) Text() string {
	var b strings.Builder
	if !d.Performed {
		b.WriteString("nothing to discover")
		if d.Why != "" {
			b.WriteString(": " + d.Why)
		}
		b.WriteString("\n")
	} else {
		fmt.Fprintf(&b, "discovered (%s): %d created, %d updated, %d retired, %d unchanged", record.OneLine(d.Why), d.Created, d.Updated, d.Retired, d.Unchanged)
		if d.Kept > 0 {
			fmt.Fprintf(&b, ", %d left as people have them", d.Kept)
		}
		b.WriteString("\n")
	}
	for _, s := range d.Facts {
		b.WriteString(record.Item(s.ID, s.content) + "\n")
	}
	for _, w := range d.Warnings {
		b.WriteString("warning: " + record.OneLine(w) + "\n")
	}
	return b.String()
}
