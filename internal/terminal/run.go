package terminal

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"sdd/internal/fault"
	"sdd/internal/memory"
	"sdd/internal/workspace"
)

// Options say where the view is and what it cannot do itself.
type Options struct {
	In, Out *os.File                // the terminal
	Edit    func(path string) error // opens a file in the user's editor and waits; the terminal is as it was meanwhile
	Color   bool
	Now     func() time.Time // nil is time.Now

	started func(r *runner) // for tests
}

const (
	slow       = 300 * time.Millisecond // from which on it is said what is waited for
	settleDown = 80 * time.Millisecond  // changes that come together are read together
	elseAfter  = 3 * time.Second        // at least, from one look at other branches to the next
	escapeWait = 50 * time.Millisecond  // for the rest of a key's sequence
	mostKeys   = 1 << 20                // bytes of an unfinished sequence, such as a paste
)

// at is the sequence that puts the cursor at a place, counted from 0.
func at(x, y int) string { return "\x1b[" + strconv.Itoa(y+1) + ";" + strconv.Itoa(x+1) + "H" }

// Run shows the view until the user leaves or ctx ends. The terminal is as it was then, also after a panic. The overview
// is read before the terminal is taken, so that a store that cannot be read is told as by any command.
func Run(ctx context.Context, w *workspace.Workspace, o Options) error {
	if o.Now == nil {
		o.Now = time.Now
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP)
	defer stop()
	progress := time.AfterFunc(slow, func() { _, _ = io.WriteString(o.Out, "reading the records …") })
	first, err := w.Overview(ctx)
	if !progress.Stop() {
		_, _ = io.WriteString(o.Out, "\r\x1b[K")
	}
	if err != nil {
		return err
	}
	r := &runner{
		w: w, o: o, screen: &screen{in: o.In, out: o.Out, color: o.Color}, by: workspace.By{Tool: "view", Session: "view-" + rand.Text()[:8]},
		events: make(chan func(), 16), read: make(chan struct{}, 1), changed: make(chan struct{}, 1), keys: make(chan []byte),
	}
	width, height := r.screen.size()
	r.m = newModel(width, height, o.Now)
	r.m.set(first)
	if err := r.screen.open(); err != nil {
		return err
	}
	defer r.screen.close()
	return r.run(ctx)
}

// runner does what the model wants, and tells it what happens.
type runner struct {
	w      *workspace.Workspace
	o      Options
	screen *screen
	m      *model
	by     workspace.By

	events  chan func()   // from work that is under way, to be done by the loop
	read    chan struct{} // asks for the next keys: nobody reads while an editor has the terminal
	keys    chan []byte   // nil is the end
	changed chan struct{}

	done           []deedDone // here, the last at the end
	loading, again bool
	looking        bool // at other branches
	lookAgain      bool
	looked         time.Time
	work           int // pieces of work that change something
	leaving        bool
	beside         sync.WaitGroup // work that uses the store
}

// deedDone is something that can be taken back, and what it was done to.
type deedDone struct {
	workspace.Settled
	item item
}

// run is the loop.
func (r *runner) run(ctx context.Context) error {
	defer r.beside.Wait() // nobody closes the store under it
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go r.listen(ctx)
	followSize(ctx, func() { r.send(ctx, r.resized) })
	r.w.Follow(ctx, func() bool { return true }, r.tell)
	r.elsewhere(ctx)
	if r.o.started != nil {
		r.o.started(r)
	}
	defer memory.Rest(func() int { return 0 })() // a view may stay open all day
	var pending []byte
	var escape, soon <-chan time.Time
	r.read <- struct{}{}
	for {
		memory.Busy()
		if r.leaving && r.work == 0 {
			return nil
		}
		if i := r.m.wanted(); i != nil {
			r.m.show(read(ctx, r.w, *i))
		}
		if err := r.screen.draw(r.m.view()); err != nil {
			return nil // there is no terminal any more
		}
		select {
		case <-ctx.Done():
			return nil
		case f := <-r.events:
			f()
		case <-r.changed:
			if soon == nil {
				soon = time.After(settleDown)
			}
		case <-soon:
			soon = nil
			r.load(ctx)
			r.elsewhere(ctx)
		case in := <-r.keys:
			if in == nil {
				return nil
			}
			pending = r.press(ctx, append(pending, in...), false)
			if escape = nil; len(pending) > mostKeys {
				pending = nil
			} else if len(pending) > 0 {
				escape = time.After(escapeWait)
			}
			r.read <- struct{}{}
		case <-escape:
			escape = nil
			if !strings.HasPrefix(string(pending), pasteStart) { // a paste may take its time
				pending = r.press(ctx, pending, true)
			}
		}
	}
}

// listen reads keys, each time it is asked to.
func (r *runner) listen(ctx context.Context) {
	buf := make([]byte, 4096)
	for {
		select {
		case <-r.read:
		case <-ctx.Done():
			return
		}
		n, _ := r.o.In.Read(buf)
		in := slices.Clone(buf[:n])
		if n == 0 { // the terminal is gone
			in = nil
		}
		select {
		case r.keys <- in:
		case <-ctx.Done():
			return
		}
	}
}

// send has f done by the loop.
func (r *runner) send(ctx context.Context, f func()) {
	select {
	case r.events <- f:
	case <-ctx.Done():
	}
}

// spawn does work beside the loop; what it returns is done by the loop. A panic there is one of the loop, which gives
// the terminal back first.
func (r *runner) spawn(ctx context.Context, work func() func()) {
	r.beside.Go(func() {
		defer func() {
			if p := recover(); p != nil {
				words := fmt.Sprintf("%v\n\n%s", p, debug.Stack())
				r.send(ctx, func() { panic(words) })
			}
		}()
		then := work()
		r.send(ctx, then)
	})
}

