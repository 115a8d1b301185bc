package anchor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"path"
	"runtime"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/record"
	"sdd/internal/symbol"

	"golang.org/x/sync/errgroup"
)

// Judge returns the verdict of each anchor, in their order. It starts git only for places that are not as they were.
func (t *Tree) Judge(ctx context.Context, anchors []Anchor) []Verdict {
	out, lost := t.inPlaces(anchors)
	for i := range out {
		if out[i].changedLines() || out[i].narrowed() {
			lost = append(lost, i)
		}
	}
	if len(lost) > 0 && ctx.Err() == nil {
		var all []*Verdict
		for _, i := range lost {
			all = append(all, &out[i])
		}
		t.follow(ctx, all)
	}
	return out
}

// inPlaces judges anchors by the files that they name. lost are the numbers of those whose place is to be looked for.
func (t *Tree) inPlaces(anchors []Anchor) (out []Verdict, lost []int) {
	out = make([]Verdict, len(anchors))
	byFile := map[string][]int{}
	for i, a := range anchors {
		byFile[a.Path] = append(byFile[a.Path], i)
	}
	var work errgroup.Group
	work.SetLimit(runtime.GOMAXPROCS(0))
	for file, some := range byFile {
		work.Go(func() error {
			at, s := t.locate(file)
			for _, n := range some {
				out[n] = t.inPlace(anchors[n], at, s)
			}
			return nil
		})
	}
	_ = work.Wait()
	for i := range out {
		if out[i].alike || out[i].State == Gone && !(out[i].Mention && len(out[i].Seen) == 0) {
			lost = append(lost, i)
		}
	}
	return out, lost
}

// inPlace judges an anchor by the file that it names.
func (t *Tree) inPlace(a Anchor, at string, s source) Verdict {
	v := Verdict{Anchor: a, State: Gone, Now: a.Ref}
	switch {
	case errors.Is(s.err, fs.ErrNotExist):
		v.Why = "there is no file " + a.Path
		return v
	case errors.Is(s.err, errFolder) && !a.Mention && a.Ref == Ref{Path: a.Path}:
		v.State = Unpinned
		return v
	case s.err != nil:
		v.State, v.Why = Unknown, reason(s.err)
		return v
	}
	v.Now.Path = t.relative(at)
	if t.prefix == "" || at != t.prefix+a.Path {
		v.Now.Path = at // a path from the top stays one
	}
	v = v.in(s.file)
	if name, _ := splitRepository(a.Path); name != "" && v.State == Gone { // it may be elsewhere there
		v.State = Unknown
	}
	return v
}

func reason(err error) string {
	if slices.Contains([]error{errElsewhere, errTooLarge, errNoFile, errFolder, errSparse}, err) {
		return err.Error()
	}
	return "the file cannot be read"
}

// in judges an anchor in the file at v.Now.Path. The state stays Gone when the file has neither the place nor its content.
func (v Verdict) in(f *symbol.File) Verdict {
	switch {
	case v.Symbol != "":
		there := f.Find(v.Symbol)
		byLines := slices.ContainsFunc(v.Seen, func(s Seen) bool { return s.How == ByLines })
		if len(there) == 0 && (byLines || len(v.Seen) == 0 && len(f.Symbols) == 0) {
			if first, last := f.Paragraph(v.Symbol); first > 0 {
				return v.inLines(f, first, last)
			}
		}
		if others := several(there); others != "" && len(v.Seen) == 0 {
			v.Why = fmt.Sprintf("%s has several: %s", v.Now.Path, others)
			return v
		}
		if len(there) > 0 {
			all := f.Together(there)
			switch {
			case len(v.Seen) == 0:
				return v.found(Unpinned, v.Ref, all.First, all.Last)
			case v.matchesSymbol(all):
				return v.found(Fresh, v.Ref, all.First, all.Last)
			case there[0].Kind == symbol.Heading || there[0].Name == strings.ReplaceAll(v.Symbol, "::", "."):
				return v.found(Drifted, v.Ref, all.First, all.Last)
			} // else another symbol with the same last name
		}
		if s, ok := v.elsewhere(f); ok {
			v = v.found(Moved, Ref{Symbol: s.Name}, s.First, s.Last)
			v.alike = true
			return v
		}
		v.Why = fmt.Sprintf("%s has no %s", v.Now.Path, v.Symbol)
	case v.First > 0:
		sized := func(s Seen) bool { return s.Size > 0 } // comments alone have the fingerprint of nothing, which any lines match
		if !slices.ContainsFunc(v.Seen, sized) {
			if v.Last <= f.Lines {
				return v.found(Unpinned, v.Ref, v.First, v.Last)
			}
			v.Why = fmt.Sprintf("%s has %d lines", v.Now.Path, f.Lines)
			return v
		}
		return v.inLines(f, v.First, v.Last)
	case len(v.Seen) == 0:
		return v.found(Unpinned, v.Ref, 1, f.Lines)
	case v.matches(ByFile, f.Print()):
		return v.found(Fresh, v.Ref, 1, f.Lines)
	default:
		return v.found(Drifted, v.Ref, 1, f.Lines)
	}
	return v
}

