package fact

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"sdd/internal/anchor"
	"sdd/internal/fault"
	"sdd/internal/record"
)

func TestAdd(t *testing.T) {
	f := newFixture(t)
	f.write("internal/auth/jwt.go", strings.Repeat("x\n", 60))
	got := f.add(Input{Content: "Tokens are JWTs signed with ES256", Level: 3, Domain: "auth", Module: "internal/auth", CodeRef: anchor.Places{`internal\auth\jwt.go#L10-50`},
		Source: "talk with Ann", Confidence: 0.9, TTLDays: 7, OnExpire: "archive", Evidence: "- asked on Monday"})
	if got.Action != Created || !slices.Equal(got.News, []string{Created}) || got.State != active || len(got.Warnings) > 0 {
		t.Errorf("added: %+v", got)
	}
	want := `---
id: ` + got.ID + `
level: 3
domain: auth
module: internal/auth
status: active
confidence: 0.9
source: talk with Ann
code_ref: internal/auth/jwt.go#L10-L50
ttl:
  days: 7
  on_expire: archive
created: "` + f.get(got.ID).Created + `"
seen:
  - ` + f.get(got.ID).pins[0] + `
---

Tokens are JWTs signed with ES256

## Evidence

- asked on Monday
`
	if text := f.read(got.File); text != want {
		t.Errorf("the file:\n%s\nwant:\n%s", text, want)
	}
	one := f.get(got.ID)
	if one.Evidence != "- asked on Monday" || one.Confidence != 0.9 || one.TTL.Days != 7 || one.Scope != record.Project || one.Etag != got.Etag {
		t.Errorf("read: %+v", one)
	}
	personal := f.add(Input{Content: "My editor is ed", Scope: record.Personal})
	if !strings.HasPrefix(personal.File, ".sdd/personal/facts/") || f.get(personal.ID).Scope != record.Personal {
		t.Errorf("personal: %+v", personal)
	}
}

func TestAddRefuses(t *testing.T) {
	f := newFixture(t)
	for name, c := range map[string]struct {
		in  Input
		arg string
	}{
		"nothing":              {Input{}, "content"},
		"blanks":               {Input{Content: " \n\t"}, "content"},
		"no text":              {Input{Content: "a\xff"}, "content"},
		"control characters":   {Input{Content: "a\x01"}, "content"},
		"too long":             {Input{Content: strings.Repeat("a", 300<<10)}, "content"},
		"a level":              {Input{Content: "a", Level: 4}, "level"},
		"a level below":        {Input{Content: "a", Level: -1}, "level"},
		"a long domain":        {Input{Content: "a", Domain: strings.Repeat("d", 201)}, "domain"},
		"two lines":            {Input{Content: "a", Source: "b\nc"}, "source"},
		"a confidence":         {Input{Content: "a", Confidence: 1.01}, "confidence"},
		"negative days":        {Input{Content: "a", TTLDays: -1}, "ttl_days"},
		"too many days":        {Input{Content: "a", TTLDays: 40_000}, "ttl_days"},
		"on_expire":            {Input{Content: "a", OnExpire: "burn"}, "on_expire"},
		"a glob":               {Input{Content: "a", RefreshOn: "api/[x"}, "refresh_on"},
		"a glob that leaves":   {Input{Content: "a", RefreshOn: "../x"}, "refresh_on"},
		"a scope":              {Input{Content: "a", Scope: "team"}, "scope"},
		"a reference":          {Input{Content: "a", CodeRef: anchor.Places{"#Sign"}}, "code_ref"},
		"a reference upwards":  {Input{Content: "a", CodeRef: anchor.Places{"../a.go"}}, "code_ref"},
		"an absolute one":      {Input{Content: "a", CodeRef: anchor.Places{"/etc/a.go#L1"}}, "code_ref"},
		"a drive":              {Input{Content: "a", CodeRef: anchor.Places{`C:\a.go#L1`}}, "code_ref"},
		"lines backwards":      {Input{Content: "a", CodeRef: anchor.Places{"a.go#L9-L3"}}, "code_ref"},
		"line zero":            {Input{Content: "a", CodeRef: anchor.Places{"a.go#L0"}}, "code_ref"},
		"a secret":             {Input{Content: "the key is " + "ghp_" + "Zr8kQ2mVx7LpT4sWc9YbN1dHf6JgE3uAo5Rk"}, ""},
		"an unknown supersede": {Input{Content: "a", Supersedes: "fact-ffffffffffff"}, "supersedes"},
	} {
		_, err := f.Add(t.Context(), c.in)
		if err == nil {
			t.Errorf("%s: taken", name)
			continue
		}
		if e := fault.Of(err); c.arg != "" && e.Arg != c.arg || e.Hint == "" || e.Code == fault.Internal {
			t.Errorf("%s: %+v", name, e)
		}
	}
	if _, err := os.Stat(f.dir + "/.sdd"); err == nil {
		t.Error("what was refused made a store")
	}
	old := f.add(Input{Content: "a"})
	if _, err := f.Add(t.Context(), Input{Content: "A ", Supersedes: old.ID}); fault.Of(err).Arg != "supersedes" {
		t.Errorf("it supersedes itself: %v", err)
	}
}

