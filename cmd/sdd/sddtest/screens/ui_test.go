package screens

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"sdd/cmd/sdd/sddtest"
)

// browsers are the names under which a Chromium may be installed.
var browsers = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "headless-shell"}

// tab is a page of a real browser that looks at a real `sdd ui`.
type tab struct {
	t    *testing.T
	ctx  context.Context
	dir  string // of the store
	base string
}

// startBrowser starts a browser for the tabs of a test.
func startBrowser(t *testing.T, chromium string) context.Context {
	t.Helper()
	profile, err := os.MkdirTemp("", "sdd-ui-test")
	if err != nil {
		t.Fatal(err)
	}
	options := slices.Concat(chromedp.DefaultExecAllocatorOptions[:], []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(chromium), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(profile),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		chromedp.Flag("disable-background-networking", true),
	})
	allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, stopBrowser := chromedp.NewContext(allocator)
	t.Cleanup(func() {
		_ = chromedp.Cancel(ctx)
		stopBrowser()
		stopAllocator()
		_ = os.RemoveAll(profile)
	})
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil { // the browser lives as long as the context of the first step
		t.Fatal(err)
	}
	return ctx
}

// openUI starts `sdd ui` over the files, and a tab of the browser that follows the printed address.
func openUI(t *testing.T, bin string, browser context.Context, files map[string]string) *tab {
	t.Helper()
	b := &tab{t: t, dir: t.TempDir()}
	for name, text := range files {
		b.write(name, text)
	}
	cmd := exec.CommandContext(t.Context(), bin, "ui", "--no-open", "--dir", b.dir)
	cmd.Stderr = os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("no address: %v", err)
	}
	b.base, _, _ = strings.Cut(address, "/?")

	ctx, stopTab := chromedp.NewContext(browser, chromedp.WithNewBrowserContext()) // with cookies and stored settings of its own
	b.ctx = ctx
	t.Cleanup(func() {
		_ = chromedp.Cancel(ctx)
		stopTab()
	})
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil { // the tab lives as long as the context of the first step
		t.Fatal(err)
	}
	console := chromedp.Console(ctx) // a policy that is broken, a script that fails
	go func() {
		for m, err := range console {
			if err != nil || t.Context().Err() != nil { // the server ends with the test
				return
			}
			if m.Type != "debug" && m.Type != "info" && m.Type != "log" && !strings.Contains(m.Text, "status of 4") {
				t.Errorf("the browser says: %s %s", m.Type, m.Text)
			}
		}
	}()
	// Every tab takes its keys as if it were in front.
	if _, err := chromedp.Call(ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}); err != nil {
		t.Fatal(err)
	}
	b.do(chromedp.EmulateViewport(1100, 900), chromedp.Navigate(strings.TrimSpace(address)))
	return b
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatalf("%v\n%s", err, b.text())
	}
}

func (b *tab) visit(path string) {
	b.t.Helper()
	b.do(chromedp.Navigate(b.base + path))
}

// eval returns the value of a JavaScript expression.
func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

func (b *tab) text() string {
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("location.href + '\\n' + document.body.innerText"))
	if err != nil {
		return err.Error()
	}
	return v
}

// until waits for a condition of the page, also across its reloads.
func (b *tab) until(condition string) {
	b.t.Helper()
	b.untilTrue(condition, func() bool {
		ok, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("document.readyState !== 'loading' && Boolean("+condition+")"))
		return ok && err == nil
	})
}

func (b *tab) untilTrue(what string, condition func() bool) {
	b.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	b.t.Log("until", what)
	for !condition() {
		<-tick.C
	}
}

// press types keys one by one. A key that the page takes for itself is no text any more, as with a real keyboard.
func (b *tab) press(keys string) {
	b.t.Helper()
	for _, r := range keys {
		for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeKeyDown, input.DispatchKeyEventTypeKeyUp} {
			p := input.DispatchKeyEventParams{Type: kind, Key: string(r)}
			if kind == input.DispatchKeyEventTypeKeyDown {
				p.Text = string(r)
			}
			if _, err := chromedp.Call(b.ctx, input.DispatchKeyEvent, p); err != nil {
				b.t.Fatal(err)
			}
		}
	}
}

