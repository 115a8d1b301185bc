package docs

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sdd/internal/allow"
	"sdd/internal/config"
	"sdd/internal/docs/fetch"
	"sdd/internal/fault"
	"sdd/internal/store"
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

// SettingsOf reads docs and budgets.docs of config.yaml, for the project in dir. Errors are Broken faults with the file.
func SettingsOf(c config.Config, dir string) (Settings, error) {
	s := Settings{Dir: dir, Sources: map[string]string{}, MaxTokens: c.Budget("docs", defaultTokens)}
	section := c.Sections["docs"]
	if section == nil {
		return s, nil
	}
	var in struct {
		Sources      map[string]string `json:"sources"`
		Roots        []string          `json:"roots"`
		Hosts        []string          `json:"hosts"`
		AllowPrivate bool              `json:"allow_private"`
	}
	src, err := json.Marshal(section)
	if err == nil {
		err = json.Unmarshal(src, &in)
	}
	if err != nil {
		field := ""
		if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
			field = wrong.Field
		}
		expected := map[string]string{
			"": "keys with values", "sources": "names with locations", "roots": "a list of texts", "hosts": "a list of texts",
			"allow_private": "true or false",
		}[field]
		return s, wrongSetting("%s: expected: %s", strings.TrimSuffix("docs."+field, "."), expected)
	}
	for name, location := range in.Sources {
		if location == "" {
			return s, wrongSetting("docs.sources.%s: a folder, file or address is expected", name)
		}
		if u, err := url.Parse(location); web().MatchString(location) && (err != nil || u.Hostname() == "" || u.User != nil) {
			return s, wrongSetting("docs.sources.%s: an address without name and password is expected", name)
		}
		s.Sources[name] = location
	}
	if slices.Contains(in.Roots, "") {
		return s, wrongSetting("docs.roots: expected: a list of texts")
	}
	for _, h := range in.Hosts {
		if h == "" || strings.ContainsAny(h, "/@ ?#") || strings.Contains(strings.TrimPrefix(h, "*."), "*") {
			return s, wrongSetting("docs.hosts: %q is no host; write docs.example.org, *.example.org or example.org:8080", h)
		}
	}
	s.Roots, s.Hosts, s.AllowPrivate = in.Roots, in.Hosts, in.AllowPrivate
	return s, nil
}

func wrongSetting(format string, args ...any) error {
	return fault.New(fault.Broken, "%s", fmt.Sprintf(format, args...)).At(".sdd/config.yaml", 0).
		With("sdd check names the line")
}

// A cloned project may name any host, and this machine reaches hosts that the project's author cannot. So the reader
// contacts a host with a private address only after the user has approved it on this machine.

// PrivateHosts are the hosts for which config.yaml permits private addresses, sorted.
func (s Settings) PrivateHosts() []string {
	if !s.AllowPrivate {
		return nil
	}
	var out []string
	for _, h := range s.Hosts {
		if !strings.HasPrefix(h, "*.") {
			out = append(out, strings.ToLower(strings.TrimSpace(h)))
		}
	}
	for _, location := range s.Sources {
		if u, err := url.Parse(location); err == nil && web().MatchString(location) {
			out = append(out, fetch.HostOf(u))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// PrivateAccess is the permission that the user grants for a host with a private address.
func PrivateAccess(host string) allow.Command { return allow.Command{URL: "docs://" + host} }

// privateHost reports whether a host may have a private address.
func (s Settings) privateHost(host string) bool {
	return slices.Contains(s.PrivateHosts(), host) && allow.Open(store.Local(s.Dir)).Trusted(PrivateAccess(host))
}
