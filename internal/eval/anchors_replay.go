package eval

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sdd/internal/anchor"
	"sdd/internal/git"
	"sdd/internal/symbol"
)

// parsedFile is a file of the commit that is replayed.
type parsedFile struct {
	blob string
	tree *tree // nil in a language without a parser
}

type place struct {
	path string
	decl
}

// pin is a symbol of the base with the anchor that a record would have.
type pin struct {
	place
	anchor anchor.Anchor
	tally  *tally
}

type replayer struct {
	replayOptions
	name    string
	repo    *git.Repo
	blobs   *git.Objects
	parsers *parsers
	trees   map[string]*tree // by blob and language

	files  map[string]parsedFile // of the commit, by path
	base   map[string]parsedFile
	old    map[string]bool    // the keys of the base's symbols
	alike  map[string][]place // of the commit by language and neutral dump; nil until it is asked for
	pins   map[string][]*pin  // by path
	report *report
}

func replay(ctx context.Context, o replayOptions, stderr io.Writer) *report {
	p, why := startParsers(ctx, o.modules, stderr)
	defer p.close()
	out := &report{skipped: why}
	for _, dir := range o.repos {
		r := &replayer{replayOptions: o, parsers: p, trees: map[string]*tree{}, report: out}
		r.run(ctx, dir)
	}
	return out
}

func (r *replayer) run(ctx context.Context, dir string) {
	dir = get(filepath.Abs(dir))
	r.repo = get(git.Open(dir))
	r.name = filepath.Base(r.repo.Top)
	r.blobs = r.repo.Objects(ctx)
	defer r.blobs.Close()
	out := get(r.repo.Run(ctx, "rev-list", "--first-parent", fmt.Sprintf("--max-count=%d", r.commits+1), "HEAD"))
	commits := strings.Fields(string(out))
	slices.Reverse(commits)
	r.readBase(ctx, commits[0])
	top := anchor.New(r.repo.Top)
	defer top.Close()
	parent := get(top.At(ctx, commits[0]))
	defer func() { parent.Close() }()
	r.pinAll(parent)
	touched := map[string]bool{}
	for i, commit := range commits[1:] {
		changed := r.step(ctx, commits[i], commit)
		at := get(top.At(ctx, commit))
		for path := range changed {
			touched[path] = true
		}
		last := i == len(commits)-2
		var due []*pin
		for path, pins := range r.pins {
			if _, now := changed[path]; now || last && touched[path] {
				due = append(due, pins...)
			}
		}
		slices.SortFunc(due, func(a, b *pin) int { return cmp.Or(strings.Compare(a.path, b.path), a.First-b.First) })
		r.compare(ctx, commit, at, due)
		r.quiet(ctx, commit, parent, at, changed)
		parent.Close()
		parent = at
	}
}

func (r *replayer) readBase(ctx context.Context, commit string) {
	out := get(r.repo.Run(ctx, "ls-tree", "-r", "-z", commit))
	r.files, r.base, r.old = map[string]parsedFile{}, map[string]parsedFile{}, map[string]bool{}
	for entry := range strings.SplitSeq(string(out), "\x00") {
		about, path, _ := strings.Cut(entry, "\t")
		if f := strings.Fields(about); len(f) == 3 && f[1] == "blob" && f[0] != "120000" {
			r.put(path, f[2])
		}
	}
	for path, f := range r.files {
		r.base[path] = f
		if f.tree != nil {
			for _, d := range f.tree.Decls {
				r.old[keyOf(place{path, d})] = true
			}
		}
	}
}

func keyOf(p place) string { return p.path + "\x00" + p.Name + "\x00" + p.Neutral }

// put reads a file of the commit; files of other languages are left out.
func (r *replayer) put(path, blob string) {
	lang := languageOf(path)
	if lang == "" || r.only != "" && lang != r.only {
		return
	}
	id := blob + lang + filepath.Ext(path)
	t, ok := r.trees[id]
	if !ok {
		text, err := r.blobs.Read(blob)
		if err == nil && len(text) <= anchor.MaxFile {
			t = r.parsers.parse(path, text)
		}
		r.trees[id] = t
	}
	r.files[path] = parsedFile{blob, t}
}

type fileChange struct{ was, is parsedFile }

func (r *replayer) step(ctx context.Context, parent, commit string) map[string]fileChange {
	out := get(r.repo.Run(ctx, "diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", parent, commit))
	r.alike = nil
	changed := map[string]fileChange{}
	f := strings.Split(string(out), "\x00")
	for i := 0; i+1 < len(f); i += 2 {
		about, path := strings.Fields(f[i]), f[i+1]
		c := fileChange{was: r.files[path]}
		delete(r.files, path)
		if mode := about[1]; strings.HasPrefix(mode, "100") {
			r.put(path, about[3])
		}
		if c.is = r.files[path]; c != (fileChange{}) {
			changed[path] = c
		}
	}
	return changed
}