func (b *tab) click(selector string) {
	b.t.Helper()
	b.until("document.querySelector(" + fmt.Sprintf("%q", selector) + ")")
	b.do(chromedp.Click(chromedp.CSS(selector)))
}

func (b *tab) path(name string) string { return filepath.Join(b.dir, ".sdd", filepath.FromSlash(name)) }

func (b *tab) write(name, text string) {
	b.t.Helper()
	if err := os.MkdirAll(filepath.Dir(b.path(name)), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(b.path(name), []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// file waits until the file holds a text.
func (b *tab) file(name, holds string) {
	b.t.Helper()
	b.untilTrue(holds+" in "+name, func() bool {
		data, err := os.ReadFile(b.path(name))
		return err == nil && strings.Contains(string(data), holds)
	})
}

func ideaFile(id, status, content string) string {
	return "---\nid: " + id + "\ncolor: yellow\nstatus: " + status + "\nscope: local\nparent: PAY-212\nagents: [ed-001]\nimpact: high\ncategory: API\nvalidated: false\n" +
		"created: 2026-11-20T09:14:00Z\n---\n\n" + content + "\n"
}

const (
	ideaA = "ideas/idea-00000000000a-tokens.md"
	ideaB = "ideas/idea-00000000000b-jest.md"
	ideaC = "ideas/idea-00000000000c-hostile.md"
	factA = "facts/fact-00000000000a-cents.md"
	factB = "facts/fact-00000000000b-tokens.md"
	factC = "facts/fact-00000000000c-eddsa.md"
)

// factFile is a fact with more keys of its front matter.
func factFile(id, keys, content string) string {
	return "---\nid: " + id + "\n" + keys + "\ncreated: 2026-11-20T09:14:00Z\n---\n\n" + content + "\n"
}

func uiFiles() map[string]string {
	return map[string]string{
		ideaA: ideaFile("idea-00000000000a", "active", "Tokens expire after `1 hour`; refresh them before a batch."),
		ideaB: ideaFile("idea-00000000000b", "outdated", "Tests use Jest."),
		ideaC: ideaFile("idea-00000000000c", "active", "</textarea><script>window.hacked = 1</script> <img src=x onerror=\"window.hacked = 1\"> [x](javascript:window.hacked=1) \u202egnp.exe"),
		"explore/user-auth.md": "---\ntitle: User auth\n---\n\n## Goals\n\n- log in by mail\n\n## Context\n\n| step | a very long heading of a column that is not to make the page wider |\n|---|---|\n| " +
			strings.Repeat("verylongword", 20) + " | 2 |\n\n```\n" + strings.Repeat("code ", 60) + "\n```\n\n##### deep\n\nsee [nothing](gone.md)\n",
		"ideas/idea-00000000000f-gateway.md": "---\nid: idea-00000000000f\ncolor: green\nstatus: active\n---\n\nBuild the gateway\n",
		factA:                                factFile("fact-00000000000a", "level: 0\nsource: "+strings.Repeat("verylongsource", 20), "Amounts are kept in **cents**\n\n## Evidence\n\n- `money.go`"),
		factB:                                factFile("fact-00000000000b", "level: 2\ndomain: auth\nmodule: internal/auth\nstatus: stale\ncode_ref: internal/auth/jwt.go#L1-L50", "Tokens are signed with ES256"),
		factC:                                factFile("fact-00000000000c", "level: 2\ndomain: auth\nstatus: superseded\nsuperseded_by: fact-00000000000b", "Tokens are signed with EdDSA"),
		"facts/broken.md":                    "---\nlevel: [\n---\n\n" + strings.Repeat("brokenword", 30) + "\n",
		"decisions/use-jwt.md":               "---\ntitle: Use JWT for every session of every service there is\nstatus: accepted\nsupersedes: decision/use-cookies\n---\n\n## Decision Drivers\n\n- services stay stateless\n\n## Decision Outcome\n\nUse JWT.\n",
		"decisions/use-cookies.md":           "---\ntitle: Use cookies\nstatus: superseded\n---\n\n## Decision Outcome\n\nUse cookies.\n",
		"inbox/use-redis.md":                 "---\ntitle: Use Redis\nkind: decision\nconfidence: 0.6\nstatus: pending\n---\n\n## Decision Drivers\n\n- it is fast\n\n## Decision Outcome\n\nUse Redis for the cache.\n\n## Evidence\n\n- commit `a1b2c3d4e5f60718` in `internal/cache.go#L3-L9`: `redis.New()`\n",
	}
}

// TestUI uses the page in a real browser.
func TestUI(t *testing.T) {
	t.Parallel()
	chromium := ""
	for _, name := range browsers {
		if found, err := exec.LookPath(name); err == nil {
			chromium = found
			break
		}
	}
	if chromium == "" {
		t.Skip("no Chromium is installed here: the page is not tried in a browser")
	}
	bin, browser := sddtest.Program(t), startBrowser(t, chromium)
	for _, c := range []struct {
		name string
		f    func(*tab)
	}{
		{"enter", enter}, {"review by keys", reviewByKeys}, {"queue", workOff}, {"hand off", handOff}, {"live", followFiles}, {"late answer", lateAnswer}, {"conflict", editOverNewer}, {"without scripts", withoutScripts}, {"facts", reviewFacts}, {"dense", dense}, {"every page", everyPage}, {"axe", axe},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.f(openUI(t, bin, browser, uiFiles()))
		})
	}
	t.Run("empty store", func(t *testing.T) {
		t.Parallel()
		emptyStore(openUI(t, bin, browser, nil))
	})
}

func enter(b *tab) {
	b.until("document.title.startsWith('Start')")
	if at := eval[string](b, "location.pathname + location.search"); at != "/" {
		b.t.Errorf("the token stays in the address: %s", at)
	}
	if c := eval[string](b, "document.cookie"); c != "" {
		b.t.Errorf("scripts see the cookie %q", c)
	}
	b.visit("/learnings")
	if eval[bool](b, "'hacked' in window") {
		b.t.Error("a stored text has run")
	}
}

func reviewByKeys(b *tab) {
	b.visit("/learnings?status=active")
	b.until("document.querySelectorAll('[data-item]').length === 2")
	order := eval[[]string](b, "[...document.querySelectorAll('[data-item]')].map(i => i.id)")
	b.press("j")
	b.until("document.activeElement.id === '" + order[0] + "'")
	b.press("j")
	b.until("document.activeElement.id === '" + order[1] + "'")
	b.do(chromedp.KeyEvent(kb.ArrowUp))
	b.until("document.activeElement.id === '" + order[0] + "'")
	if outline := eval[string](b, "getComputedStyle(document.activeElement).outlineStyle"); outline != "solid" {
		b.t.Errorf("the focus is not seen: outline %q", outline)
	}
	file := map[string]string{"idea-00000000000a": ideaA, "idea-00000000000c": ideaC}[order[0]]
	eval[int](b, "window.same = 1") // no action leaves the list
	b.press("a")
	b.file(file, "validated: true")
	b.until("document.querySelector('.toast')?.innerText.includes('validated') && document.activeElement.id === '" + order[0] + "'")
	b.press("p")
	b.file(file, "scope: global")
	b.until("document.querySelector('.toast')?.innerText.includes('Promoted') && document.activeElement.id === '" + order[0] + "'")
	b.press("u")
	b.file(file, "scope: local")
	b.until("document.querySelector('.toast')?.innerText.includes('Taken back')")
	b.press("o") // the record opens beside the list, and a reason is given there
	b.until("document.querySelector('#panel .single')")
	b.click("#panel .more summary")
	b.click("#panel input[name=reason]")
	b.press("not any more")
	b.click("#panel button[value=outdate]")
	b.file(file, "not any more")
	b.until("!document.querySelector('#rows [id=" + order[0] + "]') && document.activeElement.id === '" + order[1] + "'")
	b.do(chromedp.KeyEvent(kb.Escape))
	b.until("document.querySelector('#panel').hidden && document.activeElement.id === '" + order[1] + "'")
	b.press("x")
	b.until("document.querySelector('#picked').innerText === '1 selected:'")
	if eval[int](b, "window.same || 0") != 1 {
		b.t.Error("an action has left the list")
	}

	b.visit("/learnings")
	b.press("/")
	b.until("document.activeElement.id === 'text'")
	b.press("jest j k ?")
	b.until("document.querySelector('#rows .empty') && location.search.includes('text=jest')") // the list follows what is typed
	if got := eval[string](b, "document.activeElement.value"); got != "jest j k ?" {
		b.t.Errorf("keys in a field are not text: %q", got)
	}
	b.do(chromedp.KeyEvent(kb.Escape))
	b.press("?")
	b.until("document.querySelector('dialog[open]')")
	b.do(chromedp.KeyEvent(kb.Escape))
	b.until("!document.querySelector('dialog[open]')")
	b.press("3")
	b.until("location.pathname === '/explorations' && document.readyState === 'complete'")
	b.press("j")
	b.until("document.activeElement.matches('[data-item]')")
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until("document.querySelector('#panel h2')?.innerText === 'User auth' && location.pathname === '/explorations'")
	b.do(chromedp.KeyEvent(kb.Escape))
	// Anything is a key and some letters away.
	for _, words := range [][2]string{{"expire", "/learnings/idea-00000000000a"}, {"health", "/health"}} {
		b.palette()
		b.until("document.querySelector('dialog.palette[open] input') === document.activeElement")
		b.press(words[0])
		b.until("document.querySelector('.palette [aria-selected=true] .name')?.innerText.toLowerCase().includes('" + words[0] + "')")
		b.do(chromedp.KeyEvent(kb.Enter))
		b.until("location.pathname === '" + words[1] + "' && document.readyState === 'complete'")
	}
	// They can be turned off.
	b.visit("/keys")
	b.click("[data-keys-switch] input")
	b.visit("/learnings")
	b.press("j")
	if eval[bool](b, "document.activeElement.matches('[data-item]')") {
		b.t.Error("single keys work though they are turned off")
	}
}

// palette presses Ctrl-K.
func (b *tab) palette() {
	b.t.Helper()
	for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeKeyDown, input.DispatchKeyEventTypeKeyUp} {
		if _, err := chromedp.Call(b.ctx, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: kind, Key: "k", Modifiers: 2}); err != nil {
			b.t.Fatal(err)
		}
	}
}

