package check

import (
	"fmt"
	"slices"
	"strings"

	"sdd/internal/record"
)

// Severity is the weight of a finding; errors refuse a commit.
type Severity string

const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Rule is one thing that a check looks for.
type Rule struct {
	ID       string
	Severity Severity
	Summary  string // what is wrong
	Help     string // why it matters, and what to do
}

const (
	ruleConflict    = "conflict-markers"
	ruleFenced      = "fenced-markers"
	ruleFrontMatter = "broken-front-matter"
	ruleText        = "invalid-text"
	ruleSecret      = "secret"
	ruleDuplicate   = "duplicate-identity"
	ruleValue       = "bad-value"
	ruleScope       = "scope-and-folder"
	ruleConfig      = "broken-config"
	ruleConfigKey   = "unknown-config-key"
	ruleUnreadable  = "unreadable"
	ruleFileSize    = "file-too-large"
	ruleSectionSize = "section-too-large"
	ruleTitle       = "title-too-long"
	ruleDepth       = "too-deep"
	ruleEmpty       = "empty-record"
	ruleSection     = "duplicate-section"
	ruleCollision   = "name-collision"
	ruleName        = "unportable-name"
	ruleLink        = "dead-link"
	ruleReference   = "dead-reference"
	ruleGone        = "anchor-gone"
	ruleDrifted     = "anchor-drifted"
	ruleMoved       = "anchor-moved"
	ruleAbsolute    = "absolute-path"
	ruleExpired     = "expired-fact"
	ruleHalf        = "half-superseded"
	ruleCircle      = "decision-circle"
	ruleRivals      = "rival-decisions"
	ruleIgnored     = "ignored-by-git"
	ruleInstruction = "reads-as-instruction"
)

// rules lists every rule of a check, for help and SARIF.
var rules = []Rule{
	{ruleConflict, Error, "a merge conflict is not resolved",
		"Nothing is written to the file until it is: keep one side or both, by hand or with sdd resolve, and remove the markers."},
	{ruleFrontMatter, Error, "the front matter cannot be read",
		"Identity and status of the record are in it. Mend the YAML between the two --- lines."},
	{ruleText, Error, "the file is not UTF-8 text", "Save it as UTF-8 without NUL bytes."},
	{ruleSecret, Error, "the text holds a key, token or password",
		"Take it out and revoke it: it stays in git's history. " +
			"A false finding is allowed by its fingerprint under secrets.allow in config.yaml."},
	{ruleDuplicate, Error, "two files hold the same record",
		"Saves and references cannot tell them apart. Merge them into one by hand and delete the other."},
	{ruleValue, Error, "a front-matter value is not what its schema says",
		"The values are in schema/. sdd check --fix mends case, blanks and quoted numbers."},
	{ruleScope, Error, "a record has scope personal outside of .sdd/personal, or another one in it",
		"Git takes every folder but .sdd/personal. Move the file, or correct its scope."},
	{ruleConfig, Error, "config.yaml has a value that cannot be used", "The defaults are used until it is mended."},
	{ruleIgnored, Error, "git ignores the records",
		"No commit holds them, and git clean -X deletes them. " +
			"sdd init --unignore puts !/.sdd/ into .gitignore; set ignored: true in config.yaml if it is on purpose."},
	{ruleGone, Error, "a record names code that is not there",
		"Correct code_ref, or edit, supersede or archive the record. It is a warning for a place that no fingerprint proves to have been " +
			"there, and before a commit. check.anchor-gone in config.yaml sets the severity."},
	{ruleFenced, Warning, "a commit brings conflict markers in a code fence",
		"Markers in a fence are an example, or a conflict that was staged as it was. Only a check of what is staged looks for them."},
	{ruleConfigKey, Warning, "config.yaml has a key that nothing reads", "It is misspelt, or for a later version."},
	{ruleUnreadable, Warning, "a file cannot be read", "It is not shown, searched or checked."},
	{ruleFileSize, Warning, "a file is over its limit", "It is not read. Split it, or raise limits.file in config.yaml."},
	{ruleSectionSize, Warning, "a section is over its limit",
		"It is too long to read. Move the rest to a file, or raise limits.section in config.yaml."},
	{ruleTitle, Warning, "a title is over its limit", "Shorten it, or raise limits.title in config.yaml."},
	{ruleDepth, Warning, "the Markdown is nested beyond reason", "The file is read as text and not written to."},
	{ruleEmpty, Warning, "a record has no text", "Fill or delete it."},
	{ruleSection, Warning, "two sections have one name", "Saves go to the first. Join them."},
	{ruleCollision, Warning, "two names are one on macOS and Windows", "One of the files vanishes there. Rename it."},
	{ruleName, Warning, "Windows refuses the name", "The repository cannot be checked out there. Rename the file."},
	{ruleLink, Warning, "a link leads nowhere", "Correct or remove it."},
	{ruleReference, Warning, "a record refers to one that does not exist", "Correct the id, or remove it."},
	{ruleHalf, Warning, "a decision is superseded, but its status is not",
		"A save ended between the two files, or one was edited. Set its status to superseded, or take the link out of the newer one."},
	{ruleCircle, Warning, "decisions supersede or rest on each other in a circle",
		"It is unclear which one holds. Take one of the links out."},
	{ruleRivals, Warning, "two decisions supersede the same one and neither names the other",
		"Two branches may each have replaced it. Supersede one with the other, or link them with relates_to if both hold."},
	{ruleDrifted, Warning, "the code that a record names has changed",
		"sdd anchors RECORD shows the change. If the record still holds, sdd affirm it; else edit, supersede or archive it. " +
			"check.anchor-drifted in config.yaml sets the severity."},
	{ruleMoved, Warning, "the code that a record names is at another place",
		"sdd check --fix and sdd affirm --moved write the new place. check.anchor-moved in config.yaml sets the severity."},
	{ruleAbsolute, Warning, "a path is right on this machine only", "Write it relative to the file. sdd check --fix does."},
	{ruleInstruction, Warning, "a text reads as an instruction to the agent that reads it",
		"A record says what is true of the project. Look who wrote it, and say it as a statement or take it out. An agent sees such a text " +
			"marked until it is on the default branch. check.reads-as-instruction in config.yaml sets the severity."},
	{ruleExpired, Warning, "the time that a fact was given is over",
		"Look whether it holds: refresh or archive it. It is shown as stale until then."},
}

