package extract

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"sdd/internal/decision/capture"
	"sdd/internal/discovery"
	"sdd/internal/git"
	"sdd/internal/pattern"
)

// message is the parsed text about a unit of work.
type message struct {
	subject  string // one line, without the number of a pull request or ticket
	typ      string // the type of Conventional Commits, or the area before a colon, in lower case
	scope    string // the area in parentheses
	title    string // the subject without type and scope
	breaking bool   // the subject has the mark for it
	body     string
	footers  map[string][]string // by their key in lower case
	reverts  string              // id or subject of the reverted commit
}

// maxMessage is the number of bytes of a message that are read.
const maxMessage = 64 << 10

var (
	conventional = pattern.Late(`^(\w+)\s?(?:\(([^)]*)\))?(!)?:\s*(\S.*)$`)
	area         = pattern.Late(`^\[?([\w./*,+-]+(?:[ ,/&]+[\w./*-]+){0,2})\]?[:\]]\s+(\S.*)$`)
	numbers      = pattern.Late(`\s*\((?:(?:fix(?:es)?|close[sd]?|issue|refs?|PR)?:?\s*(?:[\w./-]+)?[#!]\d+[,\s]*)+\)` +
		`|^(?:Merged PR \d+: |(?:issue\s+)?#\d+[:\s]+|\[?[A-Z][A-Z0-9]+-\d+\]?[:\s]+|:\w+:\s+)` +
		`|[,;]?\s*(?i:fix(?:es)?|close[sd]?|resolves|see|refs?)?:?\s*#\d+\.?(?:\s*\(#\d+\))?$`)
	revertOf  = pattern.Late(`This reverts commit ([0-9a-f]{7,64})`)
	footer    = pattern.Late(`^(BREAKING[ -]CHANGES?|[A-Z][A-Za-z-]{2,30}):\s+(\S.*)$`)
	noteFence = pattern.Late("(?is)```\\s*release-?notes?\\s*\n(.*?)```")
	comment   = pattern.Late(`(?s)<!--.*?-->`)
)

func parse(u unit) (m message) {
	text := strings.ReplaceAll(strings.ToValidUTF8(u.Message[:min(len(u.Message), maxMessage)], ""), "\r\n", "\n")
	head, rest, ok := "", "", len(u.Parents) > 1
	if ok {
		head, rest, ok = titled(text)
	}
	if !ok {
		head, rest, _ = strings.Cut(strings.TrimSpace(text), "\n")
	}
	m.subject = discovery.OneLine(withoutSecrets(numbers().ReplaceAllString(discovery.OneLine(head), "")))
	m.title = m.subject
	if c := conventional().FindStringSubmatch(m.subject); c != nil {
		m.typ, m.scope, m.breaking, m.title = strings.ToLower(c[1]), strings.ToLower(discovery.OneLine(c[2])), c[3] != "", c[4]
	} else if c := area().FindStringSubmatch(m.subject); c != nil {
		m.typ, m.title = strings.ToLower(c[1]), c[2]
	}
	if r := revertOf().FindStringSubmatch(rest); r != nil {
		m.reverts = r[1]
	} else if s, ok := strings.CutPrefix(m.subject, `Revert "`); ok {
		m.reverts = strings.TrimSuffix(s, `"`)
	}
	m.footers = map[string][]string{}
	var body []string
	last := ""
	for l := range strings.Lines(withoutSecrets(comment().ReplaceAllString(rest, ""))) {
		l = strings.TrimRight(l, " \n")
		f := footer().FindStringSubmatch(l)
		switch all := m.footers[last]; {
		case f != nil:
			last = strings.ToLower(strings.ReplaceAll(f[1], " ", "-"))
			m.footers[last] = append(m.footers[last], discovery.OneLine(f[2]))
		case last != "" && strings.TrimSpace(l) != "":
			all[len(all)-1] += " " + discovery.OneLine(l)
		default:
			last = ""
			body = append(body, l)
		}
	}
	m.body = strings.TrimSpace(strings.Join(body, "\n"))
	return m
}

