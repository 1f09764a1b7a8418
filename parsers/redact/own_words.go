package redact

import (
	"strings"
	"sync"
)

// ownWords are words of Kubernetes, its runtimes, Linux and the tools whose
// output is read. None of them is a name by itself, whatever is called so.
const ownWords = `
a about absent accepted access account active activating ad add added addon address addresses admin admission affinity age agent agents alive
all allow allocated allocation already alpha also always amd64 an and annotation annotations any api apiextensions apiregistration apis
apiserver apiservice apiservices app apply apps arch args arm64 as at attach attachable attached attacher attachment attribute attributes
audit auth authentication authorization auto automatic availability available average aws azure azuredisk azurefile
back backend backoff background bad base batch be been before begin best beta bin bind binding block blocked body boot both bound bridge
broken buffer build burst burstable busy but by
c ca cache cached calico call cancel cancelled cannot capabilities capacity cause ceph cephfs cert certificate certificates cgroup cgroupfs
cgroups change changed check checks child chroot cilium cinder claim class classes clean cleanup client clock close closed cloud cluster
clusters cmd cni code collector com command comm compact compute condition conditions conf config configmap configmaps configuration conn
connect connection connections consul container containerd containers content context continue control controlled controller controllers
conmon coordination copy core coredns count cpu crash crashloopbackoff crd crds create created creating creation creator cri cri-o crictl
crio critical cron cronjob cronjobs csi csidriver csinode csinodes ctr cur current custom
d daemon daemonset daemonsets data date day days dead deadline debian debug decision default degraded del delay delete deleted deleting
deletion deny deployment deployments describe desired destroy detach detached detail details dev device devices devpts devtmpfs diag die died
digest dir directory disabled discovery disk dispatch display dmesg dns do docker dockerd does domain done down drain draining driver
drivers dry ds dump duplicate duration
e each ebs edge effect efs eks empty emptydir enable enabled end ended endpoint endpoints endpointslice endpointslices engine entries entry
env environment eof eph err errno error errors etc etcd ether eth eth0 event events evict evicted eviction exceeded except exec executor exit
exited expected expired export exporter ext4 external
f fail failed failing failure failures false fatal fault feature field file files filesystem filter final finalizer finalizers find finish
finished first flag flannel flow flush fluentd fluent force forced foreground format forbidden found free from frozen fs fsnotify fstype
full fuse fuser
g gateway gc gce gcp generation generic get gid global go goal google goroutine grace graceful grafana grep group groups grpc guaranteed
guest
h handle handler hang has hash have head header health healthy heartbeat held helm help here high hold holder home hook host hostname
hostpath hosts hour hours hr http https hugepages hung
i id identifier identity ids idle if ignore ignored image images immediate in inactive inet inet6 info ingress ingresses inherit init
initialized inject injector inode inodes input insecure inside install instance int interface interfaces internal interrupt interval into
invalid io ip ipam iptables ipv4 ipv6 is iscsi issue istio istio-proxy it item items its
job jobs join journal journald journalctl json just
k3s k8s keep kept kernel key keys kill killed killing kind kube kubeadm kubeconfig kubectl kubelet kubepods kubernetes kworker kyverno
l label labels last latest leader lease leases leave left less level lib libpod library lifecycle like limit limits line link linkerd linux
list listen live liveness lo load loaded local localhost lock locked log logger logging login logs long longhorn loop lost low ls lsof
m machine main maintenance make manage managed manager mark marked mask master match max maximum may mem memory merge mesh message messages
meta metadata metallb method metrics microk8s min minikube minute minutes mirror missing mkdir mode model module monitor monitoring month
more most mount mounted mountinfo mountpoint mounts move ms multipath mutating my
n name named names namespace namespaces nat need needed net netns network networking networks never new newest next nfs nfs4 nginx no node
nodes none noop normal not notready nothing now ns nsfs ntp null number
o object objects observed of off offline oidc ok old on once one online only oom open openshift operation operations operator option options
or orphan orphaned os other out output over overlay overlay2 override owned owner
p package page pages parameter parent part partial partition passed patch path pause paused pending per percent perm permission persistent
persistentvolume persistentvolumeclaim persistentvolumeclaims persistentvolumes phase pid pids ping plan plane platform please pleg plugin
plugins pod podman pods podsandbox point policies policy pool port portmap ports post power ppid prefix preempt prepare present preserve
preserving pressure prestop previous print priority private privileged proc process processes profile progress prod production prom
prometheus propagation protection protocol provider provision provisioner proxy public pull pulled push pv pvc pvcs pvs
q qdisc qos queue quick quit quota
r raft range rate rbac rbd rc read readiness ready real reason reboot rebooted receive received reclaim reconcile record recover red refs
refused register registered registration registry reject relatime release released reload remain remaining remote remove removed removing
repeat replica replicas replicaset replicasets report request requested requests require required reserved reset resolv resolve resource
resources response rest restart restarted restarting restarts restore result resume retain retry return returned returns reuse revision rke2
ro role roles rollout rook root route router rpc rs rslave rule rules run runc running runsc runtime rw
s same sandbox sandboxes save scale scheduled scheduler schedule scope script sd sda se search second seconds secret secrets section security
see seen select selector send sent server servers service serviceaccount serviceaccounts services session set sets setup shared shell shim
short should show shut shutdown shutting sidecar sig sigkill sigterm signal since single size skip slave slice slow smb snapshot snapshots so
socket some source space spec speaker specified spread squashfs src ss ssd ssh stack stage staging stale standard start started starting
startup stat state stateful statefulset statefulsets static statistics stats status stderr stdin stdout step still stop stopped stopping
storage storageclass storageclasses store stream string structured stuck sub subject subpath subsys success succeeded such supervisor svc swap
sync syncloop sys sysctl sysfs syslog system systemd
t table tail taint taints target task tasks tcp tear teardown temp template term terminate terminated terminating termination test than that
the their them then there these they this thread threads tigera time timed timeout timer timestamp timezone tls tmp tmpfs to token tokens
toleration tolerations too tool top topology total touch trace track traefik transport trigger true try tty tunnel two type types
u udev udp uid umount unable unavailable unbound under unexpected uninterruptible unit units unix unknown unload unmount unmounted unnamed
unpublish unready unreachable unschedulable unstage unstructured until up update updated updates upper uptime url usage use used user users
using usr utc
v v1 v1alpha1 v1beta1 v1beta2 v2 valid validating validation value values var vault velero verb verbose version versions via view virtual
volume volumes vsphere
w wait waiting walk warn warning was watch watchdog weave web webhook webhooks weight well were what when where which while who why wide will with
without work worker workers workload would write written
x xfs xtables yaml year yes yet you your
z zero zombie zone zones
busybox alpine nginx redis postgres mysql rancher harvester debian ubuntu fedora talos bottlerocket flatcar centos rhel
amazonaws amazon compute ec2 googleapis microsoft windows akamai internal lan corp intranet localdomain org io example invalid
east west north south central eu us europe asia
monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october november december
mon tue wed thu fri sat sun jan feb mar apr jun jul aug sep oct nov dec
nobody daemon messagebus polkitd dbus chrony sshd rpcuser sos adm bin lp mail
`

