package eval

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// saves are the marks that were put into records, one for each acknowledged save. None is ever taken out again.
type saves struct {
	mu        sync.Mutex
	all       []saved
	told      map[string]bool // records of which some client was told that a change has to be put back
	done      int             // actions
	conflicts int             // refused as documented, and tried again or given up
	put       int             // changes put back in the end
}

// saved is one acknowledged save.
type saved struct {
	mark string
	who  string
	id   string // of the record
}

func newSaves() *saves { return &saves{told: map[string]bool{}} }

// mark returns a word that stands nowhere yet.
func (b *saves) mark(who, n int) string { return fmt.Sprintf("soakmark%dn%dx", who, n) }

// line is what somebody writes, with a mark. Lines differ as those of people do: two that are nearly the same count as
// one that was reworded.
func (s *soak) line(rng *rand.Rand, mark string) string {
	return "- " + s.corpus.words.sentence(rng, 8+rng.IntN(8)) + " " + mark
}

func (b *saves) add(s saved) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all = append(b.all, s)
}

func (b *saves) conflict() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.conflicts++
}

// note records the pending notices that an answer names.
func (b *saves) note(a answer) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done++
	for _, c := range a.Content {
		for _, id := range toldOf(c.Text) {
			b.told[id] = true
		}
	}
}

