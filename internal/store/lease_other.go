//go:build !linux

package store

import "os"

type leaseState int

const (
	leaseHeld leaseState = iota
	leaseBusy
	leaseUnknown
)

func lease(*os.File) leaseState { return leaseUnknown }

func release(*os.File) {}