// ownNames are names that programs which come with clusters have everywhere:
// they tell whose program it is, and what a verdict rests on.
const ownNames = `
aws-node azure-cns calico-apiserver calico-kube-controllers calico-node calico-typha cert-manager cilium-agent cilium-envoy
cilium-operator cloud-controller-manager cluster-autoscaler coredns coredns-autoscaler csi-attacher csi-cephfsplugin csi-nfs-controller
csi-nfs-node csi-node-driver csi-node-driver-registrar csi-provisioner csi-rbdplugin csi-resizer csi-snapshotter csi-liveness-probe
docker-registry ebs-csi-controller ebs-csi-node ebs-plugin efs-csi-controller efs-csi-node efs-plugin engine-image external-attacher
external-provisioner fluent-bit gke-metadata-server helm-controller ingress-nginx instance-manager istio-ca-root-cert istio-ingressgateway
istio-init istio-proxy istiod kindnet kindnet-cni konnectivity-agent kube-apiserver kube-controller-manager kube-dns kube-flannel
kube-flannel-ds kube-multus-ds kube-ovn-cni kube-proxy kube-root-ca.crt kube-router kube-scheduler kube-state-metrics kube-vip
kubernetes-dashboard liveness-probe linkerd-proxy local-path-provisioner longhorn-csi-plugin longhorn-driver-deployer longhorn-manager
metallb-speaker metrics-server multus-daemon nfs-client-provisioner nfs-server-provisioner nginx-ingress-controller node-driver-registrar
node-exporter node-local-dns node-problem-detector nvidia-device-plugin openshift-service-ca.crt ovnkube-node pdcsi-node portworx
prometheus-node-exporter rook-ceph-operator secrets-store-csi-driver snapshot-controller speaker system-node-critical
system-cluster-critical tigera-operator vault-agent vault-agent-init vault-agent-injector vsphere-csi-controller vsphere-csi-node
vsphere-syncer weave-net control-plane cluster-info extension-apiserver-authentication
`