// handOff makes the document of an exploration by its button, and shows it to be copied.
func handOff(b *tab) {
	b.visit("/explore/user-auth")
	b.click(".rail form button")
	b.until("document.title.startsWith('Hand off')")
	eval[int](b, "(document.querySelector('#to').value = 'adr', 1)")
	b.click("main form.row button:not([name])")
	b.until("document.querySelector('#document')?.innerText.includes('log in by mail') && !document.querySelector('[data-copy]').hidden")
}

// workOff decides about what waits: the queue shows each record with its evidence, goes on to the next one and takes back.
func workOff(b *tab) {
	b.visit("/inbox?status=candidates")
	b.until("document.querySelector('#panel .single')?.innerText.includes('Use Redis for the cache')")
	b.press("j")
	b.press("a")
	b.file("decisions/use-redis.md", "Use Redis")
	b.until("document.querySelector('#rows .empty') && document.querySelector('#panel').hidden && document.querySelector('.toast [data-key=u]')")
	b.press("u")
	b.file("inbox/use-redis.md", "status: pending")
	b.until("document.querySelector('#rows [data-item]')")
	b.press("j")
	b.press("r")
	b.file("inbox/use-redis.md", "status: rejected")
	b.until("document.querySelector('.toast')?.innerText.includes('Rejected')")
	// With a reason: R goes to its field, Enter rejects.
	b.press("u")
	b.file("inbox/use-redis.md", "status: pending")
	b.until("document.querySelector('#rows [data-item]')")
	b.press("j")
	b.until("document.querySelector('#panel [name=reason]')")
	b.press("R")
	b.until("document.activeElement.matches('#panel [name=reason]')")
	b.press("too new")
	eval[int](b, "(dispatchEvent(new Event('pagehide')), 1)") // what follows the files could mend the list
	b.do(chromedp.KeyEvent(kb.Enter))
	b.file("inbox/use-redis.md", "too new")
	b.until("!document.querySelector('#rows [id$=use-redis]')")
	if n := eval[int](b, "document.querySelectorAll('#rows [data-item]').length"); n != 0 {
		b.t.Errorf("%d rows of another list are shown after an action", n)
	}
	eval[int](b, "(dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })), 1)")
	b.write("inbox/sure.md", "---\ntitle: Ports are open\nkind: fact\nconfidence: 0.8\nstatus: pending\n---\n\nPorts are open\n")
	b.until("document.querySelector('#rows [data-item]')")
	b.click("#bulk button[value=approve-sure]")
	b.until("document.querySelector('.toast')?.innerText.includes('sure enough') && document.querySelector('#rows .empty')")
	// Several are decided together.
	b.visit("/facts?level=2&state=stale")
	b.write("facts/fact-00000000000d-new.md", factFile("fact-00000000000d", "level: 2\nstatus: stale", "Ports are closed"))
	b.until("document.querySelectorAll('#rows input[type=checkbox]').length === 2")
	eval[int](b, "(document.querySelectorAll('#rows input[type=checkbox]').forEach(i => i.click()), 1)")
	b.until("document.querySelector('#picked').innerText === '2 selected:'")
	b.click("#bulk button[value=archive]")
	b.file(factB, "status: archived")
	b.file("facts/fact-00000000000d-new.md", "status: archived")
	b.until("document.querySelector('.toast [data-key=u]')")
	b.press("u")
	b.file("facts/fact-00000000000d-new.md", "status: stale")
	b.file(factB, "status: stale")
}

