package parsers

import (
	"strings"

	"podautopsy/timeline"
)

// machineIDParser reads the files that hold what identifies a machine.
var machineIDParser = Parser{
	Name:  "machine-id",
	Doc:   "/etc/machine-id, and the kernel's boot_id and product_uuid, also one after the other.",
	Sniff: sniffMachineID,
	Parse: parseMachineID,
}

func sniffMachineID(f *File) bool {
	named := false
	for _, word := range [...]string{"machine-id", "machine_id", "machineid", "boot_id", "boot-id", "product_uuid"} {
		named = named || strings.Contains(f.base(), word) || strings.Contains(f.Command, word)
	}
	if !named || f.blank() {
		return false
	}
	lines := f.firstLines(4)
	for _, l := range lines {
		if l = strings.ToLower(strings.TrimSpace(l)); !isMachineID(l) && !isUUID(l) {
			return false
		}
	}
	return len(lines) < 4
}

// isMachineID says whether s is 128 bits in systemd's form.
func isMachineID(s string) bool { return len(s) == 32 && isHex(s) }

func parseMachineID(f *File, b *timeline.Builder) error {
	for l := range f.lines() {
		id := strings.ToLower(strings.TrimSpace(l.text))
		switch {
		case isMachineID(id):
			b.Identify(timeline.Identity{MachineID: id})
		case isUUID(id) && strings.Contains(f.base(), "product_uuid"):
			b.Identify(timeline.Identity{SystemUUID: id})
		case isUUID(id): // below a machine id stands the boot's
			b.Identify(timeline.Identity{BootIDs: []string{id}})
		default:
			continue
		}
		b.Input.Records++
	}
	return nil
}
