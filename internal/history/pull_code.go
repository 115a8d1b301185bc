package history

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"sdd/internal/anchor"
	"sdd/internal/check"
	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/record"
	"sdd/internal/store"
)

// CodeReview lists the code that the branch changes under records that it does not keep up to date.
type CodeReview struct {
	Changes  []CodeChange `json:"changes"` // at most mostCode, those whose code is gone first
	More     int          `json:"more"`    // changes that the list leaves out
	Records  int          `json:"records"` // records with a change
	Gone     int          `json:"gone"`    // records that say what is no longer there
	UpToDate int          `json:"up_to_date"`
	Moved    int          `json:"moved"` // places that have the same content elsewhere
}

const mostCode = 20

// CodeChange is a record and the code under it that the branch changes.
type CodeChange struct {
	ID    string       `json:"id"`
	Type  string       `json:"type"`
	Title string       `json:"title"`
	File  string       `json:"file"`
	Line  int          `json:"line"`
	Text  string       `json:"text"`  // the item that names the place, else the record's main statement
	Place string       `json:"place"` // as the record has it
	Now   string       `json:"now"`   // "" when it is gone
	State anchor.State `json:"state"` // drifted or gone
	First int          `json:"first"` // the first line of Is in the file at the head
	Was   string       `json:"was"`   // the first of the changed lines at the merge base
	Is    string       `json:"is"`

	was, is anchor.Verdict
	v       *version
}

// codeDiff is the files outside of the store that differ between the merge base and the head, from the top.
type codeDiff struct {
	base             string            // of the store's root
	old, new         []string          // the files of each side
	renamed, renames map[string]string // by the old path the new one, and by the new path the old one; "" without one
}

func newCodeDiff(h *history, changes []git.Change) codeDiff {
	d := codeDiff{base: h.base(), renamed: map[string]string{}, renames: map[string]string{}}
	for _, c := range changes {
		if strings.HasPrefix(c.Path, h.prefix+"/") {
			continue
		}
		old, now := c.Path, c.Path
		switch c.Status {
		case git.Renamed:
			old = c.From
			d.renamed[old], d.renames[now] = now, old
		case git.Deleted:
			d.renamed[old], now = "", ""
		case git.Added, git.Copied:
			d.renames[now], old = "", ""
		}
		if old != "" {
			d.old = append(d.old, old)
		}
		if now != "" {
			d.new = append(d.new, now)
		}
	}
	return d
}

// concerned finds the records at the head that name code which the branch changes.
func (h *history) concerned(p *PullRequest) {
	code := newCodeDiff(h, fault.Must(h.repo.Diff(h.ctx, p.From, p.Head)))
	touched, words := map[string]bool{}, map[string]bool{}
	for _, t := range slices.Concat(code.old, code.new) {
		touched[t], words[lastWord(t)] = true, true
		if root, name, ok := check.InStore(t); ok && !strings.HasPrefix(t, h.prefix+"/") { // a record may have gone to another folder
			root = cmp.Or(root, ".")
			if _, isRecord := record.KindOf(name); isRecord && !slices.Contains(p.Others, root) {
				p.Others = append(p.Others, root)
			}
		}
	}
	slices.Sort(p.Others)
	if len(words) == 0 {
		return
	}
	var under []CodeChange
	for _, e := range h.tree(p.Head) {
		src, err := h.objects.Read(e.ID)
		h.goOn()
		if err != nil || !hasWord(src, words) {
			continue
		}
		rel, _ := h.recordPath(e.Path)
		v := newVersion(rel, src, h.project(state{rev: p.Head}))
		if record.Gone(v.rec.Status) {
			continue
		}
		for _, a := range anchor.OfDoc(record.Open(src)) {
			if touched[code.base+a.Path] || touched[a.Path] {
				under = append(under, CodeChange{ID: v.rec.ID, Type: v.rec.Type(), Title: v.rec.Title, File: store.Folder + "/" + rel,
					Place: a.Ref.String(), is: anchor.Verdict{Anchor: a}, v: v})
			}
		}
	}
	p.Code = code.review(h, p, under)
}

// lastWord is the end of a path that hasWord compares.
func lastWord(p string) string {
	p = path.Base(p)
	return p[strings.LastIndexFunc(p, endsWord)+1:]
}

