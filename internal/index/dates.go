package index

import (
	"fmt"
	"strings"
	"sync"

	"sdd/internal/analysis"
	"sdd/internal/pattern"
)

// months maps the names of the months, without accents, to their numbers.
var months = sync.OnceValue(func() map[string]int {
	m := map[string]int{}
	for _, list := range []string{
		`january february march april may june july august september october november december`,
		`января февраля марта апреля мая июня
		июля августа сентября октября ноября декабря`,
		`январе феврале марте апреле мае июне
		июле августе сентябре октябре ноябре декабре`,
		`enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre`,
		`januar februar märz april mai juni juli august september oktober november dezember`,
		`janvier février mars avril mai juin juillet août septembre octobre novembre décembre`,
		`janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro`,
	} {
		for i, name := range strings.Fields(list) {
			m[analysis.Bare(name)] = i + 1
		}
	}
	return m
})

const maxDates = 8 // dates of a question that the ranking uses

// dated finds a year with its month and day, or with the word before it.
var dated = pattern.Late(`(?:(\pL+)\s+)?\b((?:199|20\d)\d)\b(?:-(\d\d)\b(?:-(\d\d)\b)?|年(?:(\d{1,2})月)?)?`)

// datesIn returns the days, months and years that a question names, in the form of record dates, and the words that they consist of.
func datesIn(src []byte) (dates []string, words map[string]bool) {
	words = map[string]bool{}
	for _, m := range dated().FindAllStringSubmatch(string(src), maxDates) {
		before, year, month, day, numbered := analysis.Lower(m[1]), m[2], m[3], m[4], m[5]
		date, of := year, []string{year, "年"}
		switch named := months()[analysis.Bare(before)]; {
		case day != "":
			date = year + "-" + month + "-" + day
			of = []string{date}
		case month != "":
			date = year + "-" + month
			of = []string{date}
		case numbered != "":
			date = year + "-" + strings.Repeat("0", 2-len(numbered)) + numbered
			of = append(of, numbered, "月")
		case named > 0:
			date = fmt.Sprintf("%s-%02d", year, named)
			of = append(of, before)
		}
		if dateMillis((date + "-01-01")[:len("2006-01-02")]) == noDate {
			continue
		}
		dates = append(dates, date)
		for _, w := range of {
			words[w] = true
		}
	}
	return dates, words
}