// TestPlaces adds a fact about code, again with the same code, with another place, after a change, and refreshes it: the
// places and the hash of refresh_on stay apart.
func TestPlaces(t *testing.T) {
	f := newFixture(t)
	f.write("auth.go", "package auth\n\ntype Signer struct{}\n\nfunc (Signer) Sign() int { return 1 }\n")
	in := Input{Content: "Tokens are signed", Level: 3, CodeRef: anchor.Places{"auth.go#Sign"}, RefreshOn: "go.mod"}
	f.write("go.mod", "module x\n")
	first := f.add(in)
	one := f.get(first.ID)
	if !slices.Equal(one.CodeRef, []string{"auth.go#Signer.Sign"}) || len(one.pins) != 1 || len(one.Seen) != 12 || len(first.Warnings) != 0 {
		t.Fatalf("added: %+v, %+v", one, first)
	}
	before, hash, pin := f.read(first.File), one.Seen, one.pins[0]
	if got := f.add(in); got.Action != Duplicate || f.read(first.File) != before {
		t.Errorf("added again: %+v\n%s", got, f.read(first.File))
	}
	in.CodeRef = anchor.Places{"auth.go#Sign", "auth.go#Signer"}
	if got := f.add(in); got.Action != Updated || len(f.get(first.ID).pins) != 2 || f.get(first.ID).Seen != hash {
		t.Errorf("another place: %+v\n%s", got, f.read(first.File))
	}
	f.write("auth.go", "package auth\n\ntype Signer struct{}\n\nfunc (Signer) Sign() int { return 2 }\n")
	f.write("go.mod", "module y\n")
	in.RefreshOn = ""
	in.CodeRef = in.CodeRef[:1]
	f.add(in) // stale by go.mod: both count anew
	one = f.get(first.ID)
	if len(one.pins) != 2 || one.pins[0] == pin || one.Seen == hash || one.State != active {
		t.Errorf("after a change: %+v", one)
	}
	pin, hash = one.pins[0], one.Seen
	f.write("auth.go", "package auth\n\ntype Signer struct{}\n\nfunc (Signer) Sign() int { return 3 }\n")
	f.write("go.mod", "module z\n")
	if _, err := f.Review(t.Context(), Action{Action: "refresh", IDs: []string{first.ID}}); err != nil {
		t.Fatal(err)
	}
	if one = f.get(first.ID); len(one.pins) != 2 || slices.Contains(one.pins, pin) || one.Seen == hash || one.State != active {
		t.Errorf("refreshed: %+v\n%s", one, f.read(first.File))
	}
}

func TestCodeRefThatIsNotThere(t *testing.T) {
	f := newFixture(t)
	f.write("a.go", "1\n2\n3\n")
	for ref, want := range map[string]string{"a.go": "", "a.go#L3": "", "a.go#L1-L3": "", "a.go#L2-L4": "a.go has 3 lines", "b.go#L1": "there is no file b.go"} {
		got := f.add(Input{Content: "Look at " + ref, Level: 3, CodeRef: anchor.Places{ref}})
		if (want == "") != (len(got.Warnings) == 0) || want != "" && !strings.Contains(got.Warnings[0], want) {
			t.Errorf("%s: %v", ref, got.Warnings)
		}
		if !slices.Equal(f.get(got.ID).CodeRef, []string{ref}) {
			t.Errorf("%s was not stored", ref)
		}
	}
}

