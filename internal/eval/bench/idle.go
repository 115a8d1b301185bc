package bench

import (
	"fmt"
	"path/filepath"
	"time"
)

// idle measures a server without requests on a small store.
func (b *bench) idle() error {
	const small = 100
	c, err := newCorpus(filepath.Join(b.dir, "idle"), small)
	if err != nil {
		return err
	}
	s, err := b.ready(c.root)
	if err != nil {
		return err
	}
	defer s.close()
	if _, err := s.call("tools/list", nil); err != nil {
		return err
	}
	if err := s.look(rareWord(1), 1); err != nil {
		return err
	}
	time.Sleep(time.Second) // for the background work of a start
	cpu, err := cpuTime(s.pid())
	if err != nil {
		return skipOr(err)
	}
	wrote, err := bytesWritten(s.pid())
	if err != nil {
		return err
	}
	time.Sleep(b.window)
	cpuAfter, err := cpuTime(s.pid())
	if err != nil {
		return err
	}
	wroteAfter, err := bytesWritten(s.pid())
	if err != nil {
		return err
	}
	mib, err := memory(s.pid())
	if err != nil {
		return err
	}
	peak, err := peakMemory(s.pid())
	if err != nil {
		return err
	}
	note := fmt.Sprintf("over %s", b.window)
	r := row{Figure: "idle, processor", Records: small, Unit: "%", Value: 100 * float64(cpuAfter-cpu) / float64(b.window), Note: note}
	b.add(r.must(r.Value < 1, "< 1 %%"))
	r = row{Figure: "idle, written", Records: small, Unit: "bytes", Value: float64(wroteAfter - wrote), Note: note}
	b.add(r.must(r.Value == 0, "0"))
	r = row{Figure: "idle, memory", Records: small, Unit: "MiB", Value: mib, Note: fmt.Sprintf("%.0f MiB before it was idle", peak)}
	b.add(r.must(mib <= 20, "≤ 20 MiB"))
	return nil
}
