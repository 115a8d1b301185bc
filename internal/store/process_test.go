package store

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"sdd/internal/fault"
	"sdd/internal/longtest"
)

// The tests of this file run the test binary again as other processes.

const childEnv = "SDD_STORE_TEST_CHILD"

func TestMain(m *testing.M) {
	if job := os.Getenv(childEnv); job != "" {
		if err := child(job); err != nil {
			fmt.Fprintln(os.Stderr, job, err, fault.Of(err).Hint)
			os.Exit(1)
		}
		os.Exit(0)
	}
	longtest.Patient()
	os.Exit(m.Run())
}

// ack is one save that a process was told is done.
type ack struct {
	Path, Section, Text string
}

// job is what a child does: kind, folder, writer, count, and records to choose from.
type job struct {
	Kind, Dir string
	Writer    int
	Count     int
	Records   []string
}

func child(text string) error {
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		return err
	}
	s, err := openFake(Options{Dir: j.Dir, Tool: fmt.Sprint("writer ", j.Writer)})
	if err != nil {
		return err
	}
	defer s.Close()
	switch j.Kind {
	case "save":
		return j.save(s)
	case "edit":
		return j.edit(s)
	case "raw":
		for i := range j.Count {
			if err := rawDurable(filepath.Join(s.sdd, "explore"), fmt.Sprintf("w%d-%d.md", j.Writer, i%20), []byte(benchText(i))); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("no such job")
}

// save saves the writer's own section, now in this record, now in that, and says so on stdout.
func (j job) save(s *Store) error {
	out := json.NewEncoder(os.Stdout)
	section := fmt.Sprint("Writer ", j.Writer)
	for i := range j.Count {
		text := fmt.Sprintf("- writer %d save %d", j.Writer, i)
		path := j.Records[i%len(j.Records)]
		if _, err := s.Save(context.Background(), setSection(path, section, text)); err != nil {
			return err
		}
		if err := out.Encode(ack{path, section, text}); err != nil {
			return err
		}
	}
	return nil
}

// edit is a person with an editor that never reloads by itself: it writes what it last read, with
// a line of its own more, now by rename and now in place, until stdin ends. It prints its lines.
func (j job) edit(s *Store) error {
	stop := make(chan struct{})
	go func() {
		io.Copy(io.Discard, os.Stdin)
		close(stop)
	}()
	r := rand.New(rand.NewPCG(1, 2))
	buffers := map[string]*fakeDoc{}
	lines := map[string]string{}
	for i := 0; ; i++ {
		path := j.Records[i%len(j.Records)]
		name := s.abs(path)
		if buffers[path] == nil || r.IntN(3) == 0 {
			d, err := reload(name, strings.TrimSpace(lines[path]))
			if err != nil {
				return err
			}
			buffers[path] = &d
		}
		lines[path] += fmt.Sprintf("- by hand %d\n", i)
		if r.IntN(20) == 0 {
			lines[path] = fmt.Sprintf("- by hand %d\n", i)
		}
		buffers[path].set("Hand", strings.TrimSpace(lines[path]))
		if err := saveByHand(name, buffers[path].bytes(), i%2 == 0, r); err != nil {
			return err
		}
		select {
		case <-stop:
			return json.NewEncoder(os.Stdout).Encode(lines)
		case <-time.After(time.Duration(r.IntN(8000)) * time.Microsecond): // a very fast typist
		}
	}
}

// reload reads the file again, as it is with the lines of the last save in it. When a save comes
// in the way they are out of place for a moment, but not for good.
func reload(name, want string) (fakeDoc, error) {
	for {
		src, err := os.ReadFile(name)
		if err != nil {
			return fakeDoc{}, err
		}
		d := parseFake(src)
		if d.texts["Hand"] == want {
			return d, nil
		}
	}
}

func saveByHand(name string, text []byte, rename bool, r *rand.Rand) error {
	if rename {
		if err := os.WriteFile(name+"~", text, 0o644); err != nil {
			return err
		}
		return os.Rename(name+"~", name)
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	time.Sleep(time.Duration(r.IntN(3000)) * time.Microsecond) // the editor's, not the test's
	half := len(text) / 2
	f.Write(text[:half])
	time.Sleep(time.Duration(r.IntN(1000)) * time.Microsecond)
	f.Write(text[half:])
	return f.Close()
}

// process is a running child.
type process struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
	out   output
	err   bytes.Buffer
	exit  chan error
}

// output gathers what a process prints.
type output struct {
	mu    sync.Mutex
	more  sync.Cond
	text  []byte
	ended bool
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text = append(o.text, b...)
	o.more.Broadcast()
	return len(b), nil
}

func (o *output) Bytes() []byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text
}

