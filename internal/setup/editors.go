package setup

import (
	"archive/zip"
	"bytes"
	"cmp"
	"embed"

	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sdd/internal/fault"
	"sdd/internal/lines"
	"sdd/internal/pattern"
	"sdd/internal/setup/jsonc"
)

// Where an editor reads a file of its own for the language server, this program writes it; the user's steps are in Change.Lines.

// editor is a program that starts the language server. Without a file, never is why it cannot, or lines are for the user's own file.
type editor struct {
	id, name string
	file     func(s Surroundings) string
	text     func(program, version string) (string, error) // the whole file; nil for a block in a file of the user
	lines    func(program string) []string
	never    string

	why   string                     // the user has to do steps
	steps func(file string) []string // nil for none
	end   string                     // the user has to do undo after a removal
	undo  string
}

// user is the name of an editor in notes: that of a client may be the same.
func (e *editor) user() string { return "editor:" + e.id }

// editors are the supported editors, in the order of messages.
var editors = []*editor{
	{
		id: "vscode", name: "VS Code", file: inOwn("vscode", "sdd.vsix"), text: vscodeText,
		why: "VS Code drops a folder that it did not install itself: run this now, and after each update of sdd",
		steps: func(file string) []string {
			return []string{"code --install-extension " + shellQuote(filepath.ToSlash(file)) + " --force"}
		},
		end: "VS Code keeps its copy until you run this:", undo: "code --uninstall-extension " + extensionID,
	},
	{id: "neovim", name: "Neovim", file: neovimFile, text: neovimText},
	{id: "helix", name: "Helix", file: helixFile},
	{
		id: "zed", name: "Zed",
		never: "Zed starts only servers that an extension of Zed brings, and sdd has none; Zed's agent can use sdd: sdd setup zed",
	},
	{id: "emacs", name: "Emacs", lines: emacsLines},
	{
		id: "jetbrains", name: "JetBrains", file: inOwn("jetbrains", "template.json"), text: jetbrainsText,
		why: "a JetBrains IDE starts a server through its plugin LSP4IJ, which takes this template from you:",
		steps: func(file string) []string {
			return []string{"Settings | Plugins: install LSP4IJ",
				"Settings | Languages & Frameworks | Language Servers: + | Template | Import from custom template",
				"choose the folder " + filepath.ToSlash(filepath.Dir(file))}
		},
		end: "LSP4IJ keeps its server until you take it out:", undo: "Settings | Languages & Frameworks | Language Servers: sdd | -",
	},
}

func (e *editor) key() string { return e.id }

func EditorNames() []string { return namesOf(editors) }

// editorPiece is what an editor needs to start the language server.
func (s Surroundings) editorPiece(e *editor, version string) piece {
	p := piece{user: e.user(), scope: UserScope, none: Change{State: Unsupported, Text: e.never}}
	program := cmp.Or(s.Program, driverName)
	if e.file != nil {
		p.path = e.file(s)
	}
	switch {
	case e.lines != nil:
		p.none = Change{State: Manual, Text: e.name + " reads this from your init file:", Lines: e.lines(program)}
	case e.text != nil:
		p.text, p.err = e.text(program, version)
	case e.file != nil:
		p.marked, p.in = true, func([]byte) (place, []jsonc.Member) { return helixPlace{helixBlock(program)}, nil }
	}
	p.words = func(st *step) {
		switch {
		case st.State == Removed && e.undo != "":
			st.Text, st.Lines = e.end, []string{e.undo}
		case e.steps != nil && (st.State == Added || st.State == Updated || st.State == Unchanged):
			st.Text, st.Lines = e.why, e.steps(p.path)
		}
	}
	return p
}

// editors reports the editors that are set up, and those whose file another version of this program wrote.
func (c *Checkup) editors(s Surroundings, version string) {
	for _, e := range editors {
		for _, n := range s.notes().all() {
			if !n.of(e.user(), UserScope, "") {
				continue
			}
			st := s.plan(s.editorPiece(e, version))
			switch {
			case st.file == nil || !st.file.exists:
			case st.State == Updated:
				c.ok("%s: %s is of another version (sdd setup --editor %s writes it anew)", e.name, st.Shown, e.id)
			default:
				c.ok("%s: %s starts the language server", e.name, st.Shown)
			}
		}
	}
}

func inOwn(parts ...string) func(Surroundings) string {
	return func(s Surroundings) string { return filepath.Join(append([]string{s.own()}, parts...)...) }
}

//go:embed editor/neovim.lua
var neovimLua string

func neovimFile(s Surroundings) string {
	folder := s.xdg()
	if s.OS == "windows" {
		folder = s.folder("XDG_CONFIG_HOME", s.cache())
	}
	name := s.Getenv("NVIM_APPNAME")
	if name == "" || !filepath.IsLocal(name) {
		name = "nvim"
	}
	return filepath.Join(folder, name, "plugin", "sdd.lua")
}

func neovimText(program, _ string) (string, error) {
	return strings.Replace(neovimLua, `"PROGRAM"`, jsonc.Quote(program), 1), nil
}

//go:embed editor/emacs.el
var emacsLisp string

