// Command podautopsy tells from a support bundle, offline, why a Kubernetes
// pod is stuck in Terminating.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
	_ "time/tzdata" // --timezone works where the system has no zones
)

func main() { os.Exit(podautopsy()) }

func podautopsy() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	c := &cli{
		name: calledAs(os.Args[0]), stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, env: os.Getenv, engine: newEngine(),
		now: time.Now, //nolint:forbidigo // what a run takes is no evidence
	}
	return c.run(ctx, os.Args[1:])
}
