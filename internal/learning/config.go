package learning

import (
	"maps"
	"slices"
	"strings"

	"sdd/internal/config"
	"sdd/internal/fault"
	"sdd/internal/learning/classify"
	"sdd/internal/record"
	"sdd/internal/store"
)

// Values of learning.match and learning.on_parent_done in config.yaml; the first is the default.
var (
	matches  = []string{"persona", "instance"}
	policies = []string{"all", "local", "none"}
)

// Categories are the built-in categories of learnings, in display order.
var Categories = classify.Categories

// Impacts, the least first.
var Impacts = []string{"low", "medium", "high", "critical"}

// settings is the section learning of config.yaml.
type settings struct {
	match        string
	onParentDone string
	categories   map[string][]string // own categories: the words that choose them
}

// followsParent reports whether setting the parent to done archives a learning.
func (s settings) followsParent(i *Idea) bool {
	return s.onParentDone == "all" || s.onParentDone == "local" && i.Scope == record.Local
}

// CheckConfig checks the section learning of config.yaml. Its Broken fault names the key and the allowed values; nil
// means that the section is valid.
func CheckConfig(section any) error {
	_, err := parseSettings(section)
	return err
}

func (l *Learnings) settings() (settings, error) {
	cfg, err := l.st.Config()
	if err != nil {
		return settings{}, err
	}
	return parseSettings(cfg.Sections["learning"])
}

func parseSettings(section any) (settings, error) {
	s := settings{match: matches[0], onParentDone: policies[0], categories: map[string][]string{}}
	keys, ok := section.(map[string]any)
	if !ok && section != nil {
		return s, misset("learning", section, "a map with match, on_parent_done and categories")
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		v := keys[key]
		var err error
		switch key {
		case "match":
			s.match, err = oneOf("learning.match", v, matches)
		case "on_parent_done":
			s.onParentDone, err = oneOf("learning.on_parent_done", v, policies)
		case "categories":
			s.categories, err = ownCategories(v)
		default:
			err = misset("learning."+key, v, "match, on_parent_done or categories")
		}
		if err != nil {
			return s, err
		}
	}
	return s, nil
}

func oneOf(key string, v any, allowed []string) (string, error) {
	if v == nil {
		return allowed[0], nil
	}
	if text, ok := v.(string); ok && slices.Contains(allowed, text) {
		return text, nil
	}
	return allowed[0], misset(key, v, "one of "+strings.Join(allowed, ", "))
}

func ownCategories(v any) (map[string][]string, error) {
	out := map[string][]string{}
	names, ok := v.(map[string]any)
	if !ok && v != nil {
		return out, misset("learning.categories", v, "a map of names with lists of words")
	}
	for name, list := range names {
		key := "learning.categories." + name
		if clean := record.OneLine(name); clean == "" || clean != name {
			return out, misset("learning.categories", name, "names on one line")
		}
		words, ok := list.([]any)
		if !ok && list != nil {
			return out, misset(key, list, "a list of words")
		}
		out[name] = []string{}
		for _, w := range words {
			text, ok := w.(string)
			if !ok || strings.TrimSpace(text) == "" {
				return out, misset(key, w, "a list of words")
			}
			out[name] = append(out[name], text)
		}
	}
	return out, nil
}

func misset(key string, v any, allowed string) error {
	return fault.New(fault.Broken, "%s: %s stands where %s is expected", key, config.Describe(v), allowed).
		For(key).With("mend the key, or remove it to get the default").At(store.Folder+"/"+config.Name, 0)
}

// AllCategories returns the categories of learnings: Categories, then those of config.yaml by name.
func (l *Learnings) AllCategories() ([]string, error) {
	set, err := l.settings()
	return set.names(), err
}

func (s settings) names() []string {
	return slices.Concat(Categories, slices.Sorted(maps.Keys(s.categories)))
}

// category returns the canonical name of a category, for any spelling.
func (s settings) category(name string) (string, error) {
	all := s.names()
	if n := slices.IndexFunc(all, func(c string) bool { return strings.EqualFold(c, strings.TrimSpace(name)) }); n >= 0 {
		return all[n], nil
	}
	return "", fault.New(fault.Invalid, "category %q is unknown", record.Brief(name)).For("category").
		With("allowed: " + strings.Join(all, ", ") + "; learning.categories in .sdd/config.yaml adds more")
}

func impactNamed(name string) (string, error) { return record.OneOf("impact", name, Impacts) }

func scopeNamed(name string) (string, error) {
	return record.OneOf("scope", name, record.ScopesOf(record.Idea))
}

// Persona returns an agent's name without the number of its instance, which differs from task to task: ed for ed-001.
func Persona(agent string) string {
	agent = strings.TrimSpace(agent)
	persona, ok := strings.CutSuffix(strings.TrimRight(agent, "0123456789"), "-")
	if !ok || persona == "" || strings.HasSuffix(agent, "-") {
		return agent
	}
	return persona
}

// who returns the name by which agents are compared.
func (s settings) who(agent string) string {
	if s.match == "instance" {
		return strings.TrimSpace(agent)
	}
	return strings.ToLower(Persona(agent))
}

// comesTo reports whether an agent gets a learning: the global ones, its own and those without an agent.
func (s settings) comesTo(i *Idea, agent string) bool {
	return i.Scope == record.Global || len(i.Agents) == 0 || s.has(i, agent)
}

// has reports whether a learning is one of an agent.
func (s settings) has(i *Idea, agent string) bool {
	return slices.ContainsFunc(i.Agents, func(a string) bool { return s.who(a) == s.who(agent) })
}
