package cli

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sdd/internal/allow"
	"sdd/internal/answer/embed"
	"sdd/internal/app"
	"sdd/internal/codesearch"
	"sdd/internal/config"
	"sdd/internal/docs"
	"sdd/internal/fault"
	"sdd/internal/hub"
	"sdd/internal/learning"
	"sdd/internal/repos"
	"sdd/internal/sealed"
	"sdd/internal/store"
)

func newTrust(a *session) *cobra.Command {
	var yes, list, revoke, encrypt bool
	cmd := command("trust [NAME...] [--yes | --list | --revoke | --encrypt]",
		"Allow the servers, hosts and the hook that this project names to be used on this machine", nil,
		a.with(func(ctx context.Context, w *app.App, args []string) error {
			if yes && list || yes && revoke || list && revoke || encrypt && (yes || list || revoke) {
				return usage("--yes, --list, --revoke and --encrypt are one or the other")
			}
			rows, allowed := trustRows(w.Store)
			switch {
			case encrypt:
				n := fault.Must(w.EncryptAgain(ctx))
				return a.print(map[string]int{"encrypted": n}, func() string {
					return fmt.Sprintf("private records encrypted for the recipients of %[2]s/%[3]s: %[1]d\n", n, store.Folder, config.Name)
				})
			case list:
				return a.print(rows, func() string { return trustText(rows) })
			}
			return a.trust(rows, allowed, args, yes, revoke)
		}))
	f := cmd.Flags()
	f.BoolVar(&yes, "yes", false, "trust without asking")
	f.BoolVar(&list, "list", false, "show what the project names and what is trusted")
	f.BoolVar(&revoke, "revoke", false, "no longer trust")
	f.BoolVar(&encrypt, "encrypt", false, "encrypt the private records that you can read again, for the recipients whom config.yaml names now")
	return cmd
}

type trustRow struct {
	Name    string `json:"name"` // of the server, or on-learning
	File    string `json:"file"` // that names it; "" when no file does
	Command string `json:"command"`
	Hash    string `json:"hash"`
	Trusted bool   `json:"trusted"`

	of allow.Command
}

// trustRows returns the servers and the hook that the project names, then those that are still trusted without being named.
func trustRows(st *store.Store) ([]trustRow, *allow.Book) {
	c := fault.Must(st.Config())
	allowed := allow.Open(store.Local(st.Dir()))
	rows := []trustRow{}
	seen := map[string]bool{}
	add := func(name, file, suffix string, cmd allow.Command) {
		if !seen[cmd.Hash()] {
			seen[cmd.Hash()] = true
			rows = append(rows, trustRow{name, file, cmd.String() + suffix, cmd.Hash(), allowed.Trusted(cmd), cmd})
		}
	}
	const configFile = store.Folder + "/" + config.Name
	for _, s := range codesearch.Servers(st.Dir(), c) {
		add(s.Name, s.File, "", s.Command())
	}
	lookup := fault.Must(docs.SettingsOf(c, st.Dir()))
	for _, h := range lookup.PrivateHosts() {
		add(h, configFile, "", docs.PrivateAccess(h))
	}
	vectors, ok, err := embed.SettingsOf(c)
	fault.Check(err)
	if cmd, needed := vectors.Access(); ok && needed {
		key := ""
		if vectors.KeyEnv != "" {
			key = " with the key in $" + vectors.KeyEnv
		}
		add("embeddings", configFile, key, cmd)
	}
	if c.Sections["hub"] != nil {
		if cmd, needed := fault.Must(hub.SettingsOf(c)).Access(); needed {
			add("hub", configFile, "", cmd)
		}
	}
	for _, url := range repos.Named(c) {
		add("with", configFile, "", repos.Access(url))
	}
	if sealed.Open(c, "").Others() {
		add("private", configFile, "", sealed.Access(sealed.Recipients(c)))
	}
	if cmd, ok := learning.HookCommand(c.Sections["hooks"]); ok {
		add("on-learning", configFile, "", cmd)
	}
	for _, cmd := range fault.Must(allowed.List()) {
		add("", "", "", cmd)
	}
	return rows, allowed
}

func trustText(rows []trustRow) string {
	if len(rows) == 0 {
		return "this project names no servers and no hook\n"
	}
	var b strings.Builder
	for _, r := range rows {
		state := "not trusted"
		if r.Trusted {
			state = "trusted"
		}
		fmt.Fprintf(&b, "%-11s  %s\n", state, r.line())
	}
	return b.String()
}

// line is the server and the file that names it.
func (r trustRow) line() string {
	where := cmp.Or(r.File, "named no longer")
	if r.Name != "" {
		where = r.Name + ", " + where
	}
	return fmt.Sprintf("%q  (%s)", r.Command, where)
}

// trust asks for each chosen row, unless yes is given, and trusts it, or revokes the trust.
func (a *session) trust(rows []trustRow, allowed *allow.Book, names []string, yes, revoke bool) error {
	var chosen []trustRow
	for _, r := range rows {
		if r.Trusted == revoke && r.chosen(names) {
			chosen = append(chosen, r)
		}
	}
	for _, n := range names {
		if !slices.ContainsFunc(rows, func(r trustRow) bool { return r.chosen([]string{n}) }) {
			return fault.New(fault.NotFound, "no file of this project names a server or hook %q", n).For("NAME").
				With("sdd trust --list shows those there are")
		}
	}
	if !revoke && !yes && len(chosen) > 0 && !isTerminal(a.in) {
		return fault.New(fault.Invalid, "%d commands wait for your word, and there is no terminal to ask on", len(chosen)).
			With("look at sdd trust --list, then sdd trust NAME --yes")
	}
	done := []trustRow{}
	answers := bufio.NewReader(a.stdin)
	for _, r := range chosen {
		if !revoke && !yes {
			fmt.Fprintf(a.err, "%s\nmay be used on this machine? [y/N] ", a.safe(r.line()))
			answer, _ := answers.ReadString('\n')
			if answer = strings.ToLower(strings.TrimSpace(answer)); answer != "y" && answer != "yes" {
				continue
			}
		}
		var err error
		if revoke {
			_, err = allowed.Revoke(r.of)
		} else if _, err = a.store.Ensure(); err == nil {
			err = allowed.Trust(r.of)
		}
		fault.Check(err)
		r.Trusted = !revoke
		done = append(done, r)
	}
	return a.print(done, func() string {
		if len(done) == 0 {
			return "nothing to do\n"
		}
		return trustText(done)
	})
}

// chosen reports whether one of the names is the server's name, command or hash; no names choose all.
func (r trustRow) chosen(names []string) bool {
	for _, n := range names {
		if n == r.Name || n == r.Command || strings.HasPrefix(r.Hash, n) && len(n) >= 8 {
			return true
		}
	}
	return len(names) == 0
}
