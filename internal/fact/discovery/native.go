package discovery

import (
	"path"
	"slices"
	"strings"

	"sdd/internal/pattern"
)

// readCMake reads the commands of a CMakeLists.txt. One below another belongs to it.
func (s *survey) readCMake(file string) error {
	src, ok := s.manifest(file)
	if !ok {
		return nil
	}
	dir := path.Dir(file)
	top := dir
	for up := dir; up != "."; {
		if up = path.Dir(up); s.has(path.Join(up, "CMakeLists.txt")) {
			top = up
		}
	}
	m := s.moduleAt(top, "native", s.nativeLabel(top), file)
	if top == dir {
		m.command("build", "cmake", "cmake -S . -B build && cmake --build build", file, 0.85)
	}
	for _, c := range calls(cmakeSyntax.lex(src), isCMakeCall) {
		if len(c.words) == 0 {
			continue
		}
		first := c.words[0]
		switch strings.ToLower(c.name) {
		case "project":
			if top == dir && m.name == "" && !strings.Contains(first, "$") {
				m.name = first
				if i := slices.Index(c.words, "DESCRIPTION"); i > 0 && i+1 < len(c.words) {
					m.about = c.words[i+1]
				}
			}
		case "add_executable":
			if !strings.Contains(first, "$") && !strings.Contains(strings.ToLower(first), "test") {
				m.enter(targetSource(s, dir, c.words[1:], file), "the program "+first, at(file, c.line))
			}
		case "add_library":
			if !strings.Contains(first, "$") && !slices.Contains(c.words, "ALIAS") && !slices.Contains(c.words, "IMPORTED") {
				m.enter(file, "the library "+first, at(file, c.line))
			}
		case "find_package":
			version := ""
			if len(c.words) > 1 && c.words[1] != "" && c.words[1][0] >= '0' && c.words[1][0] <= '9' {
				version = c.words[1]
			}
			m.needs(first, version, false)
		case "enable_testing":
			m.command("test", "ctest", "ctest --test-dir build", at(file, c.line), 0.85)
		}
		if strings.EqualFold(c.name, "include") && first == "CTest" {
			m.command("test", "ctest", "ctest --test-dir build", at(file, c.line), 0.85)
		}
		if strings.EqualFold(c.name, "set") && len(c.words) > 1 && (first == "CMAKE_CXX_STANDARD" || first == "CMAKE_C_STANDARD") && m.runtime == "" {
			m.runtime = map[bool]string{true: "C++", false: "C"}[first == "CMAKE_CXX_STANDARD"] + c.words[1]
		}
	}
	return nil
}

var (
	cmakeCalls = pattern.Words(`project add_executable add_library find_package enable_testing include set`)
	mesonCalls = pattern.Words(`project dependency executable`)
)

func isCMakeCall(name string) bool { return cmakeCalls()[strings.ToLower(name)] }

func isMesonCall(name string) bool { return mesonCalls()[name] }

// targetSource returns the first source file of a target that there is, else the file that defines it.
func targetSource(s *survey, dir string, words []string, file string) string {
	for _, w := range words {
		if f := path.Join(dir, w); s.has(f) {
			return f
		}
	}
	return file
}

func (s *survey) nativeLabel(dir string) string {
	if c := s.folders[dir].code; c["C"] > c["C++"] {
		return "C"
	}
	return "C++"
}

func (s *survey) readMeson(file string) error {
	src, ok := s.manifest(file)
	if !ok {
		return nil
	}
	dir := path.Dir(file)
	if up := path.Dir(dir); dir != "." && s.has(path.Join(up, "meson.build")) {
		return nil
	}
	m := s.moduleAt(dir, "native", s.nativeLabel(dir), file)
	for _, c := range calls(cmakeSyntax.lex(src), isMesonCall) {
		if len(c.texts) == 0 {
			continue
		}
		switch c.name {
		case "project":
			m.name = c.texts[0]
		case "dependency":
			m.needs(c.texts[0], "", false)
		case "executable":
			m.enter(targetSource(s, dir, c.texts[1:], file), "the program "+c.texts[0], at(file, c.line))
		}
	}
	m.command("build", "meson", "meson setup build && meson compile -C build", file, 0.85)
	m.command("test", "meson", "meson test -C build", file, 0.8)
	return nil
}
