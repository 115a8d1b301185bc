package eval

import (
	"bufio"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed truth.py truth.cjs
var scripts embed.FS

// decl is a symbol as the independent parser has it.
type decl struct {
	Name    string // with the names of the types and namespaces around it, joined by dots
	Kind    string // func, type or value
	First   int    // the first line, from 1
	Last    int
	Dump    string // hash of the tree
	Neutral string // hash of the tree without its own names
	Size    int    // names and literals
	Broken  bool   // the parser found an error inside
}

// tree is what the parser reports of a file.
type tree struct {
	Decls    []decl // by their first line, one of each name
	Whole    string // hash of the tree without imports
	Broken   bool   // not parsed
	Doubtful bool   // parsed with errors: a missing symbol may be there
}

func (t *tree) named(name string) (d decl, ok bool) {
	if t == nil {
		return d, false
	}
	i := slices.IndexFunc(t.Decls, func(d decl) bool { return d.Name == name })
	if i < 0 {
		return d, false
	}
	return t.Decls[i], true
}

// join makes one symbol of those that share a name, such as overloads. A type includes its methods outside of its braces, in any order.
func (t *tree) join() {
	index := map[string]int{}
	all := t.Decls[:0]
	for _, d := range t.Decls {
		i, again := index[d.Name]
		if !again {
			index[d.Name] = len(all)
			all = append(all, d)
			continue
		}
		of := &all[i]
		of.First, of.Last, of.Size, of.Broken = min(of.First, d.First), max(of.Last, d.Last), of.Size+d.Size, of.Broken || d.Broken
		of.Dump, of.Neutral = of.Dump+d.Dump, of.Neutral+d.Neutral
	}
	t.Decls = all
	for i := range all {
		of := &all[i]
		var dumps, neutral []string
		for _, d := range all {
			name, ok := strings.CutPrefix(d.Name, of.Name+".")
			if ok && of.Kind == "type" && (d.Last < of.First || d.First > of.Last) {
				dumps, neutral = append(dumps, name+d.Dump), append(neutral, name+d.Neutral)
				of.Size, of.Broken = of.Size+d.Size, of.Broken || d.Broken
			}
		}
		slices.Sort(dumps)
		slices.Sort(neutral)
		of.Dump, of.Neutral = of.Dump+strings.Join(dumps, ""), of.Neutral+strings.Join(neutral, "")
	}
}

var languages = map[string]string{
	".go": "go", ".py": "python", ".pyi": "python",
	".ts": "typescript", ".tsx": "typescript", ".mts": "typescript", ".cts": "typescript",
	".js": "typescript", ".jsx": "typescript", ".mjs": "typescript", ".cjs": "typescript",
	".java": "java", ".kt": "kotlin", ".kts": "kotlin", ".cs": "c_sharp", ".rs": "rust", ".c": "c", ".h": "c",
	".cc": "cpp", ".cpp": "cpp", ".cxx": "cpp", ".hpp": "cpp", ".hh": "cpp", ".rb": "ruby", ".php": "php", ".swift": "swift",
}

func languageOf(file string) string { return languages[strings.ToLower(path.Ext(file))] }

// parsers has the processes that parse all languages but Go.
type parsers struct {
	by     map[string]*process // by language
	all    []*process
	folder string // of the scripts
}

type process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// startParsers starts python3 and node. A language whose tool is missing has no parser; why has a line for each.
func startParsers(ctx context.Context, modules string, stderr io.Writer) (p *parsers, why []string) {
	p = &parsers{by: map[string]*process{}, folder: get(os.MkdirTemp("", "sdd-eval-anchors"))}
	for _, tool := range [][]string{{"python3", "truth.py"}, {"node", "truth.cjs", modules}} {
		file := filepath.Join(p.folder, tool[1])
		check(os.WriteFile(file, get(scripts.ReadFile(tool[1])), 0o600))
		cmd := exec.CommandContext(ctx, tool[0], append([]string{file}, tool[2:]...)...)
		cmd.Stderr = stderr
		in, err1 := cmd.StdinPipe()
		out, err2 := cmd.StdoutPipe()
		if err1 != nil || err2 != nil || cmd.Start() != nil {
			why = append(why, tool[0]+" cannot be started")
			continue
		}
		one := &process{cmd, in, bufio.NewReaderSize(out, 1<<20)}
		p.all = append(p.all, one)
		var hello struct{ Languages []string }
		if err := one.answer(&hello); err != nil {
			why = append(why, tool[0]+" ended at once")
		}
		for _, l := range hello.Languages {
			p.by[l] = one
		}
	}
	for _, l := range languages {
		if reason := "no parser of " + l; l != "go" && p.by[l] == nil && !slices.Contains(why, reason) {
			why = append(why, reason)
		}
	}
	slices.Sort(why)
	return p, why
}

func (p *parsers) close() {
	for _, one := range p.all {
		one.in.Close()
		_ = one.cmd.Wait() // it has nothing more to tell
	}
	os.RemoveAll(p.folder)
}

func (p *process) answer(to any) error {
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		return err
	}
	return json.Unmarshal(line, to)
}

func (p *parsers) parse(file string, text []byte) *tree {
	lang := languageOf(file)
	if lang == "go" {
		t := parseGo(text)
		t.join()
		return t
	}
	one := p.by[lang]
	if one == nil {
		return nil
	}
	t := &tree{}
	err := json.NewEncoder(one.in).Encode(map[string]string{"lang": lang, "path": file, "text": strings.ToValidUTF8(string(text), "?")})
	if err == nil {
		err = one.answer(t)
	}
	if err != nil {
		check(fmt.Errorf("the parser of %s ended at %s: %w", lang, file, err))
	}
	t.join()
	return t
}
