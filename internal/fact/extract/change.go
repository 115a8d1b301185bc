package extract

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"sdd/internal/fact/discovery"
	"sdd/internal/secrets"
)

// item is a thing that a version of a file says.
type item struct {
	signal string
	key    string // what it is about; it has no path where the thing may move between files
	value  string // what is compared: where it is equal, nothing changed
	name   string // the thing as sentences call it
	show   string // the value as sentences show it, "" when it is not shown
	note   string // more about the thing, for its first sentence
	scope  string // what the thing belongs to: a table's migration, a symbol's module
	line   int
	sure   float64 // 0: as the signal has it
	path   string
}

// change is an item that differs between two versions. One of the two may be missing.
type change struct {
	key           string
	before, after *item
	commit        string
	gone          bool // the file that said it is gone
	fresh         bool // the file that says it is new
}

// now is the item as it is, or was.
func (c *change) now() *item {
	if c.after != nil {
		return c.after
	}
	return c.before
}

// idle reports whether nothing changed.
func (c *change) idle() bool {
	switch {
	case c.before == nil && c.after == nil:
		return true
	case c.before == nil || c.after == nil:
		return false
	}
	return c.before.value == c.after.value
}

// changes are those of one commit, by key.
type changes struct {
	byKey     map[string]*change
	order     []*change
	broken    []string        // files that could not be parsed
	formatted int             // files of which only the form changed
	routed    map[string]bool // files whose routes or schema changed: their symbols are no news
}

func newChanges() *changes { return &changes{byKey: map[string]*change{}, routed: map[string]bool{}} }

// file adds what a file changes, from its versions.
func (all *changes) file(f *File, before, after *version) {
	if sameTokens(before, after) {
		all.formatted++
		switch path.Ext(f.Path) {
		case ".py", ".yml", ".yaml": // white space means something
		default:
			return
		}
	}
	both := before.text != nil && after.text != nil
	differs := ""
	for i := range readers {
		r := &readers[i]
		if !r.wants(f.Path) {
			continue
		}
		if r.about != nil && both {
			if differs == "" {
				differs = difference(before, after)
			}
			if !slices.ContainsFunc(r.about, func(mark string) bool { return strings.Contains(differs, mark) }) {
				continue
			}
		}
		old, now := before.items(i), after.items(i)
		if before.broken || after.broken {
			all.broken = append(all.broken, f.Path)
			return
		}
		all.between(f, old, now)
	}
}

// between adds the difference of two sets of items.
func (all *changes) between(f *File, before, after []item) {
	old := map[string]*item{}
	for i := range before {
		if it := &before[i]; old[it.key] == nil {
			it.path = f.Path
			old[it.key] = it
		}
	}
	seen := map[string]bool{}
	for i := range after {
		it := &after[i]
		if seen[it.key] {
			continue
		}
		seen[it.key] = true
		it.path = f.Path
		if was := old[it.key]; was == nil || was.value != it.value {
			all.add(&change{key: it.key, before: was, after: it, fresh: f.New})
		}
	}
	for i := range before {
		if it := &before[i]; !seen[it.key] && old[it.key] == it {
			all.add(&change{key: it.key, before: it, gone: f.Gone})
		}
	}
}

// add takes a change. What one file loses and another one gains has moved; what several files say is told once.
func (all *changes) add(c *change) {
	switch s := c.now().signal; s {
	case signalRoute, signalSchema:
		all.routed[c.now().path] = true
	}
	was := all.byKey[c.key]
	if was == nil {
		all.byKey[c.key] = c
		all.order = append(all.order, c)
		return
	}
	switch {
	case was.after == nil && c.before == nil: // lost there, gained here
		was.after, was.fresh = c.after, c.fresh
	case was.before == nil && c.after == nil:
		was.before = c.before
	case c.now().sure > was.now().sure:
		*was = *c
	}
}

// truth is what a range of commits says under one key.
type truth struct {
	first    *item // as it was before the range
	last     change
	evidence []Evidence
	by       []string // ids of the commits
	path     string
	cand     *Candidate // of what is no item: a message
	gone     bool
}

const maxEvidence = 4

// take folds a change into what is known under its key.
func (a *analysis) take(c *change) {
	t := a.truths[c.key]
	if t == nil {
		t = &truth{first: c.before, path: c.now().path}
		a.truths[c.key] = t
		a.order = append(a.order, t)
	}
	t.last = *c
	t.last.before = t.first
	t.by = append(t.by, c.commit)
	now := c.now()
	e := Evidence{Commit: c.commit, Path: plainPath(now.path), Lines: lines(now.line), Text: brief(evidenceText(now), maxEvidenceText)}
	if len(t.evidence) >= maxEvidence {
		t.evidence = t.evidence[1:]
	}
	t.evidence = append(t.evidence, e)
}

func evidenceText(it *item) string {
	if it.show == "" {
		return it.name
	}
	return it.name + " " + it.show
}

// takeBack drops what the message of a commit said.
func (a *analysis) takeBack(commit string) {
	for _, t := range a.order {
		if t.cand != nil && slices.ContainsFunc(t.by, func(id string) bool { return id != "" && strings.HasPrefix(id, commit) }) {
			t.gone = true
		}
	}
}

