package answer

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"sdd/internal/fact"
	"sdd/internal/record"
	"sdd/internal/secrets"
	"sdd/internal/store"
)

// The calls of Brief, their questions and the facts in its answers are kept on this machine only, in .sdd/.local/metrics/context.log, to
// which all processes append. A question that may be answered from private records is not kept.
//
//	s 2026-11-01                  counting began
//	f 2026-11-21 fact-… fact-…    facts in the answers of that day
//	c 2026-11-21 9f86d081 3       calls of a session; "-" is a call without one
//	t 12 40                       sessions that have ended and their calls, added up
//	q 2026-11-21T09:14:00Z 812 7 How are tokens signed?   tokens and records of the answer, 0 records for none
//
// A call writes nothing itself: the counts follow a while later, and at the end. A file that has grown too long is written anew
// with the counts that still matter. A count that cannot be written is lost.

const (
	metricsFolder = "metrics"
	usageName     = "context.log"
	usageDelay    = 20 * time.Second
	maxUsage      = 512 << 10 // bytes; a longer file is rewritten
	noSession     = "-"

	// UnusedDays is the number of days after which a fact that no answer gave counts as unused.
	UnusedDays = 90
)

// usage counts the calls of this process.
type usage struct {
	st *store.Store

	mu       sync.Mutex
	timer    *time.Timer       // nil when no count is pending
	sessions map[string]string // their names in the file
	calls    map[string]int    // pending, by that name
	fresh    []string          // pending facts
	asked    []Question        // pending
	days     map[string]string // the last day of a fact
}

func today() string { return time.Now().UTC().Format(time.DateOnly) }

// Question is a question that a caller asked on this machine, and what it got.
type Question struct {
	Text   string // with secrets masked, its beginning if it is long
	Time   string
	Tokens int
	Used   int // records in the answer, 0 when none is about the question
}

const (
	mostQuestions = 100 // that are kept
	mostOfText    = 300 // bytes of one
)

