package fact

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"sdd/internal/discovery"
	"sdd/internal/record"
	"sdd/internal/store"
)

// The facts of discovery are derived, like the index: they count without a file, and are cached in
// .sdd/.local/discovery.json, or in the user's cache folder where there is no store. Write makes files of them for users
// who want them in git. Such a file has the parent "discovery:" and the subject, such as discovery:build:go, by which
// discovery recognizes it:
//
//   - A file with the sentence that discovery finds replaces that fact.
//   - A file with another sentence, or about a subject without a fact now, is superseded.
//   - A file whose content was edited by hand (its id does not fit any more) is in force instead of the fact of
//     discovery. So is one that a person archived or superseded, while the sentence stays the same.
const (
	discoveredFrom = "discovery:"
	rediscover     = 30 * day // seconds after which discovery runs again
	stateName      = "discovery.json"
	mostNamed      = 3
)

func (f *Fact) discovered() bool { return strings.HasPrefix(f.Parent, discoveredFrom) }

// Discovered is the result of Discover, Write and Clean.
type Discovered struct {
	Performed bool          `json:"performed"`
	Why       string        `json:"why,omitempty"` // the reason for the run
	Project   string        `json:"project"`
	Facts     []Fact        `json:"facts"`              // the facts of discovery, in its order
	Created   int           `json:"created"`            // files, by Write
	Updated   int           `json:"updated"`            // files with another sentence now
	Retired   int           `json:"retired"`            // files whose subject has no fact any more
	Unchanged int           `json:"unchanged"`          // files with the same sentence
	Kept      int           `json:"kept"`               // files that people edited or archived
	Removed   int           `json:"removed"`            // files, by Clean
	Leftover  int           `json:"leftover,omitempty"` // files of discovery that were not edited by hand
	Domains   []string      `json:"domains"`            // of facts in force, by name
	Warnings  []string      `json:"warnings"`
	Took      time.Duration `json:"-"`
}

// discoveryState is the cached result of the last discovery.
type discoveryState struct {
	At string `json:"at"`
	discovery.Report
	Took  int64 `json:"took_ms,omitempty"`
	Rules int   `json:"rules,omitempty"` // version of the rules that found the facts
}

// discoveryRules is the version of the rules: raise it when discovery finds other facts in the same files.
const discoveryRules = 2

// unread reports whether the source file of a fact could not be read, or may have been left out.
func (s *discoveryState) unread(one *Fact) bool {
	file, _, _ := strings.Cut(one.Source, "#")
	return s.Truncated || slices.ContainsFunc(s.Warnings, func(w string) bool { return strings.HasPrefix(w, file+":") })
}

