// Package spawn knows how a command is started so that it outlives this program, or so that it ends with all that it
// started.
package spawn