// severities returns the severities that config.yaml sets, by rule; "" is off. Other values are findings of config.yaml.
func severities(section any) map[string]Severity {
	set := map[string]Severity{}
	m, _ := section.(map[string]any)
	for _, rule := range []string{ruleGone, ruleDrifted, ruleMoved, ruleInstruction} {
		switch value := m[rule]; value {
		case "off", false:
			set[rule] = ""
		case string(Warning), string(Error):
			set[rule] = Severity(value.(string))
		}
	}
	return set
}

// off reports whether config.yaml turns a rule off.
func (c *checker) off(rule string) bool {
	set, ok := c.severities[rule]
	return ok && set == ""
}

func severityOf(rule string) Severity {
	return rules[slices.IndexFunc(rules, func(r Rule) bool { return r.ID == rule })].Severity
}

// RulesText lists the rules for help.
func RulesText() string {
	var b strings.Builder
	for _, r := range rules {
		fmt.Fprintf(&b, "  %-20s %-8s %s\n", r.ID, r.Severity, r.Summary)
	}
	return b.String()
}

// ruleOf has the rule and the fix for each code of record.Finding.
var ruleOf = map[string]struct{ rule, fix string }{
	record.BrokenYAML:       {ruleFrontMatter, "mend the YAML between the two --- lines"},
	record.Conflicted:       {ruleConflict, "keep one side or both and remove the markers, by hand or with sdd resolve"},
	record.InvalidUTF8:      {ruleText, "save the file as UTF-8 without NUL bytes"},
	record.TooLarge:         {ruleFileSize, "split it; limits.file in .sdd/config.yaml sets the limit"},
	record.TooDeep:          {ruleDepth, "flatten its lists and quotes"},
	record.DuplicateSection: {ruleSection, "join them under one heading"},
	record.BadValue:         {ruleValue, ""},
	record.SectionTooLarge:  {ruleSectionSize, "move the rest to a file, or raise limits.section in .sdd/config.yaml"},
	record.TitleTooLong:     {ruleTitle, "shorten it"},
	record.Empty:            {ruleEmpty, "fill or delete it"},
}