// candidates returns the candidates in the words about a unit. logs are the changed lines of changelogs.
func (m message) candidates(u unit, logs []git.Lines) (out []Candidate) {
	for _, b := range slices.Concat(m.footers["breaking-change"], m.footers["breaking-changes"]) {
		out = append(out, Candidate{Content: "Breaking change: " + b, Confidence: 0.8, Signal: "breaking"})
	}
	for _, d := range m.footers["decision"] {
		out = append(out, m.decided(Candidate{Content: d, Confidence: 0.8}))
	}
	if len(out) == 0 {
		said := m.prose()
		if m.typ != Decision || len(said) == 0 {
			out = m.ordinary(u, logs)
		}
		if !slices.ContainsFunc(out, func(c Candidate) bool { return c.Kind == Decision }) {
			out = append(out, said...)
		}
	}
	for n := range out {
		c := &out[n]
		c.Kind, c.Date, c.Evidence = cmp.Or(c.Kind, Fact), u.Date, []Evidence{{Commit: u.ID, Text: m.subject}}
		for _, f := range u.Files {
			if len(c.Evidence) < 4 && ofUsers(f.Path) && f.Status != git.Deleted {
				c.Evidence = append(c.Evidence, Evidence{Commit: u.ID, Path: f.Path})
				c.Domain = cmp.Or(c.Domain, place(f.Path))
			}
		}
	}
	return out
}

// ordinary returns the candidates of a message without special footers: its release note or changelog, else its decision, else its title.
func (m message) ordinary(u unit, logs []git.Lines) (out []Candidate) {
	notes, none := m.notes()
	if none {
		return nil
	}
	if len(notes) == 0 {
		notes = noted(u, logs, m)
	}
	for _, n := range notes {
		out = append(out, weighed(Candidate{Content: bullet(n), Confidence: 0.8, Signal: m.kind(n)}))
	}
	if len(notes) > 0 || m.quiet() || !touchesUsers(u) {
		return out
	}
	if c, ok := m.choice(); ok {
		return []Candidate{c}
	}
	if len(strings.Fields(m.title)) < 2 || ticketOnly().MatchString(m.title) {
		return nil
	}
	return []Candidate{weighed(Candidate{Content: m.words(), Confidence: 0.7, Signal: m.kind(m.title)})}
}

// weighed is a candidate that comes last in the review if it is a repair or a small change: of ten projects, one in eight was worth
// keeping, of features and rules every second.
func weighed(c Candidate) Candidate {
	small := c.Signal == "change" && !rule().MatchString(c.Content) || len(strings.Fields(c.Content)) < 4
	if c.Signal == "fix" || small || strings.Contains(c.Content, " missing ") {
		c.Confidence = 0.5
	}
	return c
}

// rule matches words that hold for the future.
var rule = pattern.Late(`(?i)(?:^|\s)(?:always|never|must|only|by default|requires?|(?:drop|remov)\w* support)\b`)

// words returns the title with its area.
func (m message) words() string {
	text, where := m.title, m.typ
	if loud()[m.typ] || quietTypes()[m.typ] {
		where = m.scope
	}
	if where != "" && where != "*" {
		text = where + ": " + text
	}
	if m.breaking {
		text = "Breaking change: " + text
	}
	return text
}

var ticketOnly = pattern.Late(`(?i)^(?:fix(?:es|ed)?|close[sd]?|resolve[sd]?|issue)?(?: for| issue)?\s*(?:[\w./-]*#?\d+)$`)

// notes returns the lines of the release note in the text of a pull request. none is true for a note without a change.
func (m message) notes() (notes []string, none bool) {
	f := noteFence().FindStringSubmatch(m.body)
	if f == nil {
		return nil, false
	}
	for l := range strings.Lines(f[1]) {
		switch strings.ToLower(strings.Trim(bullet(l), " .*_")) {
		case "":
		case "none", "n/a", "na", "no":
			return nil, true
		default:
			notes = append(notes, strings.TrimSpace(l))
		}
	}
	return notes[:min(len(notes), 5)], false
}

// bullet returns the text of a list item in a changelog, without marks, links and numbers.
func bullet(l string) string {
	l = links().ReplaceAllString(strings.TrimLeft(strings.TrimSpace(l), "-*+• "), "$1")
	l = credits().ReplaceAllString(logMark().ReplaceAllString(l, ""), "")
	l = roles().ReplaceAllString(l, "$1`$2`")
	return discovery.OneLine(numbers().ReplaceAllString(strings.TrimSpace(l), ""))
}

