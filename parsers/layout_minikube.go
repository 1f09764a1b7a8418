package parsers

import "podautopsy/timeline"

// minikubeLayout is the output of minikube logs: one file for one node.
var minikubeLayout = Layout{
	Name:   "minikube",
	Doc:    "what minikube logs printed, one node each",
	Format: minikubeLogsParser.Name,
	Fills: map[timeline.Carries]string{
		timeline.KubeletLog:   "minikube logs --length=100000 --file=logs.txt",
		timeline.RuntimeLog:   "minikube logs --length=100000 --file=logs.txt",
		timeline.RuntimeState: "minikube ssh --node=NODE -- sudo crictl pods -o json",
		timeline.MountTable:   "minikube ssh --node=NODE -- cat /proc/1/mountinfo",
		timeline.ProcessList:  "minikube ssh --node=NODE -- ps axo pid,ppid,stat,wchan:32,cgroup,args",
		timeline.PodObjects:   "minikube kubectl -- get pods -A -o yaml --show-managed-fields",
		timeline.NodeObjects:  "minikube kubectl -- get nodes -o yaml",
	},
	Place: func(string, string) Place { return Place{} }, // its sections tell
}
