package parsers

import (
	"path"
	"strings"
)

// unusedKind says what a file is that no parser reads, where that is known:
// what collectors take along and what tells nothing of a deletion. "" is for
// what is not known; a reader was always asked first.
func unusedKind(f *File, data []byte) string {
	for _, magic := range unusedMagics {
		if strings.HasPrefix(string(data[:min(len(data), len(magic.prefix))]), magic.prefix) {
			return magic.kind
		}
	}
	if len(data) > 0 && isHollow(data) {
		return "zeros, as an archive without files"
	}
	if kind := unusedText(f); kind != "" {
		return kind
	}
	if kind := unusedOutput(f.Command); kind != "" {
		return kind
	}
	name := "/" + strings.ReplaceAll(f.Path, "!", "/")
	if strings.Contains(name, "/pods/") && strings.Contains(name, "/logs/") || strings.HasSuffix(name, "/logs.txt") {
		return "a container's output without times"
	}
	for _, place := range unusedPlaces {
		if strings.Contains(name, place.under) {
			return place.kind
		}
	}
	return unusedName(path.Base(name))
}

var unusedMagics = []struct{ prefix, kind string }{
	{"\x7fELF", "program"},
	{"\x89PNG\r\n", "picture"},
	{"\xff\xd8\xff", "picture"},
	{"GIF8", "picture"},
	{"%PDF-", "document"},
	{"SQLite format 3\x00", "database"},
	{"\xd4\xc3\xb2\xa1", "packet capture"},
	{"\x0a\x0d\x0d\x0a", "packet capture"},
	{"-----BEGIN ", "certificate or key"},
	{"#!", "script"},
}

// unusedPlaces are where the files of a machine, and those of collectors, tell
// by their place alone what they are.
var unusedPlaces = []struct{ under, kind string }{
	{"/sys/fs/cgroup/", "setting or figure of a control group"},
	{"/cgroupv1/", "setting or figure of a control group"},
	{"/cgroupv2/", "setting or figure of a control group"},
	{"/proc/sys/", "kernel setting"},
	{"/proc/", "figures of the kernel"},
	{"/sys/", "kernel or device setting"},
	{"/etc/", "configuration"},
	{"/usr/lib/", "configuration"},
	{"/lib/systemd/", "configuration"},
	{"/run/systemd/", "configuration"},
	{"/systemd-network/", "configuration"},
	{"/var/lib/dpkg/", "list of packages"},
	{"/var/cache/debconf/", "list of packages"},
	{"/var/lib/kubelet/", "the kubelet's record of CPUs, memory or devices"},
	{"/sysstat-data/", "statistics"},
	{"/var/log/sa/", "statistics"},
	{"/usr/share/", "configuration"},
	{"/alternatives.log", "list of packages"},
	{"/serial.log", "console of the boot"}, // kind
	{"/serial-1.log", "console of the boot"},
	{"/environment_varnames", "configuration"},
	{"/pids_to_packages.json", "list of packages"},
	{"/resources.json", "list of the API's resources"},
	{"/groups.json", "list of the API's resources"},
	{"/analysis.json", "the collector's own conclusions"},
	{"/networking/ss", "what ss prints"},
	{"/host-collectors/", "figures of a machine"},
	{"/var/log/sysstat/", "statistics"},
	{"/sysctl/", "kernel setting"},
	{"/sysctls/", "kernel setting"},
	{"/auth-cani-list/", "list of what the collector may do"},
	{"/api_priority_and_fairness/", "figures of the API server"},
	{"/etcd_info/", "state of etcd"},
	{"/ingress_controllers/", "configuration"},
	{"/monitoring/", "alerts and metrics"},
	{"/node-metrics/", "alerts and metrics"},
	{"/sos_reports/", "the collector's own report"},
	{"/static-data.txt/", "what the collector was told to write"},
	{"/secrets/", "what the collector tells of secrets"},
	{"/configmaps/", "what the collector tells of config maps"},
	{"/goldpinger/", "answers of a network test"},
	{"/dns/debug.", "answers of a network test"},
	{"/sos_commands/cron/", "configuration"},
	{"/pki/", "certificate or key"},
	{"/certificates/", "certificate or key"},
	{"/pods/logs/", "a container's output without times"},
}