var logMark = pattern.Late(`^\[?(?:(?:FEATURE|BUGFIX|ENHANCEMENT|CHANGE|PERF|SECURITY)\])*`)

// credits is the end of a line that names its author or its pull request: "- by @ann in #12", "(https://…/4844). Thanks @ann."
var credits = pattern.Late(`(?i)[\s,;(–-](?:[\s,;.(–-]*(?:(?:[#!]\d+[,\s]+)*(?:by|thanks(?: to)?) @[\w-]+(?:,? (?:and )?@[\w-]+)*` +
	`|by [\w-]+,? in [#!]\d+|in [#!]\d+|\((?:(?:https?://[^\s,)]+|[#!]\d+)[,\s]*)+\)` +
	`|[:{](?:issue|pr|pull|gh|user|ghpull|ghissue)[:}]` + "`[^`]*`))+" + `[\s).]*$`)

// roles are the roles of Sphinx: :func:`call`, {func}`call`.
var roles = pattern.Late("(^|[\\s(])(?:(?::[a-z]+)*:[a-z]+:|\\{[a-z]+\\})`~?([^`<]*?)(?: <[^`]*>)?`")

var links = pattern.Late(`\[([^\]]*)\]\([^)]*\)`)

var (
	changelog = pattern.Late(`(?i)(?:^|/)(?:changelogs?|changes|history|news|release[-_]?notes)(?:[-_.][\w.-]+)?$`)
	fragment  = pattern.Late(`(?i)(?:^|/)(?:changelogs?|changelog\.d|changelog/unreleased|changes|newsfragments|news|\.changeset` +
		`|\.changes|releasenotes/notes|unreleased)/.*[^/]+$`)
)

// mostNoted is the most changelog lines that a unit adds for its own work; more belong to a release.
const mostNoted = 3

// noted returns the lines that a unit adds to the changelog along with its other work.
func noted(u unit, logs []git.Lines, m message) (notes []string) {
	if released().MatchString(m.title) || !slices.ContainsFunc(u.Files, func(f git.Change) bool { return !aboutReleases(f.Path) }) {
		return nil
	}
	for _, c := range logs {
		switch {
		case fragment().MatchString(c.Path) && len(c.Removed) == 0:
			for _, l := range c.Added {
				t := strings.TrimLeft(l, "# ")
				if len(strings.Fields(bullet(t))) > 2 && !strings.HasPrefix(l, "---") && !strings.HasPrefix(t, "http") {
					notes = append(notes, t)
					break
				}
			}
		case changelog().MatchString(c.Path):
			notes = append(notes, newItems(c)...)
		}
	}
	if len(notes) > mostNoted {
		return nil
	}
	return slices.DeleteFunc(notes, func(n string) bool { return len(strings.Fields(bullet(n))) < 3 })
}

// newItems returns the added list items, each on one line.
func newItems(c git.Lines) (list []string) {
	was := map[string]bool{}
	for _, l := range c.Removed {
		was[bullet(l)] = true
	}
	open := false
	for _, l := range c.Added {
		t := strings.TrimSpace(l)
		switch {
		case len(t) > 2 && strings.ContainsRune("-*+", rune(t[0])) && t[1] == ' ':
			if open = !was[bullet(t)]; open {
				list = append(list, t)
			}
		case open && t != "" && l[0] == ' ':
			list[len(list)-1] += " " + t
		default:
			open = false
		}
	}
	return list
}

func aboutReleases(file string) bool {
	return changelog().MatchString(file) || fragment().MatchString(file) || strings.EqualFold(path.Base(file), "VERSION")
}

// kind returns the signal of a change by its words.
func (m message) kind(text string) string {
	mark, first := noteKind().FindStringSubmatch(text), firstWord(text)
	switch {
	case mark != nil && strings.EqualFold(mark[1], "feature"):
		return "feature"
	case mark != nil:
		return "fix"
	case m.breaking:
		return "breaking"
	case strings.HasPrefix(first, "deprecat") || m.typ == "deprecate":
		return "deprecation"
	case m.typ == "feat" || m.typ == "feature" || adds()[first]:
		return "feature"
	case m.typ == "fix" || m.typ == "bugfix" || m.typ == "hotfix" || m.typ == "security" || mends()[first]:
		return "fix"
	}
	return "change"
}

