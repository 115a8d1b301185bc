package cli

import (
	"context"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"sdd/internal/fault"
	"sdd/internal/setup"
)

func newDoctor(a *session) *cobra.Command {
	var at []string
	var tokenFile string
	cmd := command("doctor", "Find what is missing or broken, with a hint for each", noArgs,
		func(cmd *cobra.Command, _ []string) error {
			if tokenFile != "" && len(at) == 0 {
				return fault.New(fault.Invalid, "--token-file goes with --http").For("token-file").With("add --http " + setup.DefaultHTTPAddr)
			}
			servers, err := served(at, tokenFile)
			if err != nil {
				return err
			}
			return a.runDoctor(cmd.Context(), servers)
		})
	cmd.Flags().StringArrayVar(&at, "http", nil, "address or URL of a running sdd mcp --http to ask; may be given more than once")
	cmd.Flags().StringVar(&tokenFile, "token-file", "", "file that holds the token to send with --http (default: "+setup.TokenVariable+")")
	return cmd
}

// served completes the addresses of servers.
func served(at []string, tokenFile string) ([]setup.Served, error) {
	if len(at) == 0 {
		return nil, nil
	}
	token, err := readToken(tokenFile)
	if err != nil {
		return nil, err
	}
	var out []setup.Served
	for _, text := range at {
		if !strings.Contains(text, "://") {
			addr, err := setup.HTTPAddr(text)
			if err != nil {
				return nil, err
			}
			text = "http://" + addr + setup.HTTPPath
		}
		if u, err := url.Parse(text); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return nil, fault.New(fault.Invalid, "%q is no address of a server", text).For("http").
				With("give one like " + setup.DefaultHTTPAddr + " or http://" + setup.DefaultHTTPAddr + setup.HTTPPath)
		}
		out = append(out, setup.Served{URL: text, Token: token})
	}
	return out, nil
}

func (a *session) runDoctor(ctx context.Context, servers []setup.Served) error {
	w, err := a.uses()
	if err != nil {
		return err
	}
	c, err := setup.Doctor(ctx, w.Store, w.Index, setup.VersionText(Version()), servers...)
	if err != nil {
		return err
	}
	s, err := w.Status(ctx)
	if err != nil {
		return err
	}
	c.Checked = append(c.Checked, s.Lines()...)
	return exitIf(len(c.Findings) > 0, errFindings, a.print(c, c.Text))
}
