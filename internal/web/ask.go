package web

import (
	"net/http"
	"strconv"
	"strings"

	"sdd/internal/answer"
	"sdd/internal/fault"
	"sdd/internal/record"
)

// askPage shows the text that an agent gets for a question.
type askPage struct {
	Query   string
	Budget  string // as given, "" for that of config.yaml
	Limit   int    // its tokens, 0 for that of config.yaml
	Share   string // the part of the budget that the answer uses
	Asked   bool
	Fault   *fault.Error
	Answer  answer.Result
	Text    string
	Sources []link
	Omitted []link
}

// ask shows the answer to a question as an agent gets it. It writes nothing, and does not count as
// a call.
func (s *site) ask(w http.ResponseWriter, r *http.Request) error {
	p := page{Title: "Ask", Nav: "ask", Stamp: s.live.stamp()}
	v := r.URL.Query()
	body := askPage{Query: strings.TrimSpace(v.Get("q")), Budget: strings.TrimSpace(v.Get("max_tokens"))}
	status := http.StatusOK
	if body.Asked = body.Query != ""; body.Asked {
		if err := s.brief(r, &body); err != nil {
			if body.Fault = faultOf(err); body.Fault.Code == fault.Internal {
				return err
			}
			status = statusOf(body.Fault.Code)
		}
		p.Title = oneLine(body.Query, 60) + " · Ask"
	}
	p.Body = body
	return s.show(w, r, status, "ask", p)
}

func (s *site) brief(r *http.Request, p *askPage) error {
	if p.Budget != "" {
		n, err := strconv.Atoi(p.Budget)
		if err != nil || n == 0 {
			return fault.New(fault.Invalid, "max_tokens %q is no number of tokens", record.Brief(p.Budget)).For("max_tokens").
				With("allowed: 50 to 100000; leave it empty for that of config.yaml")
		}
		p.Limit = n
	}
	var err error
	if p.Answer, err = s.uses.Answers.Brief(r.Context(),
		answer.Query{Query: p.Query, MaxTokens: p.Limit, ReadOnly: true, Tool: "page", Session: s.session}); err != nil {
		return err
	}
	p.Text = visible(p.Answer.Context)
	if p.Limit > 0 {
		p.Share = percent(float64(p.Answer.TokensUsed) / float64(p.Limit))
	}
	for _, id := range p.Answer.Sources {
		p.Sources = append(p.Sources, s.toldLink(r, id))
	}
	for _, id := range p.Answer.Omitted {
		p.Omitted = append(p.Omitted, s.toldLink(r, id))
	}
	return nil
}

// toldLink links to a record, or to its candidate in the queue.
func (s *site) toldLink(r *http.Request, id string) link {
	to := s.linkOf(id)
	if to.Href != "" {
		return to
	}
	if c, err := s.inbox.Get(r.Context(), id); err == nil {
		return link{nameOf(c.Content, 120), candidateHref(c.ID)}
	}
	return to
}
