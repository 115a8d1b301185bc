package embed

import (
	"context"
	"maps"
	"slices"

	"sdd/internal/fault"
	"sdd/internal/index"
	"sdd/internal/record"
)

// A hub has the vectors of many repositories: a push sends Vectors, a reader's question needs Question and Found.

// Unit is the vector of a record, or of one of its sections.
type Unit struct {
	Path    string
	Section int
	Vector  []float32
}

// Total is the sum of the cosines of units to a question, and the number of the units.
type Total struct {
	Cosines float64
	Units   int
}

// Vectors returns the vectors of the texts of records, by their paths, after it has asked the server for the missing ones. why is
// the reason when the server failed or may not be asked. Without a server there are none.
func (e *Embeddings) Vectors(ctx context.Context, texts map[string][]byte) (units []Unit, why string, err error) {
	settings, ok, err := e.settings()
	switch {
	case err != nil || !ok:
		return nil, "", err
	case !settings.allowed(e.private()):
		return nil, untrusted(settings), nil
	}
	s := e.known(settings)
	paths := slices.Sorted(maps.Keys(texts))
	ran, err := e.make(ctx, s, func() []string { return paths }, func(path string) []byte { return texts[path] })
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, "", ctx.Err()
	case err != nil:
		why = "embeddings: " + err.Error()
	case !ran:
		why = "embeddings: another process makes vectors"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, path := range paths {
		etag, _ := numberOf(record.Etag(texts[path]))
		for _, r := range s.vectors.rows[etag] {
			units = append(units, Unit{path, int(r.section), r.vector})
		}
	}
	return units, why, nil
}

// Question returns the vector of a question and the model's name, within the timeout; why is the reason for none, "" without a server.
func (e *Embeddings) Question(ctx context.Context, text string) (model string, v []float32, why string) {
	settings, ok, err := e.settings()
	switch {
	case err != nil:
		return "", nil, fault.Of(err).Error()
	case !ok:
		return "", nil, ""
	}
	s, why := e.ready(settings)
	if why == "" {
		v, why = s.question(ctx, text, false)
	}
	return settings.Model, v, why
}

// Found makes Ask answer every question with the units near v, the vector of the only question, and with why. units are the nearest
// of the collection that all is about; their records are in the index.
func (e *Embeddings) Found(units []Unit, v []float32, all Total, why string) {
	entries := map[string]*index.Entry{}
	for _, one := range e.ix.Entries(kinds...) {
		entries[one.Path] = &one
	}
	sp := space{all: all}
	for _, u := range units {
		if one := entries[u.Path]; one != nil {
			sp.units = append(sp.units, place{one, u.Section, u.Vector})
		}
	}
	e.found = &Answer{Near: sp.near(v), Why: why}
}
