package classify

import (
	"path"
	"slices"
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
	"$package":   func(t *token) bool { return t.quoted && isPackage(t.text) },
	"$failure":   isFailure,
	"$errorcode": func(t *token) bool { return t.kind != number && isErrorCode(t.text) },
	"$said":      func(t *token) bool { return t.said },
	"$testname":  func(t *token) bool { return t.kind == code && isTestName(t.text) },
}

// wordShapes are those that a plain word may have; the others need digits, slashes or quotes.
var wordShapes = map[string]bool{"$failure": true, "$errorcode": true}

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

// isTestName reports whether a name of code is one that tests have: assertThat(), vi.fn, mock_server, expect.anything.
func isTestName(s string) bool {
	s = s[strings.LastIndexByte(s, '.')+1:]
	return slices.ContainsFunc(testStarts, func(start string) bool { return strings.HasPrefix(s, start) })
}

var testStarts = strings.Fields("assert expect mock stub spy fake should test_ setup_ teardown given verify")

// isFailure reports whether a name is that of an error: TypeError, io.EOFException, ECONNREFUSED.
func isFailure(t *token) bool {
	s := t.text[strings.LastIndexByte(t.text, '.')+1:]
	return len(s) > 9 && slices.ContainsFunc(failureEnds, func(end string) bool { return len(s) > len(end) && strings.HasSuffix(s, end) }) ||
		len(s) > 6 && strings.HasSuffix(s, "error") || systemErrors.has(s)
}

// isErrorCode reports whether a name is that of an error as compilers and systems give it: TS2345, E0382, ERR_REQUIRE_ESM,
// MODULE_NOT_FOUND, invalid_grant.
func isErrorCode(s string) bool {
	if strings.Contains(s, "_") {
		return strings.HasPrefix(s, "err_") || strings.HasPrefix(s, "invalid_") || strings.Contains(s, "_not_") || slices.ContainsFunc(errorEnds, func(end string) bool { return strings.HasSuffix(s, end) })
	}
	letters := 0
	for letters < len(s) && 'a' <= s[letters] && s[letters] <= 'z' {
		letters++
	}
	digits := s[letters:]
	if len(digits) < 4 || letters == 0 || letters > 3 || standards.has(s[:letters]) {
		return false
	}
	return strings.Trim(digits, "0123456789") == ""
}

var (
	errorEnds = strings.Fields("_error _err _failed _failure _refused _denied _exceeded _expired _mismatch _timeout _invalid _missing _conflict")
	standards = set("iso rfc es ipv cve din ieee utf sha") // letters before the number of a standard
)

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

// failureEnds are how names of failures end.
var failureEnds = strings.Fields("error exception warning backoff violation")

var systemErrors = set("econnrefused econnreset enoent eaddrinuse enospc eacces eperm etimedout epipe emfile enotfound")
