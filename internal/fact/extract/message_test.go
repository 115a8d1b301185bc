package extract

import "testing"

func TestBullet(t *testing.T) {
	for in, want := range map[string]string{
		"- Outputs are coloured by default (#72, #73 by @ann)":                         "Outputs are coloured by default",
		"- Fixed the header - by [@Ann](https://x.org/Ann) in [#48](https://x.org/48)": "Fixed the header",
		"* Add logger to Gemfile (#9920)":                                              "Add logger to Gemfile",
		"- Fixed chrono formatting (https://x.org/pull/4802). Thanks @ann and @bob.":   "Fixed chrono formatting",
		"- Fix :func:`~click.echo` on Windows. :issue:`36` :pr:`37`":                   "Fix `click.echo` on Windows.",
		"- Fix {class}`Path` with `-`. {pr}`3656`":                                     "Fix `Path` with `-`.",
		"- The default is `80` (was 81)":                                               "The default is `80` (was 81)",
		"- Read files passed by name in turn":                                          "Read files passed by name in turn",
		"- The path `/users/{id}` now returns `404`":                                   "The path `/users/{id}` now returns `404`",
		"- Files named `{hash}` are removed from `dist`":                               "Files named `{hash}` are removed from `dist`",
		"- Templates support the decorator @property":                                  "Templates support the decorator @property",
		"- Requests are sent to https://a.org instead of http://b.org":                 "Requests are sent to https://a.org instead of http://b.org",
		"- Mention whole channels with @here":                                          "Mention whole channels with @here",
		"- Mail goes to ann@example.com":                                               "Mail goes to ann@example.com",
		"- [BUGFIX] Silences: do not lose the matcher #4321":                           "Silences: do not lose the matcher",
	} {
		if got := bullet(in); got != want {
			t.Errorf("%q = %q, want %q", in, got, want)
		}
	}
}
