package cli

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"sdd/internal/config"
	"sdd/internal/markdown"
	"sdd/internal/record"
	"sdd/schema"
)

// asked returns what the command line prints, and its exit code.
func asked(t *testing.T, args ...string) (out, errs string, code int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = run(t.Context(), faces, args, strings.NewReader(""), &stdout, &stderr)
	return stdout.String(), stderr.String(), code
}

// TestTopicsNameWhatThereIs: every command, flag, tool, key and topic that a topic names is there, and its lines fit.
func TestTopicsNameWhatThereIs(t *testing.T) {
	root := newRoot(&session{faces: faces})
	root.InitDefaultHelpCmd()
	var hasFlag func(c *cobra.Command, name string) bool
	hasFlag = func(c *cobra.Command, name string) bool {
		return c.Flags().Lookup(name) != nil || c.PersistentFlags().Lookup(name) != nil ||
			slices.ContainsFunc(c.Commands(), func(sub *cobra.Command) bool { return hasFlag(sub, name) })
	}
	keys := configKeys(t)
	command := regexp.MustCompile(`(?m)(?:^|[\s(,])sdd ([a-z][a-z-]*)`)
	flag := regexp.MustCompile(`(?:^|[\s(,])--([a-z][a-z-]*)`)
	tool := regexp.MustCompile(`sdd_[a-z_]+`)
	key := regexp.MustCompile(`\b(?:limits|budgets|search_strategy|learning|docs|embeddings|secrets|hooks|handoff)\.[a-z_][a-z_.-]*[a-z]`)
	named := map[string]bool{}
	for _, topic := range topics {
		named[topic.name] = true
	}
	for _, topic := range topics {
		text := withFaces.helpText("topics/" + topic.name)
		if strings.Contains(text, "{{") || len(text) < 1000 || !strings.HasSuffix(text, ".\n") && !strings.HasSuffix(text, ")\n") && !slices.Contains([]string{"config", "files", "tools"}, topic.name) {
			t.Errorf("%s is not whole: %q", topic.name, text[max(0, len(text)-80):])
		}
		for line := range strings.Lines(text) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 100 || strings.TrimRight(line, " \n") != strings.TrimSuffix(line, "\n") {
				t.Errorf("%s: %d columns, or blanks at the end: %q", topic.name, n, line)
			}
		}
		text = strings.Join(strings.Fields(text), " ")
		for _, m := range command.FindAllStringSubmatch(text, -1) {
			if c, _, err := root.Find(m[1:2]); slices.Contains(verbs, m[1]) {
				continue
			} else if err != nil || c == root {
				t.Errorf("%s: there is no command %q", topic.name, m[1])
			}
		}
		for _, m := range flag.FindAllStringSubmatch(text, -1) {
			if !hasFlag(root, m[1]) {
				t.Errorf("%s: there is no flag --%s", topic.name, m[1])
			}
		}
		for _, name := range tool.FindAllString(text, -1) {
			if !slices.Contains(schema.Names(), "tools/"+name+".input") {
				t.Errorf("%s: there is no tool %s", topic.name, name)
			}
		}
		for _, name := range key.FindAllString(text, -1) {
			if !keys[name] {
				t.Errorf("%s: config.yaml has no key %s", topic.name, name)
			}
		}
		for rest := text; ; {
			_, after, ok := strings.Cut(rest, "sdd help ")
			if !ok {
				break
			}
			name := strings.Trim(strings.Fields(after)[0], ",.)(")
			if _, _, err := root.Find([]string{name}); !named[name] && err != nil {
				t.Errorf("%s: there is no topic %s", topic.name, name)
			}
			rest = after
		}
	}
	files := withFaces.helpText("topics/" + topics[0].name)
	for _, k := range record.Kinds {
		if !strings.Contains(files, ".sdd/"+record.Folder(k)+"/") {
			t.Errorf("the folder of %s is not told", k)
		}
		for _, name := range record.Keys(k) {
			if !strings.Contains(files, name) {
				t.Errorf("the key %s of %s is not told", name, k)
			}
		}
	}
}

// verbs are words that follow the name of the program in sentences.
var verbs = strings.Fields("adds and but does guards has is itself names may prints stay that where")

// configKeys returns every key that config.yaml may have, and those that have others below them.
func configKeys(t *testing.T) map[string]bool {
	t.Helper()
	text := keysText()
	out := map[string]bool{}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "  ") && !strings.HasPrefix(line, "   ") {
			out[strings.Fields(line)[0]] = true
		}
	}
	return out
}

// TestConfigTopic: it lists the keys that the program reads, and no other; its example is a valid configuration.
func TestConfigTopic(t *testing.T) {
	var root struct{ Properties map[string]any }
	if err := json.Unmarshal(schema.Load("config"), &root); err != nil {
		t.Fatal(err)
	}
	keys := configKeys(t)
	for name := range root.Properties {
		if !keys[name] {
			t.Errorf("%s is not told", name)
		}
	}
	for _, name := range []string{"limits.file", "budgets.docs", "search_strategy.rag.server.url", "include", "handoff.to"} {
		if !keys[name] {
			t.Errorf("%s is not told", name)
		}
	}
	if keys["search_strategy.embeddings"] {
		t.Error("a key that is not allowed is told")
	}
	text := withFaces.helpText("topics/" + topics[1].name)
	_, example, ok := strings.Cut(text, "\n  project: shop\n")
	example = strings.ReplaceAll("\n  project: shop\n"+example, "\n  ", "\n")
	c, err := config.Parse([]byte(example))
	if !ok || err != nil || len(c.Unknown) > 0 || c.Project != "shop" || c.Budget("context", 1) != 2000 {
		t.Errorf("%v, %+v of %s", err, c, example)
	}
	for _, want := range []string{"(default 1048576)", "a whole number from 50 to 100000 (default 4000)", "text like 5s, 500ms", "code, docs, or a list of: code, docs"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not told", want)
		}
	}
}

