package index

import "sdd/internal/record"

// Standing maps the paths of some records to a status that replaces the one in the file; "" leaves a record out.
type Standing map[string]string

// other returns the status that replaces the file's, if there is one.
func (s Standing) other(l *live, doc int) (string, bool) {
	if len(s) == 0 {
		return "", false
	}
	status, ok := s[string(l.seg.path(doc))]
	return status, ok
}

// of returns the effective status of a record; file is the status in its file.
func (s Standing) of(l *live, doc int, file string) string {
	if status, ok := s.other(l, doc); ok {
		return status
	}
	return file
}

func (s Standing) gone(l *live, doc int) bool {
	if status, ok := s.other(l, doc); ok {
		return record.Gone(status)
	}
	return l.seg.flag(doc, flagGone)
}
