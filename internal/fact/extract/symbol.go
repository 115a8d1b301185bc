package extract

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"

	"sdd/internal/fact/discovery"
	"sdd/internal/pattern"
)

// Public symbols are what a module offers to others: types first, functions where the language says what is public. One
// fact tells those of a module together, and a new module is told instead of what is in it.

// isType reports whether a kind of symbol is a type.
func isType(kind string) bool {
	switch kind {
	case "type", "class", "interface", "struct", "enum", "trait", "record", "protocol", "object", "module", "macro", "delegate":
		return true
	}
	return false
}

func symbol(v *version, scope, kind, name string, line int) item {
	return item{signal: signalSymbol, key: "sym:" + scope + "." + name, name: word(name), note: kind, scope: scope, line: line}
}

// readGo reads the exported types and functions of a Go file, and the package's documentation.
func readGo(v *version) (out []item) {
	f, err := parser.ParseFile(token.NewFileSet(), "", v.text, parser.SkipObjectResolution|parser.ParseComments)
	if f == nil || err != nil || f.Name == nil || ast.IsGenerated(f) || strings.HasSuffix(f.Name.Name, "_test") {
		return nil
	}
	if f.Name.Name == "main" {
		return nil
	}
	dir := path.Dir(v.path)
	line := func(p token.Pos) int { return v.line(int(p) - 1) }
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.IsExported() {
				out = append(out, symbol(v, dir, "func", d.Name.Name, line(d.Name.Pos())))
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if t, ok := s.(*ast.TypeSpec); ok && t.Name.IsExported() {
					kind := "type"
					if _, is := t.Type.(*ast.InterfaceType); is {
						kind = "interface"
					}
					out = append(out, symbol(v, dir, kind, t.Name.Name, line(t.Name.Pos())))
				}
			}
		}
	}
	return out
}

// declaration is how a language declares what is public, one line each.
type declaration struct {
	re   func() *regexp.Regexp // groups: kind, name
	deep int                   // braces that may be open
}

var declared = map[string][]declaration{
	"Python": {{re: pattern.Late(`(?m)^(class)\s+([A-Za-z]\w*)`)}, {re: pattern.Late(`(?m)^(?:async\s+)?(def)\s+([A-Za-z]\w*)`)}},
	"JavaScript": {{re: pattern.Late(`(?m)^export\s+(?:default\s+)?(?:abstract\s+)?(?:async\s+)?(class|function)\*?\s+([A-Za-z]\w*)`)},
		{re: pattern.Late(`(?m)^export\s+(const)\s+([A-Za-z]\w*)\s*=\s*(?:async\s*)?(?:\([^)]*\)|\w+)\s*=>`)}},
	"TypeScript": {{re: pattern.Late(`(?m)^export\s+(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(class|function|interface|enum)\*?\s+([A-Za-z]\w*)`)},
		{re: pattern.Late(`(?m)^export\s+(const)\s+([A-Za-z]\w*)(?:\s*:[^=\n]+)?\s*=\s*(?:async\s*)?(?:<[^>]*>)?\s*(?:\([^)]*\)|\w+)(?:\s*:[^=\n]+)?\s*=>`)}},
	"Rust":  {{re: pattern.Late(`(?m)^pub\s+(?:async\s+|unsafe\s+|const\s+|extern\s+"C"\s+)*(struct|enum|trait|fn|type)\s+(\w+)`)}},
	"Java":  {{re: pattern.Late(`(?m)^public\s+(?:(?:abstract|final|sealed|non-sealed|strictfp)\s+)*(class|interface|enum|record|@interface)\s+(\w+)`)}},
	"C#":    {{deep: 1, re: pattern.Late(`(?m)^\s*public\s+(?:(?:abstract|sealed|static|partial|readonly)\s+)*(class|interface|enum|record|struct|delegate)\s+(?:struct\s+|class\s+)?(\w+)`)}},
	"PHP":   {{re: pattern.Late(`(?m)^\s*(?:(?:final|abstract|readonly)\s+)*(class|interface|trait|enum)\s+([A-Z]\w*)`)}},
	"Ruby":  {{re: pattern.Late(`(?m)^\s{0,6}(class)\s+([A-Z][\w:]*)`)}},
	"Swift": {{re: pattern.Late(`(?m)^(?:public|open)\s+(?:final\s+)?(class|struct|enum|protocol|actor|func)\s+(\w+)`)}},
	"Kotlin": {{re: pattern.Late(`(?m)^(?:public\s+)?(?:(?:data|sealed|open|abstract|enum|value|annotation|fun)\s+)*(class|interface|object)\s+(\w+)`)},
		{re: pattern.Late(`(?m)^public\s+(?:(?:suspend|inline)\s+)*(fun)\s+(?:<[^>]*>\s*)?(?:[\w.]+\.)?(\w+)\s*\(`)}},
	"Scala":  {{re: pattern.Late(`(?m)^(?:(?:final|sealed|abstract|case)\s+)*(class|trait|object|enum)\s+([A-Z]\w*)`)}},
	"Dart":   {{re: pattern.Late(`(?m)^(?:(?:abstract|sealed|final|base)\s+)*(class|enum|mixin)\s+([A-Z]\w*)`)}},
	"Elixir": {{re: pattern.Late(`(?m)^(defmodule)\s+([A-Z][\w.]*)`)}},
}

