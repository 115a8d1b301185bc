package extract

import (
	"path"
	"strings"

	"sdd/internal/decision/capture"
	"sdd/internal/fact/discovery"
	"sdd/internal/pattern"
)

// isADR reports whether a file may be a decision record of the project.
func isADR(file string) bool {
	ext := strings.ToLower(path.Ext(file))
	return (ext == ".md" || ext == ".markdown") && adrPath().MatchString(strings.ToLower(file))
}

var adrPath = pattern.Late(`(^|/)(adrs?|decisions|decision-records|architecture-decisions|architectural-decisions|architecture-decision-records)/[^/]+$`)

func readADR(v *version) []item {
	a, ok := discovery.ReadADR(v.path, v.text)
	if !ok {
		return nil
	}
	it := item{signal: signalADR, key: "adr:" + v.path, value: a.Status, name: word(a.Title), show: word(a.Status), note: string(v.text), line: 1}
	return []item{it}
}

// decided returns the decision that a record tells.
func decided(text string) *capture.Decision {
	for _, d := range capture.Find(text) {
		return &d
	}
	return nil
}

func (c *change) sayADR() saying {
	switch {
	case c.after == nil && c.gone:
		return saying{content: "The decision record “" + c.before.name + "” was removed.", sure: 0.7}
	case c.after == nil:
		return saying{}
	case c.before == nil:
		return saying{content: c.after.name, sure: 0.95}
	case c.after.show == "":
		return saying{}
	case c.before.show == "":
		return saying{content: "The decision “" + c.after.name + "” is " + c.after.show + ".", sure: 0.92}
	}
	return saying{content: "The decision “" + c.after.name + "” is " + c.after.show + " now (it was " + c.before.show + ").", sure: 0.95}
}

// asDecision makes a candidate of a record the decision that it is.
func (c *change) asDecision(to *Candidate) {
	to.Kind, to.Status = Decision, statusOf(c.now().show)
	if c.after == nil {
		to.Kind, to.Status = Fact, ""
		return
	}
	if d := decided(c.after.note); d != nil && c.before == nil {
		to.Reasons, to.Alternatives, to.Consequences = clip(d.Reasons), clip(d.Alternatives), clip(d.Consequences)
		to.Constraints, to.Assumptions = clip(d.Constraints), clip(d.Assumptions)
	}
}

func statusOf(s string) string {
	switch s {
	case "proposed", "superseded", "rejected", "deprecated":
		return s
	}
	return "accepted"
}

// clip returns texts of bounded number and length.
func clip(texts []string) (out []string) {
	for _, t := range texts[:min(len(texts), 8)] {
		if t = brief(t, maxContent); t != "" {
			out = append(out, t)
		}
	}
	return out
}
