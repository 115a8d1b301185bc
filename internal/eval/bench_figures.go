package eval

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"sdd/internal/tokens"
)

// version runs `sdd version`, the cheapest process.
func (b *bench) version(int) error { return exec.Command(b.sdd, "version").Run() }

// start measures the time from the start of the process to the first answers.
func (b *bench) start(c *corpus) {
	list := func(int) error {
		s := get(b.ready(c.root))
		defer func() { go s.close() }()
		_, err := s.call("tools/list", nil)
		return err
	}
	inTurn(1, list, b.version)
	r := compared("start to tools/list answered", c.size, b.starts, list, "sdd version", b.version)
	b.add(r.must(r.Value <= 15, "≤ 15 ms"))

	first := func() time.Duration {
		var s *server
		took := timing(func() error {
			s = get(b.ready(c.root))
			return s.look(rareWord(c.size/2), 1)
		})
		check(s.close()) // writes the cache
		return took
	}
	first() // writes the cache
	for _, f := range []struct {
		name, floor string
		times       int
		before      func()
		least       func(string) error
		bar         map[int]float64
	}{
		{"start to first search, with cache", "stat of all files", b.starts, func() {}, statAll, map[int]float64{10_000: 150, 100_000: 400}},
		{"start to first search, cache deleted", "read of all files", max(3, b.starts/4), c.dropCache, readAll,
			map[int]float64{10_000: 1000, 100_000: 15_000}},
	} {
		var took, floor []time.Duration
		for range f.times {
			f.before()
			took = append(took, first())
			floor = append(floor, timing(func() error { return f.least(c.explore()) }))
		}
		b.add(timed(f.name, c.size, took).against(f.floor, ms(median(floor))).atMost(f.bar))
	}
}

// dropCache deletes sdd's derived files, which git does not contain.
func (c *corpus) dropCache() {
	for _, derived := range []string{".local", "views"} {
		check(os.RemoveAll(filepath.Join(c.root, ".sdd", derived)))
	}
}

// hook measures `sdd hook` as a client waits for it. A file is edited anew each time in a session of its own.
func (b *bench) hook(c *corpus) {
	commitAll(c.root)
	for _, f := range []struct {
		name  string
		most  float64
		event map[string]any
	}{
		{"hook, session starts", 80, map[string]any{"hook_event_name": "SessionStart", "source": "startup"}},
		{"hook, file edited", 40, map[string]any{"hook_event_name": "PostToolUse", "tool_name": "Edit",
			"tool_input": map[string]string{"file_path": "internal/auth.go", "new_string": "return errors.New(\"no\")"}}},
		{"hook, session ends", 40, map[string]any{"hook_event_name": "SessionEnd", "transcript_path": "/no/such/transcript.jsonl"}},
	} {
		run := func(n int) error {
			f.event["session_id"], f.event["cwd"] = fmt.Sprint("s", n), c.root
			cmd := exec.Command(b.sdd, "hook", "claude-code")
			cmd.Stdin = bytes.NewReader(get(json.Marshal(f.event)))
			return cmd.Run()
		}
		check(run(-1)) // writes the cache
		b.add(compared(f.name, c.size, b.starts, run, "sdd version", b.version).p95AtMost(map[int]float64{c.size: f.most}))
	}
}

// memory measures the peak of one process, after saves and searches and then after counting tokens, with and without the cache.
func (b *bench) memory(c *corpus) {
	for _, cache := range []string{"cache deleted", "with cache"} {
		if cache == "cache deleted" {
			c.dropCache()
		}
		s := get(b.ready(c.root))
		word := func(i int) int { return i % min(commonWords, c.size) }
		for i := range b.samples {
			check(s.look(rareWord(i*13%c.size), 1))
			check(s.look(commonWord(word(i)), withCommon(c.size, word(i))))
			title := c.record(i * 11 % c.size).title
			check(s.store(map[string]any{"title": title, "unknowns": fmt.Sprintf("- what of %d, %s?", i, cache)}))
		}
		b.peak(s, row{Figure: "peak memory, saves and searches", Records: c.size, Note: cache}, map[int]float64{10_000: 48, 100_000: 160}[c.size])
		for i := range b.samples {
			id := "explore/" + c.record(i*17%c.size).slug()
			check(s.must("sdd_get", map[string]any{"id": id, "max_tokens": 200 + i%400}, &struct{}{}))
			check(s.must("sdd_search", map[string]any{"query": commonWord(word(i)), "limit": 100, "max_tokens": 300 + i}, &struct{}{}))
		}
		counted := row{Figure: "peak memory, after token counting", Records: c.size, Note: cache}
		b.peak(s, counted, map[int]float64{10_000: 64, 100_000: 160}[c.size])
		check(s.close())
	}
}

