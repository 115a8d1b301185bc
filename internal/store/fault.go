package store

import "sdd/internal/fault"

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
