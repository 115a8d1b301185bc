package cli

import (
	"runtime/debug"
	"testing"
)

func TestStamped(t *testing.T) {
	const rev = "0123456789abcdef0123456789abcdef01234567"
	setting := func(k, v string) debug.BuildSetting { return debug.BuildSetting{Key: k, Value: v} }
	for _, c := range []struct {
		name         string
		main         string
		settings     []debug.BuildSetting
		want, commit string
	}{
		{"go install at a tag", "v1.2.3", nil, "v1.2.3", ""},
		{"go install at a commit", "v0.0.0-20261121184848-0123456789ab", nil, "v0.0.0-20261121184848-0123456789ab", ""},
		{"a clone at a tag", "v1.2.3", []debug.BuildSetting{setting("vcs.revision", rev), setting("vcs.modified", "false")}, "v1.2.3", rev},
		{"a changed clone", "v1.2.3+dirty", []debug.BuildSetting{setting("vcs.revision", rev), setting("vcs.modified", "true")}, "v1.2.3+dirty", rev},
		{"a changed clone without a version", "(devel)", []debug.BuildSetting{setting("vcs.revision", rev), setting("vcs.modified", "true")}, "dev+dirty", rev},
		{"no version control", "(devel)", nil, "dev", ""},
		{"a test", "", nil, "dev", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, commit := stamped(&debug.BuildInfo{Main: debug.Module{Version: c.main}, Settings: c.settings})
			if v != c.want || commit != c.commit {
				t.Errorf("got %q %q, want %q %q", v, commit, c.want, c.commit)
			}
		})
	}
}
