#!/bin/sh
# What podautopsy wants of the API server. Run it anywhere with kubectl or oc:
#
#     podautopsy collect cluster | sh -s -- -o shop-incident
#
# -o DIRECTORY  to write to (podautopsy-cluster-TIME), and DIRECTORY.tar.gz
# -s SINCE      how far back logs go: 24h, 90m (24h)
# KUBECTL       the command with its options: KUBECTL='kubectl --context prod'
#
# It changes nothing: every request is a get or logs. It asks for no Secrets and
# no ConfigMaps; pods are taken as they are, with what their manifests hold.
# commands.tsv tells what was run, when, and with which status.
set -u

directory='' since=24h
while getopts o:s: option; do
  case $option in
  o) directory=$OPTARG ;;
  s) since=$OPTARG ;;
  *) exit 2 ;;
  esac
done

. "${0%/*}/run.sh"

PATH=$PATH:/usr/local/bin:/var/lib/rancher/rke2/bin
if [ -z "${KUBECTL:-}" ]; then
  KUBECTL=kubectl
  if ! command -v kubectl >/dev/null 2>&1; then
    if command -v oc >/dev/null 2>&1; then
      KUBECTL=oc
    elif command -v k3s >/dev/null 2>&1; then
      KUBECTL='k3s kubectl'
    fi
  fi
fi
if [ -z "${KUBECONFIG:-}" ] && [ ! -e "${HOME:-/root}/.kube/config" ] && [ -r /etc/rancher/rke2/rke2.yaml ]; then
  KUBECONFIG=/etc/rancher/rke2/rke2.yaml
  export KUBECONFIG
fi

begin "${directory:-podautopsy-cluster-$(date -u +%Y%m%dT%H%M%SZ)}"

# get RESOURCE [OPTION...]: all of a kind, in every namespace.
get() {
  resource=$1
  shift
  # shellcheck disable=SC2086 # several words
  run "cluster/${resource%%.*}.json" 120 $KUBECTL --request-timeout=110s get "$resource" --all-namespaces -o json "$@"
}

run cluster/date.txt 10 date -u +"%Y-%m-%dT%H:%M:%S${fraction}Z"
# shellcheck disable=SC2086 # several words
run cluster/version.json 30 $KUBECTL --request-timeout=20s version -o json

#: pod objects + object + identity + endpoints
get pods --show-managed-fields
get endpointslices.discovery.k8s.io
get endpoints

#: pod objects + jobs + replicas
get statefulsets.apps
get daemonsets.apps
get deployments.apps
get replicasets.apps
get jobs.batch
get cronjobs.batch
get poddisruptionbudgets.policy

#: node objects
get nodes

#: namespace objects
get namespaces

#: API events
get events

#: storage objects + persistent-volume + local-volume + volume-attachment
get persistentvolumeclaims
get persistentvolumes
get volumeattachments.storage.k8s.io
get csinodes.storage.k8s.io
get csidrivers.storage.k8s.io
get storageclasses.storage.k8s.io

#: leases + identity
get leases.coordination.k8s.io --show-managed-fields

#: webhooks, API services, custom resource definitions
get validatingwebhookconfigurations.admissionregistration.k8s.io
get mutatingwebhookconfigurations.admissionregistration.k8s.io
get apiservices.apiregistration.k8s.io
get customresourcedefinitions.apiextensions.k8s.io

#: ip
# What Calico and Cilium keep of addresses, where they are used.
for resource in ipamblocks.crd.projectcalico.org ciliumendpoints.cilium.io cninodes.vpcresources.k8s.aws; do
  # shellcheck disable=SC2086 # several words
  if $KUBECTL --request-timeout=20s get crd "$resource" -o name >/dev/null 2>&1 </dev/null; then get "$resource"; fi
done

#: controller logs
# shellcheck disable=SC2086 # several words
$KUBECTL --request-timeout=50s get pods --all-namespaces --no-headers -o custom-columns=NAMESPACE:.metadata.namespace,NAME:.metadata.name </dev/null |
  grep -E ' [^ ]*(controller-manager|csi|calico|cilium|flannel|aws-node|kube-proxy)[^ ]*$' >"$out/.run/controllers"
while read -r namespace pod; do
  # shellcheck disable=SC2086 # several words
  run "cluster/logs/$namespace/$pod.log" 60 $KUBECTL --request-timeout=50s logs --namespace "$namespace" "$pod" --all-containers --timestamps "--since=$since" --limit-bytes=50000000
done <"$out/.run/controllers"
#: end
finish