func (r *replayer) pinAll(at *anchor.Tree) {
	r.pins = map[string][]*pin{}
	byLang := map[string][]place{}
	for path, f := range r.base {
		byLang[languageOf(path)] = append(byLang[languageOf(path)], symbols(path, f.tree)...)
	}
	for lang, all := range byLang {
		slices.SortFunc(all, func(a, b place) int { return cmp.Or(strings.Compare(a.path, b.path), a.First-b.First, b.Last-a.Last) })
		if n := len(all); r.symbols > 0 && n > r.symbols {
			var some []place
			for i := range r.symbols {
				some = append(some, all[i*n/r.symbols])
			}
			all = some
		}
		for _, d := range all {
			a, how := pinned(at, d)
			w := r.report.of(r.name, lang, how == byLines)
			switch how {
			case shadowed:
				w.Shadowed++
				continue
			case byLines:
				r.report.example(r.shown, example{kind: "not listed", repo: r.name, language: lang, place: d.path + "#" + d.Name,
					truth: fmt.Sprintf("%s, lines %d to %d", d.Kind, d.First, d.Last)})
			}
			w.Symbols++
			r.pins[d.path] = append(r.pins[d.path], &pin{d, a, w})
		}
	}
}

// symbols lists the symbols of a file that can be pinned: those without errors inside.
func symbols(path string, t *tree) (all []place) {
	if t == nil {
		return nil
	}
	for _, d := range t.Decls {
		if !d.Broken {
			all = append(all, place{path, d})
		}
	}
	return all
}

// How a symbol is pinned.
const (
	bySymbol = iota
	byLines  // package symbol does not list it
	shadowed // package symbol has another symbol of its name elsewhere, or the file cannot be read
)

func pinned(at *anchor.Tree, p place) (anchor.Anchor, int) {
	f, err := at.File(p.path)
	if err != nil {
		return anchor.Anchor{}, shadowed
	}
	how, ref := byLines, anchor.Ref{Path: p.path, Symbol: p.Name}
	if s, ok := listed(f, p.decl); ok {
		how, ref = bySymbol, anchor.Ref{Path: p.path, Symbol: s.Name}
		for _, other := range f.Find(s.Name) {
			if other.Last < p.First || other.First > p.Last {
				return anchor.Anchor{}, shadowed
			}
		}
	}
	entry, ref, err := at.Pin(ref)
	if err != nil {
		return anchor.Anchor{}, shadowed
	}
	return anchor.In(map[string]any{anchor.RefKey: ref.String(), anchor.SeenKey: entry}, nil)[0], how
}

// listed finds the symbol of package symbol that is one of the truth: of its simple name, overlapping, of several the closest.
func listed(f *symbol.File, d decl) (best symbol.Symbol, ok bool) {
	name := d.Name[strings.LastIndexByte(d.Name, '.')+1:]
	far := 0
	for _, s := range f.Symbols {
		isType := s.Kind == symbol.Type || s.Kind == symbol.Module
		if s.Simple() != name || s.First > d.Last || s.Last < d.First || isType != (d.Kind == "type") {
			continue
		}
		if off := max(s.First-d.First, d.First-s.First) + max(s.Last-d.Last, d.Last-s.Last); !ok || off < far {
			best, far, ok = s, off, true
		}
	}
	return best, ok
}

// compare judges symbols at a commit and counts how the verdicts compare with the truth.
func (r *replayer) compare(ctx context.Context, commit string, at *anchor.Tree, pins []*pin) {
	anchors := make([]anchor.Anchor, len(pins))
	for i, p := range pins {
		anchors[i] = p.anchor
	}
	start := time.Now()
	verdicts := r.judge(at, ctx, anchors)
	r.report.judging += time.Since(start)
	r.report.judged += len(pins)
	for i, p := range pins {
		t, places := r.truth(p)
		if t == unsure {
			p.tally.Unsure++
			continue
		}
		p.tally.Comparisons++
		v := verdicts[i]
		for _, kind := range p.tally.score(t, v, places) {
			e := example{kind: kind, repo: r.name, language: p.tally.Language, commit: commit[:10], place: p.anchor.String() + nameOf(p),
				truth: string(t), verdict: verdictText(v)}
			for _, pl := range places {
				e.truth += fmt.Sprintf(" %s#%s L%d-L%d", pl.path, pl.Name, pl.First, pl.Last)
			}
			r.report.example(r.shown, e)
		}
	}
	check(ctx.Err())
}

func nameOf(p *pin) string {
	if p.tally.ByLines {
		return " (by lines)"
	}
	if p.anchor.Symbol == p.Name {
		return ""
	}
	return " (" + p.Name + ")"
}

func verdictText(v anchor.Verdict) string {
	text := string(v.State)
	if v.State == anchor.Moved || v.State == anchor.Fresh {
		text += fmt.Sprintf(" %s L%d-L%d", v.Now, v.Lines[0], v.Lines[1])
	}
	if v.Why != "" {
		text += ": " + v.Why
	}
	return text
}

