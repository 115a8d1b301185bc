package record

import (
	"slices"
	"strings"
)

// In a store that joins repositories, explore/a.md of the repository billing is explore/@billing/a.md. Its id, and the ids that it names,
// end with @billing, so that no record replaces one of another repository that does not name it.

// InRepository returns the path in a joined store of the file that a repository has at path.
func InRepository(repository, path string) string {
	folder, rest, _ := strings.Cut(path, "/")
	return folder + "/@" + repository + "/" + rest
}

// Repository returns the repository of a path in a joined store, "" for the store itself, and the path of the file there.
func Repository(path string) (name, in string) {
	folder, rest, _ := strings.Cut(path, "/@")
	if strings.Contains(folder, "/") {
		return "", path
	}
	name, file, ok := strings.Cut(rest, "/")
	if !ok {
		return "", path
	}
	return name, folder + "/" + file
}

// LinkKeys are the keys that name other records.
var LinkKeys = []string{"parent", "supersedes", "superseded_by", "depends_on", "relates_to"}

// qualify marks the record's id and the ids that it names as those of a repository.
func (r *Record) qualify(repository string) {
	mark := "@" + repository
	if !strings.HasSuffix(r.ID, mark) {
		r.ID += mark
	}
	name := func(v any) any {
		s, ok := v.(string)
		if !ok || s == "" || strings.Contains(s, "@") {
			return v
		}
		if r.Kind == Decision && !strings.HasPrefix(s, "decision/") {
			s = DecisionID(Slug(strings.TrimSuffix(s[strings.LastIndexByte(s, '/')+1:], ".md")), "")
		}
		return s + mark
	}
	for _, key := range LinkKeys {
		switch v := r.FrontMatter[key].(type) {
		case string:
			r.FrontMatter[key] = name(v)
		case []any:
			v = slices.Clone(v)
			for i := range v {
				v[i] = name(v[i])
			}
			r.FrontMatter[key] = v
		}
	}
}
