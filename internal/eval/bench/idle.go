package bench

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"sdd/internal/eval/must"
)

// idle measures a server without requests on a small store.
func (b *bench) idle() {
	const small = 100
	c := must.Get(newCorpus(filepath.Join(b.dir, "idle"), small))
	s := must.Get(b.ready(c.root))
	defer s.close()
	must.Get(s.call("tools/list", nil))
	must.Check(s.look(rareWord(1), 1))
	time.Sleep(time.Second) // for the background work of a start
	cpu, err := cpuTime(s.pid())
	if errors.Is(err, errLinuxOnly) {
		return
	}
	must.Check(err)
	wrote := must.Get(bytesWritten(s.pid()))
	time.Sleep(b.window)
	cpuAfter := must.Get(cpuTime(s.pid()))
	wroteAfter := must.Get(bytesWritten(s.pid()))
	mib := must.Get(memory(s.pid()))
	peak := must.Get(peakMemory(s.pid()))
	note := fmt.Sprintf("over %s", b.window)
	r := row{Figure: "idle, processor", Records: small, Unit: "%", Value: 100 * float64(cpuAfter-cpu) / float64(b.window), Note: note}
	b.add(r.must(r.Value < 1, "< 1 %%"))
	r = row{Figure: "idle, written", Records: small, Unit: "bytes", Value: float64(wroteAfter - wrote), Note: note}
	b.add(r.must(r.Value == 0, "0"))
	r = row{Figure: "idle, memory", Records: small, Unit: "MiB", Value: mib, Note: fmt.Sprintf("%.0f MiB before it was idle", peak)}
	b.add(r.must(mib <= 20, "≤ 20 MiB"))
}
