package embed

import (
	"encoding/json"
	"time"
)

// rest is the time without requests to a server after its failure.
const rest = time.Minute

const downName = "down.json"

// A server remembers its failure: in memory, and on disk for later processes of the command line, which each make only one call.

// down is .sdd/.local/embeddings/down.json.
type down struct {
	Key string `json:"key"` // of the server and model
	At  int64  `json:"at"`  // seconds since 1970
	Why string `json:"why"`
}

func (s *server) key() string { return s.vectors.name + " " + s.endpoint() }

// down returns the reason not to send a request now, "" for none.
func (s *server) down() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == nil {
		s.last = &down{}
		src, err := s.st.ReadPrivate(folder, downName)
		if err != nil || json.Unmarshal(src, s.last) != nil || s.last.Key != s.key() {
			*s.last = down{}
		}
	}
	if age := time.Since(time.Unix(s.last.At, 0)); age >= 0 && age < rest { // a clock set back must not extend the pause
		return s.last.Why
	}
	return ""
}

// failed records a failure; keep writes it to disk for other processes.
func (s *server) failed(why string, keep bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = &down{s.key(), time.Now().Unix(), why}
	if src, err := json.Marshal(s.last); keep && err == nil {
		_ = s.st.WritePrivate(folder, downName, src) // without the file another process only tries earlier
	}
}
