package check

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"sdd/internal/anchor"
	"sdd/internal/fact"
	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/markdown"
	"sdd/internal/record"
	"sdd/internal/sealed"
	"sdd/internal/secrets"
	"sdd/internal/store"
	"sdd/internal/tier"
)

func (c *checker) inspect(path string, src []byte) *page {
	p := &page{path: path}
	if strings.HasPrefix(path, sealed.Folder+"/") {
		p.add(ruleSecret, place{}, "", "the file is not encrypted",
			"take it out of the commit, and save its text with sdd explore --scope private")
	}
	doc := record.Open(src)
	r := doc.Record(path, c.defaults)
	fm, err := doc.Front()
	has := func(code string) bool {
		return slices.ContainsFunc(r.Problems, func(f record.Problem) bool { return f.Code == code })
	}
	if has(record.InvalidUTF8) { // doc is the text with replacement characters, whose offsets are others
		fm, err = frontmatter.Parse(src)
	}
	p.id, p.kind, p.names, p.status = r.ID, r.Kind, namesOf(r), r.Status
	c.secrets(p, src)
	if words, line := tier.Instruction(string(src)); words != "" && !c.off(ruleInstruction) {
		p.add(ruleInstruction, place{line: line}, words, "this reads as an instruction to an agent: "+record.Brief(words),
			"look who wrote it; say it as a statement, or take it out")
	}
	conflict := has(record.Conflicted)
	for _, f := range r.Validate(fm, err, c.defaults) {
		if conflict && f.Code == record.BrokenYAML {
			continue // the markers break the YAML
		}
		to := ruleOf[f.Code]
		if f.Code == record.BadValue && len(f.Allowed) > 0 {
			to.fix = "use one of " + strings.Join(f.Allowed, ", ")
		}
		p.add(to.rule, place{line: f.Line}, f.Key+f.Code, f.Message, to.fix)
	}
	if misplaced := record.CheckFolder(path, r.Scope); misplaced != nil && !conflict {
		p.add(ruleScope, place{line: fm.Line("scope")}, "", fault.Of(misplaced).Message, fault.Of(misplaced).Hint)
	}
	if err == nil && !conflict {
		p.refs, p.statusLine, p.refLine = references(r, fm), fm.Line("status"), fm.Line(anchor.RefKey)
		p.links = markdown.Links(src, fm.Body)
		c.absolute(p)
		if r.Kind == record.Fact {
			for _, i := range fact.Check(p.path, doc, c.now) {
				rule := ruleValue
				if i.Expired {
					rule = ruleExpired
				}
				p.add(rule, place{line: fm.Line(i.Key)}, i.Key, i.Message, i.Fix)
			}
		}
	}
	switch {
	case conflict || record.Gone(p.status):
	case r.FrontMatter[anchor.SeenKey] != nil: // a code span counts when the record has its fingerprint
		p.anchors = anchor.OfDoc(doc)
	case r.FrontMatter[anchor.RefKey] != nil:
		p.anchors = anchor.In(r.FrontMatter, nil)
	}
	c.fixable(p, src)
	c.portable(p)
	return p
}

// unmerged adds a conflict in a code fence: only git's index distinguishes it from an example.
func (c *checker) unmerged(ctx context.Context, p *page, src []byte) {
	if p.hasRule(ruleConflict) {
		return
	}
	if n := c.st.ConflictLine(ctx, p.path, src); n > 0 {
		to := ruleOf[record.Conflicted]
		p.add(to.rule, place{line: n}, record.Conflicted, record.ConflictAt(n).Text, to.fix+", then git add the file")
		p.fixes = false
	}
}

// secrets adds the secrets in a file, and keeps their values to hide them in messages.
func (c *checker) secrets(p *page, src []byte) {
	for _, s := range secrets.Scan(src) {
		if value := string(src[s.Start:s.End]); len(value) > 3 {
			p.secrets = append(p.secrets, value)
		}
		if slices.Contains(c.allowed, s.Fingerprint) {
			continue
		}
		p.add(ruleSecret, place{s.Line, s.Column}, s.Fingerprint, "this looks like "+s.What+" ("+s.Rule+")",
			"take it out and revoke it; if it is no secret, list "+s.Fingerprint+" under secrets.allow in .sdd/config.yaml").
			Fingerprint = s.Fingerprint
	}
}

// fixable names the correction in findings that --fix would correct.
func (c *checker) fixable(p *page, src []byte) {
	if !p.hasRule(ruleValue, ruleAbsolute) {
		return
	}
	_, fixed := c.mend(p.path, src)
	for _, done := range fixed {
		for i := range p.found {
			if f := &p.found[i]; f.Rule == done.Rule && f.Line == done.Line {
				f.Fix, p.fixes = "sdd check --fix: "+done.Message, true
			}
		}
	}
}

// namesOf lists the names by which other records may refer to r, in lower case.
func namesOf(r record.Record) []string {
	stem := strings.TrimSuffix(r.File, ".md")
	names := []string{r.ID, r.TopicKey, r.File, store.Folder + "/" + r.File, stem, string(r.Kind) + "/" + r.Slug}
	if record.IsHexID(r.ID) {
		prefix, _, _ := strings.Cut(r.ID, "-")
		names = append(names, prefix+"/"+r.ID)
	}
	aliases, _ := r.FrontMatter["aliases"].([]any)
	for _, a := range aliases {
		if s, ok := a.(string); ok {
			names = append(names, s)
		}
	}
	for i, n := range names {
		names[i] = strings.ToLower(n)
	}
	return names
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
			f := p.add(ruleGone, at, name, fmt.Sprintf("%s is gone: %s", name, v.Why), "correct the place, or edit, supersede or archive the record")
			if len(v.Seen) == 0 || c.tracked != nil {
				f.Severity = Warning
			}
		case v.Alarm():
			what := name + " has changed"
			if v.Now != v.Ref {
				what += ", now at " + v.Now.String()
			}
			p.add(ruleDrifted, at, name, what,
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
	d := record.Open(src)
	after, done, err := c.tree.Affirm(d.Record(p.path, c.defaults).Kind, d, c.tree.Judge(ctx, anchor.OfDoc(d)), true)
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
