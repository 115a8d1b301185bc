package record

import (
	"strings"

	"sdd/internal/fault"
)

// Identities need no counter: the id is the topic, or a hash of the content. Two branches make one id for the same thing only.

// Etag returns the concurrency token of b: the first 16 hex digits of its sha256.
func Etag(b []byte) string { return hashHex(b, 16) }

// topicKey returns the key of the explorations on one topic: titles that differ only in case and punctuation have one slug.
func topicKey(slug string) string { return "explore/" + slug }

// DecisionID returns the id of the decision with that slug: `decision/<slug>`, in scope personal with `personal/` before it.
func DecisionID(slug, scope string) string {
	if scope == Personal {
		return "personal/decision/" + slug
	}
	return "decision/" + slug
}

// SameProject reports whether names differ at most in case and punctuation: files have the slug, so no store can hold both.
func SameProject(a, b string) bool { return a == b || Slug(a) == Slug(b) }

// ExplorationID returns `explore/<slug>`, with `@<project>` for projects other than own or "", behind the scope personal or private.
func ExplorationID(slug, project, scope, own string) string {
	id := topicKey(slug)
	if project != "" && !SameProject(project, own) {
		id += "@" + Slug(project)
	}
	if scope == Personal || scope == Private {
		id = scope + "/" + id
	}
	return id
}

// ExplorationFile returns the path, relative to `.sdd`, of a new exploration. That of a private one does not tell the title.
func ExplorationFile(slug, project, scope, own string) string {
	id := ExplorationID(slug, project, scope, own)
	if scope == Private {
		id = Private + "/" + topicKey("") + hashHex(id, 16)
	}
	return id + ".md"
}

// HexID returns `<prefix>-<12 hex>` for a new record with that content. Line ends, case, form of accents and surrounding space do not
// change it. If taken reports that other content has the id, HexID uses 16 digits. With a nil taken no id is taken.
func HexID(prefix, content string, taken func(id string) bool) string {
	digits := hashHex(canonical(content), 16)
	if id := prefix + "-" + digits[:12]; taken == nil || !taken(id) {
		return id
	}
	return prefix + "-" + digits
}

// FromCommit is the prefix of the parent of a fact about the tree; its key follows, such as option:--name.
const FromCommit = "commit:"

// CommitSource is the start of the source of a record that was found in a commit.
const CommitSource = "commit "

// IDPrefix returns the prefix of the hash ids of kind k, "" for kinds whose id is a topic.
func IDPrefix(k Kind) string {
	if k == Idea || k == Fact {
		return string(k)
	}
	return ""
}

// HexFile returns the path of a new record with a hash id: `<folder>/<id>-<slug of title>.md`, in scope personal under `personal/`,
// relative to `.sdd`.
func HexFile(k Kind, id, title, scope string) string {
	f := Folder(k) + "/" + id + "-" + Slug(title) + ".md"
	if scope == Personal {
		f = "personal/" + f
	}
	return f
}

// CheckFolder refuses (Invalid) a scope in a file, relative to `.sdd`: git takes all but the folder personal.
func CheckFolder(file, scope string) error {
	rest, inside := strings.CutPrefix(file, Personal+"/")
	if inside == (scope == Personal) {
		return nil
	}
	where, hint := "inside of .sdd/personal, which git ignores", "move the file to .sdd/"+rest+", or set scope to personal"
	if !inside {
		where, hint = "outside of .sdd/personal, where git takes it", "move the file to .sdd/personal/"+rest+", or set scope to project"
	}
	return fault.New(fault.Invalid, "scope is %s, but .sdd/%s is %s", scope, file, where).For("scope").With(hint)
}

// IsHexID reports whether s is a hash id: a known prefix and 12 or 16 hex digits.
func IsHexID(s string) bool {
	prefix, digits, _ := strings.Cut(s, "-")
	return IDPrefix(Kind(prefix)) != "" && (len(digits) == 12 || len(digits) == 16) && strings.Trim(digits, "0123456789abcdef") == ""
}

// shortDigits is the least number of hex digits that name a record.
const shortDigits = 6

// ShortID returns a hash id with its first six digits, and any other id as it is.
func ShortID(id string) string {
	if IsHexID(id) {
		return id[:strings.IndexByte(id, '-')+1+shortDigits]
	}
	return id
}

// IsShortID reports whether s may be the beginning of a hash id: a known prefix and at least six of its hex digits.
func IsShortID(s string) bool {
	n := len("0123456789abcdef") - len(s[strings.IndexByte(s, '-')+1:])
	return n > 0 && n <= 16-shortDigits && IsHexID(s+strings.Repeat("0", n))
}

// LockOf returns the identity that guards a write to an id: 16 digits share the lock of their first 12, as the choice is guarded too.
func LockOf(id string) string {
	if IsHexID(id) {
		prefix, digits, _ := strings.Cut(id, "-")
		return prefix + "-" + digits[:12]
	}
	return id
}

// fileID returns the hash id at the start of a file's name, "" for none: the id of hand-written records without one of their own.
func fileID(name string) string {
	for _, n := range []int{len("idea-") + 16, len("idea-") + 12} {
		if len(name) >= n && IsHexID(name[:n]) && (len(name) == n || name[n] == '-' || name[n] == '.') {
			return name[:n]
		}
	}
	return ""
}

// Identity is unique in a store: two files with one Identity are one record.
type Identity struct {
	ID              string
	inbox, personal bool
}

// IdentityOf returns the identity of a record in a file, relative to `.sdd`. A candidate and its later record may exist
// together, so they differ.
func IdentityOf(id string, kind Kind, file string) Identity {
	return Identity{id, kind == Candidate, strings.HasPrefix(file, "personal/")}
}
