package eval

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

// watched is a process that serves.
type watched struct {
	name   string
	cmd    *exec.Cmd
	stderr *bytes.Buffer
}

// sample is what a process had at some time, at rest.
type sample struct {
	rest    int
	process string
	mib     float64
	files   int
}

// serveURL starts a command that prints the address at which it serves.
func (s *soak) serveURL(args ...string) (*watched, string, error) {
	cmd := exec.Command(s.sdd, args...)
	cmd.Dir = s.corpus.root
	w := &watched{cmd: cmd, stderr: new(bytes.Buffer)}
	cmd.Stderr = &lastBytes{to: w.stderr}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, "", err
	}
	if err := cmd.Start(); err != nil {
		return nil, "", err
	}
	line := make([]byte, 0, 256)
	for b := make([]byte, 1); !bytes.HasSuffix(line, []byte("\n")); line = append(line, b[0]) {
		if _, err := out.Read(b); err != nil {
			return nil, "", fmt.Errorf("sdd %s printed no address: %w", args[0], err)
		}
	}
	return w, strings.TrimSpace(string(line)), nil
}

// lastBytes keeps the end of what is written, which is where a process says how it died.
type lastBytes struct{ to *bytes.Buffer }

const mostSaid = 8 << 20

func (l *lastBytes) Write(b []byte) (int, error) {
	if l.to.Len() > mostSaid {
		l.to.Reset()
	}
	return l.to.Write(b)
}

// said is what the process told besides its log of requests, until it was made to say what it was doing.
func (w watched) said() []byte {
	var lines []byte
	for line := range bytes.Lines(w.stderr.Bytes()) {
		if bytes.HasPrefix(line, []byte("SIGQUIT")) {
			break
		}
		if bytes.HasPrefix(line, []byte("sdd: ")) {
			lines = append(lines, line...)
		}
	}
	return lines
}

func (w watched) end() {
	_ = w.cmd.Process.Kill()
	_ = w.cmd.Wait()
}

// take takes a sample of every process. Nobody does anything meanwhile.
func (s *soak) take(rest int, at time.Duration) {
	time.Sleep(s.settled())
	for _, p := range s.processes {
		mib, err := memory(p.cmd.Process.Pid)
		if err != nil {
			continue // another system
		}
		open, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.cmd.Process.Pid))
		s.samples = append(s.samples, sample{rest, p.name, mib, len(open)})
		fmt.Fprintf(s.log, "soak: %s %s: %.1f MiB, %d files open\n", at.Round(time.Second), p.name, mib, len(open))
	}
	s.saves.mu.Lock()
	defer s.saves.mu.Unlock()
	fmt.Fprintf(s.log, "soak: %s %d calls, %d saves, %d conflicts, %d faults\n", at.Round(time.Second), s.saves.done, len(s.saves.all), s.saves.conflicts, s.faults.count)
}

// check looks whether all see the same and nothing is lost, and adds rows to the report.
func (s *soak) check(clients []agent, page *browser) {
	s.putBack()
	s.nothingLost()
	s.sameView(clients, page)
	s.growth()
	s.leaks()
}

// putBack resolves what waits, as a person would who was told.
func (s *soak) putBack() {
	for range len(s.hot) {
		out, err := s.command("status", "--json")
		if err != nil {
			s.faults.add("status", err)
			return
		}
		var status struct{ Pending []string }
		if err := json.Unmarshal(out, &status); err != nil {
			s.faults.add("status", err)
			return
		}
		var ids []string
		for _, text := range status.Pending {
			for _, id := range toldOf(text) {
				s.saves.told[id] = true
				if !slices.Contains(ids, id) {
					ids = append(ids, id)
				}
			}
		}
		before := s.saves.put
		for _, id := range ids {
			if _, err := s.command("resolve", id); err == nil {
				s.saves.put++
			} else if exit := new(exec.ExitError); errors.As(err, &exit) && exit.ExitCode() == 4 {
				s.saves.conflicts++
			} else {
				s.faults.add("resolve "+id, err)
			}
		}
		if s.saves.put == before {
			return
		}
	}
}

// views are the questions that everybody must answer in the same way.
func (s *soak) views() (all []question) {
	ask := func(tool string, args map[string]any) { all = append(all, question{tool, args}) }
	ask("sdd_search", map[string]any{"limit": 100, "max_tokens": 50_000})
	for _, kind := range []string{"explore", "learning", "decision", "fact"} {
		ask("sdd_search", map[string]any{"type": kind, "limit": 100, "max_tokens": 50_000})
	}
	for k := range commonWords {
		ask("sdd_search", map[string]any{"query": commonWord(k), "limit": 100, "max_tokens": 50_000})
	}
	for i := range 40 {
		ask("sdd_search", map[string]any{"query": rareWord(i * 7 % s.records)})
	}
	for _, word := range []string{"session", "learned", "listens"} {
		ask("sdd_search", map[string]any{"query": word, "limit": 50, "max_tokens": 50_000})
	}
	for _, r := range s.hot {
		ask("sdd_get", map[string]any{"id": "explore/" + r.slug(), "max_tokens": 50_000})
	}
	return all
}

