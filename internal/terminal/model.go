package terminal

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"sdd/internal/app"
)

// The panels of the list, in their order. Their numbers on the screen begin at 1.
const (
	conflicts = iota
	toReview
	news
	records
	panels
)

var panelNames = [panels]string{"Conflicts", "Review", "New", "Records"}

// item is a record, or what the overview reports of one, in its panel. The key stays the same when the list is read again.
type item struct {
	app.Item
	panel int
	key   string
	words string // what the filter reads, once needed
}

type panel struct {
	all    []item
	shown  []*item // those of all that the filter leaves
	chosen string  // the key of the chosen item, "" for none
	at     int     // its position in shown
	top    int     // the first of shown on the screen
}

type request struct {
	do     action
	items  []item
	reason string // of a refusal; the side to take
	line   int    // of the conflict to resolve
}

type action byte

const (
	nothing action = iota
	leave
	accept
	refuse
	takeBack // undo the last action in this view
	nameLast // ask whether to undo the last action of the store
	undoLast
	edit
	take   // put a side in the place of a conflict
	browse // show the record on the page
	copyID
	stop // for Ctrl-Z
	paint
)

// asking is a question at the foot of the screen.
type asking byte

const (
	noQuestion asking = iota
	askFilter
	askReason // for refusing
	askSure   // about pending
	askUndo   // what pending.reason names
)

// listing is what the view shows of a store.
type listing struct {
	app.Overview
	whole   bool // the overview has been read, not only the records
	branch  string
	refused error // why no save can make a store
	records []item
}

// model is the state of the view. It contains no terminal: it turns keys and records into frames and requests.
type model struct {
	width, height int
	now           func() time.Time

	project, branch string
	figures         string
	exists          bool
	refused         error // see listing
	whole           bool  // see listing
	touched         bool  // the user has pressed a key

	panels  [panels]panel
	focus   int
	created map[string]string // the records' dates, by file
	marked  map[string]bool   // keys
	next    string            // the key of an item to choose as soon as the list has it

	filter string
	home   int    // the focused panel when the filter began
	found  *found // what the search found for the filter, nil before

	ask     asking
	input   string
	pending request // of the question

	open     bool     // a document fills the screen
	prose    bool     // the document is not a record's
	doc      document // the open document, or the chosen item's
	laid     layout   // of doc
	docAt    int      // its first line on the screen
	conflict int      // the chosen one of doc
	stale    bool     // the files may have changed since doc was read
	acted    bool     // an action of the user may remove the open item from the list

	busy    string // the action in progress
	message string
	failed  bool // the message is an error
	canUndo bool // takeBack has something to undo
}

// found are the records that the search has returned for a filter, the best first.
type found struct {
	filter string
	items  []item
	total  int
	cursor string // of the next page, "" for none
}

func newModel(width, height int, now func() time.Time) *model {
	return &model{width: width, height: height, now: now, focus: records, marked: map[string]bool{}}
}

// set replaces the list. The chosen items stay chosen; one that is gone gives way to its neighbour.
func (m *model) set(l listing) {
	first := l.whole && !m.whole && !m.touched
	m.project, m.branch, m.figures, m.exists = oneLine(l.Project), oneLine(l.branch), l.Figures(), l.Exists
	m.refused = l.refused
	m.whole = m.whole || l.whole
	elsewhere := slices.DeleteFunc(slices.Clone(m.panels[conflicts].all), func(i item) bool { return i.State != "elsewhere" })
	was := m.chosenKey()
	m.created = make(map[string]string, len(l.records))
	for n := range l.records {
		m.created[l.records[n].File] = l.records[n].Time
	}
	for p, list := range [panels][]item{
		append(itemsOf(conflicts, l.Conflicts), elsewhere...), itemsOf(toReview, l.Review), itemsOf(news, l.New), l.records,
	} {
		for n := range list { // new records get their own dates instead of those of the commits that brought them
			if i := &list[n]; p == news && i.State == "added" && m.created[i.File] != "" {
				i.Time = m.created[i.File]
			}
		}
		m.panels[p].stay(list)
	}
	m.actions(m.panels[records].all)
	m.list()
	for p := range m.panels {
		if at := indexKey(m.panels[p].shown, m.next); at >= 0 && m.next != "" {
			m.focus, m.next = p, ""
			m.choose(at)
		}
	}
	if first {
		m.start()
	} else if len(m.panels[m.focus].shown) == 0 && m.filter == "" {
		m.focusFirst()
	}
	if m.stale = true; m.open && !m.prose && m.chosenKey() != was {
		if !m.acted || m.current() == nil {
			m.close()
		}
		if !m.acted {
			m.say("what was open is not listed any more", false)
		}
		m.acted = false
	}
}