func (u *usage) count(q Query, r Result) {
	text := record.OneLine(secrets.Mask(q.Query))
	asked := Question{Text: strings.ToValidUTF8(text[:min(len(text), mostOfText)], ""), Time: record.Stamp(time.Now()), Tokens: r.TokensUsed}
	if r.Known > 0 {
		asked.Used = len(r.ids)
	}
	session, ids := q.Session, r.ids
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.calls == nil {
		u.sessions, u.calls, u.days = map[string]string{"": noSession}, map[string]int{}, map[string]string{}
	}
	if u.sessions[session] == "" {
		u.sessions[session] = fmt.Sprintf("%08x", rand.Uint32())
	}
	u.calls[u.sessions[session]]++
	private := func(t Text) bool { return !strings.HasSuffix(t.Path, Earlier) }
	if !slices.ContainsFunc(q.Texts, private) {
		u.asked = append(u.asked, asked)
	}
	for _, id := range ids {
		if strings.HasPrefix(id, record.IDPrefix(record.Fact)) && u.days[id] != today() {
			u.days[id] = today()
			u.fresh = append(u.fresh, id)
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

func (u *usage) flush() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.timer = nil
	if len(u.calls) == 0 || !u.st.Exists() {
		return
	}
	t := tally{facts: map[string]string{}, calls: map[string]calls{}, asked: u.asked}
	for _, id := range u.fresh {
		t.facts[id] = today()
	}
	for name, n := range u.calls {
		t.calls[name] = calls{today(), n}
	}
	u.fresh, u.asked = nil, nil
	clear(u.calls)
	dir, err := u.st.Private(metricsFolder, true)
	if err != nil {
		return
	}
	defer dir.Close()
	if info, err := dir.Stat(usageName); err != nil || info.Size() == 0 {
		t.since = today()
	} else if info.Size() > maxUsage {
		_, _ = u.st.Alone(context.Background(), usageName, func(context.Context) error { return shorten(dir) })
	}
	f, err := dir.OpenFile(usageName, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return
	}
	defer f.Close()
	_, _ = f.WriteString(t.String())
}

// tally is the content of the file.
type tally struct {
	since    string
	facts    map[string]string // the last day, by fact
	calls    map[string]calls  // by session
	sessions int               // that have ended
	called   int               // by those
	asked    []Question        // the oldest first
}

// calls are those of one session, with their last day.
type calls struct {
	day string
	n   int
}

// tallied reads the file. It skips invalid lines; a day in the future, from a wrong clock, counts as today.
func tallied(src []byte) tally {
	t := tally{since: today(), facts: map[string]string{}, calls: map[string]calls{}}
	for line := range strings.Lines(string(src)) {
		words := append(strings.Fields(line), "", "", "", "")
		day := min(words[1], today())
		n, _ := strconv.Atoi(words[3])
		if words[0] == "q" {
			tokens, err := strconv.Atoi(words[2])
			if at := words[1]; err == nil && len(words) > 8 {
				_, text, _ := strings.Cut(line, words[2]+" "+words[3]+" ")
				t.asked = append(t.asked, Question{strings.TrimSpace(text), at, tokens, n})
			}
			continue
		}
		if words[0] == "t" {
			sessions, err := strconv.Atoi(words[1])
			if called, err2 := strconv.Atoi(words[2]); err == nil && err2 == nil && sessions >= 0 && called >= 0 {
				t.sessions, t.called = t.sessions+sessions, t.called+called
			}
			continue
		}
		if _, err := time.Parse(time.DateOnly, day); err != nil {
			continue
		}
		switch words[0] {
		case "s":
			t.since = min(t.since, day)
		case "f":
			for _, id := range words[2:] {
				t.facts[id] = max(t.facts[id], day)
			}
		case "c":
			if was := t.calls[words[2]]; n > 0 {
				t.calls[words[2]] = calls{max(was.day, day), was.n + n}
			}
		}
	}
	return t
}

// String is the tally in the form of the file.
func (t tally) String() string {
	var b strings.Builder
	if t.since != "" {
		fmt.Fprintf(&b, "s %s\n", t.since)
	}
	if t.sessions > 0 {
		fmt.Fprintf(&b, "t %d %d\n", t.sessions, t.called)
	}
	days := map[string]string{}
	for _, id := range slices.Sorted(maps.Keys(t.facts)) {
		days[t.facts[id]] += " " + id
	}
	for _, day := range slices.Sorted(maps.Keys(days)) {
		fmt.Fprintf(&b, "f %s%s\n", day, days[day])
	}
	for _, name := range slices.Sorted(maps.Keys(t.calls)) {
		fmt.Fprintf(&b, "c %s %s %d\n", t.calls[name].day, name, t.calls[name].n)
	}
	for _, q := range t.asked {
		fmt.Fprintf(&b, "q %s %d %d %s\n", q.Time, q.Tokens, q.Used, q.Text)
	}
	return b.String()
}

// shorten rewrites the file with sums for old sessions, the last day of each fact and the latest questions, without unused facts.
func shorten(dir *os.Root) error {
	src, err := dir.ReadFile(usageName)
	if err != nil {
		return err
	}
	t := tallied(src)
	yesterday, unused := daysAgo(1), daysAgo(UnusedDays)
	for name, c := range t.calls {
		if name != noSession && c.day < yesterday {
			t.sessions, t.called = t.sessions+1, t.called+c.n
			delete(t.calls, name)
		}
	}
	maps.DeleteFunc(t.facts, func(_, day string) bool { return day <= unused })
	t.asked = t.asked[max(0, len(t.asked)-mostQuestions):]
	return store.WriteWhole(dir, usageName, []byte(t.String()), false)
}

func daysAgo(n int) string { return time.Now().UTC().AddDate(0, 0, -n).Format(time.DateOnly) }

// Usage is the counts of this machine. Read-only calls (mode route, a read-only server) do not count.
type Usage struct {
	Since           string  `json:"since,omitempty"`   // the day on which counting began, "" when it has not
	Calls           int     `json:"calls"`             // of sdd_context and sdd context
	Sessions        int     `json:"sessions"`          // of MCP clients that made any
	CallsPerSession float64 `json:"calls_per_session"` // of those that belong to a session
	Unused          int     `json:"unused_facts"`      // facts that count, neither made nor refreshed nor answered with in 90 days
}

// Usage adds up the counts.
func (b *Answers) Usage(ctx context.Context) (u Usage, err error) {
	t, counted := b.tally()
	if counted {
		u.Since = t.since
	}
	u.Calls = t.calls[noSession].n
	delete(t.calls, noSession)
	for _, c := range t.calls {
		t.sessions, t.called = t.sessions+1, t.called+c.n
	}
	u.Calls, u.Sessions = u.Calls+t.called, t.sessions
	if t.sessions > 0 {
		u.CallsPerSession = float64(t.called) / float64(t.sessions)
	}
	unused, err := b.unused(ctx, t)
	u.Unused = len(unused)
	return u, err
}

// Asked returns the latest questions on this machine, the newest first. Like Usage, it leaves out read-only calls.
func (b *Answers) Asked() []Question {
	t, _ := b.tally()
	slices.Reverse(t.asked)
	return t.asked[:min(len(t.asked), mostQuestions)]
}

// Unused returns the facts in force that count as unused, and since when; none while this machine counts for less than UnusedDays.
func (b *Answers) Unused(ctx context.Context) (facts []fact.Fact, since string, err error) {
	t, counted := b.tally()
	if !counted || t.since > daysAgo(UnusedDays) {
		return nil, "", nil
	}
	facts, err = b.unused(ctx, t)
	return facts, t.since, err
}

// tally returns the counts of this machine, and whether there are any.
func (b *Answers) tally() (t tally, counted bool) {
	b.usage.flush()
	src, _ := b.Store.ReadPrivate(metricsFolder, usageName) // a missing file means no counts
	return tallied(src), len(src) > 0
}

func (b *Answers) unused(ctx context.Context, t tally) (unused []fact.Fact, err error) {
	facts, err := b.Facts.All(ctx)
	first := daysAgo(UnusedDays)
	for n := range facts {
		f := &facts[n]
		made := cmp.Or(f.Refreshed, f.Created, f.ValidFrom, t.since) // without a date it is at least as old as the count
		if f.Live() && made[:min(len(made), len(first))] <= first && t.facts[f.ID] <= first {
			unused = append(unused, *f)
		}
	}
	return unused, err
}
