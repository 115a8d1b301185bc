package setup

import (
	"archive/zip"
	"bytes"
	"embed"
	"io/fs"
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
	fill := strings.NewReplacer("0.0.0-VERSION", number, `"PROGRAM"`, jsonc.Quote(program), "ENDS", strings.Join(ends, ","))
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	const folder = "editor/vsix"
	err := fs.WalkDir(vsixFiles, folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := vsixFiles.ReadFile(path)
		if err != nil {
			return err
		}
		if !strings.HasSuffix(path, ".js") {
			text = []byte(fill.Replace(string(text)))
		}
		w, err := z.CreateHeader(&zip.FileHeader{Name: strings.TrimPrefix(path, folder+"/"), Method: zip.Deflate, Modified: when})
		if err == nil {
			_, err = w.Write(text)
		}
		return err
	})
	if err == nil {
		err = z.Close()
	}
	return b.Bytes(), err
}

// vscodeText is the extension that starts this program. Its files have no date of their own.
func vscodeText(program, version string) (string, error) {
	data, err := Extension(version, orName(program), time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC))
	return string(data), err
}
