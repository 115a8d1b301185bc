package decision

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sdd/internal/decision/capture"
)

const answer = `We went with Kafka instead of RabbitMQ because we need replay. As a consequence we run one more cluster.

Should we use Redis? Maybe later. If we had more traffic, we would use Cassandra.

> We decided to use Mongo.

Мы решили использовать gRPC для внутренних вызовов, потому что он быстрее.

- Going with feature flags for now, I think.
`

func TestCapture(t *testing.T) {
	f := newFixture(t)
	var candidates []capture.Decision
	f.WithInbox(func(_ context.Context, found []capture.Decision, _ Input) (out []Placed, err error) {
		candidates = append(candidates, found...)
		for i := range found {
			out = append(out, Placed{ID: "decision/x", File: fmt.Sprintf(".sdd/inbox/%d.md", i)})
		}
		return out, nil
	})
	out, err := f.Record(context.Background(), Input{Text: answer, Source: "talk"})
	if err != nil {
		t.Fatal(err)
	}
	sure := 0
	for _, r := range out.Results {
		if (r.Action == Waiting) != (r.Confidence < capture.Sure) {
			t.Errorf("%+v", r)
		}
		if r.Action != Waiting {
			sure++
		}
		if r.File == "" {
			t.Errorf("it is kept nowhere: %+v", r)
		}
	}
	if sure != 2 || len(strings.Fields(f.files())) != 2 {
		t.Errorf("%d sure ones: %+v, files %s", sure, out.Results, f.files())
	}
	kafka, err := f.Chains(context.Background(), "why Kafka?", 0)
	if err != nil || len(kafka) != 1 {
		t.Fatalf("%v %+v", err, kafka)
	}
	if d := kafka[0].Root; !slices.Equal(d.Because, []string{"we need replay"}) || !slices.Equal(d.Alternatives, []string{"RabbitMQ"}) || len(d.Consequences) != 1 || d.Source != "talk" {
		t.Errorf("%+v", d)
	}
	if len(candidates) != len(out.Results)-sure {
		t.Errorf("%d candidates, %d results", len(candidates), len(out.Results))
	}
	// the same answer again writes nothing
	before := map[string]string{}
	for _, r := range out.Results {
		if r.Action != Waiting {
			before[r.File] = f.file(r.File)
		}
	}
	again, err := f.Record(context.Background(), Input{Text: answer, Source: "talk"})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range again.Results {
		if r.Action == Created {
			t.Errorf("%+v", r)
		}
	}
	for file, text := range before {
		if f.file(file) != text {
			t.Errorf("%s was written again:\n%s", file, f.file(file))
		}
	}
}

func TestNothingToCapture(t *testing.T) {
	f := newFixture(t)
	for _, text := range []string{"Should we use Redis?", "The build is green.", "`We decided to use Mongo.`"} {
		out, err := f.Record(context.Background(), Input{Text: text})
		if err != nil || len(out.Results) != 0 || len(out.Warnings) != 1 || out.Warnings[0].Code != noDecision {
			t.Errorf("%q: %v %+v", text, err, out)
		}
	}
	long := "We decided to use " + strings.Repeat("a very long name of a thing ", 20) + "because it is long."
	out, err := f.Record(context.Background(), Input{Text: long})
	if err != nil || f.files() != "" || len(out.Warnings) == 0 {
		t.Errorf("%v %+v %s", err, out, f.files())
	}
}
