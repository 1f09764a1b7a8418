package parsers

import (
	"testing"
	"time"
)

const someENIs = `{
  "TotalIPs": 14,
  "AssignedIPs": 1,
  "ENIs": {
    "eni-0a1b2c3d4e5f60718": {
      "ID": "eni-0a1b2c3d4e5f60718", "IsPrimary": true, "IPv4Addresses": null,
      "AvailableIPv4Cidrs": {
        "192.0.2.17/32": {
          "Cidr": {"IP": "192.0.2.17", "Mask": "/////w=="},
          "IPAddresses": {
            "192.0.2.17": {
              "Address": "192.0.2.17",
              "IPAMKey": {
                "networkName": "aws-cni",
                "containerID": "75f729e4f6b5f274733890fe795abc410f4166486a679b470f9c4fd3c65bd779",
                "ifName": "eth0"
              },
              "IPAMMetadata": {"k8sPodNamespace": "shop", "k8sPodName": "cart-0"},
              "AssignedTime": "2026-11-30T08:16:40.402933178Z",
              "UnassignedTime": "0001-01-01T00:00:00Z"
            },
            "192.0.2.18": {"Address": "192.0.2.18", "IPAMKey": {"networkName": "", "containerID": "", "ifName": ""}, "AssignedTime": "0001-01-01T00:00:00Z", "UnassignedTime": "2026-11-30T08:16:00Z"}
          },
          "IsPrefix": false
        }
      },
      "IPv6Cidrs": {}
    }
  }
}
`

func TestAWSENIs(t *testing.T) {
	f := &File{Path: "ipamd/enis.json", Text: someENIs, FirstLine: 1}
	if !awsENIsParser.Sniff(f) {
		t.Error("not recognised")
	}
	b := readNode(t, awsENIsParser, "", someENIs)
	if len(b.Reservations) != 1 || len(b.Input.Gaps) != 0 {
		t.Fatalf("%+v, gaps %+v", b.Reservations, b.Input.Gaps)
	}
	if r := b.Reservations[0]; r.IP != "192.0.2.17" || r.Pod != "cart-0" || r.PodNamespace != "shop" || r.Source.Line != 15 ||
		!r.ReservedAt.Equal(time.Date(2026, 11, 30, 8, 16, 40, 402933178, time.UTC)) {
		t.Errorf("%+v", r)
	}
	if b = readNode(t, awsENIsParser, "", `{"TotalIPs":14,"AssignedIPs":0,"ENIs":{}}`); b.Input.Records != 1 || len(b.Reservations) != 0 {
		t.Errorf("nobody has an address: %d records, %+v", b.Input.Records, b.Reservations)
	}
	if b = readNode(t, awsENIsParser, "", someENIs[:900]); len(b.Input.Gaps) == 0 {
		t.Errorf("cut: %+v", b)
	}
}

func FuzzAWSENIs(f *testing.F) {
	fuzzNodeTool(f, awsENIsParser, "curl localhost:61679/v1/enis", someENIs, `{"AssignedIPs":1,"ENIs":{"a":{"b":{"IPAddresses":{"c":3,"d":{"Address":4}}}}}}`)
}
