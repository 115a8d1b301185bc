package record

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		name, file, src string
		want            []string
	}{
		{"good", "explore/a.md", whole, nil},
		{"no front matter", "explore/a.md", "# A\n\ntext\n", nil},
		{"plain date", "explore/a.md", "---\ncreated: 2026-11-20\n---\nx\n", nil},
		{"enumeration", "explore/a.md", "---\ntitle: A\nscope: team\n---\nx\n", []string{
			`3 scope bad_value scope is "team", allowed are project, personal [project personal]`}},
		{"types", "explore/a.md", "---\nrevision: many\ntitle: [x]\nproject: 7\n---\nx\n", []string{
			`2 revision bad_value revision is of type string, it should be integer []`,
			`3 title bad_value title is of type array, it should be string []`,
			`4 project bad_value project is of type number, it should be string []`}},
		{"ranges", "facts/a.md", "---\nlevel: 4\nconfidence: -0.5\nttl: {on_expire: burn}\n---\nx\n", []string{
			`2 level bad_value level is 4, at most 3 is allowed []`,
			`3 confidence bad_value confidence is -0.5, at least 0 is allowed []`,
			`4 ttl.on_expire bad_value ttl.on_expire is "burn", allowed are stale, archive, delete [stale archive delete]`}},
		{"pattern", "explore/a.md", "---\ncreated: yesterday\n---\nx\n", []string{
			`2 created bad_value created is "yesterday", it should look like 2026-11-20 []`}},
		{"dates", "facts/a.md", "---\ncreated: 2026-11-31\nvalid_until: yesterday\nvalid_from: 2026-99-99\nrefreshed: foo\nttl: {days: 1}\ndate: any\n---\nx\n", []string{
			`2 created bad_value created is "2026-11-31", it should look like 2026-11-20 []`,
			`3 valid_until bad_value valid_until is "yesterday", it should look like 2026-11-20 []`,
			`4 valid_from bad_value valid_from is "2026-99-99", it should look like 2026-11-20 []`,
			`5 refreshed bad_value refreshed is "foo", it should look like 2026-11-20 []`}},
		{"dates with a time", "facts/a.md", "---\ncreated: 2026-11-20 10:00:00 +0100\nvalid_until: 2026-11-20T10:00:00Z\nvalid_from: \"\"\n---\nx\n", nil},
		{"date of a decision", "decisions/a.md", "---\ndate: 2026-02-30\n---\nx\n", []string{
			`2 date bad_value date is "2026-02-30", it should look like 2026-11-20 []`}},
		{"date of a candidate", "inbox/a.md", "---\nkind: decision\ncreated: 2026-02-30T10:00:00Z\ndate: 2026-02-30\n---\nx\n", []string{
			`3 created bad_value created is "2026-02-30T10:00:00Z", it should look like 2026-11-20 []`,
			`4 date bad_value date is "2026-02-30", it should look like 2026-11-20 []`}},
		{"status of a colour", "ideas/a.md", "---\ncolor: yellow\nstatus: done\n---\nx\n", []string{
			`3 status bad_value status is "done", allowed are active, outdated, archived, deleted [active outdated archived deleted]`}},
		{"status of no colour", "ideas/a.md", "---\ncolor: yellow\nstatus: gone\n---\nx\n", []string{
			`3 status bad_value status is "gone", allowed are active, outdated, archived, deleted [active outdated archived deleted]`}},
		{"decision", "decisions/a.md", "---\nstatus: maybe\nsupersedes: decision/b\n---\nx\n", []string{
			`2 status bad_value status is "maybe", allowed are proposed, accepted, superseded, rejected [proposed accepted superseded rejected]`}},
		{"sizes", "explore/a.md", "---\ntitle: A title of more than ten\n---\n\n## Goals\n\n" + strings.Repeat("x", 31) + "\n", []string{
			`2 title title_too_long the title has 24 characters, at most 20 are allowed []`,
			`5 Goals section_too_large section Goals has 31 bytes, at most 30 are allowed []`}},
		{"empty", "explore/a.md", "# A\n\n## Goals\n\n", []string{`1  empty the record has no text []`}},
		{"broken and conflicted", "explore/a.md", "---\ntitle: [\n---\n<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n", []string{
			`2  broken_yaml`, `4  conflict_markers`}},
		{"twice", "explore/a.md", "## Goals\nx\n## GOALS\ny\n", []string{`3  duplicate_section 2 sections are named "Goals" (lines 1, 3): saves go to the first []`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for i, f := range Validate(c.file, []byte(c.src), Defaults{Project: "sdd", Limits: Limits{Title: 20, Section: 30}}) {
				s := fmt.Sprintf("%d %s %s %s %v", f.Line, f.Key, f.Code, f.Message, f.Allowed)
				if i < len(c.want) && !strings.Contains(c.want[i], "[") {
					s = s[:min(len(s), len(c.want[i]))]
				}
				got = append(got, s)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

func BenchmarkValidate(b *testing.B) {
	src := benchRecord()
	b.ReportAllocs()
	for b.Loop() {
		if f := Validate("explore/session-tokens.md", src, own); len(f) > 0 {
			b.Fatal(f)
		}
	}
}