func followFiles(b *tab) {
	b.visit("/learnings?status=active")
	b.until("document.querySelector('#live.on')")
	eval[int](b, "window.same = 1")
	b.write("ideas/idea-00000000000d-new.md", ideaFile("idea-00000000000d", "active", "Written in an editor."))
	b.until("document.querySelector('#idea-00000000000d')")
	b.write(ideaA, ideaFile("idea-00000000000a", "active", "Tokens expire after 2 hours."))
	b.until("document.querySelector('#idea-00000000000a').innerText.includes('2 hours')")
	// What the user writes beside the list stays, and so does the chosen row.
	b.press("j")
	b.press("o")
	b.until("document.querySelector('#panel .more summary')")
	b.click("#panel .more summary")
	b.click("#panel input[name=reason]")
	b.press("half a rea")
	item := eval[string](b, "document.querySelector('.entry.open').id")
	name := map[string]string{"idea-00000000000a": ideaA, "idea-00000000000c": ideaC, "idea-00000000000d": "ideas/idea-00000000000d-new.md"}[item]
	b.write(name, ideaFile(item, "active", "Changed under the pen."))
	b.write("ideas/idea-00000000000e-last.md", ideaFile("idea-00000000000e", "active", "The last one."))
	b.until("document.querySelector('#idea-00000000000e')")
	if got := eval[string](b, "document.activeElement.value"); got != "half a rea" {
		b.t.Errorf("what was being written is gone: %q", got)
	}
	b.until("document.querySelector('#" + item + "').innerText.includes('under the pen')")
	if !eval[bool](b, "document.querySelector('#"+item+"').matches('.open')") {
		b.t.Error("the row of the record beside the list is not marked any more")
	}
	// An unchanged row never leaves the page, not even for a moment: a click on it would go nowhere.
	eval[int](b, `(window.left = 0, new MutationObserver(m => { for (const r of m) for (const n of r.removedNodes) if (n.id === '`+item+`') left++; })
		.observe(document.body, {childList: true, subtree: true}), 1)`)
	if err := os.Remove(b.path("ideas/idea-00000000000e-last.md")); err != nil {
		b.t.Fatal(err)
	}
	b.until("!document.querySelector('#idea-00000000000e')")
	if eval[int](b, "left") != 0 {
		b.t.Error("an unchanged row was taken out and put back")
	}
	if eval[int](b, "window.same || 0") != 1 {
		b.t.Error("the page was loaded anew")
	}
}

