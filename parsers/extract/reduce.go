package extract

import (
	"cmp"
	"slices"
)

// Plan is how much of each file is kept, in the order of the files.
type Plan []Level

// Reduce looks for a small plan that is still enough. It tries what is cited
// first, and adds what is likeliest to be missing until that is enough; then it
// takes away again, half by half, what turns out not to matter. Where nothing
// less is enough, everything is kept.
func Reduce(files []File, enough func(Plan) (bool, error)) (Plan, error) {
	least := make(Plan, len(files))
	for i, f := range files {
		if len(f.Cited) > 0 {
			least[i] = Cited
		}
	}
	plan := slices.Clone(least)
	for step := 0; ; step++ {
		ok, err := enough(plan)
		if err != nil || ok && step == 0 {
			return plan, err
		}
		if ok {
			break
		}
		if step == len(wider) {
			return plan, nil
		}
		for i, f := range files {
			plan[i] = max(plan[i], wider[step](f))
		}
	}
	r := &reducer{plan: plan, least: least, enough: enough}
	var above []int
	for i := range plan {
		if plan[i] > least[i] {
			above = append(above, i)
		}
	}
	// What is large is worth most.
	slices.SortStableFunc(above, func(a, b int) int { return -cmp.Compare(len(files[a].Text), len(files[b].Text)) })
	return r.plan, r.lower(above)
}

// wider are the steps from what is cited to everything.
var wider = []func(File) Level{
	func(f File) Level { // objects, and small files of which it is known what they are
		const small = 8 << 10
		switch {
		case f.Format == "kubernetes-yaml" || f.Format == "kubernetes-json":
			return Cited
		case f.Format != "" && !isLog(f.Format) && len(f.Text) <= small:
			return Whole
		}
		return Nothing
	},
	func(f File) Level {
		switch {
		case f.Format == "kubernetes-yaml" || f.Format == "kubernetes-json" || f.Format != "" && !isLog(f.Format):
			return Whole
		case isLog(f.Format):
			return Mention
		}
		return Nothing
	},
	func(f File) Level {
		if f.Format != "" {
			return Whole
		}
		return Nothing
	},
	func(File) Level { return Whole },
}

type reducer struct {
	plan, least Plan
	enough      func(Plan) (bool, error)
}

// lower takes a group of files down as far as that is still enough.
func (r *reducer) lower(group []int) error {
	if len(group) == 0 {
		return nil
	}
	before := slices.Clone(r.plan)
	for _, i := range group {
		r.plan[i] = r.least[i]
	}
	ok, err := r.enough(r.plan)
	if err != nil || ok {
		return err
	}
	copy(r.plan, before)
	if len(group) == 1 {
		return r.lessOf(group[0])
	}
	half := len(group) / 2
	if err := r.lower(group[:half]); err != nil {
		return err
	}
	return r.lower(group[half:])
}

// lessOf finds the lowest level of one file that is enough, above its least.
func (r *reducer) lessOf(i int) error {
	most := r.plan[i]
	for level := r.least[i] + 1; level < most; level++ {
		r.plan[i] = level
		if ok, err := r.enough(r.plan); err != nil || ok {
			return err
		}
	}
	r.plan[i] = most
	return nil
}
