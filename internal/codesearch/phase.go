package codesearch

import "fmt"

// phases are those that read code.
var phases = map[string]bool{"explore": true, "apply": true, "verify": true}

// ReadsCode reports whether a phase reads code, so that its instructions have PhaseText.
func ReadsCode(phase string) bool { return phases[phase] }

// PhaseText is the instruction how to search code in a phase; "" for phases that read no code.
func PhaseText(phase string, st Strategy) string {
	if !ReadsCode(phase) {
		return ""
	}
	how := "It searches by grep"
	if st.Mode == ModeHybrid {
		how = fmt.Sprintf("It asks %s first and greps when too little of that holds", clean(st.RAG.Tool))
	}
	return fmt.Sprintf("To read code, call sdd_code with phase %q and what you want to know, before opening any file. "+
		"%s, and returns just the lines. Read on only at the ranges it names.", phase, how)
}
