package discovery

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"slices"
	"strings"

	"sdd/internal/pattern"
)

// decodeXML reads a document in UTF-8 or Latin-1, which is what project files come in.
func decodeXML(src []byte, v any) error {
	d := xml.NewDecoder(bytes.NewReader(src))
	d.CharsetReader = func(label string, input io.Reader) (io.Reader, error) {
		switch strings.ToLower(label) {
		case "us-ascii", "ascii":
			return input, nil
		case "iso-8859-1", "windows-1252", "latin1":
			text, err := io.ReadAll(input)
			runes := make([]rune, len(text))
			for i, b := range text {
				runes[i] = rune(b)
			}
			return strings.NewReader(string(runes)), err
		}
		return nil, errors.New("an encoding that is not read: " + label)
	}
	return d.Decode(v)
}

type mavenProject struct {
	Group    string   `xml:"groupId"`
	Artifact string   `xml:"artifactId"`
	Version  string   `xml:"version"`
	Name     string   `xml:"name"`
	About    string   `xml:"description"`
	Modules  []string `xml:"modules>module"`
	Licences []string `xml:"licenses>license>name"`
	Parent   struct {
		Group    string `xml:"groupId"`
		Artifact string `xml:"artifactId"`
		Version  string `xml:"version"`
	} `xml:"parent"`
	Properties struct {
		All []struct {
			XMLName xml.Name
			Value   string `xml:",chardata"`
		} `xml:",any"`
	} `xml:"properties"`
	Deps []struct {
		Group    string `xml:"groupId"`
		Artifact string `xml:"artifactId"`
		Version  string `xml:"version"`
		Scope    string `xml:"scope"`
	} `xml:"dependencies>dependency"`
}

func (s *survey) readPom(file string) error {
	src, ok := s.manifest(file)
	if !ok {
		return nil
	}
	var p mavenProject
	if err := decodeXML(src, &p); err != nil {
		return err
	}
	dir := path.Dir(file)
	m := s.moduleAt(dir, "jvm", s.jvmLabel(dir), file)
	m.name, m.about = strings.TrimSpace(p.Artifact), oneLine(p.About)
	if len(p.Licences) > 0 {
		m.licence = oneLine(p.Licences[0])
	}
	properties := map[string]string{}
	for _, v := range p.Properties.All {
		properties[v.XMLName.Local] = strings.TrimSpace(v.Value)
	}
	resolve := func(v string) string {
		v = strings.TrimSpace(v)
		if name, ok := strings.CutPrefix(v, "${"); ok {
			v = properties[strings.TrimSuffix(name, "}")]
		}
		if strings.Contains(v, "${") {
			return ""
		}
		return v
	}
	for _, name := range []string{"java.version", "maven.compiler.release", "maven.compiler.target", "maven.compiler.source"} {
		if v := resolve(properties[name]); v != "" {
			m.runtime = "Java " + v
			break
		}
	}
	if p.Parent.Artifact != "" && p.Parent.Group != p.Group {
		m.needs(strings.TrimSpace(p.Parent.Group)+":"+strings.TrimSpace(p.Parent.Artifact), resolve(p.Parent.Version), false)
	}
	for _, d := range p.Deps {
		m.needs(strings.TrimSpace(d.Group)+":"+strings.TrimSpace(d.Artifact), resolve(d.Version), strings.TrimSpace(d.Scope) == "test")
	}
	if len(p.Modules) > 0 {
		w := workspace{tool: "Maven", source: file}
		for _, sub := range p.Modules {
			w.patterns = append(w.patterns, strings.TrimSpace(sub))
		}
		s.work = append(s.work, w)
	}
	if !s.above(dir, "pom.xml") { // others are built from there
		maven := s.wrapper(dir, "mvnw", "mvn")
		m.command("build", "maven", maven+" package", file, 0.9)
		m.command("test", "maven", maven+" test", file, 0.9)
		if m.depends("org.springframework.boot:spring-boot-starter-parent", "org.springframework.boot:spring-boot-starter-web") && len(p.Modules) == 0 {
			m.command("run", "maven", maven+" spring-boot:run", file, 0.8)
		}
	}
	s.enterJVM(m)
	return nil
}

// above reports whether a folder above dir has one of the files.
func (s *survey) above(dir string, names ...string) bool {
	for dir != "." {
		dir = path.Dir(dir)
		for _, name := range names {
			if s.has(path.Join(dir, name)) {
				return true
			}
		}
	}
	return false
}

// wrapper returns the build's own script when it lies in dir, else the command.
func (s *survey) wrapper(dir, script, command string) string {
	if s.has(path.Join(dir, script)) {
		return "./" + script
	}
	return command
}

// jvmLabel is the language below dir that a JVM build compiles.
func (s *survey) jvmLabel(dir string) string {
	c := s.folders[dir].code
	best := "Java"
	for _, l := range []string{"Kotlin", "Scala", "Groovy"} {
		if c[l] > c[best] {
			best = l
		}
	}
	return best
}

