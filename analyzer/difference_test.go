package analyzer

import (
	"slices"
	"testing"
	"time"
)

func capture(at time.Time, subjects ...Subject) *Document {
	for i := range subjects {
		subjects[i].ID = "s" + string(rune('1'+i))
	}
	return &Document{Schema: Schema, Bundle: Bundle{CapturedAt: &at}, Subjects: subjects}
}

func podSubject(name, uid, outcome string, residue ...ResidueCheck) Subject {
	ns := "shop"
	return Subject{Kind: "Pod", Namespace: &ns, Name: word(name), UID: word(uid), Outcome: outcome, Confidence: High, Residue: residue}
}

func TestCompareCaptures(t *testing.T) {
	at := time.Date(2026, 11, 30, 8, 22, 55, 0, time.UTC)
	later := at.Add(70 * time.Second)
	left, clear, unknown := ResidueCheck{Check: "mounts", State: "left"}, ResidueCheck{Check: "mounts", State: "clear"}, ResidueCheck{Check: "mounts", State: "unknown"}
	inAPI := true
	still := podSubject("web-0", "u1", Inconclusive)
	still.InAPI = &inAPI
	for _, c := range []struct {
		name          string
		before, after []Subject
		want          []string // change and name
		worked        string
		released      []string
		remaining     []string
		arisen        []string
	}{
		{name: "released", before: []Subject{podSubject("web-0", "u1", Residue, left)}, after: []Subject{podSubject("web-0", "u1", Clean, clear)}, want: []string{"released web-0"}, worked: Worked, released: []string{"mounts"}},
		{name: "remains", before: []Subject{podSubject("web-0", "u1", Residue, left)}, after: []Subject{podSubject("web-0", "u1", Residue, left)}, want: []string{"remains web-0"}, worked: WorkedNot, remaining: []string{"mounts"}},
		{name: "a new kind of trouble", before: []Subject{podSubject("web-0", "u1", Stuck)}, after: []Subject{podSubject("web-0", "u1", Residue, left)}, want: []string{"remains web-0"}, worked: WorkedNot, arisen: []string{"mounts"}},
		{name: "not told of is not released", before: []Subject{podSubject("web-0", "u1", Residue, left)}, want: []string{"unknown web-0"}, worked: WorkedUntold},
		{name: "no evidence is not released", before: []Subject{podSubject("web-0", "u1", Residue, left)}, after: []Subject{podSubject("web-0", "u1", Inconclusive, unknown)}, want: []string{"unknown web-0"}, worked: WorkedUntold},
		{name: "not all is told of", before: []Subject{podSubject("web-0", "u1", Residue, left)}, after: []Subject{podSubject("web-0", "u1", Clean, unknown)}, want: []string{"unknown web-0"}, worked: WorkedUntold},
		{name: "still in the API", before: []Subject{podSubject("web-0", "u1", Stuck)}, after: []Subject{still}, want: []string{"remains web-0"}, worked: WorkedNot},
		{name: "a namesake is another", before: []Subject{podSubject("web-0", "u1", Stuck)}, after: []Subject{podSubject("web-0", "u2", Stuck)}, want: []string{"unknown web-0", "new web-0"}, worked: WorkedUntold},
		{name: "in part", before: []Subject{podSubject("web-0", "u1", Stuck), podSubject("web-1", "u2", Stuck)}, after: []Subject{podSubject("web-0", "u1", Stuck), podSubject("web-1", "u2", Clean)}, want: []string{"remains web-0", "released web-1"}, worked: WorkedPartly},
		{name: "gone wrong since", before: []Subject{podSubject("web-0", "u1", NotDeleting)}, after: []Subject{podSubject("web-0", "u1", Stuck)}, want: []string{"new web-0"}, worked: WorkedUntold},
		{name: "nothing", worked: WorkedUntold},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := CompareCaptures(capture(at, c.before...), capture(later, c.after...))
			var got []string
			for _, s := range d.Subjects {
				got = append(got, s.Change+" "+*s.Name)
			}
			if !slices.Equal(got, c.want) || d.Worked != c.worked {
				t.Errorf("%q, worked %s; want %q, %s", got, d.Worked, c.want, c.worked)
			}
			if len(d.Subjects) == 1 {
				s := d.Subjects[0]
				if !slices.Equal(s.Released, c.released) || !slices.Equal(s.Remaining, c.remaining) || !slices.Equal(s.Arisen, c.arisen) {
					t.Errorf("released %q, remaining %q, arisen %q", s.Released, s.Remaining, s.Arisen)
				}
			}
			if d.ElapsedSeconds == nil || *d.ElapsedSeconds != 70 {
				t.Errorf("elapsed %v", d.ElapsedSeconds)
			}
		})
	}
}
