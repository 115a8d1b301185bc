package discovery

import (
	"errors"
	"path"
	"slices"
	"strings"

	"sdd/internal/pattern"
)

var goModule = pattern.Late(`(?m)^module\s+"?([^\s"]+)`)

func (s *survey) readGoMod(m *module, text []byte) error {
	name := goModule().FindSubmatch(text)
	if name == nil {
		return errors.New("no line `module`")
	}
	m.name = OneLine(string(name[1]))
	s.enterGo(m)
	return nil
}

const maxPrograms = 200

// inner are the folders whose programs only serve the build.
var inner = pattern.Words(`internal gen generate generator`)

// enterGo finds the programs: main packages at the top of the module, in cmd, and beside any main.go.
func (s *survey) enterGo(m *module) {
	looked := 0
	for _, f := range s.under(m.dir) {
		files, base := goFiles(f), path.Base(f.path)
		if len(files) == 0 || within(f.path+"/", aside()) || within(f.path+"/", inner()) || looked >= maxPrograms {
			continue
		}
		file := files[0]
		if main := path.Join(f.path, "main.go"); slices.Contains(files, main) {
			file = main
		} else if f.path != m.dir && base != "cmd" && path.Base(path.Dir(f.path)) != "cmd" {
			continue
		}
		looked++
		if name, _ := s.goPackage(file); name == "main" && s.nearest(f.path, m) {
			m.entries = append(m.entries, file)
		}
	}
	if len(m.entries) != 1 {
		return
	}
	to, _ := strings.CutPrefix(path.Dir(m.entries[0]), m.dir)
	to = strings.TrimPrefix(to, "/")
	switch {
	case to == "" || to == ".":
		m.command("run", "go", "go run .", m.entries[0], 0.85)
	case strings.HasPrefix(to, "cmd"):
		m.command("run", "go", "go run ./"+to, m.entries[0], 0.85)
	}
}

// nearest reports whether m is the innermost Go module around dir.
func (s *survey) nearest(dir string, m *module) bool {
	for ; dir != m.dir && dir != "."; dir = path.Dir(dir) {
		if s.has(path.Join(dir, "go.mod")) {
			return false
		}
	}
	return true
}
