package classify

import (
	"path"
	"strings"
)

// shapes are the elements of patterns that look at how a token is written. None depends on case.
var shapes = map[string]func(*token) bool{
	"$code":     func(t *token) bool { return t.kind == code },
	"$number":   func(t *token) bool { return t.kind == number },
	"$version":  func(t *token) bool { return t.kind == number && strings.ContainsAny(t.text, ".v") },
	"$path":     func(t *token) bool { return t.kind == code && isPath(t.text) },
	"$folder":   func(t *token) bool { return t.kind == code && isFolder(t.text) },
	"$route":    func(t *token) bool { return t.kind == code && isRoute(t.text) },
	"$testfile": func(t *token) bool { return t.kind == code && isTestFile(t.text) },
	"$status": func(t *token) bool {
		return t.kind == number && len(t.text) == 3 && t.text[0] >= '1' && t.text[0] <= '5' && !strings.Contains(t.text, ".")
	},
	"$package": func(t *token) bool { return t.quoted && isPackage(t.text) },
	"$failure": isFailure,
	"$said":    func(t *token) bool { return t.said },
}

func isPath(s string) bool {
	s = strings.ReplaceAll(s, "\\", "/")
	first, _, below := strings.Cut(s, "/")
	if !below {
		return knownFile(s)
	}
	return !isRoute(s) && !strings.Contains(s, "//") && !domain(first) && !mediaType(first)
}

// isFolder reports whether a path ends with its folder's name.
func isFolder(s string) bool {
	return isPath(s) && path.Ext(strings.TrimSuffix(s, "/")) == ""
}

// isRoute reports whether a name is the path of an address: /users/{id}.
func isRoute(s string) bool {
	return len(s) > 1 && s[0] == '/' && s[1] != '/' && !knownExtension(path.Ext(s))
}

// isTestFile reports whether a file's name or folder says that it is a test.
func isTestFile(s string) bool {
	base := path.Base(s)
	return strings.Contains(base, ".test.") || strings.Contains(base, ".spec.") || strings.Contains(base, "_test.") || strings.Contains(base, "_spec.") ||
		strings.HasPrefix(base, "test_") && strings.Contains(base, ".") || strings.HasPrefix(s, "tests/") || strings.HasPrefix(s, "test/") ||
		strings.Contains(s, "/test/") || strings.Contains(s, "/tests/") || strings.Contains(s, "__tests__")
}

// isFailure reports whether a name is that of an error: TypeError, io.EOFException, ECONNREFUSED.
func isFailure(t *token) bool {
	s := t.text[strings.LastIndexByte(t.text, '.')+1:]
	return len(s) > 6 && (strings.HasSuffix(s, "error") || strings.HasSuffix(s, "exception")) && s != "exception" || systemErrors[s]
}

// isPackage reports whether a name is written like that of a package: left-pad, @scope/name.
func isPackage(s string) bool {
	s = strings.TrimPrefix(s, "@")
	dash := false
	for i := range len(s) {
		switch c := s[i]; {
		case c == '-':
			dash = i > 0
		case (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '/':
			return false
		}
	}
	return dash && s[len(s)-1] != '-'
}

var systemErrors = set("econnrefused econnreset enoent eaddrinuse enospc eacces eperm etimedout epipe emfile enotfound")
