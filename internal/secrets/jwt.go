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
			if len(parts[2]) >= leastSignature && random(parts[2]) && isObject(parts[0]) && isObject(parts[1]) && !exampleClaims(parts[1]) {
				found = append(found, s)
			}
		}
	}
	return found
}

// isObject reports whether a part of a token is a JSON object.
func isObject(part string) bool {
	data, err := base64.RawURLEncoding.DecodeString(part)
	var claims map[string]any
	return err == nil && json.Unmarshal(data, &claims) == nil && claims != nil
}

// exampleClaims reports whether a token's claims are those of jwt.io, of RFC 7519, of a local
// Supabase, or of Supabase's public role.
func exampleClaims(payload string) bool {
	data, err := base64.RawURLEncoding.DecodeString(payload)
	if err != nil {
		return false
	}
	var c struct {
		Subject string  `json:"sub"`
		Name    string  `json:"name"`
		Issuer  string  `json:"iss"`
		Role    string  `json:"role"`
		Issued  float64 `json:"iat"`
		Expires float64 `json:"exp"`
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return false // claims of other types: no known example
	}
	return c.Subject == "1234567890" && c.Name == "John Doe" && c.Issued == 1516239022 ||
		c.Issuer == "joe" && c.Expires == 1300819380 ||
		c.Issuer == "supabase-demo" || c.Issuer == "supabase" && c.Role == "anon"
}
