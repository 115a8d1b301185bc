package terminal

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sdd/internal/app"
	"sdd/internal/fault"
	"sdd/internal/history"
)

var update = flag.Bool("update", false, "write golden files anew")

func at10(day int) func() time.Time {
	return func() time.Time { return time.Date(2026, 11, day, 10, 0, 0, 0, time.UTC) }
}

// full is an overview with something in every section.
func full() app.Overview {
	return app.Overview{
		Project: "shop", Exists: true, Records: map[string]int{"explore": 3, "fact": 1, "candidate": 2}, Waiting: 3,
		New: []app.Item{
			{ID: "explore/user-auth", Type: "explore", Title: "User auth", File: ".sdd/explore/user-auth.md", State: "changed", Note: "1 reworded in Goals", By: "by hand",
				Rows: []history.Row{{Mark: '@', Text: "Goals"}, {Mark: '-', Text: "thirty days"}, {Mark: '+', Text: "sixty days"}}},
			{ID: "explore/日本語", Type: "explore", Title: "日本語の認証フローについて、幅を確かめるための長い題名です", File: ".sdd/explore/日本語.md", State: "added", By: "Ann", Time: "2026-11-20T10:00:00Z", Commit: "c1"},
			{ID: "fact-00000000000a", Type: "fact", Title: "It \x1b[31mlistens\u202e on 8080", File: ".sdd/facts/fact-00000000000a-x.md", State: "removed", By: "Bob", Time: "2026-01-02T10:00:00Z", Commit: "c2"},
		},
		Review: []app.Item{
			{ID: "fact-00000000000b", Type: "candidate", Title: "Tokens live for 15 minutes and are then refused by every service that gets one", File: ".sdd/inbox/fact-00000000000b-t.md",
				State: "pending", Note: "fact, confidence 0.70", Accept: "approve", Refuse: "reject", Etag: "e1"},
			{ID: "fact-00000000000c", Type: "candidate", Title: "Logs are JSON", State: "queued", Note: "fact, confidence 0.90, found in commit abc", Accept: "approve", Refuse: "reject"},
			{ID: "fact-00000000000d", Type: "fact", Title: "The cache is empty", File: ".sdd/facts/d.md", State: "stale", Accept: "refresh", Refuse: "archive", Time: "2026-11-01T10:00:00Z"},
		},
		Conflicts: []app.Item{
			{ID: "explore/cart", Type: "explore", Title: "Cart", File: ".sdd/explore/cart.md", Line: 7, State: "conflict_markers", Note: "unresolved conflict", Accept: "merge again"},
			{ID: "explore/pay", Type: "explore", Title: "Pay", File: ".sdd/explore/pay.md", Line: 3, State: "broken_yaml", Note: "the YAML does not parse"},
		},
	}
}

// started is a view of full, and what the keys that were pressed asked for.
func started(width, height int, pressed string) (m *model, wishes []string) {
	m = newModel(width, height, at10(21))
	m.set(listed(full()))
	return m, do(m, pressed)
}

// listed is what the runner reads of a store with that overview.
func listed(o app.Overview) listing {
	return listing{Overview: o, whole: true, branch: "main", records: itemsOf(records, []app.Item{
		{ID: "explore/user-auth", Type: "explore", Title: "User auth", File: ".sdd/explore/user-auth.md", Time: "2026-11-19"},
		{ID: "fact-00000000000d", Type: "fact", Title: "The cache is empty", File: ".sdd/facts/d.md", State: "active", Time: "2026-11-01T10:00:00Z"},
		{ID: "explore/日本語", Type: "explore", Title: "日本語の認証フローについて、幅を確かめるための長い題名です", File: ".sdd/explore/日本語.md", Time: "2026-10-30"},
		{ID: "decision/use-jwt", Type: "decision", Title: "Use JWT", File: ".sdd/decisions/use-jwt.md", State: "superseded", Time: "2026-05-01"},
	})}
}

