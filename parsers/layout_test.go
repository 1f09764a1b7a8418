package parsers

import (
	"archive/tar"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/therootcompany/xz"
)

func TestRecognise(t *testing.T) {
	for _, c := range []struct {
		name  string
		paths []string
		want  string // layout of the whole
		place map[string]Place
	}{
		{
			name:  "a plain folder",
			paths: []string{"cluster/pods.yaml", "cluster/events.json", "node/kubelet.log", "node/journal.export"},
			want:  "kubectl",
			place: map[string]Place{"node/kubelet.log": {}},
		},
		{
			name: "our own scripts, of a node and of the API server",
			paths: []string{
				"n.tar.gz!n/commands.tsv", "n.tar.gz!n/SHA256SUMS", "n.tar.gz!n/nodes/worker-1/proc/1/mountinfo",
				"c/commands.tsv", "c/cluster/pods.json",
			},
			want: "podautopsy",
			place: map[string]Place{
				"n.tar.gz!n/nodes/worker-1/proc/1/mountinfo":                              {Folder: "n.tar.gz!n/nodes/worker-1/", Node: "worker-1", Zone: "UTC"},
				"n.tar.gz!n/nodes/worker-1/logs/var/lib/rancher/k3s/agent/containerd.log": {Folder: "n.tar.gz!n/nodes/worker-1/", Node: "worker-1"},
				"c/cluster/pods.json": {},
			},
		},
		{
			name: "sosreport",
			paths: []string{
				"sosreport-worker-3-2026-11-30-lchdtyw.tar.xz!sosreport-worker-3-2026-11-30-lchdtyw/version.txt",
				"sosreport-worker-3-2026-11-30-lchdtyw.tar.xz!sosreport-worker-3-2026-11-30-lchdtyw/sos_reports/manifest.json",
				"sosreport-worker-3-2026-11-30-lchdtyw.tar.xz!sosreport-worker-3-2026-11-30-lchdtyw/sos_commands/kubernetes/journalctl_--no-pager_--unit_kubelet",
			},
			want: "sosreport",
			place: inFolder("sosreport-worker-3-2026-11-30-lchdtyw.tar.xz!sosreport-worker-3-2026-11-30-lchdtyw/", "worker-3", map[string]string{
				"version.txt": "",
				"sos_commands/kubernetes/journalctl_--no-pager_--unit_kubelet":                                "journalctl --no-pager --unit kubelet",
				"sos_commands/containerd/ctr_-n_k8s.io_container_ls":                                          "ctr -n k8s.io container ls",
				"sos_commands/crio/containers/crictl_inspect_0a1b2c":                                          "crictl inspect 0a1b2c",
				"sos_commands/kubernetes/cluster-info/kubectl_get_--all-namespaces_true_pods":                 "kubectl get --all-namespaces=true pods",
				"sos_commands/kubernetes/cluster-info/shop/kubectl_get_-o_json_--namespace_shop_pods":         "kubectl get -o json --namespace shop pods",
				"sos_commands/date/date_--utc":                                                                "date --utc",
				"proc/1234/mountinfo":                                                                         "cat /proc/1234/mountinfo",
				"sos_commands/process/ps_auxwwwm":                                                             "ps auxwwwm",
				"sos_commands/kubernetes/cluster-info/kubectl_--kubeconfig_.etc.kubernetes.admin.conf_get_pv": "kubectl --kubeconfig .etc.kubernetes.admin.conf get pv",
			}),
		},
		{
			name: "sosreports in a folder, one unpacked",
			paths: []string{
				"sosreport-a-2026-11-30-abcdefg/sos_commands/host/hostname",
				"sosreport-b-2026-11-30-hijklmn.tar.xz!sosreport-b-2026-11-30-hijklmn/sos_commands/host/hostname",
				"sosreport-b-2026-11-30-hijklmn.tar.xz.sha256",
			},
			want: "sosreport",
			place: map[string]Place{
				"sosreport-a-2026-11-30-abcdefg/etc/fstab": {Node: "a", Folder: "sosreport-a-2026-11-30-abcdefg/"},
				"sosreport-b-2026-11-30-hijklmn.tar.xz!sosreport-b-2026-11-30-hijklmn/etc/fstab": {
					Node: "b", Folder: "sosreport-b-2026-11-30-hijklmn.tar.xz!sosreport-b-2026-11-30-hijklmn/",
				},
				"sosreport-b-2026-11-30-hijklmn.tar.xz.sha256": {},
			},
		},
		{
			name:  "sos_commands at the top",
			paths: []string{"sos_commands/host/hostname", "proc/mounts"},
			want:  "sosreport",
			place: map[string]Place{"proc/mounts": {Command: "cat /proc/mounts"}},
		},
		{
			name: "must-gather",
			paths: []string{
				"must-gather.local.5/timestamp",
				"must-gather.local.5/quay-io-must-gather-sha256-41/cluster-scoped-resources/core/nodes/w1.yaml",
				"must-gather.local.5/quay-io-must-gather-sha256-41/namespaces/shop/core/pods.yaml",
			},
			want: "must-gather",
			place: map[string]Place{
				"must-gather.local.5/timestamp": {},
				"must-gather.local.5/quay-io-must-gather-sha256-41/nodes/w1/w1_logs_kubelet.gz": {
					Node: "w1", Folder: "must-gather.local.5/quay-io-must-gather-sha256-41/nodes/w1/", Zone: "UTC",
					Command: "journalctl --utc --no-pager --output=short-precise --unit kubelet",
				},
				"must-gather.local.5/quay-io-must-gather-sha256-41/host_service_logs/masters/kubelet_service.log": {
					Zone: "UTC", Command: "journalctl --utc --no-pager --output=short-precise --unit kubelet",
				},
				"must-gather.local.5/quay-io-must-gather-sha256-41/audit_logs/kube-apiserver/m0-audit-2026.log.gz": {Node: "m0"},
				"must-gather.local.5/quay-io-must-gather-sha256-41/namespaces/shop/core/pods.yaml":                 {Command: "oc get pods --namespace shop -o yaml"},
				"must-gather.local.5/quay-io-must-gather-sha256-41/namespaces/shop/pods/web-0/web-0.yaml":          {},
				"must-gather.local.5/quay-io-must-gather-sha256-41/nodes/skipped_nodes.txt":                        {},
			},
		},
		{
			name:  "cluster-info dump",
			paths: []string{"dump/nodes.json", "dump/default/pods.json", "dump/default/events.json", "dump/default/web-0/logs.txt"},
			want:  "cluster-info-dump",
			place: map[string]Place{
				"dump/nodes.json":                           {Command: "kubectl get nodes -o json"},
				"dump/default/pods.json":                    {Command: "kubectl get pods --namespace default -o json"},
				"dump/default/replication-controllers.json": {Command: "kubectl get replicationcontrollers --namespace default -o json"},
				"dump/default/web-0/logs.txt":               {},
			},
		},
		{
			name: "troubleshoot",
			paths: []string{
				"support-bundle-2026-11-30T09_57_32.tar.gz!support-bundle-2026-11-30T09_57_32/version.yaml",
				"support-bundle-2026-11-30T09_57_32.tar.gz!support-bundle-2026-11-30T09_57_32/cluster-resources/pods/shop-prod.json",
			},
			want: "troubleshoot",
			place: inFolder("support-bundle-2026-11-30T09_57_32.tar.gz!support-bundle-2026-11-30T09_57_32/", "", map[string]string{
				"cluster-resources/pods/shop-prod.json":                      "kubectl get pods --namespace shop-prod -o json",
				"cluster-resources/pvs.json":                                 "kubectl get persistentvolumes -o json",
				"cluster-resources/pod-disruption-budgets/default.json":      "kubectl get poddisruptionbudgets --namespace default -o json",
				"cluster-resources/custom-resources/a.example.com/shop.json": "kubectl get a.example.com --namespace shop -o json",
				"cluster-resources/pods/logs/shop/web-0/web-logs-errors.log": "",
				"cluster-resources/pods-errors.json":                         "",
			}),
		},
		{
			name:  "troubleshoot, hosts",
			paths: []string{"host-collectors/run-host/crictl-ps.txt", "host-collectors/system/w1/hostos_info.json"},
			want:  "troubleshoot",
			place: map[string]Place{
				"host-collectors/run-host/crictl-ps.txt":             {Command: "crictl ps", Folder: "host-collectors/"},
				"host-collectors/run-host/crictl-ps-info.json":       {Folder: "host-collectors/"},
				"host-collectors/run-host/w1/journalctl-kubelet.txt": {Command: "journalctl --unit kubelet", Node: "w1"},
				"host-collectors/run-host/my-script/result.csv":      {},
				"host-collectors/system/w1/hostos_info.json":         {Node: "w1"},
				"copy-from-host-etc/w2/etc/containerd/config.toml":   {Node: "w2", Folder: "copy-from-host-etc/w2/"},
				"run-daemonset-journal/w3.log":                       {Node: "w3"},
			},
		},
		{
			name: "aks periscope, two nodes",
			paths: []string{
				"2026-11-30T09-57-32Z/aks-pool-0.zip!systemlogs/kubelet",
				"2026-11-30T09-57-32Z/aks-pool-0.zip!kubeobjects/kube-system_pod_web-0",
				"2026-11-30T09-57-32Z/aks-pool-1.zip!systemlogs/kubelet",
			},
			want: "aks-periscope",
			place: map[string]Place{
				"2026-11-30T09-57-32Z/aks-pool-0.zip!systemlogs/kubelet": {
					Node: "aks-pool-0", Folder: "2026-11-30T09-57-32Z/aks-pool-0.zip!", Command: "journalctl --unit kubelet",
				},
				"2026-11-30T09-57-32Z/aks-pool-0.zip!kubeobjects/kube-system_pod_web-0": {Command: "kubectl describe --namespace kube-system pod web-0"},
				"2026-11-30T09-57-32Z/aks-pool-1.zip!nodelogs/var_log_messages":         {Node: "aks-pool-1", Folder: "2026-11-30T09-57-32Z/aks-pool-1.zip!"},
				"2026-11-30T09-57-32Z/aks-pool-0.zip!podscontainerlogs/web-0-web":       {},
			},
		},
		{
			name: "eks",
			paths: []string{
				"eks_i-0123_2026-11-30_0959-UTC_0.7.9.tar.gz!kubelet/kubelet.log",
				"eks_i-0123_2026-11-30_0959-UTC_0.7.9.tar.gz!storage/mounts.txt",
			},
			want: "eks",
			place: map[string]Place{
				"eks_i-0123_2026-11-30_0959-UTC_0.7.9.tar.gz!kubelet/kubelet.log": {
					Folder: "eks_i-0123_2026-11-30_0959-UTC_0.7.9.tar.gz!", Command: "journalctl --unit kubelet",
					CapturedAt: time.Date(2026, 11, 30, 9, 59, 0, 0, time.UTC),
				},
			},
		},
		{
			name: "rancher",
			paths: []string{
				"x.tar.gz!worker-4-2026-11-30_09_59_13/systeminfo/mount",
				"x.tar.gz!worker-4-2026-11-30_09_59_13/journald/kubelet",
			},
			want: "rancher-logs",
			place: map[string]Place{
				"x.tar.gz!worker-4-2026-11-30_09_59_13/journald/kubelet": {
					Node: "worker-4", Folder: "x.tar.gz!worker-4-2026-11-30_09_59_13/", Command: "journalctl --unit kubelet",
				},
				"x.tar.gz!worker-4-2026-11-30_09_59_13/rke2/crictl/psa": {
					Node: "worker-4", Folder: "x.tar.gz!worker-4-2026-11-30_09_59_13/", Command: "crictl ps -a",
				},
				"x.tar.gz!worker-4-2026-11-30_09_59_13/kubeadm/kubectl/pods":       {Command: "kubectl get pods -o wide --all-namespaces"},
				"x.tar.gz!worker-4-2026-11-30_09_59_13/kubeadm/kubectl/nodes.json": {Command: "kubectl get nodes -o json"},
			},
		},
		{
			name: "support-bundle-kit",
			paths: []string{
				"b.zip!supportbundle_1/metadata.yaml",
				"b.zip!supportbundle_1/yamls/namespaced/shop/v1/pods.yaml",
				"b.zip!supportbundle_1/nodes/w1.zip!w1/logs/kubelet.log",
			},
			want: "rancher-support-bundle",
			place: map[string]Place{
				"b.zip!supportbundle_1/yamls/namespaced/shop/v1/pods.yaml": {Command: "kubectl get pods --namespace shop -o yaml"},
				"b.zip!supportbundle_1/nodes/w1.zip!w1/logs/kubelet.log":   {Node: "w1", Folder: "b.zip!supportbundle_1/nodes/w1.zip!"},
			},
		},
		{
			name:  "aks",
			paths: []string{"aks_logs.zip!collect/crictl_pods.json", "aks_logs.zip!var/log/syslog"},
			want:  "aks",
			place: map[string]Place{"aks_logs.zip!collect/crictl_pods.json": {Folder: "aks_logs.zip!", Command: "crictl pods -o json"}},
		},
		{
			name:  "kind",
			paths: []string{"out/kind-version.txt", "out/kind-worker/kubelet.log"},
			want:  "kind",
			place: map[string]Place{
				"out/kind-version.txt":                   {},
				"out/kind-worker/kubernetes-version.txt": {Node: "kind-worker", Folder: "out/kind-worker/", Command: "cat /kind/version"},
				"out/kind-worker/kubelet.log":            {Node: "kind-worker", Folder: "out/kind-worker/", Command: "journalctl --no-pager --unit kubelet"},
			},
		},
		{
			name:  "kind, before it wrote its version",
			paths: []string{"out/docker-info.txt", "out/kind-worker/kubernetes-version.txt", "out/kind-worker/kubelet.log"},
			want:  "kind",
			place: map[string]Place{"out/docker-info.txt": {}},
		},
		{
			name:  "end-to-end tests' nodes",
			paths: []string{"artifacts/junit_01.xml", "artifacts/e2e-minion-group-x1/kubelet.log", "artifacts/e2e-minion-group-x1/serial-1.log"},
			want:  "log-dump",
			place: map[string]Place{
				"artifacts/junit_01.xml": {},
				"artifacts/e2e-minion-group-x1/kubelet.log": {
					Node: "e2e-minion-group-x1", Folder: "artifacts/e2e-minion-group-x1/", Command: "journalctl --output=cat -u kubelet.service",
				},
			},
		},
		{
			name:  "a node's logs in a plain folder",
			paths: []string{"node/kubelet.log", "node/kern.log"},
			want:  "kubectl",
			place: map[string]Place{"node/kubelet.log": {}},
		},
		{
			name:  "cluster API",
			paths: []string{"a.tgz!artifacts/clusters/c1/machines/c1-md-0-x/kubelet.log", "a.tgz!artifacts/clusters/c1/machines/c1-md-0-x/kern.log"},
			want:  "cluster-api",
			place: map[string]Place{
				"a.tgz!artifacts/clusters/c1/machines/c1-md-0-x/kern.log": {
					Folder: "a.tgz!artifacts/clusters/c1/machines/c1-md-0-x/", Command: "journalctl --no-pager --output=short-precise -k",
				},
				"a.tgz!artifacts/clusters/bootstrap/resources/capi-system/Cluster/c1.yaml": {},
			},
		},
		{
			name:  "several",
			paths: []string{"cluster/pods.yaml", "sosreport-a-2026-11-30-abcdefg/sos_commands/host/hostname"},
			want:  "mixed",
			place: map[string]Place{"cluster/pods.yaml": {}},
		},
		{
			name: "sosreports that sos collect packed",
			paths: []string{
				"sos-collector-1.tar.xz!sos-collector-1/sos_logs/sos.log",
				"sos-collector-1.tar.xz!sos-collector-1/sosreport-a-2026-11-30-abcdefg.tar.xz!sosreport-a-2026-11-30-abcdefg/sos_commands/host/hostname",
			},
			want: "sosreport",
			place: map[string]Place{
				"sos-collector-1.tar.xz!sos-collector-1/sosreport-a-2026-11-30-abcdefg.tar.xz!sosreport-a-2026-11-30-abcdefg/hostname": {
					Node: "a", Folder: "sos-collector-1.tar.xz!sos-collector-1/sosreport-a-2026-11-30-abcdefg.tar.xz!sosreport-a-2026-11-30-abcdefg/",
				},
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			bundles := recognise(c.paths)
			if got := bundles.Name(); got != c.want {
				t.Errorf("layout %q, want %q", got, c.want)
			}
			for path, want := range c.place {
				if d := cmp.Diff(want, bundles.Place(path)); d != "" {
					t.Errorf("%s:\n%s", path, d)
				}
			}
		})
	}
}

