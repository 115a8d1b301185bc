package journal

import (
	"maps"
	"slices"
	"strings"
	"unicode"
)

// File is the journal's view of one version of a file.
type File struct {
	Record   string // the record's id
	Revision int    // 0 where the text has none
	Made     bool   // the front matter has a key that the program writes into a new record
	Sections []Section
}

// Section is a section of a file with its text.
type Section struct{ Name, Text string }

// FoldName returns the form in which names of sections are compared.
func FoldName(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// Text returns the text of the first section of that name.
func (d File) Text(name string) string {
	for _, s := range d.Sections {
		if FoldName(s.Name) == FoldName(name) {
			return s.Text
		}
	}
	return ""
}

// texts returns the sections of a file by folded name.
func (d File) texts() map[string]string {
	texts := map[string]string{}
	for _, s := range d.Sections {
		name := FoldName(s.Name)
		if was, twice := texts[name]; twice {
			texts[name] = was + "\n" + s.Text
		} else {
			texts[name] = s.Text
		}
	}
	return texts
}

func (d File) lines() lineSet {
	all := lineSet{}
	for _, s := range d.Sections {
		all.add(s.Text)
	}
	return all
}

// Without returns the changes that added a line which the file lacks.
func (d File) Without(changes []Change) (missing []Change) {
	all := d.lines()
	for _, c := range changes {
		if len(c.added().without(all)) > 0 {
			missing = append(missing, c)
		}
	}
	return missing
}

// Diff lists the sections whose text differs between two versions of a file.
func Diff(was, now File) []Change {
	var out []Change
	seen := map[string]bool{}
	for _, sec := range append(now.Sections, was.Sections...) {
		name := FoldName(sec.Name)
		if a, b := was.Text(name), now.Text(name); !seen[name] && a != b {
			kept := linesOf(a).common(linesOf(b))
			out = append(out, Change{Name: sec.Name, Before: a, After: b, Whole: a != "" && len(kept) == 0})
		}
		seen[name] = true
	}
	return out
}

// AndOther returns changes, and those of more to other sections.
func AndOther(changes, more []Change) []Change {
	for _, c := range more {
		if !slices.ContainsFunc(changes, func(d Change) bool { return FoldName(d.Name) == FoldName(c.Name) }) {
			changes = append(changes, c)
		}
	}
	return changes
}

// Names returns the names of the changed sections.
func Names(changes []Change) (names []string) {
	for _, c := range changes {
		names = append(names, c.Name)
	}
	return names
}

// Lost returns the lines that a lost change added, or if there are none, those that it removed.
func (c Change) Lost(between string) string {
	pick := func(text string, lines lineSet) string {
		var out []string
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); lines[line] {
				out = append(out, line)
			}
		}
		return strings.Join(out, between)
	}
	if added := c.added(); len(added) > 0 {
		return pick(c.After, added)
	}
	if removed := c.removed(); len(removed) > 0 {
		return "the removal of" + between + pick(c.Before, removed)
	}
	return "the order of the lines"
}

// Does the file still have a change that a tool made? The file alone does not show whether the user removed it on purpose, or an editor
// saved a buffer from before it. But such a buffer has none of the lines that the change added, while a user leaves one, or a similar one:
// a new line that is more similar to the change's than to any earlier one ("save 17" is no rewording of "save 18" where "save 16" was).

const (
	alike       = 0.75 // Dice's coefficient over words
	mostLines   = 200  // per side when looking for rewordings
	mostEarlier = 64   // entries of a section compared first; more if these do not decide
)

// lineSet is the set of the lines of a text that have a letter or number, trimmed.
type lineSet map[string]bool

func (s lineSet) add(text string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
			s[line] = true
		}
	}
}

func linesOf(texts ...string) lineSet {
	s := lineSet{}
	for _, t := range texts {
		s.add(t)
	}
	return s
}

func (s lineSet) without(t lineSet) lineSet {
	out := maps.Clone(s)
	maps.DeleteFunc(out, func(line string, _ bool) bool { return t[line] })
	return out
}

func (s lineSet) common(t lineSet) lineSet {
	out := maps.Clone(s)
	maps.DeleteFunc(out, func(line string, _ bool) bool { return !t[line] })
	return out
}

func (s lineSet) words() map[string]bool {
	return words(strings.Join(slices.Collect(maps.Keys(s)), "\n"))
}

func sameText(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) }

// reworded reports whether one of lines is a rewording of a fresh one: more similar to it than to any earlier line.
func reworded(fresh, lines lineSet, earlier ...lineSet) bool {
	if len(fresh) > mostLines || len(lines) > mostLines {
		return false
	}
	for line := range lines {
		w := words(line)
		best, old := fresh.closest(w), 0.0
		if best < alike {
			continue
		}
		for _, set := range earlier {
			old = max(old, set.closest(w))
		}
		if old < best {
			return true
		}
	}
	return false
}

// closest returns how similar the line is that is the most similar to the words of another.
func (s lineSet) closest(w map[string]bool) (best float64) {
	for line := range s {
		best = max(best, dice(w, words(line)))
	}
	return best
}

// words returns the words of a line; in scripts without spaces, the single characters.
func words(line string) map[string]bool {
	out := map[string]bool{}
	start := -1
	end := func(i int) {
		if start >= 0 {
			out[strings.ToLower(line[start:i])] = true
			start = -1
		}
	}
	for i, r := range line {
		switch {
		case r >= 0x2e80 && unicode.IsLetter(r):
			end(i)
			out[string(r)] = true
		case unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r):
			if start < 0 {
				start = i
			}
		default:
			end(i)
		}
	}
	end(len(line))
	return out
}

func dice(a, b map[string]bool) float64 {
	if len(a)+len(b) == 0 {
		return 0
	}
	n := 0
	for w := range a {
		if b[w] {
			n++
		}
	}
	return 2 * float64(n) / float64(len(a)+len(b))
}
