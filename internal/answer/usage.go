package answer

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"sdd/internal/record"
	"sdd/internal/store"
)

// What the briefing tells is counted on this machine only, in .sdd/.local/metrics/context.log, which all processes append to:
//
//	s 2026-11-01                  counting began
//	f 2026-11-21 fact-… fact-…    facts that were told on that day
//	c 2026-11-21 9f86d081 3       calls of a session; "-" is a call that belongs to none
//	t 12 40                       sessions and their calls, of days before yesterday, added up
//
// Nothing of it is written during a call: a while later, and at the end. A file that has grown too long is written anew with
// what still says something. A count that cannot be written is not worth a failure, nor a lock.

const (
	metricsFolder = "metrics"
	usageName     = "context.log"
	usageDelay    = 20 * time.Second
	maxUsage      = 512 << 10 // bytes, from which the file is put together
	noSession     = "-"

	// UnusedDays is the number of days after which a fact that no answer gave counts as unused.
	UnusedDays = 90
)

// usage counts what one briefing tells.
type usage struct {
	st *store.Store

	mu       sync.Mutex
	timer    *time.Timer       // nil when nothing waits to be written
	sessions map[string]string // the names that they have in the file
	calls    map[string]int    // not written yet, by that name
	facts    map[string]bool   // not written yet
	written  map[string]string // the day for which a fact was written last, by this process
}

// count notes one call and what it told.
func (u *usage) count(session string, told []string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.calls == nil {
		u.sessions, u.calls, u.facts, u.written = map[string]string{}, map[string]int{}, map[string]bool{}, map[string]string{}
	}
	name := noSession
	if session != "" {
		if name = u.sessions[session]; name == "" {
			var b [4]byte
			rand.Read(b[:])
			name = fmt.Sprintf("%x", b)
			u.sessions[session] = name
		}
	}
	u.calls[name]++
	for _, id := range told {
		if strings.HasPrefix(id, record.IDPrefix(record.Fact)) {
			u.facts[id] = true
		}
	}
	if u.timer == nil {
		u.timer = time.AfterFunc(usageDelay, u.flush)
	}
}

func (u *usage) close() {
	u.mu.Lock()
	if u.timer != nil {
		u.timer.Stop()
	}
	u.mu.Unlock()
	u.flush()
}

// flush writes what waits.
func (u *usage) flush() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.timer = nil
	if len(u.calls) == 0 || !u.st.Exists() {
		return
	}
	today := time.Now().UTC().Format(time.DateOnly)
	var fresh []string
	for id := range u.facts {
		if u.written[id] != today {
			fresh = append(fresh, id)
			u.written[id] = today
		}
	}
	slices.Sort(fresh)
	var out strings.Builder
	if len(fresh) > 0 {
		fmt.Fprintf(&out, "f %s %s\n", today, strings.Join(fresh, " "))
	}
	for _, name := range slices.Sorted(maps.Keys(u.calls)) {
		fmt.Fprintf(&out, "c %s %s %d\n", today, name, u.calls[name])
	}
	clear(u.facts)
	clear(u.calls)
	dir, err := u.st.Private(metricsFolder, true)
	if err != nil {
		return
	}
	defer dir.Close()
	f, err := dir.OpenFile(usageName, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return
	}
	defer f.Close()
	if st, err := f.Stat(); err == nil && st.Size() == 0 {
		_, _ = f.WriteString("s " + today + "\n" + out.String())
		return
	} else if err == nil && st.Size() > maxUsage {
		_, _ = u.st.Alone(context.Background(), usageName, func(context.Context) error { return shorten(dir, today) })
		if f, err = dir.OpenFile(usageName, os.O_WRONLY|os.O_APPEND, 0o644); err != nil {
			return
		}
		defer f.Close()
	}
	_, _ = f.WriteString(out.String())
}

// tally is what the file says.
type tally struct {
	since    string
	told     map[string]string         // the last day, by fact
	calls    map[string]map[string]int // by day and session
	sessions int                       // of days that were added up
	called   int                       // by them
	loose    int                       // calls that belong to no session
}

