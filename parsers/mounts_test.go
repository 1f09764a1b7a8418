package parsers

import (
	"testing"

	"podautopsy/timeline"
)

func TestMounts(t *testing.T) {
	for _, c := range []struct {
		name, command, text string
		want                []timeline.Mount
	}{
		{"proc", "", `10.77.4.9:/srv /mnt/a\040b nfs4 rw,hard 0 0` + "\n", []timeline.Mount{{Device: "10.77.4.9:/srv", Target: "/mnt/a b", FSType: "nfs4", Options: "rw,hard"}}},
		{"of a process", "cat /proc/4211/mounts", "tmpfs /run tmpfs rw 0 0\n", []timeline.Mount{{Device: "tmpfs", Target: "/run", FSType: "tmpfs", Options: "rw", PID: 4211}}},
		{"of the first process", "cat /proc/1/mounts", "tmpfs /run tmpfs rw 0 0\n", []timeline.Mount{{Device: "tmpfs", Target: "/run", FSType: "tmpfs", Options: "rw"}}},
		{"grep in several", "grep -n run /proc/*/mounts", "/proc/77/mounts:12:tmpfs /run tmpfs rw 0 0\n", []timeline.Mount{{Device: "tmpfs", Target: "/run", FSType: "tmpfs", Options: "rw", PID: 77}}},
		{"mount", "", "/dev/sda1 on /media/Ubuntu 22.04 LTS type iso9660 (ro,nosuid) [label]\n", []timeline.Mount{{Device: "/dev/sda1", Target: "/media/Ubuntu 22.04 LTS", FSType: "iso9660", Options: "ro,nosuid"}}},
		{"findmnt", "", "TARGET          SOURCE          FSTYPE OPTIONS\n/               /dev/vda2[/root] ext4 rw,relatime\n├─/run          tmpfs           tmpfs  rw,nosuid\n", []timeline.Mount{
			{Device: "/dev/vda2", Target: "/", FSType: "ext4", Options: "rw,relatime", Root: "/root"}, {Device: "tmpfs", Target: "/run", FSType: "tmpfs", Options: "rw,nosuid"},
		}},
		{"device with blanks", "", "//10.1.1.2/Bilder und Videos on /mnt/media type cifs (rw,vers=2.1)\n", []timeline.Mount{{Device: "//10.1.1.2/Bilder und Videos", Target: "/mnt/media", FSType: "cifs", Options: "rw,vers=2.1"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			diffFacts(t, "mounts", readNode(t, mountsParser, c.command, c.text).Mounts, c.want)
		})
	}
	b := readNode(t, mountsParser, "", "/dev/vda2 on / type ext4 (rw)\n\nFilesystem      Size  Used Avail Use% Mounted on\n/dev/vda2       7.8G  913M  6.5G  13% /\n")
	if len(b.Mounts) != 1 || len(b.Filesystems) != 1 || len(b.Input.Gaps) != 0 {
		t.Errorf("mount and df in one file: %+v %+v %+v", b.Mounts, b.Filesystems, b.Input.Gaps)
	}
	b = readNode(t, mountsParser, "grep 2178c6a0 /proc/*/mounts", "/proc/188412/mounts:tmpfs /host/var/lib/kubelet/pods/2178c6a0/volumes/token tmpfs rw,relatime 0 0\n")
	diffFacts(t, "holders", b.Holders, []timeline.Holder{{Path: "/host/var/lib/kubelet/pods/2178c6a0/volumes/token", PID: 188412, Access: "mount", Tool: "mounts"}})
	b = readNode(t, mountsParser, "mount | grep 2178c6a0", "")
	checkMessages(t, b, "$ mount | grep 2178c6a0 (no output)")
}

func TestMountinfo(t *testing.T) {
	const row = `1903 1321 0:318 / /host/var/lib/kubelet/pods/2178c6a0/volumes/kubernetes.io~secret/token rw,relatime - tmpfs tmpfs rw,size=8k`
	want := timeline.Mount{Device: "tmpfs", Target: "/host/var/lib/kubelet/pods/2178c6a0/volumes/kubernetes.io~secret/token", FSType: "tmpfs", Options: "rw,relatime,rw,size=8k", Root: "/"}
	diffFacts(t, "mounts", readNode(t, mountinfoParser, "", row).Mounts, []timeline.Mount{want})
	want.PID = 188412
	b := readNode(t, mountinfoParser, "grep 2178c6a0 /proc/*/mountinfo", "/proc/188412/mountinfo:"+row+"\n")
	diffFacts(t, "mounts", b.Mounts, []timeline.Mount{want})
	diffFacts(t, "holders", b.Holders, []timeline.Holder{{Path: want.Target, PID: 188412, Access: "mount", Tool: "mountinfo"}})

	b = readNode(t, mountinfoParser, "", "24 30 0:22 /a\\040b /sys rw,nosuid master:1 shared:7 - sysfs sysfs rw\n")
	diffFacts(t, "mounts", b.Mounts, []timeline.Mount{{Device: "sysfs", Target: "/sys", FSType: "sysfs", Options: "rw,nosuid,rw", Propagation: "master:1 shared:7", Root: "/a b"}})

	f := &File{Path: "sos.tar.xz!sosreport-a/proc/31022/mountinfo", Text: row, FirstLine: 1}
	if b := readNodeFile(t, mountinfoParser, f); b.Mounts[0].PID != 31022 || len(b.Holders) != 0 {
		t.Errorf("by its path: %+v", b.Mounts)
	}
	b = readNode(t, mountinfoParser, "grep -l rbd4 /proc/*/mountinfo", "/proc/31022/mountinfo\n/proc/31040/mountinfo\n")
	diffFacts(t, "holders", b.Holders, []timeline.Holder{
		{Path: "rbd4", PID: 31022, Access: "mount", Tool: "mountinfo"}, {Path: "rbd4", PID: 31040, Access: "mount", Tool: "mountinfo"},
	})
}

func TestFuserAndLsof(t *testing.T) {
	const dir = "/var/lib/kubelet/pods/b59c4f83-5f1c-4b63-8a10-bb32d6d96594/volumes/kubernetes.io~empty-dir/cache-mem"
	b := readNode(t, fuserParser, "", "                     USER        PID ACCESS COMMAND\n"+dir+":\n                     root     kernel mount "+dir+"\n                     root       5481 f.c.. tail\n")
	diffFacts(t, "holders", b.Holders, []timeline.Holder{{Path: dir, PID: 5481, Command: "tail", Access: "cwd,open", Tool: "fuser"}})
	diffFacts(t, "mounts", b.Mounts, []timeline.Mount{{Target: dir}})
	b = readNode(t, fuserParser, "fuser -m "+dir, dir+":  5481c  6001m\n")
	diffFacts(t, "holders", b.Holders, []timeline.Holder{{Path: dir, PID: 5481, Access: "cwd", Tool: "fuser"}, {Path: dir, PID: 6001, Access: "mmap", Tool: "fuser"}})

	b = readNode(t, lsofParser, "", `COMMAND     PID   TID TASKCMD         USER   FD      TYPE             DEVICE SIZE/OFF   NODE NAME
tail       5481                       root  cwd       DIR               0,65       60      1 `+dir+`
tail       5481  5482 worker          1000    3r      REG               0,65        2      2 `+dir+`/a file
sshd          1                       root  mem       REG                7,3   157768   6652 /usr/lib/libgpg-error.so
sshd          1                       root    0u      CHR                1,3      0t0      4 /dev/null
`)
	diffFacts(t, "holders", b.Holders, []timeline.Holder{
		{Path: dir, PID: 5481, Command: "tail", Access: "cwd", Tool: "lsof"}, {Path: dir + "/a file", PID: 5481, Command: "tail", Access: "open", Tool: "lsof"},
	})
}

func TestDF(t *testing.T) {
	b := readNode(t, dfParser, "", `Filesystem      Size  Used Avail Use% Mounted on
/dev/root       1.2G  466M  756M  39% /
proc               0     0     0    - /proc
tmpfs           7.4G  7.4G     0 100% /run
/dev/mapper/VolGroup00-LogVol00
                6030784   1147932   4571556      21% /srv/a b
Filesystem      Inodes IUsed   IFree IUse% Mounted on
/dev/loop3      524288 17399  506889    4% /
`)
	diffFacts(t, "filesystems", b.Filesystems, []timeline.Filesystem{
		{Device: "/dev/root", Mount: "/", UsePercent: 39},
		{Device: "tmpfs", Mount: "/run", UsePercent: 100},
		{Device: "/dev/mapper/VolGroup00-LogVol00", Mount: "/srv/a b", UsePercent: 21},
		{Device: "/dev/loop3", Mount: "/", UsePercent: 4, Inodes: true},
	})
}