// TestToolsTopic: it has every tool, and every argument of its schema.
func TestToolsTopic(t *testing.T) {
	text := withFaces.toolsText()
	for _, name := range schema.Names() {
		tool, ok := strings.CutPrefix(strings.TrimSuffix(name, ".input"), "tools/")
		if !ok || !strings.HasSuffix(name, ".input") || !strings.HasPrefix(tool, "sdd_") {
			continue // those of other servers are for who knows them
		}
		_, part, ok := strings.Cut("\n"+text, "\n"+tool+"  [")
		part, _, _ = strings.Cut(part, "\n\n")
		var input struct {
			Properties map[string]any
			Required   []string
		}
		if err := json.Unmarshal(schema.Load(name), &input); err != nil {
			t.Fatal(err)
		}
		for argument := range input.Properties {
			if slices.Contains(input.Required, argument) {
				argument += "*"
			}
			if !ok || !strings.Contains(part, "\n    "+argument+" ") {
				t.Errorf("%s of %s is not told", argument, tool)
			}
		}
	}
}

// TestMergeTopic: the keys that it lists as never in conflict merge to the listed value.
func TestMergeTopic(t *testing.T) {
	text := withFaces.helpText("topics/merge")
	values := map[string]string{"earlier": "2026-01-02", "later": "2026-03-04"}
	told := 0
	for line := range strings.Lines(text) {
		names, rule, ok := strings.Cut(strings.TrimSpace(line), "  ")
		rule = strings.TrimPrefix(strings.TrimSpace(rule), "the ")
		want := values[rule]
		if !ok || want == "" {
			continue
		}
		for name := range strings.FieldsSeq(names) {
			told++
			src := func(value string) []byte {
				return []byte("---\ntitle: A\n" + name + ": " + value + "\n---\n\n## Goals\n\n- x\n")
			}
			m := record.Merge(record.Exploration, src("2025-01-01"), src("2026-03-04"), src("2026-01-02"), markdown.MergeLabels{})
			if len(m.Conflicts) > 0 || !strings.Contains(string(m.Out), name+": "+want+"\n") {
				t.Errorf("%s, the %s: %s", name, rule, m.Out)
			}
		}
	}
	if told != 7 {
		t.Errorf("%d keys are told", told)
	}
	for _, test := range []struct{ key, base, ours, theirs, want string }{
		{"revision", "3", "5", "4", "6"}, {"scope", "x", "local", "global", "global"}, {"validated", "x", "true", "false", "true"}, {"title", "A", "B", "C", ""},
	} {
		src := func(value, item string) []byte {
			return []byte("---\n" + test.key + ": " + value + "\n---\n\n## Goals\n\n- x\n" + item)
		}
		m := record.Merge(record.Exploration, src(test.base, ""), src(test.ours, "- a\n"), src(test.theirs, "- b\n"), markdown.MergeLabels{})
		if clean := len(m.Conflicts) == 0; clean != (test.want != "") || clean && !strings.Contains(string(m.Out), test.key+": "+test.want+"\n") {
			t.Errorf("%s: %s", test.key, m.Out)
		}
	}
}

// TestHelp asks for commands and topics as people do.
func TestHelp(t *testing.T) {
	out, _, code := asked(t, "help")
	if code != 0 || !strings.Contains(out, "\nTopics (sdd help TOPIC):\n") {
		t.Errorf("%d %s", code, out)
	}
	for _, topic := range topics {
		if !strings.Contains(out, topic.short) {
			t.Errorf("%s is not listed", topic.name)
		}
		told, _, code := asked(t, "help", topic.name)
		if code != 0 || !strings.HasSuffix(told, withFaces.helpText("topics/"+topic.name)) || strings.Contains(told, "Usage:") != (topic.name == "merge") {
			t.Errorf("%s: %d %s", topic.name, code, told)
		}
		told, _, code = asked(t, "help", topic.name, "--json")
		var v struct{ Name, Text string }
		if err := json.Unmarshal([]byte(told), &v); err != nil || code != 0 || v.Name != topic.name || v.Text != withFaces.helpText("topics/"+topic.name) {
			t.Errorf("%s: %v %d %s", topic.name, err, code, told)
		}
	}
	plain, _, _ := asked(t, "merge", "--help")
	if strings.Contains(plain, "How records merge") || strings.Contains(plain, "Topics (") {
		t.Error("the help of a command tells of topics")
	}
	if out, _, code := asked(t, "help", "fact", "add"); code != 0 || !strings.Contains(out, "sdd fact add") {
		t.Errorf("%d %s", code, out)
	}
	for _, args := range [][]string{{"help", "coffee"}, {"help", "fact", "coffee"}, {"help", "files", "more"}, {"help", "add"}} {
		if out, errs, code := asked(t, args...); code != exitNotFound || out != "" || !strings.Contains(errs, "sdd help lists") {
			t.Errorf("%q: %d %s%s", args, code, out, errs)
		}
	}
}

// withFaces is a session that can list the tools.
var withFaces = &session{faces: faces}
