package screens

import (
	"bufio"
	"crypto/sha256"
	"flag"
	"fmt"
	"html"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"sdd/cmd/sdd/sddtest"
	"sdd/internal/terminal/terminaltest"
)

var updatePictures = flag.Bool("pictures", false, "make the pictures of the documentation anew")

const (
	pictures     = "../../../../.docs/pictures"
	mostPictures = 300_000 // bytes
)

// demo are the records of the pictures. Their dates follow today's, so that the ages in the pictures stay.
func demo() map[string]string {
	day := func(ago int) string { return time.Now().UTC().AddDate(0, 0, -ago).Format(time.DateOnly) }
	explore := func(title string, ago int, text string) string {
		return "---\ntitle: " + title + "\nproject: shop\nscope: project\nrevision: 2\ncreated: " + day(ago) + "\n---\n\n" + text
	}
	fact := func(n int, domain, text string, ago int) string {
		return fmt.Sprintf("---\nid: fact-%012d\nlevel: 0\ndomain: %s\nstatus: active\nconfidence: 0.9\ncreated: %s\n---\n\n%s\n", n, domain, day(ago), text)
	}
	candidate := func(n int, confidence, text string, ago int) string {
		return fmt.Sprintf("---\nid: fact-%012d\nkind: fact\nlevel: 1\ndomain: auth\nconfidence: %s\nstatus: pending\nsource: session\ncreated: %s\n---\n\n%s\n", n, confidence, day(ago), text)
	}
	decision := func(title, status string, ago int, because string) string {
		return "---\ntitle: " + title + "\nstatus: " + status + "\ndate: " + day(ago) + "\ncreated: " + day(ago) +
			"\n---\n\n## Context and Problem Statement\n\n" + because + "\n\n## Decision Outcome\n\nChosen option: " + title + ", because " + because + "\n"
	}
	learning := func(n int, text string, ago int) string {
		return fmt.Sprintf("---\nid: idea-%012d\ncolor: yellow\nstatus: active\nscope: local\ncategory: testing\nimpact: medium\ncreated: %s\n---\n\n%s\n", n, day(ago), text)
	}
	return map[string]string{
		"config.yaml": "project: shop\n",
		"explore/user-auth.md": explore("User auth", 6, "## Goals\n\n- log in by mail, without a password\n- stay logged in for a month\n\n## Constraints\n\n"+
			"- no passwords stored\n\n## Unknowns\n\n- which mail service delivers within a minute?\n\n## Decisions\n\n- magic links, valid for 10 minutes\n"),
		"explore/invoices.md":                  explore("Invoices", 12, "## Goals\n\n- one PDF an order\n\n## Constraints\n\n- numbers have no gaps\n"),
		"explore/checkout.md":                  explore("Checkout", 9, "## Goals\n\n<<<<<<< HEAD\n- keep a cart for a day\n=======\n- keep a cart for a week\n>>>>>>> long-carts\n"),
		"explore/search.md":                    explore("Search", 20, "## Goals\n\n- results while the customer types\n"),
		"facts/fact-000000000001-cents.md":     fact(1, "payments", "Amounts are kept in cents", 30),
		"facts/fact-000000000002-retries.md":   fact(2, "payments", "Payments are retried three times", 25),
		"facts/fact-000000000003-tokens.md":    fact(3, "auth", "Session tokens are signed with EdDSA", 14),
		"facts/fact-000000000004-logs.md":      fact(4, "ops", "Logs are JSON, one object a line", 40),
		"decisions/use-magic-links.md":         decision("Use magic links instead of passwords", "accepted", 6, "customers forget passwords and reuse them"),
		"decisions/postgresql-for-orders.md":   decision("PostgreSQL for orders", "accepted", 33, "orders need transactions"),
		"decisions/queue-for-mail.md":          decision("A queue for mail", "proposed", 2, "the mail service is down now and then"),
		"ideas/idea-000000000001-clock.md":     learning(1, "Tests of links need a fixed clock", 5),
		"ideas/idea-000000000002-sandbox.md":   learning(2, "The payment sandbox refuses amounts above 1,000", 11),
		"inbox/fact-00000000000a-lifetime.md":  candidate(10, "0.92", "A magic link works once", 1),
		"inbox/fact-00000000000b-rate.md":      candidate(11, "0.85", "At most five links an hour are sent to one address", 1),
		"inbox/fact-00000000000c-providers.md": candidate(12, "0.71", "The mail service drops messages above 10 MB", 3),
	}
}

