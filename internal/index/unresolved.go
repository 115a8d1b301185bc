package index

import (
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/record"
)

// Nearest returns the ids of at most n records of a kind that resemble a mistyped reference.
func (ix *Index) Nearest(kind record.Kind, ref string, n int) (ids []string) {
	for _, e := range ix.Suggest(ref, 10) {
		if e.Kind == kind && len(ids) < n {
			ids = append(ids, e.ID)
		}
	}
	return ids
}

// NotFound returns the fault for a reference that names no record of noun. The hint lists the nearest ids, else is otherwise.
func NotFound(arg, noun, ref string, near []string, otherwise string) *fault.Error {
	err := fault.New(fault.NotFound, "there is no %s %q", noun, record.Brief(ref)).For(arg)
	if len(near) > 0 {
		return err.With("nearest: " + strings.Join(near, ", "))
	}
	return err.With(otherwise)
}

// SeveralFiles returns the fault for an identity that several files have.
func SeveralFiles(arg, noun, id string, files []string) *fault.Error {
	hint := "merge them into one by hand and delete the others"
	if arg == "ids" { // ids accepts files too
		hint += ", or give a file"
	}
	list := strings.Join(slices.Sorted(slices.Values(files)), ", ")
	return fault.New(fault.Ambiguous, "%d files hold the %s %q: %s", len(files), noun, record.Brief(id), list).For(arg).With(hint)
}

// Files lists the files of entries.
func Files(entries []Entry) (files []string) {
	for _, e := range entries {
		files = append(files, e.File)
	}
	return files
}