func (r *runner) resized() {
	width, height := r.screen.size()
	if width != r.m.width || height != r.m.height {
		r.m.resize(width, height)
		r.screen.forget()
	}
}

// tell notes that something changed. It is called by whoever found out.
func (r *runner) tell() {
	select {
	case r.changed <- struct{}{}:
	default:
	}
}

// load reads the overview again.
func (r *runner) load(ctx context.Context) {
	if r.again = r.loading; r.loading {
		return
	}
	r.loading = true
	r.spawn(ctx, func() func() {
		o, err := r.w.Overview(ctx)
		return func() {
			r.loading = false
			switch {
			case err == nil:
				r.m.set(o)
			case !errors.Is(err, context.Canceled):
				r.fail(err)
			}
			if r.again {
				r.again = false
				r.tell()
			}
		}
	})
}

// elsewhere looks at other branches, now and then.
func (r *runner) elsewhere(ctx context.Context) {
	if r.looking || time.Since(r.looked) < elseAfter {
		if !r.lookAgain {
			r.lookAgain = true
			time.AfterFunc(elseAfter, r.tell)
		}
		return
	}
	r.looking, r.lookAgain, r.looked = true, false, time.Now()
	r.spawn(ctx, func() func() {
		list, err := r.w.Elsewhere(ctx)
		return func() {
			r.looking, r.looked = false, time.Now()
			if err == nil { // what is wrong with a branch is nothing to stop anybody here
				r.m.setElsewhere(list)
			}
		}
	})
}

// press gives the keys of in to the model and does what it wants. What is unfinished of them is returned.
func (r *runner) press(ctx context.Context, in []byte, whole bool) []byte {
	for len(in) > 0 {
		k, n := decode(in, whole)
		if n == 0 {
			return in
		}
		in = in[n:]
		switch w := r.m.press(k); w.do {
		case leave:
			r.leaving = true
			return nil
		case accept:
			r.settle(ctx, w.item, w.item.Accept, func() (workspace.Settled, error) { return r.w.Accept(ctx, w.item.Item, r.by) })
		case refuse:
			r.settle(ctx, w.item, w.item.Refuse, func() (workspace.Settled, error) { return r.w.Refuse(ctx, w.item.Item, w.reason, r.by) })
		case takeBack:
			r.takeBack(ctx)
		case undoLast:
			r.settle(ctx, item{}, "undo", func() (workspace.Settled, error) { return r.w.UndoLast(ctx) })
		case edit:
			r.edit(w.item)
			return nil
		case stop:
			r.screen.close()
			stopProcess()
			r.reopen()
		case paint:
			r.screen.forget()
		}
	}
	return nil
}

// alone reports whether work that changes something may begin: one piece at a time.
func (r *runner) alone(name string) bool {
	if r.work > 0 {
		r.m.say("wait: "+r.m.busy+" is under way", true)
		return false
	}
	r.work, r.m.busy = 1, name
	return true
}

// settle does something about an item and says what became of it.
func (r *runner) settle(ctx context.Context, i item, name string, do func() (workspace.Settled, error)) {
	if !r.alone(name) {
		return
	}
	r.spawn(ctx, func() func() {
		done, err := do()
		return func() {
			r.work, r.m.busy = 0, ""
			if err != nil {
				r.fail(err)
			} else {
				if r.m.open && !r.m.prose {
					r.m.close()
				}
				r.told(i, name, done)
			}
			r.m.canUndo = len(r.done) > 0
			r.load(ctx)
		}
	})
}

// past is how it is said that an action is done, "" for what says it itself.
func past(action string) string {
	switch action {
	case "approve", "validate", "archive":
		return strings.TrimSuffix(action, "e") + "ed"
	case "reject", "refresh":
		return action + "ed"
	case "merge again":
		return "merged"
	case "put back":
		return action
	case "leave as it is":
		return "left as it is"
	}
	return ""
}

// told says what became of an item. What is left to do is told in full.
func (r *runner) told(i item, name string, done workspace.Settled) {
	switch {
	case done.Open:
		r.m.explain(done.Text)
	case past(name) == "":
		r.m.say(done.Text, false)
	default:
		r.m.say(past(name)+": "+i.Title, false)
	}
	if done.CanTakeBack() {
		r.done = append(r.done, deedDone{done, i})
	}
}

// takeBack takes back what was done here last.
func (r *runner) takeBack(ctx context.Context) {
	if len(r.done) == 0 || !r.alone("undo") {
		return
	}
	last := r.done[len(r.done)-1]
	r.spawn(ctx, func() func() {
		err := r.w.TakeBack(ctx, last.Settled)
		return func() {
			r.work, r.m.busy = 0, ""
			r.done = r.done[:len(r.done)-1]
			if r.m.canUndo = len(r.done) > 0; err != nil {
				r.fail(err)
			} else {
				r.m.next = last.item.key
				r.m.say("taken back: "+last.item.Title, false)
			}
			r.load(ctx)
		}
	})
}

// edit lends the terminal to the user's editor.
func (r *runner) edit(i item) {
	r.screen.close()
	err := r.o.Edit(i.File)
	r.reopen()
	if err != nil {
		r.fail(err)
	}
	r.tell()
}

// reopen takes the terminal again.
func (r *runner) reopen() {
	if err := r.screen.open(); err != nil {
		r.leaving = true
		return
	}
	r.resized()
}

// fail says what went wrong and what to do.
func (r *runner) fail(err error) {
	f := fault.Of(err)
	words := f.Error()
	if f.Hint != "" {
		words += "\n" + f.Hint
	}
	r.m.explain(words)
}
