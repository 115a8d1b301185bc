package index

import (
	"strings"

	"sdd/internal/analysis"
)

// ofOneOrMany returns the form that titles compare: the same for singular and plural, whose stems differ, as bus and buse do.
func ofOneOrMany(word, stemmed string) string {
	if one := irregular()[word]; one != "" {
		stemmed = analysis.Bare(analysis.Stem(one, analysis.English))
	}
	s := stemmed
	switch n := len(s); {
	case word == "news":
	case n > 4 && (s[n-2:] == "ex" || s[n-2:] == "ix"): // indices
		s = s[:n-2] + "ic"
	case strings.HasSuffix(s, "se"): // buses
		s = s[:n-2]
	case strings.HasSuffix(s, "s"):
		s = strings.TrimRight(s, "s")
	case strings.HasSuffix(s, "zz"): // quizzes
		s = s[:n-1]
	}
	if len(s) < 2 {
		return stemmed
	}
	return s
}

var irregular = analysis.Pairs(`people person children child men man women woman mice mouse feet foot teeth tooth geese goose
	criteria criterion phenomena phenomenon schemata schema analyses analysis hypotheses hypothesis theses thesis crises crisis
	diagnoses diagnosis syntheses synthesis shelves shelf halves half knives knife lives life wives wife wolves wolf loaves loaf`)
