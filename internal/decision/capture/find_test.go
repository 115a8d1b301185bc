package capture

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// brief is a decision in one line: statement, then what was filled in.
func brief(d Decision) string {
	var b strings.Builder
	b.WriteString(d.Decision)
	for _, k := range []struct {
		name string
		list []string
	}{{"because", d.Reasons}, {"not", d.Alternatives}, {"so", d.Consequences}, {"bound by", d.Constraints}, {"assuming", d.Assumptions}} {
		if len(k.list) > 0 {
			fmt.Fprintf(&b, " | %s: %s", k.name, strings.Join(k.list, "; "))
		}
	}
	return b.String()
}

func TestParts(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"We decided to use Redis because it is already deployed.", "Use Redis | because: it is already deployed"},
		{"Since the disks are full, we chose object storage over NFS.", "We chose object storage over NFS | because: the disks are full | not: NFS"},
		{"We went with Kafka over RabbitMQ for the event bus.", "We went with Kafka over RabbitMQ for the event bus | not: RabbitMQ"},
		{"Assuming traffic stays flat, we will keep one database.", "We will keep one database | assuming: traffic stays flat"},
		{"We're dropping the v1 API, which means partners must migrate.", "We're dropping the v1 API | so: partners must migrate"},
		{"We agreed that tokens expire after an hour.", "Tokens expire after an hour"},
		{"Решили хранить логи в ClickHouse, потому что Postgres не справляется.", "Хранить логи в ClickHouse | because: Postgres не справляется"},
		{"Wir nehmen SQLite statt Postgres, weil der Betrieb einfacher ist.", "Wir nehmen SQLite statt Postgres | because: der Betrieb einfacher ist | not: Postgres"},
		{"Optamos por SQLite en lugar de Postgres porque es más simple.", "Optamos por SQLite en lugar de Postgres | because: es más simple | not: Postgres"},
		{"Nous avons choisi SQLite plutôt que Postgres car c'est plus simple.", "Nous avons choisi SQLite plutôt que Postgres | because: c'est plus simple | not: Postgres"},
		{"Escolhemos SQLite em vez de Postgres porque é mais simples.", "Escolhemos SQLite em vez de Postgres | because: é mais simples | not: Postgres"},
		{"我们决定使用 SQLite，因为运维更简单。", "我们决定使用 SQLite | because: 运维更简单"},
		{"MySQL ではなく SQLite を選びました。", "MySQL ではなく SQLite を選びました | not: MySQL"},
		// what follows in the text
		{"We will use SQLite. The reason is that backups become a file copy. As a result, there is one writer.", "We will use SQLite | because: backups become a file copy | so: As a result, there is one writer"},
		{"The export is too slow. That's why we chose streaming.", "That's why we chose streaming | because: The export is too slow"},
	} {
		found := Find(c.text)
		if len(found) != 1 || brief(found[0]) != c.want {
			t.Errorf("%s\ngot  %v\nwant %s", c.text, briefs(found), c.want)
		}
	}
}

func briefs(found []Decision) (out []string) {
	for _, d := range found {
		out = append(out, brief(d))
	}
	return out
}

