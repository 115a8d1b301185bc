package extract

import (
	"path"
	"strings"

	"sdd/internal/fact/discovery"
)

// reader knows files of some form and what items stand in them.
type reader struct {
	wants func(path string) bool
	about []string // a change that touches no line with one of these is none of its; nil: it has to look
	read  func(v *version) []item
}

// items returns what a reader finds in a version. It is asked once.
func (v *version) items(reader int) []item {
	if v.text == nil {
		return nil
	}
	out, ok := v.found[reader]
	if !ok {
		if v.found == nil {
			v.found = map[int][]item{}
		}
		out = readers[reader].read(v)
		v.found[reader] = out
	}
	return out
}

var readers []reader

func init() {
	readers = []reader{
		{wants: isDependencyFile, read: readDependencies},
		{wants: isToolchainFile, read: readToolchain},
		{wants: isLicenceFile, read: readLicence},
		{wants: isTaskFile, read: readTasks},
		{wants: isWorkflow, read: readWorkflow},
		{wants: isOtherCI, read: readOtherCI},
		{wants: isDockerfile, read: readDockerfile},
		{wants: isCompose, read: readCompose},
		{wants: isEnvExample, read: readEnvExample},
		{wants: isConfig, read: readConfig},
		{wants: func(p string) bool { return toolOf(p) != "" }, read: readTool},
		{wants: isTerraform, read: readTerraform},
		{wants: isADR, read: readADR},
		{wants: func(p string) bool { return path.Base(p) == ".gitmodules" }, read: readSubmodules},
		{wants: isSQL, read: readSQL},
		{wants: isMigrationCode, read: readMigration},
		{wants: isProto, read: readProto},
		{wants: isGraphQL, read: readGraphQL},
		{wants: func(p string) bool { return path.Ext(p) == ".prisma" }, read: readPrisma},
		{wants: isOpenAPI, read: readOpenAPI},
		{wants: isRoutable, about: routeMarks, read: readRoutes},
		{wants: isFileRoute, read: readFileRoute},
		{wants: isCode, about: envMarks, read: readEnv},
		{wants: isCode, about: flagMarks, read: readFlags},
		{wants: isCode, about: optionMarks, read: readOptions},
		{wants: isCode, about: []string{"="}, read: readConstants},
		{wants: isCode, about: argumentMarks, read: readArguments},
		{wants: func(p string) bool { return path.Ext(p) == ".go" }, read: readGo},
		{wants: isDeclared, about: declarationMarks, read: readDeclarations},
	}
}

// isCode reports whether a file is source code of the project itself.
func isCode(file string) bool {
	switch discovery.Language(file) {
	case "", "HTML", "CSS", "SQL", "Terraform", "GraphQL", "Protocol Buffers", "Jupyter Notebook":
		return false
	}
	return true
}

func isVendored(file string) bool {
	base := path.Base(file)
	for _, end := range []string{".d.ts", ".generated.ts", ".generated.go", ".gen.ts", ".g.cs", ".Designer.cs", "_gen.go", ".pb.cc", ".pb.h", "_pb.js", "_pb.d.ts", "_mock.go", ".pbgo", "ModelSnapshot.cs", ".sql.go"} {
		if strings.HasSuffix(base, end) {
			return true
		}
	}
	dir := "/" + path.Dir(file) + "/"
	for _, part := range []string{"/generated/", "/__generated__/", "/gen/", "/dist/", "/target/", "/node_modules/", "/mocks/", "/.idea/", "/.vscode/", "/build/generated/"} {
		if strings.Contains(dir, part) {
			return true
		}
	}
	return discovery.Vendored(file)
}

// isTest reports whether a file belongs to tests, examples or documentation pages.
func isTest(file string) bool {
	if discovery.Aside(file) {
		return true
	}
	base := strings.ToLower(path.Base(file))
	stem := strings.TrimSuffix(base, path.Ext(base))
	switch {
	case strings.HasSuffix(stem, "_test"), strings.HasSuffix(stem, ".test"), strings.HasSuffix(stem, ".spec"), strings.HasSuffix(stem, "_spec"), strings.HasSuffix(stem, ".stories"),
		strings.HasSuffix(stem, ".e2e"), strings.HasSuffix(stem, ".bench"), strings.HasPrefix(base, "test_") && path.Ext(base) == ".py", base == "conftest.py":
		return true
	}
	name := path.Base(file)
	for _, end := range []string{"Test.java", "Tests.java", "IT.java", "Test.kt", "Tests.cs", "Test.cs", "Test.php", "Spec.kt", "Spec.scala", "Tests.swift"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	for _, p := range strings.Split(path.Dir(file), "/") {
		p = strings.ToLower(p)
		if strings.HasSuffix(p, ".tests") || strings.HasSuffix(p, ".test") || p == "cypress" || p == "benchmarks" || p == "benches" || p == "bench" || p == "androidtest" {
			return true
		}
	}
	return false
}
