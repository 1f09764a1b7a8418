package parsers

import (
	"path"
	"strings"

	"podautopsy/timeline"
)

// componentOf names the program behind a syslog identifier. file is the source
// file in a klog header: several Kubernetes components may share one process
// (k3s, RKE2, MicroK8s), and the file tells which of them spoke.
func componentOf(identifier, file string) string {
	switch identifier {
	case "kubelet", "origin-node", "atomic-openshift-node", "kubelet.daemon", "snap.kubelet.daemon", "k8s.kubelet", "kubenswrapper", "kubensenter":
		return timeline.Kubelet
	case "hyperkube", "kubelite", "microk8s.daemon-kubelite", "microk8s.daemon-kubelet", "k3s", "k3s-agent", "k3s-server", "rke2", "rke2-agent", "rke2-server", "k0s":
		if c := klogProgram(file); c != "" {
			return c
		}
		return timeline.Kubelet
	case "containerd", "microk8s.daemon-containerd", "k8s.containerd":
		return timeline.Containerd
	case "crio", "cri-o":
		return timeline.CRIO
	case "dockerd", "docker", "dockerd-current":
		return timeline.Dockerd
	case "systemd-journald", "systemd-journal", "journal":
		return timeline.Journald
	}
	return identifier
}

// klogProgram is the component that alone has a source file of this name, ""
// if several have or none is known.
func klogProgram(file string) string {
	switch file {
	case "":
		return ""
	case "kubelet.go", "kubelet_pods.go", "kubelet_volumes.go", "kubelet_getters.go", "kubelet_node_status.go",
		"kubelet_network.go", "kubelet_network_linux.go", "kubelet_resources.go", "kubelet_server_journal.go",
		"pod_workers.go", "pod_container_deletor.go", "pod_container_manager_linux.go", "cgroup_manager_linux.go",
		"pod_manager.go", "mirror_client.go", "pod_startup_latency_tracker.go", "pod_sandbox_status.go",
		"remote_runtime.go", "remote_image.go", "log.go", "status_manager.go", "prober.go", "prober_manager.go", "scope.go",
		"volume_manager.go", "desired_state_of_world_populator.go", "desired_state_of_wolrd_populator.go",
		"reconciler_common.go", "reconciler_new.go", "reconstruct.go", "reconstruct_common.go", "reconstruct_new.go",
		"csi_mounter.go", "csi_plugin.go", "csi_client.go", "csi_drivers_store.go", "nodeinfomanager.go",
		"nestedpendingoperations.go", "container_log_manager.go", "image_gc_manager.go", "eviction_manager.go",
		"container_manager_linux.go", "cpu_manager.go", "memory_manager.go", "topology_manager.go", "state_mem.go",
		"cpu_assignment.go", "state_checkpoint.go", "policy_static.go", "nodelease.go", "kubelet_stats.go",
		"cri_stats_provider.go", "summary_sys_containers.go", "dns.go", "plugin_watcher.go", "manager_linux.go",
		"pleg.go", "generic.go", "evented.go", "secret_manager.go", "configmap_manager.go", "file_linux.go", "file.go",
		"docker_sandbox.go", "docker_container.go", "docker_service.go", "cni.go", "helpers_linux.go", "cadvisor_linux.go",
		"nodeshutdown_manager_linux.go", "runonce.go", "subpath_linux.go", "oom_watcher_linux.go", "plugins.go":
		return timeline.Kubelet
	case "gc_controller.go", "garbagecollector.go", "graph_builder.go", "node_lifecycle_controller.go", "replica_set.go",
		"taint_eviction.go", "taint_manager.go", "attach_detach_controller.go", "pvc_protection_controller.go",
		"pv_protection_controller.go", "pv_controller.go", "pv_controller_base.go", "namespace_controller.go",
		"namespaced_resources_deleter.go", "deployment_controller.go", "deployment_util.go", "daemon_controller.go",
		"job_controller.go", "cronjob_controllerv2.go", "stateful_set.go", "stateful_set_control.go",
		"stateful_pod_control.go", "disruption.go", "horizontal.go", "resource_quota_controller.go",
		"endpointslice_controller.go", "endpoints_controller.go", "controllermanager.go", "replication_controller.go",
		"controller_utils.go", "range_allocator.go", "node_ipam_controller.go", "serviceaccounts_controller.go",
		"tokens_controller.go", "expand_controller.go", "ttl_controller.go", "node_tree.go":
		return timeline.KCM
	case "schedule_one.go", "scheduling_queue.go", "eventhandlers.go", "default_preemption.go":
		return "kube-scheduler"
	case "proxier.go", "server_others.go":
		return "kube-proxy"
	}
	if strings.HasPrefix(file, "kuberuntime_") || strings.HasPrefix(file, "kubelet_") {
		return timeline.Kubelet
	}
	return ""
}

