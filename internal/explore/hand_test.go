package explore

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sdd/internal/fault"
	"sdd/internal/store"
)

// TestSaveAfterHand: a save goes to the file that holds the exploration now, whatever was done to files by hand just before.
func TestSaveAfterHand(t *testing.T) {
	st, ix := benchStore(t, 3)
	folder := filepath.Join(st.Dir(), store.Folder, "explore")
	save := func(title, goals string) (Result, error) {
		return Save(t.Context(), st, ix, Input{Title: title, Fields: Fields{Goals: goals}})
	}
	if _, err := save("User auth", "- first"); err != nil {
		t.Fatal(err)
	}
	file := "user-auth.md"
	for i := range 60 {
		goals, next := fmt.Sprintf("- goal %d", i), fmt.Sprintf("moved-%d.md", i)
		want := next
		switch i % 4 {
		case 0, 1: // moved
			if err := os.Rename(filepath.Join(folder, file), filepath.Join(folder, next)); err != nil {
				t.Fatal(err)
			}
		case 2: // deleted
			if err := os.Remove(filepath.Join(folder, file)); err != nil {
				t.Fatal(err)
			}
			want = "user-auth.md"
		case 3: // made another one, while the record stands elsewhere
			text, err := os.ReadFile(filepath.Join(folder, file))
			if err != nil {
				t.Fatal(err)
			}
			other := strings.Replace(string(text), "title: User auth", "title: Billing", 1)
			if err := os.WriteFile(filepath.Join(folder, next), text, 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(folder, file), []byte(other), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		r, err := save("User auth", goals)
		if err != nil {
			t.Fatal(i, err)
		}
		if r.File != ".sdd/explore/"+want {
			t.Fatalf("%d: saved to %s, not to %s", i, r.File, want)
		}
		text, err := os.ReadFile(filepath.Join(folder, want))
		if err != nil || !strings.Contains(string(text), goals+"\n") {
			t.Fatalf("%d: the file is %q, %v", i, text, err)
		}
		if i%4 == 3 {
			if err := os.Remove(filepath.Join(folder, file)); err != nil {
				t.Fatal(err)
			}
		}
		file = want
	}
	twin, err := os.ReadFile(filepath.Join(folder, file))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "twin.md"), twin, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := save("User auth", "- lost?"); !fault.Is(err, fault.Ambiguous) {
		t.Errorf("two files hold it, and the save says %v", err)
	}
	if now, _ := os.ReadFile(filepath.Join(folder, file)); string(now) != string(twin) {
		t.Errorf("the file is %q", now)
	}
}

// TestSaveBesideARenamedFile: a new exploration whose file name is that of another record, which was renamed by hand, gets a name of
// its own, always the same one. The other file stays as it is.
func TestSaveBesideARenamedFile(t *testing.T) {
	st, ix := benchStore(t, 0)
	folder := filepath.Join(st.Dir(), store.Folder, "explore")
	save := func(goals string) Result {
		t.Helper()
		r, err := Save(t.Context(), st, ix, Input{Title: "User auth", Fields: Fields{Goals: goals}})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	const other = "---\ntitle: Billing\n---\n\n## Goals\n\n- pay\n"
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "user-auth.md"), []byte(other), 0o644); err != nil {
		t.Fatal(err)
	}
	r := save("- log in")
	if r.Action != "created" || r.ID != "explore/user-auth" || r.File == ".sdd/explore/user-auth.md" {
		t.Errorf("%s %s in %s", r.Action, r.ID, r.File)
	}
	if again := save("- log out"); again.Action != "updated" || again.File != r.File {
		t.Errorf("the next save is %s in %s, not in %s", again.Action, again.File, r.File)
	}
	if now, err := os.ReadFile(filepath.Join(folder, "user-auth.md")); err != nil || string(now) != other {
		t.Errorf("the other record is %q now, %v", now, err)
	}
}

// TestSaveUnderAnEarlierTitle: the save names the exploration that a user made of this one by another title, and file.
func TestSaveUnderAnEarlierTitle(t *testing.T) {
	for _, to := range []string{"payment-retries.md", "backoff.md", "backoff-of-charges.md", ""} {
		st, ix := benchStore(t, 3)
		folder := filepath.Join(st.Dir(), store.Folder, "explore")
		save := func(title, goals string) Result {
			t.Helper()
			in := Input{Title: title, Fields: Fields{Goals: goals}}
			asked, err := Near(t.Context(), st, ix, in)
			if err != nil {
				t.Fatal(err)
			}
			r, err := Save(t.Context(), st, ix, in)
			if err != nil {
				t.Fatal(err)
			}
			if r.Action == "created" && fmt.Sprint(asked) != fmt.Sprint(r.Similar) {
				t.Errorf("asked about %v, named %v", asked, r.Similar)
			}
			return r
		}
		save("Pricing of plans", "- retry thrice") // of the same day, with the same text
		save("Payment retries", "- retry thrice")
		old := filepath.Join(folder, "payment-retries.md")
		text, err := os.ReadFile(old)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(old); err != nil {
			t.Fatal(err)
		}
		want := ""
		if to != "" {
			want = "explore/backoff-of-charges"
			text = []byte(strings.Replace(string(text), "title: Payment retries", "title: Backoff of charges", 1))
			if err := os.WriteFile(filepath.Join(folder, to), text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		r := save("Payment retries", "- new")
		if r.Action != "created" || len(r.Warnings) != 1 {
			t.Fatalf("%+v", r)
		}
		named := len(r.Similar) == 1 && r.Similar[0].ID == want && r.Warnings[0].Code == "retitled" && strings.Contains(r.Warnings[0].Text, want)
		if named != (want != "") {
			t.Errorf("moved to %q: %+v, %+v", to, r.Similar, r.Warnings)
		}
		if again := save("Payment retries", "- newer"); len(again.Similar)+len(again.Warnings) > 0 {
			t.Errorf("%+v, %+v", again.Similar, again.Warnings)
		}
	}
}

// TestOverTheFileLimit: the error is of the file. It blames no argument, which faces would put before the file's name.
func TestOverTheFileLimit(t *testing.T) {
	st, ix := benchStore(t, 1)
	if err := os.WriteFile(filepath.Join(st.Dir(), store.Folder, "config.yaml"), []byte("limits:\n  file: 200\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := Save(t.Context(), st, ix, Input{Title: "User auth", Fields: Fields{Goals: strings.Repeat("- long\n", 50)}})
	f := fault.Of(err)
	if f.Code != fault.Invalid || f.Arg != "" || f.File != ".sdd/explore/user-auth.md" || !strings.HasPrefix(f.Message, "the exploration would have ") {
		t.Errorf("%+v", f)
	}
}
