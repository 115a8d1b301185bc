package rag

import (
	"fmt"
	"strings"
)

// Entry reads a server as the files of MCP clients have it: a command with arguments or as one list, or an address. Without either
// the server is empty. off reports whether the user turned it off.
func Entry(name string, entry any) (s Server, off bool) {
	all, _ := entry.(map[string]any)
	s.Name = name
	switch c := all["command"].(type) {
	case string:
		s.Command = c
	case []any:
		if line := Texts(c); len(line) > 0 {
			s.Command, s.Args = line[0], line[1:]
		}
	}
	s.Args = append(s.Args, Texts(all["args"])...)
	for _, key := range []string{"env", "environment"} {
		env, _ := all[key].(map[string]any)
		for name, value := range env {
			if s.Env == nil {
				s.Env = map[string]string{}
			}
			s.Env[name] = fmt.Sprint(value)
		}
	}
	s.Dir, _ = all["cwd"].(string)
	for _, key := range []string{"httpUrl", "serverUrl", "url"} { // of Gemini CLI, Windsurf, all others
		if u, _ := all[key].(string); s.Empty() && (strings.HasPrefix(u, "http://") || strings.HasPrefix(u, "https://")) {
			s.URL = u
		}
	}
	disabled, _ := all["disabled"].(bool)
	enabled, set := all["enabled"].(bool)
	return s, disabled || set && !enabled
}

// Texts returns the elements of a parsed list as texts, nil for another value.
func Texts(v any) (out []string) {
	list, _ := v.([]any)
	for _, one := range list {
		out = append(out, fmt.Sprint(one))
	}
	return out
}
