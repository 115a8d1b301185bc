package transport

import "testing"

func TestCountJSON(t *testing.T) {
	for text, want := range map[string]int{
		``: 0, `{}`: 0, `[1,2,3]`: 2, `{"a,b":",,\",","c":[1,{}]}`: 2, `["\\",",\\\",",1]`: 2, `"open,`: 0, `\`: 0, `,`: 1,
	} {
		if got := CountJSON([]byte(text), ','); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
}
