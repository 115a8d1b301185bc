package learning

import (
	"strings"

	"sdd/internal/record"
)

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

// comesTo reports whether an agent gets a learning. who is the agent as settings.who returns it; "" is a caller without
// an agent.
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
