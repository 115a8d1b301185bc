package anchors

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// share is a number of cases of a whole.
type share struct {
	Cases int `json:"cases"`
	Of    int `json:"of"`
}

func (s share) String() string {
	if s.Of == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f %% (%d of %d)", 100*float64(s.Cases)/float64(s.Of), s.Cases, s.Of)
}

func (s *share) add(o share) { s.Cases, s.Of = s.Cases+o.Cases, s.Of+o.Of }

// row has the figures of a language in a repository; symbols that are pinned by lines have a row of their own.
type row struct {
	Repo        string `json:"repo"`
	Language    string `json:"language"`
	ByLines     bool   `json:"by_lines"`
	Symbols     int    `json:"symbols"`
	Shadowed    int    `json:"shadowed"` // not pinned: package symbol has another symbol of that name elsewhere
	Comparisons int    `json:"comparisons"`
	Unsure      int    `json:"unsure"` // not compared: the parser of the truth found an error
	Told        share  `json:"told"`
	Alarms      share  `json:"false_alarms"`
	Followed    share  `json:"followed"`
	Wrong       share  `json:"wrong_place"`
	QuietFiles  int    `json:"quiet_files"`
	Quiet       share  `json:"quiet_alarms"`
}

func (w *row) add(o *row) {
	w.Symbols, w.Shadowed, w.Comparisons = w.Symbols+o.Symbols, w.Shadowed+o.Shadowed, w.Comparisons+o.Comparisons
	w.Unsure, w.QuietFiles = w.Unsure+o.Unsure, w.QuietFiles+o.QuietFiles
	for _, s := range []struct{ to, from *share }{
		{&w.Told, &o.Told}, {&w.Alarms, &o.Alarms}, {&w.Followed, &o.Followed}, {&w.Wrong, &o.Wrong}, {&w.Quiet, &o.Quiet},
	} {
		s.to.add(*s.from)
	}
}

// Example is an error, or a symbol that package symbol does not list.
type Example struct {
	Kind     string `json:"kind"`
	Repo     string `json:"repo"`
	Language string `json:"language"`
	Commit   string `json:"commit,omitempty"`
	Place    string `json:"place"`
	Truth    string `json:"truth"`
	Verdict  string `json:"verdict,omitempty"`
}

// report is the result of a replay.
type report struct {
	Rows     []*row    `json:"rows"`
	All      row       `json:"all"`
	Examples []Example `json:"examples"`
	Skipped  []string  `json:"skipped"` // why a language has no truth here
	Seconds  float64   `json:"seconds"`
	Judging  float64   `json:"judging_seconds"` // in anchor.Judge, of verdicts that are compared
	Judged   int       `json:"judged"`
}

// row returns the row of a language, which it adds when it is new.
func (r *report) row(repo, lang string, byLines bool) *row {
	for _, w := range r.Rows {
		if w.Repo == repo && w.Language == lang && w.ByLines == byLines {
			return w
		}
	}
	w := &row{Repo: repo, Language: lang, ByLines: byLines}
	r.Rows = append(r.Rows, w)
	return w
}

// example keeps an example, unless most of its kind, language and repository are there, or one of its place.
func (r *report) example(most int, e Example) {
	n := 0
	for _, have := range r.Examples {
		if have.Kind == e.Kind && have.Language == e.Language && have.Repo == e.Repo {
			if n++; have.Place == e.Place {
				return
			}
		}
	}
	if n < most {
		r.Examples = append(r.Examples, e)
	}
}

// finish orders the rows and adds them up.
func (r *report) finish() {
	slices.SortStableFunc(r.Rows, func(a, b *row) int {
		return strings.Compare(fmt.Sprint(a.Repo, "\x00", a.Language, a.ByLines), fmt.Sprint(b.Repo, "\x00", b.Language, b.ByLines))
	})
	slices.SortStableFunc(r.Examples, func(a, b Example) int { return strings.Compare(a.Kind+a.Language, b.Kind+b.Language) })
	for _, w := range r.Rows {
		r.All.add(w)
	}
}

func (r *report) write(to io.Writer) error {
	var b strings.Builder
	b.WriteString("| repository | language | symbols | comparisons | changes told (100 %) | false alarms (≤ 2 %) |" +
		" moves followed (≥ 90 %) | wrong place | alarms at quiet changes (0) |\n|---|---|--:|--:|--:|--:|--:|--:|--:|\n")
	line := func(repo, lang string, w *row) {
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %s | %s | %s | %s | %s |\n", repo, lang, w.Symbols, w.Comparisons,
			w.Told, w.Alarms, w.Followed, w.Wrong, w.Quiet)
	}
	for _, w := range r.Rows {
		if w.ByLines {
			line(w.Repo, w.Language+", by lines", w)
		} else {
			line(w.Repo, w.Language, w)
		}
	}
	line("all", "", &r.All)
	b.WriteString("\n")
	for _, w := range r.Rows {
		if w.Unsure+w.Shadowed > 0 {
			fmt.Fprintf(&b, "%s, %s: %d comparisons left out for errors in the truth's parser, %d symbols for another of their name.\n",
				w.Repo, w.Language, w.Unsure, w.Shadowed)
		}
	}
	for _, why := range r.Skipped {
		fmt.Fprintf(&b, "Skipped: %s.\n", why)
	}
	fmt.Fprintf(&b, "%.1f s, %.1f s of them for %d verdicts.\n", r.Seconds, r.Judging, r.Judged)
	for _, e := range r.Examples {
		fmt.Fprintf(&b, "\n%s: %s, %s %s %s\n  truth: %s\n", e.Kind, e.Language, e.Repo, e.Commit, e.Place, e.Truth)
		if e.Verdict != "" {
			fmt.Fprintf(&b, "  verdict: %s\n", e.Verdict)
		}
	}
	_, err := io.WriteString(to, b.String())
	return err
}

// missed returns an error that names the figures that miss their bar, nil when there are none.
func (r *report) missed() error {
	var names []string
	for _, f := range []struct {
		name   string
		missed bool
	}{
		{"changes told", r.All.Told.Cases < r.All.Told.Of},
		{"false alarms", 50*r.All.Alarms.Cases > r.All.Alarms.Of},
		{"moves followed", 10*r.All.Followed.Cases < 9*r.All.Followed.Of},
		{"alarms at quiet changes", r.All.Quiet.Cases > 0},
	} {
		if f.missed {
			names = append(names, f.name)
		}
	}
	if names == nil {
		return nil
	}
	return errors.New("not reached: " + strings.Join(names, "; "))
}
