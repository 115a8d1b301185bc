package store

import (
	"os"
	"time"
)

// A program that saves in place truncates the file, writes, and closes it; a reader in
// between gets half a text. On Linux a read lease prevents that: the system grants it only when no program has the
// file open for writing, and lets none open it so while the lease lasts. Where there are no leases
// (other systems, files of other users) only the file's size and times show a save.

// patience is how long a reader waits for a save in place to end: save while there are signs of a save (begun), idle
// while a program only has the file open for writing.
type patience struct{ idle, save time.Duration }

var (
	noPatience = patience{}
	glance     = patience{idle: 2 * time.Millisecond, save: 100 * time.Millisecond}
	care       = patience{idle: 100 * time.Millisecond, save: 5 * time.Second}
)

// begun reports signs of a save in a file that a program has open for writing.
func begun(data []byte, age time.Duration) bool {
	return age < time.Second || len(data) == 0 && age < 2*time.Second
}

// halfway reports signs of an unfinished save, where the system does not show who has the file open: a program has
// mostly just truncated an empty file and not yet written it.
func halfway(data []byte, age time.Duration) bool { return len(data) == 0 && age < time.Second }

// waitForWriter reads f when no program writes to it, or when patience runs out; then open is true.
func waitForWriter(f *os.File, limit int64, p patience) (data []byte, st Stat, open bool, err error) {
	start := time.Now()
	for pause := 100 * time.Microsecond; ; pause = min(2*pause, 5*time.Millisecond) {
		state := lease(f)
		data, st, err = snapshot(f, limit, state == leaseHeld)
		if state == leaseHeld {
			release(f)
			return data, st, false, err
		}
		waited := time.Since(start)
		age := time.Since(time.Unix(0, st.Mtime))
		if age < 0 {
			age = time.Hour // the clock is wrong: the age is unknown
		}
		if state == leaseUnknown && (err != nil || waited >= p.save || !halfway(data, age)) {
			return data, st, false, err
		}
		if state == leaseBusy && (waited >= p.save || waited >= p.idle && !begun(data, age)) {
			return data, st, true, err
		}
		time.Sleep(pause)
	}
}

// snapshot reads f, which must be a regular file, with a Stat that belongs to the bytes. alone is true
// when no program can write to it meanwhile.
func snapshot(f *os.File, limit int64, alone bool) ([]byte, Stat, error) {
	for try := 0; ; try++ {
		fi, err := f.Stat()
		if err != nil {
			return nil, Stat{}, err
		}
		st := statOf(fi)
		if !fi.Mode().IsRegular() {
			return nil, st, errNotRegular
		}
		data, err := readAll(f, st.Size, limit)
		if err != nil || alone {
			return data, st, err
		}
		after, err := f.Stat()
		if err != nil {
			return nil, Stat{}, err
		}
		// With the older Stat a reader that compares finds a difference and reads again.
		if st == statOf(after) || try == 4 {
			return data, st, nil
		}
	}
}