var declarationMarks = []string{"class ", "def ", "export ", "pub ", "public ", "interface ", "enum ", "trait ", "object ", "struct ", "record ", "fun ", "defmodule ", "mixin "}

func isDeclared(file string) bool {
	return declared[discovery.Language(file)] != nil
}

var kindWords = map[string]string{"def": "function", "function": "function", "const": "function", "fn": "function", "func": "function", "fun": "function", "@interface": "annotation", "defmodule": "module", "actor": "class", "mixin": "class"}

// small are the ends of names of types that only serve another one.
var small = pattern.Late(`(?:Props|State|Dto|DTO|Request|Response|Params|Options|Opts|Args|Input|Output|Error|Exception|Test|Tests|Mock|Fake|Stub|Factory|Seeder|Config|Builder|Helper|Utils?)$`)

// readDeclarations reads public types and functions of the other languages. Python and JavaScript have no word for public:
// there, functions are told only of modules that say so.
func readDeclarations(v *version) (out []item) {
	if isStep(v.path) || isMigrationCode(v.path) {
		return nil
	}
	v.mask()
	at := depths(v.bare)
	dir := path.Dir(v.path)
	scope := dir
	if v.lang == "Python" || v.lang == "Rust" || v.lang == "Elixir" || v.lang == "Ruby" {
		scope = strings.TrimSuffix(v.path, path.Ext(v.path))
		for _, index := range []string{"/__init__", "/mod", "/lib", "/main"} {
			scope = strings.TrimSuffix(scope, index)
		}
	}
	for _, d := range declared[v.lang] {
		for _, m := range d.re().FindAllSubmatchIndex(v.bare, -1) {
			kind, name := string(v.bare[m[2]:m[3]]), string(v.bare[m[4]:m[5]])
			n := v.line(m[2])
			if n-1 < len(at) && at[n-1] > d.deep {
				continue
			}
			if w := kindWords[kind]; w != "" {
				kind = w
			}
			if ext := path.Ext(v.path); kind == "function" && (ext == ".tsx" || ext == ".jsx") {
				continue // a part of the user interface
			}
			if name == "main" || len(name) < 3 || kind == "function" && (v.lang == "Python" || v.lang == "JavaScript" && !strings.HasPrefix(name, "use")) && !v.library() {
				continue
			}
			out = append(out, symbol(v, scope, kind, name, n))
		}
	}
	return out
}

// library reports whether a file of a language without public names offers what it declares: it lists what it exports.
func (v *version) library() bool {
	return strings.Contains(string(v.code), "__all__") || strings.HasSuffix(v.path, "/__init__.py")
}

// quietTypes are the types of commits that change no behaviour, or none that a reader would hear of by a name.
var quietTypes = pattern.Words(`refactor style test tests docs doc chore perf fix hotfix bugfix lint typo format wip build ci deps revert cleanup internal`)

// quietWords begin subjects of such commits.
var quietWords = pattern.Words(`refactor refactors refactored refactoring rename renames renamed renaming extract extracts extracted extracting move moves moved moving reorganize reorganise reorganizes restructure
	clean cleanup cleans cleaned tidy simplify simplifies simplified fix fixes fixed fixing format reformat lint typo correct corrects polish bump inline split splits deduplicate dedupe dedup reuse
	test tests document documents comment comments prettier black gofmt rustfmt organize organise sort unify consolidate improve tweak adjust handle avoid prevent restore tighten optimise optimize speed`)

// quiet reports whether a commit's message says that it makes nothing new.
func (m message) quiet() bool {
	if m.typ != "" {
		return quietTypes()[m.typ]
	}
	first, rest, _ := strings.Cut(strings.ToLower(m.subject), " ")
	if strings.HasSuffix(first, ":") { // "auth: move …"
		first, _, _ = strings.Cut(strings.TrimSpace(rest), " ")
	}
	return quietWords()[strings.Trim(first, ":,.")]
}

// typeWeight is what a type counts among the symbols of a module; a function counts one.
const typeWeight = 1000

// maxModules is of how many modules of a commit new symbols are told.
const maxModules = 3