// lateAnswer holds answers of the server back until something newer is on the page.
func lateAnswer(b *tab) {
	b.visit("/learnings?status=active")
	b.until("document.querySelector('#live.on')")
	b.press("j")
	b.press("o")
	b.until("document.querySelector('#panel [name=reason]')")
	// The record is read anew: what says the same stays as it is.
	page := "/" + eval[string](b, "document.querySelector('.entry.open').id")
	b.hold(page)
	eval[int](b, "(document.querySelector('#panel article').mark = 1)")
	b.write("ideas/idea-00000000000e-same.md", ideaFile("idea-00000000000e", "active", "One more."))
	b.until("document.querySelector('#idea-00000000000e') && window.release")
	eval[int](b, "(window.release(), 1)")
	if !eval[bool](b, "document.querySelector('#panel article').mark === 1") {
		b.t.Error("the same text was made anew")
	}
	// It is read anew while the user begins to write a reason.
	b.hold(page)
	b.write("ideas/idea-00000000000f-late.md", ideaFile("idea-00000000000f", "active", "Another one."))
	b.until("document.querySelector('#idea-00000000000f') && window.release")
	b.press("R")
	b.until("document.activeElement.matches('#panel [name=reason]')")
	b.press("half a")
	eval[int](b, "(window.release(), 1)")
	if got := eval[string](b, "document.activeElement.value"); got != "half a" {
		b.t.Errorf("what was being written is gone: %q", got)
	}
	// A list is answered later than one that was asked after it.
	b.visit("/learnings?status=active")
	b.until("document.querySelector('#live.on')")
	b.hold("/learnings?status=active")
	b.write("ideas/idea-000000000010-second.md", ideaFile("idea-000000000010", "active", "The second one."))
	b.until("window.release")
	b.write("ideas/idea-000000000011-third.md", ideaFile("idea-000000000011", "active", "The third one."))
	b.until("document.querySelector('#idea-000000000011')")
	eval[int](b, "(window.release(), 1)")
	if !eval[bool](b, "document.querySelector('#idea-000000000011') !== null") {
		b.t.Error("an older list replaced a newer one")
	}
}

