package embed

import (
	"sdd/internal/allow"
)

// A project that is cloned may name any server, and any variable whose value is sent to it as the key. So one that is not on
// this machine is asked only after a person has said so here.

// Access is what a person trusts where the server is elsewhere; ok is false where nobody has to be asked.
func (s Settings) Access() (c allow.Command, ok bool) {
	c.URL = s.endpoint()
	if s.KeyEnv != "" {
		c.Env = []string{s.KeyEnv}
	}
	return c, !s.local()
}

// allowed reports whether the server may be asked; local is the private folder of the store.
func (s Settings) allowed(local string) bool {
	c, needed := s.Access()
	return !needed || allow.Open(local).Trusted(c)
}