// ownNamespaces are those that come with clusters; "-*" ends a beginning.
const ownNamespaces = `
default kube-* openshift openshift-* cattle-* fleet-* calico-system calico-apiserver tigera-operator istio-system istio-operator
cilium-* longhorn-system rook-ceph cert-manager ingress-nginx metallb-system flux-system argocd gatekeeper-system kyverno velero
local-path-storage gke-* gmp-* amazon-* aws-* azure-* linkerd linkerd-* knative-* tekton-* olm operators harvester-system portworx
openebs csi-* vault consul monitoring logging
`

// ownDomains end names that say which software speaks, not whose it is.
const ownDomains = `
k8s.io kubernetes.io x-k8s.io golang.org google.golang.org docker.io docker.com containerd.io cri-o.io github.com githubusercontent.com ghcr.io
gcr.io pkg.dev quay.io mcr.microsoft.com projectcalico.org tigera.io cilium.io istio.io linkerd.io openshift.io redhat.com
redhat.io rancher.io cattle.io k3s.io rke2.io longhorn.io harvesterhci.io hashicorp.com elastic.co grafana.com grafana.net prometheus.io
coreos.com cert-manager.io jetstack.io helm.sh fluxcd.io argoproj.io knative.dev tekton.dev openebs.io ceph.rook.io rook.io ceph.com
ceph.io netapp.io portworx.com nginx.org nginx.com envoyproxy.io opencontainers.org cncf.io systemd.io freedesktop.org kernel.org
debian.org ubuntu.com canonical.com fedoraproject.org centos.org alpinelinux.org amazon.com azure.com windows.com microsoft.com google.com
googleapis.com cloud.google.com volcano.sh kubeflow.org kubevirt.io crossplane.io kyverno.io external-secrets.io external-dns.io
strimzi.io zalan.do cnpg.io percona.com mongodb.com elastic.com dapr.io keda.sh velero.io min.io metallb.io metallb.universe.tf
traefik.io traefik.containo.us gke.io eks.amazonaws.com ebs.csi.aws.com efs.csi.aws.com karpenter.sh weave.works openkruise.io nvidia.com intel.com amd.com
operatorframework.io operators.coreos.com monitoring.coreos.com snapshot.storage.k8s.io cluster.local k8s.gcr.io docker.elastic.co
`

type ownSets struct {
	words, names, namespaces map[string]bool
	domains                  []string
}

var own = sync.OnceValue(func() ownSets {
	set := func(text string) map[string]bool {
		out := map[string]bool{}
		for _, w := range strings.Fields(text) {
			out[w] = true
		}
		return out
	}
	return ownSets{set(ownWords), set(ownNames), set(ownNamespaces), strings.Fields(ownDomains)}
})

// isOwnNamespace says whether a namespace came with the cluster.
func isOwnNamespace(name string) bool {
	if own().namespaces[name] {
		return true
	}
	for i := range name {
		if name[i] == '-' && own().namespaces[name[:i]+"-*"] {
			return true
		}
	}
	return false
}

// isOwnDomain says whether a name lies in a domain of known software.
func isOwnDomain(name string) bool {
	for _, d := range own().domains {
		if strings.HasSuffix(name, d) && (len(name) == len(d) || name[len(name)-len(d)-1] == '.') {
			return true
		}
	}
	return false
}
