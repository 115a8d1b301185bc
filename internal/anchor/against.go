package anchor

// against is another tree of the same repository: what moved between both did so in these files.
type against struct {
	tree    *Tree
	files   []string          // that differ, in this tree
	renamed map[string]string // the path here of a file that the other tree has elsewhere; "" for one without
}

// Against makes Judge look for what moved in the files that differ from another tree, by their paths from the top, and
// not in the history. renamed has the new path of each file of the other tree that is not here, "" for one without.
func (t *Tree) Against(other *Tree, files []string, renamed map[string]string) {
	t.against = &against{other, files, renamed}
}

// hadCopy reports whether the other tree has an anchor's content too at the place to which it moved.
func (a *against) hadCopy(now string, v *Verdict) bool {
	for from, to := range a.renamed {
		if to == now {
			now = from
		}
	}
	s := a.tree.read(now)
	if s.err != nil {
		return false
	}
	for _, sym := range s.file.Find(v.Now.Symbol) {
		if v.matches(BySymbol, sym.Print) {
			return true
		}
	}
	return false
}