// peak adds the peak memory of a server, where the system has it; most is the bar, 0 for none.
func (b *bench) peak(s *server, r row, most float64) {
	kb, err := procField(s.cmd.Process.Pid, "status", "VmHWM")
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	check(err)
	r.Unit, r.Value = "MiB", float64(kb)/1024
	b.add(r.atMost(map[int]float64{r.Records: most}))
}

// procField returns the number of a field in a file of /proc.
func procField(pid int, file, name string) (int64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(b)) {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			return strconv.ParseInt(strings.Fields(value)[0], 10, 64)
		}
	}
	return 0, fmt.Errorf("%s has no %s", file, name)
}

// memory returns the present memory of a process, its program included, in MiB.
func memory(pid int) (float64, error) {
	kb, err := procField(pid, "status", "VmRSS")
	return float64(kb) / 1024, err
}

func cpuTime(pid int) (time.Duration, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(b), ") ") // the name before may contain anything
	f := strings.Fields(rest)
	if err != nil || len(f) < 13 {
		return 0, errors.Join(err, errors.New("there is no processor time"))
	}
	user, err1 := strconv.Atoi(f[11])
	system, err2 := strconv.Atoi(f[12])
	return time.Duration(user+system) * time.Second / 100, cmp.Or(err1, err2) // USER_HZ
}

// idle measures a server without requests on a small store, where the system has /proc.
func (b *bench) idle() {
	const small = 100
	c := get(newCorpus(filepath.Join(b.dir, "idle"), small))
	s := get(b.ready(c.root))
	defer s.close()
	get(s.call("tools/list", nil))
	check(s.look(rareWord(1), 1))
	time.Sleep(time.Second) // for the background work of a start
	pid := s.cmd.Process.Pid
	cpu, err := cpuTime(pid)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	check(err)
	wrote := get(procField(pid, "io", "write_bytes"))
	time.Sleep(b.window)
	cpu, wrote = get(cpuTime(pid))-cpu, get(procField(pid, "io", "write_bytes"))-wrote
	mib, peak := get(memory(pid)), get(procField(pid, "status", "VmHWM"))
	note := fmt.Sprintf("over %s", b.window)
	r := row{Figure: "idle, processor", Records: small, Unit: "%", Value: 100 * float64(cpu) / float64(b.window), Note: note}
	b.add(r.must(r.Value < 1, "< 1 %%"))
	r = row{Figure: "idle, written", Records: small, Unit: "bytes", Value: float64(wrote), Note: note}
	b.add(r.must(wrote == 0, "0"))
	r = row{Figure: "idle, memory", Records: small, Unit: "MiB", Value: mib, Note: fmt.Sprintf("%d MiB before it was idle", peak/1024)}
	b.add(r.must(mib <= 20, "≤ 20 MiB"))
}

// search measures searches and reads of a record against a ping, which costs only the protocol.
func (b *bench) search(c *corpus) {
	s := get(b.ready(c.root))
	defer s.close()
	check(s.look(rareWord(0), 1))
	known := make([]record, b.samples)
	for i := range known {
		known[i] = c.record(i * 7 % c.size)
	}
	for _, q := range []struct {
		name string
		ask  func(i int) error
		bar  map[int]float64 // maximum milliseconds, by size
	}{
		{"search, rare word", func(i int) error { return s.look(rareWord(i*13%c.size), 1) }, map[int]float64{10_000: 1, 100_000: 10}},
		{"search, word in 1 % of records", func(i int) error {
			k := i % min(commonWords, c.size)
			return s.look(commonWord(k), withCommon(c.size, k))
		}, map[int]float64{10_000: 1.5, 100_000: 10}},
		{"search, no query (list)", func(int) error { return s.look("", c.size) }, nil},
		{"get by title", func(i int) error { return s.read(known[i].title) }, map[int]float64{10_000: 0.9}},
	} {
		b.add(compared(q.name, c.size, b.samples, q.ask, "ping", s.ping).atMost(q.bar))
	}
}