// tallied reads the file as of a day. Lines that make no sense are passed over; what lies in the future, because a clock
// was wrong, was today.
func tallied(src []byte, today string) tally {
	t := tally{since: today, told: map[string]string{}, calls: map[string]map[string]int{}}
	for line := range bytes.Lines(src) {
		words := strings.Fields(string(line))
		if len(words) < 2 {
			continue
		}
		day := min(words[1], today)
		if _, err := time.Parse(time.DateOnly, day); err != nil && words[0] != "t" {
			continue
		}
		switch {
		case words[0] == "s":
			t.since = min(t.since, day)
		case words[0] == "f":
			for _, id := range words[2:] {
				t.told[id] = max(t.told[id], day)
			}
		case words[0] == "c" && len(words) == 4:
			n, err := strconv.Atoi(words[3])
			if err != nil || n < 1 {
				continue
			}
			if words[2] == noSession {
				t.loose += n
				continue
			}
			if t.calls[day] == nil {
				t.calls[day] = map[string]int{}
			}
			t.calls[day][words[2]] += n
		case words[0] == "t" && len(words) == 3:
			s, err := strconv.Atoi(words[1])
			n, err2 := strconv.Atoi(words[2])
			if err == nil && err2 == nil && s >= 0 && n >= 0 {
				t.sessions, t.called = t.sessions+s, t.called+n
			}
		}
	}
	return t
}

// add adds up the sessions whose last day lies before the given one, and takes them out.
func (t *tally) add(before string) {
	last := map[string]string{}
	calls := map[string]int{}
	for day, sessions := range t.calls {
		for name, n := range sessions {
			last[name] = max(last[name], day)
			calls[name] += n
		}
	}
	for name, day := range last {
		if day < before {
			t.sessions++
			t.called += calls[name]
			for _, sessions := range t.calls {
				delete(sessions, name)
			}
		}
	}
}

// shorten writes the file anew: of sessions that have ended the sums, of facts the last day, if it still counts.
func shorten(dir *os.Root, today string) error {
	src, err := dir.ReadFile(usageName)
	if err != nil {
		return err
	}
	t := tallied(src, today)
	t.add(daysBefore(today, 1))
	var out strings.Builder
	fmt.Fprintf(&out, "s %s\nt %d %d\n", t.since, t.sessions, t.called)
	if t.loose > 0 {
		fmt.Fprintf(&out, "c %s %s %d\n", today, noSession, t.loose)
	}
	days := map[string][]string{}
	for id, day := range t.told {
		if day > daysBefore(today, UnusedDays) {
			days[day] = append(days[day], id)
		}
	}
	for _, day := range slices.Sorted(maps.Keys(days)) {
		slices.Sort(days[day])
		fmt.Fprintf(&out, "f %s %s\n", day, strings.Join(days[day], " "))
	}
	for _, day := range slices.Sorted(maps.Keys(t.calls)) {
		for _, name := range slices.Sorted(maps.Keys(t.calls[day])) {
			fmt.Fprintf(&out, "c %s %s %d\n", day, name, t.calls[day][name])
		}
	}
	return store.WriteWhole(dir, usageName, []byte(out.String()), false)
}

func daysBefore(day string, n int) string {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return ""
	}
	return t.AddDate(0, 0, -n).Format(time.DateOnly)
}

// Usage is what was counted on this machine. Calls that only read (mode route, a server that only reads) are not.
type Usage struct {
	Since           string  `json:"since,omitempty"`   // the day on which counting began, "" when it has not
	Calls           int     `json:"calls"`             // of sdd_context and sdd context
	Sessions        int     `json:"sessions"`          // of MCP clients that made any
	CallsPerSession float64 `json:"calls_per_session"` // of those that belong to a session
	Unused          int     `json:"unused_facts"`      // facts that count, are older than 90 days and were not told in that time
}

// Usage adds up what was counted.
func (b *Answers) Usage(ctx context.Context) (Usage, error) {
	facts, err := b.Facts.All(ctx)
	if err != nil {
		return Usage{}, err
	}
	b.usage.flush()
	today := time.Now().UTC().Format(time.DateOnly)
	var src []byte
	if dir, err := b.Store.Private(metricsFolder, false); err == nil {
		src, _ = dir.ReadFile(usageName) // none is nothing counted
		dir.Close()
	}
	t := tallied(src, today)
	t.add("9999-12-31")
	u := Usage{Calls: t.called + t.loose, Sessions: t.sessions}
	if len(src) > 0 {
		u.Since = t.since
	}
	if t.sessions > 0 {
		u.CallsPerSession = float64(t.called) / float64(t.sessions)
	}
	first := daysBefore(today, UnusedDays)
	for n := range facts {
		f := &facts[n]
		made := cmp.Or(f.Created, f.ValidFrom, t.since) // without a date it is at least as old as the count
		if f.Live() && made[:min(len(made), len(first))] <= first && t.told[f.ID] <= first {
			u.Unused++
		}
	}
	return u, nil
}
