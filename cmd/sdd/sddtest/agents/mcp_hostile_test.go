package agents

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"sdd/internal/longtest"
)

// canary stands in files outside the store, which no answer may hold.
const canary = "canary-1b7a-outside-the-store"

// climbers are texts that lead out of a store, out of a shell word or into a command's options where they are taken for a path, a
// name, a pattern or a revision.
func climbers(outside string) []string {
	return []string{
		"../secret.md", "../../secret.md", "../../../secret", "explore/../../../secret.md", ".sdd/../../secret.md", outside, outside + "/secret.md", "/etc/passwd",
		"%2e%2e/%2e%2e/secret.md", "..%2f..%2fsecret.md", "..%5c..%5csecret.md", "%252e%252e%252fsecret.md", `..\..\secret.md`, `C:\Windows\win.ini`, `\\server\share\x`, "//server/share/x",
		"file://" + outside + "/secret.md", "sdd://explore/../../secret", "~/secret.md", "~root/x", "$HOME/secret.md", "$(touch pwned)", "`touch pwned`", "|touch pwned", "; touch pwned",
		"--output=pwned", "-opwned", "--upload-pack=touch pwned", "--", "-", "HEAD:../secret.md", ":/x", "@{-1}",
		"CON", "nul.md", "aux", "COM1.txt", "a:b", "a.md::$DATA", "trailing.", "trailing ", "*", "?", "[", "{", "\\",
		"leak", "leak.md", "explore/leak", ".sdd/explore/leak.md", "out/secret.md", ".sdd/explore/out/secret.md", "code-out/secret.md", "code-out", ".git/config", ".sdd/.local/journal", ".sdd/config.yaml",
		"a\x00b", "a\nb", "a\r\n::error::b", "\ufeffa", "\u202ea", "\xff\xfe", ".", "..", "...", "", " ", strings.Repeat("../", 300) + "etc/passwd", strings.Repeat("a", 70_000), strings.Repeat("é", 300),
	}
}

