package screens

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"sdd/internal/longtest"
)

// withBranches puts the store under git: two branches change one section, and one takes away a file that a fact names.
func (b *tab) withBranches() (first string) {
	b.t.Helper()
	git := func(args ...string) string {
		b.t.Helper()
		cmd := exec.Command("git", append([]string{"-C", b.dir, "-c", "user.name=Ann", "-c", "user.email=ann@example.com", "-c", "commit.gpgsign=false"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
		out, err := cmd.CombinedOutput()
		if err != nil {
			b.t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q", "-b", "main")
	b.write("../internal/auth/jwt.go", "package auth\n")
	git("add", "-A")
	git("commit", "-qm", "Begin")
	first = git("rev-parse", "HEAD")
	topic := func(goal string) {
		b.write("explore/user-auth.md", "---\ntitle: User auth\n---\n\n## Goals\n\n- "+goal+"\n\n## Context\n\n##### deep\n\n| step | a very long heading of a column that is not to make the page wider |\n|---|---|\n| "+
			strings.Repeat("verylongword", 20)+" | 2 |\n\n```\n"+strings.Repeat("code ", 60)+"\n```\n")
	}
	git("checkout", "-qb", "passkeys-"+strings.Repeat("verylongname", 10))
	topic("log in by passkey")
	git("commit", "-qam", "Passkeys")
	git("checkout", "-q", "main")
	git("checkout", "-qb", "badges")
	topic("log in by badge")
	git("rm", "-q", "internal/auth/jwt.go")
	git("commit", "-qam", strings.Repeat("verylongsubject", 20))
	return first
}

// allPages are the addresses of every page, with what it shows when it has something to say and when it has not.
func allPages(first string) []string {
	topic := "/explore/user-auth?view="
	return []string{
		"/", "/learnings", "/learnings?text=nothing+like+it", "/learnings/idea-00000000000a", "/learnings/idea-00000000000a/edit", "/explorations", "/explore/user-auth", topic + "history",
		topic + "changes&from=" + first + "&to=now", topic + "version&at=" + first, topic + "edit&section=goals", "/ideas/idea-00000000000f", "/decisions", "/decision/use-jwt-for-every-session-of-every-service-there-is", "/facts", "/facts?state=any&level=2", "/facts?text=nothing+like+it",
		"/facts/fact-00000000000a", "/facts/fact-00000000000c", "/facts/fact-00000000000a/edit", "/inbox", "/inbox/decision/use-redis", "/inbox/decision/use-redis?view=edit", "/branches", "/branches?base=nothing", "/branches?ours=badges&theirs=main",
		"/health", "/ask", "/ask?q=how+are+tokens+signed&max_tokens=800", "/ask?q=x&max_tokens=1", "/search", "/search?q=tokens+signed", "/search?q=nothinglikeit", "/keys", "/new", "/decisions?view=timeline", "/inbox?status=rejected",
		"/commit/" + first + "?path=internal/auth/jwt.go", "/decision/use-jwt-for-every-session-of-every-service-there-is?view=edit&section=drivers", "/nowhere",
	}
}

func (b *tab) colours(scheme string) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
	if err != nil {
		b.t.Fatal(err)
	}
}

// structure is what is wrong with a page for somebody who does not see it, or not well: headings that leave a level out,
// text without contrast to what is behind it.
const structure = `(() => {
	const bad = [], shown = e => e.checkVisibility({ visibilityProperty: true });
	let last = 0, first = 0;
	for (const h of document.querySelectorAll('h1, h2, h3, h4, h5, h6')) {
		if (!shown(h)) continue;
		const level = +h.tagName[1];
		if (level === 1) first++;
		if (level > last + 1) bad.push('a heading of level ' + level + ' after ' + last + ': ' + h.textContent.slice(0, 60));
		last = level;
	}
	if (first !== 1) bad.push(first + ' headings of level 1');
	const rgb = s => (s.match(/[\d.]+/g) || []).map(Number);
	const light = c => { const [r, g, b] = c.map(v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
	const behind = e => {
		for (; e; e = e.parentElement) {
			const c = rgb(getComputedStyle(e).backgroundColor);
			if (c.length === 3 || c[3] === 1) return c.slice(0, 3);
			if (c[3] > 0) return null; // mixed colours are not computed
		}
		return [255, 255, 255];
	};
	for (const e of document.body.querySelectorAll('*')) {
		if (e.closest('svg, .sr, .skip, template, [aria-hidden=true]') || !shown(e) || ![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
		const style = getComputedStyle(e), ground = behind(e), size = parseFloat(style.fontSize);
		if (!ground) continue;
		const [a, b] = [light(rgb(style.color)), light(ground)].sort((x, y) => y - x), least = size >= 24 || size >= 18.66 && style.fontWeight >= 700 ? 3 : 4.5;
		if ((a + 0.05) / (b + 0.05) < least) bad.push('contrast ' + ((a + 0.05) / (b + 0.05)).toFixed(2) + ' of ' + e.tagName + '.' + e.className + ': ' + e.textContent.trim().slice(0, 60));
	}
	for (const e of document.querySelectorAll('[tabindex]')) if (e.tabIndex > 0) bad.push('a focus order of its own: ' + e.outerHTML.slice(0, 80));
	return bad;
})()`

// everyPage visits every page wide, narrow and between, in both colours: nothing sticks out, headings are in order, text can
// be read, everything that can be used has a name. With SDD_SCREENSHOTS set to a folder it leaves pictures there.
func everyPage(b *tab) {
	pictures := os.Getenv("SDD_SCREENSHOTS")
	pages := allPages(b.withBranches())
	views := []struct {
		width  int64
		scheme string
	}{{360, "dark"}, {1440, "light"}, {360, "light"}, {820, "dark"}}
	for at, view := range views[:longtest.Of(2, 4)] {
		b.colours(view.scheme)
		b.do(chromedp.EmulateViewport(view.width, 800))
		for i, path := range pages {
			if i%2 != at && !longtest.Set() { // each page once
				continue
			}
			b.visit(path)
			if failed := eval[bool](b, "document.title.startsWith('That did not work')"); failed != (path == "/nowhere") {
				b.t.Errorf("%s: failed %v\n%s", path, failed, b.text())
			}
			if got := eval[int64](b, "document.documentElement.scrollWidth"); got > view.width {
				b.t.Errorf("%s is %d wide on a screen of %d", path, got, view.width)
			}
			for _, what := range eval[[]string](b, structure) {
				b.t.Errorf("%s, %d %s: %s", path, view.width, view.scheme, what)
			}
			if pictures != "" {
				picture, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
				if err == nil {
					err = os.WriteFile(filepath.Join(pictures, fmt.Sprintf("%02d-%d-%s.png", i, view.width, view.scheme)), picture, 0o644)
				}
				if err != nil {
					b.t.Fatal(err)
				}
			}
			if view.width == 1440 {
				b.named(path)
			}
		}
		ground := eval[string](b, "getComputedStyle(document.body).backgroundColor")
		if dark := ground == "rgb(23, 23, 21)"; dark != (view.scheme == "dark") {
			b.t.Errorf("%s: the ground is %s", view.scheme, ground)
		}
	}
	// The first key leads past the navigation.
	b.visit("/facts")
	b.do(chromedp.KeyEvent(kb.Tab))
	b.until("document.activeElement.matches('a.skip')")
	b.do(chromedp.KeyEvent(kb.Enter))
	b.until("document.activeElement.id === 'main'")
}

// axe asks axe-core, where node finds it (NODE_PATH), what keeps people out of a page.
func axe(b *tab) {
	out, err := exec.Command("node", "-p", "require.resolve('axe-core/axe.min.js')").Output()
	if err != nil {
		b.t.Skip("node finds no axe-core here: npm install axe-core somewhere and set NODE_PATH to its node_modules")
	}
	source, err := os.ReadFile(strings.TrimSpace(string(out)))
	if err != nil {
		b.t.Fatal(err)
	}
	pages := allPages(b.withBranches())
	for _, scheme := range []string{"light", "dark"} {
		b.colours(scheme)
		b.do(chromedp.EmulateViewport(820, 800))
		for _, path := range pages {
			b.visit(path)
			b.do(chromedp.Evaluate[chromedp.Void](string(source)))
			said, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](
				"axe.run(document, { resultTypes: ['violations'] }).then(r => JSON.stringify(r.violations.map(v => v.id + ': ' + v.nodes.map(n => n.html.slice(0, 120) + ' ' + n.failureSummary).join('; '))))",
				chromedp.EvalAwaitPromise))
			if err != nil {
				b.t.Fatalf("%s: %v", path, err)
			}
			var violations []string
			if err := json.Unmarshal([]byte(said), &violations); err != nil {
				b.t.Fatal(err)
			}
			for _, v := range violations {
				b.t.Errorf("%s, %s: %s", path, scheme, v)
			}
		}
	}
}

// named demands a name, as a screen reader tells it, of everything that can be used.
func (b *tab) named(path string) {
	b.t.Helper()
	tree, err := chromedp.Call(b.ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	if err != nil {
		b.t.Fatal(err)
	}
	used, marks := 0, map[string]bool{}
	for _, n := range tree.Nodes {
		if n.Ignored || n.Role == nil {
			continue
		}
		role, name := strings.Trim(string(n.Role.Value), `"`), ""
		if n.Name != nil {
			name = strings.Trim(string(n.Name.Value), `"`)
		}
		marks[role] = true
		switch role {
		case "link", "button", "textbox", "searchbox", "combobox", "checkbox", "radio", "image", "article", "navigation", "search", "DisclosureTriangle":
			if used++; name == "" && role != "article" {
				b.t.Errorf("%s: a %s has no name", path, role)
			}
		}
	}
	for _, mark := range []string{"main", "banner", "navigation", "contentinfo", "heading"} {
		if !marks[mark] {
			b.t.Errorf("%s: there is no %s", path, mark)
		}
	}
	if used < 5 {
		b.t.Errorf("%s: only %d things can be used", path, used)
	}
}

// dense demands that a list shows many rows at once on a desk and on a phone, none of them higher or lower than a finger needs.
func dense(b *tab) {
	for n := range 40 {
		id := fmt.Sprintf("%012x", n+0x100)
		b.write("facts/fact-"+id+"-x.md", factFile("fact-"+id, "level: 1\ndomain: auth\nstatus: stale", fmt.Sprintf("Tokens of kind %d are signed", n)))
		b.write("ideas/idea-"+id+"-x.md", ideaFile("idea-"+id, "active", fmt.Sprintf("Batch %d runs at night", n)))
		b.write(fmt.Sprintf("explore/topic-%d.md", n), "## Goals\n\n- sign tokens\n")
		b.write(fmt.Sprintf("decisions/sign-%d.md", n), fmt.Sprintf("---\ntitle: Sign tokens %d\nstatus: accepted\n---\n\n## Decision Outcome\n\nSign.\n", n))
	}
	const rows = "(h => [...document.querySelectorAll('#rows [data-item]')].map(e => e.getBoundingClientRect()).filter(r => r.bottom <= h && r.height >= 36 && r.height <= 44).length)(innerHeight)"
	for _, view := range []struct{ width, height, rows int64 }{{1440, 900, 15}, {390, 844, 8}} {
		b.do(chromedp.EmulateViewport(view.width, view.height))
		for _, path := range []string{"/facts", "/learnings", "/explorations", "/decisions", "/inbox", "/search?q=tokens"} {
			b.visit(path)
			if got := eval[int64](b, rows); got < view.rows {
				b.t.Errorf("%s shows %d rows on %d × %d, at least %d are wanted", path, got, view.width, view.height, view.rows)
			}
		}
	}
}
