package setup

import (
	"testing"

	"sdd/internal/symbol"
)

// TestEditorLanguages: an editor starts the server only for files whose symbols it can read.
func TestEditorLanguages(t *testing.T) {
	for _, l := range editorLanguages {
		for _, ext := range l.extensions {
			if symbol.Parse("a."+ext, nil).Lang == "" {
				t.Errorf("no symbols are read of .%s", ext)
			}
		}
	}
}