// emacsLines are for the user's init file. The variable is set in buffers of records only: another server keeps other Markdown.
func emacsLines(program string) []string {
	text := strings.Replace(emacsLisp, `"PROGRAM"`, jsonc.Quote(program), 1)
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// jetbrainsText is a template of LSP4IJ. Its patterns match names of files, not folders; the server ignores what has no record.
func jetbrainsText(program, _ string) (string, error) {
	type object = map[string]any
	var files []object
	for _, l := range editorLanguages {
		var patterns []string
		for _, ext := range l.extensions {
			patterns = append(patterns, "*."+ext)
		}
		files = append(files, object{"fileType": object{"patterns": patterns}, "languageId": l.id})
	}
	if strings.ContainsAny(program, " \t") {
		program = `"` + program + `"`
	}
	return string(lines.JSON(object{"id": driverName, "name": driverName, "programArgs": object{"default": program + " lsp"},
		"fileTypeMappings": files}, "  ")), nil
}

// editorLanguage is a language whose files the server reads: its id in the protocol, and the ends of its files' names.
type editorLanguage struct {
	id         string
	extensions []string
}

var editorLanguages = []editorLanguage{
	{"markdown", []string{"md", "markdown", "mdx"}},
	{"go", []string{"go"}},
	{"python", []string{"py", "pyi", "pyw"}},
	{"typescript", []string{"ts", "mts", "cts"}},
	{"typescriptreact", []string{"tsx"}},
	{"javascript", []string{"js", "mjs", "cjs"}},
	{"javascriptreact", []string{"jsx"}},
	{"java", []string{"java"}},
	{"kotlin", []string{"kt", "kts"}},
	{"csharp", []string{"cs"}},
	{"rust", []string{"rs"}},
	{"c", []string{"c", "h"}},
	{"cpp", []string{"cc", "cpp", "cxx", "hh", "hpp", "hxx", "inl", "ipp"}},
	{"ruby", []string{"rb", "rake", "gemspec"}},
	{"php", []string{"php", "phtml"}},
	{"swift", []string{"swift"}},
	{"shellscript", []string{"sh", "bash", "zsh", "ksh"}},
	{"sql", []string{"sql"}},
	{"yaml", []string{"yaml", "yml"}},
}

func helixFile(s Surroundings) string {
	folder := s.xdg()
	if s.OS == "windows" {
		folder = s.config()
	}
	return filepath.Join(folder, "helix", "languages.toml")
}

// helixPlace is the block in Helix's file. It repeats Helix's list for Markdown, since none can be extended; a user's list stays.
type helixPlace struct{ blockPlace }

var helixMarks = marks{"# sdd: put in by sdd setup --editor helix, taken out with --remove", "# /sdd", "this again"}

func helixBlock(program string) blockPlace {
	return blockPlace{helixMarks, fmt.Sprintf(`[language-server.sdd]
command = %s
args = ["lsp"]
required-root-patterns = [".sdd"]

[[language]]
name = "markdown"
language-servers = ["marksman", "markdown-oxide", "sdd"]
# For code, add "sdd" to the list of its language in the same way: hx --health LANGUAGE shows the list.
`, jsonc.Quote(program))}
}

func (p helixPlace) set(src []byte, entry []jsonc.Member) (after []byte, err error) {
	defer fault.Caught(&err)
	bare, _, err := p.remove(src, 0)
	fault.Check(err)
	all := fault.Must(readTOML(bare))
	if _, there := (tomlTable{[]string{"language-server", driverName}}).in(all); there {
		return nil, fault.New(fault.Broken, "a server named sdd is there, by hand")
	}
	languages, _ := all["language"].([]map[string]any)
	if slices.ContainsFunc(languages, func(l map[string]any) bool { return l["name"] == "markdown" }) {
		return nil, fault.New(fault.Broken, "it has its own settings for Markdown").
			With(`add "sdd" to its language-servers, and the first part of this:`)
	}
	after = fault.Must(p.blockPlace.set(src, entry))
	_, err = readTOML(after)
	return after, err
}

// extensionID is the name of the extension for VS Code: publisher and name in its package.json.
const extensionID = "sdd.sdd"

//go:embed editor/vsix
var vsixFiles embed.FS

// numbers matches the part of a version that VS Code reads.
var numbers = pattern.Late(`\d+\.\d+\.\d+`)

// Extension returns the extension for VS Code, a .vsix file; the same arguments give the same bytes.
func Extension(version, program string, when time.Time) (_ []byte, err error) {
	defer fault.Caught(&err)
	number := cmp.Or(numbers().FindString(version), "0.0.0")
	var ends []string
	for _, l := range editorLanguages {
		ends = append(ends, l.extensions...)
	}
	marks := strings.NewReplacer("0.0.0-VERSION", number, `"PROGRAM"`, jsonc.Quote(program), "ENDS", strings.Join(ends, ","))
	files := fault.Must(filled(vsixFiles, "editor/vsix", marks))
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range files {
		w := fault.Must(z.CreateHeader(&zip.FileHeader{Name: f.Path, Method: zip.Deflate, Modified: when}))
		fault.Must(w.Write([]byte(f.Text)))
	}
	err = z.Close() // before Bytes: it writes the directory
	return b.Bytes(), err
}

// vscodeText is the extension that starts this program. Its files have no date of their own.
func vscodeText(program, version string) (string, error) {
	data, err := Extension(version, program, time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC))
	return string(data), err
}