// do presses keys as a terminal sends them; the runner shows what is wanted.
func do(m *model, pressed string) (wishes []string) {
	for in := []byte(pressed); len(in) > 0; {
		k, n := decode(in, true)
		in = in[n:]
		if w := m.press(k); w.do != nothing {
			ids := ""
			for _, i := range w.items {
				ids += " " + i.ID
			}
			wishes = append(wishes, strings.TrimSpace(fmt.Sprintf("%d%s %s", w.do, ids, w.reason)))
		}
		if i := m.wanted(); i != nil {
			d := document{of: i.key, title: oneLine(i.Title)}
			d.add(strong, i.Title)
			d.add(plain, strings.Repeat("Some words of the record. ", 40))
			d.add(head, "Goals")
			d.add(plain, "- 日本語のテキストは幅が二倍なので、行の折り返しを正しく計算する必要があります\n- end")
			m.show(d)
		}
	}
	return wishes
}

const (
	kUp, kDown, kEsc, kTab, kBack = "\x1b[A", "\x1b[B", "\x1b", "\t", "\x1b[Z"
)

func is(d action, of string) string { return strings.TrimSpace(fmt.Sprintf("%d %s", d, of)) }

func TestPress(t *testing.T) {
	for _, c := range []struct {
		name, keys string
		chosen     string // the id
		open       bool
		ask        asking
		wishes     []string
		foot       string // a part of it
	}{
		{name: "start", chosen: "explore/cart", foot: "q quit   Enter open   a merge again   e edit"},
		{name: "down", keys: "3" + kDown + "j", chosen: "fact-00000000000a"},
		{name: "no further up", keys: kUp + "k", chosen: "explore/cart"},
		{name: "end and no further", keys: "G" + kDown, chosen: "explore/pay"},
		{name: "home", keys: "Gg", chosen: "explore/cart"},
		{name: "page down", keys: "4\x1b[6~", chosen: "decision/use-jwt"},
		{name: "page up", keys: "4G\x1b[5~", chosen: "explore/user-auth"},
		{name: "next panel", keys: kTab, chosen: "fact-00000000000b", foot: "a approve   r reject"},
		{name: "panels go round", keys: kTab + kTab + kTab + kTab, chosen: "explore/cart"},
		{name: "panel before", keys: kBack, chosen: "explore/user-auth"},
		{name: "panel by its number", keys: "4", chosen: "explore/user-auth"},
		{name: "quit", keys: "q", chosen: "explore/cart", wishes: []string{is(leave, "")}},
		{name: "quit from a record", keys: "\rq", chosen: "explore/cart", open: true, wishes: []string{is(leave, "")}},
		{name: "escape does not quit", keys: kEsc, chosen: "explore/cart"},
		{name: "quit from anywhere", keys: "\r/x\x03", chosen: "explore/cart", open: true, wishes: []string{is(leave, "")}},
		{name: "quit from a question", keys: "/qr\x03", ask: askFilter, wishes: []string{is(leave, "")}},
		{name: "stop and draw", keys: "\x1a\x0c", chosen: "explore/cart", wishes: []string{is(stop, ""), is(paint, "")}},
		{name: "open", keys: "3\r", chosen: "explore/user-auth", open: true, foot: "q quit   Esc back   e edit"},
		{name: "open and close", keys: "\r" + kEsc + "\x1b[C\x1b\r\x1b[D", chosen: "explore/cart"},
		{name: "next while open", keys: "3\rn", chosen: "explore/日本語", open: true},
		{name: "before while open", keys: "2j\rp", chosen: "fact-00000000000b", open: true},
		{name: "approve", keys: "2a", chosen: "fact-00000000000b", wishes: []string{is(accept, "fact-00000000000b")}},
		{name: "approve while open", keys: "2\ra", chosen: "fact-00000000000b", open: true, wishes: []string{is(accept, "fact-00000000000b")}},
		{name: "nothing to approve", keys: "3a", chosen: "explore/user-auth", foot: "nothing to approve"},
		{name: "nothing to reject", keys: "Gr", chosen: "explore/pay", foot: "nothing to reject"},
		{name: "merge again", keys: "a", chosen: "explore/cart", wishes: []string{is(accept, "explore/cart")}},
		{name: "a record has the actions of its review", keys: "4ja", chosen: "fact-00000000000d", wishes: []string{is(accept, "fact-00000000000d")}},
		{name: "marked ones are approved after an answer", keys: "2  jay", chosen: "fact-00000000000d", wishes: []string{is(accept, "fact-00000000000b fact-00000000000c")}},
		{name: "approval of many asks", keys: "2*a", chosen: "fact-00000000000b", ask: askSure, foot: "accept 3? (y, n)"},
		{name: "a mark elsewhere asks", keys: "2 a", chosen: "fact-00000000000c", ask: askSure, foot: "approve? (y, n)"},
		{name: "a mark goes", keys: "2 k ga", chosen: "fact-00000000000b", wishes: []string{is(accept, "fact-00000000000b")}},
		{name: "all marks go", keys: "2**a", chosen: "fact-00000000000b", wishes: []string{is(accept, "fact-00000000000b")}},
		{name: "escape takes the marks away", keys: "2*" + kEsc + kUp + "a", chosen: "fact-00000000000b", wishes: []string{is(accept, "fact-00000000000b")}},
		{name: "marked ones are rejected with one reason", keys: "2  rold\r", chosen: "fact-00000000000d", wishes: []string{is(refuse, "fact-00000000000b fact-00000000000c") + " old"}},
		{name: "reject asks why", keys: "2r", chosen: "fact-00000000000b", ask: askReason, foot: "reject, why?"},
		{name: "reject with a reason", keys: "2ronly trieda\x7f\r", chosen: "fact-00000000000b", wishes: []string{is(refuse, "fact-00000000000b") + " only tried"}},
		{name: "reject without a reason", keys: "2r\r", chosen: "fact-00000000000b", wishes: []string{is(refuse, "fact-00000000000b")}},
		{name: "not rejected", keys: "2rno" + kEsc, chosen: "fact-00000000000b"},
		{name: "letters of a reason are no keys", keys: "2rqa/u\r", chosen: "fact-00000000000b", wishes: []string{is(refuse, "fact-00000000000b") + " qa/u"}},
		{name: "a pasted reason is one line", keys: "2r\x1b[200~two\r\nlines\x1b[31m\x1b[201~\r", chosen: "fact-00000000000b", wishes: []string{is(refuse, "fact-00000000000b") + " two lines [31m"}},
		{name: "a pasted text is no key", keys: "2\x1b[200~aaaq\x1b[201~", chosen: "fact-00000000000b"},
		{name: "archive asks whether", keys: "2jjr", chosen: "fact-00000000000d", ask: askSure, foot: "archive? (y, n)"},
		{name: "archive", keys: "2jjry", chosen: "fact-00000000000d", wishes: []string{is(refuse, "fact-00000000000d")}},
		{name: "do not archive", keys: "2jjrn", chosen: "fact-00000000000d"},
		{name: "edit", keys: "e", chosen: "explore/cart", wishes: []string{is(edit, "explore/cart")}},
		{name: "nothing to edit", keys: "2je", chosen: "fact-00000000000c", foot: "has no file yet"},
		{name: "page", keys: "o", chosen: "explore/cart", wishes: []string{is(browse, "explore/cart")}},
		{name: "copy the id", keys: "y", chosen: "explore/cart", wishes: []string{is(copyID, "explore/cart")}},
		{name: "undo asks what the last action is", keys: "u", chosen: "explore/cart", wishes: []string{is(nameLast, "")}},
		{name: "help", keys: "?", chosen: "explore/cart", open: true, foot: "q quit   Esc back   Space more"},
		{name: "help and back", keys: "?ae" + kEsc, chosen: "explore/cart"},
		{name: "filter as it is typed", keys: "2/token", chosen: "fact-00000000000b", ask: askFilter, foot: "/token"},
		{name: "filter stays", keys: "2/token\r", chosen: "fact-00000000000b"},
		{name: "every word of the filter", keys: "2/json queued\r", chosen: "fact-00000000000c"},
		{name: "a filter goes to the records when the panel has no match", keys: "/jwt\r", chosen: "decision/use-jwt"},
		{name: "filter goes", keys: "2/token\r" + kEsc, chosen: "fact-00000000000b"},
		{name: "what was found stays chosen", keys: "/jwt\r" + kEsc, chosen: "decision/use-jwt"},
		{name: "filter goes while it is typed", keys: "2/token" + kEsc, chosen: "fact-00000000000b"},
		{name: "filter without a match", keys: "/nothing like it\rra", foot: "there is nothing"},
		{name: "move while filtering", keys: "2/fact" + kDown, chosen: "fact-00000000000c", ask: askFilter},
		{name: "erase a filter", keys: "/a b\x17\x15日e\u0301\x7f\x7f", chosen: "explore/cart", ask: askFilter, foot: "/"},
		{name: "a click chooses", keys: "\x1b[<0;5;6M", chosen: "fact-00000000000b"},
		{name: "a click on what is chosen opens it", keys: "\x1b[<0;5;3M", chosen: "explore/cart", open: true},
		{name: "a release is no click", keys: "\x1b[<0;5;3m", chosen: "explore/cart"},
		{name: "a click on a heading", keys: "\x1b[<0;5;9M", chosen: "explore/user-auth"},
		{name: "a click outside the list", keys: "\x1b[<0;5;1M\x1b[<0;5;23M\x1b[<0;900;900M\x1b[<0;0;0M", chosen: "explore/cart"},
		{name: "the wheel moves in the panel below it", keys: "\x1b[<65;5;15M", chosen: "decision/use-jwt"},
		{name: "the wheel turns a record", keys: "\r\x1b[<65;5;6M\x1b[<64;5;6M", chosen: "explore/cart", open: true},
		{name: "unknown keys", keys: "xzXYZ9\x1b[3~\x01", chosen: "explore/cart"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, wishes := started(80, 24, c.keys)
			chosen := ""
			if i := m.current(); i != nil {
				chosen = i.ID
			}
			if chosen != c.chosen || m.open != c.open || m.ask != c.ask {
				t.Errorf("chosen %q, open %v, asked %d", chosen, m.open, m.ask)
			}
			if d := cmp.Diff(c.wishes, wishes); d != "" {
				t.Errorf("wishes:\n%s", d)
			}
			f := m.view()
			if foot := f.lines[len(f.lines)-1].String(); !strings.Contains(foot, c.foot) {
				t.Errorf("foot: %q", foot)
			}
		})
	}
}

