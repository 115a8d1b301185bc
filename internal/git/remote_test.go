package git

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLastPart(t *testing.T) {
	for url, want := range map[string]string{
		"https://example.com/me/shop.git":                "shop",
		"https://example.com/me/shop":                    "shop",
		"https://example.com/me/shop.git/":               "shop",
		"https://user:secret@example.com/me/shop.git":    "shop",
		"https://user:secret@example.com":                "",
		"https://user:secret@example.com/":               "",
		"https://example.com/me/shop.git?token=x#y":      "shop",
		"https://dev.azure.com/org/My%20Plan/_git/My%20": "My ",
		"ssh://git@example.com:2222/~me/shop.git":        "shop",
		"git@example.com:me/shop.git":                    "shop",
		"git@example.com:shop.git":                       "shop",
		"example.com:shop":                               "shop",
		"git@example.com:":                               "",
		"[::1]:me/shop.git":                              "shop",
		"/srv/git/shop.git":                              "shop",
		"/srv/work/shop/.git":                            "shop",
		"/srv/work/shop/.git/":                           "shop",
		"../shop":                                        "shop",
		"..":                                             "",
		".":                                              "",
		"/":                                              "",
		"":                                               "",
		"file:///srv/git/Shop.Git":                       "Shop.Git",
		"file:///C:/repos/shop.git":                      "shop",
		`C:\repos\shop.git`:                              "shop",
		"C:/repos/shop":                                  "shop",
		"file:///C:/":                                    "",
		`\\server\share\shop.git`:                        "shop",
		"https://example.com/日本/プロジェクト.git": "プロジェクト",
		"https://example.com/me/a.b.git":    "a.b",
		"./with:colon/shop":                 "shop",
		"shop.bundle":                       "shop.bundle",
	} {
		if got := lastPart(url); got != want {
			t.Errorf("lastPart(%q) = %q, want %q", url, got, want)
		}
	}
}

func TestRemoteName(t *testing.T) {
	dir := newRepo(t)
	check := func(dir, want string) {
		t.Helper()
		if got := RemoteName(dir); got != want {
			t.Errorf("RemoteName = %q, want %q", got, want)
		}
	}
	check(dir, "")
	check(tempDir(t), "")
	git(t, dir, "remote", "add", "upstream", "https://example.com/them/first.git")
	check(dir, "first")
	git(t, dir, "remote", "add", "origin", "git@example.com:me/second one.git")
	check(dir, "second one")
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "one")
	linked := filepath.Join(tempDir(t), "linked")
	git(t, dir, "worktree", "add", "-q", linked)
	check(linked, "second one")
	git(t, dir, "remote", "remove", "origin")
	git(t, dir, "remote", "remove", "upstream")
	check(dir, "")
	write(t, dir, ".git/more", "[remote \"origin\"]\n\turl = https://example.com/me/included.git\n")
	git(t, dir, "config", "include.path", "more")
	check(dir, "included")
}

func TestParseSettings(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		want []setting
	}{
		"empty":     {"", nil},
		"plain":     {"[core]\n\tbare = false\n", []setting{{"core", "", "bare", "false"}}},
		"crlf":      {"[core]\r\n\tbare = true\r\n[remote \"o\"]\r\nurl=x\r\n", []setting{{"core", "", "bare", "true"}, {"remote", "o", "url", "x"}}},
		"bom":       {"\ufeff[core]\nbare\n", []setting{{"core", "", "bare", "true"}}},
		"one line":  {"[remote \"origin\"] url = x ; said\n", []setting{{"remote", "origin", "url", "x"}}},
		"comments":  {"# a\n; b\n[a] # c\n k = v # d\n", []setting{{"a", "", "k", "v"}}},
		"quotes":    {"[a]\n k = \" v # \" w \\\"x\\\\ \t\n", []setting{{"a", "", "k", ` v #  w "x\`}}},
		"escapes":   {"[a]\n k = a\\nb\\tc\n", []setting{{"a", "", "k", "a\nb\tc"}}},
		"continued": {"[a]\n k = one \\\n two\\\r\n!\n j = 2\n", []setting{{"a", "", "k", "one  two!"}, {"a", "", "j", "2"}}},
		"sections":  {"[A \"B \\\"c\\\\\"]\nK=v\n[x.Y]\nk=w\n", []setting{{"a", `B "c\`, "k", "v"}, {"x", "y", "k", "w"}}},
		"no end":    {"[a]\nk = v", []setting{{"a", "", "k", "v"}}},
		"no value":  {"[a]\nk =\nj = \"\"\n", []setting{{"a", "", "k", ""}, {"a", "", "j", ""}}},
		"bad head":  {"[a\nk = v\n[b]\nj = w\n", []setting{{"", "", "k", "v"}, {"b", "", "j", "w"}}},
	} {
		t.Run(name, func(t *testing.T) {
			got := parseSettings(tc.text)
			if d := cmp.Diff(tc.want, got, cmp.AllowUnexported(setting{})); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestSettingsAsGitReadsThem sets values through git and reads them from its file.
func TestSettingsAsGitReadsThem(t *testing.T) {
	dir := newRepo(t)
	var want []setting
	for i, value := range []string{"", " ", "plain", "  around\t", `a "b" \c\`, "# ; =", "two\nlines", "日本 ü", "true", "a\\\nb"} {
		sub := []string{"x", `q"u\o`, "日 本", "a.b"}[i%4]
		git(t, dir, "config", "--add", "test."+sub+".key", value)
		want = append(want, setting{"test", sub, "key", value})
	}
	got := map[setting]int{}
	for _, s := range readSettings(filepath.Join(dir, ".git", "config")) {
		got[s]++
	}
	for _, s := range want {
		if got[s] != 1 {
			t.Errorf("%q is there %d times", s, got[s])
		}
	}
}

// FuzzSettings checks that a value comes back as it was written, whatever stands before it.
func FuzzSettings(f *testing.F) {
	for _, s := range []string{"[a]\nk = v\n", "[a \"b\"]\nk = \"x\\ty\" z\n", "[a]\nk = 1 \\\n 2 # c\n", "[a]\r\nk\r\n", "[", "[a \""} {
		f.Add(s, "value # x")
	}
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)
	f.Fuzz(func(t *testing.T, before, value string) {
		parseSettings(before)
		if strings.Contains(value, "\r\n") {
			return // a line end in a quoted value is one only as \n
		}
		before = strings.TrimRight(before, "\\\r\n") + "\n" // not continued
		if strings.Count(before, `"`) > 0 {
			before = "" // it might be left open
		}
		got := parseSettings(before + "[remote \"o\"]\n\turl = \"" + escape.Replace(value) + "\"\n")
		want := setting{"remote", "o", "url", value}
		if len(got) == 0 || got[len(got)-1] != want {
			t.Errorf("%q: got %q, want %q", before, got, want)
		}
	})
}
