package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"sdd/internal/codesearch"
	"sdd/internal/config"
	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/learning"
	"sdd/schema"
)

// configPage inspects config.yaml on disk; nil when there is none.
func (c *checker) configPage() *page {
	src, err := c.readPlain(config.Name)
	if err == nil {
		return c.inspectConfig(src)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	p := &page{path: config.Name}
	message := "the file cannot be read"
	if _, err := c.st.Config(); err != nil {
		message = fault.Of(err).Message
	}
	p.add(ruleConfig, place{}, "", message, "put a regular file there, or remove it to get the defaults")
	return p
}

// ignoredPage has the finding that git ignores the records, at the pattern's line or at config.yaml; nil when git takes them.
func (c *checker) ignoredPage(ctx context.Context) *page {
	i, err := c.st.Ignored(ctx)
	if i == nil || err != nil {
		return nil // `sdd doctor` reports a git that fails
	}
	p, line := &page{path: config.Name}, 0
	if i.Source == path.Join(c.base(), ".gitignore") {
		p.path, line = "../.gitignore", i.Line
	}
	p.add(ruleIgnored, place{line: line}, i.Pattern, i.Text(), i.Fix())
	return p
}

// mendSetting is the fix for a setting with a wrong value.
const mendSetting = "mend the line, or remove it to get the default"

// addBrokenYAML adds the finding for a settings file that is not YAML.
func (p *page) addBrokenYAML(err error, fix string) {
	f := fault.Of(err)
	p.add(ruleConfig, place{line: f.Line}, "", strings.Replace(f.Message, "the front matter", "the file", 1), fix)
}

func (c *checker) inspectConfig(src []byte) *page {
	p := &page{path: config.Name}
	c.secrets(p, src)
	doc, err := frontmatter.ParseYAML(src)
	if err != nil {
		p.addBrokenYAML(err, "mend the YAML")
		return p
	}
	p.settings(doc, doc.Map())
	// The program refuses more than the schema can express.
	cfg, err := config.Parse(src)
	if err != nil && !p.hasRule(ruleConfig) {
		f := fault.Of(err)
		p.add(ruleConfig, place{line: f.Line}, f.Message, f.Message, mendSetting)
	}
	if err := learning.CheckConfig(cfg.Sections["learning"]); err != nil && !p.hasRule(ruleConfig, ruleConfigKey) {
		f := fault.Of(err)
		p.add(ruleConfig, place{line: settingLine(doc, strings.Split(f.Arg, "."))}, f.Message, f.Message, f.Hint)
	}
	return p
}

// openSpecPage inspects the search_strategy of openspec/config.yaml; nil when it has none, or config.yaml overrides it.
func (c *checker) openSpecPage() *page {
	cfg, _ := c.st.Config()
	if _, own := cfg.Sections[searchStrategy]; own {
		return nil
	}
	src, err := codesearch.OpenSpec(c.root)
	if err == nil && src == nil {
		return nil
	}
	p := &page{path: "../" + codesearch.OpenSpecPath}
	var doc *frontmatter.Doc
	if err == nil {
		doc, err = frontmatter.ParseYAML(src)
	}
	if err != nil {
		p.addBrokenYAML(err, "mend the file, or set "+searchStrategy+" in config.yaml")
		return p
	}
	v := doc.Value(searchStrategy)
	if v == nil {
		return nil
	}
	p.settings(doc, map[string]any{searchStrategy: v})
	return p
}

const searchStrategy = "search_strategy"

// settings adds a finding for each setting with a wrong value: in the words of the package that uses it, else in the schema's.
func (p *page) settings(doc *frontmatter.Doc, settings map[string]any) {
	seen := map[string]bool{}
	for _, wrong := range codesearch.CheckConfig(settings[searchStrategy]) {
		path := []string{searchStrategy}
		if wrong.Key != "" {
			path = append(path, strings.Split(wrong.Key, ".")...)
		}
		for above := 0; above < 2 && doc.Line(path...) == 0; above++ { // the key is missing: name the setting above it, as the schema does
			path = path[:len(path)-1]
		}
		name := strings.Join(path, ".")
		seen[name] = true
		p.add(ruleConfig, place{line: settingLine(doc, path)}, name, wrong.Message, mendSetting)
	}
	if invalid, ok := errors.AsType[*jsonschema.ValidationError](schema.Compile("config").Validate(any(settings))); ok {
		for _, leaf := range schema.Leaves(invalid) {
			p.setting(doc, leaf, seen)
		}
	}
}

func (p *page) hasRule(rules ...string) bool {
	return slices.ContainsFunc(p.found, func(f Finding) bool { return slices.Contains(rules, f.Rule) })
}

// setting adds the finding of the schema for one setting, unless seen has it already.
func (p *page) setting(doc *frontmatter.Doc, e *jsonschema.ValidationError, seen map[string]bool) {
	name := strings.Join(e.InstanceLocation, ".")
	if extra, ok := e.ErrorKind.(*kind.AdditionalProperties); ok {
		for _, key := range extra.Properties {
			path := append(slices.Clone(e.InstanceLocation), key)
			name := strings.Join(path, ".")
			p.add(ruleConfigKey, place{line: doc.Line(path...)}, name, fmt.Sprintf("nothing reads the key %q", name),
				"correct its spelling, or remove it")
		}
	} else if !seen[name] {
		seen[name] = true
		p.add(ruleConfig, place{line: settingLine(doc, e.InstanceLocation)}, name, settingMessage(name, e.ErrorKind), mendSetting)
	}
}

// settingLine returns the line of the setting at path, or of the innermost setting above it that has a line.
func settingLine(doc *frontmatter.Doc, path []string) int {
	for n := len(path); n > 0; n-- {
		if line := doc.Line(path[:n]...); line > 0 {
			return line
		}
	}
	return 1
}

func settingMessage(name string, e jsonschema.ErrorKind) string {
	name = cmp.Or(name, "the file")
	switch e := e.(type) {
	case *kind.FalseSchema:
		return name + " is not offered"
	case *kind.Required:
		return fmt.Sprintf("%s lacks %s", name, strings.Join(e.Missing, ", "))
	case *kind.Pattern:
		return fmt.Sprintf("%s is %q, it does not look like %s", name, e.Got, e.Want)
	}
	return cmp.Or(schema.Problem(name, e), name+" is not as it should be")
}
