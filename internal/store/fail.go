package store

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"sdd/internal/fault"
)

// refused turns the system's error from writing p into a fault with a hint. It returns faults unchanged.
func refused(p string, err error) error {
	var f *fault.Error
	if err == nil || errors.As(err, &f) || errors.Is(err, errChanged) {
		return err
	}
	file := Folder
	if p != "" {
		file = shown(p)
	}
	if escapes(err) {
		return outside(p, err)
	}
	out := &fault.Error{Code: fault.Unwritable, Message: "the system refused: " + err.Error(), File: file, Cause: err,
		Hint: "check the disk and the folder, then save again"}
	for _, known := range refusals {
		if isErr(err, known.errs...) {
			out.Code, out.Message, out.Hint = known.code, known.what, known.hint
			break
		}
	}
	out.Message += "; nothing was written"
	return out
}

var refusals = []struct {
	errs       []error
	code       fault.Code
	what, hint string
}{
	{diskFull, fault.Unwritable, "the disk is full", "free some space, or raise the quota, and save again"},
	{readOnly, fault.Unwritable, "the file system is read-only", "make it writable, or name another store with --dir"},
	{otherDisk, fault.Unwritable, "the folder is on another file system than " + Folder + "/.local",
		"keep all of " + Folder + " on one file system"},
	{tooBig, fault.Unwritable, "the system allows no file of this size", "raise the limit (ulimit -f) and save again"},
	{tooLong, fault.Invalid, "the file system takes no name this long", "give it a shorter title"},
	{noHandles, fault.Unavailable, "too many files are open", "close some programs, or raise the limit (ulimit -n)"},
	{[]error{fs.ErrPermission}, fault.Unwritable, "no permission to write", "check who owns the files and folders below " + Folder},
}

// blocked is refused for calls that start again when a folder was removed meanwhile: it keeps their error.
func blocked(p string, err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errMoved) {
		return errMoved
	}
	return refused(p, err)
}

func isErr(err error, any ...error) bool {
	return slices.ContainsFunc(any, func(e error) bool { return errors.Is(err, e) })
}

// escapes reports whether os.Root refused a path; it exports no error for that.
func escapes(err error) bool {
	return err != nil && strings.Contains(err.Error(), "path escapes from parent")
}

func outside(p string, err error) error {
	return &fault.Error{Code: fault.Outside, Message: "a symbolic link leads out of the store",
		Hint: "put the file itself there; links must be relative and stay below " + Folder, File: shown(p), Cause: err}
}

// InFile adds the path, relative to .sdd, to a Broken fault that names no file. It returns any other error unchanged.
func InFile(err error, path string) error {
	if err == nil || fault.Of(err).Code == fault.Internal {
		return err
	}
	f := *fault.Of(err)
	if f.Code == fault.Broken && f.File == "" && path != "" {
		f.File = Folder + "/" + path
	}
	return &f
}