// endsWord reports whether r is in no name of a file that a text could have.
func endsWord(r rune) bool {
	return r < utf8.RuneSelf && !strings.ContainsRune("._-+", r) && (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z')
}

// hasWord reports whether a text has one of the words. It is a quick test: it reads each byte once.
func hasWord(src []byte, words map[string]bool) bool {
	for w := range bytes.FieldsFuncSeq(src, endsWord) {
		if words[string(w)] || words[strings.TrimRight(string(w), ".")] {
			return true
		}
	}
	return false
}

// review compares the code under records at the merge base and the head. A record's fingerprint tells only whether it is up to date.
func (d codeDiff) review(h *history, p *PullRequest, under []CodeChange) CodeReview {
	r, ctx := CodeReview{Changes: []CodeChange{}}, h.ctx
	if len(under) == 0 {
		return r
	}
	disk := anchor.New(h.st.Dir())
	defer disk.Close()
	base := fault.Must(disk.At(ctx, p.From))
	defer base.Close()
	head := fault.Must(disk.At(ctx, p.Head))
	defer head.Close()
	base.Against(head, d.old, d.renames)
	head.Against(base, d.new, d.renamed)

	named := make([]anchor.Anchor, len(under))
	for i := range under {
		named[i] = under[i].is.Anchor
	}
	own := head.Judge(ctx, named) // by the record's fingerprint
	before := base.Judge(ctx, named)
	pinned := slices.Clone(named)
	for i, b := range before {
		if b.State == anchor.Gone || b.State == anchor.Unknown {
			continue
		}
		if seen, whole, err := base.Pin(b.Now); err == nil {
			pinned[i] = anchor.In(map[string]any{anchor.RefKey: whole.String(), anchor.SeenKey: seen}, nil)[0]
		}
	}
	current := map[string]bool{}
	for i, is := range head.Judge(ctx, pinned) {
		c := &under[i]
		a, b := named[i], before[i]
		vouched := len(a.Seen) > 0 && (own[i].State == anchor.Fresh || own[i].State == anchor.Moved)
		switch {
		case is.State == anchor.Moved && is.Now != a.Ref && own[i].State != anchor.Fresh:
			r.Moved++
		case is.State != anchor.Drifted && is.State != anchor.Gone:
		case b.State == anchor.Gone && is.State == anchor.Gone: // before the branch, too
		case vouched:
			current[c.File] = true
		case is.State == anchor.Gone || !a.Mention || len(a.Seen) > 0:
			is.Anchor = a
			c.State, c.is, c.was = is.State, is, b
			r.Changes = append(r.Changes, *c)
		}
	}
	r.finish(base, head, current)
	h.goOn()
	return r
}

// finish counts, sorts and cuts the changes, and completes those that are shown.
func (r *CodeReview) finish(base, head *anchor.Tree, current map[string]bool) {
	records, gone := map[string]bool{}, map[string]bool{} // their files
	for _, c := range r.Changes {
		records[c.File] = true
		if c.State == anchor.Gone {
			gone[c.File] = true
		}
		delete(current, c.File)
	}
	r.Records, r.Gone, r.UpToDate = len(records), len(gone), len(current)
	slices.SortStableFunc(r.Changes, func(a, b CodeChange) int {
		return cmp.Or(strings.Compare(string(b.State), string(a.State)), strings.Compare(a.File, b.File)) // gone before drifted
	})
	r.More = max(0, len(r.Changes)-mostCode)
	r.Changes = r.Changes[:len(r.Changes)-r.More]
	for i := range r.Changes {
		c := &r.Changes[i]
		said := c.v.statement(c.is.Line)
		c.Line, c.Text = said.line, record.OneLine(said.text)
		var now string
		if c.State == anchor.Drifted {
			c.Now = c.is.Now.String()
			now = head.Text(c.is.Now.Path, c.is.Lines[0], c.is.Lines[1])
		}
		was := base.Text(c.was.Now.Path, c.was.Lines[0], c.was.Lines[1])
		c.Was, c.Is, c.First = anchor.Difference(was, now, c.is.Lines[0])
		c.Was, c.Is = firstLines(c.Was), firstLines(c.Is)
	}
}

const mostHunk = 8 // lines of each side

// firstLines are the first lines of a text and the number of the others.
func firstLines(text string) string {
	lines := slices.Collect(strings.Lines(text))
	if len(lines) <= mostHunk+1 {
		return text
	}
	return strings.Join(lines[:mostHunk], "") + fmt.Sprintf("… and %d more lines\n", len(lines)-mostHunk)
}

// summary is a sentence for each count that is not 0.
func (r CodeReview) summary() string {
	text := ""
	if r.Records > 0 {
		if text = "This changes code under " + fault.Count(r.Records, "record", "records"); r.Gone > 0 {
			text += "; " + fault.Count(r.Gone, "says", "say") + " what is no longer there"
		}
		text += ". "
	}
	if r.UpToDate > 0 {
		text += fault.Count(r.UpToDate, "record was kept up to date with its code. ", "records were kept up to date with their code. ")
	}
	if r.Moved > 0 {
		text += fault.Count(r.Moved, "place moved with its content; `sdd affirm --moved` writes the new one. ",
			"places moved with their content; `sdd affirm --moved` writes the new ones. ")
	}
	return text
}

// settle is what brings the record up to date.
func (c CodeChange) settle() string {
	if c.State == anchor.Gone {
		return "edit, supersede or archive it"
	}
	return "`sdd affirm " + c.ID + "` if it still holds, else edit or supersede it"
}

func (c *comment) addCode(r CodeReview) {
	var entries []entry
	for _, x := range r.Changes {
		now := code(x.Now) + fmt.Sprintf(" line %d", x.First)
		if x.State == anchor.Gone {
			now = code(x.Place) + " is gone"
		}
		block := fmt.Sprintf("- %s (%s line %d) says %s; %s: %s\n\n", code(x.ID), code(x.File), x.Line, code(x.Text), now, x.settle())
		for l := range strings.Lines(fence(Replaced(x.Was, x.Is))) {
			block += "  " + l
		}
		entries = append(entries, entry{x.Title, block + "\n"})
	}
	if r.More > 0 {
		entries = append(entries, entry{"", fmt.Sprintf("- and %d more\n", r.More)})
	}
	c.addList("Changes code under records", entries)
}

// findings puts a change at the changed code where the store is at the top of the work tree, else at the record.
func (r CodeReview) findings(base string) (all []check.Finding) {
	for _, c := range r.Changes {
		f := check.Finding{File: c.File, Line: c.Line, Rule: "code-gone", Severity: check.Warning,
			Message: fmt.Sprintf("%s says %q, and this branch removes %s: %s", c.ID, cut(c.Text, maxInline), c.Place, c.settle())}
		if c.State == anchor.Drifted {
			f.Rule = "code-changed"
			if base == "" {
				f.File, f.Line = c.is.Now.Path, c.First
			}
			f.Message = fmt.Sprintf("this branch changes %s, of which %s says %q: %s", c.Now, c.ID, cut(c.Text, maxInline), c.settle())
		}
		all = append(all, f)
	}
	return all
}
