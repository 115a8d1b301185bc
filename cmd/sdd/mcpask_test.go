package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// mcpAsk runs sdd mcp with the arguments and sends it each message of standard input after the answer to the one before: at the end of
// input the server gives running requests only a moment, which is short on a busy machine. It returns 0 if the server did, else 1.
func mcpAsk(args []string) int {
	cmd := exec.Command("sdd", append([]string{"mcp"}, args...)...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return askFailed(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return askFailed(err)
	}
	if err := cmd.Start(); err != nil {
		return askFailed(err)
	}
	answers := bufio.NewReader(out)
	for asks := bufio.NewReader(os.Stdin); ; {
		ask, err := asks.ReadBytes('\n')
		if len(ask) == 0 {
			break
		}
		if _, err := in.Write(ask); err != nil {
			return askFailed(err)
		}
		for id := messageID(ask); id != ""; {
			answer, err := answers.ReadBytes('\n')
			os.Stdout.Write(answer)
			if err != nil {
				return askFailed(fmt.Errorf("no answer to %s: %w", id, err))
			}
			if messageID(answer) == id {
				break
			}
		}
		if err != nil {
			break
		}
	}
	in.Close()
	io.Copy(os.Stdout, answers)
	if err := cmd.Wait(); err != nil {
		return askFailed(err)
	}
	return 0
}

func askFailed(err error) int {
	fmt.Fprintln(os.Stderr, "mcpask:", err)
	return 1
}

// messageID is the id of a JSON-RPC message; "" if it has none.
func messageID(line []byte) string {
	var m struct{ ID json.RawMessage }
	json.Unmarshal(line, &m)
	return string(m.ID)
}
