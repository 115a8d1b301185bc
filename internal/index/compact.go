package index

import (
	"bytes"

	"sdd/internal/memory"
)

// mergeDue merges small segments while there are too many: small merges at once, larger ones in the background.
func (ix *Index) mergeDue() {
	select {
	case ix.merges <- struct{}{}:
	default:
		return // the merge that is under way looks again
	}
	ix.mu.Lock()
	ids := ix.contents.due()
	records := 0
	for _, id := range ids {
		records += ix.contents.segs[id].alive()
	}
	inputs := ix.contents.inputs(ids)
	ix.contents.hold(ids, true)
	closed := ix.ctx.Err() != nil
	inline := records <= mergeInline
	if !inline && !closed {
		ix.work.Add(1) // Close waits for it
	}
	ix.mu.Unlock()
	if len(ids) == 0 || closed {
		ix.release(ids)
		return
	}
	run := func() {
		var out bytes.Buffer
		m, err := merge(&out, inputs, ix.ctx.Err)
		if err == nil {
			var seg *segment
			if seg, err = openSegment(bytes.Clone(out.Bytes())); err == nil {
				ix.mu.Lock()
				ix.contents.replace(ids, seg, m.numbers, nil)
				ix.mu.Unlock()
			}
		}
		ix.release(ids)
		if err == nil {
			ix.mergeDue()
		}
	}
	if inline {
		run()
		return
	}
	go func() {
		defer ix.work.Done()
		run()
		memory.Busy()
	}()
}

// release ends a merge.
func (ix *Index) release(ids []uint32) {
	ix.mu.Lock()
	ix.contents.hold(ids, false)
	ix.mu.Unlock()
	<-ix.merges
}
