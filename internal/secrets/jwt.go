package secrets

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/google/osv-scalibr/veles"
)

// leastSignature is the length of the shortest signature that tokens have, HMAC-SHA256's 43
// characters, less what an editor may have cut.
const leastSignature = 32

// signedTokens finds JSON Web Tokens that anybody who reads them can use: they are signed, and not
// for show.
func signedTokens(d veles.Detector) func([]byte, []hit) []span {
	return func(text []byte, hits []hit) (found []span) {
		for _, w := range windows(text, hits, 0, int(d.MaxSecretLen())) {
			for _, s := range detected(d, text, w) {
				parts := strings.Split(s.value, ".")
				if len(parts) == 3 && len(parts[2]) >= leastSignature && random(parts[2]) && !exampleClaims(parts[1]) {
					found = append(found, s)
				}
			}
		}
		return found
	}
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
		return false // claims of other types: nobody's example
	}
	return c.Subject == "1234567890" && c.Name == "John Doe" && c.Issued == 1516239022 ||
		c.Issuer == "joe" && c.Expires == 1300819380 ||
		c.Issuer == "supabase-demo" || c.Issuer == "supabase" && c.Role == "anon"
}
