package check

import (
	"cmp"
	"context"
	"fmt"

	"sdd/internal/anchor"
	"sdd/internal/record"
	"sdd/internal/store"
)

// anchorsOf returns the places in the code that a record names and that may be a finding. A code span counts when the record
// has its fingerprint.
func anchorsOf(r record.Record, src []byte) []anchor.Anchor {
	if r.FrontMatter[anchor.RefKey] == nil && r.FrontMatter[anchor.SeenKey] == nil {
		return nil
	}
	if r.FrontMatter[anchor.SeenKey] == nil {
		return anchor.In(r.FrontMatter, nil)
	}
	return anchor.OfDoc(record.Open(src), r.FrontMatter)
}

// judge compares the code that the records of pages name with the files on disk.
func (c *checker) judge(ctx context.Context, pages []*page) {
	var anchors []anchor.Anchor
	var of []*page
	for _, p := range pages {
		for _, a := range p.anchors {
			anchors, of = append(anchors, a), append(of, p)
		}
	}
	if len(anchors) == 0 {
		return
	}
	for i, v := range c.tree.Judge(ctx, anchors) {
		p, at := of[i], place{line: v.Line}
		if !v.Mention {
			at.line = p.refLine
		}
		name := v.Ref.String()
		switch {
		case v.State == anchor.Gone && ctx.Err() != nil: // its new place was not found in time
		case v.Alarm() && v.State == anchor.Gone:
			p.add(ruleGone, at, name, fmt.Sprintf("%s is gone: %s", name, v.Why), "correct the place, or edit, supersede or archive the record")
			if len(v.Seen) == 0 || c.tracked != nil {
				p.found[len(p.found)-1].Severity = Warning
			}
		case v.Alarm():
			p.add(ruleDrifted, at, name, name+" has changed",
				fmt.Sprintf("sdd anchors %s shows how; sdd affirm %[1]s if the record still holds, else edit it", p.id))
		case v.State == anchor.Moved && c.tracked == nil && !c.off(ruleMoved):
			p.add(ruleMoved, at, name, fmt.Sprintf("%s is now %s", name, v.Now), "sdd check --fix: write the new place")
			p.fixes = true
		}
	}
}

// takeNewPlaces returns a version of a record that names the new places of code that moved.
func (c *checker) takeNewPlaces(ctx context.Context, p *page, src []byte) ([]byte, []Fixed, error) {
	if !p.hasRule(ruleMoved) || record.Writable(src) != nil {
		return src, nil, nil
	}
	d, r := record.Open(src), record.Parse(p.path, src, c.defaults)
	after, done, err := c.tree.Affirm(r.Kind, d, r.FrontMatter, c.tree.Judge(ctx, anchor.OfDoc(d, r.FrontMatter)), true)
	if err != nil {
		return src, nil, err
	}
	var fixed []Fixed
	for _, v := range done {
		fixed = append(fixed, Fixed{File: store.Folder + "/" + p.path, Line: max(1, cmp.Or(v.Line, p.refLine)), Rule: ruleMoved,
			Message: fmt.Sprintf("write %s for %s", v.Now, v.Ref)})
	}
	return after.Src, fixed, nil
}
