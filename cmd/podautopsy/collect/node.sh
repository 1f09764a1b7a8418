#!/bin/sh
# What podautopsy wants of one node. Run it as root on the node:
#
#     podautopsy collect node | ssh NODE sudo sh -s -- -s 24h
#     podautopsy collect node | kubectl debug node/NODE -i --profile=sysadmin --image=IMAGE -- chroot /host sh -s
#
# -o DIRECTORY  to write to (podautopsy-node-NAME-TIME), and DIRECTORY.tar.gz
# -s SINCE      how far back logs go: 24h, 90min, 2d (24h)
# -n NAME       of the node, where Kubernetes calls it otherwise than uname -n
#
# It changes nothing. It never looks below the mount of a volume: of a server
# that is dead, even ls would hang for ever. It takes no Secrets, no environment
# of containers and no credentials; logs and command lines are taken as they are.
# commands.tsv tells what was run, when, and with which status.
set -u

directory='' since=24h node=$(uname -n)
while getopts o:s:n: option; do
  case $option in
  o) directory=$OPTARG ;;
  s) since=$OPTARG ;;
  n) node=$OPTARG ;;
  *) exit 2 ;;
  esac
done
if [ "$(id -u)" != 0 ]; then echo "not run as root: much will be missing" >&2; fi

. "${0%/*}/run.sh"

PATH=$PATH:/usr/local/bin:/usr/sbin:/sbin:/opt/bin:/snap/bin:/var/lib/rancher/rke2/bin
if [ ! -e /etc/crictl.yaml ] && [ -e /var/lib/rancher/rke2/agent/etc/crictl.yaml ]; then
  CRI_CONFIG_FILE=/var/lib/rancher/rke2/agent/etc/crictl.yaml
  export CRI_CONFIG_FILE
fi
crictl=crictl ctr=ctr
if ! command -v crictl >/dev/null 2>&1 && command -v k3s >/dev/null 2>&1; then crictl='k3s crictl'; fi
if [ -S /run/k3s/containerd/containerd.sock ]; then
  if command -v ctr >/dev/null 2>&1; then
    ctr='ctr --address /run/k3s/containerd/containerd.sock'
  else
    ctr='k3s ctr'
  fi
fi

begin "${directory:-podautopsy-node-$node-$(date -u +%Y%m%dT%H%M%SZ)}"
at=nodes/$node

# has_unit UNIT: says whether systemd has it, by its list and by the files.
has_unit() {
  if grep -qs "^[^a-z]*$1\.service " "$out/$at/systemd/units.txt"; then return 0; fi
  for folder in /etc/systemd/system /run/systemd/system /usr/local/lib/systemd/system /usr/lib/systemd/system /lib/systemd/system; do
    if [ -e "$folder/$1.service" ]; then return 0; fi
  done
  return 1
}

# journal UNIT...: the journals of those that there are.
journal() {
  for unit in "$@"; do
    if has_unit "$unit"; then
      run "$at/journal/$unit.export" 180 journalctl -u "$unit" -o export --no-pager "--since=-$since"
      run "$at/systemd/$unit.txt" 20 systemctl show --no-pager "$unit.service"
    fi
  done
}

# ends FILE...: the ends of log files that there are.
ends() {
  for log in "$@"; do
    if [ -f "$log" ]; then
      run "$at/logs$log" 60 tail -c 100000000 "$log"
    fi
  done
}

kubelet_units='kubelet k3s k3s-agent rke2-server rke2-agent k0scontroller k0sworker snap.microk8s.daemon-kubelite snap.kubelet.daemon'
runtime_units='containerd crio docker cri-docker snap.microk8s.daemon-containerd'

run "$at/date.txt" 10 date -u +"%Y-%m-%dT%H:%M:%S${fraction}Z"
run "$at/hostname.txt" 10 uname -n
run "$at/uname.txt" 10 uname -a
run "$at/machine-id.txt" 10 cat /etc/machine-id
keep timedatectl "$at/timedatectl.txt" 10 env -u TZ timedatectl

#: kubelet log + runtime log
run "$at/systemd/units.txt" 30 systemctl list-units --all --no-pager --plain

