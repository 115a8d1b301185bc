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
		{"Since the disks are full, we chose object storage over NFS.", "Object storage over NFS | because: the disks are full | not: NFS"},
		{"We went with Kafka over RabbitMQ for the event bus.", "Kafka over RabbitMQ for the event bus | not: RabbitMQ"},
		{"Assuming traffic stays flat, we will keep one database.", "Keep one database | assuming: traffic stays flat"},
		{"We're dropping the v1 API, which means partners must migrate.", "Dropping the v1 API | so: partners must migrate"},
		{"We agreed that tokens expire after an hour.", "Tokens expire after an hour"},
		{"Решили хранить логи в ClickHouse, потому что Postgres не справляется.", "Хранить логи в ClickHouse | because: Postgres не справляется"},
		{"I went with a single file.", "A single file"},
		{"We will not store passwords.", "Do not store passwords"},
		{"Team sync: it was agreed that logs are kept for a year.", "Logs are kept for a year"},
		{"We don't know the load, so we chose Kafka.", "Kafka | because: We don't know the load"},
		{"There is no doubt that we decided to use Postgres.", "Use Postgres"},
		{"It is slow, so we decided to stream.", "Stream | because: It is slow"},
		{"Договорились хранить токены час.", "Хранить токены час"},
		{"Мы отказались от Kafka из-за цены.", "Отказались от Kafka | because: цены"},
		// what follows in the text
		{"We will use SQLite. The reason is that backups become a file copy. As a result, there is one writer.", "Use SQLite | because: backups become a file copy | so: As a result, there is one writer"},
		{"The export is too slow. That's why we chose streaming.", "Streaming | because: The export is too slow"},
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
		{"the row of a table", "| Topic | Decision | Why |\n|---|---|---|\n| logs | JSON on stdout | the platform collects them |\n| locks | TBD | |\n", nil},
		{"heading with the decision in it", "## Decision: use one writer\n\nReaders do not block it.\n", []string{"Use one writer"}},
		{"imperative under an outcome", "## Conclusion\n\nUse chroma for highlighting.\n", []string{"Use chroma for highlighting"}},
		{"the same imperative elsewhere", "## Usage\n\nUse chroma for highlighting.\n", nil},
		{"open questions", "## Open questions\n\n- We decided to use what?\n- We will use Redis or not\n", nil},
		{"undecided under a heading", "## Decision\n\nPending.\n", nil},
		{"not decided under a heading", "## Decision\n\nWe have not decided yet.\n", nil},
		{"template", "## Decision\n\n[what was decided, and why]\n", nil},
		{"rejected record", "# 3. Queue\n\nStatus: Rejected\n\n## Decision\n\nWe will use Kafka for the events.\n", nil},
		{"quote, code, comment", "> We decided to use Kafka.\n\n```\nWe decided to use Kafka.\n```\n\n    We decided to use Kafka.\n\n<!-- We decided to use Kafka. -->\n\n`We decided to use Kafka.`\n", nil},
		{"transcript", "user: which database?\n\nassistant: Both would do.\n\nuser: then let's go with SQLite\n", []string{"SQLite"}},
		{"a list behind decided to", "We have decided to:\n\n- adopt two clusters\n  - one may be off at night\n- drop the old one\n\nThe build is green.\n", []string{"Adopt two clusters", "Drop the old one"}},
		{"a list behind will", "Мы будем:\n\n- хранить логи год\n- не хранить пароли\n", []string{"Хранить логи год", "Не хранить пароли"}},
		{"a list behind because", "Chosen option: \"slug\", because\n\n- titles repeat\n- other tools have numbers\n", []string{"Slug | because: titles repeat; other tools have numbers"}},
		{"a list of methods is no reason", "We chose the new client because:\n\n- `Open()`\n- `Close()`, `Sync()`\n- it is tested\n", []string{"The new client | because: it is tested"}},
		{"a list under a decision in a paragraph", "## Decision\n\nWe chose rspec.\n\nSome remarks:\n\n* there is little experience with Go\n", []string{"Rspec"}},
		{"the reason is not the decision", "We will use Redis because we use Redis.\n", []string{"Use Redis"}},
		{"options are silent, what stands with them is not", "Options\n\n- We will use Kafka\n- We will use Postgres\n\nWe decided to use Postgres.\n", []string{"Use Postgres | not: We will use Kafka; We will use Postgres"}},
		{"options end with their section", "## Options\n\n### Kafka\n\nUse Kafka for everything.\n\n## Notes\n\nWe will use Postgres.\n", []string{"Use Postgres"}},
		{"meeting notes", "# Platform, Tuesday\n\n## Login\n\nAnna showed two drafts. We agreed to send magic links.\n\n## Queue\n\nNo decision yet.\n\n## Releases\n\n- Decision: ship weekly\n- we won't support 1.x\n\n# Open questions\n\n- Should we pay for it?\n", []string{"Send magic links", "Ship weekly", "Won't support 1.x"}},
		{"imperative", "Remove support for TLS 1.0.\n", []string{"Remove support for TLS 1.0"}},
		{"an imperative further on is none", "The server speaks TLS. Remove support for TLS 1.0.\n", nil},
		{"a noun is no imperative", "Use of TLS 1.0 is rare.\n\nStore is closed.\n", nil},
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
			got = append(got, s.Text)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