// TestDuplicate adds one content in many spellings: one file, and what is new is kept.
func TestDuplicate(t *testing.T) {
	f := newFixture(t)
	first := f.add(Input{Content: "Amounts are kept in cents", Source: "README.md#L3", Confidence: 0.5})
	before := f.read(first.File)
	for _, same := range []Input{{Content: "amounts are kept in cents"}, {Content: " AMOUNTS are kept in cents\r\n", Source: "README.md#L3"}, {Content: "Amounts are kept in cents", Confidence: 0.4}} {
		got := f.add(same)
		if got.Action != Duplicate || len(got.News) != 0 || got.ID != first.ID || got.File != first.File {
			t.Errorf("%+v: %+v", same, got)
		}
	}
	if f.read(first.File) != before {
		t.Error("nothing new, and yet it was written")
	}
	got := f.add(Input{Content: "Amounts are kept in cents", Source: "talk with Ann", Confidence: 0.9, TTLDays: 14, RefreshOn: "money/**", Domain: "billing", CodeRef: anchor.Places{"money.go#L1"}})
	one := f.get(first.ID)
	if got.Action != Updated || one.Source != "README.md#L3" || one.Evidence != "- talk with Ann" || one.Confidence != 0.9 || one.TTL.Days != 14 ||
		one.TTL.RefreshOn != "money/**" || one.Domain != "billing" || !slices.Equal(one.CodeRef, []string{"money.go#L1"}) || one.State != active {
		t.Errorf("%+v\n%+v", got, one)
	}
	if got := f.add(Input{Content: "Amounts are kept in cents", Source: "talk with Ann"}); got.Action != Duplicate {
		t.Errorf("the second source is new again: %+v", got)
	}
	got = f.add(Input{Content: "Amounts are kept in cents", Domain: "shop", Level: 1})
	if got.Action != Duplicate || len(got.Warnings) != 2 || f.get(first.ID).Domain != "billing" {
		t.Errorf("what it says already: %+v", got)
	}
	if n := len(f.files()); n != 1 {
		t.Errorf("%d files", n)
	}
}

func TestComesBack(t *testing.T) {
	f := newFixture(t)
	old := f.add(Input{Content: "Sessions last an hour", Level: 2})
	for _, action := range []string{"expire", "archive"} {
		f.act(action, old.ID)
		got := f.add(Input{Content: "Sessions last an hour", Level: 2})
		if one := f.get(old.ID); got.Action != Reactivated || one.State != active || one.Status != active || one.Refreshed == "" {
			t.Errorf("after %s: %+v, %+v", action, got, one)
		}
	}
	f.now = f.now.AddDate(0, 0, 8) // stale by age: the status in the file is active
	if one := f.get(old.ID); one.State != stale || one.Status != active {
		t.Fatalf("not stale: %+v", one)
	}
	if got := f.add(Input{Content: "Sessions last an hour"}); got.Action != Reactivated || f.get(old.ID).State != active {
		t.Errorf("after a week: %+v", got)
	}
	newer := f.add(Input{Content: "Sessions last a day", Supersedes: old.ID})
	got := f.add(Input{Content: "Sessions last an hour"})
	if one := f.get(old.ID); got.Action != Reactivated || one.SupersededBy != "" || one.ValidUntil != "" || one.State != active || len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], newer.ID) {
		t.Errorf("superseded: %+v, %+v", got, one)
	}
}

func TestSupersede(t *testing.T) {
	f := newFixture(t)
	old := f.add(Input{Content: "Tokens are signed with RS256", Source: "a.go"})
	got := f.add(Input{Content: "Tokens are signed with ES256", Supersedes: old.ID})
	if got.Action != Created || !slices.Equal(got.News, []string{Created, Superseded}) || len(got.Superseded) != 1 || got.Superseded[0].ID != old.ID {
		t.Errorf("%+v", got)
	}
	one := f.get(old.ID)
	if one.State != superseded || one.Status != superseded || one.SupersededBy != got.ID || record.Moment(one.ValidUntil) == 0 || one.Source != "a.go" {
		t.Errorf("%+v", one)
	}
	if again := f.add(Input{Content: "Tokens are signed with ES256", Supersedes: old.ID}); again.Action != Duplicate {
		t.Errorf("again: %+v", again)
	}
	other := f.add(Input{Content: "Tokens are signed with HS256"})
	if later := f.add(Input{Content: "Tokens are signed with ES256", Supersedes: other.ID}); later.Action != Superseded {
		t.Errorf("of what is there: %+v", later)
	}
	live, _, total, err := f.List(t.Context(), Filter{})
	if err != nil || total != 1 || live[0].ID != got.ID {
		t.Errorf("what counts: %+v, %v", live, err)
	}
}

