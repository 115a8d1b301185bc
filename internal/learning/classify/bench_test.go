package classify

import (
	"fmt"
	"testing"

	_ "sdd/internal/longtest"
)

// note is a learning of about 300 bytes.
const note = "All API routes are defined in `src/routes/` and go through the gateway; the handlers there must not call the database " +
	"directly, since the pool has only 10 connections and the deploy fails when they run out. Use the repository in `internal/store/users.go` " +
	"instead, and call `Close` when the request is done."

func BenchmarkImpactAndCategory(b *testing.B) {
	b.SetBytes(int64(len(note)))
	for b.Loop() {
		Impact(note)
		Category(note, nil)
	}
}

func BenchmarkSimilarity(b *testing.B) {
	for b.Loop() {
		Similarity(note, note[10:])
	}
}

func BenchmarkPrepare(b *testing.B) {
	for b.Loop() {
		Prepare(note)
	}
}

// older returns learnings as a project gathers them: few subjects, many words in common.
func older(n int) []string {
	verbs := []string{"Use %s for %s", "Do not use %s in %s.", "The %s requires %s of version 3, otherwise the build fails.", "%s is defined in `src/%s/`",
		"Always run %s before %s; the tests need it.", "%s expires after 2 hours when the %s is idle"}
	things := []string{"gateway", "scheduler", "`Client`", "session token", "Postgres", "worker", "retry helper", "upload form", "billing module", "cache", "router", "Vitest", "config file"}
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf(verbs[i%len(verbs)], things[i/7%len(things)], things[i/3%len(things)]) + fmt.Sprintf(" (part %d)", i%97)
	}
	return out
}

func BenchmarkContradictsPrepared10000(b *testing.B) {
	var claims []*Claim
	for _, s := range older(10_000) {
		claims = append(claims, Prepare(s))
	}
	for b.Loop() {
		n := Prepare(note)
		for _, c := range claims {
			n.Contradicts(c)
		}
	}
}