#: processes + audit log + cgroup + mounts + pod-directory + local-volume
# Without arguments first: reading those can hang, too.
run "$at/ps-short.txt" 30 ps -eo pid,ppid,stat,wchan:32,comm
run "$at/ps.txt" 60 ps -eo pid,ppid,stat,wchan:32,lstart,cgroup:256,args -ww
if [ ! -s "$out/$at/ps-short.txt" ]; then run "$at/ps-busybox.txt" 30 ps -o pid,ppid,stat,args; fi

# blocked: where in the kernel those hang that no signal reaches.
blocked() {
  for process in /proc/[0-9]*; do
    if grep -qs '^State:[[:space:]]*D' "$process/status"; then
      for table in status wchan stack; do
        printf '==> %s/%s <==\n' "$process" "$table"
        cat "$process/$table" 2>/dev/null
        printf '\n'
      done
    fi
  done
}
keep 'head -c 4096 /proc/[0-9]*/status /proc/[0-9]*/wchan /proc/[0-9]*/stack' "$at/blocked.txt" 30 blocked

#: kubelet log
# shellcheck disable=SC2086 # a list of words
journal $kubelet_units
ends /var/lib/rancher/*/agent/logs/kubelet.log /var/log/k3s.log /var/log/k3s-agent.log /var/log/kubelet.log /var/log/kubernetes/kubelet.log

#: runtime log
# shellcheck disable=SC2086 # a list of words
journal $runtime_units
ends /var/lib/rancher/*/agent/containerd/containerd.log /var/log/containerd.log /var/log/crio.log

#: kernel log
if command -v journalctl >/dev/null 2>&1; then
  run "$at/journal/kernel.export" 120 journalctl -k -o export --no-pager "--since=-$since"
  run "$at/journal/systemd-journald.export" 60 journalctl _SYSTEMD_UNIT=systemd-journald.service -o export --no-pager "--since=-$since"
else
  run "$at/dmesg.txt" 30 dmesg
fi

#: audit log
# deletions FILE: those alone, and none of a Secret.
deletions() { grep '"verb":"delete' "$1" | grep -v '"resource":"secrets"' | tail -c 100000000; }
# The API server's own command line says where the log is.
log=$(sed -n 's/.*kube-apiserver .*--audit-log-path[= ]\([^ ]*\).*/\1/p' "$out/$at/ps.txt" 2>/dev/null | head -n 1)
if [ -n "$log" ] && [ -f "$log" ]; then
  keep "grep '\"verb\":\"delete' $log" "$at/logs/audit-deletions.log" 120 deletions "$log"
fi

#: runtime state + containers + sandbox
# outline ID...: the state of each, and its process. The rest of what inspect
# prints holds the environment of containers, and with it secrets.
outline() {
  what=$1
  shift
  failed=0
  for id in "$@"; do
    # shellcheck disable=SC2086 # two words on k3s
    whole=$($crictl --timeout 10s "$what" -o json "$id") || failed=1
    printf '%s\n' "$whole" | awk '
      /^  "status": \{/ { inside = 1 }
      inside { status = status $0 "\n" }
      inside && /^  \}/ { inside = 0 }
      /^    "pid": [0-9]+/ { pid = $2 + 0 }
      END {
        sub(/,?\n$/, "", status)
        if (status != "") printf "{\n  \"info\": {\n    \"pid\": %d\n  },\n%s\n}\n", pid, status
      }'
  done
  return $failed
}
# ids FILE: the ids of what a list of crictl names.
ids() { sed -n 's/^ *"id": "\([0-9a-f]\{64\}\)",*$/\1/p' "$out/$1" 2>/dev/null; }

# shellcheck disable=SC2086 # two words on k3s
{
  run "$at/crictl/version.txt" 30 $crictl --timeout 10s version
  run "$at/crictl/pods.json" 30 $crictl --timeout 20s pods -o json
  run "$at/crictl/ps.json" 30 $crictl --timeout 20s ps -a -o json
  sandboxes=$(ids "$at/crictl/pods.json") containers=$(ids "$at/crictl/ps.json")
  if [ -n "$sandboxes" ]; then keep "$crictl inspectp -o json ID" "$at/crictl/inspectp.json" 300 outline inspectp $sandboxes; fi
  if [ -n "$containers" ]; then keep "$crictl inspect -o json ID" "$at/crictl/inspect.json" 300 outline inspect $containers; fi
  run "$at/ctr/tasks.txt" 30 $ctr --namespace k8s.io tasks ls
  run "$at/ctr/containers.txt" 30 $ctr --namespace k8s.io containers ls
}
if command -v docker >/dev/null 2>&1 && [ -S /var/run/docker.sock ]; then
  run "$at/docker/ps.txt" 30 docker ps -a --no-trunc
