package extract

import (
	"context"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/pattern"
	"sdd/internal/symbol"
)

// item is a declaration in the code that users see.
type item struct {
	what string // option, env or route
	name string
	help string // its description in the declaration
	path string
	line int
}

func (i item) key() string { return i.what + ":" + i.name }
func (i item) ref() string { return fmt.Sprintf("%s#L%d", plainPath(i.path), i.line) }

// declaration describes how a language declares an item on one line.
type declaration struct {
	what string
	ends string // endings of file names, between blanks
	mark string // words, between blanks; a line must have one
	re   func() *regexp.Regexp
}

// The patterns have the groups name and optionally help: a string literal that is the whole argument. A part of a
// literal, or of a concatenation, would mean something else.
var declarations = []declaration{
	{"option", ".go", `lag( lags lag. fs. CommandLine f.`,
		pattern.Late(`(?:\b[Ff]lag\(|\b(?:flag|flags|fs|flagset|FlagSet|CommandLine|f|Flags\(\)|PersistentFlags\(\))\.` +
			`(?:String|Bool|Int|Int64|Uint|Uint64|Float64|Duration|StringSlice|StringArray|IntSlice|Count)(?:Var)?P?\((?:&[\w.\[\]]+, ?)?)"` +
			`(?P<name>[a-z][\w.-]*)"(?:.*, ?(?P<help>"(?:[^"\\]|\\.)* (?:[^"\\]|\\.){3,}")\))?`)},
	{"option", ".py", `option( argument(`,
		pattern.Late(`(?:add_argument|\boption)\(\s*(?:["']-\w["'],\s*)?["']--(?P<name>[a-z][\w-]*)["']` +
			`(?:.*help=(?P<help>"(?:[^"\\]|\\.){10,}"|'(?:[^'\\]|\\.){10,}')\s*[,)])?`)},
	{"option", ".js .ts .mjs .cjs", `.option(`, pattern.Late(`\.option\(\s*["'` + "`" + `](?:-\w,\s*)?--(?P<name>[a-z][\w-]*)[^"'` + "`" +
		`]*["'` + "`" + `](?:,\s*(?P<help>"(?:[^"\\]|\\.){10,}"|'(?:[^'\\]|\\.){10,}')\s*[,)])?`)},
	{"option", ".rs", `long`,
		pattern.Late(`(?:\blong\s*=\s*|\.long\()"(?P<name>[a-z][\w-]*)"(?:.*help\s*[=(]\s*(?P<help>"(?:[^"\\]|\\.){10,}")\s*[,)])?`)},
	{"option", ".java .kt", `Option(`,
		pattern.Late(`@(?:\w+\.)?Option\(.*?"--(?P<name>[a-z][\w-]*)"(?:.*description\s*=\s*(?P<help>"(?:[^"\\]|\\.){10,}")\s*[,)])?`)},
	{"env", ".go", `Getenv( LookupEnv( Envar(`, pattern.Late(`(?:os\.(?:Getenv|LookupEnv)|\.Envar)\("(?P<name>[A-Z][A-Z0-9_]{2,})"\)`)},
	{"env", ".py", `env`, pattern.Late(`(?:os\.environ(?:\.get\(|\[)|os\.getenv\(|envvar=)\s*["'](?P<name>[A-Z][A-Z0-9_]{2,})["']`)},
	{"env", ".js .ts .mjs .cjs .tsx", `process.env`, pattern.Late(`process\.env(?:\.|\[["'])(?P<name>[A-Z][A-Z0-9_]{2,})\b`)},
	{"env", ".rs", `env::var`, pattern.Late(`env::var(?:_os)?\("(?P<name>[A-Z][A-Z0-9_]{2,})"\)`)},
	{"env", ".rb", `ENV`, pattern.Late(`\bENV(?:\.fetch\(|\[)["'](?P<name>[A-Z][A-Z0-9_]{2,})["']`)},
	{"env", ".java .kt .c .cc .cpp .php", `getenv(`, pattern.Late(`\b(?:System\.)?getenv\("(?P<name>[A-Z][A-Z0-9_]{2,})"\)`)},
	{"route", ".go", `"/ "GET "P "D`,
		pattern.Late(`\b(?:[rR]outer|mux|[rR]|e|g|api|v\d)\.(?:(?:Get|Post|Put|Delete|Patch|GET|POST|PUT|DELETE|PATCH|Options|Head|Handle` +
			`|HandleFunc)\()"(?P<name>(?:[A-Z]+ )?/[\w./{}:*-]*)"`)},
	{"route", ".js .ts .mjs .cjs", `.get( .post( .put( .delete( .patch( .all(`,
		pattern.Late(`\b(?:app|router|server|fastify|api)\.(?:get|post|put|delete|patch|all)\(\s*["'` + "`" + `](?P<name>/[\w./:{}*-]*)["'` +
			"`" + `]`)},
	{"route", ".py", `@`,
		pattern.Late(`^\s*@(?:app|router|bp|blueprint|api|\w+_bp|\w+_router)\.(?:get|post|put|delete|patch|route)\(\s*["']` +
			`(?P<name>/[\w./<>:{}-]*)["']`)},
	{"route", ".java .kt", `Mapping(`,
		pattern.Late(`@(?:Get|Post|Put|Delete|Patch|Request)Mapping\((?:value\s*=\s*|path\s*=\s*)?"(?P<name>/[\w./{}-]*)"`)},
}