// found is the verdict of an anchor whose place is r, at lines of the file at v.Now.Path. Fresh is Moved in another file.
func (v Verdict) found(state State, r Ref, first, last int) Verdict {
	if state == Fresh && v.Now.Path != v.Path {
		state = Moved
	}
	r.Path = v.Now.Path
	v.State, v.Now, v.Lines, v.Why = state, r, [2]int{first, last}, ""
	return v
}

// inLines judges an anchor by the content of lines: those that it names, or the paragraph that has its symbol.
func (v Verdict) inLines(f *symbol.File, first, last int) Verdict {
	if len(v.Seen) == 0 {
		return v.found(Unpinned, v.Ref, first, last)
	}
	if print, size := f.Range(first, last); size > 0 && v.matches(ByLines, print) {
		return v.found(Fresh, v.Ref, first, last)
	}
	for _, s := range v.Seen {
		if a, b, ok := f.FindRange(s.Print, s.Size, first); ok && s.How == ByLines {
			return v.found(Moved, Ref{First: a, Last: b}, a, b)
		}
	}
	return v.found(Drifted, v.Ref, min(first, f.Lines), min(last, f.Lines))
}

// changedLines reports whether v is of line numbers at which other code is now. Theirs may have moved.
func (v *Verdict) changedLines() bool { return v.State == Drifted && v.First > 0 }

// narrowed reports whether v is of lines that moved, and only the place of those with code is known.
func (v *Verdict) narrowed() bool { return v.State == Moved && v.narrows(v.Lines) }

// narrows reports whether lines are fewer than the anchor names.
func (v *Verdict) narrows(lines [2]int) bool {
	return v.First > 0 && lines[1]-lines[0] < v.Last-v.First
}

// several names the symbols, "" when all have one name.
func several(all []symbol.Symbol) string {
	var names []string
	for _, s := range all {
		names = record.Union(names, s.Name)
	}
	if len(names) < 2 {
		return ""
	}
	return strings.Join(names, ", ")
}

func (v Verdict) matches(how How, print string) bool {
	return slices.ContainsFunc(v.Seen, func(s Seen) bool { return s.How == how && s.Print == print })
}

// matchesSymbol also accepts a type without its methods: earlier versions stored that.
func (v Verdict) matchesSymbol(s symbol.Symbol) bool {
	return v.matches(BySymbol, s.Print) || s.Alone != "" && v.matches(BySymbol, s.Alone)
}

// leastMoved is the number of tokens from which the same content is the same symbol: short ones, such as accessors, are alike by chance.
const leastMoved = 12

// elsewhere finds the one symbol of the file that has the anchor's content under another name.
func (v Verdict) elsewhere(f *symbol.File) (_ symbol.Symbol, ok bool) {
	same := slices.DeleteFunc(f.Named(), func(s symbol.Symbol) bool { return s.Size < leastMoved || !v.matchesSymbol(s) })
	if len(same) != 1 {
		return symbol.Symbol{}, false
	}
	return same[0], true
}

