package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/charmbracelet/x/term"

	"podautopsy/parsers"
)

// progress shows on a terminal what is being read; elsewhere it is silent.
type progress struct {
	w    io.Writer
	done chan struct{}
	idle sync.WaitGroup

	bytes parsers.Progress

	mu    sync.Mutex
	doing string
	files int
	path  string
}

const (
	progressAfter = 500 * time.Millisecond // a quick run shows nothing
	progressEvery = 100 * time.Millisecond
)

func (c *cli) startProgress() *progress {
	p := &progress{done: make(chan struct{}), doing: "reading"}
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

// stage notes what is done from now on.
func (p *progress) stage(doing string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.doing = doing
}

// line is what there is to show: while files are read, how much of them was.
func (p *progress) line() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.doing != "reading" {
		return p.doing
	}
	done, total := p.bytes.Bytes()
	share := ""
	if total > 0 {
		share = fmt.Sprintf(" %d %% of %.1f MiB,", 100*done/total, float64(total)/(1<<20))
	}
	return fmt.Sprintf("reading%s %d files so far: %s", share, p.files, strconv.QuoteToGraphic(p.path))
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
		line := p.line()
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
