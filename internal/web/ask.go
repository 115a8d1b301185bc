package web

import (
	"html"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"sdd/internal/answer"
	"sdd/internal/fault"
	"sdd/internal/pattern"
	"sdd/internal/record"
	"sdd/internal/tokens"
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
	Shown   template.HTML // Text as a page, its ids as links
	Parts   chart         // its tokens by kind of record
	Sources []link
	Omitted []link
}

// ask shows the answer to a question as an agent gets it. It writes nothing, and counts as no call.
func (s *site) ask(w http.ResponseWriter, r *http.Request) error {
	p := page{Title: "Ask", Nav: "ask", Live: true}
	v := r.URL.Query()
	body := askPage{Query: strings.TrimSpace(v.Get("q")), Budget: strings.TrimSpace(v.Get("max_tokens"))}
	status := http.StatusOK
	if body.Asked = body.Query != ""; body.Asked {
		if err := tried(func() { s.brief(r, &body) }); err != nil {
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

func (s *site) brief(r *http.Request, p *askPage) {
	if p.Budget != "" {
		n, err := strconv.Atoi(p.Budget)
		if err != nil || n == 0 {
			fault.Check(fault.New(fault.Invalid, "max_tokens %q is no number of tokens", record.Brief(p.Budget)).For("max_tokens").
				With("allowed: 50 to 100000; leave it empty for that of config.yaml"))
		}
		p.Limit = n
	}
	p.Answer = fault.Must(s.Answers.Brief(r.Context(), answer.Query{Query: p.Query, MaxTokens: p.Limit, ReadOnly: true}))
	p.Text = visible(p.Answer.Context)
	p.Shown, p.Parts = s.linked(s.markdown(p.Text, "", 2)), partsOf(p.Answer.Context, p.Limit)
	if p.Limit > 0 {
		p.Share = percent(float64(p.Answer.TokensUsed) / float64(p.Limit))
	}
	for _, id := range p.Answer.Sources {
		p.Sources = append(p.Sources, s.toldLink(r, id))
	}
	for _, id := range p.Answer.Omitted {
		p.Omitted = append(p.Omitted, s.toldLink(r, id))
	}
}

// toldLink links to a record, or to its candidate in the queue.
func (s *site) toldLink(r *http.Request, id string) link {
	to := s.linkOf(id)
	if to.Href != "" {
		return to
	}
	if c, err := s.Inbox.Get(r.Context(), id); err == nil {
		return link{nameOf(c.Content, 120), candidateHref(c.ID)}
	}
	return to
}

var (
	textBetween = pattern.Late(`>[^<]+`)
	bracketed   = pattern.Late(`\[([^\[\]\s]+)\]`)
)

// linked makes links of the ids in brackets. It leaves tags alone.
func (s *site) linked(page template.HTML) template.HTML {
	known := map[string]string{}
	return template.HTML(textBetween().ReplaceAllStringFunc(string(page), func(text string) string {
		return bracketed().ReplaceAllStringFunc(text, func(id string) string {
			name, _, _ := strings.Cut(html.UnescapeString(id[1:len(id)-1]), "@")
			to, ok := known[name]
			if !ok {
				to = s.linkOf(name).Href
				known[name] = to
			}
			if to == "" {
				return id
			}
			return `<a href="` + html.EscapeString(to) + `">` + id + `</a>`
		})
	}))
}

// answerKinds are the kinds of records in an answer by the beginning of their ids, and what belongs to none.
var answerKinds = []string{"fact", "decision", "explore", "idea", "other"}

// partsOf adds up the tokens of an answer by the kind of the record that each line belongs to.
func partsOf(text string, limit int) chart {
	count, kind := map[string]int{}, "other"
	for line := range strings.Lines(text) {
		id, ok := strings.CutPrefix(line, "- [")
		if ok || line[0] == '#' {
			kind = "other"
		}
		for _, k := range answerKinds {
			if ok && strings.HasPrefix(id, k) {
				kind = k
			}
		}
		count[kind] += tokens.Count(line)
	}
	known := answerKinds
	if used := sum(count); limit > used {
		count["unused"] = limit - used
		known = append(slices.Clone(known), "unused")
	}
	return counted("bar", "kind", "Tokens by kind of record", count, known, "")
}