// save measures inserts and upserts. Each alternates with a raw durable write of the same bytes into a folder with as many files.
func (b *bench) save(c *corpus) {
	s := get(b.ready(c.root))
	defer s.close()
	check(s.look(rareWord(0), 1))                // loads the index
	check(s.store(c.record(c.size).arguments())) // creates everything except records
	fresh := c.records(c.size+1, b.samples)
	known := make([]record, b.samples)
	for i := range known {
		known[i] = c.record(i * 7 % c.size)
		known[i].text["goals"] += fmt.Sprintf("\n- goal %d, seen later", i)
	}
	for _, f := range []struct {
		name      string
		all       []record
		arguments func(record) map[string]any
	}{
		{"insert", fresh, record.arguments},
		{"upsert", known, func(r record) map[string]any { return map[string]any{"title": r.title, "goals": r.text["goals"]} }},
	} {
		r := compared(f.name, c.size, b.samples, func(i int) error { return s.store(f.arguments(f.all[i])) },
			"raw durable write", func(i int) error { return writeDurably(filepath.Join(c.twin, f.all[i].file()), f.all[i].markdown()) })
		if c.size == 10_000 {
			r = r.must(r.Ratio <= 2, "≤ 2 × floor")
		}
		b.add(r)
	}
	for i := range fresh { // a search finds each one
		get(os.Stat(filepath.Join(c.explore(), fresh[i].file())))
		check(s.look(rareWord(c.size+1+i), 1))
	}
}

// growth compares inserts into stores of 100 and 10,000 records: whether saves take longer in a larger store.
func (b *bench) growth() {
	const noise = 1.3 // between two runs of the same figure on a shared machine
	small, large := b.stores[100], b.stores[10_000]
	if small == nil || large == nil {
		return
	}
	insert := func(c *corpus) (store func(i int) error, end func() error) {
		s := get(b.ready(c.root))
		check(s.look(rareWord(0), 1))
		fresh := c.records(2*c.size+b.samples, b.samples) // other records than those of save
		return func(i int) error { return s.store(fresh[i].arguments()) }, s.close
	}
	few, end := insert(small)
	defer end()
	many, end := insert(large)
	defer end()
	r := compared("insert, growth", large.size, b.samples, many, "insert at 100 records", few)
	b.add(r.must(r.Ratio <= noise, "none (≤ %.1f × is noise)", noise))
}

const (
	clientCount = 8
	rounds      = 5
)

// clients measures 8 clients that save different records at once, each with its server, against 8 writers of the same bytes.
func (b *bench) clients() {
	const size = 1000
	c := get(newCorpus(filepath.Join(b.dir, "clients"), size))
	servers := make([]*server, clientCount)
	for i := range servers {
		servers[i] = get(b.ready(c.root))
		defer servers[i].close()
		check(servers[i].look(rareWord(0), 1))
	}
	each := max(1, b.samples/rounds)
	fresh := c.records(size, rounds*clientCount*each)
	together := func(do func(client int, r record) error) func(round int) error {
		return func(round int) error {
			var group sync.WaitGroup
			errs := make([]error, clientCount)
			for client := range clientCount {
				group.Go(func() {
					for i := 0; i < each && errs[client] == nil; i++ {
						errs[client] = do(client, fresh[(round*clientCount+client)*each+i])
					}
				})
			}
			group.Wait()
			return cmp.Or(errs...)
		}
	}
	took, floor := inTurn(rounds, together(func(client int, r record) error { return servers[client].store(r.arguments()) }),
		together(func(_ int, r record) error { return writeDurably(filepath.Join(c.twin, r.file()), r.markdown()) }))
	rate := func(took []time.Duration) float64 { return float64(clientCount*each) / median(took).Seconds() }
	r := row{Figure: "8 clients saving different records", Records: size, Unit: "saves/s", Value: rate(took)}.
		against("8 raw durable writers", rate(floor))
	b.add(r.must(r.Ratio >= 0.5, "≥ 0.5 × floor"))

	lost := 0
	for _, r := range fresh {
		text, err := os.ReadFile(filepath.Join(c.explore(), r.file()))
		for _, section := range r.text {
			if err != nil || !strings.Contains(string(text), section) {
				lost++
				break
			}
		}
	}
	r = row{Figure: "8 clients, saves lost", Records: size, Value: float64(lost), Note: fmt.Sprintf("of %s", grouped(len(fresh)))}
	b.add(r.must(lost == 0, "0"))
	for _, s := range servers { // and each server sees them all
		check(s.look("", size+len(fresh)))
	}
}