// follow looks for places that are gone, and for changed lines, where history moved them to, else in files with a symbol of that name.
func (t *Tree) follow(ctx context.Context, lost []*Verdict) {
	if t.repo == nil {
		for _, v := range lost {
			if v.changedLines() {
				v.Why = unplaced
			} else if v.narrowed() {
				if f, _ := t.File(v.Now.Path); f != nil {
					v.widen(f, t.Text(v.Now.Path, 1, math.MaxInt))
				}
			} else if len(v.Seen) > 0 && !v.alike {
				v.State, v.Why = Unknown, v.Why+", and without git its new place is unknown"
			}
		}
		return
	}
	missing := map[string]bool{}
	for _, v := range lost {
		if _, s := t.locate(v.Path); errors.Is(s.err, fs.ErrNotExist) {
			missing[t.prefix+v.Path] = true
			if t.prefix != "" {
				missing[v.Path] = true
			}
		}
	}
	old := t.openPast(ctx)
	defer old.blobs.Close()
	for _, v := range lost {
		if v.alike || v.changedLines() || v.narrowed() || missing[t.prefix+v.Path] {
			old.want(t.fromTop(v.Path))
		}
	}
	way := old.renames(slices.Sorted(maps.Keys(missing)))
	byName := func(v *Verdict) bool { return v.State == Gone && v.Symbol != "" && len(v.Seen) > 0 }
	names := map[string]bool{}
	changed := map[string][]*Verdict{} // of lines that changed or moved, by the path of their history
	for _, v := range lost {
		old.verify(v)
		before := t.fromTop(v.Path)
		for _, from := range []string{t.prefix + v.Path, v.Path} {
			to := way[from]
			if to == "" || v.State != Gone {
				continue
			}
			if s := t.read(to); s.err == nil {
				was := v.Now.Path
				v.Now.Path = t.relative(to)
				if len(v.Seen) == 0 { // the place is elsewhere under its name
					if moved := v.in(s.file); moved.State == Unpinned {
						moved.State = Moved
						*v = moved
						continue
					}
				} else if *v = v.in(s.file); v.State != Gone {
					if old.verify(v); v.State != Gone {
						before = from
						continue
					}
				}
				v.Now.Path = was
			}
		}
		if v.changedLines() || v.narrowed() {
			changed[before] = append(changed[before], v)
		}
		if byName(v) {
			names[simple(v.Symbol)] = true
		}
	}
	files := t.holding(ctx, slices.Sorted(maps.Keys(names)))
	for _, v := range lost {
		if byName(v) {
			old.search(v, files[simple(v.Symbol)])
		}
		if v.State == Gone && len(v.Seen) > 0 && missing[t.prefix+v.Path] && way[t.prefix+v.Path] == "" && old.shallow() {
			v.State, v.Why = Unknown, v.Why+", and this shallow clone does not have the history that names its new place"
		}
	}
	for before, some := range changed {
		old.placeLines(some, before)
	}
}

func simple(name string) string { return symbol.Symbol{Name: name}.Simple() }

// search looks for a lost symbol in other files: the one symbol with its name and content.
func (p *past) search(v *Verdict, files []string) {
	var found []Verdict
	for _, file := range files {
		if path.Ext(file) != path.Ext(v.Path) {
			continue
		}
		s := p.t.read(file)
		if s.err != nil {
			continue
		}
		for _, sym := range s.file.Named() {
			if sym.Simple() != simple(v.Symbol) || !v.matchesSymbol(sym) {
				continue
			}
			moved := *v
			moved.State, moved.Why = Moved, ""
			moved.Now, moved.Lines = Ref{Path: p.t.relative(file), Symbol: sym.Name}, [2]int{sym.First, sym.Last}
			moved.alike = true
			if p.verify(&moved); moved.State == Moved {
				found = append(found, moved)
			}
		}
	}
	if len(found) == 1 {
		*v = found[0]
	}
}

