package agents

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"sdd/internal/longtest"
)

// reader is how a client finds its server: what its documentation says, told here once more so that the program and this
// test are not wrong together.
type reader struct {
	id            string
	user, project string   // its files, below the home folder and the project; "" where it reads none
	keys          []string // the path of the entry
	marker        string   // what shows that it is installed
	home          bool     // it starts servers in the home folder
	commands      string   // one file of its commands, below the home folder and the project
	userCommands  string
}

var readers = []reader{
	{"claude-code", ".claude.json", ".mcp.json", []string{"mcpServers", "sdd"}, ".claude", false, ".claude/commands/sdd-explore.md", ".claude/commands/sdd-explore.md"},
	{"claude-desktop", ".config/Claude/claude_desktop_config.json", "", []string{"mcpServers", "sdd"}, ".config/Claude", true, "", ""},
	{"cursor", ".cursor/mcp.json", ".cursor/mcp.json", []string{"mcpServers", "sdd"}, ".cursor", true, ".cursor/commands/sdd-explore.md", ".cursor/commands/sdd-explore.md"},
	{"vscode", ".config/Code/User/mcp.json", ".vscode/mcp.json", []string{"servers", "sdd"}, ".config/Code/User", true, ".github/skills/sdd-explore/SKILL.md", ".copilot/skills/sdd-explore/SKILL.md"},
	{"copilot-cli", ".copilot/mcp-config.json", ".mcp.json", []string{"mcpServers", "sdd"}, ".copilot", false, ".github/skills/sdd-explore/SKILL.md", ".copilot/skills/sdd-explore/SKILL.md"},
	{"codex", ".codex/config.toml", ".codex/config.toml", []string{"mcp_servers", "sdd"}, ".codex", false, ".agents/skills/sdd-explore/SKILL.md", ".agents/skills/sdd-explore/SKILL.md"},
	{"gemini-cli", ".gemini/settings.json", ".gemini/settings.json", []string{"mcpServers", "sdd"}, ".gemini", false, ".gemini/commands/sdd-explore.toml", ".gemini/commands/sdd-explore.toml"},
	{"opencode", ".config/opencode/opencode.json", "opencode.json", []string{"mcp", "sdd"}, ".config/opencode", false, ".opencode/commands/sdd-explore.md", ".config/opencode/commands/sdd-explore.md"},
	{"zed", ".config/zed/settings.json", ".zed/settings.json", []string{"context_servers", "sdd"}, ".config/zed", false, "", ""},
	{"windsurf", ".codeium/windsurf/mcp_config.json", "", []string{"mcpServers", "sdd"}, ".codeium/windsurf", true, ".windsurf/workflows/sdd-explore.md", ".codeium/windsurf/global_workflows/sdd-explore.md"},
}

// plainJSON takes comments and commas at the end out of what people write as JSON.
func plainJSON(src string) string {
	var b strings.Builder
	src = strings.TrimPrefix(src, "\ufeff")
	for i := 0; i < len(src); i++ {
		rest := src[i:]
		switch {
		case src[i] == '"':
			end := i + 1
			for src[end] != '"' {
				if src[end] == '\\' {
					end++
				}
				end++
			}
			b.WriteString(src[i : end+1])
			i = end
		case strings.HasPrefix(rest, "//"):
			if i += strings.IndexByte(rest, '\n'); !strings.Contains(rest, "\n") {
				return b.String()
			}
		case strings.HasPrefix(rest, "/*"):
			i += strings.Index(rest, "*/") + 1
		default:
			b.WriteByte(src[i])
		}
	}
	out := b.String()
	for _, end := range []string{"}", "]"} {
		parts := strings.Split(out, end)
		for i, part := range parts[:len(parts)-1] {
			parts[i] = strings.TrimSuffix(strings.TrimRight(part, " \t\r\n"), ",")
		}
		out = strings.Join(parts, end)
	}
	return out
}

// entry reads the file of a client as that does.
func (r reader) entry(t *testing.T, file string) (command string, args []string, all map[string]any) {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	all = map[string]any{}
	if strings.HasSuffix(file, ".toml") {
		err = toml.Unmarshal(src, &all)
	} else {
		err = json.Unmarshal([]byte(plainJSON(string(src))), &all)
	}
	if err != nil {
		t.Fatalf("%v in\n%s", err, src)
	}
	at := all
	for _, key := range r.keys {
		var ok bool
		if at, ok = at[key].(map[string]any); !ok {
			t.Fatalf("no %s in\n%s", key, src)
		}
	}
	var line []string
	for _, part := range []any{at["command"], at["args"]} {
		switch part := part.(type) {
		case string:
			line = append(line, part)
		case []any:
			for _, x := range part {
				line = append(line, x.(string))
			}
		}
	}
	return line[0], line[1:], all
}

// homeSnapshot is every name below a folder with its mode and bytes. What a store keeps for itself is left out.
func homeSnapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && e.Name() == ".local" && filepath.Base(filepath.Dir(p)) == ".sdd" {
			return filepath.SkipDir
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		about := info.Mode().String()
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			about += " " + string(data)
		}
		out[strings.TrimPrefix(p, dir)] = about
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

const (
	othersJSON = "// mine\n{\n  \"%s\": {\n    \"other\": {\"command\": \"other\", \"args\": [\"// no comment\"]}, // needed\n  },\n  \"theme\": \"dark\", /* at night */\n}\n"
	othersTOML = "# mine\nmodel = \"o9\" # best\n\n[mcp_servers.other]\ncommand = 'other'\n\n[profiles.fast]\nmodel = \"o1\""
)