func commitAll(dir string) {
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "--allow-empty", "-qm", "all"}} {
		get(runGit(context.Background(), dir, args...))
	}
}

// code measures code search by grep on a million lines of Go's own sources. The floor is ripgrep, which only lists lines, else grep -rn.
func (b *bench) code() {
	root := filepath.Join(b.dir, "code")
	sourceTree(root, b.lines)
	commitAll(root)
	program, list := "ripgrep", []string{"rg", "--no-config", "-n"}
	if _, err := exec.LookPath("rg"); err != nil {
		program, list = "grep -rn", []string{"grep", "-rnE"}
	}
	prints := func(args ...string) func(int) error {
		return func(int) error {
			cmd := exec.Command(args[0], args[1:]...)
			cmd.Dir = root
			out, err := cmd.Output()
			if err == nil && len(bytes.TrimSpace(out)) == 0 {
				err = errors.New("nothing found")
			}
			if err != nil {
				err = fmt.Errorf("%s: %w", strings.Join(args, " "), err)
			}
			return err
		}
	}
	const question = "where is the handshake timeout of a connection checked"
	lines := fmt.Sprintf("%d lines", b.lines)
	for _, q := range []struct{ name, pattern, query string }{
		{"code search, a symbol", `SetReadDeadline\b`, ""},
		{"code search, an expression", `func \(\w+ \*?\w+\) Unmarshal\w+\(`, ""},
		{"code search, a question", "(?i)handshake|timeout|connection|checked", question},
	} {
		floor, ours := prints(append(list, q.pattern)...), prints(b.sdd, "code", "--pattern", q.pattern)
		if program != "ripgrep" {
			floor = prints(append(list, strings.TrimPrefix(q.pattern, "(?i)"), ".")...) // in grep's syntax
		}
		if q.query != "" {
			ours = prints(b.sdd, "code", q.query)
		}
		check(cmp.Or(ours(0), floor(0))) // puts the files into the system's cache
		r := compared(q.name, 0, b.starts, ours, program, floor)
		r.Note = lines
		b.add(r.must(r.Value <= 1000 && r.Ratio <= 1.5, "≤ 1 s, ≤ 1.5 × %s", program))
	}
	s := get(b.ready(root))
	defer s.close()
	for range 3 {
		check(s.must("sdd_code", map[string]any{"query": question}, &struct{}{}))
	}
	b.peak(s, row{Figure: "peak memory, code search", Note: lines}, 64)
}

// sourceTree copies Go's own libraries to dir, file by file in the order of their names, up to the wanted number of lines.
func sourceTree(dir string, want int) {
	out := get(exec.Command("go", "env", "GOROOT").Output())
	from, lines := filepath.Join(strings.TrimSpace(string(out)), "src"), 0
	check(filepath.WalkDir(from, func(p string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() && p == filepath.Join(from, "cmd") {
			return filepath.SkipDir
		}
		if err != nil || e.IsDir() || !strings.HasSuffix(p, ".go") {
			return err
		}
		src := get(os.ReadFile(p))
		writeFile(filepath.Join(dir, get(filepath.Rel(from, p))), string(src))
		if lines += bytes.Count(src, []byte("\n")); lines >= want {
			return filepath.SkipAll
		}
		return nil
	}))
	if lines < want {
		check(fmt.Errorf("%s has only %d lines of Go", from, lines))
	}
}