fi

#: mounts + persistent-volume
run "$at/proc/1/mountinfo" 20 cat /proc/1/mountinfo
# elsewhere: what other mount namespaces keep of the kubelet's mounts; one
# process speaks for all that share one.
elsewhere() {
  seen=" $(readlink /proc/1/ns/mnt) "
  for process in /proc/[0-9]*; do
    space=$(readlink "$process/ns/mnt" 2>/dev/null) || continue
    case $seen in *" $space "*) continue ;; esac
    seen="$seen$space "
    grep -H kubelet "$process/mountinfo" 2>/dev/null
  done
  return 0
}
keep "grep -H kubelet '/proc/[0-9]*/mountinfo'" "$at/mountinfo-elsewhere.txt" 60 elsewhere

#: mounts + pod-directory + local-volume
kubelet=/var/lib/kubelet
for folder in /var/snap/microk8s/common/var/lib/kubelet /var/lib/k0s/kubelet; do
  if [ -d "$folder/pods" ] && [ ! -d "$kubelet/pods" ]; then kubelet=$folder; fi
done
other=$(sed -n 's/.*--root-dir[= ]\([^ ]*\).*/\1/p' "$out/$at/ps.txt" 2>/dev/null | head -n 1)
if [ -n "$other" ]; then kubelet=$other; fi
# volumes FOLDER: names only, as the shell finds them in the folders that hold
# them. It asks nothing of the volumes themselves.
volumes() {
  for found in "$1"/pods/* "$1"/pods/*/* "$1"/pods/*/volumes/*/* "$1"/pods/*/volumes/kubernetes.io~csi/*/* \
    "$1"/pods/*/volume-subpaths/*/*/* "$1"/pods/*/volumeDevices/*/*; do
    case $found in *'*'*) ;; *) printf '%s\n' "$found" ;; esac
  done
}
if [ -d "$kubelet/pods" ]; then
  run "$at/kubelet/pods.txt" 30 ls -l "$kubelet/pods"
  keep "printf '%s\\n' $kubelet/pods/*/volumes/*/*" "$at/kubelet/volumes.txt" 60 volumes "$kubelet"
fi
if [ -f "$kubelet/config.yaml" ]; then run "$at/kubelet/config.yaml" 10 cat "$kubelet/config.yaml"; fi
set --
# Each by its name: asked for all, df asks dead servers as well.
for folder in / /run /var /var/lib/kubelet /var/lib/containerd /var/lib/containers /var/lib/docker /var/lib/rancher /var/log; do
  if [ -d "$folder" ]; then set -- "$@" "$folder"; fi
done
run "$at/df.txt" 20 df -P "$@"
run "$at/df-inodes.txt" 20 df -P -i "$@"

#: logs
if [ -d /var/log/pods ]; then run "$at/log-pods.txt" 30 ls -l /var/log/pods; fi

#: cgroup
keep "find /sys/fs/cgroup -type d -path '*kubepods*'" "$at/cgroups.txt" 60 find /sys/fs/cgroup -type d -path '*kubepods*'

#: netns + ip + ports
if [ -d /run/netns ]; then run "$at/net/netns.txt" 20 ls -l /run/netns; fi
run "$at/net/ip-netns.txt" 20 ip netns list
run "$at/net/ip-addr.txt" 20 ip addr
if [ -d /var/lib/cni ]; then
  run "$at/net/cni.txt" 30 ls -lR /var/lib/cni
  if [ -d /var/lib/cni/networks ]; then run "$at/net/cni-networks.txt" 30 grep -rs . /var/lib/cni/networks; fi
fi
if [ -f /var/run/aws-node/ipam.json ]; then run "$at/net/aws-ipam.json" 10 cat /var/run/aws-node/ipam.json; fi
run "$at/net/ss.txt" 20 ss -tulnp
#: end
finish
