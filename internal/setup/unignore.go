package setup

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/store"
)

// Unignore adds lines to the .gitignore beside the store so that git includes its records, and returns them; none when git includes the
// records already. All other bytes stay. After an error the file is as it was.
func Unignore(ctx context.Context, st *store.Store) (added []string, err error) {
	name := filepath.Join(st.Dir(), ".gitignore")
	before, err := os.ReadFile(name)
	existed := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, cannotUnignore(err)
	}
	mode := modeOf(name)
	defer func() {
		if err != nil && len(added) > 0 {
			added = nil
			if existed {
				_ = replaceFile(name, before, mode)
			} else {
				_ = os.Remove(name)
			}
		}
	}()
	newline := newlineOf(before)
	text := string(before)
	// The first line includes the folder, the second the files in it that patterns such as * or *.md match.
	for _, line := range []string{"!/" + store.Folder + "/", "!/" + store.Folder + "/**"} {
		i, err := st.Ignored(ctx)
		if i == nil || err != nil {
			return added, err
		}
		if i.Above {
			return added, fault.New(fault.Conflict, "%s", i.Text()).With(i.Fix())
		}
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += newline
		}
		text += line + newline
		added = append(added, line)
		if err := replaceFile(name, []byte(text), mode); err != nil {
			return added, cannotUnignore(err)
		}
	}
	i, err := st.Ignored(ctx)
	if i != nil {
		err = fault.New(fault.Conflict, "%s", i.Text()).With("take the pattern out by hand")
	}
	return added, err
}

func cannotUnignore(err error) error {
	return fault.New(fault.Unwritable, "it cannot be changed: %s", plainError(err)).At(".gitignore", 0).
		With("add the line !/" + store.Folder + "/ to it by hand")
}