// Pin returns the entry of the key seen for a place, "" for a folder, and its whole name; Invalid for several symbols, else NotFound.
func (t *Tree) Pin(r Ref) (entry string, whole Ref, err error) {
	at, s := t.locate(r.Path)
	switch {
	case errors.Is(s.err, fs.ErrNotExist):
		return "", r, fault.New(fault.NotFound, "there is no file %s", r.Path).For(RefKey)
	case errors.Is(s.err, errFolder) && r == Ref{Path: r.Path}: // each change in it would change a fingerprint
		return "", Ref{Path: t.relative(at)}, nil
	case s.err != nil:
		return "", r, fault.New(fault.Unavailable, "%s: %s", r.Path, reason(s.err)).For(RefKey)
	}
	r.Path = t.relative(at)
	switch {
	case r.Symbol != "":
		there := s.file.Find(r.Symbol)
		if len(there) == 0 {
			if first, last := s.file.Paragraph(r.Symbol); first > 0 {
				print, size := s.file.Range(first, last)
				return Entry(r, Seen{ByLines, size, print}), r, nil
			}
			return "", r, fault.New(fault.NotFound, "%s has no %s", r.Path, r.Symbol).For(RefKey).With(didYouMean(s.file, r.Symbol))
		}
		if others := several(there); others != "" {
			return "", r, fault.New(fault.Invalid, "%s has several %s", r.Path, r.Symbol).For(RefKey).With("name one: " + others)
		}
		if there[0].Kind != symbol.Heading {
			r.Symbol = there[0].Name
		}
		all := s.file.Together(there)
		return Entry(r, Seen{BySymbol, all.Size, all.Print}), r, nil
	case r.First > 0:
		if r.Last > s.file.Lines {
			return "", r, fault.New(fault.NotFound, "%s has %d lines", r.Path, s.file.Lines).For(RefKey)
		}
		print, size := s.file.Range(r.First, r.Last)
		return Entry(r, Seen{ByLines, size, print}), r, nil
	}
	return Entry(r, Seen{ByFile, s.file.Size(), s.file.Print()}), r, nil
}

// didYouMean names the symbols of a file whose name is that without case, else asks for a symbol or lines.
func didYouMean(f *symbol.File, name string) string {
	for _, s := range f.Symbols {
		if strings.EqualFold(s.Name, name) || strings.EqualFold(s.Simple(), simple(name)) {
			return "did you mean " + s.Name + "?"
		}
	}
	return "give a symbol that the file declares, or lines: #L10-L20"
}

// State is what became of an anchored place.
type State string

const (
	Fresh    State = "fresh"    // the content is the same at the same place; lines may have shifted for a symbol
	Moved    State = "moved"    // the same content is at another place
	Drifted  State = "drifted"  // the place is there with another content
	Gone     State = "gone"     // neither the place nor its content is there
	Unknown  State = "unknown"  // it could not be read; never an alarm
	Unpinned State = "unpinned" // the place is there and has no fingerprint to compare with
)

// Verdict is the state of one anchor.
type Verdict struct {
	Anchor
	State State  `json:"state"`
	Now   Ref    `json:"now"`   // where the content or the place is now; of Gone the old place
	Lines [2]int `json:"lines"` // its lines now, 0 when gone
	Why   string `json:"why"`   // the reason for Unknown, Gone and several symbols; of drifted lines, why their place is not certain

	alike bool // Now is another symbol with the same content, which may have been there before
}

// Alarm reports whether a reader must look: a place with a fingerprint changed or is gone, or a path in code_ref leads nowhere.
func (v Verdict) Alarm() bool {
	return (v.State == Drifted || v.State == Gone) && (len(v.Seen) > 0 || v.State == Gone && !v.Mention && NamesFile(v.Text))
}

// NamesFile reports whether a value of code_ref looks like a path. Older records have addresses, patterns and words there.
func NamesFile(ref string) bool {
	file, _, _ := strings.Cut(ref, "#")
	return file != "" && !strings.Contains(ref, "://") && !strings.ContainsAny(file, " \t\n*?{}<>|") &&
		(strings.ContainsAny(file, `/\`) || path.Ext(file) != "" || strings.Contains(ref, "#L"))
}

// Nothing reports whether a code span only looks like a place: no file or symbol has that name, and no reader vouched for it.
func (v Verdict) Nothing() bool {
	return v.Mention && len(v.Seen) == 0 && (v.State == Gone || v.State == Unknown)
}

// Since is the change that made an anchor drift.
type Since struct {
	Commit  string `json:"commit"` // "" for a change that is not committed
	Author  string `json:"author"`
	Date    string `json:"date"` // RFC 3339
	Subject string `json:"subject"`
	Was     string `json:"was"`   // the lines that the change replaced, without the same lines at both ends
	Is      string `json:"is"`    // the lines there now
	First   int    `json:"first"` // the first line of Is, now
}
