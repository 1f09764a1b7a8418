package parsers

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"podautopsy/timeline"
)

// awsENIsParser reads what the agent of the AWS VPC CNI tells of its interfaces.
var awsENIsParser = Parser{
	Name:  "aws-enis",
	Doc:   "curl localhost:61679/v1/enis: the interfaces of a node, and which sandbox the agent of the AWS VPC CNI has given each address.",
	Sniff: sniffAWSENIs,
	Parse: parseAWSENIs,
}

func sniffAWSENIs(f *File) bool {
	head := prefix(f.head(), 4<<10)
	return strings.HasPrefix(strings.TrimSpace(head), "{") && strings.Contains(head, `"AssignedIPs"`) && strings.Contains(head, `"ENIs"`)
}

// awsAddress is an address of an interface. One that nobody has keeps none of
// the key.
type awsAddress struct {
	Address string
	IPAMKey struct {
		Network     string `json:"networkName"`
		ContainerID string `json:"containerID"`
	}
	IPAMMetadata struct {
		Namespace string `json:"k8sPodNamespace"`
		Name      string `json:"k8sPodName"`
	}
	AssignedTime time.Time
}

func parseAWSENIs(f *File, b *timeline.Builder) error {
	lines := newLineFinder(f)
	for v := range jsonDocuments(f.Text) {
		b.Input.Records++ // that it was asked is a fact even where nobody has an address
		// ENIs, each with its ranges, each with its addresses.
		const nested = 5
		awsAddresses(v, nested, func(item jsonValue) {
			var a awsAddress
			if err := json.Unmarshal([]byte(item.text), &a); err != nil {
				b.Gap(timeline.GapNotUnderstood, lines.at(item.at).number, fmt.Sprintf("an address: %v", err))
				return
			}
			if a.Address == "" || a.IPAMKey.ContainerID == "" {
				return
			}
			kept := timeline.Reservation{
				Network: cmp.Or(a.IPAMKey.Network, awsNetwork), IP: a.Address, ContainerID: a.IPAMKey.ContainerID,
				PodNamespace: a.IPAMMetadata.Namespace, Pod: a.IPAMMetadata.Name, Fact: lines.factIn(b, item, "IPAMKey", "containerID"),
			}
			if a.AssignedTime.Year() > 1 {
				kept.ReservedAt = a.AssignedTime.UTC()
			}
			keepFact(b, &b.Reservations, kept)
		})
		if v.cut {
			b.Gap(timeline.GapTruncated, lines.at(v.at).number, "the JSON ends in the middle")
		}
	}
	return nil
}

// awsAddresses walks the addresses below an object.
func awsAddresses(v jsonValue, depth int, each func(jsonValue)) {
	for m := range jsonMembers(v.text) {
		inner := jsonValue{text: v.text[m.from:m.to], at: v.at + m.from}
		switch {
		case m.key == "IPAddresses":
			for a := range jsonMembers(inner.text) {
				if address := inner.text[a.from:a.to]; strings.HasPrefix(address, "{") {
					each(jsonValue{text: address, at: inner.at + a.from})
				}
			}
		case depth > 0 && strings.HasPrefix(inner.text, "{"):
			awsAddresses(inner, depth-1, each)
		}
	}
}
