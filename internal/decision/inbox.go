package decision

import "context"

// Inbox stores candidates until they are approved.
type Inbox interface {
	// Put stores candidates, each once, and never one that was rejected before. It returns the place of each; File is "" for
	// one that was not stored.
	Put(ctx context.Context, candidates []Candidate) ([]Placed, error)
}

// Candidate is a decision that a text may contain.
type Candidate struct {
	ID           string // that the decision will have
	Decision     string
	Sentence     string // the words of the text
	Reasons      []string
	Alternatives []string
	Consequences []string
	Constraints  []string
	Assumptions  []string
	Status       string // accepted, proposed or superseded
	Confidence   float64
	Rule         string
	Line         int    // in the text, from 1
	Source       string // of the text, from the caller
	Tool         string
	Session      string
}

// Placed is the place of a candidate.
type Placed struct{ ID, File string }
