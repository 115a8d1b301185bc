package docs

import (
	"fmt"
	"maps"
	"slices"

	"sdd/internal/config"
	"sdd/internal/fault"
)

// Settings are what a Reader may read. The zero value reads files below no folder.
type Settings struct {
	Dir       string            // the project's folder, absolute; sources are relative to it, and may lie in it
	Sources   map[string]string // names of the project's own: folder or file
	Roots     []string          // more folders that may be read, absolute or relative to Dir
	MaxTokens int               // budget of calls that name none; 0 for 4,000

	WorkDir string // what typed paths are relative to; "" for Dir
	AnyPath bool   // any folder may be read: a person typed it
}

// SettingsOf returns what config.yaml says under docs and budgets.docs, for the project in dir. Errors are
// Broken faults with the file.
func SettingsOf(c config.Config, dir string) (Settings, error) {
	s := Settings{Dir: dir, Sources: map[string]string{}}
	if budgets, ok := c.Sections["budgets"].(map[string]any); ok {
		switch n := budgets["docs"].(type) {
		case nil:
		case int64:
			if n < minTokens || n > maxTokens {
				return s, wrongSetting("budgets.docs: %d is not between %d and %d", n, minTokens, maxTokens)
			}
			s.MaxTokens = int(n)
		default:
			return s, wrongSetting("budgets.docs: a whole number is expected")
		}
	}
	section := c.Sections["docs"]
	if section == nil {
		return s, nil
	}
	m, ok := section.(map[string]any)
	if !ok {
		return s, wrongSetting("docs: keys with values are expected")
	}
	for _, key := range slices.Sorted(maps.Keys(m)) {
		var err error
		switch v := m[key]; key {
		case "sources":
			sources, ok := v.(map[string]any)
			if !ok && v != nil {
				return s, wrongSetting("docs.sources: names with locations are expected")
			}
			for name, at := range sources {
				location, ok := at.(string)
				if !ok || location == "" {
					return s, wrongSetting("docs.sources.%s: a folder or file is expected", name)
				}
				s.Sources[name] = location
			}
		case "roots":
			s.Roots, err = texts("docs.roots", v)
		}
		if err != nil {
			return s, err
		}
	}
	return s, nil
}

func texts(key string, v any) ([]string, error) {
	if v == nil {
		return nil, nil
	}
	list, ok := v.([]any)
	if !ok {
		return nil, wrongSetting("%s: a list is expected", key)
	}
	var out []string
	for _, e := range list {
		s, ok := e.(string)
		if !ok || s == "" {
			return nil, wrongSetting("%s: a list of texts is expected", key)
		}
		out = append(out, s)
	}
	return out, nil
}

func wrongSetting(format string, args ...any) error {
	return fault.New(fault.Broken, "%s", fmt.Sprintf(format, args...)).At(".sdd/config.yaml", 0).
		With("sdd check names the line")
}