// start chooses the first item of each panel, and goes to the first panel with one.
func (m *model) start() {
	for p := range m.panels {
		m.panels[p].choose(0)
	}
	m.focusFirst()
}

func (m *model) focusFirst() {
	for p := range m.panels {
		if len(m.panels[p].shown) > 0 {
			m.focus = p
			return
		}
	}
}

// actions gives the records the actions of their items in the panels of conflicts and reviews.
func (m *model) actions(list []item) {
	with := map[string]*item{}
	for _, p := range []int{toReview, conflicts} {
		for n := range m.panels[p].all {
			if i := &m.panels[p].all[n]; i.File != "" && i.State != "elsewhere" {
				with[i.File] = i
			}
		}
	}
	for n := range list {
		if i := with[list[n].File]; i != nil {
			list[n].Accept, list[n].Refuse, list[n].Etag, list[n].State, list[n].Note = i.Accept, i.Refuse, i.Etag, i.State, i.Note
		}
	}
}

// stay replaces the items. When the chosen one is gone, the nearest to it is chosen, preferably below it.
func (p *panel) stay(list []item) {
	there := make(map[string]bool, len(list))
	for n := range list {
		there[list[n].key] = true
	}
	if at := indexKey(p.shown, p.chosen); at >= 0 && !there[p.chosen] {
		near := slices.Clone(p.shown[:at])
		slices.Reverse(near)
		near = slices.Concat(p.shown[at+1:], near)
		if n := slices.IndexFunc(near, func(i *item) bool { return there[i.key] }); n >= 0 {
			p.chosen = near[n].key
		}
	}
	p.all = list
}

func indexKey(list []*item, key string) int {
	return slices.IndexFunc(list, func(i *item) bool { return i.key == key })
}

// setElsewhere replaces the items about other branches.
func (m *model) setElsewhere(list []app.Item) {
	c := &m.panels[conflicts]
	c.all = slices.DeleteFunc(c.all, func(i item) bool { return i.State == "elsewhere" })
	c.all = append(c.all, itemsOf(conflicts, list)...)
	m.list()
	if !m.touched {
		m.start()
	}
}

// setFound adds a page of what the search found, unless the filter has changed since.
func (m *model) setFound(f found) {
	if f.filter != m.filter || f.filter == "" {
		return
	}
	for n := range f.items {
		f.items[n].Time = m.created[f.items[n].File]
	}
	m.actions(f.items)
	if m.found != nil && m.found.filter == f.filter {
		f.items = append(m.found.items, f.items...)
	}
	m.found = &f
	m.list()
	m.follow()
}

func itemsOf(panel int, list []app.Item) []item {
	out := make([]item, 0, len(list))
	seen := make(map[string]int, len(list))
	for _, i := range list {
		k := fmt.Sprintf("%d\x00%s\x00%s", panel, i.ID, i.File)
		if seen[k]++; seen[k] > 1 {
			k += fmt.Sprintf("\x00%d", seen[k])
		}
		out = append(out, item{Item: i, panel: panel, key: k})
	}
	return out
}

// list applies the filter to the panels.
func (m *model) list() {
	words := strings.Fields(strings.ToLower(m.filter))
	for n := range m.panels {
		p := &m.panels[n]
		p.shown = p.shown[:0]
		from := p.all
		if n == records && m.found != nil && m.found.filter == m.filter {
			from, words = m.found.items, nil
		}
		for k := range from {
			if i := &from[k]; i.has(words) {
				p.shown = append(p.shown, i)
			}
		}
		if at := indexKey(p.shown, p.chosen); at >= 0 {
			p.at = at
		}
		p.choose(p.at)
	}
}

// total is the number of the panel's items with the filter.
func (m *model) total(p int) int {
	if p == records && m.found != nil && m.found.filter == m.filter {
		return m.found.total
	}
	return len(m.panels[p].shown)
}

// has reports whether the list's text of the item contains every word.
func (i *item) has(words []string) bool {
	if len(words) == 0 {
		return true
	}
	if i.words == "" {
		i.words = strings.ToLower(strings.Join([]string{i.Title, i.ID, i.Type, i.State, i.Note, i.By, i.File}, " "))
	}
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(i.words, w) })
}

