package learning

import (
	"strings"

	"sdd/internal/record"
)

// Persona is an agent without the number of its instance: the next task runs as another one. ed-001 is ed.
func Persona(agent string) string {
	agent = strings.TrimSpace(agent)
	persona, ok := strings.CutSuffix(strings.TrimRight(agent, "0123456789"), "-")
	if !ok || persona == "" || strings.HasSuffix(agent, "-") {
		return agent
	}
	return persona
}

// who is what agents are compared by.
func (s settings) who(agent string) string {
	if s.match == "instance" {
		return strings.TrimSpace(agent)
	}
	return strings.ToLower(Persona(agent))
}

// comesTo reports whether a learning is for an agent, as who gives it; "" is a caller that is none.
func (s settings) comesTo(i *Idea, who string) bool {
	if i.Scope == record.Global {
		return true
	}
	if who == "" {
		return len(i.Agents) == 0
	}
	for _, a := range i.Agents {
		if s.who(a) == who {
			return true
		}
	}
	return false
}
