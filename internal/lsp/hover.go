package lsp

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"sdd/internal/anchor"
	"sdd/internal/app"
	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/index"
	"sdd/internal/markdown"
	"sdd/internal/record"
	"sdd/internal/tier"
)

const (
	hoverLines = 8   // of a record or of code
	hoverLine  = 300 // characters
)

var authorWait = 15 * time.Millisecond

func markdownHover(value string, at span) any {
	return map[string]any{"contents": map[string]any{"kind": "markdown", "value": value}, "range": at}
}

func (j job) hover(p place, _ params) any {
	if p.record == "" {
		return j.hoverCode(p)
	}
	n, ok := nameAt(p.src, p.offset)
	if !ok {
		return nil
	}
	switch t := j.target(p.record, n); {
	case t.record != nil:
		return markdownHover(j.describe(t.record), p.span(n.start, n.end))
	case t.file != "":
		return markdownHover(j.describeCode(p.document, n, t), p.span(n.start, n.end))
	}
	return nil
}

// describe returns a record in a few lines: title, status, author, and how its text begins.
func (j job) describe(e *index.Entry) string {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**\n\n%s", plain(e.Title), e.ID)
	status, err := j.app.StatusOf(j, *e)
	if err != nil {
		status = e.Status
	}
	if status != "" {
		b.WriteString(" · " + status)
	}
	if t := j.app.Tiers(j).Of(e.Path); t != tier.Unknown {
		b.WriteString(" · " + t.String())
	}
	if by := j.git.last(j, j.top, filepath.Join(j.root, filepath.FromSlash(e.File))); by != "" {
		b.WriteString(" · " + by)
	}
	b.WriteString("\n\n")
	if t := j.readRecord(e); t != nil {
		r := record.Parse(e.Path, t.src, record.Defaults{Project: e.Project})
		b.WriteString(fenced("text", beginning(r)))
	}
	return b.String()
}

func beginning(r record.Record) string {
	text := r.Preamble
	for _, s := range r.Sections {
		text += "\n" + s.Text
	}
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") && record.OneLine(strings.TrimLeft(line, "# ")) == r.Title {
			continue
		}
		if lines = append(lines, fault.Cut(line, hoverLine)); len(lines) == hoverLines {
			break
		}
	}
	return strings.Join(lines, "\n")
}

// fenced returns a text as a block: stored text is data, not Markdown of the answer.
func fenced(lang, text string) string {
	fence := strings.Repeat("`", max(3, markdown.LongestRun(text, '`')+1))
	return fence + lang + "\n" + strings.TrimRight(text, "\n") + "\n" + fence + "\n"
}

func plain(title string) string {
	return strings.NewReplacer("*", "\\*", "_", "\\_", "`", "\\`", "<", "\\<", "[", "\\[").Replace(title)
}

// describeCode returns the code that an anchor names: its verdict, and its first lines.
func (j job) describeCode(d *document, n name, t target) string {
	v := j.judge(d, n, t)
	var b strings.Builder
	fmt.Fprintf(&b, "**%s** · %s", plain(t.place.String()), v.State)
	if now := v.Now.String(); v.State == anchor.Moved {
		fmt.Fprintf(&b, " to %s", plain(now))
	}
	if v.Why != "" {
		fmt.Fprintf(&b, ": %s", v.Why)
	}
	if v.State == anchor.Drifted {
		if s := j.app.Tree.Since(j, v); s != nil && s.Commit != "" {
			fmt.Fprintf(&b, " since %.7s (%s, %.10s): %s", s.Commit, plain(s.Author), s.Date, plain(record.OneLine(s.Subject)))
		}
	}
	b.WriteString("\n\n")
	if v.Lines[0] > 0 {
		code := j.app.Tree.Text(v.Now.Path, v.Lines[0], min(v.Lines[1], v.Lines[0]+hoverLines-1))
		b.WriteString(fenced(strings.TrimPrefix(path.Ext(v.Now.Path), "."), code))
	}
	return b.String()
}

// judge returns the verdict of a name that means code: with the fingerprint of the open text where it has one.
func (j job) judge(d *document, n name, t target) anchor.Verdict {
	a := anchor.Anchor{Ref: t.place, Text: n.text}
	for _, known := range anchor.OfDoc(record.Open(d.src)) {
		if known.Ref == t.place {
			a = known
		}
	}
	return j.app.Tree.Judge(j, []anchor.Anchor{a})[0]
}

func (j job) hoverCode(p place) any {
	line := p.position(p.offset).Line
	for _, l := range j.concerning(p.document) {
		if l.line != line {
			continue
		}
		var b strings.Builder
		for i, a := range l.records {
			if i > 0 {
				b.WriteString("\n---\n\n")
			}
			if a.Verdict.Alarm() {
				j.app.Explain(j, l.records[i:i+1])
				b.WriteString(plain(app.Mark(l.records[i:i+1])) + "\n\n")
			}
			b.WriteString(j.describe(&a.Entry))
		}
		return markdownHover(b.String(), p.whole(l.line))
	}
	return nil
}

// authors knows who changed files last. The zero value is ready for use; it is safe for concurrent use.
type authors struct {
	mu    sync.Mutex
	head  string
	known map[string]chan string // by file; has its value when the channel is closed or has an element
}

// last returns who changed a file last, and when. It waits a short time for git: the next call has the answer.
func (a *authors) last(ctx context.Context, top, file string) string {
	head := git.CheckedOutCommit(ctx, top)
	rel, ok := within(top, file)
	if head == "" || !ok {
		return ""
	}
	a.mu.Lock()
	if a.head != head || len(a.known) > 10_000 {
		a.head, a.known = head, map[string]chan string{}
	}
	answer := a.known[rel]
	if answer == nil {
		answer = make(chan string, 1)
		a.known[rel] = answer
		go func() {
			text := ""
			if repo, err := git.Open(top); err == nil {
				limited, stop := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
				defer stop()
				if all, err := repo.Steps(limited, head, 1, rel); err == nil && len(all) > 0 {
					text = fmt.Sprintf("%s, %.10s", plain(all[0].Author), all[0].Date)
				}
			}
			answer <- text
		}()
	}
	a.mu.Unlock()
	select {
	case text := <-answer:
		answer <- text // for the next call
		return text
	case <-time.After(authorWait):
		return ""
	}
}
