package review

import (
	"slices"
	"strings"

	"sdd/internal/record"
	"sdd/internal/store"
)

// limited keeps the changes of records that one of the names means, in either state.
func limited(cs []Change, names []string) []Change {
	if len(names) == 0 {
		return cs
	}
	return slices.DeleteFunc(cs, func(c Change) bool {
		return !slices.ContainsFunc(names, func(name string) bool {
			return c.old != nil && c.old.called(name) || c.new != nil && c.new.called(name)
		})
	})
}

// called reports whether a name means this record, or a folder that holds its file.
func (v *version) called(name string) bool {
	path := recordName(name)
	return path == "" || path == "." || path == store.Folder || strings.HasPrefix(v.path, path+"/") || v.named(name)
}

// named reports whether a name means this record: its id, topic key, title, slug or file.
func (v *version) named(name string) bool {
	r, path := &v.rec, recordName(name)
	if path == v.path || path+".md" == v.path {
		return true
	}
	name = strings.TrimSpace(name)
	return strings.EqualFold(name, r.ID) || r.TopicKey != "" && strings.EqualFold(name, r.TopicKey) ||
		strings.EqualFold(name, r.Title) || name != "" && record.Slug(name) == r.Slug
}

// recordName is a name as a path relative to .sdd, should it be one.
func recordName(name string) string {
	name = strings.TrimPrefix(strings.TrimSpace(name), "./")
	return strings.TrimSuffix(strings.TrimPrefix(name, store.Folder+"/"), "/")
}