// hold keeps the next answer for an address that ends like that until window.release is called.
func (b *tab) hold(address string) {
	b.t.Helper()
	eval[int](b, `(() => {
		const { open, send } = XMLHttpRequest.prototype;
		let held = false;
		window.release = undefined;
		XMLHttpRequest.prototype.open = function (how, to) { this.to = to; return open.call(this, how, to); };
		XMLHttpRequest.prototype.send = function (body) {
			const got = this.onloadend;
			if (!held && this.to.endsWith('`+address+`')) {
				held = true;
				this.onloadend = () => { window.release = () => got.call(this); };
			}
			return send.call(this, body);
		};
		return 1;
	})()`)
}

func editOverNewer(b *tab) {
	b.visit("/learnings/idea-00000000000a/edit")
	b.until("document.activeElement.id === 'content' && document.querySelector('#live.on')")
	eval[int](b, "(document.activeElement.select(), 1)")
	b.press("Mine: tokens live for a day.")
	b.write(ideaA, ideaFile("idea-00000000000a", "active", "Theirs: tokens live for a week."))
	b.until("!document.querySelector('#newer').hidden")
	b.click("form[data-edit] button.main")
	b.until("document.title.startsWith('The text has changed')")
	if got := b.text(); !strings.Contains(got, "Theirs: tokens live for a week.") {
		b.t.Errorf("the stored text is not shown:\n%s", got)
	}
	if got := eval[string](b, "document.querySelector('#content').value"); got != "Mine: tokens live for a day." {
		b.t.Errorf("the written text is %q", got)
	}
	b.file(ideaA, "Theirs")
	b.click("form[data-edit] button.main")
	b.file(ideaA, "Mine: tokens live for a day.")
	b.until("document.querySelector('.said-done')")
}