// noteKind is the mark of a line in a changelog.
var noteKind = pattern.Late(`(?i)^\W*(feature|bugfix|bug|security)\b[\]:]`)

func firstWord(text string) string {
	first, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(text)), " ")
	return strings.Trim(first, ":,.`")
}

var (
	adds = pattern.Words(`add adds added adding support supports introduce introduces introduced allow allows implement implements expose
		exposes enable provide new`)
	mends = pattern.Words(`fix fixes fixed fixing prevent avoid correct handle don't ensure bugfix repair`)
)

// choice returns the decision in a title: a choice over an alternative, with a reason.
func (m message) choice() (c Candidate, ok bool) {
	title, reason := m.title, ""
	if r := causal().FindStringSubmatchIndex(title); r != nil {
		title, reason = title[:r[0]], title[r[2]:r[3]]
	} else {
		reason = m.cause()
	}
	for _, s := range swaps {
		r := s().FindStringSubmatch(title)
		if r == nil || reason == "" {
			continue
		}
		old, chosen := r[s().SubexpIndex("old")], r[s().SubexpIndex("new")]
		if len(strings.Fields(old)) <= 6 && len(strings.Fields(chosen)) <= 8 {
			return m.decided(Candidate{Content: m.title, Confidence: 0.75, Reasons: []string{reason}, Alternatives: []string{old}}), true
		}
	}
	return c, false
}

// cause returns the first sentence of the body that gives a reason, "" for none.
func (m message) cause() string {
	for _, s := range sentenceEnd().Split(m.body, 20) {
		if s = discovery.OneLine(s); bodyCause().MatchString(s) && len(s) > 12 {
			return strings.TrimRight(brief(s, 240), ".")
		}
	}
	return ""
}

var (
	swaps = []func() *regexp.Regexp{
		pattern.Late(`(?i)^(?:switch|migrate|move|convert)\w*\s+(?:.{0,40}\s)?from\s+(?P<old>.+?)\s+to\s+(?P<new>.+)$`),
		pattern.Late(`(?i)^(?:replace|swap)[sd]?\s+(?P<old>.+?)\s+(?:with|by|for)\s+(?P<new>.+)$`),
		pattern.Late(`(?i)^(?:use|prefer|adopt|choose)[sd]?\s+(?P<new>.+?)\s+(?:instead of|rather than|over|in place of|in favou?r of)\s+` +
			`(?P<old>.+)$`),
		pattern.Late(`(?i)^(?:drop|remove|abandon)\w*\s+(?P<old>.+?)\s+in favou?r of\s+(?P<new>.+)$`),
	}
	causal    = pattern.Late(`(?i)[,;]?\s+(?:because|since|as it|so that|due to|in order to)\s+(.+)$`)
	bodyCause = pattern.Late(`(?i)\b(?:because|since|due to|so that|in order to|the reason|no longer maintained|unmaintained` +
		`|end of life|too slow)\b`)
	sentenceEnd = pattern.Late(`[.!?]\s+|\n\n|\n[-*] `)
)

// explicit is the confidence of a sentence that speaks of a decision: "we decided", "it was agreed", "we chose", "Decision: …".
const explicit = 0.9

// prose returns the decisions in the sentences of a message.
func (m message) prose() (out []Candidate) {
	for _, d := range capture.Find(m.subject + "\n\n" + m.body) {
		if d.Confidence >= explicit && d.Status == "accepted" {
			if cause := m.cause(); m.typ == Decision && len(d.Reasons) == 0 && cause != "" {
				d.Reasons = []string{cause}
			}
			out = append(out, m.decided(Candidate{Content: d.Decision, Confidence: 0.75, Reasons: d.Reasons, Alternatives: d.Alternatives}))
		}
	}
	return out
}

// decided turns a candidate into a decision, with its reasons and alternatives from the footers.
func (m message) decided(c Candidate) Candidate {
	c.Kind, c.Signal = Decision, "decision"
	for _, key := range []string{"reason", "reasons", "rationale", "because", "why"} {
		c.Reasons = append(c.Reasons, m.footers[key]...)
	}
	for _, key := range []string{"alternative", "alternatives", "rejected", "considered"} {
		c.Alternatives = append(c.Alternatives, m.footers[key]...)
	}
	return c
}
