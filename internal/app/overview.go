package app

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"sdd/internal/anchor"
	"sdd/internal/candidate"
	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/history"
	"sdd/internal/index"
	"sdd/internal/journal"
	"sdd/internal/learning"
	"sdd/internal/merge"
	"sdd/internal/record"
	"sdd/internal/store"
)

// Overview is the first look at a project: what is new, what needs a review, and what conflicts.
type Overview struct {
	Project   string         `json:"project"`
	Exists    bool           `json:"exists"`          // there is a store
	Records   map[string]int `json:"records"`         // by kind
	New       []Item         `json:"new"`             // uncommitted changes first, then the newest commits; at most 50
	Older     string         `json:"older,omitempty"` // the command that lists older changes
	Review    []Item         `json:"review"`          // candidates the most confident first, outdated learnings, stale facts
	Conflicts []Item         `json:"conflicts"`
	Waiting   int            `json:"waiting"` // number of items to review

	Discovered int `json:"discovered,omitempty"` // facts found by discovery, which the lists leave out

	refused error // why no save can make the store
}

// Item is a record, or a candidate, with the reason why it is in the overview.
type Item struct {
	ID    string `json:"id"`
	Type  string `json:"type"`
	Title string `json:"title"`          // one line
	File  string `json:"file,omitempty"` // relative to the store's root; "" of a candidate that waits in the queue
	Line  int    `json:"line,omitempty"`
	// State is added, changed, removed, renamed; pending, queued, approved, outdated, stale, drifted, gone; or the conflict.
	State  string `json:"state"`
	Note   string `json:"note,omitempty"`   // the change, the reason or the problem
	By     string `json:"by,omitempty"`     // the author of the change
	Time   string `json:"time,omitempty"`   // RFC 3339
	Commit string `json:"commit,omitempty"` // the commit of the change
	Etag   string `json:"etag,omitempty"`   // of the file that this was read from
	Accept string `json:"accept,omitempty"` // the action that accepts it, "" for none
	Refuse string `json:"refuse,omitempty"` // the action that refuses it
	Next   string `json:"next,omitempty"`   // the command for Accept's action, or for a look at the item

	Rows []history.Row `json:"-"` // of what is new: what changed
}

// The actions on items.
const (
	accept     = "accept"
	approve    = "approve"
	reject     = "reject"
	validate   = "validate"
	archive    = "archive"
	refresh    = "refresh"
	affirm     = "affirm"
	putBack    = "put back"
	dismiss    = "leave as it is"
	mergeAgain = "merge again"
)

// States of conflicts, besides the codes of problems.
const (
	unmerged  = "unmerged"  // git has the file in conflict
	ignored   = "ignored"   // git ignores the records
	refused   = "refused"   // git refuses the repository
	elsewhere = "elsewhere" // merging another branch conflicts here
)

const mostNew = 50

// Overview reads this work tree and writes nothing. Elsewhere compares other branches, which takes longer.
func (w *App) Overview(ctx context.Context) (o Overview, err error) {
	defer fault.Caught(&err)
	o = Overview{
		Project: w.Store.Project(), Exists: w.Store.Exists(), Records: map[string]int{},
		New: []Item{}, Review: []Item{}, Conflicts: []Item{},
	}
	if !o.Exists {
		o.refused = git.WithoutWorkTree(w.Store.Dir())
		return o, nil
	}
	fault.Check(w.Index.Refresh(ctx))
	c, err := w.Count(ctx)
	o.Records = c.Records
	o.Records[string(record.Fact)] -= c.Elsewhere[string(record.Fact)] // what discovery finds has no file
	fault.Check(err)
	w.news(ctx, &o)
	w.triage(ctx, &o)
	w.discovered(ctx, &o)
	return o, nil
}

// Triage is the part of Overview that waits for a decision: Review, Waiting and Conflicts. It reads no history.
func (w *App) Triage(ctx context.Context) (o Overview, err error) {
	defer fault.Caught(&err)
	if o.Project, o.Exists = w.Store.Project(), w.Store.Exists(); !o.Exists {
		return o, nil
	}
	fault.Check(w.Index.Refresh(ctx))
	w.triage(ctx, &o)
	return o, nil
}

