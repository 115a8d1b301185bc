package git

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"

	"sdd/internal/fault"
)

// maxObject is the largest object that is read; a larger one is a fault.
const maxObject = 16 << 20

// Objects reads files by their ids through one process: a thousand reads cost as much as one command. Not safe for concurrent use.
type Objects struct {
	ctx  context.Context
	repo *Repo

	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr bytes.Buffer
}

// Objects returns a reader that ends with ctx or with Close.
func (r *Repo) Objects(ctx context.Context) *Objects { return &Objects{ctx: ctx, repo: r} }

// Read returns the bytes of the object that is named by its id or as <commit>:<path>, unfiltered. The fault is Invalid for a folder,
// NotFound when the repository lacks it, as shallow and partial clones may, and Broken when it is too large.
func (o *Objects) Read(id string) ([]byte, error) {
	if id == "" || strings.ContainsAny(id, "\n\x00") {
		return nil, fault.New(fault.NotFound, "there is no object %q", id)
	}
	if err := o.start(); err != nil {
		return nil, err
	}
	if _, err := io.WriteString(o.in, id+"\n"); err != nil {
		return nil, o.failed(err)
	}
	head, err := o.out.ReadString('\n')
	if err != nil {
		return nil, o.failed(err)
	}
	f := strings.Fields(head)
	if strings.HasSuffix(head, " missing\n") || len(f) != 3 {
		return nil, fault.New(fault.NotFound, "this clone does not have the object %s", id).
			With("if it is shallow or partial, git fetch --unshallow gets the rest")
	}
	size, err := strconv.ParseInt(f[2], 10, 64)
	if err != nil {
		return nil, unexpected("cat-file", head)
	}
	if folder := f[1] == "tree"; folder || size > maxObject {
		if _, err := io.CopyN(io.Discard, o.out, size+1); err != nil {
			return nil, o.failed(err)
		}
		if folder {
			return nil, fault.New(fault.Invalid, "%s is a folder", id)
		}
		return nil, fault.New(fault.Broken, "the object %s has %d bytes, at most %d are read", id, size, maxObject)
	}
	data := make([]byte, size+1)
	if _, err := io.ReadFull(o.out, data); err != nil {
		return nil, o.failed(err)
	}
	return data[:size], nil // without the line end that follows
}

func (o *Objects) start() error {
	if o.cmd != nil {
		return nil
	}
	cmd := command(o.ctx, o.repo.Top, nil, []string{"cat-file", "--batch"})
	cmd.Stderr = &o.stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return cannotRun(err)
	}
	o.cmd, o.in, o.out = cmd, in, bufio.NewReaderSize(out, 64<<10)
	return nil
}

// failed ends the process after a failed read and returns the cause.
func (o *Objects) failed(err error) error {
	o.in.Close()
	if wait := o.cmd.Wait(); wait != nil || o.ctx.Err() != nil {
		err = failure(o.ctx, o.repo.Top, []string{"cat-file"}, wait, o.stderr.String())
	} else {
		err = fmt.Errorf("git cat-file broke off: %w", err)
	}
	o.cmd = nil
	return err
}

// Close ends the process. Objects can be used again after it.
func (o *Objects) Close() {
	if o.cmd == nil {
		return
	}
	o.in.Close()
	_ = o.cmd.Wait() // no request is pending, so its exit does not matter
	o.cmd = nil
}
