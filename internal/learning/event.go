package learning

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"sdd/internal/fault"
	"sdd/internal/record"
	"sdd/internal/store"
)

// Events tell what happened to ideas on this machine, whichever process did it: .sdd/.local/learning/events, one
// line an event, appended to with one write and never changed. A hand edit is told of by the first process that
// sees it; when several do, it is listed once, for an event is known by what happened and to which bytes.

// Event is one thing that happened to an idea.
type Event struct {
	ID     string            `json:"id"`
	Event  string            `json:"event"`
	Idea   string            `json:"idea"`
	Time   time.Time         `json:"time"`
	Detail map[string]string `json:"detail,omitempty"` // action, reason, agent, parent, commit … as far as there are
}

// Names of events. Of other colours than yellow they are idea:<color>_created and idea:updated.
const (
	eventUpdated     = "idea:updated"
	eventCheck       = "idea:yellow_check" // a commit touched what it names; it stays active
	eventOutdated    = "idea:yellow_outdated"
	eventArchived    = "idea:yellow_archived"
	eventResurrected = "idea:yellow_resurrected"
	eventDeleted     = "idea:yellow_deleted"
	eventRemoved     = "idea:removed" // the file is gone
)

const (
	eventsFolder  = "learning/events"
	segmentSize   = 1 << 20
	mostSegments  = 8
	defaultEvents = 50
	mostEvents    = 500
)

// stored is an event as it stands in the file.
type stored struct {
	Event  string            `json:"event"`
	Idea   string            `json:"idea"`
	Etag   string            `json:"etag,omitempty"` // of the file afterwards
	Time   time.Time         `json:"time"`
	Detail map[string]string `json:"detail,omitempty"`
}

// state is what an idea was after the event. An event that leaves it as the one before did is that one, told again.
func (e stored) state() string { return e.Etag + "\x00" + e.Detail["commit"] }

type events struct {
	l *Learnings

	telling sync.Mutex // whoever asks for events waits for those that are being told

	mu   sync.Mutex
	subs []*func(Event)
	seen []stored // on disk by others, not told yet
}

// eventOf names what happened between two states of an idea; nil is none.
func eventOf(was, now *Idea) string {
	switch {
	case now == nil:
		return eventRemoved
	case was == nil:
		return "idea:" + now.Color + "_created"
	case !now.Learning() || was.Status == now.Status:
		return eventUpdated
	}
	switch now.Status {
	case outdated:
		return eventOutdated
	case archived:
		return eventArchived
	case deleted:
		return eventDeleted
	case active:
		if was.Status == archived {
			return eventResurrected
		}
	}
	return eventUpdated
}

// saved writes down and tells what a save did, while nobody else can save that idea: the events of one idea stand in
// the order of its changes. An event that cannot be written is no failure of what happened.
func (e *events) saved(s store.Saved, detail map[string]string) {
	if detail == nil {
		detail = map[string]string{}
	}
	i := parse(s.Path, s.After)
	name := eventOf(nil, i)
	if !s.Created {
		name = eventOf(parse(s.Path, s.Before), i)
	}
	e.record(stored{Event: name, Idea: i.ID, Etag: i.Etag, Time: e.l.now().UTC(), Detail: detail})
}

// check tells of a commit that makes a learning doubtful.
func (e *events) check(i *Idea, v commitVerdict) {
	if i == nil {
		return
	}
	e.later(stored{Event: eventCheck, Idea: i.ID, Etag: i.Etag, Detail: map[string]string{
		"reason": filesModified, "file": v.File, "commit": v.Commit,
	}})
}

// saw notes a change that this process found on disk. Whoever made it may be about to write it down, so it is told
// when events are asked for and nobody has by then.
func (e *events) saw(was, now *Idea) {
	i := now
	if i == nil {
		i = was
	}
	s := stored{Event: eventOf(was, now), Idea: i.ID, Detail: map[string]string{"by": "edit"}}
	if now != nil {
		s.Etag = now.Etag
	}
	e.later(s)
}

func (e *events) later(s stored) {
	s.Time = e.l.now().UTC()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.seen = append(e.seen, s); len(e.seen) > mostEvents {
		e.seen = e.seen[len(e.seen)-mostEvents:]
	}
}

func (e *events) record(s stored) {
	if via := os.Getenv(hookMark); via != "" {
		s.Detail = maps.Clone(s.Detail)
		s.Detail[viaHook] = via
	}
	id, before, err := e.append(s)
	if err != nil {
		id = "unwritten"
	} else {
		e.l.hooks.happened(before)
	}
	e.mu.Lock()
	subs := slices.Clone(e.subs)
	e.mu.Unlock()
	for _, f := range subs {
		(*f)(Event{ID: id, Event: s.Event, Idea: s.Idea, Time: s.Time, Detail: s.Detail})
	}
}

// Subscribe calls f with each event that this process causes or finds, as it happens. f must not block, and must
// not call back.
func (l *Learnings) Subscribe(f func(Event)) (cancel func()) {
	e, sub := &l.events, &f
	e.mu.Lock()
	defer e.mu.Unlock()
	e.subs = append(e.subs, sub)
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.subs = slices.DeleteFunc(e.subs, func(s *func(Event)) bool { return s == sub })
	}
}