func (w *App) triage(ctx context.Context, o *Overview) {
	w.candidates(ctx, o)
	w.outdated(ctx, o)
	w.contradictions(ctx, o)
	w.stale(ctx, o)
	w.changedCode(ctx, o)
	w.conflicts(ctx, o)
	o.Waiting = len(o.Review)
}

// discovered counts the facts found by discovery, and takes those that it wrote out of the news.
func (w *App) discovered(ctx context.Context, o *Overview) {
	written := map[string]bool{}
	for _, f := range fault.Must(w.Facts.All(ctx)) {
		if f.Topic() != "" && f.Live() {
			o.Discovered++
			written[f.File] = true
		}
	}
	o.New = slices.DeleteFunc(o.New, func(i Item) bool { return i.State == string(history.Added) && written[i.File] })
}

// news reads the latest changes from git; without git, the newest records.
func (w *App) news(ctx context.Context, o *Overview) {
	news, more, err := history.Recent(ctx, w.Store, mostNew)
	if fault.Is(err, fault.Unavailable) {
		if o.New = append(o.New, w.youngest()...); len(o.New) > mostNew {
			o.New, o.Older = o.New[:mostNew], "sdd search"
		}
		return
	}
	fault.Check(err)
	if more {
		o.Older = "git log -- " + store.Folder
	}
	for _, n := range news {
		i := Item{
			ID: n.ID, Type: n.Type, Title: record.OneLine(n.Title), File: n.File, State: string(n.Status), Note: record.OneLine(n.InWords()),
			By: record.OneLine(n.Author), Time: n.Date, Commit: n.Commit, Next: "sdd log " + n.ID, Rows: n.Rows(),
		}
		if n.Status == history.Added { // all of it is new
			i.Note, i.Rows = record.OneLine(n.Subject), nil
		}
		if n.Commit == "" {
			i.By, i.Time = w.savedBy(n)
		}
		o.New = append(o.New, i)
	}
}

// savedBy names the author of an uncommitted change: the tool of the last save, "by hand" if the file has changed since.
func (w *App) savedBy(n history.News) (by, at string) {
	path := strings.TrimPrefix(n.File, store.Folder+"/")
	now := ""
	if f, err := w.Store.Read(path); err == nil {
		now = record.Etag(f.Bytes)
	}
	entries := w.Store.Entries(n.ID)
	i := slices.IndexFunc(entries, func(e journal.Entry) bool { return e.Path == path }) // others are of the record's former candidate
	if i < 0 || entries[i].After != now {
		return "by hand", ""
	}
	return cmp.Or(record.OneLine(entries[i].Tool), "a tool"), entries[i].Time.UTC().Format(time.RFC3339)
}

func (w *App) youngest() (items []Item) {
	entries := w.Index.Entries()
	slices.SortStableFunc(entries, func(a, b index.Entry) int { return record.CompareTimes(b.Created, a.Created) })
	for _, e := range entries {
		if e.Kind != record.Candidate && e.Created != "" && len(items) <= mostNew {
			items = append(items, Item{
				ID: e.ID, Type: e.Type(), Title: record.OneLine(e.Title), File: e.File, State: string(history.Added),
				Time: e.Created, Next: "sdd show " + e.ID,
			})
		}
	}
	return items
}

// candidates are the candidates without a decision.
func (w *App) candidates(ctx context.Context, o *Overview) {
	list, _, err := w.Inbox.All(ctx)
	fault.Check(err)
	for _, c := range list {
		if c.Status == candidate.Rejected {
			continue
		}
		note := fmt.Sprintf("%s, confidence %.2f", c.Kind, c.Confidence)
		switch {
		case c.Commit != "":
			note += ", found in commit " + c.Commit[:min(len(c.Commit), 10)]
		case c.Source != "":
			note += ", " + record.OneLine(c.Source)
		}
		o.Review = append(o.Review, Item{
			ID: c.ID, Type: string(record.Candidate), Title: record.OneLine(cmp.Or(c.Title, c.Content)), File: c.File, State: c.Status, Note: note,
			Time: c.Created, Etag: c.Seen(), Accept: approve, Refuse: reject, Next: "sdd review approve " + c.ID,
		})
	}
}

