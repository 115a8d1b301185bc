package setup

import (
	"archive/zip"
	"bytes"
	"embed"
	"fmt"
	"path"
	"strings"
	"time"

	"sdd/internal/pattern"
	"sdd/internal/setup/jsonc"
)

// extensionID is the name of the extension for VS Code: publisher and name in its package.json.
const extensionID = "sdd.sdd"

//go:embed editor/vscode
var vscodeFiles embed.FS

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
	const manifest = `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="sdd" Version="%s" Publisher="sdd" />
    <DisplayName>sdd</DisplayName>
    <Description xml:space="preserve">Shows the records of .sdd, and the code that they name</Description>
    <Categories>Other</Categories>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value="^1.75.0" />
      <Property Id="Microsoft.VisualStudio.Code.ExtensionKind" Value="workspace" />
    </Properties>
  </Metadata>
  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code" /></Installation>
  <Dependencies />
  <Assets><Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true" /></Assets>
</PackageManifest>
`
	const types = `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
  <Default Extension=".json" ContentType="application/json" />
  <Default Extension=".js" ContentType="application/javascript" />
  <Default Extension=".vsixmanifest" ContentType="text/xml" />
</Types>
`
	files := []struct{ name, text string }{{"extension.vsixmanifest", fmt.Sprintf(manifest, number)}, {"[Content_Types].xml", types}}
	const folder = "editor/vscode"
	entries, err := vscodeFiles.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		data, err := vscodeFiles.ReadFile(path.Join(folder, e.Name()))
		if err != nil {
			return nil, err
		}
		text := string(data)
		if e.Name() == "package.json" {
			text = fill.Replace(text)
		}
		files = append(files, struct{ name, text string }{"extension/" + e.Name(), text})
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range files {
		w, err := z.CreateHeader(&zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: when})
		if err == nil {
			_, err = w.Write([]byte(f.text))
		}
		if err != nil {
			return nil, err
		}
	}
	err = z.Close()
	return b.Bytes(), err
}

// vscodeText is the extension that starts this program. Its files have no date of their own.
func vscodeText(program, version string) (string, error) {
	data, err := Extension(version, orName(program), time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC))
	return string(data), err
}