func TestSimilar(t *testing.T) {
	f := newFixture(t)
	a := f.add(Input{Content: "Amounts of money are always kept in cents as int64"})
	got := f.add(Input{Content: "Amounts of money are always kept in cents as an int64"})
	if got.Action != Created || len(got.Similar) != 1 || got.Similar[0].ID != a.ID || got.Similar[0].Similarity < 0.75 {
		t.Errorf("%+v", got)
	}
	if got := f.add(Input{Content: "The gateway drops headers over 8 KB"}); len(got.Similar) != 0 {
		t.Errorf("%+v", got.Similar)
	}
}

// hostile are contents that try to be something else.
var hostile = []string{
	"---\nid: fact-ffffffffffff\nlevel: 3\n---\n\ntext", "# A title\n\ntext", "## Evidence\n\n- nothing", "Evidence\n---\n", "text\n===\nmore", "```\nopen fence",
	"<!-- never closed", "> quote\n\n## Section", "- item\n\n  ## in a list\n\n## Out", "[x]: http://x\n", "a\n\n---\n\nb", "\ufeff---\nid: x\n---\n", "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs",
	"    indented\n\n## h", "status: archived\n---", "1. one\n2. two\n", "<div>\n## html\n</div>", "\\## escaped", "***", "text\n\n## Evidence", "~~~\n## in a fence\n~~~",
	"日本語の事実\n\n## 見出し", "a\tb", "<details>\n\n## x\n\n</details>", "| a |\n|---|\n## x", "$$\n## m\n$$",
}

// TestContained stores what tries to break out: it reads back, in its place, and its repetition is none.
func TestContained(t *testing.T) {
	f := newFixture(t)
	r := rand.New(rand.NewPCG(1, 2))
	contents := slices.Clone(hostile)
	for range 150 {
		var parts []string
		for range 1 + r.IntN(3) {
			parts = append(parts, hostile[r.IntN(len(hostile))])
		}
		contents = append(contents, strings.Join(parts, []string{"\n", "\n\n", " "}[r.IntN(3)]))
	}
	refused := 0
	for _, content := range contents {
		got, err := f.Add(t.Context(), Input{Content: content, Evidence: "- seen", Level: 1, Domain: "d"})
		if fault.Is(err, fault.Invalid) {
			refused++
			continue
		}
		if err != nil {
			t.Fatalf("%q: %v", content, err)
		}
		one := f.get(got.ID)
		if one.ID != got.ID || one.Level != 1 || one.Domain != "d" || one.Status != active || one.Evidence != "- seen" {
			t.Errorf("%q became something else: %+v", content, one)
		}
		if len(got.Warnings) == 0 && one.Content != strings.TrimSpace(content) {
			t.Errorf("%q reads back as %q", content, one.Content)
		}
		before := f.read(got.File)
		if again := f.add(Input{Content: one.Content}); again.ID != got.ID || again.Action != Duplicate || f.read(got.File) != before {
			t.Errorf("%q: what is stored is not the same again: %+v", content, again)
		}
	}
	if refused > len(contents)/20 {
		t.Errorf("%d of %d were refused", refused, len(contents))
	}
}

// TestAddedTwiceAfterAnEdit keeps what a person made of a fact.
func TestAddedTwiceAfterAnEdit(t *testing.T) {
	f := newFixture(t)
	got := f.add(Input{Content: "The cache holds 100 entries"})
	f.write(got.File, strings.Replace(f.read(got.File), "100 entries", "200 entries", 1))
	if again := f.add(Input{Content: "The cache holds 200 entries"}); again.ID != got.ID || again.Action != Duplicate {
		t.Errorf("the edited content: %+v", again)
	}
	if again := f.add(Input{Content: "The cache holds 100 entries"}); again.ID != got.ID || again.Action != Duplicate || len(again.Warnings) != 1 {
		t.Errorf("the first content: %+v", again)
	}
	if one := f.get(got.ID); one.Content != "The cache holds 200 entries" || len(f.files()) != 1 {
		t.Errorf("%+v in %v", one, f.files())
	}
}

func TestBrokenFile(t *testing.T) {
	f := newFixture(t)
	got := f.add(Input{Content: "The cache holds 100 entries"})
	f.write(got.File, strings.Replace(f.read(got.File), "level: 0", "level: [0", 1))
	before := f.read(got.File)
	if _, err := f.Add(t.Context(), Input{Content: "The cache holds 100 entries", TTLDays: 3}); !fault.Is(err, fault.Broken) || fault.Of(err).File == "" {
		t.Errorf("%v", err)
	}
	if f.read(got.File) != before {
		t.Error("it was written to")
	}
	f.add(Input{Content: "Another one"})
	if _, _, total, err := f.List(t.Context(), Filter{}); err != nil || total != 2 {
		t.Errorf("a broken file hides others: %d, %v", total, err)
	}
}

