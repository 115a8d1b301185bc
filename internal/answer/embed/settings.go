package embed

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"sdd/internal/allow"
	"sdd/internal/config"
	"sdd/internal/fault"
)

// Settings are the section embeddings of config.yaml.
type Settings struct {
	URL        string        // of the server, or of its /v1 or /v1/embeddings
	Model      string        // the server's name for it
	KeyEnv     string        // the environment variable that holds the key; "" sends none
	Dimensions int           // the required number; 0 leaves it to the model
	Timeout    time.Duration // the longest wait for the vector of a question
}

const (
	defaultTimeout = time.Second
	minTimeout     = 10 * time.Millisecond
	maxTimeout     = time.Minute
	maxDimensions  = 16_384
)

// SettingsOf reads the section; ok is false when there is none. Errors are Broken faults that name the key.
func SettingsOf(c config.Config) (s Settings, ok bool, err error) {
	section := c.Sections["embeddings"]
	if section == nil {
		return s, false, nil
	}
	m, ok := section.(map[string]any)
	if !ok {
		return s, false, wrong("", "%s stands where keys with values are expected", config.Describe(section))
	}
	s.Timeout = defaultTimeout
	for _, text := range []struct {
		key  string
		into *string
	}{{"url", &s.URL}, {"model", &s.Model}, {"api_key_env", &s.KeyEnv}} {
		switch v := m[text.key].(type) {
		case nil:
		case string:
			*text.into = strings.TrimSpace(v)
		default:
			return s, false, wrong(text.key, "%s stands where text is expected", config.Describe(v))
		}
	}
	u, err := url.Parse(s.URL)
	switch {
	case s.URL == "", s.Model == "":
		return s, false, wrong("", "url and model are both needed")
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil:
		return s, false, wrong("url", "an http or https address without name and password is expected")
	}
	switch v := m["dimensions"].(type) {
	case nil:
	case int64:
		if v < 1 || v > maxDimensions {
			return s, false, wrong("dimensions", "%d is not between 1 and %d", v, maxDimensions)
		}
		s.Dimensions = int(v)
	default:
		return s, false, wrong("dimensions", "%s stands where a whole number is expected", config.Describe(v))
	}
	if v := m["timeout"]; v != nil {
		d, err := time.ParseDuration(fmt.Sprint(v))
		if err != nil || d < minTimeout || d > maxTimeout {
			return s, false, wrong("timeout", "%s is no time from %s to %s, such as 500ms or 2s", config.Describe(v), minTimeout, maxTimeout)
		}
		s.Timeout = d
	}
	return s, true, nil
}

func wrong(key, format string, args ...any) error {
	name := "embeddings"
	if key != "" {
		name += "." + key
	}
	return fault.New(fault.Broken, "%s", name+": "+fmt.Sprintf(format, args...)).For(name).At(".sdd/config.yaml", 0).
		With("sdd check names the line")
}

func (s Settings) endpoint() string {
	u, err := url.Parse(s.URL)
	if err != nil {
		return s.URL // SettingsOf has parsed it
	}
	path := strings.TrimRight(u.Path, "/")
	switch {
	case path == "":
		path = "/v1/embeddings"
	case !strings.HasSuffix(path, "/embeddings"):
		path += "/embeddings"
	}
	u.Path, u.RawPath = path, ""
	return u.String()
}

// local reports whether the server is on this machine, so that nothing leaves it.
func (s Settings) local() bool { return allow.Local(s.URL) }

// Access is the permission that the user must give for a server on another machine; ok is false for a server on this one. A
// cloned project may name any server, and any variable whose value the server receives as the key.
func (s Settings) Access() (c allow.Command, ok bool) {
	c.URL = s.endpoint()
	if s.KeyEnv != "" {
		c.Env = []string{s.KeyEnv}
	}
	return c, !s.local()
}

// allowed reports whether the program may send requests to the server; local is the private folder of the store.
func (s Settings) allowed(local string) bool {
	c, needed := s.Access()
	return !needed || allow.Open(local).Trusted(c)
}
