package main

import (
	"errors"
	"fmt"
)

// Exit codes; the report contract fixes them.
const (
	exitOK           = 0
	exitFailure      = 1
	exitUsage        = 2
	exitFound        = 3
	exitInconclusive = 4
	exitCheckFailed  = 5
	exitInterrupted  = 130
)

// exitError is an error that decides the exit code, and what could help.
type exitError struct {
	code  int
	err   error
	hints []string
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

func usagef(format string, args ...any) *exitError {
	return &exitError{code: exitUsage, err: fmt.Errorf(format, args...)}
}

// usage marks err as a mistake in the command line.
func usage(err error, help string, args ...any) *exitError {
	return hint(&exitError{code: exitUsage, err: err}, help, args...)
}

// hint adds what the user could do about it.
func hint(err *exitError, format string, args ...any) *exitError {
	err.hints = append(err.hints, fmt.Sprintf(format, args...))
	return err
}

// exit tells of an error and returns the code for it.
func (c *cli) exit(err error) int {
	if err == nil {
		return exitOK
	}
	fmt.Fprintf(c.stderr, "podautopsy: %v\n", err)
	var e *exitError
	if !errors.As(err, &e) {
		return exitFailure
	}
	for _, h := range e.hints {
		fmt.Fprintf(c.stderr, "podautopsy: hint: %s\n", c.typed(h))
	}
	return e.code
}