// maxCandidates is how many one extraction gives.
const maxCandidates = 1000

// maxOfCommit is how many one commit gives.
const maxOfCommit = 40

// result makes the candidates.
func (a *analysis) result() Result {
	r := Result{Commits: a.commits, Candidates: []Candidate{}}
	var said []*saying
	made := map[string]bool{} // modules that the range makes
	for _, t := range a.order {
		if t.cand == nil && t.first == nil && t.last.after != nil && t.last.after.signal == signalModule {
			made[t.last.after.scope] = true
		}
	}
	for _, t := range a.order {
		switch {
		case t.cand == nil && !t.last.idle() && t.last.now().signal == signalSymbol && within(t.last.now().scope, made): // its module is told
		case t.gone:
			a.skip(strings.Join(t.by[:1], ""), "", "taken back by a later commit")
		case t.cand != nil:
			said = append(said, &saying{content: t.cand.Content, sure: t.cand.Confidence, truths: []*truth{t}})
		case t.last.idle():
			a.skip(t.last.commit, t.path, "taken back within the range: "+t.evidence[len(t.evidence)-1].Text)
		default:
			if s, ok := t.last.say(); ok {
				s.truths = []*truth{t}
				said = append(said, &s)
			}
		}
	}
	ofCommit := map[string]int{}
	for _, s := range grouped(said) {
		c := a.candidate(s)
		if c.Content == "" {
			continue
		}
		commit := c.Evidence[len(c.Evidence)-1].Commit
		if why := guard(&c); why != "" {
			a.skip(commit, c.Evidence[0].Path, why)
			continue
		}
		if ofCommit[commit]++; ofCommit[commit] > maxOfCommit {
			if ofCommit[commit] == maxOfCommit+1 {
				a.cut(commit, "", "it says more than is kept of one commit")
			}
			continue
		}
		if len(r.Candidates) == maxCandidates {
			a.cut("", "", "the commits say more than is kept at once: name a shorter range")
			break
		}
		r.Candidates = append(r.Candidates, c)
	}
	if a.more {
		a.cut("", "", "there are more commits before the first that was looked at")
	}
	r.Skipped = append([]Skipped{}, a.skips...)
	r.Truncated = a.cuts
	return r
}

// candidate makes what is given back.
func (a *analysis) candidate(s *saying) Candidate {
	first := s.truths[0]
	if first.cand != nil {
		c := *first.cand
		c.Evidence = first.evidence
		return c
	}
	now := first.last.now()
	c := Candidate{Kind: Fact, Content: brief(s.content, maxContent), Confidence: s.sure, Signal: now.signal, Key: plainPath(now.key)}
	for _, t := range s.truths {
		c.Evidence = append(c.Evidence, t.evidence...)
	}
	if len(c.Evidence) > 2*maxEvidence {
		c.Evidence = c.Evidence[:2*maxEvidence]
	}
	if len(s.truths) > 1 {
		c.Key = now.signal + "s:" + fingerprint(s.truths)
	}
	c.Level, c.Domain, c.Module = a.place(now)
	if now.signal == signalADR {
		first.last.asDecision(&c)
	}
	return c
}

// place tells which level a fact is of, and what it belongs to.
func (a *analysis) place(it *item) (level int, domain, module string) {
	dir := path.Dir(plainPath(it.path))
	if it.scope != "" && (it.signal == signalModule || it.signal == signalSymbol) {
		dir = plainPath(it.scope)
	}
	if domain = discovery.Place(dir + "/x"); a.domains != nil {
		domain = ""
		for _, p := range strings.Split(dir, "/") {
			if a.domains[strings.ToLower(p)] {
				domain = strings.ToLower(p)
				break
			}
		}
	}
	switch it.signal {
	case signalRoute, signalSchema:
		if domain == "" {
			return 0, "", ""
		}
		return 1, domain, ""
	case signalSymbol, signalModule, signalConstant:
		return 2, domain, dir
	case signalDependency, signalConfig, signalTask:
		if dir != "." && !strings.HasPrefix(dir, ".") && domain != "" && !strings.HasSuffix(dir, "config") {
			return 2, domain, dir
		}
	}
	return 0, "", ""
}

// guard takes secrets out of evidence and tells why a candidate that holds one is not given.
func guard(c *Candidate) string {
	texts := append([]string{c.Content, c.Key}, slices.Concat(c.Reasons, c.Alternatives, c.Consequences, c.Constraints, c.Assumptions)...)
	for _, t := range texts {
		if len(secrets.Scan([]byte(t))) > 0 {
			return "it holds what looks like a secret"
		}
	}
	for i := range c.Evidence {
		e := &c.Evidence[i]
		if len(secrets.Scan([]byte(e.Text))) > 0 || bytes.Contains([]byte(e.Text), []byte("BEGIN ")) {
			e.Text = ""
		}
		if len(secrets.Scan([]byte(e.Path))) > 0 {
			return "its path holds what looks like a secret"
		}
	}
	return ""
}
