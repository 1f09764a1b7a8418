package parsers

import "sync"

// crew works through blocks side by side. One that is alone does its work at
// once, while what it was read for is at hand.
type crew struct {
	work   chan func()
	idle   sync.WaitGroup
	blocks chan []byte // not in use
}

func newCrew(jobs int) *crew {
	c := &crew{blocks: make(chan []byte, 4*jobs)}
	if jobs > 1 {
		c.work = make(chan func())
		for range jobs {
			c.idle.Go(func() {
				for do := range c.work {
					do()
				}
			})
		}
	}
	return c
}

// do has something done, at once or soon.
func (c *crew) do(task func()) {
	if c.work == nil {
		task()
		return
	}
	c.work <- task
}

// each does a task for every number below n, and waits.
func (c *crew) each(n int, task func(i int)) {
	var done sync.WaitGroup
	done.Add(n)
	for i := range n {
		c.do(func() {
			defer done.Done()
			task(i)
		})
	}
	done.Wait()
}

// stop ends the crew once its work is done.
func (c *crew) stop() {
	if c.work != nil {
		close(c.work)
		c.idle.Wait()
	}
}

// block is room to read into.
func (c *crew) block() []byte {
	select {
	case b := <-c.blocks:
		return b
	default:
		return make([]byte, skimBlock)
	}
}

// free takes back what block gave.
func (c *crew) free(b []byte) {
	if b = b[:cap(b)]; len(b) != skimBlock {
		return
	}
	select {
	case c.blocks <- b:
	default:
	}
}
