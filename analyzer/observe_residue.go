package analyzer

var residueObservations = []Observation{
	{"force-deleted", []string{StageRequested}, Context, Supporting, "somebody deleted the pod with grace 0"},
	{"object-gone", []string{StageGone}, Success, Supporting, "the API does not have the pod any more"},
	{"ghost-running", []string{StageClean}, Failure, Decisive, "the runtime runs a container of a pod that the API does not have"},
	{"ghost-process", []string{StageClean}, Failure, Decisive, "a process runs in the cgroup of a pod that the API does not have"},
	{"ghost-writing", []string{StageClean}, Failure, Supporting, "a container goes on writing its log after its pod has gone from the API"},
	{"reservations-outnumber-sandboxes", []string{StageClean}, Failure, Supporting, "far more addresses are reserved than sandboxes live"},
	{"ghost-sandbox", []string{StageClean}, Failure, Supporting, "the sandbox of a pod that the API does not have is ready"},
	{"ghost-shim", []string{StageClean}, Failure, Supporting, "the shim of a sandbox runs whose pod the API does not have"},
	{"ghost-address", []string{StageClean}, Failure, Supporting, "an address is reserved for a sandbox of a pod that the API does not have"},
	{"being-cleaned-up", []string{StageClean}, Context, Supporting, "the kubelet has just begun to end what the API does not have any more"},
	{"missed-loosely", []string{StageGone}, Context, Supporting, "a dump lacks the pod, and nothing tells that it was taken after the pod had begun"},
	{"list-may-be-filtered", []string{StageGone}, Context, Supporting, "a saved list lacks the pod, and nothing tells that it is of all pods: a selector may have left it out"},
	{"seen-undated", []string{StageClean}, Context, Supporting, "what the node still has of the pod was seen at an unknown time, perhaps before the API lost it"},
	{"ghost-mount", []string{StageClean}, Failure, Supporting, "a mount of a pod that the API does not have"},
	{"ghost-folder", []string{StageClean}, Failure, Supporting, "the folder of a pod that the API does not have"},
	{"namesake-lives", []string{StageClean}, Context, Supporting, "another pod has the same name and another UID"},
	{"endpoint-of-gone-pod", []string{StageClean}, Failure, Decisive, "an endpoint names a pod that the API does not have"},
	{"reservation-without-sandbox", []string{StageClean}, Failure, Decisive, "an address is reserved for a sandbox that the runtime does not have"},
}
