package candidate

import (
	"context"
	"path"
	"slices"
	"strings"

	"sdd/internal/anchor"
	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/markdown"
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

func (i *Inbox) put(ctx context.Context, c Candidate, by By) (_ Stored, err error) {
	defer fault.Caught(&err)
	src, out, done, err := i.admit(ctx, &c)
	if done || err != nil {
		return out, err
	}
	saved := fault.Must(i.files.Save(ctx, store.Edit{
		Record: c.ID, Op: "candidate", Tool: by.Tool, Session: by.Session,
		Resolve: func() (string, error) {
			records, candidates, err := i.ix.HoldersAndCandidates(ctx, c.ID)
			if err != nil {
				return "", err
			}
			if held := slices.Concat(records, candidates); len(held) > 0 {
				return held[0].Path, nil
			}
			return i.ix.FreePath(record.Folder(record.Candidate)+"/"+c.base(), c.ID), nil
		},
		Change: func(before *record.Doc, exists bool) (*record.Doc, error) {
			if exists {
				return before, nil
			}
			return record.Open(src), nil
		},
	}))
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
func (i *Inbox) prepare(c *Candidate) (_ []byte, err error) {
	defer fault.Caught(&err)
	cfg := fault.Must(i.st.Config())
	fault.Check(c.ready(cfg.Limits, i.now()))
	if len(c.CodeRef) == 0 && c.Kind != string(Tidy) {
		c.CodeRef = anchor.Named(i.st.Dir(), c.Content)
	}
	src := fault.Must(c.compose())
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

// keep is the default Keeper: the candidate's file becomes the record's, without the keys of a candidate. It keeps
// everything that a person wrote into it, comments and unknown keys included, and vouches for the record's places in code.
// It writes nothing when there is a record with that id.
func (i *Inbox) keep(ctx context.Context, c Candidate, by By) (_ Kept, err error) {
	defer fault.Caught(&err)
	kind := record.Kind(c.Kind)
	doc, _, err := anchor.AffirmAll(ctx, i.st.Dir(), kind, fault.Must(asRecord(c)))
	fault.Check(err)
	if !i.st.Exists() { // a refused record must not create a store
		fault.Check(i.st.RefuseSecrets(nil, doc.Src))
	}
	saved := fault.Must(i.st.Save(ctx, store.Edit{
		Lock: record.LockOf(c.ID), Record: c.ID, Op: "approve", Tool: by.Tool, Session: by.Session,
		Resolve: func() (string, error) {
			records, err := i.ix.Holders(ctx, c.ID)
			if err != nil {
				return "", err
			}
			if len(records) > 0 {
				return records[0].Path, nil
			}
			base := c.base()
			if name := path.Base(c.path); c.path != "" && strings.HasPrefix(name, c.ID) {
				base = name // a person may have renamed the file
			}
			return i.ix.FreePath(record.Folder(kind)+"/"+base, c.ID), nil
		},
		Change: func(before *record.Doc, exists bool) (*record.Doc, error) {
			if exists {
				return before, nil
			}
			return doc, i.st.RefuseSecrets(c.src, doc.Src)
		},
	}))
	i.ix.Put(saved)
	out := Kept{ID: c.ID, Action: "created", File: store.Folder + "/" + saved.Path, Etag: record.Etag(saved.After)}
	if saved.Unchanged {
		out.Action = "duplicate"
	}
	return out, nil
}

// asRecord turns the file of a candidate into that of its record. A fact stored without approval keeps its confidence.
func asRecord(c Candidate) (*record.Doc, error) {
	sets := []frontmatter.Set{{Key: "kind"}, {Key: reasonKey}}
	set := func(key string, v any) { sets = append(sets, frontmatter.Set{Key: key, Value: v}) }
	kind := record.Kind(c.Kind)
	var changes []markdown.Change
	if kind != record.Fact || c.Status != Queued {
		set("confidence", nil)
	}
	if kind != record.Fact {
		changes = []markdown.Change{{Section: markdown.Known{Name: evidenceName}, Op: markdown.Clear}}
	}
	switch kind {
	case record.Fact:
		set("id", c.ID)
		set("status", "active")
	case record.Decision:
		set("title", c.Title)
		set("status", "accepted")
		if day := c.Day(); day != "" {
			set("date", frontmatter.Date(day))
		}
	case record.Idea:
		set("id", c.ID)
		set("color", c.Color)
		if c.Color == record.Learning {
			set("status", "active")
		} else {
			set("status", "pending")
		}
	default:
		return nil, fault.New(fault.Broken, "%s does not say what it becomes", c.ID).At(c.File, 1).
			With("set kind to fact, decision or idea in it")
	}
	u, err := record.Edit(c.src, kind, sets, changes)
	if err != nil {
		return nil, store.InFile(err, c.path)
	}
	r := u.Doc.Record(record.Folder(kind)+"/x.md", record.Defaults{})
	front, err := u.Doc.Front()
	for _, f := range r.Validate(front, err, record.Defaults{}) {
		if f.Code == record.BadValue {
			return nil, fault.New(fault.Invalid, "%s", f.Message).For("ids").At(c.File, f.Line).With("correct it in the file")
		}
	}
	return u.Doc, nil
}
