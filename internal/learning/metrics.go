package learning

import (
	"context"
	"math"
	"strconv"
	"strings"

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
	for _, i := range l.cache.newest() {
		if !i.Learning() {
			continue
		}
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
	var prompts, injected int
	if m.DuplicatesPrevented, prompts, injected = l.counts(); prompts > 0 {
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

// What the files do not hold is counted in .sdd/.local/metrics/learning.log: a line for each duplicate (`d`) and for each
// injection with its number of learnings (`i 12`), appended to by all processes.
const (
	metricsFolder = "metrics"
	countsName    = "learning.log"
)

func (l *Learnings) count(row string) {
	if l.st.Exists() {
		l.appendLine(metricsFolder, countsName, row, math.MaxInt64)
	}
}

func (l *Learnings) counts() (duplicates, prompts, injected int) {
	src, _ := l.readPrivate(metricsFolder, countsName, math.MaxInt64)
	for row := range strings.Lines(string(src)) {
		switch kind, number, _ := strings.Cut(strings.TrimSpace(row), " "); kind {
		case "d":
			duplicates++
		case "i":
			if n, err := strconv.Atoi(number); err == nil && n >= 0 {
				prompts++
				injected += n
			}
		}
	}
	return duplicates, prompts, injected
}