// logrusProgram tells the container runtimes by what only they log; "" if the
// line does not tell.
func logrusProgram(s string) string {
	const head = 600
	s = s[:min(len(s), head)]
	switch {
	case strings.Contains(s, "runtime=io.containerd."), strings.Contains(s, "containerd"),
		strings.Contains(s, "PodSandboxMetadata{"), strings.Contains(s, "StopContainer for"),
		strings.Contains(s, "StopPodSandbox for"), strings.Contains(s, "starting signal loop"),
		strings.Contains(s, "shim disconnected"), strings.Contains(s, "namespace=k8s.io"),
		strings.Contains(s, "TaskExit event"), strings.Contains(s, "RemoveContainer for"),
		strings.Contains(s, "TearDown network for sandbox"), strings.Contains(s, "cleaning up dead shim"):
		return timeline.Containerd
	case strings.Contains(s, "name=/runtime.v1"), strings.Contains(s, "Stopped pod sandbox: "),
		strings.Contains(s, "Stopping pod sandbox: "), strings.Contains(s, "Checking image status: "):
		return timeline.CRIO
	case strings.Contains(s, "Handler for "), strings.Contains(s, "API listen on "),
		strings.Contains(s, "namespace=moby"), strings.Contains(s, "kill - trying direct SIGKILL"),
		strings.Contains(s, "of signal 15 - using the force"):
		return timeline.Dockerd
	}
	return ""
}

// logName is what the log is called: its path, or its heading in a file of
// several.
func (f *File) logName() string {
	if f.Section != "" {
		return f.Section
	}
	return f.Path
}

// componentOfPath names a program by the file that it logs to, the last resort
// where the content does not tell.
func componentOfPath(p string) string {
	if i := strings.LastIndexByte(p, '!'); i >= 0 {
		p = p[i+1:]
	}
	base := path.Base(p)
	for _, program := range [...]string{
		timeline.Kubelet, "kube-controller-manager", "kube-apiserver", "kube-scheduler", "kube-proxy",
		timeline.Containerd, timeline.CRIO, timeline.Dockerd,
	} {
		if strings.Contains(base, program) {
			return program
		}
	}
	if rest, ok := containerOfLogName(base); ok { // /var/log/containers
		return rest
	}
	name, _, _ := strings.Cut(base, ".")
	switch name {
	case "current", "previous", "logs":
		name = ""
	}
	if strings.Trim(name, "0123456789") == "" && p != base { // /var/log/pods/NS_POD_UID/CONTAINER/0.log
		dir := path.Dir(p)
		if path.Base(dir) == "logs" {
			dir = path.Dir(dir)
		}
		name = path.Base(dir)
	}
	return componentOf(name, "")
}

// containerOfLogName reads kubelet's POD_NAMESPACE_CONTAINER-ID.log.
func containerOfLogName(base string) (container string, ok bool) {
	name, ok := strings.CutSuffix(base, ".log")
	parts := strings.Split(name, "_")
	const idLength = 64
	if !ok || len(parts) != 3 || len(parts[2]) < idLength+2 {
		return "", false
	}
	container = parts[2][:len(parts[2])-idLength]
	return strings.TrimSuffix(container, "-"), strings.HasSuffix(container, "-")
}

// programVote finds out who wrote a file that names nobody, by the files and
// phrases that only one program has. Kubernetes components and runtimes are
// counted apart, as a collected file may hold both.
type programVote struct {
	klog, logrus map[string]int
	seen         int
}

// count takes a line as a vote.
func (v *programVote) count(s *spoken) {
	const enough = 2000
	if v.seen > enough {
		return
	}
	switch s.kind {
	case spokenKlog:
		if c := klogProgram(s.file); c != "" {
			vote(&v.klog, c)
			v.seen++
		}
	case spokenLogfmt:
		v.seen++
		if c := logrusProgram(s.message); c != "" {
			vote(&v.logrus, c)
		}
	case spokenPlain, spokenStamped, spokenUnsure: // any program may speak so
	}
}

func vote(votes *map[string]int, name string) {
	if *votes == nil {
		*votes = map[string]int{}
	}
	(*votes)[name]++
}

func winner(votes map[string]int) string {
	best := ""
	for name, n := range votes {
		if n > votes[best] || n == votes[best] && name < best {
			best = name
		}
	}
	return best
}

// settle names the component of every event that has none.
func (v *programVote) settle(events []timeline.Event, p string) {
	klog, logrus, other := winner(v.klog), winner(v.logrus), componentOfPath(p)
	if klog == "" {
		klog = other
	}
	if logrus == "" {
		logrus = other
	}
	for i := range events {
		e := &events[i]
		if e.Component != "" {
			continue
		}
		e.Component = other
		if _, ok := klogHeader(e.Message); ok {
			e.Component = klog
		} else if _, ok := logfmtHeader(e.Message); ok {
			e.Component = logrus
		}
	}
}