func (o *output) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = true
	o.more.Broadcast()
}

// waitFor returns when so many lines were printed, or no more will come.
func (o *output) waitFor(lines int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for bytes.Count(o.text, []byte("\n")) < lines && !o.ended {
		o.more.Wait()
	}
}

func start(t testing.TB, j job) *process {
	t.Helper()
	text, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	p := &process{cmd: exec.Command(os.Args[0])}
	p.out.more.L = &p.out.mu
	p.cmd.Env = append(os.Environ(), childEnv+"="+string(text))
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.err
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.exit = make(chan error, 1)
	go func() {
		err := p.cmd.Wait()
		p.out.end()
		p.exit <- err
	}()
	return p
}

func (p *process) wait(t testing.TB) {
	t.Helper()
	if err := <-p.exit; err != nil {
		t.Errorf("%v: %v: %s", p.cmd.Env[len(p.cmd.Env)-1], err, p.err.String())
	}
}

// acks returns what the process was told, complete lines only.
func (p *process) acks() []ack {
	var out []ack
	lines := bufio.NewScanner(bytes.NewReader(p.out.Bytes()))
	for lines.Scan() {
		var a ack
		if json.Unmarshal(lines.Bytes(), &a) == nil {
			out = append(out, a)
		}
	}
	return out
}

// TestNothingIsLost is law 3: eight processes save, a ninth edits the same files by hand from
// what it last read.
func TestNothingIsLost(t *testing.T) {
	var many []string
	for i := range 6 {
		many = append(many, fmt.Sprintf("explore/topic-%d.md", i))
	}
	for name, records := range map[string][]string{"one record": {topic}, "six records": many} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			for _, r := range records {
				s.mustSave(t, setSection(r, "Goals", "- start"))
			}
			editor := start(t, job{Kind: "edit", Dir: s.dir, Records: records})
			var writers []*process
			for i := range 8 {
				writers = append(writers, start(t, job{Kind: "save", Dir: s.dir, Writer: i, Count: longtest.Of(15, 200), Records: records}))
			}
			last := map[[2]string]string{}
			n := 0
			for _, w := range writers {
				w.wait(t)
				for _, a := range w.acks() {
					last[[2]string{a.Path, a.Section}] = a.Text
					n++
				}
			}
			editor.stdin.Close()
			editor.wait(t)
			var lines map[string]string
			if err := json.Unmarshal(editor.out.Bytes(), &lines); err != nil {
				t.Fatalf("the editor: %v %q", err, editor.err.String())
			}
			if n != 8*longtest.Of(15, 200) {
				t.Errorf("%d saves were acknowledged", n)
			}

			// A process that knows nothing reads all files.
			fresh := openAt(t, s.dir)
			if err := fresh.Recover(t.Context()); err != nil {
				t.Fatal(err)
			}
			docs := map[string]fakeDoc{}
			for _, r := range records {
				fresh.observe(t, r)
				docs[r] = parseFake([]byte(fresh.mustRead(t, r)))
				if got, want := docs[r].texts["Hand"], strings.TrimSpace(lines[r]); got != want {
					t.Errorf("%s: the editor's last save was %q, the file has %q", r, want, got)
				}
			}
			pending := map[[2]string]bool{}
			for _, p := range fresh.Pending() {
				for _, sec := range p.Sections {
					pending[[2]string{p.Path, sec}] = true
				}
			}
			lost := 0
			for key, text := range last {
				if got := docs[key[0]].texts[key[1]]; got != text {
					if lost++; !pending[key] {
						t.Errorf("%s, %s: %q was acknowledged, the file has %q, and nothing is pending", key[0], key[1], text, got)
					}
				}
			}
			t.Logf("%d saves, %d sections overwritten by the editor in the end and all pending", n, lost)
			if left := files(t, s.abs(tmpFolder)); len(left) > 0 {
				t.Errorf("left in tmp: %v", left)
			}
		})
	}
}

