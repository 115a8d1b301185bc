package anchors

import (
	"slices"

	"sdd/internal/anchor"
)

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

// truth returns what became of a symbol, and where its content is: the place of the same and the moved, possible ones of the
// changed and copied.
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
		if r.old[key(pl)] {
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
func (w *row) score(t truth, v anchor.Verdict, places []place) (errors []string) {
	alarm := v.State == anchor.Drifted || v.State == anchor.Gone
	there := (v.State == anchor.Fresh || v.State == anchor.Moved) && slices.ContainsFunc(places, func(p place) bool {
		return v.Now.Path == p.path && v.Lines[0] <= p.Last && v.Lines[1] >= p.First
	})
	count := func(s *share, is bool, kind string, bad bool) {
		s.Of++
		if is {
			s.Cases++
		}
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
