package index

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// months maps the names of the months, without accents, to their numbers.
var months = sync.OnceValue(func() map[string]int {
	m := map[string]int{}
	for _, list := range []string{
		`january february march april may june july august september october november december`,
		`января февраля марта апреля мая июня июля августа сентября октября ` +
			`ноября декабря`,
		`январе феврале марте апреле мае июне июле августе сентябре октябре ` +
			`ноябре декабре`,
		`enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre`,
		`januar februar märz april mai juni juli august september oktober november dezember`,
		`janvier février mars avril mai juin juillet août septembre octobre novembre décembre`,
		`janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro`,
	} {
		for i, name := range strings.Fields(list) {
			m[bare(name)] = i + 1
		}
	}
	return m
})

const maxDates = 8 // dates of a question that the ranking uses

// datesIn returns the days, months and years that a question names, in the form of record dates, and the words that they
// consist of.
func datesIn(src []byte) (dates []string, words map[string]bool) {
	words = map[string]bool{}
	add := func(date string, of ...string) {
		dates = append(dates, date)
		for _, w := range of {
			words[w] = true
		}
	}
	isYear := func(s string) bool {
		n, err := strconv.Atoi(s)
		return err == nil && len(s) == 4 && 1990 <= n && n < 2100
	}
	month, before := 0, ""
	tokens(src, func(t token) bool {
		w := lower(normal(src[t.start:t.end]))
		switch {
		case t.kind != word:
			if w == "年" || w == "月" {
				words[w] = true
			}
		case isYear(w):
			if month > 0 {
				add(fmt.Sprintf("%s-%02d", w, month), w, before)
			} else if rest := string(src[t.end:]); strings.HasPrefix(rest, "年") {
				n := 0
				for _, r := range strings.TrimPrefix(rest, "年") {
					if r < '0' || r > '9' || n > 12 {
						break
					}
					n = n*10 + int(r-'0')
				}
				if n >= 1 && n <= 12 {
					add(fmt.Sprintf("%s-%02d", w, n), w, strconv.Itoa(n))
				} else {
					add(w, w)
				}
			} else {
				add(w, w)
			}
		case len(w) == len("2006-01-02") && dateMillis(w) != noDate, len(w) == len("2006-01") && dateMillis(w+"-01") != noDate:
			add(w, w)
		}
		month, before = months()[bare(w)], w
		return len(dates) < maxDates
	})
	return dates, words
}
