// Package terminal is the view of a store on a terminal: new records, records that wait for review, and conflicts, with keys to open,
// filter, approve and reject. It follows changes of the files. Every change uses the same functions as the command line and the
// tools, with the version of the text that the user saw.
//
// A model without a terminal turns keys and records into frames and requests. The runner does the requests, and restores the terminal
// however the view ends.
package terminal
