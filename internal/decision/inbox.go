package decision

import "context"

// Inbox keeps what was found and nobody is sure of, until somebody approves it.
type Inbox interface {
	// Put stores candidates, each once, and never one that was rejected before. It returns where each is; File is "" for
	// one that was left away.
	Put(ctx context.Context, candidates []Candidate) ([]Placed, error)
}

// Candidate is a decision that a text may tell.
type Candidate struct {
	ID           string // that the decision will have
	Decision     string
	Sentence     string // as it stands in the text
	Reasons      []string
	Alternatives []string
	Consequences []string
	Constraints  []string
	Assumptions  []string
	Status       string // accepted, proposed or superseded
	Confidence   float64
	Rule         string
	Line         int    // in the text, from 1
	Source       string // where the text is from, as the caller says
	Tool         string
	Session      string
}

// Placed is where a candidate is kept.
type Placed struct{ ID, File string }
