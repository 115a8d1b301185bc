package learning

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"math"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"sdd/internal/allow"
	"sdd/internal/fault"
	"sdd/internal/record"
	"sdd/internal/store"
)

// Events list the changes of ideas on this machine, by any process: .sdd/.local/learning/events, one line per event,
// appended with one write and never changed. The first process that sees a hand edit writes its event. If several write
// it, it is listed once: the kind of change and the resulting bytes identify an event.

// Event is one change of an idea.
type Event struct {
	ID     string            `json:"id,omitempty"` // its position in the files, which lack it
	Event  string            `json:"event"`
	Idea   string            `json:"idea"`
	Time   time.Time         `json:"time"`
	Detail map[string]string `json:"detail,omitempty"` // action, keys, reason, agent, commit …, those that exist
}

// Names of events, besides idea:<color>_created, idea:yellow_outdated, _archived, _deleted and _resurrected.
const (
	eventUpdated = "idea:updated"
	eventCheck   = "idea:yellow_check" // a commit touched a file that the learning names; it stays active
	eventRemoved = "idea:removed"      // the file is gone
)

const (
	eventsFolder  = "learning/events"
	segmentSize   = 1 << 20
	mostSegments  = 8
	defaultEvents = 50
	mostEvents    = 500
)

// stored is an event in the file, with the etag of the idea after it.
type stored struct {
	Event
	Etag string `json:"etag,omitempty"`
	idea *Idea
}

// state identifies the idea after the event. An event with the state of the one before it is a repetition.
func (e stored) state() string { return e.Etag + "\x00" + e.Detail["commit"] }

type events struct {
	l *Learnings

	writing sync.Mutex // a caller that asks for events waits for those being written

	mu   sync.Mutex
	subs []*func(Event)
	seen []stored // changes on disk without a written event
}

// eventOf returns the name of the event between two states of an idea; nil is a missing idea.
func eventOf(was, now *Idea) string {
	switch {
	case now == nil:
		return eventRemoved
	case was == nil:
		return "idea:" + now.Color + "_created"
	case !now.Learning() || was.Status == now.Status:
		return eventUpdated
	case slices.Contains([]string{outdated, archived, deleted}, now.Status):
		return "idea:yellow_" + now.Status
	case was.Status == archived && now.Status == active:
		return "idea:yellow_resurrected"
	}
	return eventUpdated
}

// saved writes the event of a save while the idea is locked, so the events of one idea are in the order of its changes.
// The save succeeds even if the event cannot be written.
func (l *Learnings) saved(s store.Saved, detail map[string]string) {
	e := &l.events
	l.cache.wrote(s.Path, s.After)
	l.views.due()
	i := parse(s.Path, s.After)
	var was *Idea
	if !s.Created {
		was = parse(s.Path, s.Before)
	}
	e.record(e.change(was, i, detail))
}

// check records a commit that makes a learning doubtful.
func (e *events) check(i *Idea, v commitVerdict) {
	e.later(e.event(eventCheck, i, map[string]string{"reason": filesModified, "file": v.File, "commit": v.Commit}))
}

// saw records a change that this process found on disk. The process that made it may be about to write the event, so
// this one writes it only when a caller asks for events and it is still missing.
func (e *events) saw(was, now *Idea) {
	s := e.change(was, now, map[string]string{"by": "edit"})
	if now == nil {
		s.Etag = ""
	}
	e.later(s)
}

// change makes the event between two states of an idea. The detail of an update has the keys that differ, with the content as one.
func (e *events) change(was, now *Idea, detail map[string]string) stored {
	s := e.event(eventOf(was, now), cmp.Or(now, was), detail)
	if s.Event.Event == eventUpdated {
		old, is := was.values(), now.values()
		keys := slices.DeleteFunc(append(record.Keys(record.Idea), "content"), func(key string) bool {
			return reflect.DeepEqual(old[key], is[key])
		})
		if len(keys) > 0 {
			s.Detail = map[string]string{"keys": strings.Join(keys, ",")}
			maps.Copy(s.Detail, detail)
		}
	}
	return s
}

