package classify

import "testing"

func TestCategory(t *testing.T) {
	for _, c := range []struct{ want, content string }{
		// the examples of the definition
		{"Architecture", "rehype requires explicit config for GFM"},
		{"Architecture", "All API routes defined in `src/routes/`"},
		{"Testing", "Tests use Vitest, not Jest"},
		{"Testing", "All test files should use .test.ts extension"},
		{"API", "This API requires authentication header"},
		{"Architecture", "This module uses dependency injection"},
		{"Errors", "This error means X, fix with Y"},

		// nothing to go by
		{"General", ""},
		{"General", "日本語の文。"},
		{"General", "It is what it is."},
	} {
		if got := Category(c.content, nil); got.Value != c.want {
			t.Errorf("Category(%q) = %+v, want %s", c.content, got, c.want)
		}
	}
}

func TestCategoriesOfTheProject(t *testing.T) {
	own := map[string][]string{
		"Billing":  {"invoice", "credit note", "VAT"},
		"Hardware": {"printer", "c++", "src/drivers/"},
		"Legal":    {"invoice", ""},
		"Empty":    nil,
	}
	for _, c := range []struct{ want, rule, content string }{
		{"Billing", `word of this project's own: "invoices"`, "Tests of invoices use Vitest."},
		{"Billing", `word of this project's own: "credit", "notes"`, "Errors in Credit Notes are shown in red."},
		{"Billing", `word of this project's own: "invoice", "vat"`, "The VAT of an invoice is rounded per line."},
		{"Hardware", `word of this project's own: "c++"`, "The C++ part has its own tests."},
		{"Hardware", `word of this project's own: "src/drivers/"`, "Everything in `src/drivers/` is generated."},
		{"Testing", "", "Tests use Vitest, not Jest"},
		{"General", "", "A note to our creditors."},
	} {
		got := Category(c.content, own)
		if got.Value != c.want || c.rule != "" && got.Rule != c.rule {
			t.Errorf("Category(%q) = %+v, want %s (%s)", c.content, got, c.want, c.rule)
		}
	}
	if got := Category("Tests use Vitest", map[string][]string{"Testing": {"vitest"}}).Value; got != "Testing" {
		t.Errorf("words for a category that exists: %s", got)
	}
}