// unusedText knows text by its beginning.
func unusedText(f *File) string {
	lines := f.firstLines(12)
	if len(lines) == 0 {
		return "blank"
	}
	first := strings.TrimSpace(lines[0])
	lower := strings.ToLower(first)
	switch {
	case strings.HasPrefix(lower, "<!doctype html"), strings.HasPrefix(lower, "<html"):
		return "web page"
	case strings.HasPrefix(lower, "<?xml"), strings.HasPrefix(lower, "<svg"):
		return "picture or XML"
	case kubectlChatter(first) && len(lines) == 1:
		return "kubectl's warning"
	case strings.HasPrefix(first, "clientVersion:"), strings.HasPrefix(first, "{") && strings.Contains(f.head(), `"gitVersion"`):
		return "what kubectl version prints"
	case strings.HasPrefix(first, "Archived and active journals take up "):
		return "what journalctl --disk-usage prints"
	case strings.HasPrefix(first, "UNIT FILE "), strings.HasPrefix(first, "LISTEN "), strings.HasPrefix(first, "JOB UNIT "), strings.HasPrefix(first, "NEXT "):
		return "what systemctl prints of unit files, sockets, timers or jobs"
	case strings.HasPrefix(first, "File: "), strings.HasPrefix(first, "File: `"):
		return "what stat prints"
	case strings.HasPrefix(first, "# HELP "), strings.HasPrefix(first, "# TYPE "):
		return "alerts and metrics"
	case strings.HasPrefix(first, "sos report: "), strings.HasPrefix(first, "sosreport: "):
		return "the collector's version"
	case strings.HasPrefix(first, "goroutine "), strings.HasPrefix(first, "SIGQUIT: "):
		return "stacks of a Go program"
	case strings.HasPrefix(first, "{") && strings.Contains(f.head(), `"isConnected":`):
		return "answer of a database"
	case strings.HasPrefix(first, "{") && strings.Contains(f.head(), `"exists":`) && strings.Contains(f.head(), `"images":`):
		return "answer of a registry"
	case strings.Contains(f.head(), `"repoTags"`):
		return "list of images"
	case isKeptLink(f.Text):
		return "link, kept as text"
	}
	for i, s := range lines {
		if isLicence(s) && !strings.HasPrefix(s, "#") && !strings.HasPrefix(s, "//") {
			return "licence"
		}
		if i == 0 || strings.TrimSpace(lines[i-1])[0] == '#' {
			if isSection(strings.TrimSpace(s)) && i+1 < len(lines) {
				return "configuration"
			}
		}
	}
	return ""
}

// isLicence knows the headings of the licences in use.
func isLicence(s string) bool {
	for _, words := range [...]string{
		"Apache License", "MIT License", "The MIT License", "GNU GENERAL PUBLIC LICENSE", "GNU LESSER GENERAL PUBLIC LICENSE",
		"Redistribution and use in source", "Permission is hereby granted, free of charge", "Creative Commons", "SPDX-License-Identifier:",
		"Mozilla Public License", "Licensed under the Apache License",
	} {
		if strings.Contains(s, words) {
			return true
		}
	}
	return false
}

// isSection knows the heading of a section in an .ini or .toml file.
func isSection(s string) bool {
	name, ok := strings.CutPrefix(s, "[")
	name, closed := strings.CutSuffix(name, "]")
	return ok && closed && name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_. \"") == ""
}

// isKeptLink knows what git and zip leave of a symbolic link where a system
// has none: a file with the target and no line's end.
func isKeptLink(text string) bool {
	return len(text) < 1024 && strings.Contains(text, "/") && !strings.HasPrefix(text, "/") &&
		!strings.ContainsAny(text, " \t\r\n:,;\"'{}()<>|=") && !strings.Contains(text, "//")
}

// unusedTools print what tells nothing of a deletion, whatever their arguments.
var unusedTools = words(`
	arp auditctl bridge chronyc conntrack cpupower crontab devlink dmidecode dnf dpkg dpkg-query dumpe2fs env ethtool
	free fstrim getconf getenforce helm hostid hwclock ifconfig iostat ip6tables ip6tables-save ipset iptables
	iptables-save ipvsadm last lastlog ld.so localectl locale lscpu lsblk blkid lshw lslocks lsmem lsmod lspci lsusb
	mdadm modinfo mpstat netstat networkctl nft nmcli nstat ntpq ntpstat numactl openssl pidstat pip printenv pstree
	resolvectl resolvconf route rpm rsyslogd runlevel sar selinux semanage sestatus showmount slabtop snap
	ss sysctl systemd-analyze systemd-delta systemd-detect-virt systemd-inhibit systemd-resolve tc tuned-adm
	ulimit uptime vmstat w who xfs_info yum apt apt-cache lvs pvs vgs lastreboot pkglist procstat osrelease cpuinfo
	meminfo filenr filemax etchosts getent sgdisk fdisk parted tune2fs udevadm turbostat vgdisplay
	pvdisplay lvdisplay netstatistics servicestatusall largeenvironments procnetxfrmstat
	cputhrottling iothrottling scriptparams systemddetectvirt systemdunitfiles etcresolvconf podlocalstorage
	nftruleset`)