// quiet judges the symbols of the files in which a commit changed only formatting, comments or imports.
func (r *replayer) quiet(ctx context.Context, commit string, parent, at *anchor.Tree, changed map[string]fileChange) {
	var anchors []anchor.Anchor
	var rows []*tally
	for path, c := range changed {
		a, b := c.was.tree, c.is.tree
		if a == nil || b == nil || a.Broken || b.Broken || a.Doubtful || b.Doubtful || a.Whole != b.Whole || c.was.blob == c.is.blob {
			continue
		}
		r.report.of(r.name, languageOf(path), false).QuietFiles++
		for _, d := range symbols(path, a) {
			if x, how := pinned(parent, d); how != shadowed {
				anchors = append(anchors, x)
				rows = append(rows, r.report.of(r.name, languageOf(path), how == byLines))
			}
		}
		if entry, ref, err := parent.Pin(anchor.Ref{Path: path}); err == nil {
			anchors = append(anchors, anchor.In(map[string]any{anchor.RefKey: ref.String(), anchor.SeenKey: entry}, nil)...)
			rows = append(rows, r.report.of(r.name, languageOf(path), false))
		}
	}
	for i, v := range r.judge(at, ctx, anchors) {
		rows[i].Quiet.add(v.Alarm())
		if !v.Alarm() {
			continue
		}
		r.report.example(r.shown, example{kind: "alarm at a quiet change", repo: r.name, language: rows[i].Language, commit: commit[:10],
			place: v.Anchor.Text, truth: "same", verdict: verdictText(v)})
	}
	check(ctx.Err())
}

// truth is what became of a symbol; see the package's comment.
type truth string

const (
	same    truth = "same"
	changed truth = "changed"
	moved   truth = "moved"
	copied  truth = "copied"
	gone    truth = "gone"
	unsure  truth = "unsure" // the parser found an error
)

// leastMoved is the number of names and literals from which equal content is no accident.
const leastMoved = 12

// truth returns what became of a symbol, and the places where its content is or may be.
func (r *replayer) truth(p *pin) (truth, []place) {
	now, exists := r.files[p.path]
	if exists && (now.tree == nil || now.tree.Broken) {
		return unsure, nil
	}
	d, named := now.tree.named(p.Name)
	switch {
	case named && d.Dump == p.Dump:
		return same, []place{{p.path, d}}
	case d.Broken, !named && exists && now.tree.Doubtful:
		return unsure, nil
	}
	alike := r.newAlike(p)
	switch {
	case named:
		return changed, alike
	case len(alike) == 1 && p.Size >= leastMoved:
		return moved, alike
	case len(alike) > 0:
		return copied, alike
	}
	return gone, nil
}

// newAlike lists the places that are new since the base and have the symbol's content: those with its whole name, else all.
func (r *replayer) newAlike(p *pin) []place {
	if r.alike == nil {
		r.alike = map[string][]place{}
		for path, f := range r.files {
			if f.tree == nil {
				continue
			}
			for _, d := range f.tree.Decls {
				k := languageOf(path) + d.Neutral
				r.alike[k] = append(r.alike[k], place{path, d})
			}
		}
	}
	var all, named []place
	for _, pl := range r.alike[languageOf(p.path)+p.Neutral] {
		if r.old[keyOf(pl)] {
			continue
		}
		all = append(all, pl)
		if pl.Name == p.Name {
			named = append(named, pl)
		}
	}
	if len(named) == 1 {
		return named
	}
	return all
}

// Kinds of errors.
const (
	notTold     = "a change not told"
	falseAlarm  = "a false alarm"
	notFollowed = "a move not followed"
	wrongPlace  = "a wrong place"
)

// score counts a verdict and returns the errors in it.
func (w *tally) score(t truth, v anchor.Verdict, places []place) (errors []string) {
	alarm := v.State == anchor.Drifted || v.State == anchor.Gone
	there := (v.State == anchor.Fresh || v.State == anchor.Moved) && slices.ContainsFunc(places, func(p place) bool {
		return v.Now.Path == p.path && v.Lines[0] <= p.Last && v.Lines[1] >= p.First
	})
	count := func(s *ratio, is bool, kind string, bad bool) {
		s.add(is)
		if bad {
			errors = append(errors, kind)
		}
	}
	switch t {
	case changed, copied, gone:
		told := alarm || there && v.State == anchor.Moved
		count(&w.Told, told, notTold, !told)
	case same:
		count(&w.Alarms, alarm, falseAlarm, alarm)
		wrong := !alarm && !there && v.State != anchor.Unknown
		count(&w.Wrong, wrong, wrongPlace, wrong)
	case moved:
		count(&w.Alarms, alarm, falseAlarm, false)
		count(&w.Followed, there, notFollowed, !there)
	}
	return errors
}
