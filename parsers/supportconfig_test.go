package parsers

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"podautopsy/timeline"
)

const supportconfigText = `=============================================================================
                     Support Utilities - Supportconfig
=============================================================================

#==[ Command ]======================================#
# /bin/date
Mon Nov 30 09:57:32 UTC 2026

#==[ Command ]======================================#
# /bin/uname -a
Linux worker-1 6.4.0-150600.23-default #1 SMP PREEMPT_DYNAMIC Mon Oct 5 12:00:00 UTC 2026 x86_64 GNU/Linux

#==[ Configuration File ]===========================#
# /etc/fstab
/dev/vda1 / ext4 defaults 0 1

#==[ Command ]======================================#
# /bin/mount
/dev/vda1 on / type ext4 (rw,relatime)
10.0.0.9:/export on /var/lib/kubelet/pods/8a1b2c3d-0000-4000-8000-1234567890ab/volumes/kubernetes.io~nfs/data type nfs4 (rw,relatime,hard)

#==[ Log File ]=====================================#
# /var/log/messages - Last 2 Lines
2026-11-30T09:57:30.000001+00:00 worker-1 kernel: nfs: server 10.0.0.9 not responding, still trying
2026-11-30T09:57:31.000001+00:00 worker-1 systemd[1]: Stopping kubelet.service

#==[ Log File ]=====================================#
# /var/log/warn - File not found

`

func TestSupportconfig(t *testing.T) {
	b := readCollected(t, supportconfigParser, &File{Path: "scc_w1.txz!scc_w1/messages.txt", Text: supportconfigText, FirstLine: 1})
	var events []string
	for _, e := range b.Events {
		events = append(events, e.Component+" "+e.Node)
	}
	if d := cmp.Diff([]string{timeline.Kernel + " worker-1", timeline.Systemd + " worker-1"}, events); d != "" {
		t.Errorf("events (-want +got):\n%s", d)
	}
	if len(b.Mounts) != 2 || b.Mounts[1].FSType != "nfs4" || b.Mounts[1].Source.Line != 20 {
		t.Errorf("mounts %+v", b.Mounts)
	}
	if len(b.Input.Hosts) == 0 || b.Input.Hosts[0] != "worker-1" || b.Input.CapturedAt.IsZero() {
		t.Errorf("hosts %v, taken at %v", b.Input.Hosts, b.Input.CapturedAt)
	}
	if len(b.Input.Gaps) != 1 || b.Input.Gaps[0].Kind != timeline.GapTruncated || !strings.Contains(b.Input.Gaps[0].Detail, "/var/log/messages only the last 2 Lines") {
		t.Errorf("gaps %+v", b.Input.Gaps)
	}
}

func FuzzSupportconfig(f *testing.F) {
	fuzzNodeTool(f, supportconfigParser, "", supportconfigText)
}
