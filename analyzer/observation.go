package analyzer

// Observation says what a piece of state means: a field of an object, a row of
// crictl, the silence of a log. It is to state what a Signature is to a line.
type Observation struct {
	ID       string
	Stage    []string
	Polarity Polarity
	Strength Strength
	Meaning  string
}

// Observations lists all of them. Each is made by one of the looks below.
var Observations = slicesOf(
	podObservations, nodeObservations, runtimeObservations, volumeObservations, objectObservations, residueObservations, defectObservations,
)

// looks make the observations of one inquest, in this order: later ones may
// build on earlier ones.
var looks = []func(*inquest){
	(*inquest).lookAtPod,
	(*inquest).lookAtNode,
	(*inquest).lookAtKubelet,
	(*inquest).lookAtRuntime,
	(*inquest).lookAtProcesses,
	(*inquest).lookAtVolumes,
	(*inquest).lookAtObject,
	(*inquest).lookAtDefects,
}

func slicesOf(lists ...[]Observation) []Observation {
	var all []Observation
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// observationByID panics on an id that no list declares: a programming error
// that any test of the look shows.
func observationByID(id string) *Observation {
	for i := range Observations {
		if Observations[i].ID == id {
			return &Observations[i]
		}
	}
	panic("observation " + id + " is not declared")
}
