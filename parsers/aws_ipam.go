package parsers

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"podautopsy/timeline"
)

// awsIPAMParser reads the file in which the AWS VPC CNI keeps whom its addresses are
// for.
var awsIPAMParser = Parser{
	Name:  "aws-ipam",
	Doc:   "/var/run/aws-node/ipam.json, in which the AWS VPC CNI keeps the address of each sandbox.",
	Sniff: sniffAWSIPAM,
	Parse: parseAWSIPAM,
}

// awsNetwork is what the VPC CNI calls its network where an entry tells none.
const awsNetwork = "aws-cni"

func sniffAWSIPAM(f *File) bool {
	head := f.head()
	return strings.HasPrefix(strings.TrimSpace(head), "{") && strings.Contains(prefix(head, 4<<10), `"vpc-cni-ipam/`)
}

// awsAllocation is an entry. Older agents wrote the address as "ip", and none
// of the metadata.
type awsAllocation struct {
	NetworkName         string `json:"networkName"`
	ContainerID         string `json:"containerID"`
	IPv4                string `json:"ipv4"`
	IPv6                string `json:"ipv6"`
	IP                  string `json:"ip"`
	AllocationTimestamp int64  `json:"allocationTimestamp"` // nanoseconds
	Metadata            struct {
		Namespace string `json:"k8sPodNamespace"`
		Name      string `json:"k8sPodName"`
	} `json:"metadata"`
}

func parseAWSIPAM(f *File, b *timeline.Builder) error {
	lines := newLineFinder(f)
	for v := range jsonDocuments(f.Text) {
		b.Input.Records++ // that it was asked is a fact even where the list is empty
		for m := range jsonMembers(v.text) {
			if m.key != "allocations" || !strings.HasPrefix(v.text[m.from:], "[") {
				continue
			}
			n := 0
			for item := range v.elements(m.from) {
				n++
				var a awsAllocation
				if err := json.Unmarshal([]byte(item.text), &a); err != nil {
					b.Gap(timeline.GapNotUnderstood, lines.at(item.at).number, fmt.Sprintf("allocation %d: %v", n, err))
					continue
				}
				address := cmp.Or(a.IPv4, a.IPv6, a.IP)
				if address == "" || a.ContainerID == "" {
					continue
				}
				kept := timeline.Reservation{
					Network: cmp.Or(a.NetworkName, awsNetwork), IP: address, ContainerID: a.ContainerID,
					PodNamespace: a.Metadata.Namespace, Pod: a.Metadata.Name, Fact: lines.factIn(b, item, "containerID"),
				}
				if a.AllocationTimestamp > 0 {
					kept.ReservedAt = time.Unix(0, a.AllocationTimestamp).UTC()
				}
				keepFact(b, &b.Reservations, kept)
			}
		}
		if v.cut {
			b.Gap(timeline.GapTruncated, lines.at(v.at).number, "the JSON ends in the middle")
		}
	}
	return nil
}
