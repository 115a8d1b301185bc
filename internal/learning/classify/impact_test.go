package classify

import (
	"strings"
	"testing"
)

func TestImpact(t *testing.T) {
	for _, c := range []struct{ want, content string }{
		// the examples of the definition
		{"low", "Use const over let when possible"},
		{"medium", "This hook requires cleanup"},
		{"high", "All API calls go through gateway"},
		{"critical", "Auth token expires after 1 hour"},

		// negation, guards, plans
		{"medium", "The cursor does not expire."},
		{"medium", "The retry wrapper prevents crashes."},
		{"medium", "The import runs without data loss."},
		{"critical", "The import without a backup means data loss."},
		{"medium", "The session token never expires."},
		{"medium", "We decided to delete the old records."},

		// critical has its rules: harm, the law, what others get in by, "never"
		{"critical", "Never push to main without a review."},
		{"critical", "The sync deletes files and loses data when the disk is full."},
		{"critical", "Logs must not contain passwords: the debug level logs the password."},
		{"critical", "User ids fall under GDPR."},
		{"medium", "Never mind the warning of the linker."},

		// style
		{"low", "We indent with tabs."},
		{"low", "Prefer early returns to nested ifs."},

		// questions have no impact
		{"low", "Does the auth token expire?"},
		{"low", "Should all API calls go through the gateway?"},
		{"critical", "Does the auth token expire? Yes, the auth token expires after an hour."},

		// nothing to go by
		{"medium", ""},
		{"medium", "Paths are joined with a slash."},
		{"medium", "日本語の文。"},

		// other languages
		{"critical", "Токен истекает через час."},
	} {
		if got := Impact(c.content); got.Value != c.want {
			t.Errorf("Impact(%q) = %+v, want %s", c.content, got, c.want)
		}
	}
}

func TestImpactShowsItsRule(t *testing.T) {
	for content, want := range map[string]string{
		"Auth token expires after 1 hour":  `expires: "token expires"`,
		"This hook requires cleanup":       `nothing speaks for another level`,
		"All API calls go through gateway": `everything goes one way: "all api calls go through"`,
		"Use const over let when possible": `preference: "when possible"`,
		"Is it so?":                        `asks a question`,
		"It is what it is":                 `nothing speaks for another level`,
	} {
		if got := Impact(content); got.Rule != want {
			t.Errorf("Impact(%q).Rule = %s, want %s", content, got.Rule, want)
		}
	}
	// The words of a rule are words of the text.
	for _, content := range sample {
		for _, v := range []Verdict{Impact(content), Category(content, nil)} {
			for i, w := range strings.Split(v.Rule, `"`) {
				if i%2 == 0 {
					continue
				}
				for w := range strings.FieldsSeq(w) {
					if !strings.Contains(strings.ToLower(content), w) && w != "not" && w != "can" && w != "will" && w != "." {
						t.Errorf("%q is not in %q", w, content)
					}
				}
			}
		}
	}
}