// inFolder is what is told of a node's files, given their commands.
func inFolder(root, node string, commands map[string]string) map[string]Place {
	places := map[string]Place{}
	for rel, command := range commands {
		p := Place{Node: node, Command: command}
		if node != "" {
			p.Folder = root
		}
		places[root+rel] = p
	}
	return places
}

// TestRecogniseRealBundles reads the names of members of archives that the
// collectors wrote.
func TestRecogniseRealBundles(t *testing.T) {
	shared := os.DirFS("../../shared")
	found := false
	for pattern, want := range map[string]string{
		"lab-bundles/*/sosreport-*.tar.xz":                                           "sosreport",
		"lab-bundles/*/support-bundle-*.tar.gz":                                      "troubleshoot",
		"lab-bundles/*/eks_*.tar.gz":                                                 "eks",
		"lab-bundles/*/worker-*.tar.gz":                                              "rancher-logs",
		"realdata/openshift+must-gather-clean/test/files/must-gather-vsphere.tar.xz": "must-gather",
	} {
		archives, err := filepath.Glob("../../shared/" + pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, archive := range archives {
			found = true
			rel := strings.TrimPrefix(filepath.ToSlash(archive), "../../shared/")
			file, err := shared.Open(rel)
			if err != nil {
				t.Fatal(err)
			}
			paths := memberPaths(t, filepath.Base(archive), file)
			file.Close()
			bundles := recognise(paths)
			if got := bundles.Name(); got != want {
				t.Errorf("%s: layout %q, want %q", rel, got, want)
			}
			commands := 0
			for _, p := range paths {
				if bundles.Place(p).Command != "" {
					commands++
				}
			}
			if commands < 5 {
				t.Errorf("%s: only %d commands known", rel, commands)
			}
			if want == "sosreport" || want == "rancher-logs" {
				if node := bundles.Place(paths[len(paths)/2]).Node; !strings.HasPrefix(node, "worker-") || strings.Contains(node, "20") {
					t.Errorf("%s: node %q", rel, node)
				}
			}
		}
	}
	if !found {
		t.Skip("no real bundles here")
	}
	var dump []string
	matches, _ := filepath.Glob("../../shared/lab-bundles/*/cluster-info-dump-*/*/*")
	more, _ := filepath.Glob("../../shared/lab-bundles/*/cluster-info-dump-*/*")
	for _, p := range append(matches, more...) {
		dump = append(dump, filepath.ToSlash(p))
	}
	if got := recognise(dump).Name(); got != "cluster-info-dump" {
		t.Errorf("cluster-info dumps: layout %q", got)
	}
}

func memberPaths(t *testing.T, archive string, file io.Reader) []string {
	t.Helper()
	var r io.Reader
	var err error
	if strings.HasSuffix(archive, ".xz") {
		r, err = xz.NewReader(file, 0)
	} else {
		r, err = gzip.NewReader(file)
	}
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for members := tar.NewReader(r); ; {
		head, err := members.Next()
		if err != nil {
			return paths
		}
		if head.Typeflag == tar.TypeReg {
			paths = append(paths, archive+"!"+strings.TrimPrefix(head.Name, "./"))
		}
	}
}

func FuzzRecognise(f *testing.F) {
	f.Add("a.tar.xz!sosreport-a-2026-11-30-abcdefg/sos_commands/host/hostname\nnodes/x\n!/!")
	f.Add("b.zip!s/metadata.yaml\nb.zip!s/yamls/namespaced/shop/v1/pods.yaml\nb.zip!s/nodes/w1.zip!w1/logs/kubelet.log")
	f.Add("dump/nodes.json\ndump/default/pods.json\ndump/default/events.json\nhost-collectors/run-host/crictl-ps.txt")
	f.Add("must-gather/cluster-scoped-resources/core/nodes/w1.yaml\nmust-gather/nodes/w1/w1_logs_kubelet.gz\nkind-version.txt")
	f.Fuzz(func(t *testing.T, lines string) {
		paths := strings.Split(lines, "\n")
		bundles := recognise(paths)
		for _, p := range paths {
			place := bundles.Place(p)
			if !strings.HasPrefix(p, place.Folder) {
				t.Errorf("%q is not in the folder %q", p, place.Folder)
			}
			if place.Node != "" && !strings.Contains(p, place.Node) {
				t.Errorf("the path %q does not name node %q", p, place.Node)
			}
		}
	})
}