type question struct {
	tool string
	args map[string]any
}

// sameView asks everybody the same, and two new processes, the second without the cache. A server waits for git only so long, and
// then leaves tiers and marks to the next answer: what differs is asked once more.
func (s *soak) sameView(clients []agent, page *browser) {
	questions := s.views()
	ask := func(a agent, q question) string {
		got, err := a.tool(q.tool, q.args)
		if err != nil || got.IsError {
			s.faults.add(a.name(), fmt.Errorf("%s %v at the end: %v %s", q.tool, q.args, err, got.StructuredContent))
			return ""
		}
		return string(got.StructuredContent)
	}
	begin := func(name string) (agent, func()) {
		c, err := s.ready(s.corpus.root)
		if err != nil {
			s.faults.add(name, err)
			return nil, func() {}
		}
		return &stdioAgent{c, name}, func() { c.close() }
	}
	first, end := begin("a new process")
	defer end()
	if first == nil {
		return
	}
	want := make([]string, len(questions))
	for i, q := range questions {
		want[i] = ask(first, q)
	}
	differ := 0
	compare := func(a agent) {
		for i, q := range questions {
			got := ask(a, q)
			if got != want[i] {
				fmt.Fprintf(s.log, "soak: %s %s %v: saw\n%s\na new process saw\n%s\n",
					a.name(), q.tool, q.args, fromDifference(got, want[i]), fromDifference(want[i], got))
				got, want[i] = ask(a, q), ask(first, q)
			}
			if got != want[i] {
				differ++
				s.faults.add(a.name(), fmt.Errorf("%s %v: sees\n%s\na new process sees\n%s",
					q.tool, q.args, fromDifference(got, want[i]), fromDifference(want[i], got)))
			}
		}
	}
	for _, a := range clients {
		compare(a)
	}
	text, err := page.load("/explorations")
	if err != nil {
		s.faults.add("page", err)
	}
	var all struct{ Total int }
	_ = json.Unmarshal([]byte(want[1]), &all)
	if !strings.Contains(text, grouped(all.Total)) && !strings.Contains(text, fmt.Sprint(all.Total)) {
		differ++
		s.faults.add("page", fmt.Errorf("it does not say that there are %d explorations", all.Total))
	}
	if err := os.Rename(filepath.Join(s.corpus.root, ".sdd", ".local"), filepath.Join(s.dir, "local")); err != nil { // kept for whoever looks for a fault
		s.faults.add("cache", err)
	}
	second, end := begin("a new process without the cache")
	defer end()
	if second != nil {
		compare(second)
	}
	r := row{Figure: "soak, answers that differ at the end", Records: s.records, Value: float64(differ), Note: fmt.Sprintf("%d questions to %d clients and 2 new processes", len(questions), len(clients))}
	s.add(r.must(differ == 0, "0"))
}

// fromDifference returns a's text from a little before the first byte in which b differs.
func fromDifference(a, b string) string {
	at := 0
	for at < min(len(a), len(b)) && a[at] == b[at] {
		at++
	}
	return fmt.Sprintf("%.1000s", a[max(at-200, 0):])
}

var markIn = regexp.MustCompile(`soakmark\d+n\d+x`)

// nothingLost looks for every mark.
func (s *soak) nothingLost() {
	in := map[string]map[string]bool{"files": {}, "history": {}, "journal": {}}
	look := func(where string, text []byte) {
		for _, m := range markIn.FindAll(text, -1) {
			in[where][string(m)] = true
		}
	}
	top := filepath.Join(s.corpus.root, ".sdd")
	err := filepath.WalkDir(top, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		where := "files"
		if rel, _ := filepath.Rel(top, path); strings.HasPrefix(rel, ".local") {
			if !strings.HasSuffix(path, ".jsonl") {
				return nil
			}
			where = "journal"
		}
		text, err := os.ReadFile(path)
		look(where, text)
		return err
	})
	if err != nil {
		s.faults.add("files", err)
	}
	history, err := s.gitOutput("log", "--all", "-p", "-U0", "--no-textconv", "--no-ext-diff", "--format=")
	if err != nil {
		s.faults.add("history", err)
	}
	look("history", history)

	lost, files, commits, journal, untold := 0, 0, 0, 0, 0
	for _, m := range s.saves.all {
		switch {
		case in["files"][m.mark]:
			files++
		case in["history"][m.mark]:
			commits++
		case in["journal"][m.mark]:
			journal++
			if !s.saves.told[m.id] {
				untold++
				fmt.Fprintf(s.log, "soak: nobody was told that %s is in the journal only, which %s put into %s\n", m.mark, m.who, m.id)
			}
		default:
			lost++
			s.faults.add(m.who, fmt.Errorf("%s in %s is lost", m.mark, m.id))
		}
	}
	r := row{Figure: "soak, saves lost", Records: s.records, Value: float64(lost), Note: fmt.Sprintf("of %s: %s in the files, %s in commits of the other branch, %s in the journal",
		grouped(len(s.saves.all)), grouped(files), grouped(commits), grouped(journal))}
	s.add(r.must(lost == 0, "0"))
	r = row{Figure: "soak, saves in the journal that nobody was told of", Records: s.records, Value: float64(untold)}
	s.add(r.must(untold == 0, "0"))
	s.add(row{Figure: "soak, conflicts as documented", Records: s.records, Value: float64(s.saves.conflicts), Note: fmt.Sprintf("%s calls, %d changes put back", grouped(s.saves.done), s.saves.put)})
}