// values returns the idea by its keys.
func (i *Idea) values() (out map[string]any) {
	src, _ := json.Marshal(i)
	_ = json.Unmarshal(src, &out)
	return out
}

func (e *events) event(name string, i *Idea, detail map[string]string) stored {
	return stored{Event{Event: name, Idea: i.ID, Time: e.l.now().UTC(), Detail: detail}, i.Etag, i}
}

func (e *events) later(s stored) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.seen = append(e.seen, s); len(e.seen) > mostEvents {
		e.seen = e.seen[len(e.seen)-mostEvents:]
	}
}

// record writes an event and passes it to the subscribers.
func (e *events) record(s stored) {
	end, err := e.append(s)
	if s.ID = end.String(); err != nil {
		s.ID = "unwritten"
	}
	e.mu.Lock()
	subs := slices.Clone(e.subs)
	e.mu.Unlock()
	for _, f := range subs {
		(*f)(s.Event)
	}
	if s.idea != nil {
		e.l.runHook(s.Event, s.idea)
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

// position is a place in the events: an offset in a segment. Its text is a cursor, and the id of the event that ends
// there.
type position struct {
	segment int
	offset  int64
}

func (p position) String() string { return fmt.Sprintf("%d-%d", p.segment, p.offset) }

// append writes one line to the last segment and returns the position behind it.
func (e *events) append(s stored) (end position, err error) {
	defer fault.Caught(&err)
	dir := fault.Must(e.l.st.Private(eventsFolder, true))
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
	data := fault.Must(json.Marshal(s))
	end.segment = n
	end.offset, err = appendPrivate(dir, segmentName(n), data)
	return end, err
}

func segmentName(n int) string { return fmt.Sprintf("%06d.jsonl", n) }

// segments returns the numbers of the segments, ascending.
func segments(dir *os.Root) (nums []int) {
	names, _ := fs.Glob(dir.FS(), "*.jsonl")
	for _, name := range names {
		if n, err := strconv.Atoi(strings.TrimSuffix(name, ".jsonl")); err == nil && n > 0 {
			nums = append(nums, n)
		}
	}
	slices.Sort(nums)
	return nums
}

// Events returns the changes of ideas on this machine since the cursor, oldest first, and the cursor for the next call,
// which is never "". The cursor "" is the oldest kept event; about eight MiB of events are kept. Limit is 1 to 500, 0
// for 50. With ids it returns the changes of these ideas only.
func (l *Learnings) Events(ctx context.Context, cursor string, limit int, ids ...string) (_ []Event, _ string, err error) {
	defer fault.Caught(&err)
	fault.Check(fault.Within("limit", &limit, defaultEvents, 1, mostEvents))
	from := fault.Must(positionOf(cursor))
	fault.Check(l.Notice(ctx))
	out, next := []Event{}, from
	for at, s := range l.events.all() {
		if at.segment < from.segment || at.segment == from.segment && at.offset <= from.offset {
			continue
		}
		s.ID, next = at.String(), at
		if len(ids) > 0 && !slices.Contains(ids, s.Idea) {
			continue
		}
		if out = append(out, s.Event); len(out) == limit {
			break
		}
	}
	return out, next.String(), nil
}

// Notice writes events for the changes of files and commits since the last call of any process.
func (l *Learnings) Notice(ctx context.Context) error {
	if err := l.cache.sync(ctx); err != nil {
		return err
	}
	l.events.write()
	return nil
}

// write writes the events of changes on disk that no process has written.
func (e *events) write() {
	e.writing.Lock()
	defer e.writing.Unlock()
	e.mu.Lock()
	seen := e.seen
	e.seen = nil
	e.mu.Unlock()
	if len(seen) == 0 {
		return
	}
	written := map[string]bool{}
	for _, s := range e.all() {
		written[s.Idea+"\x00"+s.state()] = true
	}
	for _, s := range seen {
		if !written[s.Idea+"\x00"+s.state()] {
			e.record(s)
		}
	}
}

// all returns each kept event and the end of its line, oldest first; one that several processes wrote once.
func (e *events) all() iter.Seq2[position, stored] {
	return func(yield func(position, stored) bool) {
		dir, err := e.l.st.Private(eventsFolder, false)
		if err != nil {
			return
		}
		defer dir.Close()
		last := map[string]string{}
		for _, n := range segments(dir) {
			src, _ := dir.ReadFile(segmentName(n)) // it may have been deleted meanwhile
			at := position{segment: n}
			for row := range bytes.Lines(src) {
				at.offset += int64(len(row))
				var s stored
				if len(row) < 2 || row[len(row)-1] != '\n' || json.Unmarshal(row, &s) != nil || s.Event.Event == "" {
					continue
				}
				if before, ok := last[s.Idea]; ok && before == s.state() {
					continue
				}
				last[s.Idea] = s.state()
				if !yield(at, s) {
					return
				}
			}
		}
	}
}

func positionOf(cursor string) (p position, err error) {
	if cursor == "" {
		return p, nil
	}
	_, err = fmt.Sscanf(cursor, "%d-%d", &p.segment, &p.offset)
	if err != nil || p.String() != cursor || min(p.segment, int(p.offset)) < 0 || p.segment > math.MaxInt32 {
		return p, fault.New(fault.Invalid, "cursor %q is none that was given", record.Brief(cursor)).For("cursor").
			With("omit it to start with the oldest event")
	}
	return p, nil
}

// config.yaml may name a command as hooks.on-learning. Each event of a learning starts it once, in the folder of the store and with the
// event as JSON on its standard input, if the user trusts it on this machine (sdd trust). sdd does not wait for it: two runs may overlap.
// Changes of learnings by the command do not start it again.

const hookMark = "SDD_HOOK" // set for the command

// HookEvent is the input of the command.
type HookEvent struct {
	Event
	Learning *Idea `json:"learning,omitempty"` // after the event, nil when its file is gone
}

// HookCommand returns the command in the section hooks of config.yaml; false when there is none.
func HookCommand(section any) (allow.Command, bool) {
	keys, _ := section.(map[string]any)
	text, _ := keys["on-learning"].(string)
	words := strings.Fields(text)
	if len(words) == 0 {
		return allow.Command{}, false
	}
	return allow.Command{Command: words[0], Args: words[1:]}, true
}

// runHook starts the command for an event of i. The event is stored whether or not that succeeds.
func (l *Learnings) runHook(e Event, i *Idea) {
	cfg, err := l.st.Config()
	if err != nil || !i.Learning() || os.Getenv(hookMark) != "" {
		return
	}
	c, ok := HookCommand(cfg.Sections["hooks"])
	if !ok || !allow.Open(store.Local(l.st.Dir())).Trusted(c) {
		return
	}
	in := HookEvent{Event: e, Learning: i}
	if e.Event == eventRemoved {
		in.Learning = nil
	}
	// A file, unlike a pipe, still has the whole event when this process has ended.
	input, err := os.CreateTemp("", "sdd-event-*.json")
	if err != nil {
		return
	}
	defer os.Remove(input.Name())
	defer input.Close()
	if json.NewEncoder(input).Encode(in) != nil {
		return
	}
	if _, err := input.Seek(0, 0); err != nil {
		return
	}
	cmd := exec.Command(c.Command, c.Args...)
	cmd.Dir, cmd.Env, cmd.Stdin = l.st.Dir(), append(os.Environ(), hookMark+"=1"), input
	allow.Detach(cmd)
	if cmd.Start() == nil {
		go func() { _ = cmd.Wait() }() // a server must not leave a zombie
	}
}