// Discover runs discovery when it is due: with force, for the first time on this machine, after a manifest was added,
// changed or deleted, or 30 days after the last run. It writes nothing that git tracks. If the state cannot be written,
// this process keeps it in memory.
//
// Faults: the error of ctx; Invalid when the project's folder cannot be read.
func (f *Facts) Discover(ctx context.Context, force bool) (Discovered, error) {
	f.discovering.Lock()
	defer f.discovering.Unlock()
	start := time.Now()
	out := Discovered{Project: f.st.Project(), Facts: []Fact{}, Domains: []string{}, Warnings: []string{}}
	if err := f.cache.sync(ctx); err != nil {
		return out, err
	}
	state, known := f.readState()
	if out.Why = f.due(state, known, force); out.Why != "" {
		report, err := discovery.Discover(ctx, f.st.Home())
		if err != nil {
			return out, err
		}
		out.Performed = true
		state = discoveryState{record.Stamp(f.now()), report, time.Since(start).Milliseconds(), discoveryRules}
		f.writeState(state)
	}
	out.Warnings = append(out.Warnings, state.Warnings...)
	f.cache.derive(&state)
	for i := range state.Facts {
		out.Facts = append(out.Facts, *derived(&state.Facts[i]))
	}
	out.Leftover = len(f.leftover())
	all, err := f.cache.all(ctx)
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

// derived returns a fact without a file.
func derived(found *discovery.Found) *Fact {
	one := &Fact{ID: idOf(found.Content), Level: found.Level, Domain: found.Domain, Module: found.Module, Status: active, State: active,
		Content: found.Content, Confidence: found.Confidence, Source: found.Source, Parent: discoveredFrom + found.Key, Scope: record.Project}
	one.clock()
	return one
}

// due returns the reason for a new discovery, "" when none is due.
func (f *Facts) due(state discoveryState, known, force bool) string {
	now := f.now().Unix()
	switch at := record.Moment(state.At); {
	case force:
		return "it was asked for"
	case !known:
		return "the project was not looked at yet"
	case state.Rules != discoveryRules:
		return "another version of sdd looked at it"
	case now >= at+rediscover, at > now+day: // the latter after a jump of the clock
		return "30 days have passed"
	}
	changed := discovery.Changed(f.st.Home(), state.Manifests)
	if len(changed) == 0 {
		return ""
	}
	why := strings.Join(changed[:min(len(changed), mostNamed)], ", ")
	if more := len(changed) - mostNamed; more > 0 {
		why += fmt.Sprintf(" and %d more", more)
	}
	return why + " changed"
}

// Write makes files of new and changed facts of discovery, after Discover. It supersedes a file that discovery does not
// find any more.
func (f *Facts) Write(ctx context.Context, out *Discovered) error {
	f.discovering.Lock()
	defer f.discovering.Unlock()
	state, _ := f.readState()
	if _, err := f.st.Ensure(); err != nil {
		return err
	}
	f.writeState(state) // the store may exist only now
	f.cache.derive(&state)
	if err := f.cache.sync(ctx); err != nil {
		return err
	}
	f.cache.state.RLock()
	c := f.cache.compare()
	f.cache.state.RUnlock()
	now, updated := map[string]string{}, map[string]bool{} // id by parent; parents of replaced files
	for i := range state.Facts {
		one := derived(&state.Facts[i])
		now[one.Parent] = one.ID
		if c.kept[one.Parent] {
			out.Kept++
		}
	}
	for _, one := range c.more {
		stored, err := f.Add(ctx, Input{Content: one.Content, Level: one.Level, Domain: one.Domain, Module: one.Module, Source: one.Source,
			Parent: one.Parent, Confidence: one.Confidence, Tool: "discovery"})
		if err != nil {
			return err
		}
		now[one.Parent] = stored.ID
	}
	for _, one := range slices.SortedFunc(maps.Keys(c.over), byAge) {
		if _, err := f.supersede(ctx, one, now[one.Parent], "discovery", ""); err != nil {
			return err
		}
		if now[one.Parent] == "" {
			out.Retired++
		} else {
			updated[one.Parent] = true
		}
	}
	out.Updated = len(updated)
	for _, one := range c.more {
		if !updated[one.Parent] {
			out.Created++
		}
	}
	out.Unchanged = len(state.Facts) - out.Created - out.Updated - out.Kept
	return f.cache.sync(ctx)
}

// leftover returns the files of discovery that were not edited by hand.
func (f *Facts) leftover() (ids []string) {
	f.cache.state.RLock()
	defer f.cache.state.RUnlock()
	for _, one := range f.cache.files.All {
		if one.discovered() && !one.handEdited() && one.Status != archived && one.Evidence == "" {
			ids = append(ids, one.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

// Leftover returns an offer to remove the files of discovery that were not edited by hand: "" when there are none.
func (f *Facts) Leftover(ctx context.Context) (string, error) {
	if err := f.cache.sync(ctx); err != nil {
		return "", err
	}
	return leftoverText(len(f.leftover())), nil
}

func leftoverText(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d of the files in %s/facts only say what discovery finds: sdd fact discover --clean removes them", n, store.Folder)
}

// Clean moves the files of discovery that were not edited by hand to the trash: discovery finds the same facts without
// them.
func (f *Facts) Clean(ctx context.Context, out *Discovered, tool string) error {
	ids := f.leftover()
	if len(ids) == 0 {
		return nil
	}
	done, err := f.Delete(ctx, ids, true, tool)
	out.Removed, out.Leftover = len(done.Items), 0
	return err
}

// LastDiscovery returns the time of the last discovery on this machine (RFC 3339), and its duration. ok is false when
// there was none.
func (f *Facts) LastDiscovery() (at string, took time.Duration, ok bool) {
	f.discovering.Lock()
	defer f.discovering.Unlock()
	state, known := f.readState()
	return state.At, time.Duration(state.Took) * time.Millisecond, known
}

// inForce reports whether the fact is active or stale by its file.
func (f *Fact) inForce() bool { return f.Status == active || f.Status == stale }

// readState returns the state of the last discovery; known is false when there is none.
func (f *Facts) readState() (state discoveryState, known bool) {
	if f.unkept != nil {
		return *f.unkept, true
	}
	return f.storedState()
}

func (f *Facts) storedState() (state discoveryState, known bool) {
	dir, err := f.st.Derived(false)
	if err != nil {
		return state, false
	}
	defer dir.Close()
	src, err := dir.ReadFile(stateName)
	if err != nil || json.Unmarshal(src, &state) != nil || record.Moment(state.At) == 0 {
		return discoveryState{}, false
	}
	return state, true
}

// writeState writes the state; if that fails, this process keeps it in memory.
func (f *Facts) writeState(state discoveryState) {
	f.unkept = &state
	src, err := json.Marshal(state)
	if err != nil {
		return
	}
	dir, err := f.st.Derived(true)
	if err != nil {
		return
	}
	defer dir.Close()
	if store.WriteWhole(dir, stateName, append(src, '\n'), false) == nil {
		f.unkept = nil // later reads see the discoveries of other processes too
	}
}

// Text renders the result for an agent or a person.
func (d Discovered) Text() string {
	var b strings.Builder
	if d.Performed {
		fmt.Fprintf(&b, "discovered (%s): %d facts\n", record.OneLine(d.Why), len(d.Facts))
	} else {
		fmt.Fprintf(&b, "nothing to discover: %d facts are known\n", len(d.Facts))
	}
	if d.Created+d.Updated+d.Retired+d.Unchanged+d.Kept > 0 {
		fmt.Fprintf(&b, "files: %d created, %d updated, %d retired, %d unchanged", d.Created, d.Updated, d.Retired, d.Unchanged)
		if d.Kept > 0 {
			fmt.Fprintf(&b, ", %d left as people have them", d.Kept)
		}
		b.WriteString("\n")
	}
	for i := range d.Facts {
		b.WriteString(record.Item(d.Facts[i].Source, d.Facts[i].Content) + "\n")
	}
	switch {
	case d.Removed > 0:
		fmt.Fprintf(&b, "%d files removed; sdd undo brings them back\n", d.Removed)
	case d.Leftover > 0 && d.Created+d.Updated+d.Unchanged == 0:
		b.WriteString(leftoverText(d.Leftover) + "\n")
	}
	for _, w := range d.Warnings {
		b.WriteString("warning: " + record.OneLine(w) + "\n")
	}
	return b.String()
}
