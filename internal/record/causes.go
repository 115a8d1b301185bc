package record

// Causes are the lists that explain a decision, one text per item.
type Causes struct {
	Reasons      []string `json:"reasons,omitempty"`
	Alternatives []string `json:"alternatives,omitempty"`
	Consequences []string `json:"consequences,omitempty"`
	Constraints  []string `json:"constraints,omitempty"`
	Assumptions  []string `json:"assumptions,omitempty"`
}

// CauseList is one list of Causes.
type CauseList struct {
	Name  string // its key in JSON
	Title string
	Texts *[]string
}

// Lists returns the lists of c in the order of its fields.
func (c *Causes) Lists() []CauseList {
	return []CauseList{
		{"reasons", "Because", &c.Reasons}, {"alternatives", "Instead of", &c.Alternatives},
		{"consequences", "So that", &c.Consequences}, {"constraints", "Constraints", &c.Constraints},
		{"assumptions", "Assumptions", &c.Assumptions},
	}
}
