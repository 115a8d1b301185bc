package docs

import (
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sdd/internal/config"
	"sdd/internal/fault"
)

// Settings are the permissions and limits of a Reader. The zero value permits no folder.
type Settings struct {
	Dir       string            // the project's folder, absolute; sources may be in it, and their paths are relative to it
	Sources   map[string]string // folder or file of the project's own sources, by name
	Roots     []string          // further permitted folders, absolute or relative to Dir
	MaxTokens int               // budget of calls without one: budgets.docs of config.yaml, else 4,000; 0 for 4,000

	Hosts        []string // permitted hosts for http and https: names, *.names, with a port if it is not the default
	AllowPrivate bool     // whether these hosts may have private addresses, if the user has approved them with sdd trust

	WorkDir string              // base of typed paths; "" for Dir
	AnyPath bool                // permits any folder: the user typed it
	AnyHost bool                // permits any public host: the user typed its address, or permitted it
	Reading func(done, all int) // reports progress while the reader reads pages for a first question; may be nil
	Cache   string              // folder for data that the program can make again, absolute; "" keeps nothing
}

// CacheDir is the user's folder for data that the program can make again, "" if there is none.
func CacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "sdd", "docs")
}

// SettingsOf reads docs and budgets.docs of config.yaml, for the project in dir. Errors are
// Broken faults with the file.
func SettingsOf(c config.Config, dir string) (Settings, error) {
	s := Settings{Dir: dir, Sources: map[string]string{}, MaxTokens: c.Budget("docs", defaultTokens)}
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
					return s, wrongSetting("docs.sources.%s: a folder, file or address is expected", name)
				}
				if u, err := url.Parse(location); web().MatchString(location) && (err != nil || u.Hostname() == "" || u.User != nil) {
					return s, wrongSetting("docs.sources.%s: an address without name and password is expected", name)
				}
				s.Sources[name] = location
			}
		case "roots":
			s.Roots, err = texts("docs.roots", v)
		case "hosts":
			if s.Hosts, err = texts("docs.hosts", v); err == nil {
				for _, h := range s.Hosts {
					if strings.ContainsAny(h, "/@ ?#") || strings.Contains(strings.TrimPrefix(h, "*."), "*") {
						err = wrongSetting("docs.hosts: %q is no host; write docs.example.org, *.example.org or example.org:8080", h)
					}
				}
			}
		case "allow_private":
			if v != nil {
				if s.AllowPrivate, ok = v.(bool); !ok {
					err = wrongSetting("docs.allow_private: true or false is expected")
				}
			}
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
