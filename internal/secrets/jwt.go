package secrets

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"sdd/internal/pattern"
)

// leastSignature is less than the 43 characters of the shortest signature, HMAC-SHA256's, because an
// editor may have cut some.
const leastSignature = 32

const longestToken = 8192 // bytes

var tokens = pattern.Late(`eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+`)

// signedTokens finds usable JSON Web Tokens: their header and claims are JSON objects, they have a
// signature, and they are no known example.
func signedTokens(text []byte, hits []hit) (found []span) {
	for _, w := range windows(text, hits, 0, longestToken) {
		for _, m := range tokens().FindAllIndex(text[w.start:w.end], -1) {
			s := spanOf(text, w.start+m[0], w.start+m[1])
			parts := strings.Split(s.value, ".")
			var head, claims map[string]any
			if len(parts[2]) >= leastSignature && random(parts[2]) && decoded(parts[0], &head) && decoded(parts[1], &claims) &&
				!exampleClaims(claims) {
				found = append(found, s)
			}
		}
	}
	return found
}

// decoded reads a part of a token, and reports whether it is a JSON object.
func decoded(part string, into *map[string]any) bool {
	data, err := base64.RawURLEncoding.DecodeString(part)
	return err == nil && json.Unmarshal(data, into) == nil && *into != nil
}

// exampleClaims reports whether a token's claims are those of jwt.io, of RFC 7519, of a local
// Supabase, or of Supabase's public role.
func exampleClaims(c map[string]any) bool {
	return c["sub"] == "1234567890" && c["name"] == "John Doe" && c["iat"] == 1516239022.0 ||
		c["iss"] == "joe" && c["exp"] == 1300819380.0 ||
		c["iss"] == "supabase-demo" || c["iss"] == "supabase" && c["role"] == "anon"
}
