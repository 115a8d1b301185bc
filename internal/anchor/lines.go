package anchor

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"

	"sdd/internal/markdown"
	"sdd/internal/symbol"
)

const (
	unplaced  = "no recent commit has the code as it was when the record was saved, so it is unknown where its lines are now"
	mostlyNew = "most of the code there is new"
	movedNew  = "the lines moved and changed"

	mostPast = 40_000 // lines of earlier versions of a file that are read to place lines in it
)

// placed is a verdict with its present lines, as long as the file is the same.
type placed struct {
	file    *symbol.File
	verdict Verdict
}

// placeLines finds the lines that continue those of anchors in one file, from the newest version with their content; it keeps results.
func (p *past) placeLines(some []*Verdict, was string) {
	t, head := p.t, p.t.rev
	if head == "" {
		head = t.repo.HeadCommit(p.ctx)
	}
	f, _ := t.File(some[0].Now.Path)
	key := func(v *Verdict) string { return fmt.Sprint(v.Ref, v.Seen, v.Now) }
	t.mu.Lock()
	known := maps.Clone(t.placed.at(head))
	t.mu.Unlock()
	some = slices.DeleteFunc(some, func(v *Verdict) bool {
		is, ok := known[key(v)]
		if ok = ok && is.file == f; ok {
			is.verdict.Anchor = v.Anchor
			*v = is.verdict
		}
		return ok
	})
	if f == nil || len(some) == 0 {
		return
	}
	found := p.newest(some, p.versions(was), mostPast)
	text := t.Text(some[0].Now.Path, 1, math.MaxInt)
	for _, v := range some {
		k := key(v)
		v.place(found[v], f, text)
		if p.ctx.Err() == nil {
			t.mu.Lock()
			t.placed.at(head)[k] = placed{f, *v}
			t.mu.Unlock()
		}
	}
}

// place takes the lines of a file that continue those of an earlier version. Why is a reason to read the code before affirming them.
func (v *Verdict) place(h hit, f *symbol.File, text string) {
	if v.State == Moved {
		if h.whole {
			v.Lines = v.around(h.text, h.lines, f, text, v.Lines)
			v.Now.First, v.Now.Last = v.Lines[0], v.Lines[1]
		} else {
			v.widen(f, text)
		}
		return
	}
	if h.text == nil {
		v.Why = unplaced
		return
	}
	first, last := continued(string(h.text), text, h.lines[0], h.lines[1])
	was := cut(h.text, h.lines[0], h.lines[1])
	if _, size := f.Range(first, last); size == 0 {
		if first, last = likest(was, text); last == 0 {
			v.State, v.Why, v.Lines, v.Now = Gone, v.Now.Path+" no longer has these lines", [2]int{}, v.Ref
			return
		}
		v.Why = movedNew
	} else if alike(was, cut([]byte(text), first, last)) < 50 {
		v.Why = mostlyNew
	}
	v.Now.First, v.Now.Last, v.Lines = first, last, [2]int{first, last}
}

// around returns the lines of a file, with its text, that continue lines of an earlier version and have the anchor's code; else known.
func (v *Verdict) around(was []byte, lines [2]int, f *symbol.File, text string, known [2]int) [2]int {
	first, last := continued(string(was), text, lines[0], lines[1])
	if print, size := f.Range(first, last); size == 0 || !v.matches(ByLines, print) {
		return known
	}
	return [2]int{first, last}
}

// widen adds lines without code, first the comments above, up to the number that the anchor names, where no commit tells which they were.
func (v *Verdict) widen(f *symbol.File, text string) {
	lines := strings.Split(text, "\n")
	first, last := v.Lines[0], v.Lines[1]
	more := func(line int) bool {
		_, size := f.Range(line, line)
		return last-first < v.Last-v.First && line > 0 && line <= min(f.Lines, len(lines)) && size == 0
	}
	for more(first - 1) {
		first--
	}
	for first < v.Lines[0] && strings.TrimSpace(lines[first-1]) == "" {
		first++
	}
	for more(last + 1) {
		last++
	}
	v.Now.First, v.Now.Last, v.Lines = first, last, [2]int{first, last}
}

// likest returns the lines of a text, as many as was has, that share most of their words with it, three quarters at least; else 0.
func likest(was, text string) (first, last int) {
	n, lines, most := strings.Count(strings.TrimSuffix(was, "\n"), "\n")+1, strings.SplitAfter(text, "\n"), 74
	for i := range max(0, len(lines)-n+1) {
		if is := alike(was, strings.Join(lines[i:i+n], "")); is > most {
			first, last, most = i+1, i+n, is
		}
	}
	return first, last
}

// alike returns the words that two texts share, in percent of all.
func alike(was, is string) int {
	words := func(s string) []string {
		return strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	}
	count, both := map[string]int{}, 0
	a, b := words(was), words(is)
	for _, w := range a {
		count[w]++
	}
	for _, w := range b {
		if count[w]--; count[w] >= 0 {
			both++
		}
	}
	return 200 * both / max(1, len(a)+len(b))
}

// continued returns the lines that continue those of an older text; last < first when all were deleted. An end in a run of changed lines
// keeps its place in a run of the same length, else the whole run counts.
func continued(was, is string, first, last int) (a, b int) {
	to := markdown.SameLines(was, is)
	kept := func(i int) (before, after int) { // the nearest lines that did not change
		for before = i; to[before] < 0; before-- {
		}
		for after = i; to[after] < 0; after++ {
		}
		return before, after
	}
	first, last = min(first, len(to)-2), min(last, len(to)-2)
	p, q := kept(first)
	m, n := kept(last)
	a, b = to[p]+1, to[n]-1
	if to[q]-to[p] == q-p {
		a = to[p] + first - p
	}
	if to[n]-to[m] == n-m {
		b = to[m] + last - m
	}
	return a, b
}