// unusedActions do, of tools that have others.
var unusedActions = map[string]map[string]bool{
	"ip":         words("vroute vrule route rule neigh neighbor neighbour n r ru maddr maddress mroute ntable tunnel xfrm tcp_metrics macsec mptcp vrf l2tp fou rule"),
	"systemctl":  words("list-unit-files list-jobs list-sockets list-timers list-dependencies list-machines show-environment cat is-system-running get-default --version show"),
	"journalctl": words("--disk-usage --list-boots --verify --header --version --fields"),
	"crictl":     words("images image img stats statsp info version imagefsinfo"),
	"ctr":        words("images image i plugins namespaces ns content leases version snapshots deprecations"),
	"docker":     words("images info version network volume system stats"),
	"containerd": words("config --version plugins namespaces images"),
	"crio":       words("config version"),
	"kubeadm":    words("config token certs version"),
	"kubelet":    words("--version"),
	"kubectl":    words("version api-resources api-versions config cluster-info top auth /metrics"),
	"oc":         words("version api-resources api-versions config cluster-info adm"),
	"calicoctl":  words("version node ipam"),
}

func words(list string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}

// unusedOutput knows what a command printed by the command.
func unusedOutput(command string) string {
	calls := invocations(command)
	if len(calls) == 0 {
		return ""
	}
	call := calls[0]
	if len(call) > 4 && call[0] == "ip" && call[1] == "netns" && call[2] == "exec" {
		call = call[4:]
	}
	tool := call[0]
	if unusedTools[tool] {
		return "what " + tool + " prints"
	}
	for _, w := range call[1:] {
		if unusedActions[tool][w] {
			return "what " + tool + " " + w + " prints"
		}
	}
	return ""
}

// unusedName knows a file by its name: "iptables-nat.txt", "ca.crt", "LICENSE".
func unusedName(name string) string {
	lower := strings.ToLower(name)
	ext := path.Ext(lower)
	for _, prefix := range [...]string{"license", "licence", "copying", "notice", "readme", "changelog"} {
		if strings.HasPrefix(lower, prefix) {
			return "licence or note"
		}
	}
	if strings.HasSuffix(lower, "sums") && (strings.HasPrefix(lower, "sha") || strings.HasPrefix(lower, "md5")) { // SHA256SUMS
		return "checksum or signature"
	}
	if strings.HasPrefix(lower, "machine-id") {
		return "id of the machine"
	}
	switch ext {
	case ".md5", ".sha1", ".sha256", ".sha512", ".sig", ".asc":
		return "checksum or signature"
	case ".crt", ".pem", ".csr", ".cer", ".key", ".pub":
		return "certificate or key"
	case ".conf", ".cfg", ".config", ".ini", ".toml", ".service", ".socket", ".timer", ".network", ".netdev", ".link", ".rules", ".repo", ".example", ".gitignore", ".map":
		return "configuration"
	case ".html", ".htm", ".css", ".js", ".svg":
		return "web page"
	case ".sh", ".py", ".pl", ".rb":
		return "script"
	case ".rrd":
		return "statistics"
	case ".dd", ".img", ".iso", ".qcow2":
		return "image of a disk"
	case ".license", ".md", ".rst":
		return "licence or note"
	case ".log":
		return ""
	}
	stem := onlyLetters(strings.TrimSuffix(lower, ext))
	if unusedTools[stem] {
		return "what " + stem + " prints"
	}
	for tool, actions := range unusedActions {
		if rest, ok := strings.CutPrefix(stem, tool); ok && actions[rest] {
			return "what " + tool + " " + rest + " prints"
		}
	}
	const telling = 4 // letters of a tool's name; fewer begin many a word
	for end := len(stem) - 1; end >= telling; end-- {
		if unusedTools[stem[:end]] {
			return "what " + stem[:end] + " prints"
		}
	}
	return ""
}

// onlyLetters drops what collectors put between a tool and its options.
func onlyLetters(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 'a' || r > 'z' {
			return -1
		}
		return r
	}, s)
}
