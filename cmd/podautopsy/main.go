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
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // by nohup
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), ends...)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	c := &cli{
		name: calledAs(os.Args[0]), stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, env: os.Getenv, engine: newEngine(),
		now: time.Now, //nolint:forbidigo // what a run takes is no evidence
	}
	return c.run(ctx, os.Args[1:])
}
