package records

import (
	"slices"

	"sdd/internal/index"
	"sdd/internal/journal"
	"sdd/internal/record"
	"sdd/internal/store"
)

// Retitled returns the record, of those for which is returns true, that one without a file has become by hand: the one in its earlier file,
// or after a move one of the same day that no tool saved and that has a section of it. past are the journal's entries of the one without a
// file. The caller brings the index up to date.
func Retitled(
	st *store.Store, ix *index.Index, kind record.Kind, past []journal.Entry, is func(index.Entry) bool,
) (_ index.Entry, ok bool) {
	at := func(path string, src []byte) record.Record {
		return record.Parse(path, src, record.Defaults{Project: st.Project()})
	}
	created, paths, texts := "", map[string]bool{}, map[string]bool{}
	if n := len(past) - 1; n >= 0 {
		src, _ := st.Version(past[n].After)
		created = at(past[n].Path, src).Created
	}
	for _, e := range past {
		paths[e.Path] = true
		for _, c := range e.Sections {
			texts[c.After] = true
		}
	}
	if len(paths) == 0 {
		return index.Entry{}, false
	}
	has := func(sec record.Section) bool { return sec.Text != "" && texts[sec.Text] }
	for _, e := range ix.Entries(kind) {
		moved := !paths[e.Path]
		if !is(e) || moved && (e.Created != created || len(st.Entries(e.ID)) > 0) {
			continue
		}
		if f, err := st.Read(e.Path); !moved || err == nil && slices.ContainsFunc(at(e.Path, f.Bytes).Sections, has) {
			return e, true
		}
	}
	return index.Entry{}, false
}