// TestHandWritten reads what people write, without our keys or with odd values.
func TestHandWritten(t *testing.T) {
	f := newFixture(t)
	f.write(".sdd/facts/fact-000000000001-a.md", "Just a sentence\n")
	f.write(".sdd/facts/odd.md", "---\nid: fact-000000000002\nlevel: 9\nstatus: Foo\nconfidence: 7\nttl: 7\nmine: [1]\n---\nText\n\n## Notes\n\nx\n")
	f.write(".sdd/facts/crlf.md", "---\r\nid: fact-000000000003\r\nlevel: 1\r\nttl: {days: 2, refresh_on: 'x/**', on_expire: Delete}\r\n---\r\n\r\nText of it\r\n")
	a, b, c := f.get("fact-000000000001"), f.get("fact-000000000002"), f.get(".sdd/facts/crlf.md")
	if a.Content != "Just a sentence" || a.State != active || a.Confidence != 1 || a.Level != 0 {
		t.Errorf("%+v", a)
	}
	if b.Level != 3 || b.Status != "of unknown status foo" || b.Live() || b.Confidence != 1 || b.TTL.Days != 7 {
		t.Errorf("%+v", b)
	}
	if c.Level != 1 || c.TTL.OnExpire != "delete" || c.TTL.Days != 2 || c.Content != "Text of it" {
		t.Errorf("%+v, %+v", c, c.TTL)
	}
	f.act("refresh", "fact-000000000003")
	if text := f.read(".sdd/facts/crlf.md"); strings.Count(text, "\n") != strings.Count(text, "\r\n") || !strings.Contains(text, "days: 2") {
		t.Errorf("refreshed:\n%q", text)
	}
	f.act("edit", "fact-000000000002")
	if text := f.read(".sdd/facts/odd.md"); !strings.Contains(text, "mine: [1]") || !strings.Contains(text, "## Notes\n\nx\n") || strings.Contains(text, "Text") {
		t.Errorf("edited:\n%s", text)
	}
}

func TestCollision(t *testing.T) {
	f := newFixture(t)
	id := idOf("One thing")
	f.write(".sdd/facts/"+id+"-other.md", "---\nid: "+id+"\n---\n\nSomething else\n")
	// Its content does not fit the id: it is taken for the same fact, edited.
	if got := f.add(Input{Content: "One thing"}); got.ID != id || got.Action != Duplicate {
		t.Errorf("%+v", got)
	}
}

func TestManyAdds(t *testing.T) {
	f := newFixture(t)
	for n := range 120 {
		f.add(Input{Content: fmt.Sprintf("Fact number %d", n), Level: n % 4, Domain: fmt.Sprint("d", n%3)})
	}
	seen := map[string]bool{}
	for cursor := ""; ; {
		page, next, total, err := f.List(context.Background(), Filter{Limit: 7, Cursor: cursor})
		if err != nil || total != 120 {
			t.Fatal(total, err)
		}
		for _, one := range page {
			seen[one.ID] = true
		}
		if cursor = next; next == "" {
			break
		}
	}
	if len(seen) != 120 {
		t.Errorf("%d of 120", len(seen))
	}
	level := 2
	for _, c := range []struct {
		want Filter
		n    int
	}{{Filter{Level: &level}, 30}, {Filter{Domain: "D1"}, 40}, {Filter{Text: "NUMBER fact"}, 120}, {Filter{Text: "number none"}, 0}, {Filter{State: "archived"}, 0}, {Filter{State: "any"}, 120}, {Filter{Module: "x"}, 0}} {
		if _, _, total, err := f.List(t.Context(), c.want); err != nil || total != c.n {
			t.Errorf("%+v: %d, %v", c.want, total, err)
		}
	}
	bad := -1
	for _, want := range []Filter{{Level: &bad}, {State: "fresh"}, {Limit: 501}, {Cursor: "x!"}} {
		if _, _, _, err := f.List(t.Context(), want); !fault.Is(err, fault.Invalid) {
			t.Errorf("%+v: %v", want, err)
		}
	}
	if _, err := f.Get(t.Context(), "fact-nope"); !fault.Is(err, fault.NotFound) {
		t.Error(err)
	}
}