func TestPlaces(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"MADR", "# Mails\n\n## Considered Options\n\n* RabbitMQ\n* Postgres table: simple\n\n## Decision Outcome\n\nChosen option: \"Postgres table\", because it needs no new service.\n\n### Consequences\n\n* throughput is limited\n",
			[]string{"Postgres table | because: it needs no new service | not: RabbitMQ | so: throughput is limited"}},
		{"plain statement under a heading", "## Decision\n\nOne queue for each tenant. It is named after the tenant.\n", []string{"One queue for each tenant"}},
		{"setext heading, other language", "Решение\n-------\n\nОдна очередь на арендатора.\n", []string{"Одна очередь на арендатора"}},
		{"list under a label", "Decisions:\n- SQLite for the index\n- no daemon\n\nThe build is green.\n", []string{"SQLite for the index", "No daemon"}},
		{"labels in lines", "Fix the importer\n\nDecision: read the file as a stream\nReason: it does not fit into memory\nAlternatives: mmap\nRefs: #12\n", []string{"Read the file as a stream | because: it does not fit into memory | not: mmap"}},
		{"emphasised label", "**Decision**: ship weekly\n", []string{"Ship weekly"}},
		{"table", "| Topic | Decision | Why |\n|---|---|---|\n| logs | JSON on stdout | the platform collects them |\n| locks | TBD | |\n", []string{"JSON on stdout | because: the platform collects them"}},
		{"heading with the decision in it", "## Decision: use one writer\n\nReaders do not block it.\n", []string{"Use one writer"}},
		{"imperative under an outcome", "## Conclusion\n\nUse chroma for highlighting.\n", []string{"Use chroma for highlighting"}},
		{"the same imperative elsewhere", "## Usage\n\nUse chroma for highlighting.\n", nil},
		{"open questions", "## Open questions\n\n- We decided to use what?\n- We will use Redis or not\n", nil},
		{"undecided under a heading", "## Decision\n\nPending.\n", nil},
		{"not decided under a heading", "## Decision\n\nWe have not decided yet.\n", nil},
		{"template", "## Decision\n\n[what was decided, and why]\n", nil},
		{"rejected record", "# 3. Queue\n\nStatus: Rejected\n\n## Decision\n\nWe will use Kafka for the events.\n", nil},
		{"quote, code, comment", "> We decided to use Kafka.\n\n```\nWe decided to use Kafka.\n```\n\n    We decided to use Kafka.\n\n<!-- We decided to use Kafka. -->\n\n`We decided to use Kafka.`\n", nil},
		{"transcript", "user: which database?\n\nassistant: Both would do.\n\nuser: then let's go with SQLite\n", []string{"Go with SQLite"}},
		{"told twice", "We decided to use Redis because it is fast.\n\nSummary: we decided to use Redis because it is deployed.\n", []string{"Use Redis | because: it is fast; it is deployed"}},
	} {
		if found := Find(c.text); !slices.Equal(briefs(found), c.want) {
			t.Errorf("%s:\n%s\ngot  %q\nwant %q", c.name, c.text, briefs(found), c.want)
		}
	}
}

func TestStatusAndLine(t *testing.T) {
	for _, c := range []struct {
		text, status string
		line         int
	}{
		{"We decided to use Redis.", "accepted", 1},
		{"# 1. Cache\n\n## Status\n\nProposed\n\n## Decision\n\nWe will use Redis.\n", "proposed", 9},
		{"---\nstatus: superseded\n---\n\n## Decision\n\nWe will use Redis.\n", "superseded", 7},
		{"The cache\nis slow. We decided\nto use Redis.\n", "accepted", 2},
	} {
		found := Find(c.text)
		if len(found) != 1 || found[0].Status != c.status || found[0].Line != c.line {
			t.Errorf("%q: %+v, want %s in line %d", c.text, found, c.status, c.line)
		}
	}
}

func TestSentences(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"Use Go 1.26.1 and config.yaml. Then run it.", []string{"Use Go 1.26.1 and config.yaml.", "Then run it."}},
		{"We like it, e.g. for tests. It works.", []string{"We like it, e.g. for tests.", "It works."}},
		{"ok, zones matter to us. go with Luxon", []string{"ok, zones matter to us.", "go with Luxon"}},
		{"Das gilt z. B. am 4. Juni. Danach nicht.", []string{"Das gilt z. B. am 4. Juni.", "Danach nicht."}},
		{"Это т. е. так. Всё.", []string{"Это т. е. так.", "Всё."}},
		{"Really?! Yes… No.", []string{"Really?!", "Yes…", "No."}},
		{"He said \"stop.\" Then left.", []string{"He said \"stop.\"", "Then left."}},
		{"一句。第二句！第三句？", []string{"一句。", "第二句！", "第三句？"}},
		{"Run `a. B` now. Done.", []string{"Run `a. B` now.", "Done."}},
		{"**Bold** and [link](http://x.y/z). _End_", []string{"Bold and link.", "End"}},
	} {
		var got []string
		for _, s := range sentencesOf(textBlock{text: c.text, line: 1}) {
			got = append(got, s.text)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

func TestLanguages(t *testing.T) {
	for text, want := range map[string]string{
		"We chose it because the team knows it.": "en", "Мы выбрали Redis.": "ru", "Wir haben uns dafür entschieden.": "de",
		"Decidimos usar la base de datos.": "es", "Nous avons choisi la base.": "fr", "Não vamos usar o banco.": "pt", "我们决定使用 Redis。": "zh", "Redis に決めました。": "ja",
	} {
		if got := languageOf(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestGrammars reads every grammar: a mistake in one panics.
func TestGrammars(t *testing.T) {
	for code, g := range grammars() {
		for _, class := range []string{"joining", "turn", "we", "i", "sub", "actor", "everyday", "strip", "hence", "optionends"} {
			if g.classes[class] == nil {
				t.Errorf("%s has no class %s", code, class)
			}
		}
		if len(g.rules) < 40 || len(g.blocks) < 20 || len(g.inside) < 15 {
			t.Errorf("%s has %d rules, %d blocks, %d markers", code, len(g.rules), len(g.blocks), len(g.inside))
		}
	}
}
