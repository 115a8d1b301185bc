// Package hubtest starts a PostgreSQL for tests: in a temporary folder, on a socket, without durability.
package hubtest

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"sdd/internal/fault"
)

// Cluster is a running PostgreSQL.
type Cluster struct {
	dir string
	bin string
}

// Program returns the folder of PostgreSQL's programs; ok is false where there is none.
func Program() (bin string, ok bool) {
	if path, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(path), true
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb") // Debian keeps them out of PATH
	if len(found) == 0 {
		return "", false
	}
	return filepath.Dir(found[len(found)-1]), true
}

// Start makes and starts a cluster with the superuser postgres and these lines of postgresql.conf beside its own.
func Start(settings ...string) (_ *Cluster, err error) {
	defer fault.Caught(&err)
	bin, ok := Program()
	if !ok {
		return nil, fmt.Errorf("there is no PostgreSQL")
	}
	c := &Cluster{fault.Must(os.MkdirTemp("", "sddpg")), bin} // short: the path of a socket has at most 107 bytes
	fault.Check(own(c.dir))
	fault.Check(c.run("initdb", "-D", c.data(), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"))
	f := fault.Must(os.OpenFile(filepath.Join(c.data(), "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0))
	lines := append([]string{"listen_addresses = ''", "unix_socket_directories = '" + c.dir + "'", "fsync = off",
		"shared_buffers = 64MB"}, settings...)
	_, err = f.WriteString(strings.Join(lines, "\n") + "\n")
	fault.Check(cmp.Or(err, f.Close()))
	return c, c.Restart("start")
}

func (c *Cluster) data() string { return filepath.Join(c.dir, "data") }

// Restart starts the server (how is start), or stops it (how is stop) without waiting for its clients.
func (c *Cluster) Restart(how string) error {
	args := []string{"-D", c.data(), "-w", "-t", "120", "-l", filepath.Join(c.dir, "log"), how}
	if how != "start" {
		args = append(args, "-m", "immediate")
	}
	return c.run("pg_ctl", args...)
}

func (c *Cluster) Stop() {
	_ = c.Restart("stop")
	os.RemoveAll(c.dir)
}

func (c *Cluster) DSN(user, database string) string {
	return fmt.Sprintf("postgres:///%s?host=%s&user=%s&sslmode=disable", database, c.dir, user)
}

func (c *Cluster) run(program string, args ...string) error {
	cmd := exec.CommandContext(context.Background(), filepath.Join(c.bin, program), args...)
	cmd.Dir = c.dir
	asServer(cmd)
	log, err := os.CreateTemp("", "sddpg") // a pipe would stay open with the server
	if err != nil {
		return err
	}
	defer os.Remove(log.Name())
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Run(); err != nil {
		text, _ := os.ReadFile(log.Name())
		return fmt.Errorf("%s: %w\n%s", program, err, text)
	}
	return nil
}
