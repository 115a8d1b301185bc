package index

import (
	"bytes"
	"slices"

	"sdd/internal/memory"
)

// mergeDue merges small segments while there are too many: small merges at once, larger ones in the background.
func (ix *Index) mergeDue() {
	select {
	case ix.merges <- struct{}{}:
	default:
		return // the merge that is under way looks again
	}
	held, inputs := ix.hold((*contents).due)
	if len(held) == 0 || ix.ctx.Err() != nil {
		ix.release(held, nil, nil, nil)
		<-ix.merges
		return
	}
	run := func() {
		var out bytes.Buffer
		var seg *segment
		m, err := merge(&out, inputs, ix.ctx.Err)
		if err == nil {
			seg, err = openSegment(bytes.Clone(out.Bytes()))
		}
		ix.release(held, seg, m.numbers, nil)
		<-ix.merges
		if err == nil {
			ix.mergeDue()
		}
	}
	records := 0
	for _, in := range inputs {
		records += in.seg.len()
	}
	if records <= mergeInline || !ix.inBackground(func() { run(); memory.Busy() }) {
		run()
	}
}

// inBackground runs f in the background, and Close waits for it. It returns false when the index is being closed.
func (ix *Index) inBackground(f func()) bool {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.ctx.Err() != nil {
		return false
	}
	ix.work.Go(f)
	return true
}

// hold returns the segments that pick chooses, as inputs of a merge too. They stay until release.
func (ix *Index) hold(pick func(*contents) []*live) (held []*live, inputs []input) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	held = pick(ix.contents)
	for _, l := range held {
		l.busy = true
		inputs = append(inputs, input{l.seg, slices.Clone(l.dead)})
	}
	return held, inputs
}

// release ends a merge. Its result replaces the held segments, unless it failed and seg is nil.
func (ix *Index) release(held []*live, seg *segment, numbers [][]uint32, file *cacheFile) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if seg != nil {
		ix.contents.replace(held, seg, numbers, file)
		seg.release() // with the lock, so that nobody unmaps it meanwhile
	}
	for _, l := range held {
		l.busy = false
		ix.contents.dropDead(l)
	}
}
