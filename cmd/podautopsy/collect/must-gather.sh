#!/bin/sh
# What podautopsy wants of an OpenShift cluster, by oc alone:
#
#     podautopsy collect must-gather | sh -s -- -n shop -N worker-1
#
# -n NAMESPACE  to inspect, may be repeated (those with pods in deletion)
# -N NODE       whose journals to take, may be repeated (those of such pods)
# -o DIRECTORY  to write to (podautopsy-must-gather-TIME), and DIRECTORY.tar.gz
# -s SINCE      how far back logs go: 24h, 90m (24h)
#
# It changes nothing but for the pod that oc adm must-gather starts and removes.
# oc adm inspect leaves out what Secrets hold. A node that is not ready answers
# no node-logs: podautopsy collect node is for that.
set -u

directory='' since=24h namespaces='' nodes=''
while getopts n:N:o:s: option; do
  case $option in
  n) namespaces="$namespaces $OPTARG" ;;
  N) nodes="$nodes $OPTARG" ;;
  o) directory=$OPTARG ;;
  s) since=$OPTARG ;;
  *) exit 2 ;;
  esac
done

. "${0%/*}/run.sh"

begin "${directory:-podautopsy-must-gather-$(date -u +%Y%m%dT%H%M%SZ)}"

oc --request-timeout=60s get pods --all-namespaces --no-headers -o wide </dev/null |
  awk '$4 == "Terminating"' >"$out/.run/terminating"
if [ -z "$namespaces" ]; then namespaces=$(awk '{ print $1 }' "$out/.run/terminating" | sort -u); fi
if [ -z "$nodes" ]; then nodes=$(awk '{ print $8 }' "$out/.run/terminating" | sort -u); fi

#: pod objects + API events + object + endpoints + identity + jobs + replicas
for namespace in $namespaces; do
  run "inspect-$namespace.log" 600 oc adm inspect --dest-dir "$out" "ns/$namespace"
done

#: node objects + namespace objects + storage objects + persistent-volume + volume-attachment + local-volume
run inspect-cluster.log 600 oc adm inspect --dest-dir "$out" nodes,namespaces,persistentvolumes,volumeattachments.storage.k8s.io,csinodes.storage.k8s.io,csidrivers.storage.k8s.io

#: webhooks, API services, custom resource definitions
run inspect-api.log 600 oc adm inspect --dest-dir "$out" validatingwebhookconfigurations,mutatingwebhookconfigurations,apiservices

#: leases
run inspect-leases.log 300 oc adm inspect --dest-dir "$out" --namespace kube-node-lease leases.coordination.k8s.io

#: controller logs
run inspect-controllers.log 600 oc adm inspect --dest-dir "$out" ns/openshift-kube-controller-manager

#: kubelet log
for node in $nodes; do
  run "host_service_logs/$node/kubelet_service.log" 180 oc adm node-logs "$node" --unit kubelet "--since=-$since"
done

#: runtime log
for node in $nodes; do
  run "host_service_logs/$node/crio_service.log" 180 oc adm node-logs "$node" --unit crio "--since=-$since"
done

#: audit log
run must-gather-audit.log 900 oc adm must-gather --dest-dir "$out/audit" -- /usr/bin/gather_audit_logs
#: end
finish