// TestViews keeps what the screen shows.
func TestViews(t *testing.T) {
	for name, keys := range map[string]string{
		"list": "", "list-end": "4G", "open": "2\r", "open-end": "2\rG", "filter": "/auth", "reason": "2 rbecause 日本語", "help": "?",
	} {
		var got strings.Builder
		for _, size := range [][2]int{{20, 5}, {40, 10}, {80, 24}, {130, 16}} {
			m, _ := started(size[0], size[1], "")
			do(m, "g"+keys)
			f := m.view()
			fmt.Fprintf(&got, "%dx%d cursor %d,%d %v\n", size[0], size[1], f.x, f.y, f.showCursor)
			for _, l := range f.lines {
				got.WriteString("|" + strings.TrimRight(l.String(), " ") + "\n")
			}
		}
		file := filepath.Join("testdata", name+".txt")
		if *update {
			if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), got.String()); d != "" {
			t.Errorf("%s:\n%s", name, d)
		}
	}
}

// TestEveryViewFits presses keys in every size: what is shown is as large as the screen at most, safe, and shows what
// is chosen.
func TestEveryViewFits(t *testing.T) {
	for width := 1; width < 140; width += 7 {
		for height := 1; height < 30; height += 2 {
			m, _ := started(width, height, "")
			for _, keys := range strings.SplitAfter("j j j G \t \r j G \x1b / a f \r ? j \x1b \r n r x \x1b u n \x1b[Z g 3 * 4 G \x1b[<0;3;3M", " ") {
				do(m, strings.TrimSuffix(keys, " "))
				f := m.view()
				if len(f.lines) > height {
					t.Fatalf("%dx%d after %q: %d lines", width, height, keys, len(f.lines))
				}
				if f.x >= width || f.y >= height || f.x < 0 || f.y < 0 {
					t.Errorf("%dx%d after %q: cursor at %d,%d", width, height, keys, f.x, f.y)
				}
				marked := 0
				for _, l := range f.lines {
					if w := textWidth(l.String()); w > width {
						t.Errorf("%dx%d after %q: %q takes %d cells", width, height, keys, l, w)
					}
					if strings.ContainsAny(l.String(), "\x1b\u202e\n\r\t") {
						t.Errorf("%q is not safe", l)
					}
					if strings.HasPrefix(l.String(), ">") {
						marked++
					}
				}
				if height > 4 && width > 2 && !m.open && m.current() != nil && marked != 1 {
					t.Errorf("%dx%d after %q: %d lines are marked\n%v", width, height, keys, marked, f.lines)
				}
			}
		}
	}
}

