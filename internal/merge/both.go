package merge

import (
	"context"

	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/record"
	"sdd/internal/store"
)

// Both is a record that two commits changed since they parted.
type Both struct {
	File string // relative to the top of the work tree
	Versions
	Clean bool // a merge of the two has no conflict
}

// BothChanged lists the records that two commits, given by any name of git, changed since they parted; most limits the list and more
// is the number that is left out. base is the commit at which they parted. Faults: Unavailable (no git), those of git for the names.
func BothChanged(ctx context.Context, st *store.Store, ours, theirs string, most int) (list []Both, base string, more int, err error) {
	repo, err := git.Open(st.Dir())
	if err != nil {
		return nil, "", 0, err
	}
	for _, name := range []*string{&ours, &theirs} {
		if *name, err = repo.Resolve(ctx, *name); err != nil {
			return nil, "", 0, err
		}
	}
	if base, err = repo.MergeBase(ctx, ours, theirs); err != nil {
		return nil, "", 0, err
	}
	if base == "" {
		return nil, "", 0, fault.New(fault.NotFound, "the two have no commit in common").With("choose branches of one history")
	}
	files, err := bothChanged(ctx, repo, ours, theirs, store.PathIn(repo, st.Dir()))
	if err != nil {
		return nil, base, 0, err
	}
	if len(files) > most {
		files, more = files[:most], len(files)-most
	}
	for _, file := range files {
		b := Both{File: file}
		b.Versions, _ = readVersions(base, ours, theirs, func(commit string) ([]byte, error) {
			src, _ := repo.Show(ctx, commit, file) // nil when the side lacks the file under this name
			return src, nil
		})
		m, err := File(ctx, file, b.Versions, Labels{}, false)
		if err != nil {
			return nil, base, 0, err
		}
		b.Clean = m.Clean
		list = append(list, b)
	}
	return list, base, more, nil
}

// Sections returns the sections that both sides changed, each with its text in the three versions.
func (b Both) Sections() (all []Section) {
	texts := [3]map[string]string{}
	var names []string
	for n, src := range [][]byte{b.Base, b.Ours, b.Theirs} {
		texts[n] = map[string]string{}
		for _, s := range record.Parse(b.File, src, record.Defaults{}).Sections {
			names = record.Union(names, s.Name)
			texts[n][s.Name] = s.Text
		}
	}
	for _, name := range names {
		s := Section{name, texts[0][name], texts[1][name], texts[2][name]}
		if s.Ours != s.Base && s.Theirs != s.Base {
			all = append(all, s)
		}
	}
	return all
}

// Section is a section in three versions, "" where a version lacks it.
type Section struct{ Name, Base, Ours, Theirs string }
