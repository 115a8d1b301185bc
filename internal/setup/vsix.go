package setup

import (
	"archive/zip"
	"bytes"
	"embed"
	"strings"
	"time"

	"sdd/internal/pattern"
	"sdd/internal/setup/jsonc"
)

// extensionID is the name of the extension for VS Code: publisher and name in its package.json.
const extensionID = "sdd.sdd"

//go:embed editor/vsix
var vsixFiles embed.FS

// numbers matches the part of a version that VS Code reads.
var numbers = pattern.Late(`\d+\.\d+\.\d+`)

// Extension returns the extension for VS Code, a .vsix file. It starts program, "sdd" for the one in PATH. The same arguments give the
// same bytes.
func Extension(version, program string, when time.Time) ([]byte, error) {
	number := numbers().FindString(version)
	if number == "" {
		number = "0.0.0"
	}
	var ends []string
	for _, l := range editorLanguages {
		ends = append(ends, l.extensions...)
	}
	marks := strings.NewReplacer("0.0.0-VERSION", number, `"PROGRAM"`, jsonc.Quote(program), "ENDS", strings.Join(ends, ","))
	files, err := filled(vsixFiles, "editor/vsix", marks)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range files {
		w, err := z.CreateHeader(&zip.FileHeader{Name: f.Path, Method: zip.Deflate, Modified: when})
		if err != nil {
			return nil, err
		}
		if _, err := w.Write([]byte(f.Text)); err != nil {
			return nil, err
		}
	}
	err = z.Close() // before Bytes: it writes the directory
	return b.Bytes(), err
}

// vscodeText is the extension that starts this program. Its files have no date of their own.
func vscodeText(program, version string) (string, error) {
	data, err := Extension(version, orName(program), time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC))
	return string(data), err
}
