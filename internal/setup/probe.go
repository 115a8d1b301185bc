package setup

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"sdd/internal/allow"
	"sdd/internal/codesearch/rag"
	"sdd/internal/fault"
)

// probed is what a client learns of a server.
type probed struct {
	Name     string `json:"-"`
	Version  string `json:"-"`
	Protocol string `json:"protocol"` // "" when it did not answer or was not started
	Tools    int    `json:"tools"`
	Millis   int64  `json:"ms"` // from its start to its list of tools
}

const (
	probePatience = 10 * time.Second // the shortest time that a client allows a server
	maxComplaint  = 300              // characters of what a program wrote to its error stream
)

// probe starts or calls a server as a client does, in a folder, and lists its tools. Its error has the server's last lines on its error
// stream.
func probe(ctx context.Context, s rag.Server, dir string) (p probed, err error) {
	ctx, cancel := context.WithTimeout(ctx, probePatience)
	defer cancel()
	complaint := &allow.LastBytes{Most: 4 * maxComplaint}
	s.Stderr = complaint
	start := time.Now()
	c, err := rag.Connect(ctx, s, dir)
	if err == nil {
		var tools []rag.Tool
		tools, err = c.Tools(ctx)
		p.Tools, p.Millis = len(tools), time.Since(start).Milliseconds()
		p.Name, p.Version, p.Protocol = c.Info()
		p.Name, p.Version = shortLine(p.Name), shortLine(p.Version)
		c.Close()
	}
	var dial *net.OpError
	var known *fault.Error
	switch {
	case err == nil:
		return p, nil
	case errors.Is(err, context.DeadlineExceeded):
		err = fmt.Errorf("it does not answer within %d seconds", probePatience/time.Second)
	case errors.As(err, &dial) && dial.Op == "dial":
		err = errors.New("nothing answers at that address")
	case errors.As(err, &known):
		err = known
	}
	return p, andSaid(err, complaint)
}

// shortLine is a text of another program in one short line.
func shortLine(s string) string { return fault.Cut(strings.Join(strings.Fields(s), " "), maxComplaint) }

// andSaid adds the last two lines of another program, blank ones aside, to the error that it ended with.
func andSaid(err error, complaint *allow.LastBytes) error {
	lines := strings.FieldsFunc(string(complaint.Bytes), func(r rune) bool { return r == '\n' })
	lines = slices.DeleteFunc(lines, func(line string) bool { return strings.TrimSpace(line) == "" })
	if err == nil || len(lines) == 0 {
		return err
	}
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return fmt.Errorf("%w, and said: %s", err, shortLine(strings.Join(lines[max(len(lines)-2, 0):], "; ")))
}
