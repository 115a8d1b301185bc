package learning

import (
	"bytes"
	"context"
	"os"
	"strconv"

	"sdd/internal/record"
)

// Metrics are the figures of all learnings, deleted ones included. Rates are 0 to 1; statuses are those that count.
type Metrics struct {
	Total               int            `json:"total"`
	ByStatus            map[string]int `json:"by_status"`
	ByScope             map[string]int `json:"by_scope"`
	DuplicatesPrevented int            `json:"duplicates_prevented"` // on this machine
	SourceParents       map[string]int `json:"source_parents"`       // learnings by parent
	InjectionRate       float64        `json:"injection_rate"`       // learnings a prompt, on this machine
	ByImpact            map[string]int `json:"by_impact"`
	ValidationRate      float64        `json:"validation_rate"`
	OutdatedRate        float64        `json:"outdated_rate"`
}

// Metrics returns the figures as the files and the local log are now.
func (l *Learnings) Metrics(ctx context.Context) (Metrics, error) {
	if err := l.cache.sync(ctx); err != nil {
		return Metrics{}, err
	}
	m := Metrics{ByStatus: zeroes(record.StatusesOf(record.Idea, record.Learning)), ByScope: zeroes(record.ScopesOf(record.Idea)),
		SourceParents: map[string]int{}, ByImpact: zeroes(Impacts)}
	validated := 0
	for _, i := range l.cache.mostImportant() {
		m.Total++
		m.ByStatus[i.Effective()]++
		m.ByScope[i.Scope]++
		if i.Impact != "" {
			m.ByImpact[i.Impact]++
		}
		if i.Parent != "" {
			m.SourceParents[i.Parent]++
		}
		if i.Validated {
			validated++
		}
	}
	if m.Total > 0 {
		m.ValidationRate = float64(validated) / float64(m.Total)
		m.OutdatedRate = float64(m.ByStatus[outdated]) / float64(m.Total)
	}
	prompts, injected := 0, 0
	m.DuplicatesPrevented, prompts, injected = l.counts.read()
	if prompts > 0 {
		m.InjectionRate = float64(injected) / float64(prompts)
	}
	return m, nil
}

func zeroes(keys []string) map[string]int {
	m := map[string]int{}
	for _, k := range keys {
		m[k] = 0
	}
	return m
}

// counts are what the files do not tell: .sdd/.local/metrics/learning.log, a line for each duplicate (`d`) and for each
// injection with how many it held (`i 12`), appended to by all processes.
type counts struct{ l *Learnings }

const (
	metricsFolder = "metrics"
	countsName    = "learning.log"
)

func (c *counts) duplicate()     { c.add("d\n") }
func (c *counts) injected(n int) { c.add("i " + strconv.Itoa(n) + "\n") }

// add appends a line. A count that cannot be written is not worth a failure.
func (c *counts) add(row string) {
	if !c.l.st.Exists() {
		return
	}
	dir, err := c.l.st.Private(metricsFolder, true)
	if err != nil {
		return
	}
	defer dir.Close()
	if f, err := dir.OpenFile(countsName, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644); err == nil {
		f.WriteString(row)
		f.Close()
	}
}

func (c *counts) read() (duplicates, prompts, injected int) {
	dir, err := c.l.st.Private(metricsFolder, false)
	if err != nil {
		return 0, 0, 0
	}
	defer dir.Close()
	src, err := dir.ReadFile(countsName)
	if err != nil {
		return 0, 0, 0
	}
	for row := range bytes.Lines(src) {
		switch row = bytes.TrimRight(row, "\n"); {
		case string(row) == "d":
			duplicates++
		case bytes.HasPrefix(row, []byte("i ")):
			if n, err := strconv.Atoi(string(row[2:])); err == nil && n >= 0 {
				prompts++
				injected += n
			}
		}
	}
	return duplicates, prompts, injected
}
