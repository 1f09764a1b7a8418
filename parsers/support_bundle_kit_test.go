package parsers

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"podautopsy/timeline"
)

func TestSupportBundleMetadata(t *testing.T) {
	b := readCollected(t, supportBundleMetadataParser, &File{Path: "s/metadata.yaml", FirstLine: 1, Text: `projectname: ""
bundlename: bundle-abcde
bundleversion: 0.1.0
kubernetesversion: v1.35.4+rke2r1
projectnamespaceuuid: 8a1b2c3d-0000-4000-8000-1234567890ab
bundlecreatedat: "2026-11-30T09:57:32Z"
issueurl: ""
issuedescription: "pod: stuck"
`})
	if want := time.Date(2026, 11, 30, 9, 57, 32, 0, time.UTC); !b.Input.CapturedAt.Equal(want) {
		t.Errorf("made at %v", b.Input.CapturedAt)
	}
	if len(b.Versions) != 1 || b.Versions[0].Version != "v1.35.4+rke2r1" || b.Versions[0].What != timeline.APIServer {
		t.Errorf("versions %+v", b.Versions)
	}
}

func TestSupportBundleErrors(t *testing.T) {
	b := readCollected(t, supportBundleErrorsParser, &File{Path: "s/bundleGenerationError.log", FirstLine: 1, Text: `Failed to get /api/v1/namespaces/default/bindings: the server does not allow this method on the requested resource
Failed to get /apis/metrics.k8s.io/v1beta1/nodes: the server is currently unable to handle the request

Support bundle: cannot get log for pod web-0 container web: Get "https://10.0.0.7:10250/containerLogs/default/web-0/web": dial tcp 10.0.0.7:10250: connect: connection refused
`})
	var got []string
	for _, g := range b.Input.Gaps {
		got = append(got, g.Source.String()+" "+g.Detail[:40])
	}
	if d := cmp.Diff([]string{
		"s/bundleGenerationError.log:2 Failed to get /apis/metrics.k8s.io/v1bet",
		"s/bundleGenerationError.log:4 Support bundle: cannot get log for pod w",
	}, got); d != "" {
		t.Errorf("gaps (-want +got):\n%s", d)
	}
}

func TestSupportBundleHost(t *testing.T) {
	b := readCollected(t, supportBundleHostParser, &File{Path: "w1/hostinfos/hostinfo", FirstLine: 1, Text: "hostname : \n \tworker-1\nos-release : \n \tNAME=\"SLES\"\n\tVERSION=\"15-SP6\"\nsystem-info : \n" +
		" \tLinux supportbundle-agent-bundle-abcde-x7k2p 6.4.0-150600.23-default #1 SMP PREEMPT_DYNAMIC Mon Oct 5 12:00:00 UTC 2026 x86_64 GNU/Linux\n"})
	if d := cmp.Diff([]string{"worker-1"}, b.Input.Hosts); d != "" {
		t.Errorf("hosts (-want +got):\n%s", d)
	}
	if len(b.Versions) != 1 || b.Versions[0].Version != "6.4.0-150600.23-default" {
		t.Errorf("versions %+v", b.Versions)
	}
}

func FuzzSupportBundleKit(f *testing.F) {
	for _, s := range []string{
		"bundlecreatedat: \"2026-11-30T09:57:32Z\"\nkubernetesversion: v1\n",
		"Support Bundle: failed to get pods: x\n",
		"hostname : \n \tw1\nos-release : \nsystem-info : \n \tLinux a 6.4.0 #1 SMP x86_64 GNU/Linux\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, p := range []Parser{supportBundleMetadataParser, supportBundleErrorsParser, supportBundleHostParser} {
			file := &File{Path: "s.zip!s/bundleGenerationError.log", Text: text, FirstLine: 1}
			p.Sniff(file)
			b := timeline.NewBuilder(file.Path)
			if err := p.Parse(file, b); err == nil {
				checkPlaces(t, file, b)
			}
		}
	})
}