// readGradle reads the calls of a build script: plugins and dependencies. What it computes is not known.
func (s *survey) readGradle(file string) error {
	src, ok := s.manifest(file)
	if !ok {
		return nil
	}
	dir := path.Dir(file)
	m := s.moduleAt(dir, "jvm", s.jvmLabel(dir), file)
	for _, c := range calls(gradleSyntax.lex(src), isGradleCall) {
		switch {
		case len(c.texts) == 0:
		case c.name == "id":
			m.needs(c.texts[0], pluginVersion(c), false)
		case c.name == "kotlin" && c.depth > 0:
			m.needs("org.jetbrains.kotlin."+c.texts[0], pluginVersion(c), false)
		case configurations()[c.name] && strings.Count(c.texts[0], ":") >= 1 && !strings.HasPrefix(c.texts[0], ":"):
			parts := strings.SplitN(c.texts[0], ":", 3)
			version := ""
			if len(parts) == 3 && !strings.Contains(parts[2], "$") {
				version = parts[2]
			}
			m.needs(parts[0]+":"+parts[1], version, strings.HasPrefix(c.name, "test") || strings.HasPrefix(c.name, "androidTest"))
		case c.name == "mainClass" || c.name == "mainClass.set" || c.name == "mainClassName":
			m.enter(c.texts[0], "the main class", at(file, c.line))
		}
	}
	m.gradleCommands(s, file)
	if m.depends("org.springframework.boot") {
		m.command("run", "gradle", s.gradle(dir)+" bootRun", file, 0.85)
	} else if m.depends("application") {
		m.command("run", "gradle", s.gradle(dir)+" run", file, 0.85)
	}
	s.enterJVM(m)
	return nil
}

func isGradleCall(name string) bool {
	return configurations()[name] || name == "id" || name == "kotlin" || strings.HasPrefix(name, "mainClass")
}

// pluginVersion returns the version of a plugin: id("x") version "1" or, in Groovy, id "x" version "1".
func pluginVersion(c call) string {
	if len(c.after) > 1 && c.after[0] == "version" {
		return c.after[1]
	}
	if len(c.texts) > 1 {
		return c.texts[1]
	}
	return ""
}

// configurations are the names under which dependencies stand.
var configurations = pattern.Words(`implementation api compile compileOnly runtimeOnly runtime annotationProcessor kapt ksp testImplementation
	testCompile testRuntimeOnly testApi androidTestImplementation developmentOnly classpath`)

func (s *survey) gradle(dir string) string { return s.wrapper(dir, "gradlew", "gradle") }

func (m *module) gradleCommands(s *survey, file string) {
	if s.above(m.dir, "settings.gradle", "settings.gradle.kts") {
		return // a subproject: it is built from there
	}
	gradle := s.gradle(m.dir)
	m.command("build", "gradle", gradle+" build", file, 0.9)
	m.command("test", "gradle", gradle+" test", file, 0.9)
}

func (s *survey) readGradleSettings(file string) error {
	src, ok := s.manifest(file)
	if !ok {
		return nil
	}
	dir := path.Dir(file)
	m := s.moduleAt(dir, "jvm", s.jvmLabel(dir), file)
	w := workspace{tool: "Gradle", source: file}
	settings := func(name string) bool { return name == "include" || name == "rootProject.name" }
	for _, c := range calls(gradleSyntax.lex(src), settings) {
		if c.name == "include" {
			for _, p := range c.texts {
				w.patterns = append(w.patterns, strings.ReplaceAll(strings.TrimPrefix(p, ":"), ":", "/"))
			}
		}
		if c.name == "rootProject.name" && len(c.texts) > 0 {
			m.name = c.texts[0]
		}
	}
	m.gradleCommands(s, file)
	if len(w.patterns) > 0 {
		s.work = append(s.work, w)
	}
	return nil
}

// enterJVM finds the classes that start a program, by their files' usual names and a look for the main function.
func (s *survey) enterJVM(m *module) {
	for _, f := range s.under(m.dir) {
		if !strings.Contains(f.path+"/", "src/main/") || within(f.path+"/", aside()) || len(m.entries) >= 8 {
			continue
		}
		for _, base := range f.files {
			name, ext := strings.TrimSuffix(base, path.Ext(base)), path.Ext(base)
			if !slices.Contains([]string{".java", ".kt", ".scala"}, ext) || !(strings.HasSuffix(name, "Application") || name == "Main" || name == "App" || name == "MainKt") {
				continue
			}
			file := path.Join(f.path, base)
			text, ok := s.head(file)
			if ok && (bytes.Contains(text, []byte(" main(")) || bytes.Contains(text, []byte("@SpringBootApplication"))) && s.innermost(f.path, m) {
				m.enter(file, "the main class", file)
			}
		}
	}
}

// innermost reports whether no other module of the kind lies between m and dir.
func (s *survey) innermost(dir string, m *module) bool {
	for up := dir; up != m.dir && up != "."; up = path.Dir(up) {
		for _, base := range []string{"pom.xml", "build.gradle", "build.gradle.kts"} {
			if s.has(path.Join(up, base)) {
				return false
			}
		}
	}
	return true
}
