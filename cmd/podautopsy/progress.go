package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/charmbracelet/x/term"
)

// progress shows on a terminal what is being read; elsewhere it is silent.
type progress struct {
	w    io.Writer
	done chan struct{}
	idle sync.WaitGroup

	mu    sync.Mutex
	files int
	path  string
}

const (
	progressAfter = 500 * time.Millisecond // a quick run shows nothing
	progressEvery = 100 * time.Millisecond
)

func (c *cli) startProgress() *progress {
	p := &progress{done: make(chan struct{})}
	f, ok := c.stderr.(*os.File)
	if !ok || !term.IsTerminal(f.Fd()) || c.env("TERM") == "dumb" {
		return p
	}
	p.w = f
	columns := 80
	if n, _, err := term.GetSize(f.Fd()); err == nil && n > 0 {
		columns = n
	}
	p.idle.Go(func() { p.draw(columns) })
	return p
}

// reading notes the file that is read now. It may be called from several
// goroutines.
func (p *progress) reading(path string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.files++
	if path != "." { // a folder's own entry comes last and says nothing
		p.path = path
	}
}

func (p *progress) draw(columns int) {
	const clear = "\r\x1b[K"
	select {
	case <-p.done:
		return
	case <-time.After(progressAfter):
	}
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for {
		p.mu.Lock()
		line := fmt.Sprintf("reading, %d files so far: %s", p.files, strconv.QuoteToGraphic(p.path))
		p.mu.Unlock()
		if r := []rune(line); len(r) >= columns {
			line = string(r[:columns-1])
		}
		fmt.Fprint(p.w, clear+line)
		select {
		case <-p.done:
			fmt.Fprint(p.w, clear)
			return
		case <-tick.C:
		}
	}
}

// stop ends the display and clears its line.
func (p *progress) stop() {
	close(p.done)
	p.idle.Wait()
}
