package setup

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"sdd/internal/allow"
	"sdd/internal/codesearch/rag"
	"sdd/internal/fault"
)

// probed is what a client learns of a server.
type probed struct {
	Protocol string
	Name     string
	Version  string
	Tools    int
	Time     time.Duration // from the start to the list of tools
}

const (
	probePatience = 10 * time.Second // the shortest time that a client allows a server
	maxComplaint  = 300              // bytes of what a server wrote to its error stream
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
		p.Tools, p.Time = len(tools), time.Since(start)
		p.Name, p.Version, p.Protocol = c.Info()
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
	if text := lastLines(complaint.Bytes); text != "" {
		err = fmt.Errorf("%w, and said: %s", err, text)
	}
	return p, err
}

// cutText is a text of another program in one short line.
func cutText(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > maxComplaint {
		s = strings.ToValidUTF8(s[:maxComplaint], "") + "…"
	}
	return s
}

// lastLines returns the last two lines that are not blank.
func lastLines(b []byte) string {
	var lines []string
	for line := range strings.Lines(string(b)) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return cutText(strings.Join(lines[max(len(lines)-2, 0):], "; "))
}
