package candidate

import (
	"context"

	"sdd/internal/anchor"
	"sdd/internal/fault"
	"sdd/internal/record"
	"sdd/internal/store"
)

// Stored is a candidate with the result of Put.
type Stored struct {
	Candidate
	Action string `json:"action"`
}

// Results of Put for a candidate.
const (
	Created   = "created"
	Duplicate = "duplicate" // it is pending or approved, or a record already
	Refused   = "refused"   // it was rejected before, or cannot be stored; Reason has the cause
)

// Put writes candidates into the inbox. It does not write one again that is there already in any status, or is a record.
// It refuses one that cannot be stored (a secret, a limit) and stores the others. The results are in the order given.
func (i *Inbox) Put(ctx context.Context, list []Candidate, by By) ([]Stored, error) {
	out := make([]Stored, 0, len(list))
	for _, c := range list {
		got, err := i.put(ctx, c.asPending(), by)
		if err != nil {
			return out, err
		}
		out = append(out, got)
	}
	return out, nil
}

func (c Candidate) asPending() Candidate {
	c.Status, c.Reason = Pending, ""
	return c
}

func (i *Inbox) put(ctx context.Context, c Candidate, by By) (Stored, error) {
	src, out, done, err := i.admit(ctx, &c)
	if done || err != nil {
		return out, err
	}
	path := ""
	saved, err := i.files.Save(ctx, store.Edit{
		Record: c.ID, Op: "candidate", Tool: by.Tool, Session: by.Session,
		Resolve: func() (string, error) {
			records, candidates, err := i.ix.HoldersAndCandidates(ctx, c.ID)
			switch {
			case err != nil:
				return "", err
			case len(records) > 0:
				path = records[0].Path
			case len(candidates) > 0:
				path = candidates[0].Path
			default:
				path = i.ix.FreePath(record.Folder(record.Candidate)+"/"+c.base(), c.ID)
			}
			return path, nil
		},
		Change: func(before *record.Doc, exists bool) (*record.Doc, error) {
			if exists {
				return before, nil
			}
			return record.Open(src), nil
		},
	})
	if err != nil {
		return Stored{}, err
	}
	if saved.Unchanged {
		known, ok, err := i.known(ctx, &c)
		if !ok && err == nil {
			known = Stored{c, Duplicate}
		}
		return known, err
	}
	return Stored{*parse(saved.Path, saved.After), Created}, nil
}

// admit makes the file of a candidate, unless it is refused or known already: then done is true. It needs no lock.
func (i *Inbox) admit(ctx context.Context, c *Candidate) (src []byte, out Stored, done bool, err error) {
	src, err = i.prepare(c)
	if fault.Is(err, fault.Invalid) {
		return nil, refused(*c, err), true, nil
	}
	if err == nil {
		out, done, err = i.known(ctx, c)
	}
	return src, out, done, err
}

// prepare makes a candidate ready and returns its file. The fault is Invalid when it cannot be stored.
func (i *Inbox) prepare(c *Candidate) ([]byte, error) {
	cfg, err := i.st.Config()
	if err != nil {
		return nil, err
	}
	if err := c.ready(cfg.Limits, i.now()); err != nil {
		return nil, err
	}
	if len(c.CodeRef) == 0 && c.Kind != string(Tidy) {
		c.CodeRef = anchor.Named(i.st.Dir(), c.Content)
	}
	src, err := c.compose()
	if err != nil {
		return nil, err
	}
	return src, i.st.RefuseSecrets(nil, src)
}

func refused(c Candidate, err error) Stored {
	f := fault.Of(err)
	c.Reason = f.Message
	return Stored{c, Refused}
}

// known returns the record, or the candidate in any status, with the id of c.
func (i *Inbox) known(ctx context.Context, c *Candidate) (Stored, bool, error) {
	if !i.st.Exists() {
		return Stored{}, false, nil
	}
	records, candidates, err := i.ix.HoldersAndCandidates(ctx, c.ID)
	if err != nil || len(records)+len(candidates) == 0 {
		return Stored{}, false, err
	}
	out := Stored{*c, Duplicate}
	out.Status, out.Reason = Approved, isRecord
	if len(records) > 0 {
		out.File, out.Etag = records[0].File, records[0].Etag
		return out, true, nil
	}
	f, err := i.st.Read(candidates[0].Path)
	if fault.Is(err, fault.NotFound) { // approved or deleted meanwhile: the save sees which
		return Stored{}, false, nil
	}
	if err != nil {
		return Stored{}, false, err
	}
	there := parse(candidates[0].Path, f.Bytes)
	out.Status, out.File, out.Etag, out.Reason = there.Status, there.File, there.Etag, isThere
	if there.Status == Rejected {
		out.Action, out.Reason = Refused, "it was rejected"
		if there.Reason != "" {
			out.Reason += ": " + there.Reason
		}
	}
	return out, true, nil
}