// besieged is a repository with a store; beside it are files with the canary, and links lead to them.
func besieged(t *testing.T) (dir, outside string) {
	t.Helper()
	top := t.TempDir()
	dir, outside = filepath.Join(top, "repo"), filepath.Join(top, "outside")
	for name, text := range map[string]string{
		"outside/secret.md": "---\ntitle: Secret\n---\n\n## Goals\n\n" + canary + "\n", "secret.md": canary, "secret": canary, "repo/main.go": "package main\n\nfunc main() {}\n",
		"repo/.sdd/explore/known.md": "---\ntitle: Known\n---\n\n## Goals\n\n- known\n", "repo/.sdd/config.yaml": "project: p\n",
	} {
		path := filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{".sdd/explore/leak.md": "../../../outside/secret.md", ".sdd/explore/out": "../../../outside", "code-out": "../outside"} {
		if err := os.Symlink(filepath.FromSlash(to), filepath.Join(dir, name)); err != nil {
			t.Skip("no links here: ", err)
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "one"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	return dir, outside
}

// outsideOf lists what is outside the store, with what it holds.
func outsideOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	top := filepath.Dir(dir)
	err := filepath.WalkDir(top, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(top, path)
		if err != nil {
			return err
		}
		if e.IsDir() && (rel == filepath.Join("repo", ".sdd") || rel == filepath.Join("repo", ".git")) {
			return fs.SkipDir
		}
		text := "a folder"
		if e.Type().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text = string(data)
		}
		all[rel] = text
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// properties are those of a tool's input, with what each needs to be a value.
type properties struct {
	Required   []string
	Properties map[string]property
}

type property struct {
	Type    any
	Enum    []any
	Items   *property
	Minimum *float64
}

func (p property) is(kind string) bool {
	if kinds, ok := p.Type.([]any); ok {
		return slices.Contains(kinds, any(kind))
	}
	return p.Type == kind
}

// sound is a value that the tool accepts, as far as the schema tells.
func (p property) sound() any {
	switch {
	case len(p.Enum) > 0:
		return p.Enum[0]
	case p.is("string"):
		return "known"
	case p.is("array"):
		return []any{p.Items.sound()}
	case p.is("boolean"):
		return false
	case p.is("integer"), p.is("number"):
		return 100
	}
	return map[string]any{}
}

// hostile is the text where the property takes text, nil where it takes none.
func (p property) hostile(text string) any {
	switch {
	case p.is("string"):
		return text
	case p.is("array") && p.Items != nil:
		if item := p.Items.hostile(text); item != nil {
			return []any{item}
		}
	case p.is("object"):
		return map[string]any{text: text}
	}
	return nil
}

// TestNoArgumentLeadsOut puts every climber into every argument of every tool, resource and prompt that the server lists: whatever is
// added is covered by itself.
func TestNoArgumentLeadsOut(t *testing.T) {
	t.Parallel()
	bin := build(t)
	dir, outside := besieged(t)
	before := outsideOf(t, dir)
	cmd := exec.Command(bin, "mcp", "--toolsets=all,compat")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+filepath.Join(filepath.Dir(dir), "home"), "XDG_CACHE_HOME="+t.TempDir())
	cmd.Stderr = os.Stderr
	s, err := mcp.NewClient(&mcp.Implementation{Name: "hostile", Version: "1"}, nil).Connect(t.Context(), over(cmd), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	texts := climbers(outside)
	calls := 0
	check := func(what string, text string, result any, err error) {
		t.Helper()
		calls++
		raw, _ := json.Marshal(result)
		said := string(raw)
		if err != nil {
			said += err.Error()
		}
		for _, bad := range []string{canary, `"code":"internal"`, "root:x:0"} {
			if strings.Contains(said, bad) {
				t.Errorf("%s = %.80q: the answer holds %q: %.600s", what, text, bad, said)
			}
		}
	}
	tools, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools.Tools {
		raw, err := json.Marshal(tool.InputSchema)
		if err != nil {
			t.Fatal(err)
		}
		var in properties
		if err := json.Unmarshal(raw, &in); err != nil {
			t.Fatal(err)
		}
		for n, name := range slices.Sorted(maps.Keys(in.Properties)) {
			step := longtest.Of(16, 1)
			if tool.Name == "sdd_docs" || tool.Name == "explore" || strings.HasPrefix(tool.Name, "rlm_") {
				step *= 4 // they look through all that is installed here, or are other names for what is tried
			}
			for i, text := range texts {
				if (i+n)%step != 0 { // the arguments of a tool share the texts
					continue
				}
				value := in.Properties[name].hostile(text)
				if value == nil {
					break
				}
				args := map[string]any{}
				for _, r := range in.Required {
					args[r] = in.Properties[r].sound()
				}
				args[name] = value
				result, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool.Name, Arguments: args})
				check(tool.Name+" "+name, text, result, err)
			}
		}
	}
	templates, err := s.ListResourceTemplates(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(templates.ResourceTemplates) == 0 {
		t.Error("no resource templates")
	}
	for n, template := range templates.ResourceTemplates {
		for i, text := range texts {
			if (i+n)%longtest.Of(4, 1) != 0 {
				continue
			}
			uri := template.URITemplate
			for strings.Contains(uri, "{") {
				from, to := strings.Index(uri, "{"), strings.Index(uri, "}")
				uri = uri[:from] + strings.NewReplacer("{", "%7B", "}", "%7D").Replace(text) + uri[to+1:]
			}
			result, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
			check(template.URITemplate, text, result, err)
			done, err := s.Complete(t.Context(), &mcp.CompleteParams{Ref: &mcp.CompleteReference{Type: "ref/resource", URI: template.URITemplate}, Argument: mcp.CompleteParamsArgument{Name: "slug", Value: text}})
			check("complete "+template.URITemplate, text, done, err)
		}
	}
	prompts, err := s.ListPrompts(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for n, prompt := range prompts.Prompts {
		for _, argument := range prompt.Arguments {
			for i, text := range texts {
				if (i+n)%longtest.Of(8, 1) != 0 {
					continue
				}
				args := map[string]string{}
				for _, a := range prompt.Arguments {
					if a.Required {
						args[a.Name] = "known"
					}
				}
				args[argument.Name] = text
				result, err := s.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: prompt.Name, Arguments: args})
				check("prompt "+prompt.Name+" "+argument.Name, text, result, err)
			}
		}
	}
	if calls < longtest.Of(200, 1000) {
		t.Errorf("only %d calls were made", calls)
	}
	// It still works, and nothing was written outside.
	if _, r := call[map[string]any](t, s, "sdd_get", map[string]any{"id": "explore/known"}); r.IsError {
		t.Errorf("afterwards: %s", text(r))
	}
	if after := outsideOf(t, dir); !maps.Equal(before, after) {
		for name := range after {
			if before[name] != after[name] {
				t.Errorf("outside the store %s was written: %.200q", name, after[name])
			}
		}
		t.Errorf("outside the store there are %d files, were %d", len(after), len(before))
	}
	err = filepath.WalkDir(filepath.Join(dir, ".sdd"), func(path string, e fs.DirEntry, err error) error {
		if err == nil && strings.ContainsAny(e.Name(), `\:*?"<>|`+"\x00\n\r") {
			t.Errorf("%q does not check out on Windows", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestNoHTTPPathLeadsOut asks both servers for paths as no client library would send them.
func TestNoHTTPPathLeadsOut(t *testing.T) {
	bin := build(t)
	dir, outside := besieged(t)
	for _, args := range [][]string{{"mcp", "--http", "127.0.0.1:0", "--store", "a=" + dir}, {"ui", "--no-open", "--addr", "127.0.0.1:0"}} {
		cmd := exec.CommandContext(t.Context(), bin, args...)
		cmd.Dir = dir
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		host := strings.SplitN(strings.TrimPrefix(strings.TrimSpace(line), "http://"), "/", 2)[0]
		ask := func(path, cookie string) string {
			t.Helper()
			c, err := net.Dial("tcp", host)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			fmt.Fprintf(c, "GET %s HTTP/1.0\r\nHost: %s\r\nAccept: */*\r\nCookie: %s\r\n\r\n", path, host, cookie)
			said := make([]byte, 1<<20)
			n := 0
			for {
				k, err := c.Read(said[n:])
				n += k
				if err != nil || n == len(said) {
					return string(said[:n])
				}
			}
		}
		cookie := ""
		if args[0] == "ui" {
			_, token, _ := strings.Cut(strings.TrimSpace(line), "?")
			_, set, ok := strings.Cut(ask("/?"+token, ""), "Set-Cookie: ")
			cookie, _, _ = strings.Cut(set, ";")
			if !ok || !strings.Contains(ask("/explore/known", cookie), " 200 ") {
				t.Fatal("the page does not let in")
			}
		}
		for i, text := range climbers(outside) {
			if i%longtest.Of(8, 1) != 0 {
				continue
			}
			text = strings.NewReplacer(" ", "%20", "\n", "%0a", "\r", "%0d", "\x00", "%00").Replace(text)
			for _, base := range []string{"/", "/mcp/", "/mcp/a/", "/explore/", "/decision/", "/learnings/", "/assets/", "/inbox/", "//", "/explore/known/../"} {
				said := ask(base+text, cookie)
				status, _, _ := strings.Cut(said, "\r\n")
				if strings.Contains(said, canary) || strings.Contains(said, "root:x:0") || strings.Contains(status, " 50") && !strings.Contains(status, " 505") {
					t.Errorf("%s %.80q: %.300q", args[0], base+text, said)
				}
			}
		}
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	}
}
