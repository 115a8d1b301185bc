package index

import "sdd/internal/record"

// Standing is the status that counts of the records whose files say another one, by path: a fact that got stale, a decision that a
// later one supersedes. "" leaves a record out. The uses know it; the index ranks and filters by it.
type Standing map[string]string

// other returns the status that is not the file's.
func (s Standing) other(l *live, doc int) (string, bool) {
	if len(s) == 0 {
		return "", false
	}
	status, ok := s[string(l.seg.path(doc))]
	return status, ok
}

// of returns the status of a record that counts; file is the status in its file.
func (s Standing) of(l *live, doc int, file string) string {
	if status, ok := s.other(l, doc); ok {
		return status
	}
	return file
}

// gone reports whether a record does not count any more. Facets are looked at once for each segment.
func (f *filter) gone(l *live, doc int) bool {
	if status, ok := f.stand.other(l, doc); ok {
		return record.Gone(status)
	}
	id := l.seg.u32(doc, atStatus)
	if f.ended == nil {
		f.ended = map[*live][]int8{}
	}
	known := f.ended[l]
	if known == nil {
		known = make([]int8, l.seg.facetCount())
		f.ended[l] = known
	}
	if int64(id) >= int64(len(known)) {
		return false
	}
	if known[id] == 0 {
		known[id] = -1
		if record.Gone(string(l.seg.facet(id))) {
			known[id] = 1
		}
	}
	return known[id] > 0
}
