package parsers

import "strings"

// kindOfResource is the kind behind a resource name as kubectl accepts it and
// as collectors name files: plural, singular or short, with or without the
// group ("deployments.apps"). "" for a resource we do not know.
func kindOfResource(name string) string {
	name = strings.ToLower(name)
	name, _, _ = strings.Cut(name, ".")
	switch strings.ReplaceAll(strings.ReplaceAll(name, "-", ""), "_", "") {
	case "po", "pod", "pods":
		return "Pod"
	case "no", "node", "nodes":
		return "Node"
	case "ns", "namespace", "namespaces":
		return "Namespace"
	case "pvc", "pvcs", "persistentvolumeclaim", "persistentvolumeclaims":
		return "PersistentVolumeClaim"
	case "pv", "pvs", "persistentvolume", "persistentvolumes":
		return "PersistentVolume"
	case "volumeattachment", "volumeattachments":
		return "VolumeAttachment"
	case "csidriver", "csidrivers":
		return "CSIDriver"
	case "csinode", "csinodes":
		return "CSINode"
	case "sc", "storageclass", "storageclasses":
		return "StorageClass"
	case "ev", "event", "events":
		return "Event"
	case "lease", "leases":
		return "Lease"
	case "job", "jobs":
		return "Job"
	case "cj", "cronjob", "cronjobs":
		return "CronJob"
	case "deploy", "deployment", "deployments":
		return "Deployment"
	case "rs", "replicaset", "replicasets":
		return "ReplicaSet"
	case "sts", "statefulset", "statefulsets":
		return "StatefulSet"
	case "ds", "daemonset", "daemonsets":
		return "DaemonSet"
	case "rc", "replicationcontroller", "replicationcontrollers":
		return "ReplicationController"
	case "pdb", "pdbs", "poddisruptionbudget", "poddisruptionbudgets":
		return "PodDisruptionBudget"
	case "apiservice", "apiservices":
		return "APIService"
	case "svc", "service", "services":
		return "Service"
	case "ep", "endpoints":
		return "Endpoints"
	case "endpointslice", "endpointslices":
		return "EndpointSlice"
	case "cm", "configmap", "configmaps":
		return "ConfigMap"
	case "secret", "secrets":
		return "Secret"
	case "sa", "serviceaccount", "serviceaccounts":
		return "ServiceAccount"
	case "crd", "crds", "customresourcedefinition", "customresourcedefinitions":
		return "CustomResourceDefinition"
	case "mutatingwebhookconfiguration", "mutatingwebhookconfigurations":
		return "MutatingWebhookConfiguration"
	case "validatingwebhookconfiguration", "validatingwebhookconfigurations":
		return "ValidatingWebhookConfiguration"
	case "runtimeclass", "runtimeclasses":
		return "RuntimeClass"
	case "pc", "priorityclass", "priorityclasses":
		return "PriorityClass"
	case "vmi", "virtualmachineinstance", "virtualmachineinstances":
		return "VirtualMachineInstance"
	case "vm", "virtualmachine", "virtualmachines":
		return "VirtualMachine"
	}
	return ""
}

// clusterScoped kinds live outside every namespace, so that one listing of
// them covers the cluster.
func clusterScoped(kind string) bool {
	switch kind {
	case "Node", "Namespace", "PersistentVolume", "VolumeAttachment", "CSIDriver", "CSINode",
		"StorageClass", "APIService", "CustomResourceDefinition", "MutatingWebhookConfiguration",
		"ValidatingWebhookConfiguration", "RuntimeClass", "PriorityClass", "ClusterRole",
		"ClusterRoleBinding":
		return true
	}
	return false
}