// outdated are the learnings that a commit, a newer learning or their own status makes doubtful.
func (w *App) outdated(ctx context.Context, o *Overview) {
	checked := fault.Must(w.Learnings.Check(ctx, false))
	checked = slices.DeleteFunc(checked, func(i learning.Idea) bool { return i.Mark() == "" })
	for _, i := range fault.Must(w.Learnings.Newest(ctx)) {
		if i.Learning() && i.Effective() == "outdated" {
			checked = append(checked, *i)
		}
	}
	for _, i := range checked {
		note, state := i.OutdatedReason, i.Effective()
		if v := i.Verdict; v != nil {
			note = v.Reason
			if v.Status == "check" {
				state = v.Status
				note = strings.Trim(i.Mark(), " ()")
				if v.Commit != "" { // its code changed, nothing contradicts it
					state = "drifted"
				}
			}
		}
		o.Review = append(o.Review, Item{
			ID: i.ID, Type: "learning", Title: record.OneLine(i.Content), File: i.File, State: state, Note: record.OneLine(note),
			By:   record.OneLine(strings.Join(i.Agents, ", ")),
			Time: i.Created, Etag: i.Etag, Accept: validate, Refuse: archive, Next: "sdd review validate " + i.ID,
		})
	}
}

// stale are the facts that need a check.
func (w *App) stale(ctx context.Context, o *Overview) {
	for _, f := range fault.Must(w.Facts.All(ctx)) {
		if f.State != "stale" || f.File == "" {
			continue
		}
		o.Review = append(o.Review, Item{
			ID: f.ID, Type: string(record.Fact), Title: record.OneLine(f.Content), File: f.File, State: f.State, Note: record.OneLine(f.Why),
			Time: f.Created, Etag: f.Etag, Accept: refresh, Refuse: archive, Next: "sdd review refresh " + f.ID,
		})
	}
}

// changedCode are the records whose code has changed or is gone, one item for each record.
func (w *App) changedCode(ctx context.Context, o *Overview) {
	all := fault.Must(w.Alarms(ctx))
	verdicts := make([]*anchor.Verdict, len(all))
	for n, a := range all {
		verdicts[n] = &a[0].Verdict
	}
	for n, cause := range w.Tree.Causes(ctx, verdicts) {
		a, e := all[n], all[n][0].Entry
		i := Item{ID: e.ID, Type: e.Type(), Title: record.OneLine(e.Title), File: e.File,
			State: string(a[0].State), Note: verdicts[n].Mark(cause), Time: e.Created, Etag: e.Etag, Next: "sdd anchors " + e.ID}
		if a[0].State == anchor.Drifted {
			i.Accept, i.Next = affirm, "sdd affirm "+e.ID
		}
		o.Review = append(o.Review, i)
	}
}

// Dispute is two facts, or two learnings, in force that may contradict each other.
type Dispute struct {
	Older, Newer index.Entry // Title is the text
	Rule         string
}

// Disputes returns the pairs of facts and learnings in force that may contradict each other.
func (w *App) Disputes(ctx context.Context) (out []Dispute, err error) {
	defer fault.Caught(&err)
	for _, c := range fault.Must(w.Facts.Contradictions(ctx)) {
		out = append(out, Dispute{factEntry(&c.Older), factEntry(&c.Newer), c.Rule})
	}
	for _, i := range fault.Must(w.Learnings.Check(ctx, false)) {
		if e := i.Verdict.Evidence; e != nil {
			newer := &learning.Idea{ID: i.Verdict.By, Content: e.New}
			out = append(out, Dispute{learningEntry(&i), learningEntry(newer), e.Rule})
		}
	}
	return out, nil
}

// contradictions are the pairs of facts in force that may contradict each other.
func (w *App) contradictions(ctx context.Context, o *Overview) {
	for _, c := range fault.Must(w.Facts.Contradictions(ctx)) {
		o.Review = append(o.Review, Item{
			ID: c.Older.ID, Type: string(record.Fact), Title: record.OneLine(c.Older.Content), File: c.Older.File, State: "check",
			Note: "against " + c.Newer.ID + ": " + record.OneLine(c.Newer.Content), Time: c.Older.Created, Etag: c.Older.Etag, Refuse: archive,
			Next: "sdd fact add TEXT --supersedes " + c.Older.ID,
		})
	}
}

