package transport

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"sdd/internal/setup"
)

const testToken = "correct-horse-battery-staple"

// Who is let in depends on the name that the server is called by, the site that asks and the token.
func TestHTTPGuard(t *testing.T) {
	here, there := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 3411}, &net.TCPAddr{IP: net.IPv4zero, Port: 3411}
	good := "Bearer " + testToken
	for _, one := range []struct {
		at                 net.Addr
		token              string
		host, origin, auth string
		want               int
		challenge          string
	}{
		{at: here, host: "127.0.0.1:3411"},
		{at: here, host: "LOCALHOST:3411"},
		{at: here, host: "[::1]:3411"},
		{at: here, host: "localhost:9000"}, // a forwarded port
		{at: here, host: "localhost"},
		{at: here, host: "", want: 403},
		{at: here, host: "evil.example", want: 403},
		{at: here, host: "localhost.evil.example:3411", want: 403},
		{at: here, host: "127.0.0.1.evil.example:3411", want: 403},
		{at: here, host: "127.0.0.1@evil.example:3411", want: 403},
		{at: here, host: "10.0.0.7:3411", want: 403},
		{at: here, host: "localhost.:3411", want: 403},
		{at: here, host: "other.example.org", want: 403},
		{at: here, host: "127.1:3411", want: 403}, // other spellings of this machine
		{at: here, host: "0x7f000001:3411", want: 403},
		{at: here, host: "2130706433:3411", want: 403},
		{at: here, host: "[::1:3411", want: 403},
		{at: here, host: "127.0.0.1:3411:80", want: 403},
		{at: here, host: "localhost%00.evil.example:3411", want: 403},
		{at: here, host: "localhost,evil.example", want: 403},
		{at: here, host: "SDD.example.org:8443"},
		{at: here, host: "localhost:3411", origin: "http://localhost:3411"},
		{at: here, host: "127.0.0.1:3411", origin: "http://localhost:3411"},
		{at: here, host: "localhost:3411", origin: "http://localhost:8080", want: 403},
		{at: here, host: "localhost:3411", origin: "https://evil.example", want: 403},
		{at: here, host: "localhost:3411", origin: "http://localhost:3411.evil.example", want: 403},
		{at: here, host: "localhost:3411", origin: "http://localhost:3411@evil.example", want: 403},
		{at: here, host: "localhost:3411", origin: "http://u@localhost:3411", want: 403},
		{at: here, host: "localhost:3411", origin: "null", want: 403},
		{at: here, host: "localhost:3411", origin: "file://", want: 403},
		{at: here, host: "localhost:3411", origin: "", auth: "Bearer anything"}, // none is asked for
		{at: here, host: "127.0.0.1:3411", origin: "https://sdd.example.org"},
		{at: here, token: testToken, host: "localhost:3411", auth: good},
		{at: here, token: testToken, host: "localhost:3411", auth: "bearer " + testToken},
		{at: here, token: testToken, host: "localhost:3411", want: 401, challenge: `Bearer realm="sdd"`},
		{at: here, token: testToken, host: "localhost:3411", auth: "Bearer", want: 401, challenge: `Bearer realm="sdd", error="invalid_token"`},
		{at: here, token: testToken, host: "localhost:3411", auth: good + "x", want: 401, challenge: `Bearer realm="sdd", error="invalid_token"`},
		{at: here, token: testToken, host: "localhost:3411", auth: good[:len(good)-1], want: 401, challenge: `Bearer realm="sdd", error="invalid_token"`},
		{at: here, token: testToken, host: "localhost:3411", auth: "Basic " + testToken, want: 401, challenge: `Bearer realm="sdd", error="invalid_token"`},
		{at: here, token: testToken, host: "evil.example", auth: good, want: 403},
		{at: there, token: testToken, host: "192.0.2.7:3411", auth: good},
		{at: there, token: testToken, host: "[2001:db8::7]:3411", auth: good},
		{at: there, token: testToken, host: "localhost:3411", auth: good},
		{at: there, token: testToken, host: "evil.example:3411", auth: good, want: 403},
		{at: there, token: testToken, host: "192.0.2.7:3411", auth: good, origin: "http://192.0.2.7:3411"},
		{at: there, token: testToken, host: "192.0.2.7:3411", auth: good, origin: "http://192.0.2.8:3411", want: 403},
		{at: there, token: testToken, host: "192.0.2.7:3411", want: 401, challenge: `Bearer realm="sdd"`},
	} {
		o := HTTPOptions{Token: one.token, Hosts: []string{"sdd.example.org"}}
		g, err := newGuard(one.at, o)
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest("POST", setup.HTTPPath, nil)
		r.Host = one.host
		if one.origin != "" {
			r.Header.Set("Origin", one.origin)
		}
		if one.auth != "" {
			r.Header.Set("Authorization", one.auth)
		}
		got := g.check(r)
		if got == nil {
			got = &refusal{}
		}
		if got.status != one.want || got.challenge != one.challenge {
			t.Errorf("%+v: %+v", one, got)
		}
	}
	g, err := newGuard(here, HTTPOptions{Token: testToken})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Origin", "Authorization"} { // which of two counts is not for us to guess
		r := httptest.NewRequest("POST", setup.HTTPPath, nil)
		r.Host = "localhost:3411"
		r.Header = http.Header{"Origin": {"http://localhost:3411"}, "Authorization": {good}}
		r.Header.Add(name, r.Header.Get(name))
		if g.check(r) == nil {
			t.Errorf("two %s", name)
		}
	}
}