func TestWithoutColor(t *testing.T) {
	m, _ := started(80, 24, "")
	var with, without string
	for _, l := range m.view().lines {
		with, without = with+l.encode(true), without+l.encode(false)
	}
	if strings.Contains(without, "\x1b") || !strings.Contains(with, "\x1b[7m> markers") || !strings.Contains(without, "> markers") {
		t.Errorf("%q\n%q", with, without)
	}
}

// TestStaysWhereItWas reads the overview again while the list is open.
func TestStaysWhereItWas(t *testing.T) {
	id := func(m *model) string { return m.current().ID }
	m, _ := started(80, 24, kTab+kDown)
	o := full()
	o.Review = append([]app.Item{{ID: "fact-00000000000e", Type: "candidate", Title: "Another", State: "pending"}}, o.Review...)
	m.set(listed(o))
	if id(m) != "fact-00000000000c" {
		t.Errorf("something came before it: %s", id(m))
	}
	o.Review = append(o.Review[1:2:2], o.Review[3])
	m.set(listed(o))
	if id(m) != "fact-00000000000d" {
		t.Errorf("it went, and what was behind it in the section was not chosen: %s", id(m))
	}
	o.Review = o.Review[:1]
	m.set(listed(o))
	if id(m) != "fact-00000000000b" {
		t.Errorf("the last one went, and the one before was not chosen: %s", id(m))
	}
	m.next = itemsOf(toReview, full().Review)[1].key
	m.set(listed(full()))
	if id(m) != "fact-00000000000c" {
		t.Errorf("what was taken back is not chosen: %s", id(m))
	}
	do(m, "\r")
	o = full()
	o.Review = o.Review[:1]
	m.set(listed(o))
	if m.open || !strings.Contains(m.message, "not listed any more") {
		t.Errorf("what was open went: open %v, %q", m.open, m.message)
	}
	m.set(listing{Overview: app.Overview{Exists: true}, whole: true})
	if m.current() != nil || !strings.Contains(m.detail().String(), "nothing here") {
		t.Error("all went")
	}
	m.set(listing{refused: fault.New(fault.Unwritable, "a bare repository"), whole: true})
	if words := m.detail().String(); strings.Contains(words, "first save") || !strings.Contains(words, "a bare repository") {
		t.Errorf("no store is possible: %q", words)
	}
	do(m, "jk\t\x1b[6~\rareu"+kEsc)
	m.set(listed(full()))
	if m.current() == nil {
		t.Error("all came back")
	}
}

