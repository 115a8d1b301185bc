package journal

import "strings"

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

// lines returns the lines of the whole file.
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