// toldOf returns the records of which a text says that a change has to be put back.
func toldOf(text string) (ids []string) {
	for _, part := range strings.Split(text, "sdd resolve ")[1:] {
		if id, _, ok := strings.Cut(part, " "); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// refusal is what a tool answers that refuses.
type refusal struct{ Code, Message string }

// actions are those of one agent.
type actions struct {
	s     *soak
	agent agent
	who   int
	n     int // marks
	grown int // records made
}

// ask calls a tool and reads its result into v. A documented conflict is ok == false without an error.
func (a *actions) ask(tool string, args map[string]any, v any) (ok bool, err error) {
	got, err := a.agent.tool(tool, args)
	if err != nil {
		return false, fmt.Errorf("%s: %w", tool, err)
	}
	a.s.saves.note(got)
	if got.IsError {
		var no refusal
		_ = json.Unmarshal(got.StructuredContent, &no)
		if no.Code == "conflict" {
			a.s.saves.conflict()
			return false, nil
		}
		return false, fmt.Errorf("%s %.300v: %s: %s", tool, args, no.Code, no.Message)
	}
	return true, json.Unmarshal(got.StructuredContent, v)
}

// kinds are what agents do, and how often in a hundred times. Mostly they read.
var kinds = []struct {
	share int
	grows bool // the store: done so often only as it keeps its size
	do    func(*actions, *rand.Rand, record) error
}{
	{25, false, func(a *actions, rng *rand.Rand, _ record) error { return a.search(rng) }},
	{10, false, func(a *actions, _ *rand.Rand, r record) error {
		return a.read("sdd_get", map[string]any{"id": "explore/" + r.slug()})
	}},
	{5, false, func(a *actions, _ *rand.Rand, r record) error {
		return a.read("sdd_context", map[string]any{"query": r.title})
	}},
	{5, false, func(a *actions, _ *rand.Rand, _ record) error {
		return a.read("sdd_review", map[string]any{"action": "list"})
	}},
	{30, false, (*actions).append},
	{15, false, (*actions).replace},
	{3, true, func(a *actions, _ *rand.Rand, _ record) error { return a.create() }},
	{3, true, func(a *actions, _ *rand.Rand, _ record) error {
		return a.remember("sdd_learn", func(mark string) map[string]any {
			return map[string]any{"content": "The word " + mark + " was learned from " + a.agent.name() + " in run " + mark}
		})
	}},
	{2, true, func(a *actions, _ *rand.Rand, r record) error {
		return a.remember("sdd_decide", func(mark string) map[string]any {
			return map[string]any{"decision": "Use " + mark + " for " + r.title, "reasons": []string{"because of " + mark}}
		})
	}},
	{2, true, func(a *actions, _ *rand.Rand, r record) error {
		return a.remember("sdd_fact", func(mark string) map[string]any {
			return map[string]any{"content": "The service " + mark + " listens on port " + mark, "domain": mark, "level": 1}
		})
	}},
}

// next does what an agent does next.
func (a *actions) next(rng *rand.Rand) error {
	r := a.s.hot[rng.IntN(len(a.s.hot))]
	n := rng.IntN(100)
	for _, k := range kinds {
		if n -= k.share; n < 0 && !(k.grows && a.grown > a.s.records/400) {
			return k.do(a, rng, r)
		}
	}
	return a.search(rng)
}

func (a *actions) read(tool string, args map[string]any) error {
	_, err := a.ask(tool, args, &struct{}{})
	return err
}

func (a *actions) search(rng *rand.Rand) error {
	query := commonWord(rng.IntN(commonWords))
	if rng.IntN(2) == 0 {
		query = rareWord(rng.IntN(a.s.records))
	}
	var found struct{ Total int }
	branch := a.s.branch.value()
	if _, err := a.ask("sdd_search", map[string]any{"query": query}, &found); err != nil {
		return err
	}
	if found.Total == 0 && branch%2 == 0 && branch == a.s.branch.value() {
		return fmt.Errorf("sdd_search %q finds nothing", query)
	}
	return nil
}

// fresh returns a new mark.
func (a *actions) fresh() string {
	a.n++
	return a.s.saves.mark(a.who, a.n)
}

// append adds a line to a section.
func (a *actions) append(rng *rand.Rand, r record) error {
	mark := a.fresh()
	var got struct{ Action, ID string }
	ok, err := a.ask("sdd_explore", map[string]any{
		"title": r.title, sections[rng.IntN(len(sections))].arg: a.s.line(rng, mark), "append": true,
	}, &got)
	if ok && err == nil {
		a.s.saves.add(saved{mark, a.agent.name(), got.ID})
		if got.Action != "updated" {
			err = fmt.Errorf("a line added to %s: %s", r.slug(), got.Action)
		}
	}
	return err
}

// replace reads a section, thinks, and saves it with one more line, as long as nobody changed the same words.
func (a *actions) replace(rng *rand.Rand, r record) error {
	section := sections[rng.IntN(len(sections))]
	var read struct {
		Sections []struct {
			Name, Text, Etag string
		}
		Omitted []any
	}
	if ok, err := a.ask("sdd_get", map[string]any{"id": "explore/" + r.slug(), "sections": []string{section.heading}, "max_tokens": 50_000}, &read); !ok {
		return err
	}
	if len(read.Sections) != 1 || len(read.Omitted) != 0 {
		return fmt.Errorf("%s of %s: %d sections, %d left out", section.heading, r.slug(), len(read.Sections), len(read.Omitted))
	}
	time.Sleep(time.Duration(rng.IntN(300)) * time.Millisecond)
	mark := a.fresh()
	var got struct{ Action, ID string }
	ok, err := a.ask("sdd_explore", map[string]any{
		"title": r.title, section.arg: strings.TrimRight(read.Sections[0].Text, "\n") + "\n" + a.s.line(rng, mark), "if_match": read.Sections[0].Etag,
	}, &got)
	if ok && err == nil {
		a.s.saves.add(saved{mark, a.agent.name(), got.ID})
	}
	return err
}

// create saves a new exploration and finds it at once.
func (a *actions) create() error {
	mark := a.fresh()
	a.grown++
	branch := a.s.branch.value()
	var got struct{ Action, ID string }
	if ok, err := a.ask("sdd_explore", map[string]any{"title": "About " + mark, "goals": "- find " + mark + " again"}, &got); !ok {
		return err
	}
	a.s.saves.add(saved{mark, a.agent.name(), got.ID})
	var found struct{ Total int }
	if _, err := a.ask("sdd_search", map[string]any{"query": mark}, &found); err != nil {
		return err
	}
	if found.Total != 1 && branch%2 == 0 && branch == a.s.branch.value() {
		return fmt.Errorf("%s was saved and is found %d times", got.ID, found.Total)
	}
	return nil
}

// remember saves a learning, a decision or a fact.
func (a *actions) remember(tool string, args func(mark string) map[string]any) error {
	mark := a.fresh()
	a.grown++
	var got struct {
		ID, Action string
		Results    []struct{ ID, Action string }
	}
	if ok, err := a.ask(tool, args(mark), &got); !ok {
		return err
	}
	for _, r := range append(got.Results, struct{ ID, Action string }{got.ID, got.Action}) {
		if r.Action == "created" {
			a.s.saves.add(saved{mark, a.agent.name(), r.ID})
		}
	}
	return nil
}

// editor is a program in which somebody edits files by hand.
type editor struct {
	name string
	save func(path string, text []byte) error
}

// editors save as those that they are named for.
var editors = []editor{
	{"vim", func(path string, text []byte) error { // the old file becomes the backup
		backup := path + "~"
		if err := os.Rename(path, backup); err != nil {
			return err
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return err
		}
		return os.Remove(backup)
	}},
	{"VS Code", func(path string, text []byte) error { return os.WriteFile(path, text, 0o644) }}, // cut to nothing, then written
	{"sed -i", func(path string, text []byte) error {
		tmp, err := os.CreateTemp(filepath.Dir(path), "sed")
		if err != nil {
			return err
		}
		_, err = tmp.Write(text)
		if err = cmp.Or(err, tmp.Chmod(0o644), tmp.Close()); err != nil {
			return err
		}
		return os.Rename(tmp.Name(), path)
	}},
}

// edit is one edit by hand: a file is opened, thought about and saved, with one more line in some section. Every other time it
// is saved over whatever has been put there meanwhile. Each editor has files of its own, for what one
// editor does to another is nobody's business here.
func (s *soak) edit(rng *rand.Rand, which int, e editor) error {
	r := s.hot[rng.IntN(len(s.hot)/len(editors))*len(editors)+which]
	path := filepath.Join(s.corpus.explore(), r.file())
	s.tree.Lock()
	was, err := os.ReadFile(path)
	s.tree.Unlock()
	if err != nil {
		return err
	}
	if e.name != "sed -i" {
		time.Sleep(time.Duration(rng.IntN(400)) * time.Millisecond)
	}
	s.tree.Lock()
	defer s.tree.Unlock()
	if now, err := os.ReadFile(path); rng.IntN(2) == 0 && (err != nil || string(now) != string(was)) {
		return err // the editor says that the file is newer, and it is closed
	}
	heading := "\n## " + sections[rng.IntN(len(sections))].heading + "\n\n"
	at := strings.Index(string(was), heading)
	if at < 0 {
		return fmt.Errorf("%s has lost its section%s", r.file(), strings.TrimSpace(heading))
	}
	at += len(heading)
	mark := s.saves.mark(10+which, s.edits.add())
	text := string(was[:at]) + s.line(rng, mark) + "\n" + string(was[at:])
	if err := e.save(path, []byte(text)); err != nil {
		return err
	}
	s.saves.add(saved{mark, e.name, "explore/" + r.slug()})
	return nil
}

// switchBranch commits what there is and goes to the other branch. When an agent has saved in between, git
// refuses, and it is done again.
func (s *soak) switchBranch(*rand.Rand) error {
	s.tree.Lock()
	defer s.tree.Unlock()
	s.branch.add()
	defer s.branch.add()
	to := []string{"side", "main"}[s.branch.value()/2%2]
	for range 10 {
		if err := s.commit("work"); err != nil {
			return err
		}
		if err := s.git("switch", "-q", to); err == nil || !strings.Contains(err.Error(), "would be overwritten") {
			return err
		}
	}
	return nil // they save all the time: next time
}

// commit commits all that is changed.
func (s *soak) commit(subject string) error {
	if err := s.git("add", "-A"); err != nil {
		return err
	}
	return s.git("commit", "-q", "--allow-empty", "-m", subject)
}

func (s *soak) git(args ...string) error {
	_, err := s.gitOutput(args...)
	return err
}

func (s *soak) gitOutput(args ...string) ([]byte, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = s.corpus.root
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("git %s: %w: %s", args[0], err, bytes.TrimSpace(said.Bytes()))
	}
	return out, err
}