// conflicts are files that the program cannot write, and changes that the files lack.
func (w *App) conflicts(ctx context.Context, o *Overview) {
	inGit := fault.Must(merge.Unmerged(ctx, w.Store))
	for _, e := range w.Index.Broken() {
		i := Item{ID: e.ID, Type: e.Type(), Title: record.OneLine(e.Title), File: e.File, Etag: e.Etag, Next: "sdd edit " + quoted(e.File)}
		var notes []string
		for _, p := range e.Problems {
			if i.State == "" || p.Code == record.Conflicted {
				i.State, i.Line = p.Code, p.Line
			}
			notes = append(notes, p.Text)
		}
		if i.Note = record.OneLine(strings.Join(notes, "; ")); i.State == record.Conflicted {
			i.Accept, i.Next = mergeAgain, "sdd resolve "+quoted(e.File)
			inGit = slices.DeleteFunc(inGit, func(path string) bool { return path == e.Path })
		}
		o.Conflicts = append(o.Conflicts, i)
	}
	for _, path := range inGit {
		i := Item{
			ID: path, Title: path, File: store.Folder + "/" + path, State: unmerged, Note: "git has it in conflict",
			Accept: mergeAgain, Next: "sdd resolve " + quoted(store.Folder+"/"+path),
		}
		i.ID = cmp.Or(w.describe(&i, path).ID, i.ID)
		o.Conflicts = append(o.Conflicts, i)
	}
	w.lost(ctx, o)
	w.unshared(ctx, o)
}

// describe gives an item the keys of a file, which may be gone.
func (w *App) describe(i *Item, path string) (r record.Record) {
	if f, err := w.Store.Read(path); err == nil {
		r = record.Parse(path, f.Bytes, record.Defaults{Project: w.Store.Project()})
		i.Type, i.Title, i.Etag = r.Type(), record.OneLine(r.Title), r.Etag
	}
	return r
}

// unshared adds an item when no commit can contain the records: git ignores them or refuses the repository.
func (w *App) unshared(ctx context.Context, o *Overview) {
	i := Item{ID: store.Folder, Title: "the records are not shared"}
	by, err := w.Store.Ignored(ctx)
	switch {
	case by != nil:
		i.State, i.Note, i.Next = ignored, by.Text(), by.Fix()
	case fault.Is(err, fault.Unavailable) && git.Available():
		f := fault.Of(err)
		i.State, i.Note, i.Next = refused, f.Message, f.Hint
	default:
		return
	}
	o.Conflicts = append(o.Conflicts, i)
}

// lost are changes that an editor's save undid, one item for each record.
func (w *App) lost(ctx context.Context, o *Overview) {
	at := map[string]int{}
	for _, n := range w.Store.Undone(ctx) {
		note := record.OneLine(n.Text())
		if k, ok := at[n.Record]; ok {
			o.Conflicts[k].Note += "; " + note
			continue
		}
		at[n.Record] = len(o.Conflicts)
		i := Item{
			ID: n.Record, Title: n.Record, File: store.Folder + "/" + n.Path, State: string(n.Kind), Note: note, By: record.OneLine(n.Tool),
			Time: n.Time.UTC().Format(time.RFC3339), Accept: putBack, Refuse: dismiss, Next: "sdd resolve " + n.Record,
		}
		w.describe(&i, n.Path)
		o.Conflicts = append(o.Conflicts, i)
	}
}

// Elsewhere lists the sections that conflict with another branch or work tree. It reads every unmerged branch.
func (w *App) Elsewhere(ctx context.Context) ([]Item, error) {
	if !w.Store.Exists() {
		return nil, nil
	}
	all, err := history.Overlaps(ctx, w.Store)
	if fault.Is(err, fault.Unavailable) {
		return nil, nil
	}
	var items []Item
	for _, v := range all {
		if !v.Conflict {
			continue
		}
		where := "branch " + v.Branch
		if v.Worktree != "" {
			where = "work tree " + v.Worktree
		}
		i := Item{
			ID: v.ID, Title: record.OneLine(v.Title), File: v.File, Line: v.Line, State: elsewhere, By: record.OneLine(where), Time: v.Date,
			Note: "changes the same: " + record.OneLine(cmp.Or(v.Section, "the whole record")),
		}
		if v.Worktree == "" {
			i.Next = "sdd diff " + quoted(v.Branch) + " -- " + v.ID
		}
		if kind, ok := record.KindOf(strings.TrimPrefix(v.File, store.Folder+"/")); ok {
			i.Type = string(kind)
		}
		for _, text := range v.Items {
			i.Rows = append(i.Rows, history.Row{Mark: history.MarkRemark, Text: text})
		}
		items = append(items, i)
	}
	return items, err
}