// refilter applies a filter that has changed. The focus stays in its panel while that has a match, else it goes to the records.
func (m *model) refilter(filter string) {
	if m.filter == "" {
		m.home = m.focus
	}
	if m.filter = filter; filter == "" {
		m.found = nil
	} else {
		for p := range m.panels {
			m.panels[p].chosen, m.panels[p].at = "", 0
		}
	}
	m.list()
	m.follow()
}

// follow moves the focus to the best match while the filter is typed.
func (m *model) follow() {
	if m.ask == askFilter || m.filter == "" && len(m.panels[m.focus].shown) == 0 {
		if m.focus = m.home; len(m.panels[m.home].shown) == 0 {
			m.focus = records
		}
	}
}

// choose chooses the nth item of the panel, or the nearest one.
func (p *panel) choose(n int) {
	if len(p.shown) == 0 {
		p.at, p.top = 0, 0
		return
	}
	p.at = max(0, min(n, len(p.shown)-1))
	p.chosen = p.shown[p.at].key
}

func (m *model) choose(n int) {
	p := &m.panels[m.focus]
	was := p.chosen
	if p.choose(n); p.chosen != was {
		m.docAt = 0
	}
}

func (m *model) move(n int) { m.choose(m.panels[m.focus].at + n) }

// current is the chosen item, nil for none.
func (m *model) current() *item {
	if p := &m.panels[m.focus]; p.at < len(p.shown) {
		return p.shown[p.at]
	}
	return nil
}

func (m *model) chosenKey() string {
	if i := m.current(); i != nil {
		return i.key
	}
	return ""
}

// targets are the marked items, else the chosen one.
func (m *model) targets() (list []item) {
	for p := range m.panels {
		for n := range m.panels[p].all {
			if i := m.panels[p].all[n]; m.marked[i.key] {
				list = append(list, i)
			}
		}
	}
	if i := m.current(); len(list) == 0 && i != nil {
		list = append(list, *i)
	}
	return list
}

// mark marks the chosen item, or takes its mark away, and goes on to the next.
func (m *model) mark() {
	if i := m.current(); i != nil {
		m.setMark(i, !m.marked[i.key])
		m.move(1)
	}
}

// markAll marks what the focused panel shows, or takes the marks away when all is marked.
func (m *model) markAll() {
	shown := m.panels[m.focus].shown
	on := slices.ContainsFunc(shown, func(i *item) bool { return !m.marked[i.key] })
	for _, i := range shown {
		m.setMark(i, on)
	}
}

func (m *model) setMark(i *item, on bool) {
	if delete(m.marked, i.key); on {
		m.marked[i.key] = true
	}
}

// wanted is the item whose document must be read, nil when doc is up to date or not visible.
func (m *model) wanted() *item {
	i := m.current()
	if i == nil || m.open && m.prose || !m.open && !m.wide() || m.doc.of == i.key && !m.stale {
		return nil
	}
	return i
}

func (m *model) show(d document) {
	if d.of != m.doc.of {
		m.docAt, m.conflict = 0, 0
	}
	another := d.of != m.doc.of || len(d.conflicts) != len(m.doc.conflicts)
	m.doc, m.laid, m.stale = d, layout{}, false
	m.conflict = max(0, min(m.conflict, len(d.conflicts)-1))
	if m.turn(0); another && len(d.conflicts) > 0 {
		m.seesConflict()
	}
}

// say puts a message at the foot of the screen, cut to fit.
func (m *model) say(words string, failed bool) {
	m.message, m.failed = cut(oneLine(words), m.width-1), failed
}

// explain shows an error: at the foot of the screen if it fits, else in a document.
func (m *model) explain(words string) {
	if one := oneLine(words); textWidth(one) < m.width && strings.Count(words, "\n") < 2 {
		m.say(one, true)
		return
	}
	d := document{title: "That did not work"}
	d.add(strong, d.title)
	d.add(plain, "")
	d.add(plain, words)
	m.openText(d)
}

// openText shows a document that is not a record's.
func (m *model) openText(d document) {
	m.open, m.prose, m.doc, m.laid, m.docAt = true, true, d, layout{}, 0
}

type layout struct {
	cells int
	lines []line
}

func (m *model) lines() []line {
	if cells := m.docWidth(); m.laid.cells != cells {
		m.laid = layout{cells, m.doc.lines(cells)}
	}
	return m.laid.lines
}
