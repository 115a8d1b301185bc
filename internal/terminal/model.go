package terminal

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"sdd/internal/app"
)

// Sections of the list, in their order.
const (
	news = iota
	toReview
	conflicts
	sections
)

var sectionNames = [sections]string{"New", "Waits for review", "Conflicts"}

// item is an item of the overview in its section. The key stays the same when the overview is read again.
type item struct {
	app.Item
	section int
	key     string
}

// request is an action that the model asks of the runner.
type request struct {
	do     action
	item   item
	reason string
}

type action byte

const (
	nothing action = iota
	leave
	accept
	refuse
	takeBack // undo the last action in this view
	undoLast // undo the last save of the store
	edit
	stop // for Ctrl-Z
	paint
)

// asking is a question at the foot of the screen.
type asking byte

const (
	noQuestion asking = iota
	askFilter
	askReason // for refusing
	askSure   // to refuse without a reason
	askUndo   // the last save of the store
)

// model is the state of the view. It contains no terminal: it turns keys and records into frames and requests.
type model struct {
	width, height int
	now           func() time.Time

	project string
	figures string
	exists  bool
	items   [sections][]item
	older   string // the command that lists older changes

	rows   []row
	chosen string // the key of the chosen item, "" for none
	next   string // the key of an item to choose as soon as the list has it
	at     int    // the position of the chosen item in the list
	top    int    // the first row on the screen
	filter string

	ask   asking
	input string
	asked item // the item of the question

	open  bool     // a document fills the screen
	prose bool     // the document is not a record's
	doc   document // the open document, or the chosen item's
	laid  layout   // of doc
	docAt int      // its first line on the screen
	stale bool     // the files may have changed since doc was read

	busy    string // the action in progress
	message string
	failed  bool // the message is an error
	canUndo bool // takeBack has something to undo
}

// row is a line of the list: a heading, an item, or a remark.
type row struct {
	heading string
	item    *item
}

func newModel(width, height int, now func() time.Time) *model {
	return &model{width: width, height: height, now: now}
}

// set replaces the overview. The chosen item stays chosen; if it is gone, its neighbour is chosen.
func (m *model) set(o app.Overview) {
	before := m.shown()
	elsewhere := slices.DeleteFunc(slices.Clone(m.items[conflicts]), func(i item) bool { return i.State != "elsewhere" })
	m.project, m.figures, m.exists, m.older = oneLine(o.Project), o.Figures(), o.Exists, o.Older
	for n, list := range [sections][]app.Item{o.New, o.Review, o.Conflicts} {
		m.items[n] = itemsOf(n, list)
	}
	m.items[conflicts] = append(m.items[conflicts], elsewhere...)
	was := m.chosen
	m.stay(before)
	m.list()
	if m.stale = true; m.open && !m.prose && m.chosen != was {
		m.close()
		m.say("what was open is not listed any more", false)
	}
}

// stay chooses the item of an undo, else the item chosen before, else the nearest item to that one, preferably below it.
func (m *model) stay(before []*item) {
	there := map[string]bool{}
	for n := range m.items {
		for _, i := range m.items[n] {
			there[i.key] = true
		}
	}
	if there[m.next] {
		m.chosen, m.next = m.next, ""
		return
	}
	if there[m.chosen] {
		return
	}
	at := slices.IndexFunc(before, func(i *item) bool { return i.key == m.chosen })
	if at < 0 {
		return
	}
	above := slices.Clone(before[:at])
	slices.Reverse(above)
	nearest := slices.Concat(before[at+1:], above)
	for _, section := range []int{before[at].section, news, toReview, conflicts} {
		for _, i := range nearest {
			if i.section == section && there[i.key] {
				m.chosen = i.key
				return
			}
		}
	}
}

// setElsewhere replaces the items about other branches.
func (m *model) setElsewhere(list []app.Item) {
	m.items[conflicts] = slices.DeleteFunc(m.items[conflicts], func(i item) bool { return i.State == "elsewhere" })
	m.items[conflicts] = append(m.items[conflicts], itemsOf(conflicts, list)...)
	m.list()
}

