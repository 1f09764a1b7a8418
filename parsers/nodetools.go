package parsers

// NodeTools are the readers of what tools print on a node, in the order in
// which they should be asked: the distinctive forms first, one word last.
func NodeTools() []Parser {
	return []Parser{
		CrictlJSON, DockerJSON, Mountinfo, Mounts, CrictlTable, DockerTable,
		PS, Lsof, Fuser, Systemctl, DF, CNI, IP, Proc, LS,
		Date, Versions, Hostname, CommandError,
	}
}