// usual are environment variables that many programs use.
var usual = pattern.Words(`HOME PATH USER CI TERM SHELL PWD TMPDIR TEMP TMP LANG EDITOR PAGER DISPLAY NODE_ENV GOPATH GOOS GOARCH HOSTNAME
	APPDATA LOCALAPPDATA USERPROFILE VISUAL DEBUG`)

// assigned matches a line that sets an environment variable.
var assigned = pattern.Late(`(?:process\.env(?:\.\w+|\[[^\]]+\])|environ\[[^\]]+\]|ENV\[[^\]]+\])\s*(?:\|\||\?\?)?=(?:[^=]|$)`)

// declarationsIn returns the declarations of a file's language, none for a file that does not reach users.
func declarationsIn(file string) []declaration {
	ext := path.Ext(file)
	if ext == "" || aside(file) || strings.HasPrefix(path.Base(file), "zz_generated") {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(declarations), func(d declaration) bool { return !slices.Contains(strings.Fields(d.ends), ext) })
}

// declares reports whether a file may declare items.
func declares(file string) bool { return len(declarationsIn(file)) > 0 }

var unescaped = strings.NewReplacer(`\"`, `"`, `\'`, `'`, `\n`, " ", `\t`, " ", `\\`, `\`)

// items returns the items that the lines of a file declare, the first of each key.
func items(file string, text []string) (all []item) {
	seen := map[string]bool{}
	in := declarationsIn(file)
	for n, l := range text {
		for _, d := range in {
			if len(l) > 1000 || !slices.ContainsFunc(strings.Fields(d.mark), func(mark string) bool { return strings.Contains(l, mark) }) {
				continue
			}
			m := d.re().FindStringSubmatch(l)
			if m == nil || strings.HasPrefix(strings.TrimSpace(l), "//") {
				continue
			}
			i := item{what: d.what, name: m[d.re().SubexpIndex("name")], path: file, line: n + 1}
			if h := d.re().SubexpIndex("help"); h > 0 && m[h] != "" {
				i.help = strings.TrimSpace(unescaped.Replace(m[h][1 : len(m[h])-1])) // without its quotes
			}
			ordinary := d.what == "env" && (usual()[i.name] || assigned().MatchString(l)) || d.what == "route" && i.name == "/"
			if !ordinary && !seen[i.key()] {
				seen[i.key()] = true
				all = append(all, i)
			}
		}
	}
	return all
}

// found holds the items that the units of a history add.
type found struct {
	by   map[string][]item // unit: what it adds
	here map[string]item   // by key, and by path and key: the place in the tree
	gone map[string]bool   // keys that the tree lacks
}

func newFound() *found {
	return &found{by: map[string][]item{}, here: map[string]item{}, gone: map[string]bool{}}
}

// add adds the changed lines of some units, with all lines of each: an item that moves between files is not new.
func (f *found) add(lines []git.Lines) {
	seen := map[string]bool{}
	for _, l := range lines {
		for _, i := range items(l.Path, l.Removed) {
			seen[l.Commit+i.key()] = true
		}
	}
	for _, l := range lines {
		for _, i := range items(l.Path, l.Added) {
			if !seen[l.Commit+i.key()] {
				seen[l.Commit+i.key()] = true
				f.by[l.Commit] = append(f.by[l.Commit], i)
			}
		}
	}
}

const batch = 500 // commits whose changed lines are read in one call

// readLines reads the changed lines of units: their declarations, and the lines of changelogs by unit.
func readLines(ctx context.Context, repo *git.Repo, list []unit) (f *found, logs map[string][]git.Lines, err error) {
	f, logs = newFound(), map[string][]git.Lines{}
	var ids []string
	for _, u := range list {
		if !u.Boundary {
			ids = append(ids, u.ID)
		}
	}
	for some := range slices.Chunk(ids, batch) {
		lines, err := repo.ChangedLines(ctx, func(file string) bool { return declares(file) || aboutReleases(file) }, some...)
		if err != nil {
			return nil, nil, err
		}
		f.add(lines)
		for _, l := range lines {
			if aboutReleases(l.Path) {
				logs[l.Commit] = append(logs[l.Commit], l)
			}
		}
	}
	return f, logs, f.verify(ctx, repo)
}

// verify looks up all found items in the committed tree that is checked out.
func (f *found) verify(ctx context.Context, repo *git.Repo) (err error) {
	defer fault.Caught(&err)
	var files []string
	for _, all := range f.by {
		for _, i := range all {
			files = append(files, i.path)
		}
	}
	if len(files) == 0 {
		return nil
	}
	head := fault.Must(repo.Head(ctx))
	objects := repo.Objects(ctx)
	defer objects.Close()
	look := func(files []string) error {
		slices.Sort(files)
		for _, file := range slices.Compact(files) {
			src, err := objects.Read(head + ":" + file)
			if fault.Is(err, fault.NotFound, fault.Broken) {
				continue
			}
			if err != nil {
				return err
			}
			var lines []string
			for l := range strings.Lines(symbol.Code(file, src)) {
				lines = append(lines, strings.TrimRight(l, "\r\n"))
			}
			for _, i := range items(file, lines) {
				for _, key := range []string{i.key(), i.path + " " + i.key()} {
					if _, ok := f.here[key]; !ok {
						f.here[key] = i
					}
				}
			}
		}
		return nil
	}
	fault.Check(look(files))
	names := map[string]bool{}
	for _, all := range f.by {
		for _, i := range all {
			if _, ok := f.here[i.key()]; !ok {
				f.gone[i.key()], names[i.name] = true, true
			}
		}
	}
	files, err = repo.Holding(ctx, head, slices.Sorted(maps.Keys(names)))
	if err != nil && ctx.Err() != nil {
		return err
	}
	fault.Check(look(slices.DeleteFunc(files, func(file string) bool { return !declares(file) })))
	for key := range f.here {
		delete(f.gone, key)
	}
	return nil
}

// now returns an item as in the tree. A route of the same name in another file is another item.
func (f *found) now(i item) (item, bool) {
	now, ok := f.here[i.path+" "+i.key()]
	if !ok && i.what != "route" {
		now, ok = f.here[i.key()]
	}
	return now, ok
}

// mostOfUnit is the most items of one unit that become candidates.
const mostOfUnit = 40

// of returns the new items of a unit as candidates. Those that the tree has are sure.
func (f *found) of(u unit) (out []Candidate) {
	all := f.by[u.ID]
	for _, i := range all[:min(len(all), mostOfUnit)] {
		c := Candidate{Kind: Fact, Signal: i.what, Key: i.key(), Date: u.Date, Confidence: 0.8}
		if now, ok := f.now(i); ok {
			i, c.Confidence = now, Sure
			c.CodeRef = i.ref()
		}
		c.Domain = place(i.path)
		c.Content = i.sentence()
		c.Evidence = []Evidence{{Commit: u.ID, Path: i.path, Text: strings.SplitN(strings.TrimSpace(u.Message), "\n", 2)[0]}}
		out = append(out, c)
	}
	return out
}

func (i item) sentence() string {
	in := " (" + plainPath(i.path) + ")"
	switch i.what {
	case "env":
		return "The environment variable " + code(i.name) + " is read" + in + "."
	case "route":
		return "The route " + code(i.name) + " is registered" + in + "."
	}
	if i.help != "" {
		in += ": " + strings.TrimRight(i.help, ".")
	}
	return "Command-line option " + code("--"+i.name) + in + "."
}

// vouch makes a candidate sure if its words name an added item that the tree has.
func (f *found) vouch(c *Candidate) {
	_, words, _ := strings.Cut(c.Content, ": ")
	if c.Signal != "feature" || strings.Contains(c.Content, ";") || !adds()[firstWord(words)] && !adds()[firstWord(c.Content)] {
		return
	}
	for _, i := range f.by[c.Evidence[0].Commit] {
		if now, ok := f.now(i); ok && names(c.Content, i) {
			c.Key, c.Confidence, c.CodeRef = i.key(), Sure, now.ref()
			return
		}
	}
}

// Missing returns the keys that the checked-out tree lacks, of those that this package finds. files maps a key to its last file.
func Missing(ctx context.Context, repo *git.Repo, files map[string]string) (map[string]bool, error) {
	f := newFound()
	for key, file := range files {
		what, name, _ := strings.Cut(key, ":")
		if slices.ContainsFunc(declarations, func(d declaration) bool { return d.what == what }) {
			f.by[""] = append(f.by[""], item{what: what, name: name, path: file})
		}
	}
	err := f.verify(ctx, repo)
	return f.gone, err
}

// untrue reports whether a candidate names an item that its commit added and the tree no longer has, or announces the
// removal of an item that the tree has.
func (f *found) untrue(c *Candidate) bool {
	if c.Key != "" {
		return c.Confidence < Sure
	}
	named := func(i item) bool { return names(c.Content, i) }
	lost := func(i item) bool { return f.gone[i.key()] && named(i) }
	return slices.ContainsFunc(f.by[c.Evidence[0].Commit], lost) ||
		takesAway().MatchString(c.Content) && slices.ContainsFunc(slices.Collect(maps.Values(f.here)), named)
}

var takesAway = pattern.Late(`(?i)(?:^|: )(?:remove|drop|delete)[sd]?\s`)

// names reports whether a text names an option or an environment variable.
func names(text string, i item) bool {
	name := i.name
	switch i.what {
	case "option":
		name = "--" + name
	case "route":
		return false
	}
	_, rest, ok := strings.Cut(text, name)
	return ok && (rest == "." || !continued().MatchString(rest))
}

var continued = pattern.Late(`^[a-zA-Z0-9_.-]`) // the name continues