// symbols leaves of the symbols those that are news: none of a commit that says it makes nothing new, none that only
// moved, none beside a route, schema or new module that says the same.
func (all *changes) symbols(m message) {
	quiet := m.quiet()
	moved := map[string]int{}
	fresh := map[string]bool{}
	for _, c := range all.order {
		it := c.now()
		if c.idle() {
			continue
		}
		switch it.signal {
		case signalSymbol:
			name := it.note + it.name
			if c.before == nil {
				moved[name] |= 1
			} else if c.after == nil {
				moved[name] |= 2
			}
		case signalModule:
			fresh[it.scope] = true
		}
	}
	tables := map[string]bool{}
	for _, c := range all.order {
		if it := c.now(); it.signal == signalSchema {
			tables[singular(it.name[strings.LastIndexByte(it.name, ':')+1:])] = true
		}
	}
	weight := map[string]int{}
	drop := func(c *change) bool {
		it := c.now()
		if it.signal != signalSymbol || c.idle() {
			return false
		}
		if quiet && !m.breaking || moved[it.note+it.name] == 3 || all.routed[it.path] || within(it.scope, fresh) {
			return true
		}
		if len(all.routed) > 0 && (layered().MatchString("/"+it.path) || tables[singular(it.name)]) {
			return true // what serves the route or table that is told
		}
		return c.after == nil && !m.breaking && !isType(it.note)
	}
	all.order = slices.DeleteFunc(all.order, func(c *change) bool {
		if drop(c) {
			delete(all.byKey, c.key)
			return true
		}
		if it := c.now(); it.signal == signalSymbol && !c.idle() && c.after != nil {
			if !small().MatchString(it.name) {
				weight[it.scope]++
				if isType(it.note) {
					weight[it.scope] += typeWeight
				}
			}
		}
		return false
	})
	told := slices.ContainsFunc(all.order, func(c *change) bool {
		if c.now().signal == signalSymbol || c.idle() {
			return false
		}
		_, ok := c.say()
		return ok
	})
	scopes := make([]string, 0, len(weight))
	for s, w := range weight {
		if w >= typeWeight || !told { // functions alone are news where nothing else is
			scopes = append(scopes, s)
		}
	}
	slices.SortFunc(scopes, func(a, b string) int {
		if weight[a] != weight[b] {
			return weight[b] - weight[a]
		}
		return strings.Compare(a, b)
	})
	scopes = scopes[:min(len(scopes), maxModules)]
	all.order = slices.DeleteFunc(all.order, func(c *change) bool {
		it := c.now()
		return it.signal == signalSymbol && !c.idle() && c.after != nil && (!slices.Contains(scopes, it.scope) || small().MatchString(it.name))
	})
	all.twice()
}

// layered are the folders of what serves routes and tables.
var layered = pattern.Late(`(?i)/(controllers?|handlers?|models?|entit(y|ies)|resolvers?|views?|repositor(y|ies)|requests?|serializers?|endpoints?)/`)

// singular is a name without marks and the ending of the plural.
func singular(name string) string {
	name = strings.ToLower(strings.ReplaceAll(name, "_", ""))
	if strings.HasSuffix(name, "ies") {
		return strings.TrimSuffix(name, "ies") + "y"
	}
	return strings.TrimSuffix(name, "s")
}

func within(scope string, fresh map[string]bool) bool {
	for dir := scope; ; dir = path.Dir(dir) {
		if fresh[dir] {
			return true
		}
		if dir == "." || dir == "/" {
			return false
		}
	}
}

// program is what a command runs, without its options.
func program(line string) string {
	words := strings.Fields(line)
	return strings.Join(words[:min(len(words), 2)], " ")
}

// twice leaves out what another change of the commit tells as well.
func (all *changes) twice() {
	is := func(key string, added bool) bool {
		c := all.byKey[key]
		return c != nil && !c.idle() && (added && c.before == nil || !added && c.after == nil)
	}
	stepped := map[string]bool{}
	ran := map[string]bool{}   // commands that came, by file
	calls := map[string]bool{} // words of the services that changed
	prisma := false
	for _, c := range all.order {
		if it := c.now(); it.note == "gRPC service" && !c.idle() {
			for _, w := range strings.FieldsFunc(it.value, func(r rune) bool { return strings.ContainsRune("\x1e\x1f ->.", r) }) {
				calls[w] = true
			}
		}
		if it := c.now(); it.scope == "run" && c.before == nil {
			ran[it.path+" "+program(it.name)] = true
		}
		if it := c.now(); it.signal == signalSchema && !c.idle() {
			if it.scope == "step" {
				for _, w := range strings.FieldsFunc(strings.ToLower(it.key), func(r rune) bool { return r == ':' || r == '.' }) {
					stepped[w] = true
				}
			}
			prisma = prisma || strings.HasPrefix(it.note, "Prisma")
		}
	}
	all.order = slices.DeleteFunc(all.order, func(c *change) bool {
		it := c.now()
		switch it.signal {
		case signalCI:
			if it.scope == "run" && c.after == nil && ran[it.path+" "+program(it.name)] {
				return true
			}
			return (it.scope == "run" || it.scope == "uses") && (is(it.note, true) && c.before == nil || is(it.note, false) && c.after == nil)
		case signalSchema:
			if it.scope == "step" {
				return prisma && strings.Contains(it.path, "prisma/")
			}
			if it.note == "table" {
				return stepped[strings.ToLower(it.name)]
			}
			if it.scope == "reply" { // a message that only serves a call that is told
				return calls[it.name]
			}
		case signalToolchain:
			if rest, ok := strings.CutPrefix(c.key, "ci-"); ok {
				o := all.byKey[rest]
				return o != nil && !o.idle() && o.after != nil
			}
		}
		return false
	})
}
