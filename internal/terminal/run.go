// Package terminal is the view of a store on a terminal: a model makes frames and requests of keys, the runner does the requests.
package terminal

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
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

	"sdd/internal/app"
	"sdd/internal/fault"
	"sdd/internal/memory"
)

// Options are the terminal of the view, and functions that it needs.
type Options struct {
	In, Out *os.File                // the terminal
	Edit    func(path string) error // opens a file in the user's editor and waits; the terminal is in its normal mode meanwhile
	// Browse shows a path of the local page in a browser; it returns the address, and false when there is no browser.
	Browse func(path string) (address string, shown bool, err error)
	Color  bool
	Now    func() time.Time // nil is time.Now

	started func(r *runner) // for tests
}

const (
	slow        = 300 * time.Millisecond // before a message about progress
	quietWindow = 80 * time.Millisecond  // to collect changes before the next read
	elseAfter   = 3 * time.Second        // at least between two comparisons with other branches
	escapeWait  = 50 * time.Millisecond  // for the rest of a key's sequence
	mostKeys    = 1 << 20                // bytes of an unfinished sequence, such as a paste
)

// at is the sequence that moves the cursor; positions begin at 0.
func at(x, y int) string { return "\x1b[" + strconv.Itoa(y+1) + ";" + strconv.Itoa(x+1) + "H" }