// TestManyProcessesAtOnce starts forty processes in an empty folder.
func TestManyProcessesAtOnce(t *testing.T) {
	s := newStore(t)
	var all []*process
	for i := range 40 {
		all = append(all, start(t, job{Kind: "save", Dir: s.dir, Writer: i, Count: 3, Records: []string{topic, fmt.Sprintf("facts/f%d.md", i)}}))
	}
	for i, p := range all {
		p.wait(t)
		if got := len(p.acks()); got != 3 {
			t.Errorf("process %d: %d saves", i, got)
		}
	}
	d := parseFake([]byte(s.mustRead(t, topic)))
	for i := range 40 {
		if got, want := d.texts[fmt.Sprint("Writer ", i)], fmt.Sprintf("- writer %d save 2", i); got != want {
			t.Errorf("writer %d: %q, want %q", i, got, want)
		}
	}
	want := []string{".gitattributes", ".gitignore", ".local", "config.yaml", "explore", "facts"}
	if got := files(t, s.sdd); !slices.Equal(got, want) {
		t.Errorf("made %v, want %v", got, want)
	}
	if got := files(t, s.dir); !slices.Equal(got, []string{".sdd"}) {
		t.Errorf("made %v", got)
	}
}

// TestKill kills a process at random moments of its saves.
func TestKill(t *testing.T) {
	s := newStore(t)
	s.mustSave(t, setSection(topic, "Goals", "- start"))
	killed, saves, left := 0, 0, 0
	for saves < longtest.Of(60, 500) {
		p := start(t, job{Kind: "save", Dir: s.dir, Count: 1000, Records: []string{topic}})
		p.out.waitFor(1 + rand.IntN(9))
		for range rand.IntN(20000) { // a random moment of the next save
			runtime.Gosched()
		}
		p.cmd.Process.Kill()
		<-p.exit
		killed++
		acks := p.acks()
		if saves += len(acks); len(acks) == 0 {
			t.Fatalf("the process did not save: %s", p.err.String())
		}

		got := s.mustRead(t, topic)
		d := parseFake([]byte(got))
		text := d.texts["Writer 0"]
		if text != "" {
			n, err := strconv.Atoi(strings.TrimPrefix(text, "- writer 0 save "))
			if err != nil || string(d.bytes()) != got || d.texts["Goals"] != "- start" {
				t.Fatalf("neither old nor new: %q", got)
			}
			if len(acks) > 0 && n != len(acks)-1 && n != len(acks) {
				t.Fatalf("%d saves were acknowledged, the file has %q", len(acks), text)
			}
		}
		left += len(files(t, s.abs(tmpFolder)))
		fresh := openAt(t, s.dir)
		if err := fresh.Recover(t.Context()); err != nil {
			t.Fatal(err)
		}
		if left := files(t, s.abs(tmpFolder)); len(left) > 0 {
			t.Fatalf("left after recovery: %v", left)
		}
		if again := s.mustRead(t, topic); again != got {
			t.Fatalf("recovery changed %q to %q", got, again)
		}
		fresh.observe(t, topic)
		if p := fresh.Pending(); len(p) > 0 {
			t.Fatalf("pending: %+v", p)
		}
	}
	t.Logf("%d processes killed, %d saves acknowledged, %d files left and cleaned up", killed, saves, left)
}

// BenchmarkProcesses compares eight processes that save different records with eight that write
// durably and do nothing else.
func BenchmarkProcesses(b *testing.B) {
	for _, kind := range []string{"raw", "save"} {
		b.Run(kind, func(b *testing.B) {
			const each = 200
			for b.Loop() {
				s := filled(b, 100)
				var all []*process
				for i := range 8 {
					j := job{Kind: kind, Dir: s.dir, Writer: i, Count: each}
					for k := range 20 {
						j.Records = append(j.Records, fmt.Sprintf("explore/w%d-%d.md", i, k))
					}
					all = append(all, start(b, j))
				}
				begun := time.Now()
				var done sync.WaitGroup
				for _, p := range all {
					done.Go(func() { p.wait(b) })
				}
				done.Wait()
				b.ReportMetric(8*each/time.Since(begun).Seconds(), "saves/s")
			}
		})
	}
}