func quoted(name string) string {
	if strings.IndexFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._/@+-", r) || r > 127)
	}) < 0 {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}

// Moment is a stamp in a readable form.
func Moment(stamp string) string {
	if t, err := time.Parse(time.RFC3339, stamp); err == nil {
		return t.Format("2006-01-02 15:04")
	}
	return stamp
}

// PagePath is the escaped path of a record's page in sdd ui, by its type and id.
func PagePath(kind, id string) string {
	folders := map[string]string{candidateKind: "inbox/", learningKind: "learnings/", factKind: "facts/", string(record.Idea): "ideas/"}
	if kind == learningKind || kind == factKind { // one segment, and an id written by hand can have a slash
		return "/" + folders[kind] + url.PathEscape(id)
	}
	return (&url.URL{Path: "/" + folders[kind] + id}).EscapedPath()
}

func (i Item) changedCode() bool {
	return i.State == string(anchor.Drifted) || i.State == string(anchor.Gone)
}

func (o Overview) Text() string {
	var b strings.Builder
	if o.refused != nil {
		return strings.Replace(newcomer, firstSave, "Here is no store, and no save can make one: "+fault.Of(o.refused).OneLine()+"\n", 1)
	} else if !o.Exists {
		return newcomer
	}
	fmt.Fprintf(&b, "project %s: %s\n", record.OneLine(o.Project), o.Figures())
	section := func(name string, items []Item) {
		fmt.Fprintf(&b, "\n%s\n", name)
		if len(items) == 0 {
			b.WriteString("  none\n")
		}
		code := 0
		for _, i := range items {
			if i.changedCode() {
				code++
			} else {
				i.write(&b)
			}
		}
		if code > 0 {
			fmt.Fprintf(&b, "  %s\n", needALook(code))
		}
	}
	section("Conflicts", o.Conflicts)
	section("Waits for review", o.Review)
	section("New", o.New)
	if o.Older != "" {
		fmt.Fprintf(&b, "  older: %s\n", o.Older)
	}
	if o.Discovered > 0 && o.Records[string(record.Fact)] == 0 {
		fmt.Fprintf(&b, "\ndiscovery tells %d facts of the repository: sdd fact discover\n", o.Discovered)
	}
	return b.String()
}

// write lists an item: state and name, its details, and the command.
func (i Item) write(b *strings.Builder) {
	fmt.Fprintf(b, "  %s  %s (%s)", strings.ReplaceAll(i.State, "_", " "), i.Title, i.ID)
	if i.Line > 0 {
		fmt.Fprintf(b, " %s:%d", i.File, i.Line)
	}
	b.WriteString("\n")
	if details := slices.DeleteFunc([]string{Moment(i.Time), i.By, i.Note}, func(s string) bool { return s == "" }); len(details) > 0 {
		fmt.Fprintf(b, "      %s\n", strings.Join(details, ", "))
	}
	if i.Accept != "" || i.Line > 0 || i.ID == store.Folder {
		fmt.Fprintf(b, "      %s\n", i.Next)
	}
}

func (o Overview) Figures() string {
	var parts []string
	for _, k := range record.Kinds {
		if n := o.Records[string(k)]; n > 0 {
			noun := record.Noun(string(k))
			parts = append(parts, fault.Count(n, noun, noun+"s"))
		}
	}
	if len(parts) == 0 {
		return "no records yet: sdd explore TITLE --goals TEXT saves the first"
	}
	return strings.Join(parts, ", ")
}

const firstSave = "There is no store here yet. The first save makes one:\n"

// newcomer is the overview without a store.
const newcomer = `sdd keeps what people and agents find out about a project (explorations, decisions, facts, learnings) as Markdown
files under .sdd, in the same commits as the code, and hands them to agents over MCP.

` + firstSave + `
  sdd init                                       make .sdd, with the merge driver for this clone
  sdd explore "User login" --goals "One click"   write down what is known of a topic
  sdd setup                                      connect Claude Code, Cursor, VS Code and other clients
  sdd help                                       list all commands

In a project that has a .sdd, sdd alone shows what conflicts, what waits for review and what is new.
`
