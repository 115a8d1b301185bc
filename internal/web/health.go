package web

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"sdd/internal/app"
	"sdd/internal/check"
	"sdd/internal/fault"
	"sdd/internal/record"
	"sdd/internal/setup"
)

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
	Disputes               []app.Dispute
	Code                   [][]app.Anchored // records whose code has changed or is gone
	MoreCode, MoreDisputes int              // in the inbox
	Unread                 int              // records without a check by default
	Soon                   bool             // the script asks for the check
	Doctor                 *setup.Checkup
}

type sickFile struct {
	File     string
	Page     string // the record's page, "" for a file without one
	Findings []check.Finding
}

const (
	mostFindings = 200  // shown; sdd check lists them all
	mostShown    = 20   // contradictions, and records whose code changed; the inbox has them all
	mostAtOnce   = 300  // records: a check reads each one, so with more of them the page comes first, then its script asks for the check
	mostFollowed = 2000 // records: with more of them the page checks only on request
)

func (s *site) health(w http.ResponseWriter, r *http.Request) error { return s.showHealth(w, r, nil) }

// examine checks git, clients and hooks too. It needs a form, since it starts the commands of clients.
func (s *site) examine(w http.ResponseWriter, r *http.Request) error {
	c := fault.Must(setup.Doctor(r.Context(), s.Store, s.Index, s.program))
	return s.showHealth(w, r, &c)
}

func (s *site) showHealth(w http.ResponseWriter, r *http.Request, doctor *setup.Checkup) error {
	ctx := r.Context()
	p := healthPage{Doctor: doctor, Status: fault.Must(s.Status(ctx)), Disputes: fault.Must(s.Disputes(ctx)), Code: fault.Must(s.Alarms(ctx))}
	p.MoreCode, p.MoreDisputes = max(0, len(p.Code)-mostShown), max(0, len(p.Disputes)-mostShown)
	p.Code, p.Disputes = p.Code[:len(p.Code)-p.MoreCode], p.Disputes[:len(p.Disputes)-p.MoreDisputes]
	p.Lines = p.Status.Lines()
	p.Kinds = kindFigures(p.Status)
	records, live := sum(p.Status.Records), true
	if p.Soon = records <= mostFollowed; records > mostAtOnce && r.URL.Query().Get("check") != "all" {
		p.Unread = records
	} else {
		live = p.Soon
		s.check(ctx, &p)
	}
	return s.show(w, r, http.StatusOK, "health", page{Title: "Health", Nav: "health", Live: live, Body: p})
}

func (s *site) check(ctx context.Context, p *healthPage) {
	report := fault.Must(check.Check(ctx, s.Store, s.Index, check.Options{}))
	p.Checked, p.Errors = report.Checked, report.Errors()
	p.Warnings = len(report.Findings) - p.Errors
	p.More = max(0, len(report.Findings)-mostFindings)
	bad, order := map[string]bool{}, map[bool]int{false: 1} // files with an error come first
	for _, f := range report.Findings {
		bad[f.File] = bad[f.File] || f.Severity == check.Error
	}
	slices.SortStableFunc(report.Findings, func(a, b check.Finding) int { return order[bad[a.File]] - order[bad[b.File]] })
	for _, f := range report.Findings[:len(report.Findings)-p.More] {
		list := &p.Warned
		if bad[f.File] {
			list = &p.Files
		}
		if n := len(*list) - 1; n >= 0 && (*list)[n].File == f.File {
			(*list)[n].Findings = append((*list)[n].Findings, f)
		} else {
			*list = append(*list, sickFile{f.File, s.pageOfFile(f.File), []check.Finding{f}})
		}
	}
}

func kindFigures(st app.Status) []figure {
	number := func(k record.Kind) string { return fmt.Sprint(st.Records[string(k)]) }
	note := func(n int, one, many string) string {
		if n == 0 {
			return ""
		}
		return fault.Count(n, one, many)
	}
	causes := ""
	if len(st.Decisions.ByStatus) > 0 {
		causes = percent(st.Decisions.CausalCoverage) + " have a reason or a link"
	}
	return []figure{
		{"Explorations", number(record.Exploration), "", "/explorations"},
		{"Ideas", number(record.Idea), note(st.Ideas[record.Learning+" outdated"], "learning is outdated",
			"learnings are outdated"), "/search?type=idea"},
		{"Facts", number(record.Fact), note(st.Facts.ByState["stale"], "is stale", "are stale"), "/facts"},
		{"Decisions", number(record.Decision), causes, "/decisions"},
		{"Candidates", number(record.Candidate), note(st.Inbox.Pending+st.Inbox.Queued, "waits", "wait"), "/inbox"},
	}
}
