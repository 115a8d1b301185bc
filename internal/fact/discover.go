package fact

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"sdd/internal/discovery"
	"sdd/internal/fault"
	"sdd/internal/record"
	"sdd/internal/store"
)

// The facts of discovery are derived: they count without a file, and are in .sdd/.local/discovery.json, or in the user's cache folder
// where there is no store. Earlier versions wrote files of them, with the parent "discovery:" and the subject, such as discovery:build:go:
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

// Discovered is the result of Discover.
type Discovered struct {
	Performed bool     `json:"performed"`
	Why       string   `json:"why,omitempty"` // the reason for the run
	Project   string   `json:"project"`
	Facts     []Fact   `json:"facts"`   // the facts of discovery, in its order
	Domains   []string `json:"domains"` // of facts in force, by name
	Warnings  []string `json:"warnings"`
}

// discoveryState is the cached result of the last discovery.
type discoveryState struct {
	At string `json:"at"`
	discovery.Report
	Took  int64 `json:"took_ms,omitempty"`
	Rules int   `json:"rules,omitempty"` // version of the rules that found the facts
}

// discoveryRules is the version of the rules: raise it when discovery finds other facts in the same files.
const discoveryRules = 6

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
func (f *Facts) Discover(ctx context.Context, force bool) (out Discovered, err error) {
	defer fault.Caught(&err)
	f.discovering.Lock()
	defer f.discovering.Unlock()
	start := time.Now()
	out = Discovered{Project: f.st.Project(), Facts: []Fact{}, Domains: []string{}, Warnings: []string{}}
	fault.Check(f.cache.sync(ctx))
	state, known := f.readState()
	if out.Why = f.due(state, known, force); out.Why != "" {
		report := fault.Must(discovery.Discover(ctx, f.st.Home()))
		out.Performed = true
		state = discoveryState{record.Stamp(f.now()), report, time.Since(start).Milliseconds(), discoveryRules}
		_ = f.writeState(state)
	}
	out.Warnings = append(out.Warnings, state.Warnings...)
	f.cache.derive(&state)
	for i := range state.Facts {
		out.Facts = append(out.Facts, *derived(&state.Facts[i]))
	}
	all := fault.Must(f.cache.all(ctx))
	for i := range all {
		if d := all[i].Domain; d != "" && all[i].Live() && !slices.Contains(out.Domains, d) {
			out.Domains = append(out.Domains, d)
		}
	}
	slices.Sort(out.Domains)
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

// LastDiscovery returns the time of the last discovery on this machine (RFC 3339), and its duration; ok is false for none.
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
func (f *Facts) writeState(state discoveryState) (err error) {
	defer fault.Caught(&err)
	f.unkept = &state
	src := fault.Must(json.Marshal(state))
	dir := fault.Must(f.st.Derived(true))
	defer dir.Close()
	fault.Check(store.WriteWhole(dir, stateName, append(src, '\n'), false))
	f.unkept = nil // later reads see the discoveries of other processes too
	return nil
}

// Text renders the result for an agent or a person.
func (d Discovered) Text() string {
	var b strings.Builder
	if d.Performed {
		fmt.Fprintf(&b, "discovered (%s): %d facts\n", record.OneLine(d.Why), len(d.Facts))
	} else {
		fmt.Fprintf(&b, "nothing to discover: %d facts are known\n", len(d.Facts))
	}
	for i := range d.Facts {
		b.WriteString(record.Item(d.Facts[i].Source, d.Facts[i].Content) + "\n")
	}
	for _, w := range d.Warnings {
		b.WriteString("warning: " + record.OneLine(w) + "\n")
	}
	return b.String()
}