func itemsOf(section int, list []app.Item) []item {
	var out []item
	seen := map[string]int{}
	for _, i := range list {
		k := strings.Join([]string{fmt.Sprint(section), i.ID, i.File}, "\x00")
		if seen[k]++; seen[k] > 1 {
			k += fmt.Sprintf("\x00%d", seen[k])
		}
		out = append(out, item{i, section, k})
	}
	return out
}

// list makes the rows.
func (m *model) list() {
	m.rows = nil
	words := strings.Fields(strings.ToLower(m.filter))
	for n := range m.items {
		if n > 0 && m.height >= airyFrom {
			m.rows = append(m.rows, row{})
		}
		var shown []row
		for k := range m.items[n] {
			if i := &m.items[n][k]; i.has(words) {
				shown = append(shown, row{item: i})
			}
		}
		count := fmt.Sprint(len(m.items[n]))
		if len(shown) != len(m.items[n]) {
			count = fmt.Sprintf("%d of %d", len(shown), len(m.items[n]))
		}
		if n == news && m.older != "" {
			count += ", older: " + m.older
		}
		m.rows = append(m.rows, row{heading: fmt.Sprintf("%s (%s)", sectionNames[n], count)})
		m.rows = append(m.rows, shown...)
	}
	all := m.shown()
	if len(all) == 0 {
		m.chosen, m.at, m.top = "", 0, 0
		return
	}
	if at := slices.IndexFunc(all, func(i *item) bool { return i.key == m.chosen }); at >= 0 {
		m.at = at
	}
	m.choose(m.at)
}

// has reports whether the list's text of the item contains every word.
func (i *item) has(words []string) bool {
	in := strings.ToLower(strings.Join([]string{i.Title, i.ID, i.Type, i.State, i.Note, i.By, i.File}, " "))
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(in, w) })
}

// shown are the items of the list, in order.
func (m *model) shown() (all []*item) {
	for _, r := range m.rows {
		if r.item != nil {
			all = append(all, r.item)
		}
	}
	return all
}

// choose chooses the nth item of the list, or the nearest one.
func (m *model) choose(n int) {
	all := m.shown()
	if len(all) == 0 {
		return
	}
	m.at = max(0, min(n, len(all)-1))
	if m.chosen != all[m.at].key {
		m.chosen, m.docAt = all[m.at].key, 0
	}
	m.scroll()
}

// scroll brings the chosen row onto the screen, with its heading if it is the first of its section.
func (m *model) scroll() {
	n := m.chosenRow()
	room := m.listHeight()
	first := n
	for first > 0 && m.rows[first-1].item == nil {
		first--
	}
	switch {
	case n < 0:
		m.top = 0
	case first < m.top:
		m.top = first
	case n >= m.top+room:
		m.top = n - room + 1
	}
	m.top = max(0, min(m.top, len(m.rows)-room))
	if m.at == 0 && n < room {
		m.top = 0
	}
}

// current is the chosen item, nil for none.
func (m *model) current() *item {
	if n := m.chosenRow(); n >= 0 {
		return m.rows[n].item
	}
	return nil
}

func (m *model) chosenRow() int {
	return slices.IndexFunc(m.rows, func(r row) bool { return r.item != nil && r.item.key == m.chosen })
}

// wanted is the item whose document must be read, nil when doc is up to date or not visible.
func (m *model) wanted() *item {
	i := m.current()
	if i == nil || m.open && m.prose || !m.open && !m.wide() || m.doc.of == i.key && !m.stale {
		return nil
	}
	return i
}

// show sets the document of the chosen item.
func (m *model) show(d document) {
	if d.of != m.doc.of {
		m.docAt = 0
	}
	m.doc, m.laid, m.stale = d, layout{}, false
	m.turn(0)
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

// layout is a document laid out for a width.
type layout struct {
	cells int
	lines []line
}

// lines is the document laid out for this screen.
func (m *model) lines() []line {
	if cells := m.docWidth(); m.laid.cells != cells {
		m.laid = layout{cells, m.doc.lines(cells)}
	}
	return m.laid.lines
}

// resize sets the size of the screen.
func (m *model) resize(width, height int) {
	m.width, m.height = width, height
	m.list()
	m.turn(0)
}
