package lookup

import (
	"sdd/internal/fault"
	"sdd/internal/record"
	"sdd/internal/store"
	"sdd/internal/tier"
)

// OfVersion is Get for an earlier version of a record that the caller has found.
func OfVersion(st *store.Store, r record.Record, a Ask) (Record, error) {
	if err := within(st, "get", &a.MaxTokens, defaultGetMax); err != nil {
		return Record{}, err
	}
	if a.Offset < 0 {
		return Record{}, fault.New(fault.Invalid, "offset is %d, it counts bytes from 0", a.Offset).For("offset").
			With("omit it to read from the start")
	}
	r.Status = record.StatusOf(r.Kind, r.Status)
	return both(r, nil, tier.Unknown, a)
}
