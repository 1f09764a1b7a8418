package main

import (
	"errors"
	"fmt"
	"strings"
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
	fmt.Fprintf(c.stderr, "podautopsy: %s\n", told(err))
	var e *exitError
	if !errors.As(err, &e) {
		return exitFailure
	}
	for _, h := range e.hints {
		fmt.Fprintf(c.stderr, "podautopsy: hint: %s\n", visibleLine(c.typed(h)))
	}
	return e.code
}

// told is an error as a terminal may show it: what it quotes of names and files
// is made visible. Several errors have a line each, which none of them can
// begin by itself.
func told(err error) string {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		lines, plain := make([]string, 0, len(many.Unwrap())), make([]string, 0, len(many.Unwrap()))
		for _, one := range many.Unwrap() {
			lines, plain = append(lines, told(one)), append(plain, one.Error())
		}
		if strings.Join(plain, "\n") == err.Error() {
			return strings.Join(lines, "\n")
		}
	}
	if inner := errors.Unwrap(err); inner != nil {
		if before, ok := strings.CutSuffix(err.Error(), inner.Error()); ok {
			list, ok := strings.CutSuffix(before, ":\n") // what is wrong in all, then each
			if ok {
				return visibleLine(list) + ":\n" + told(inner)
			}
			return visibleLine(before) + told(inner)
		}
	}
	return visibleLine(err.Error())
}