// ledger counts the tokens that the list of tools costs a client.
func (b *bench) ledger() {
	root := filepath.Join(b.dir, "ledger")
	check(os.MkdirAll(root, 0o755))
	s := get(b.ready(root))
	defer s.close()
	result := get(s.call("tools/list", nil))
	var list struct{ Tools []map[string]json.RawMessage }
	check(json.Unmarshal(result, &list))
	sum := 0
	for _, t := range list.Tools {
		n := tokens.Count(fmt.Sprintf(`{"name":%s,"description":%s,"inputSchema":%s}`, t["name"], t["description"], t["inputSchema"]))
		sum += n
		b.add(row{Figure: "tokens of " + strings.Trim(string(t["name"]), `"`), Unit: "tokens", Value: float64(n),
			Note: "name, description, input schema"})
	}
	b.add(row{Figure: "tokens of all tools", Unit: "tokens", Value: float64(sum)}.must(sum <= 2000, "≤ 2,000"))
	all := tokens.Count(string(result))
	b.add(row{Figure: "tokens of tools/list", Unit: "tokens", Value: float64(all)}.must(all <= 3000, "≤ 3,000"))
}

// context measures the context call, through a running server and with the start of the process.
func (b *bench) context(c *corpus) {
	root := filepath.Join(b.dir, fmt.Sprintf("facts-%d", c.size))
	c.writeFacts(root)
	s := get(b.ready(root))
	defer func() { _ = s.close() }()
	check(s.brief(c.question(0))) // runs discovery and loads the index
	r := compared("context, 3,000 tokens", c.size, b.samples, func(i int) error { return s.brief(c.question(i)) }, "ping", s.ping)
	b.add(r.p95AtMost(map[int]float64{1_000: 20, 10_000: 50}))
	check(s.close()) // writes the cache
	first := func(i int) error {
		s := get(b.ready(root))
		defer func() { go s.close() }()
		return s.brief(c.question(i))
	}
	r = compared("start to first context, with cache", c.size, b.starts, first, "sdd version", b.version)
	b.add(r.atMost(map[int]float64{1_000: 300}))
}

func (b *bench) discovery() {
	root := filepath.Join(b.dir, "discovery")
	for i := range b.files {
		writeFile(filepath.Join(root, fmt.Sprintf("services/s%02d/internal/p%02d/f%05d.go", i/500, i/25%20, i)),
			fmt.Sprintf("package p\n\n// F%d does what its name says.\nfunc F%d() {}\n", i, i))
	}
	writeFile(filepath.Join(root, "go.mod"), "module example.com/shop\n\ngo 1.26\n\nrequire github.com/spf13/cobra v1.10.2\n")
	commitAll(root)
	var took, floor []time.Duration
	for range max(3, b.starts/2) {
		check(os.RemoveAll(filepath.Join(root, ".sdd")))
		s := get(b.ready(root))
		var out struct {
			Discovered bool `json:"discovery_performed"`
			Facts      int  `json:"facts_count"`
		}
		took = append(took, timing(func() error { return s.must("sdd_context", map[string]any{"query": "What is this project?"}, &out) }))
		check(s.close())
		if !out.Discovered || out.Facts < 5 {
			check(errors.New("nothing was discovered"))
		}
		floor = append(floor, timing(func() error { return statAll(root) }))
	}
	r := timed(fmt.Sprintf("first context in a repository of %s files", grouped(b.files)), 0, took).
		against("look at all names", ms(median(floor)))
	if b.files == 10_000 {
		r = r.p95AtMost(map[int]float64{0: 1000})
	}
	b.add(r)
}

// writeDurably is the floor of every save: a temporary file, fsync, rename, fsync of the folder.
func writeDurably(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".raw-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = cmp.Or(err, f.Sync(), f.Close(), os.Rename(f.Name(), path))
	if err != nil {
		os.Remove(f.Name())
		return err
	}
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && os.PathSeparator == '/' { // Windows cannot
		return err
	}
	return nil
}

// walkRecords calls stat and then visit for every Markdown file below dir.
func walkRecords(dir string, visit func(path string) error) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".md") {
			return err
		}
		_, err = e.Info()
		return cmp.Or(err, visit(path))
	})
}

// statAll calls stat for every record, the least work of a start with a cache.
func statAll(dir string) error {
	return walkRecords(dir, func(string) error { return nil })
}

// readAll reads every record, the least work of a start without a cache.
func readAll(dir string) error {
	return walkRecords(dir, func(path string) error {
		_, err := os.ReadFile(path)
		return err
	})
}