// append writes one line to the last segment and returns the id of the event, and the cursor that has it next.
func (e *events) append(s stored) (id, before string, err error) {
	dir, err := e.l.st.Private(eventsFolder, true)
	if err != nil {
		return "", "", err
	}
	defer dir.Close()
	nums := segments(dir)
	n := 1
	if len(nums) > 0 {
		n = nums[len(nums)-1]
		if st, err := dir.Stat(segmentName(n)); err == nil && st.Size() > segmentSize {
			n++
			for _, old := range nums[:max(0, len(nums)-mostSegments+1)] {
				dir.Remove(segmentName(old))
			}
		}
	}
	f, err := dir.OpenFile(segmentName(n), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return "", "", err
	}
	defer f.Close()
	data, err := json.Marshal(s)
	if err != nil {
		return "", "", err
	}
	// Between two line ends, so that half a line which a crash left behind spoils itself only.
	if _, err := f.Write(append(append([]byte("\n"), data...), '\n')); err != nil {
		return "", "", err
	}
	at, _ := f.Seek(0, 1)
	return fmt.Sprintf("%d-%d", n, at), fmt.Sprintf("%d-%d", n, at-int64(len(data))-1), nil
}

func segmentName(n int) string { return fmt.Sprintf("%06d.jsonl", n) }

// segments returns the numbers of the segments, ascending.
func segments(dir *os.Root) []int {
	entries, err := fs.ReadDir(dir.FS(), ".")
	if err != nil {
		return nil
	}
	var nums []int
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".jsonl"); ok {
			if n, err := strconv.Atoi(name); err == nil && n > 0 {
				nums = append(nums, n)
			}
		}
	}
	slices.Sort(nums)
	return nums
}

// Events returns what happened to ideas on this machine since the cursor, oldest first, and the cursor for the
// next call, which is never "". The cursor "" is the oldest event that is kept; those of about eight MiB are. Limit is
// 1 to 500, 0 for 50.
func (l *Learnings) Events(ctx context.Context, cursor string, limit int) ([]Event, string, error) {
	if err := fault.Within("limit", &limit, defaultEvents, 1, mostEvents); err != nil {
		return nil, "", err
	}
	num, off, err := place(cursor)
	if err != nil {
		return nil, "", err
	}
	if err := l.cache.sync(ctx); err != nil {
		return nil, "", err
	}
	l.events.tell()
	out := []Event{}
	next := fmt.Sprintf("%d-%d", num, off)
	l.events.walk(func(at string, n int, end int64, s stored) bool {
		if n < num || n == num && end <= off {
			return true
		}
		out = append(out, Event{ID: at, Event: s.Event, Idea: s.Idea, Time: s.Time, Detail: s.Detail})
		next = at
		return len(out) < limit
	})
	return out, next, nil
}

// Notice tells, as events, what happened to files and commits since the last call of any process.
func (l *Learnings) Notice(ctx context.Context) error {
	if err := l.cache.sync(ctx); err != nil {
		return err
	}
	l.events.tell()
	return nil
}

// tell writes down what was seen on disk and nobody has told.
func (e *events) tell() {
	e.telling.Lock()
	defer e.telling.Unlock()
	e.mu.Lock()
	seen := e.seen
	e.seen = nil
	e.mu.Unlock()
	if len(seen) == 0 {
		return
	}
	told := map[string]bool{}
	e.walk(func(_ string, _ int, _ int64, s stored) bool {
		told[s.Idea+"\x00"+s.state()] = true
		return true
	})
	for _, s := range seen {
		if !told[s.Idea+"\x00"+s.state()] {
			e.record(s)
		}
	}
}

// walk calls f for each event that is kept, oldest first, until it returns false; one that several processes told
// of once. end is where its line ends.
func (e *events) walk(f func(at string, n int, end int64, s stored) bool) {
	dir, err := e.l.st.Private(eventsFolder, false)
	if err != nil {
		return
	}
	defer dir.Close()
	last := map[string]string{}
	for _, n := range segments(dir) {
		src, err := dir.ReadFile(segmentName(n))
		if err != nil {
			continue // dropped meanwhile
		}
		end := int64(0)
		for row := range bytes.Lines(src) {
			end += int64(len(row))
			var s stored
			if len(row) < 2 || row[len(row)-1] != '\n' || json.Unmarshal(row, &s) != nil || s.Event == "" {
				continue
			}
			if before, ok := last[s.Idea]; ok && before == s.state() {
				continue
			}
			last[s.Idea] = s.state()
			if !f(fmt.Sprintf("%d-%d", n, end), n, end, s) {
				return
			}
		}
	}
}

// place reads a cursor.
func place(cursor string) (num int, off int64, err error) {
	if cursor == "" {
		return 0, 0, nil
	}
	a, b, ok := strings.Cut(cursor, "-")
	num, err1 := strconv.Atoi(a)
	off, err2 := strconv.ParseInt(b, 10, 64)
	if !ok || err1 != nil || err2 != nil || num < 0 || off < 0 {
		return 0, 0, fault.New(fault.Invalid, "cursor %q is none that was given", record.Brief(cursor)).For("cursor").
			With("omit it to start with the oldest event")
	}
	return num, off, nil
}
