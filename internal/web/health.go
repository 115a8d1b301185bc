package web

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"sdd/internal/app"
	"sdd/internal/check"
	"sdd/internal/index"
	"sdd/internal/record"
	"sdd/internal/setup"
)

// healthPage is the content of the store and its problems.
type healthPage struct {
	Status                 app.Status
	Lines                  []string // its figures
	Kinds                  []figure
	Checked                int // files
	Errors                 int
	Warnings               int
	Files                  []sickFile // with an error
	Warned                 []sickFile // with warnings alone
	More                   int        // further findings
	Disputes               []dispute
	Code                   []changedCode
	MoreCode, MoreDisputes int  // in the inbox
	Unread                 int  // records without a check by default
	Soon                   bool // the script asks for the check
	Doctor                 *doctorPart
}

// sickFile is a file with findings.
type sickFile struct {
	File     string
	Page     string // the record's page, "" for a file without one
	Findings []check.Finding
}

// dispute is two records that may contradict each other.
type dispute struct {
	Sides [2]party
	Rule  string
}

type party struct{ ID, Page, Text string }

// doctorPart is the result of Doctor.
type doctorPart struct {
	Findings []mending
	Checked  []string
	Clients  []setup.Client
}

// mending is one finding of Doctor.
type mending struct {
	Place, Page, Text, Fix string
}

const (
	mostFindings = 200  // shown; sdd check lists them all
	mostShown    = 20   // contradictions, and records whose code changed; the inbox has them all
	mostAtOnce   = 300  // records: a check reads each one, so with more of them the page comes first, then its script asks for the check
	mostFollowed = 2000 // records: with more of them the page checks only on request
)

// health shows the content of the store and the findings of a check.
func (s *site) health(w http.ResponseWriter, r *http.Request) error {
	return s.showHealth(w, r, nil)
}

// examine checks git, clients, hooks and the watcher too. It needs a form, since it starts the commands of
// clients.
func (s *site) examine(w http.ResponseWriter, r *http.Request) error {
	c, err := setup.Doctor(r.Context(), s.store, s.index, s.program)
	if err != nil {
		return err
	}
	part := &doctorPart{Checked: c.Checked, Clients: c.Clients}
	for _, f := range c.Findings {
		m := mending{Place: f.File, Page: s.pageOfFile(f.File), Text: f.Text, Fix: f.Fix}
		if f.Line > 0 {
			m.Place += fmt.Sprintf(":%d", f.Line)
		}
		part.Findings = append(part.Findings, m)
	}
	return s.showHealth(w, r, part)
}

func (s *site) showHealth(w http.ResponseWriter, r *http.Request, part *doctorPart) error {
	stamp := s.live.stamp()
	p := healthPage{Doctor: part}
	var err error
	if p.Status, err = s.uses.Status(r.Context()); err != nil {
		return err
	}
	disputes, err := s.uses.Disputes(r.Context())
	if err != nil {
		return err
	}
	for _, d := range disputes {
		of := func(e index.Entry) party { return party{e.ID, pageOf(e.Kind, e.Color, e.ID), e.Title} }
		p.Disputes = append(p.Disputes, dispute{[2]party{of(d.Older), of(d.Newer)}, d.Rule})
	}
	if p.Code, err = s.changedRecords(r.Context()); err != nil {
		return err
	}
	p.MoreCode, p.MoreDisputes = max(0, len(p.Code)-mostShown), max(0, len(p.Disputes)-mostShown)
	p.Code, p.Disputes = p.Code[:len(p.Code)-p.MoreCode], p.Disputes[:len(p.Disputes)-p.MoreDisputes]
	p.Lines = p.Status.Lines()
	p.Kinds = kindFigures(p.Status)
	records := 0
	for _, n := range p.Status.Records {
		records += n
	}
	if p.Soon = records <= mostFollowed; records > mostAtOnce && r.URL.Query().Get("check") != "all" {
		p.Unread = records
	} else {
		if !p.Soon {
			stamp = ""
		}
		if err := s.check(r.Context(), &p); err != nil {
			return err
		}
	}
	return s.show(w, r, http.StatusOK, "health", page{Title: "Health", Nav: "health", Stamp: stamp, Body: p})
}

func (s *site) check(ctx context.Context, p *healthPage) error {
	report, err := check.Check(ctx, s.store, s.index, check.Options{})
	if err != nil {
		return err
	}
	p.Checked, p.Errors = report.Checked, report.Errors()
	p.Warnings = len(report.Findings) - p.Errors
	p.More = max(0, len(report.Findings)-mostFindings)
	bad := map[string]bool{}
	for _, f := range report.Findings {
		bad[f.File] = bad[f.File] || f.Severity == "error"
	}
	slices.SortStableFunc(report.Findings, func(a, b check.Finding) int { // errors before what is left out
		switch {
		case bad[a.File] == bad[b.File]:
			return 0
		case bad[a.File]:
			return -1
		}
		return 1
	})
	for _, f := range report.Findings[:len(report.Findings)-p.More] {
		list := &p.Warned
		if bad[f.File] {
			list = &p.Files
		}
		if n := len(*list) - 1; n >= 0 && (*list)[n].File == f.File {
			(*list)[n].Findings = append((*list)[n].Findings, f)
			continue
		}
		*list = append(*list, sickFile{f.File, s.pageOfFile(f.File), []check.Finding{f}})
	}
	return nil
}

// kindPages are the lists of each kind.
var kindPages = map[record.Kind]struct{ name, page string }{
	record.Exploration: {"Explorations", "/explorations"}, record.Idea: {"Ideas", "/search?type=idea"}, record.Fact: {"Facts", "/facts"},
	record.Decision: {"Decisions", "/decisions"}, record.Candidate: {"Candidates", "/inbox"},
}

func kindFigures(st app.Status) (all []figure) {
	for _, k := range record.Kinds {
		name := kindPages[k]
		note := ""
		switch k {
		case record.Fact:
			note = noteOf(st.Facts.ByState["stale"], "is stale", "are stale")
		case record.Candidate:
			note = noteOf(st.Inbox.Pending+st.Inbox.Queued, "waits", "wait")
		case record.Decision:
			if len(st.Decisions.ByStatus) > 0 {
				note = percent(st.Decisions.CausalCoverage) + " have a reason or a link"
			}
		case record.Idea:
			note = noteOf(st.Ideas[record.Learning+" outdated"], "learning is outdated", "learnings are outdated")
		}
		all = append(all, figure{name.name, fmt.Sprint(st.Records[string(k)]), note, name.page})
	}
	return all
}

func noteOf(n int, one, many string) string {
	if n == 0 {
		return ""
	}
	return plural(n, one, many)
}