// growth compares the rests of the last third with those of the first.
func (s *soak) growth() {
	for _, p := range s.processes {
		var first, last, firstFiles, lastFiles []float64
		for _, q := range s.samples {
			switch {
			case q.process != p.name:
			case q.rest < rests/3:
				first, firstFiles = append(first, q.mib), append(firstFiles, float64(q.files))
			case q.rest >= rests-rests/3:
				last, lastFiles = append(last, q.mib), append(lastFiles, float64(q.files))
			}
		}
		if len(first) == 0 || len(last) == 0 {
			continue // another system
		}
		was, now := middle(first), middle(last)
		r := row{Figure: "soak, memory of " + p.name, Records: s.records, Unit: "MiB", Value: now,
			Note: fmt.Sprintf("%+.0f %%, %.0f files open, were %.0f", 100*(now/was-1), middle(lastFiles), middle(firstFiles))}.against("in its first third", was)
		if s.length >= judged {
			r = r.must(now <= was*1.1, "≤ 1.1 × first third")
		}
		s.add(r)
	}
}

// leaks counts the goroutines of every process and compares them with those of new ones that were asked the same.
func (s *soak) leaks() {
	old := s.processes
	s.processes = nil
	clients, page, err := s.start()
	if err != nil {
		s.faults.add("new processes", err)
		s.processes = append(s.processes, old...)
		return
	}
	for i, c := range clients {
		a := &actions{s: s, agent: c, who: 20 + i}
		rng := rand.New(rand.NewPCG(1, 2))
		for _, act := range kinds {
			if err := act.do(a, rng, s.hot[0]); err != nil {
				s.faults.add("new processes", err)
			}
		}
	}
	if err := page.visit(s.hot[0]); err != nil {
		s.faults.add("new processes", err)
	}
	time.Sleep(s.settled())
	for i, p := range old {
		made, err := goroutines(p)
		if err != nil {
			continue // another system
		}
		fresh, err := goroutines(s.processes[i])
		if err != nil {
			continue
		}
		n, few := 0, 0
		for _, count := range fresh {
			few += count
		}
		var more []string
		for _, by := range slices.Sorted(maps.Keys(made)) {
			n += made[by]
			if made[by] > fresh[by] {
				more = append(more, fmt.Sprintf("%d by %s", made[by]-fresh[by], by))
			}
		}
		r := row{Figure: "soak, goroutines of " + p.name, Records: s.records, Value: float64(n), Note: "more: " + cmp.Or(strings.Join(more, ", "), "none")}.against("a new process", float64(few))
		s.add(r.must(float64(n) <= 1.1*float64(few), "≤ 1.1 × new"))
	}
	s.processes = append(s.processes, old...)
}

func middle(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}

// goroutines ends a process with the signal on which a Go program says what it was doing, and counts by who began it.
func goroutines(p watched) (map[string]int, error) {
	if err := p.cmd.Process.Signal(syscall.SIGQUIT); err != nil {
		return nil, err
	}
	_ = p.cmd.Wait()
	by := map[string]int{}
	for stack := range strings.SplitSeq(p.stderr.String(), "\n\n") {
		if !strings.HasPrefix(stack, "goroutine ") {
			continue
		}
		_, maker, _ := strings.Cut(stack, "\ncreated by ")
		maker, _, _ = strings.Cut(maker, " in goroutine")
		by[cmp.Or(maker, "main")]++
	}
	return by, nil
}

// report prints the rows; it fails when there were faults or a bar was not reached.
func (s *soak) report(out io.Writer) error {
	r := row{Figure: "soak, errors that are no documented conflict", Records: s.records, Value: float64(s.faults.count), Note: s.length.String()}
	s.add(r.must(s.faults.count == 0, "0"))
	fmt.Fprintf(out, "%s\n\n", machine(s.dir))
	if err := s.table(out); err != nil {
		return err
	}
	for _, f := range s.faults.all {
		fmt.Fprintln(out, f)
	}
	for _, r := range s.rows {
		if r.Bar != "" && !r.Reached {
			return fmt.Errorf("soak: %s: %s", r.Figure, number(r.Value, r.Unit))
		}
	}
	return nil
}
