package learning

import (
	"fmt"
	"os"
	"sync"
	"time"

	"sdd/internal/fault"
)

// localFolder is below .sdd/.local; what is in it can be deleted at any time.
const localFolder = "learning"

// readPrivate returns a file of this machine, at most `most` bytes of it; an error when it is not there or longer.
func (l *Learnings) readPrivate(folder, name string, most int64) ([]byte, error) {
	dir, err := l.st.Private(folder, false)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	if st, err := dir.Stat(name); err != nil || st.Size() > most {
		return nil, os.ErrNotExist
	}
	return dir.ReadFile(name)
}

// appendPrivate appends a line to a file of this machine, with one write. A line that a crash cut short is ended first, so that only
// it is lost. end is the offset behind the line.
func appendPrivate(dir *os.Root, name string, line []byte) (end int64, err error) {
	defer fault.Caught(&err)
	f := fault.Must(dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644))
	defer f.Close()
	fault.Must(fmt.Fprintf(f, "\n%s\n", line))
	return f.Seek(0, 1)
}

// appendLine appends a line to a file of this machine, and starts a new file when that one has `most` bytes. It loses the line when
// the file cannot be written: the files are only hints and counts.
func (l *Learnings) appendLine(folder, name, line string, most int64) {
	dir, err := l.st.Private(folder, true)
	if err != nil {
		return
	}
	defer dir.Close()
	if st, err := dir.Stat(name); err == nil && st.Size() > most {
		dir.Rename(name, name+".old")
	}
	appendPrivate(dir, name, []byte(line))
}

// later does some work once a while after it became due, however often it became due.
type later struct {
	pause time.Duration
	do    func()

	mu    sync.Mutex
	timer *time.Timer
	work  sync.WaitGroup
}

// due has the work done after the pause.
func (d *later) due() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.timer != nil {
		return
	}
	d.work.Add(1)
	d.timer = time.AfterFunc(d.pause, func() {
		defer d.work.Done()
		d.mu.Lock()
		d.timer = nil
		d.mu.Unlock()
		d.do()
	})
}

// flush does now what is due, and waits for what is under way.
func (d *later) flush() {
	d.mu.Lock()
	waiting := d.timer != nil && d.timer.Stop()
	if waiting {
		d.timer = nil
	}
	d.mu.Unlock()
	if waiting {
		d.do()
		d.work.Done()
	}
	d.work.Wait()
}
