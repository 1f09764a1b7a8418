package analyzer

// check is what is always true of a row of the check-list.
type check struct {
	title string // of the row, for people
	// ask is the command that would tell; docker's own where that differs.
	ask, askDocker string
	// may is what it may do as long as it is left.
	may string
	// by clears it without anybody's hands: the kubelet, a controller, or
	// nobody.
	by string
	// hands is how people clear it safely, and clear the command.
	hands, clear, clearDocker string
}

// Who clears what is left.
const (
	ByKubelet    = "kubelet"
	ByController = "controller"
	ByHands      = "hands"
)

// CheckOrder lists the rows of the check-list as engineers go through them.
var CheckOrder = []string{
	checkObject, checkContainers, checkProcesses, checkSandbox, checkCgroup, checkMounts, checkFolder, checkLogs,
	checkNetNS, checkAddress, checkEndpoints, checkVolume, checkAttachment, checkLocalVolume, checkIdentity, checkJobs, checkReplicas, checkPorts,
}

// CheckTitle is what a row of the check-list looks at.
func CheckTitle(id string) string { return checks[id].title }

// CheckCommand is the command that tells of a row, with placeholders.
func CheckCommand(id string) string { return expand(checks[id].ask, nil) }

var checks = map[string]check{
	checkObject: {
		title: "the object is gone from the API",
		ask:   "kubectl -n {ns} get pod {name} -o yaml --show-managed-fields",
		may:   "holds its name: a StatefulSet starts no successor, and a namespace cannot go",
		by:    ByHands,
		hands: "clear what its finalizers wait for; forcing again does nothing",
		clear: "kubectl -n {ns} get pod {name} -o yaml --show-managed-fields",
	},
	checkContainers: {
		title:     "no container of it runs",
		ask:       "crictl ps -a --no-trunc -o json",
		askDocker: dockerList,
		may:       "goes on working with nobody to see it: it writes to its volumes, answers at its address, holds locks and leads",
		by:        ByKubelet,
		hands:     "stop it with time to end cleanly, then remove its sandbox; never start a second writer on its volumes before",
		clear:     "{stop} {container}",
	},
	checkProcesses: {
		title: "no process and no shim of it lives",
		ask:   "ps axo pid,ppid,stat,cgroup:200,args",
		may:   "works on outside of what the runtime knows, so no stop of a container reaches it",
		by:    ByKubelet,
		hands: "look what it holds before it is ended; a process in state D ends with its storage or with the machine only",
		clear: "ps axo pid,ppid,stat,wchan:32,cgroup:200,args | grep -e {uid} -e {slice}",
	},
	checkSandbox: {
		title:     "its sandbox has stopped",
		ask:       "crictl pods --no-trunc -o json",
		askDocker: dockerPods,
		may:       "keeps the address, the network namespace and host ports",
		by:        ByKubelet,
		hands:     "stop and remove it, so that CNI DEL gives the address back",
		clear:     "crictl stopp {sandbox} && crictl rmp {sandbox}", clearDocker: "docker stop {sandbox} && docker rm {sandbox}",
	},
	checkCgroup: {
		title: "its control group is gone",
		ask:   "timeout 20 find /sys/fs/cgroup/* -xdev -type d | grep -e {uid} -e {slice}",
		may:   "does nothing while it is empty; processes in it are the pod's",
		by:    ByKubelet,
		hands: "see that it is empty; the kubelet removes it, else rmdir, the deepest first",
		clear: "timeout 20 find /sys/fs/cgroup/* -xdev -type d | grep -e {uid} -e {slice} | while read -r d; do cat $d/cgroup.procs; done",
	},
	checkMounts: {
		title: "nothing is mounted below its folder, subPaths included",
		ask:   "grep -l {uid} /proc/[0-9]*/mountinfo",
		may:   "keeps the volume in use, so it cannot be detached; who deletes below it deletes the volume's data",
		by:    ByKubelet,
		hands: "end what holds it, then unmount the deepest first; never rm -r there",
		clear: "grep {uid} /proc/self/mountinfo",
	},
	checkFolder: {
		title: "its folder is gone",
		ask:   "ls -ld --time-style=full-iso /var/lib/kubelet/pods/{uid}",
		may:   "fills the disk by its emptyDir volumes, and the kubelet's log every two seconds",
		by:    ByKubelet,
		hands: "see that nothing is mounted below it, then remove empty folders with rmdir, the deepest first",
		clear: "grep {uid} /proc/self/mountinfo || timeout 20 find /var/lib/kubelet/pods/{uid} -xdev -depth -type d -empty -exec rmdir {} \\;",
	},
	checkLogs: {
		title: "its logs are gone",
		ask:   "ls -ld --time-style=full-iso /var/log/pods/*_{uid}",
		may:   "takes room on the disk, nothing else; it may be evidence: copy it first",
		by:    ByKubelet,
		hands: "copy it away; the kubelet removes logs of pods that are gone once a minute",
		clear: "timeout 20 find /var/log/pods/*_{uid} -xdev -ls",
	},
	checkNetNS: {
		title: "its network namespace and interface are gone",
		ask:   "ip -d link; ip netns; ls -l --time-style=full-iso /run/netns",
		may:   "answers for its address, and keeps the address from the next pod",
		by:    ByKubelet,
		hands: "remove the sandbox, which runs CNI DEL; take the namespace away only where no sandbox has it",
		clear: "crictl inspectp {sandbox} | grep -i netns",
	},
	checkAddress: {
		title: "its address was given back",
		ask:   "grep -r . /var/lib/cni/networks; cat /var/run/aws-node/ipam.json; kubectl get ipamblocks.crd.projectcalico.org,ciliumendpoints.cilium.io -A -o yaml",
		may:   "is missing to new pods once all are taken; given out twice, it sends traffic to the wrong one",
		by:    ByKubelet,
		hands: "give back the address of this sandbox alone, once the sandbox is gone; never empty the whole folder",
		clear: "grep -rl {sandbox} /var/lib/cni/networks",
	},
	checkEndpoints: {
		title: "no endpoint names it",
		ask:   "kubectl -n {ns} get endpointslices,endpoints -o yaml | grep -B12 -A4 {uid}",
		may:   "sends traffic to an address where nobody, or somebody else, answers",
		by:    ByController,
		hands: "see why the endpoint controllers do not act; they remove it within seconds once they do",
		clear: "kubectl -n kube-system get leases kube-controller-manager -o yaml",
	},
	checkVolume: {
		title: "its claims and volumes are as they should be",
		ask:   "kubectl -n {ns} get pvc -o yaml; kubectl get pv -o yaml",
		may:   "keeps data and the claim from the next pod, or the namespace from going",
		by:    ByHands,
		hands: "see which finalizer or policy keeps it, and whether its data is wanted, before anything is deleted",
		clear: "kubectl get pv -o wide; kubectl -n {ns} get pvc -o yaml",
	},
	checkAttachment: {
		title: "its volumes are detached from the node",
		ask:   "kubectl get volumeattachments -o yaml",
		may:   "keeps the volume from every other node: its successor waits with Multi-Attach error",
		by:    ByController,
		hands: "make sure that the machine is off or has unmounted it, before the attachment is forced; else two nodes write to one filesystem",
		clear: "kubectl get volumeattachments -o wide; kubectl get node {node} -o jsonpath='{.status.volumesInUse}'",
	},
	checkLocalVolume: {
		title: "nothing of it is on the node's own disks",
		ask:   "kubectl get pv -o yaml | grep -A8 -e 'local:' -e 'hostPath:'",
		may:   "keeps data on one machine: its successor finds it there only, and nobody else deletes it",
		by:    ByHands,
		hands: "copy what is wanted before the machine is replaced; the volume is bound to it",
		clear: "kubectl get pv -o yaml | grep -A8 -e 'local:' -e 'hostPath:'",
	},
	checkIdentity: {
		title: "nobody else speaks for its name: no namesake beside it, no lease held",
		ask:   "kubectl -n {ns} get leases,pods -o yaml | grep -e holderIdentity -e 'name: '{name}",
		may:   "has two members of one name write to one volume, or both lead",
		by:    ByHands,
		hands: "fence the old one first: stop its container or power its machine off; then check the application's data and leadership",
		clear: "{stop} {container}",
	},
	checkJobs: {
		title: "its Job has counted it",
		ask:   "kubectl -n {ns} get jobs,cronjobs -o yaml",
		may:   "has the Job run the work a second time, or never count what was done: a CronJob that forbids concurrency then starts no more",
		by:    ByController,
		hands: "look whether the work was done before the Job is started again or deleted",
		clear: "kubectl -n {ns} get jobs,cronjobs -o yaml",
	},
	checkReplicas: {
		title: "its controller has as many pods as it wants",
		ask:   "kubectl -n {ns} get statefulsets,replicasets,deployments,daemonsets -o yaml",
		may:   "leaves the application with fewer or more pods than it counts",
		by:    ByController,
		hands: "see why the controller does not act; what is left on a node it does not count",
		clear: "kubectl -n {ns} get statefulsets,replicasets,deployments,daemonsets -o wide",
	},
	checkPorts: {
		title: "its ports on the host are free",
		ask:   "ss -ltnup; iptables-save -t nat | grep CNI-HOSTPORT",
		may:   "keeps its successor from starting on this node, or takes its traffic",
		by:    ByKubelet,
		hands: "end the process that listens; rules of the portmap plugin go with CNI DEL",
		clear: "ss -ltnup; iptables-save -t nat | grep CNI-HOSTPORT",
	},
}

// askFor is the command that would tell of a row on this node.
func (q *inquest) askFor(id string) string {
	if c := checks[id]; c.askDocker != "" && q.usesDocker() {
		return c.askDocker
	}
	return checks[id].ask
}