// changing are the parts of the output that differ between runs: dates, hashes and tokens.
var changing = regexp.MustCompile(`\d{4}-\d\d-\d\d(T[\d:]+Z?)?|\d{1,2} (January|February|March|April|May|June|July|August|September|October|November|December) \d{4}|[0-9a-f]{16,}|[A-Za-z0-9_-]{22,}`)

// TestTerminalPicture compares the recording of the terminal with what the program shows today; with -pictures it makes it anew.
func TestTerminalPicture(t *testing.T) {
	t.Parallel()
	c := sddtest.NewClone(t, "shop")
	c.SDD("init")
	for name, text := range demo() {
		c.Write(".sdd/"+name, text)
	}
	c.Commit("records")
	c.Write(".sdd/explore/invoices.md", strings.Replace(demo()["explore/invoices.md"], "one PDF", "one signed PDF", 1))
	const width, height = 120, 30
	p := terminaltest.Open(t, width, height)
	cmd := c.With("TERM=xterm-256color").Command("sdd")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.TTY, p.TTY, p.TTY
	cmd.SysProcAttr = session()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var frames []string
	for _, step := range []struct{ keys, await string }{
		{"", "> markers"}, {"2", "2 Review\x1b[0m  1/"}, {"  ", "2 marked"}, {"\x1b\x1b[H/magic links\r", "4 Records\x1b[0m  1/5"},
	} {
		p.Press(step.keys)
		p.Await(step.await)
		p.Press("X") // has no meaning; the next frame shows that the one before is complete
		p.Await("\x1b[?25l\x1b[")
		frames = append(frames, drawn(p.Shown(), width, height))
	}
	p.Press("\x03")
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	check(t, "terminal.svg", []byte(recording(frames, width, height)))
}

// check compares a picture with its file, or writes the file.
func check(t *testing.T, name string, picture []byte) {
	t.Helper()
	file := filepath.Join(pictures, name)
	if *updatePictures {
		if err := os.WriteFile(file, picture, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	old, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(changing.ReplaceAll(old, []byte("_"))) != string(changing.ReplaceAll(picture, []byte("_"))) {
		t.Errorf("%s is older than what it shows: .ci/pictures makes it anew", name)
	}
}

// TestPagePictures compares what the page serves with what its pictures were made of; with -pictures it makes them anew.
func TestPagePictures(t *testing.T) {
	t.Parallel()
	var size int64
	bin := sddtest.Program(t)
	if *updatePictures {
		at := slices.IndexFunc(browsers, func(name string) bool { _, err := exec.LookPath(name); return err == nil })
		if at < 0 {
			t.Fatal("there is no browser to make the pictures with")
		}
		b := openUI(t, bin, startBrowser(t, browsers[at]), demo())
		for _, scheme := range []string{"light", "dark"} {
			b.colours(scheme)
			b.do(chromedp.EmulateViewport(1200, 760))
			b.visit("/")
			b.until("document.readyState === 'complete'")
			picture, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(pictures, "page-"+scheme+".png"), picture, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	check(t, "page.sum", []byte(served(t, bin)+"\n"))
	files, err := os.ReadDir(pictures)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if about, err := f.Info(); err == nil {
			size += about.Size()
		}
	}
	if size > mostPictures {
		t.Errorf("the pictures have %d bytes, at most %d are wanted", size, mostPictures)
	}
}

// served is a hash of the start page and its style sheets, without what differs between runs.
func served(t *testing.T, bin string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range demo() {
		file := filepath.Join(dir, ".sdd", name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), bin, "ui", "--no-open", "--dir", dir)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Signal(os.Interrupt); _ = cmd.Wait() }()
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	jar, _ := cookiejar.New(nil)
	client := &http.Client{Jar: jar, Timeout: 30 * time.Second}
	get := func(url string) string {
		answer, err := client.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s, %v", url, answer.Status, err)
		}
		return string(text)
	}
	address = strings.TrimSpace(address)
	base, _, _ := strings.Cut(address, "/?")
	page := get(address)
	styles := map[string]bool{}
	for _, m := range regexp.MustCompile(`href="(/assets/[^"]+\.css[^"]*)"`).FindAllStringSubmatch(page, -1) {
		styles[html.UnescapeString(m[1])] = true
	}
	sum := sha256.New()
	times := regexp.MustCompile(`(?s)<time.*?</time>|data-stamp="[^"]*"|127\.0\.0\.1:\d+|` + filepath.Base(filepath.Dir(dir)) + `[/\w]*`)
	io.WriteString(sum, changing.ReplaceAllString(times.ReplaceAllString(page, "_"), "_"))
	for _, s := range slices.Sorted(maps.Keys(styles)) {
		io.WriteString(sum, get(base+s))
	}
	return fmt.Sprintf("%.12x", sum.Sum(nil)[:6])
}
