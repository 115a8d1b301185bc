package discovery

import (
	"path"
	"slices"
	"strings"
)

type dotnetProject struct {
	SDK    string `xml:"Sdk,attr"`
	Groups []struct {
		Framework  string `xml:"TargetFramework"`
		Frameworks string `xml:"TargetFrameworks"`
		Output     string `xml:"OutputType"`
		Assembly   string `xml:"AssemblyName"`
		About      string `xml:"Description"`
		Licence    string `xml:"PackageLicenseExpression"`
		Test       string `xml:"IsTestProject"`
	} `xml:"PropertyGroup"`
	Packages []struct {
		Name    string `xml:"Include,attr"`
		Version string `xml:"Version,attr"`
		Inner   string `xml:"Version"`
	} `xml:"ItemGroup>PackageReference"`
}

func (s *survey) readDotnetProject(file string) error {
	src, ok := s.manifest(file)
	if !ok {
		return nil
	}
	var p dotnetProject
	if err := decodeXML(src, &p); err != nil {
		return err
	}
	dir, base := path.Dir(file), path.Base(file)
	label := map[string]string{".csproj": "C#", ".fsproj": "F#", ".vbproj": "Visual Basic"}[path.Ext(file)]
	m := s.moduleAt(dir, "dotnet", label, file)
	m.name = strings.TrimSuffix(base, path.Ext(base))
	runs := strings.HasSuffix(p.SDK, ".Web") || strings.HasSuffix(p.SDK, ".Worker")
	if runs {
		m.needs(p.SDK, "", false)
	}
	test := false
	for _, g := range p.Groups {
		if v := firstWord(g.Framework + ";" + g.Frameworks); v != "" && m.runtime == "" {
			m.runtime = "the framework " + v
		}
		runs = runs || strings.HasSuffix(strings.TrimSpace(g.Output), "Exe")
		test = test || strings.EqualFold(strings.TrimSpace(g.Test), "true")
		if m.about == "" {
			m.about = oneLine(g.About)
		}
		if m.licence == "" {
			m.licence = oneLine(g.Licence)
		}
	}
	for _, d := range p.Packages {
		version := d.Version
		if version == "" {
			version = d.Inner
		}
		m.needs(d.Name, plainVersion(version), false)
	}
	test = test || m.depends("Microsoft.NET.Test.Sdk", "xunit", "NUnit", "MSTest.TestFramework")
	switch program := path.Join(dir, "Program"+map[string]string{".csproj": ".cs", ".fsproj": ".fs", ".vbproj": ".vb"}[path.Ext(file)]); {
	case test:
		m.command("test", "dotnet", "dotnet test", file, 0.9)
	case s.has(program):
		m.enter(program, "the program "+m.name, program)
		runs = true
	}
	m.command("build", "dotnet", "dotnet build", file, 0.9)
	if runs && !test {
		m.command("run", "dotnet", "dotnet run", file, 0.85)
	}
	return nil
}

// firstWord returns the first name of a list with semicolons.
func firstWord(list string) string {
	words := strings.FieldsFunc(list, func(r rune) bool { return r == ';' || r == ' ' || r == '\n' || r == '\t' })
	words = slices.DeleteFunc(words, func(w string) bool { return strings.Contains(w, "$") })
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

// readSolution reads the projects of a .sln, whose lines are `Project("{type}") = "name", "path", "{id}"`, or of a
// .slnx, which is XML.
func (s *survey) readSolution(file string) error {
	src, ok := s.manifest(file)
	if !ok {
		return nil
	}
	w := workspace{tool: ".NET", source: file}
	if path.Ext(file) == ".slnx" {
		var x struct {
			Top  []slnxProject `xml:"Project"`
			Deep []slnxProject `xml:"Folder>Project"`
		}
		if err := decodeXML(src, &x); err != nil {
			return err
		}
		for _, p := range append(x.Top, x.Deep...) {
			w.patterns = append(w.patterns, path.Dir(strings.ReplaceAll(p.Path, `\`, "/")))
		}
	} else {
		for line := range strings.Lines(string(src)) {
			parts := strings.Split(line, `"`)
			if strings.HasPrefix(line, "Project(") && len(parts) > 5 && strings.HasSuffix(parts[5], "proj") {
				w.patterns = append(w.patterns, path.Dir(strings.ReplaceAll(parts[5], `\`, "/")))
			}
		}
	}
	m := s.moduleAt(path.Dir(file), "dotnet", "C#", file)
	if m.manifest == file {
		m.name = strings.TrimSuffix(path.Base(file), path.Ext(file))
	}
	m.command("build", "dotnet", "dotnet build", file, 0.9)
	if slices.ContainsFunc(w.patterns, func(p string) bool { return strings.Contains(strings.ToLower(p), "test") }) {
		m.command("test", "dotnet", "dotnet test", file, 0.9)
	}
	s.work = append(s.work, w)
	return nil
}

type slnxProject struct {
	Path string `xml:"Path,attr"`
}
