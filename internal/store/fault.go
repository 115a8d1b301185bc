package store

import "sdd/internal/fault"

// InFile returns err with the file at path, relative to .sdd, named in it where it is a Broken fault that names none. An error
// that is no fault stays as it is.
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