// TestNoDecision: reports, plans, conditions, recalled and foreign decisions, and what was taken back.
func TestNoDecision(t *testing.T) {
	for _, text := range []string{
		"The parser decided to stop.", "If we decide to use Redis, we will need a cluster.", "We would use Redis.", "When we chose Redis, it was new.",
		"This explains why we chose Redis.", "We will need a cluster.", "We will see.", "We'll look at the logs next.", "I'll use the helper and run the tests.", "Now I will replace the loop.",
		"We decided to use Redis but rolled it back.", "They decided to use Redis.", "He said \"we decided to use Redis\".", "Maybe we will use Redis.", "We have not decided on a cache.",
		"Replaced the loop with a map instead of a slice.", "The key was chosen by the user.", "You decided to use Redis.", "Мы решили проблему.", "Они решили использовать Redis.", "Если мы решим использовать Redis, будет быстрее.",
		"I don't think we decided that yet.", "I do not believe we have chosen a queue.", "I doubt that we agreed on Kafka.", "Nobody said that we decided to use Kafka.",
		"It isn't clear that we decided on Redis.",
		"Мы будем думать.", "Each call to `Add()` reads the file.", "Let me apply that.", "We originally chose Redis.",
	} {
		if found := Find(text); len(found) > 0 {
			t.Errorf("%q: %+v", text, found)
		}
	}
}

// TestDoubtful: a decision that is reported, regretted or taken back needs review.
func TestDoubtful(t *testing.T) {
	for _, c := range []struct {
		text string
		sure bool
	}{
		{"I wish we had decided to use Angular.", false},
		{"It was wrong that we decided to use Vue.", false},
		{"It is not true that the team chose Mongo.", false},
		{"We decided to use Ember. We reverted that decision in March.", false},
		{"We decided to use Ember.\n\nThe decision was overturned later.", false},
		{"We chose Ember. It was fast. It turned out to be a mistake.", false},
		{"We had decided to use Preact, but then we moved to Svelte.", false},
		{"Peter claims that we decided to use Angular, which is wrong.", false},
		{"According to Peter, we decided to use Angular.", false},
		{"In 2019 we decided to use Angular; we replaced it with React.", false},
		{"Решили использовать Kafka, но потом отказались.", false},
		{"It had been agreed that logs are kept.", false},

		{"We decided to use Redis. Memcached was too slow.", true},
		{"After a talk with Ann, we decided to replace it with Redis.", true},
		{"We decided to drop it.", true},
		{"It turned out that Mongo was wrong, so we decided to use Postgres.", true},
		{"We chose Postgres, which was the obvious choice.", true},
	} {
		for _, d := range Find(c.text) {
			if (d.Confidence >= Sure) != c.sure {
				t.Errorf("%s: %.2f, want sure %v", c.text, d.Confidence, c.sure)
			}
		}
		if c.sure && len(Find(c.text)) == 0 {
			t.Errorf("%s: nothing", c.text)
		}
	}
}

// TestDocuments: a guide says "we will" of its own steps, so only a heading or another form makes it sure.
func TestDocuments(t *testing.T) {
	for _, c := range []struct {
		text string
		sure bool
	}{
		{"We will use a small example below.", true},
		{"# Tutorial\n\nWe will use a small example below.", false},
		{"We'll keep it simple.\n\n## Steps\n\nNext.", false},
		{"# FAQ\n\nI decided that I did not like the name.", false},
		{"# Release 3\n\nWe decided to ignore drafts at the root.", true},
		{"# Queue\n\n## Decision\n\nWe will use Kafka.", true},
	} {
		found := Find(c.text)
		if len(found) != 1 || (found[0].Confidence >= Sure) != c.sure {
			t.Errorf("%q: %v, want one, sure %v", c.text, found, c.sure)
		}
	}
	if found := Find("## Decision Outcome\n\nChosen option: \"{title of option 1}\", because {justification}."); len(found) > 0 {
		t.Errorf("a template gives %v", found)
	}
}
