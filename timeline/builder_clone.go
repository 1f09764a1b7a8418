package timeline

import (
	"maps"
	"slices"
)

// Clone is a copy that Assemble may line up while the builder itself stays as
// its parser left it: so that a bundle of which more turns out to matter is
// assembled again without reading everything again.
func (b *Builder) Clone() *Builder {
	c := *b
	c.Input.Hosts, c.Input.Gaps = slices.Clone(b.Input.Hosts), slices.Clone(b.Input.Gaps)
	c.Input.Identity.BootIDs = slices.Clone(b.Input.Identity.BootIDs)
	c.Input.Identity.Addresses = slices.Clone(b.Input.Identity.Addresses)
	c.Events = slices.Clone(b.Events)
	for i := range c.Events {
		if api := c.Events[i].API; api != nil {
			record := *api
			c.Events[i].API = &record
		}
	}
	c.Objects = make([]*Object, len(b.Objects))
	for i, o := range b.Objects {
		object := *o
		if len(o.Ages) > 0 { // they become times in it
			object.Content = Decoded(cloneContent(o.Whole()))
		}
		c.Objects[i] = &object
	}
	c.Listings = slices.Clone(b.Listings)
	c.Absents = slices.Clone(b.Absents)
	c.NodeState = b.NodeState.clone()
	c.Clocks = slices.Clone(b.Clocks)
	c.Boots = slices.Clone(b.Boots)
	c.Collected = slices.Clone(b.Collected)
	c.Samples = slices.Clone(b.Samples)
	return &c
}

// cloneContent copies maps as far down as ages may be written.
func cloneContent(content map[string]any) map[string]any {
	c := maps.Clone(content)
	for key, value := range c {
		if below, ok := value.(map[string]any); ok {
			c[key] = cloneContent(below)
		}
	}
	return c
}
