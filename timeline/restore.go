package timeline

// Restore passes the texts that reports cite, and the places where they stand,
// through text and place: of a file that was not read exactly as it is.
func (b *Builder) Restore(text func(string) string, place func(Source) Source) {
	for i := range b.Events {
		e := &b.Events[i]
		e.Text, e.Source = text(e.Text), place(e.Source)
	}
	for _, o := range b.Objects {
		o.Text, o.Source = text(o.Text), place(o.Source)
		if locate := o.Locate; locate != nil {
			o.Locate = func(path ...string) (Source, string, bool) {
				src, found, ok := locate(path...)
				return place(src), text(found), ok
			}
		}
	}
	for _, f := range b.Facts() {
		f.Text, f.Source = text(f.Text), place(f.Source)
	}
	for i := range b.Listings {
		l := &b.Listings[i]
		l.Text, l.Source = text(l.Text), place(l.Source)
	}
	for i := range b.Absents {
		a := &b.Absents[i]
		a.Text, a.Source = text(a.Text), place(a.Source)
	}
	for i := range b.Boots {
		b.Boots[i].Source = place(b.Boots[i].Source)
	}
	for i := range b.Collected {
		b.Collected[i].Source = place(b.Collected[i].Source)
	}
	for i := range b.Input.Gaps {
		g := &b.Input.Gaps[i]
		g.Detail, g.Source = text(g.Detail), place(g.Source)
	}
}