// Run shows the view until the user leaves or ctx ends, and restores the terminal, even after a panic. It reads the records before it
// changes the terminal, so that it can return an error like any command, and the overview, which takes longer, afterwards.
func Run(ctx context.Context, w *app.App, o Options) error {
	if o.Now == nil {
		o.Now = time.Now
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP)
	defer stop()
	progress := time.AfterFunc(slow, func() { _, _ = io.WriteString(o.Out, "reading the records …") })
	first, err := readRecords(ctx, w, nil)
	if !progress.Stop() {
		_, _ = io.WriteString(o.Out, "\r\x1b[K")
	}
	if err != nil {
		return err
	}
	r := &runner{
		w: w, o: o, screen: &screen{in: o.In, out: o.Out, color: o.Color}, by: app.By{Tool: "view", Session: "view-" + rand.Text()[:8]},
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

// runner does the model's requests, and updates the model.
type runner struct {
	w      *app.App
	o      Options
	screen *screen
	m      *model
	by     app.By

	events  chan func()   // from background work, for the loop to call
	read    chan struct{} // lets listen read keys, but not while an editor has the terminal
	keys    chan []byte   // nil is the end
	changed chan struct{}

	done           []doneAction // in this view, the last at the end
	loading, again bool
	searching      bool
	comparing      bool // with other branches
	compareAgain   bool
	compared       time.Time
	work           int // actions in progress
	leaving        bool
	background     sync.WaitGroup // work that uses the store
}

// doneAction is what a key did to some items: the actions that undo takes back.
type doneAction struct {
	items   []item
	actions []string
}

func (r *runner) run(ctx context.Context) error {
	defer r.background.Wait() // the caller closes the store
	defer r.screen.close()    // so the user need not wait for that
	if err := r.screen.draw(r.m.view()); err != nil {
		return nil // the terminal is gone
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go r.listen(ctx)
	followSize(ctx, func() { r.send(ctx, r.resized) })
	r.resized() // the size may have changed before
	r.w.Follow(ctx, func() bool { return true }, r.notify)
	r.load(ctx)
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
		r.search(ctx)
		if i := r.m.wanted(); i != nil {
			r.m.show(read(ctx, r.w, *i))
		}
		if err := r.screen.draw(r.m.view()); err != nil {
			return nil // the terminal is gone
		}
		select {
		case <-ctx.Done():
			return nil
		case f := <-r.events:
			f()
		case <-r.changed:
			if soon == nil {
				soon = time.After(quietWindow)
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
			if !strings.HasPrefix(string(pending), pasteStart) { // a paste may arrive slowly
				pending = r.press(ctx, pending, true)
			}
		}
	}
}

// listen reads keys once for each value in read.
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

func (r *runner) send(ctx context.Context, f func()) {
	select {
	case r.events <- f:
	case <-ctx.Done():
	}
}

// spawn does work in the background; the loop then calls its result, and repeats a panic after the terminal is restored.
func (r *runner) spawn(ctx context.Context, work func() func()) {
	r.background.Go(func() {
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
		r.m.width, r.m.height = width, height
		r.m.turn(0)
		r.screen.forget()
	}
}

// notify makes the loop read the overview again. Any goroutine may call it.
func (r *runner) notify() {
	select {
	case r.changed <- struct{}{}:
	default:
	}
}

func (r *runner) load(ctx context.Context) {
	if r.again = r.loading; r.loading {
		return
	}
	r.loading = true
	r.spawn(ctx, func() func() {
		l, err := readAll(ctx, r.w)
		return func() {
			r.loading = false
			switch {
			case err == nil:
				r.m.set(l)
			case !errors.Is(err, context.Canceled):
				r.fail(err)
			}
			if r.again {
				r.again = false
				r.notify()
			}
		}
	})
}

// search finds the records for the filter, and the next page of them when the user comes near the end. One search runs at a time.
func (r *runner) search(ctx context.Context) {
	m, cursor := r.m, ""
	words := m.filter
	if f := m.found; f != nil && f.filter == words {
		cursor = f.cursor
		if cursor == "" || m.panels[records].at+pageOfFound/2 < len(f.items) {
			return
		}
	}
	if r.searching || strings.TrimSpace(words) == "" {
		return
	}
	r.searching = true
	r.spawn(ctx, func() func() {
		f, err := search(ctx, r.w, words, cursor)
		return func() {
			if r.searching = false; err != nil { // the titles are still filtered
				f = found{filter: words, items: nil, total: 0}
			}
			r.m.setFound(f)
		}
	})
}

// elsewhere compares with other branches, unless it did so just now.
func (r *runner) elsewhere(ctx context.Context) {
	if r.comparing || time.Since(r.compared) < elseAfter {
		if !r.compareAgain {
			r.compareAgain = true
			time.AfterFunc(elseAfter, r.notify)
		}
		return
	}
	r.comparing, r.compareAgain, r.compared = true, false, time.Now()
	r.spawn(ctx, func() func() {
		list, err := r.w.Elsewhere(ctx)
		return func() {
			r.comparing, r.compared = false, time.Now()
			if err == nil { // the view works without the other branches
				r.m.setElsewhere(list)
			}
		}
	})
}

// press passes the keys of in to the model and does its requests. It returns the bytes of an incomplete key.
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
		case accept, refuse:
			r.do(ctx, w, func(i item) (app.Outcome, error) {
				return r.w.Act(ctx, []app.Item{i.Item}, i.verb(w.do), w.reason, r.by)
			})
		case take:
			r.do(ctx, w, func(i item) (app.Outcome, error) { return r.w.Take(ctx, i.Item, w.line, w.reason) })
		case takeBack:
			r.takeBack(ctx)
		case nameLast:
			if last, err := r.w.Store.Last(""); err != nil {
				r.fail(err)
			} else {
				r.m.ask = askUndo
				r.m.pending = request{do: undoLast, items: []item{{Item: app.Item{ID: last.ID}}}, reason: last.Text()}
			}
		case undoLast:
			r.do(ctx, w, func(i item) (app.Outcome, error) {
				err := r.w.TakeBack(ctx, i.ID)
				return app.Outcome{Text: "taken back: " + w.reason}, err
			})
		case edit:
			r.edit(w.items[0])
			return nil
		case browse:
			r.browse(ctx, w.items[0])
		case copyID:
			r.copy(w.items[0].ID)
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

// act does the work of an action in the background, unless another one is in progress; the loop then calls its result.
func (r *runner) act(ctx context.Context, name string, work func() (then func(), err error)) {
	if r.work > 0 {
		r.m.say("wait: "+r.m.busy+" is under way", true)
		return
	}
	r.work, r.m.busy = 1, name
	r.spawn(ctx, func() func() {
		then, err := work()
		return func() {
			r.work, r.m.busy = 0, ""
			if then(); err != nil {
				r.fail(err)
			}
			r.m.canUndo = len(r.done) > 0
			r.load(ctx)
		}
	})
}

// do does an action on items, one after the other up to the first error, and shows the result.
func (r *runner) do(ctx context.Context, w request, action func(item) (app.Outcome, error)) {
	name := w.verb()
	r.act(ctx, name, func() (func(), error) {
		var done doneAction
		var last app.Outcome
		var err error
		for _, i := range w.items {
			var o app.Outcome
			if o, err = action(i); err != nil {
				break
			}
			last, done.items = o, append(done.items, i)
			if o.Action != "" {
				done.actions = append(done.actions, o.Action)
			}
		}
		return func() {
			clear(r.m.marked)
			r.m.acted = err == nil && !r.m.prose
			if len(done.items) > 0 {
				r.showResult(name, done, last)
			}
		}, err
	})
}

// past has the participles of actions; the result of any other action has a text of its own.
var past = map[string]string{
	"approve": "approved", "validate": "validated", "archive": "archived", "reject": "rejected", "refresh": "refreshed",
	"merge again": "merged", "put back": "put back", "leave as it is": "left as it is",
}

// showResult shows the result of an action, last on its last item; in full when something is left to do.
func (r *runner) showResult(name string, done doneAction, last app.Outcome) {
	switch {
	case last.Open:
		r.m.explain(last.Text)
	case len(done.items) > 1:
		r.m.say(fmt.Sprintf("done: %s. u takes it back", name), false)
	case past[name] == "":
		r.m.say(last.Text, false)
	default:
		r.m.say(past[name]+": "+done.items[0].Title, false)
	}
	if len(done.actions) > 0 {
		r.done = append(r.done, done)
	}
}

// takeBack undoes the last action of this view, on all of its items.
func (r *runner) takeBack(ctx context.Context) {
	if len(r.done) == 0 {
		return
	}
	last := r.done[len(r.done)-1]
	r.act(ctx, "undo", func() (func(), error) {
		var err error
		for _, action := range slices.Backward(last.actions) {
			err = cmp.Or(err, r.w.TakeBack(ctx, action))
		}
		return func() {
			r.done = r.done[:len(r.done)-1]
			r.m.acted = true
			if err != nil {
				return
			}
			r.m.next = last.items[0].key
			words := "taken back: " + last.items[0].Title
			if n := len(last.items) - 1; n > 0 {
				words += fmt.Sprintf(" and %d more", n)
			}
			r.m.say(words, false)
		}, err
	})
}

// browse shows an item on the page, which it serves until the view ends.
func (r *runner) browse(ctx context.Context, i item) {
	r.spawn(ctx, func() func() {
		address, shown, err := r.o.Browse(app.PagePath(i.Type, i.ID))
		return func() {
			switch {
			case err != nil:
				r.fail(err)
			case shown:
				r.m.say("opened in your browser: "+i.ID, false)
			default:
				d := document{title: "No browser was found here"}
				d.add(strong, d.title)
				d.add(plain, "\nThe page is at this address while the view is open; over ssh, forward its port:\n\n"+address)
				r.m.openText(d)
			}
		}
	})
}

// copy puts a text on the clipboard of the user's terminal, which may be on another machine.
func (r *runner) copy(text string) {
	_, _ = io.WriteString(r.o.Out, "\x1b]52;c;"+base64.StdEncoding.EncodeToString([]byte(text))+"\x07")
	r.m.say("copied: "+text, false)
}

func (r *runner) edit(i item) {
	r.screen.close()
	err := r.o.Edit(i.File)
	r.reopen()
	if err != nil {
		r.fail(err)
	}
	r.notify()
}

func (r *runner) reopen() {
	if err := r.screen.open(); err != nil {
		r.leaving = true
		return
	}
	r.resized()
}

func (r *runner) fail(err error) {
	f := fault.Of(err)
	words := f.Error()
	if f.Hint != "" {
		words += "\n" + f.Hint
	}
	r.m.explain(words)
}