// TestFromInstallToFirstContext: for every client, in an empty home folder and in one with files of somebody: what go install made
// is set up, the file is read as the client reads it, just that command is started with what the client hands on, and it answers
// sdd_context. --remove gives back the home folder.
func TestFromInstallToFirstContext(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the folders are those of Linux")
	}
	bin := filepath.Join(t.TempDir(), "sdd")                                        // what is built for all tests is in a folder that is known as temporary
	if out, err := exec.Command("cp", build(t), bin).CombinedOutput(); err != nil { // a program that this process wrote could be busy
		t.Fatalf("%v: %s", err, out)
	}
	for _, r := range readers {
		for _, project := range []bool{false, true} {
			for _, others := range longtest.Of([]bool{true}, []bool{false, true}) {
				t.Run(fmt.Sprintf("%s/project=%v/others=%v", r.id, project, others), func(t *testing.T) {
					t.Parallel()
					r.try(t.Context(), t, bin, project, others)
				})
			}
		}
	}
}

func (r reader) try(ctx context.Context, t *testing.T, program string, project, others bool) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(home, "work", "shop")
	put := func(file, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	put(filepath.Join(root, ".sdd", "facts", "fact-0000000000aa-bicycles.md"), "---\nid: fact-0000000000aa\nlevel: 0\nstatus: active\n---\n\nThe shop sells bicycles.\n")
	if err := os.MkdirAll(filepath.Join(home, filepath.FromSlash(r.marker)), 0o755); err != nil {
		t.Fatal(err)
	}
	file, command := filepath.Join(home, filepath.FromSlash(r.user)), filepath.Join(home, filepath.FromSlash(r.userCommands))
	if project {
		file, command = filepath.Join(root, filepath.FromSlash(r.project)), filepath.Join(root, filepath.FromSlash(r.commands))
	}
	if others {
		for _, name := range []string{filepath.Join(home, filepath.FromSlash(r.user)), filepath.Join(root, filepath.FromSlash(r.project))} {
			switch {
			case name == root:
			case strings.HasSuffix(name, ".toml"):
				put(name, othersTOML)
			default:
				put(name, fmt.Sprintf(othersJSON, r.keys[0]))
			}
		}
		put(filepath.Join(root, "AGENTS.md"), "# Rules\n\nBe kind.")
		put(filepath.Join(root, filepath.FromSlash(filepath.Dir(r.commands)), "mine.md"), "mine")
	}
	environment := func(path string) []string { return []string{"HOME=" + home, "PATH=" + path} }
	setup := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(ctx, program, append([]string{"setup"}, args...)...)
		cmd.Dir, cmd.Env = root, environment(os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	before := homeSnapshot(t, home)
	scope := "--user"
	if project {
		scope = "--project"
	}
	setup(r.id, scope, "--commands", "--instructions", "--dry-run")
	if diff := cmp.Diff(before, homeSnapshot(t, home)); diff != "" {
		t.Fatal("a dry run wrote: " + diff)
	}
	said := setup(r.id, scope, "--commands", "--instructions")
	there := homeSnapshot(t, home)
	if project && r.project == "" {
		if !strings.Contains(said, "not possible") {
			t.Error(said)
		}
	} else {
		r.ask(ctx, t, program, file, home, root, project, others)
	}
	if r.commands != "" {
		if text, err := os.ReadFile(command); err != nil || !strings.Contains(string(text), "sdd_explore") {
			t.Errorf("%v: %s", err, text)
		}
	} else if !strings.Contains(said, "reads no files of commands") {
		t.Error(said)
	}
	setup(r.id, scope, "--commands", "--instructions")
	if diff := cmp.Diff(there, homeSnapshot(t, home)); diff != "" {
		t.Error("again it changed: " + diff)
	}
	if others {
		setup("--remove", r.id)
		setup("--remove", "--instructions")
	} else {
		setup("--remove")
	}
	if diff := cmp.Diff(before, homeSnapshot(t, home)); diff != "" {
		t.Error(diff)
	}
}

// ask starts what the client's file says, as the client does, and asks for context.
func (r reader) ask(ctx context.Context, t *testing.T, program, file, home, root string, project, others bool) {
	t.Helper()
	name, args, all := r.entry(t, file)
	if others && all["theme"] != "dark" && all["model"] != "o9" {
		t.Errorf("what was there is gone: %v", all)
	}
	dir, path := root, "/usr/bin:/bin"
	if project {
		path = filepath.Dir(program) + ":" + path // the file of a project names the program only
	} else if r.home {
		dir = home
	}
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "${workspaceFolder}", root)
	}
	if !filepath.IsAbs(name) {
		if !project || name != "sdd" {
			t.Fatalf("the command is %q", name)
		}
		name = program // as the PATH finds it
	}
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, []string{"HOME=" + home, "PATH=" + path}
	s, err := mcp.NewClient(&mcp.Implementation{Name: r.id, Version: "1"}, nil).Connect(ctx, over(cmd), nil)
	if err != nil {
		t.Fatalf("%s %q: %v", name, args, err)
	}
	defer s.Close()
	answer, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "sdd_context", Arguments: map[string]any{"query": "what does the shop sell?"}})
	if err != nil || answer.IsError {
		t.Fatalf("%v, %+v", err, answer)
	}
	if text := answer.Content[0].(*mcp.TextContent).Text; !strings.Contains(text, "bicycles") {
		t.Errorf("it knows of another project: %s", text)
	}
}
