package parsers

// kubectlLayout is no collector's layout: what somebody put together by hand. Files
// are told by their content alone.
var kubectlLayout = Layout{
	Name:     "kubectl",
	Doc:      "a plain folder of dumps, command outputs and logs",
	Specimen: "captures that were taken by hand of a kubeadm cluster: folders, archives of nodes, files named after commands",
	Place:    func(string, string) Place { return Place{} },
}
