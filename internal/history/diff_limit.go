package history

import (
	"slices"
	"strings"

	"sdd/internal/record"
	"sdd/internal/store"
)

// limited keeps the changes of the records that have one of the names, or are in one of the folders, in either state.
func limited(cs []Change, names []string) []Change {
	if len(names) == 0 {
		return cs
	}
	return slices.DeleteFunc(cs, func(c Change) bool {
		return !slices.ContainsFunc(names, func(name string) bool {
			return c.old != nil && c.old.matches(name) || c.new != nil && c.new.matches(name)
		})
	})
}

// matches reports whether the record has that name, or is in that folder.
func (v *version) matches(name string) bool {
	path := recordName(name)
	return path == "" || path == "." || path == store.Folder || strings.HasPrefix(v.path, path+"/") || v.hasName(name)
}

// hasName reports whether name is the id, topic key, title, slug or file of the record.
func (v *version) hasName(name string) bool {
	r, path := &v.rec, recordName(name)
	if path == v.path || path+".md" == v.path {
		return true
	}
	name = strings.TrimSpace(name)
	return strings.EqualFold(name, r.ID) || r.TopicKey != "" && strings.EqualFold(name, r.TopicKey) ||
		strings.EqualFold(name, r.Title) || name != "" && record.Slug(name) == r.Slug
}

// recordName is a name as a path relative to .sdd.
func recordName(name string) string {
	name = strings.TrimPrefix(strings.TrimSpace(name), "./")
	return strings.TrimSuffix(strings.TrimPrefix(name, store.Folder+"/"), "/")
}