// reviewFacts refreshes a stale fact by keys, edits one, and sees a third that an editor writes.
func reviewFacts(b *tab) {
	b.visit("/facts?state=stale")
	b.until("document.querySelector('#live.on') && document.querySelectorAll('[data-item]').length === 1")
	b.press("j")
	b.until("document.activeElement.id === 'fact-00000000000b'")
	b.press("a")
	b.file(factB, "refreshed: ")
	b.until("document.querySelector('.toast')?.innerText.includes('Refreshed')")
	b.press("5")
	b.until("location.pathname === '/facts' && location.search === '' && document.querySelector('#live.on')")
	b.write("facts/fact-00000000000d-new.md", factFile("fact-00000000000d", "level: 1\ndomain: shop", "Written in an editor."))
	b.until("document.querySelector('#fact-00000000000d') && document.querySelector('#domains a[href*=shop]')")
	b.visit("/facts/fact-00000000000a")
	b.press("e")
	b.until("document.activeElement.id === 'content'")
	eval[int](b, "(document.activeElement.select(), 1)")
	b.press("Amounts are minor units")
	b.click("form[data-edit] button.main")
	b.file(factA, "Amounts are minor units\n\n## Evidence\n\n- `money.go`")
	b.until("document.querySelector('.said-done') && document.readyState === 'complete'")
	// What was found is a search away from every page.
	b.press("s")
	b.until("document.activeElement.id === 'seek'")
	b.press("signing")
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until("location.pathname === '/search' && [...document.querySelectorAll('mark')].some(m => m.textContent === 'signed')")
}

// withoutScripts does a review with forms and links alone.
func withoutScripts(b *tab) {
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		b.t.Fatal(err)
	}
	b.visit("/learnings?status=outdated")
	b.click("#idea-00000000000b .state") // the actions of a row show when it is pointed at
	b.click("#idea-00000000000b button[value=validate]")
	b.until("document.querySelector('.said-done')")
	b.file(ideaB, "status: active")
	b.click(".said button[value=undo]")
	b.file(ideaB, "status: outdated")
	b.until("document.querySelector('.said-done') && document.readyState === 'complete'")
	b.visit("/learnings/idea-00000000000b")
	b.click(".more summary")
	b.click("button[value=archive]")
	b.until("document.querySelector('.said-done')")
	b.file(ideaB, "status: archived")
	b.visit("/learnings/idea-00000000000b")
	b.click("button[value=resurrect]")
	b.until("document.querySelector('.said-done')")
	b.file(ideaB, "resurrected_at")
	b.visit("/learnings/idea-00000000000a")
	b.click("a[data-key=e]")
	b.until("document.querySelector('#content')")
	b.do(chromedp.SendKeys(chromedp.CSS("#content"), "By hand: "))
	b.click("form[data-edit] button.main")
	b.until("document.querySelector('.said-done')")
	b.file(ideaA, "By hand: ")
	b.visit("/learnings?text=hand&impact=high")
	b.until("document.querySelectorAll('[data-item]').length === 1")
	b.visit("/facts?state=stale")
	b.click("#fact-00000000000b .state")
	b.click("#fact-00000000000b button[value=refresh]")
	b.until("document.querySelector('.said-done')")
	b.file(factB, "refreshed: ")
	b.do(chromedp.SendKeys(chromedp.CSS("#seek"), "cents\r"))
	b.until("location.pathname === '/search' && document.querySelector('mark')")
	b.visit("/explore/user-auth")
	b.click("a.edit")
	b.do(chromedp.SendKeys(chromedp.CSS("#content"), "- by hand\n"))
	b.click("form[data-edit] button.main")
	b.until("document.querySelector('.said-done')")
	b.file("explore/user-auth.md", "- by hand")
	b.visit("/health")
	b.click("#doctor form button")
	b.until("document.body.innerText.includes('Look again')")
}

func emptyStore(b *tab) {
	for _, path := range []string{"/learnings", "/decisions", "/facts", "/inbox", "/branches", "/health", "/ask", "/search", "/explorations"} {
		b.visit(path)
		b.until("document.querySelector('.empty')")
	}
	b.until("document.querySelector('#live.on')")
	// The first file of all shows up on the open page.
	b.write("explore/first.md", "## Goals\n\n- begin\n")
	b.until("document.querySelector('#rows a[href=\"/explore/first\"]')")
}