func TestElsewhereStaysWhenTheRestIsReadAgain(t *testing.T) {
	m, _ := started(80, 24, "")
	m.setElsewhere([]app.Item{{ID: "explore/user-auth", Title: "User auth", State: "elsewhere", File: "x"}})
	m.set(listed(full()))
	if n := len(m.panels[conflicts].all); n != 3 {
		t.Errorf("%d conflicts", n)
	}
	m.setElsewhere(nil)
	if n := len(m.panels[conflicts].all); n != 2 {
		t.Errorf("%d conflicts", n)
	}
}

func TestLongMessages(t *testing.T) {
	m, _ := started(40, 10, "")
	m.say(strings.Repeat("long ", 20), false)
	if w := textWidth(m.foot().String()); w >= 40 || m.open {
		t.Errorf("%d cells, open %v", w, m.open)
	}
	m.explain("short")
	if m.open || !m.failed {
		t.Error("a short fault fills the screen")
	}
	m.explain("the same words changed\n\nstored:\n a\x1b[2J\n\nyours:\n b")
	if !m.open || !strings.Contains(fmt.Sprint(m.view().lines), "yours:") {
		t.Errorf("a long fault is not shown: %v", m.view().lines)
	}
	do(m, kEsc)
	if m.open {
		t.Error("it stays open")
	}
}
