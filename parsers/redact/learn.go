package redact

import (
	"cmp"
	"slices"
	"strings"

	"podautopsy/timeline"
	"podautopsy/timeline/literal"
)

func sortHits(hits []hit) {
	slices.SortFunc(hits, func(a, b hit) int { return cmp.Or(cmp.Compare(a.at, b.at), -cmp.Compare(a.phrase, b.phrase)) })
}

// Learner finds out what is to be replaced.
type Learner struct {
	salt       string
	vocabulary map[string]bool
	learnt     map[string]Class // names, in lower case
	protected  map[string]bool
	v4, v6     map[string]bool
	macs       map[string]bool
	emails     map[string]bool
	secrets    secrets
	looksTaken map[string]bool // words of the bundle that look like tokens
	known      *Mapping
}

// NewLearner begins with what an earlier redaction has put in place of what, if
// its mapping is given. Own are texts that must stay: what signatures look for.
func NewLearner(own []string, known *Mapping) *Learner {
	l := &Learner{
		vocabulary: map[string]bool{}, learnt: map[string]Class{}, protected: map[string]bool{},
		v4: map[string]bool{}, v6: map[string]bool{}, macs: map[string]bool{}, emails: map[string]bool{},
		secrets: secrets{}, looksTaken: map[string]bool{}, known: known,
	}
	if known != nil {
		l.salt = known.Salt
	}
	for _, text := range own {
		for i := 0; i < len(text); {
			end := wordEnd(text, i)
			if end > i {
				l.vocabulary[lower(text[i:end])] = true
			}
			i = max(end, i+1)
		}
	}
	return l
}

// Salt makes the tokens unlike those of anything else, unless an earlier mapping
// has told it.
func (l *Learner) Salt(salt string) {
	if l.known == nil {
		l.salt = salt
	}
}

// Name learns a name that the caller knows.
func (l *Learner) Name(class Class, name string) {
	name = lower(strings.TrimSpace(name))
	if len(name) > 253 || spanFrom(name, 0, func(c byte) bool { return isNameByte(c) || c == '_' }) != len(name) || name == "" {
		return // it is none: a template, a pattern
	}
	if class == Namespace && isOwnNamespace(name) {
		return
	}
	const plenty = 200_000
	if old, known := l.learnt[name]; (!known || rank(class) < rank(old)) && len(l.learnt) < plenty {
		l.learnt[name] = class
	}
}

// rank decides which class a name is of that several things have.
func rank(c Class) int {
	return slices.Index([]Class{Namespace, Node, Workload, Volume, Object, User, Image, Domain}, c)
}

// ObjectName learns the name of a Kubernetes object, unless all clusters have
// one that is called so.
func (l *Learner) ObjectName(kind, namespace, name string) {
	if namespace != "" {
		l.Name(Namespace, namespace)
	}
	switch kind {
	case "CSIDriver", "CustomResourceDefinition", "APIService", "PriorityClass", "RuntimeClass", "StorageClass", "ClusterRole", "ClusterRoleBinding",
		"Role", "RoleBinding", "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration", "FlowSchema", "PriorityLevelConfiguration",
		"IngressClass", "VolumeSnapshotClass", "ComponentStatus", "":
		return
	case "Namespace":
		l.Name(Namespace, name)
	case "Node", "CSINode":
		l.host(name)
	case "Lease":
		if namespace == "kube-node-lease" {
			l.host(name)
		}
	case "PersistentVolume", "PersistentVolumeClaim", "VolumeAttachment", "VolumeSnapshot":
		if !isOwnNamespace(namespace) {
			l.Name(Volume, name)
		}
	case "Pod", "Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "CronJob", "ReplicationController", "PodDisruptionBudget", "HorizontalPodAutoscaler":
		if !isOwnNamespace(namespace) || namespace == "default" {
			l.Name(Workload, name)
		}
	default:
		if !isOwnNamespace(namespace) || namespace == "default" {
			l.Name(Object, name)
		}
	}
}

// host learns the name of a machine, with or without its domain.
func (l *Learner) host(name string) {
	name = lower(strings.TrimSpace(name))
	if name == "" || ipv4At(name, 0) == len(name) || ipv6At(name, 0) == len(name) {
		l.addressesIn(name)
		return
	}
	first, domain, _ := strings.Cut(name, ".")
	l.Name(Node, first)
	l.domain(domain)
}

// domain learns the parts of a domain's name, but for the last.
func (l *Learner) domain(name string) {
	name = lower(strings.Trim(name, "."))
	if isOwnDomain(name) || name == "" {
		return
	}
	labels := strings.Split(name, ".")
	for _, label := range labels[:len(labels)-1] {
		if len(label) > 2 {
			l.Name(Domain, label)
		}
	}
}

// Timeline learns from the facts of a bundle.
func (l *Learner) Timeline(tl *timeline.Timeline) {
	for i := range tl.Inputs {
		l.host(tl.Inputs[i].Node)
		for _, h := range tl.Inputs[i].Hosts {
			l.host(h)
		}
	}
	for alias, node := range tl.NodeAliases {
		l.host(alias)
		l.host(node)
	}
	for _, o := range tl.Objects {
		l.ObjectName(o.Kind, o.Namespace, o.Name)
		l.vocabulary[lower(o.Kind)] = true
		if group, _, found := strings.Cut(o.APIVersion, "/"); found {
			l.protect(group)
		}
		if o.Kind == "CustomResourceDefinition" || o.Kind == "CSIDriver" {
			l.protect(o.Name)
		}
		l.content(map[string]any(o.Whole()), "", isOwnNamespace(o.Namespace) && o.Namespace != "default")
	}
	for i := range tl.Events {
		e := &tl.Events[i]
		l.host(e.Node)
		if of := e.Object(); of.Name != "" || of.Namespace != "" {
			l.ObjectName(of.Kind, of.Namespace, of.Name)
		}
	}
	for i := range tl.Containers {
		c := &tl.Containers[i]
		l.host(c.Node)
		l.ObjectName("Pod", c.PodNamespace, c.PodName)
	}
	for i := range tl.Sandboxes {
		s := &tl.Sandboxes[i]
		l.ObjectName("Pod", s.PodNamespace, s.Pod)
	}
	for i := range tl.PodLogs {
		p := &tl.PodLogs[i]
		l.ObjectName("Pod", p.PodNamespace, p.Pod)
	}
	for i := range tl.Reservations {
		r := &tl.Reservations[i]
		l.ObjectName("Pod", r.PodNamespace, r.Pod)
	}
	for i := range tl.Listings { // those that are empty name a namespace, too
		for _, ns := range append([]string{tl.Listings[i].Namespace}, tl.Listings[i].Namespaces...) {
			l.ObjectName("Namespace", "", ns)
		}
	}
	for _, a := range tl.Absents {
		l.ObjectName(a.Ref.Kind, a.Ref.Namespace, a.Ref.Name)
	}
}

// content learns from the fields of an object. In a namespace that came with
// the cluster, what is called how is known to all.
func (l *Learner) content(v any, field string, system bool) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			if text, ok := item.(string); ok && field == "finalizers" {
				l.protect(text)
			}
			l.content(item, field, system)
		}
	case map[string]any:
		kind, _ := v["kind"].(string)
		name, _ := v["name"].(string)
		namespace, _ := v["namespace"].(string)
		switch field {
		case "ownerReferences", "claimRef", "involvedObject", "regarding", "volumeClaimTemplates", "targetRef":
			if kind != "" && (!system || kind == "Node") {
				l.ObjectName(kind, namespace, name)
			}
		case "configMap", "secret", "secretRef", "configMapRef", "nodePublishSecretRef", "imagePullSecrets", "serviceAccount":
			if !system {
				l.ObjectName("Secret", namespace, name)
			}
		}
		if kind, _ := v["type"].(string); field == "addresses" && (kind == "Hostname" || strings.HasSuffix(kind, "DNS")) {
			host, _ := v["address"].(string)
			l.host(host)
		}
		for key, item := range v {
			if text, ok := item.(string); ok {
				l.field(key, text, system)
				continue
			}
			l.content(item, key, system)
		}
	}
}

// field learns from a field whose name tells what its value is.
func (l *Learner) field(key, text string, system bool) {
	switch key {
	case "nodeName", "kubernetes.io/hostname", "hostname":
		l.host(text)
	case "namespace":
		l.Name(Namespace, text)
	case "driver", "provisioner", "attacher", "controllerName":
		l.protect(text)
	case "claimName", "persistentVolumeName", "volumeName":
		if !system {
			l.Name(Volume, text)
		}
	case "secretName", "serviceName", "serviceAccountName", "serviceAccount":
		if !system {
			l.ObjectName("Secret", "", text)
		}
	case "image", "imageID":
		l.image(text)
	case "server":
		l.host(text)
	case "providerID":
		parts := strings.Split(text, "/")
		for _, p := range parts[min(len(parts), 3):] {
			l.Name(Node, p)
		}
	case "username", "user":
		l.user(text)
	}
}

// image learns the names in a reference to an image, unless everybody can pull
// it.
func (l *Learner) image(ref string) {
	ref, _, _ = strings.Cut(strings.TrimPrefix(ref, "docker-pullable://"), "@")
	parts := strings.Split(lower(ref), "/")
	if colon := strings.LastIndexByte(parts[len(parts)-1], ':'); colon > 0 {
		parts[len(parts)-1] = parts[len(parts)-1][:colon]
	}
	registry := ""
	if len(parts) > 1 && (strings.ContainsAny(parts[0], ".:") || parts[0] == "localhost") {
		registry, _, _ = strings.Cut(parts[0], ":")
		parts = parts[1:]
	}
	if isPublicRegistry(registry) {
		return
	}
	l.domain(registry)
	for _, p := range parts {
		if registry != "" || len(parts) > 1 {
			l.Name(Image, p)
		}
	}
}

func isPublicRegistry(host string) bool {
	switch host {
	case "registry.k8s.io", "k8s.gcr.io", "gcr.io", "mcr.microsoft.com", "public.ecr.aws", "quay.io", "docker.elastic.co", "nvcr.io", "registry.access.redhat.com", "registry.redhat.io":
		return true
	}
	return false
}

// user learns who asked, unless it is a program of the cluster.
func (l *Learner) user(name string) {
	name = lower(strings.TrimSpace(name))
	switch {
	case strings.HasPrefix(name, "system:"), strings.HasPrefix(name, "kube-"), strings.HasPrefix(name, "kubernetes-"), strings.HasPrefix(name, "kubernetes:"), len(name) < 3, isNumber(name):
	case emailAt(name, 0) == len(name):
		l.emails[name] = true
	case strings.ContainsAny(name, " /{}"):
	default:
		l.Name(User, name)
	}
}

// protect keeps a text as it is wherever it stands.
func (l *Learner) protect(text string) {
	if len(text) > 2 {
		l.protected[lower(text)] = true
	}
}

// Text learns from a text what only its looks or its place in it tell.
func (l *Learner) Text(text string) {
	text = conceal(text, l.secrets)
	l.places(text)
	for i := 0; i < len(text); {
		if !isAlnum(text[i]) {
			if text[i] == ':' {
				if end := ipv6At(text, i); end > 0 {
					l.v6[lower(text[i:end])] = true
					i = end
					continue
				}
			}
			i++
			continue
		}
		if end := escapeEnd(text, i); end > i {
			i = end
			continue
		}
		i = l.word(text, i)
	}
}

func (l *Learner) addressesIn(text string) {
	for i := 0; i < len(text); {
		end := wordEnd(text, i)
		if end == i {
			i++
			continue
		}
		i = l.word(text, i)
	}
}

// word learns from what begins at i, and says where it ends.
func (l *Learner) word(s string, i int) int {
	end := wordEnd(s, i)
	if end-i <= 4 && end < len(s) && isHexByte(s[i]) {
		switch s[end] {
		case '.':
			if to := ipv4At(s, i); to > 0 {
				l.v4[s[i:to]] = true
				return to
			}
		case ':', '-':
			if to := macAt(s, i); to > 0 {
				l.macs[lower(strings.NewReplacer(":", "", "-", "").Replace(s[i:to]))] = true
				return to
			}
			if to := ipv6At(s, i); to > 0 {
				l.v6[lower(s[i:to])] = true
				return to
			}
		}
	}
	if end < len(s) {
		if to := emailAt(s, i); to > 0 {
			l.emails[lower(s[i:to])] = true
			return to
		}
		if s[end] == '.' || s[end] == '-' {
			if to := l.hostAt(s, i); to > 0 {
				return to
			}
		}
	}
	if end-i < 64 && looksLikeToken(s[i:end]) {
		l.looksTaken[lower(s[i:end])] = true
	}
	return end
}

// hostAt learns the full name of a host that begins there, and says where it
// ends; 0 for none.
func (l *Learner) hostAt(s string, i int) int {
	if i > 0 && (s[i-1] == '.' || s[i-1] == '-' || s[i-1] == '_') {
		return 0
	}
	end := spanFrom(s, i, func(c byte) bool { return isAlnum(c) || c == '-' || c == '.' })
	for end > i && !isAlnum(s[end-1]) {
		end--
	}
	name := lower(s[i:end])
	dot := strings.LastIndexByte(name, '.')
	if dot <= 0 || len(name) > 253 || end < len(s) && (s[end] == '_' || s[end] == '(') || !isTopDomain(name[dot+1:]) || isOwnDomain(name) || l.protected[name] {
		return 0
	}
	if rest := s[end:]; strings.HasPrefix(rest, "/") && isAPIVersion(rest[1:]) {
		return 0 // a group of the API
	}
	first, domain, _ := strings.Cut(name, ".")
	if strings.Contains(domain, ".") {
		if len(first) > 2 {
			l.Name(Domain, first)
		}
		l.domain(domain)
	} else {
		l.domain(name)
	}
	return end
}

func isAPIVersion(s string) bool {
	return len(s) > 1 && s[0] == 'v' && isDigit(s[1])
}

func isTopDomain(s string) bool {
	switch s {
	case "com", "net", "org", "edu", "gov", "mil", "info", "biz", "dev", "cloud", "tech", "ai", "eu", "de", "ch", "fr", "nl", "uk", "es", "pl", "se",
		"dk", "fi", "cz", "ru", "cn", "jp", "kr", "br", "au", "nz", "local", "internal", "intranet", "lan", "corp", "localdomain", "private", "test", "example", "invalid":
		return true
	}
	return false
}

func looksLikeToken(word string) bool {
	letters := 0
	for letters < len(word) && !isDigit(word[letters]) {
		letters++
	}
	return letters > 0 && letters < len(word) && letters <= 4
}

// places learns names from places in logs where only a name can stand.
func (l *Learner) places(s string) {
	for _, before := range [...]string{`pod="`, `pod=\"`, `pods=["`, `pods=[\"`, `pod:"`, `Pod "`} {
		each(s, before, func(_, end int) { l.podRef(s, end) })
	}
	each(s, "&PodSandboxMetadata{Name:", func(_, end int) {
		name, rest, _ := strings.Cut(s[end:min(len(s), end+600)], ",")
		if _, ns, found := strings.Cut(rest, "Namespace:"); found {
			ns, _, _ = strings.Cut(ns, ",")
			if isName(name) && isName(ns) {
				l.ObjectName("Pod", ns, name)
			}
		}
	})
	each(s, "/namespaces/", func(_, end int) {
		at := spanFrom(s, end, isNameByte)
		l.Name(Namespace, s[end:at])
		ns := s[end:at]
		if at < len(s) && s[at] == '/' {
			kind := spanFrom(s, at+1, isNameByte)
			if kind < len(s) && s[kind] == '/' {
				name := spanFrom(s, kind+1, isNameByte)
				switch s[at+1 : kind] {
				case "pods":
					l.ObjectName("Pod", ns, s[kind+1:name])
				case "persistentvolumeclaims":
					l.ObjectName("PersistentVolumeClaim", ns, s[kind+1:name])
				}
			}
		}
	})
	each(s, "/log/pods/", func(_, end int) { // NAMESPACE_POD_UID
		to := spanFrom(s, end, func(c byte) bool { return isNameByte(c) || c == '_' })
		if parts := strings.Split(s[end:to], "_"); len(parts) == 3 {
			l.ObjectName("Pod", parts[0], parts[1])
		}
	})
	each(s, "k8s_", func(_, end int) { // CONTAINER_POD_NAMESPACE_UID_ATTEMPT
		to := spanFrom(s, end, func(c byte) bool { return isNameByte(c) || c == '_' })
		if parts := strings.Split(s[end:to], "_"); len(parts) == 5 {
			l.ObjectName("Pod", parts[2], parts[1])
		}
	})
	each(s, "(", func(at, end int) { // POD_NAMESPACE(UID)
		if end >= len(s) || !isHexByte(s[end]) || uuidAt(s, end) == 0 {
			return
		}
		from := at
		for from > 0 && (isNameByte(s[from-1]) || s[from-1] == '_') && at-from < 320 {
			from--
		}
		if pod, ns, found := strings.Cut(s[from:at], "_"); found {
			l.ObjectName("Pod", ns, pod)
		}
	})
	each(s, `"username":`, func(_, end int) {
		if end = spanFrom(s, end, func(c byte) bool { return c == ' ' || c == '"' }); end < len(s) {
			l.user(s[end:spanFrom(s, end, func(c byte) bool { return c > ' ' && c != '"' })])
		}
	})
	each(s, "/home/", func(_, end int) {
		l.user(s[end:spanFrom(s, end, func(c byte) bool { return isNameByte(c) || c == '_' })])
	})
	each(s, `image="`, func(_, end int) { l.image(s[end:valueEnd(s, end, `"`)]) })
	each(s, "mage: ", func(_, end int) { l.image(s[end:spanFrom(s, end, func(c byte) bool { return c > ' ' && c != '"' })]) })
}

func isNameByte(c byte) bool { return isAlnum(c) || c == '-' || c == '.' }

func isName(s string) bool { return s != "" && spanFrom(s, 0, isNameByte) == len(s) }

// podRef learns NAMESPACE/NAME, and what follows it in a list.
func (l *Learner) podRef(s string, i int) {
	to := spanFrom(s, i, func(c byte) bool { return isNameByte(c) || c == '/' })
	ns, name, found := strings.Cut(s[i:to], "/")
	if found && isName(ns) && isName(name) {
		l.ObjectName("Pod", ns, name)
		for _, sep := range [...]string{`","`, `\",\"`} {
			if strings.HasPrefix(s[to:], sep) {
				l.podRef(s, to+len(sep))
			}
		}
	}
}

// Redactor replaces what was learnt. The same bundle gives the same tokens.
func (l *Learner) Redactor() *Redactor {
	n := newNames(func(word string) bool { return l.vocabulary[word] })
	r := &Redactor{
		names: n, ids: newIDs(l.salt), salt: l.salt, emails: map[string]string{}, seenIDs: map[string]bool{},
		addresses: &addresses{salt: l.salt, v4: map[string]string{}, v6: map[string]string{}, macs: map[string]string{}},
	}
	for text := range l.protected {
		n.protect(text)
	}
	for name := range own().names {
		n.protect(name)
	}
	for word := range l.looksTaken {
		n.used[word] = true
	}
	for name := range l.learnt {
		n.used[name] = true
	}
	r.resume(l.known)
	r.addresses.assign(l.v4, l.v6, l.macs)
	for _, text := range sorted(l.v4) { // ip-10-0-1-5
		if token, ok := r.addresses.v4[text]; ok {
			n.set(IPv4, strings.ReplaceAll(text, ".", "-"), strings.ReplaceAll(token, ".", "-"))
		}
	}
	learnt := make([]string, 0, len(l.learnt))
	for name := range l.learnt {
		learnt = append(learnt, name)
	}
	// The shorter first: others are named after them.
	slices.SortFunc(learnt, func(a, b string) int {
		return cmp.Or(
			cmp.Compare(rank(l.learnt[a])/rank(User), rank(l.learnt[b])/rank(User)),
			cmp.Compare(parts(a), parts(b)), cmp.Compare(rank(l.learnt[a]), rank(l.learnt[b])), strings.Compare(a, b))
	})
	software := wordsOf(l.protected)
	for _, name := range learnt {
		if l.learnt[name] != Domain || !software[name] {
			n.add(l.learnt[name], name)
		}
	}
	for _, address := range sorted(l.emails) {
		r.addEmail(address)
	}
	for phrase := range n.tokens {
		if len(phrase) >= literal.Shortest && n.classes[phrase] != IPv4 {
			r.phrases = append(r.phrases, phrase)
		}
	}
	slices.Sort(r.phrases)
	r.glued = literal.New(r.phrases, "")
	r.secrets = withSpellings(sorted(l.secrets))
	r.hidden = literal.New(r.secrets, "")
	r.indexAddresses()
	return r
}

// wordsOf are the words in texts.
func wordsOf(texts map[string]bool) map[string]bool {
	out := map[string]bool{}
	for text := range texts {
		for i := 0; i < len(text); {
			end := wordEnd(text, i)
			out[text[i:end]] = true
			i = max(end, i+1)
		}
	}
	return out
}

func parts(name string) int {
	return strings.Count(name, "-") + strings.Count(name, ".") + strings.Count(name, "_")
}

// addEmail finds a token of the same length for an e-mail address.
func (r *Redactor) addEmail(address string) {
	if r.emails[address] != "" {
		return
	}
	for _, at := range waysOfAt {
		local, domain, found := strings.Cut(address, at)
		if !found {
			continue
		}
		const telling = 5 // a shorter one is any word
		if len(local) >= telling && !strings.Contains(local, "+") {
			r.names.add(User, local)
		}
		token := r.names.tokens[local]
		if token == "" {
			token = r.names.token(Email, len(local))
		}
		r.addSpellings(local+"@"+domain, token+"@"+r.names.text(domain))
		return
	}
}

// waysOfAt are the ways in which texts write "@".
var waysOfAt = []string{"@", "%40", `\u0040`}

func (r *Redactor) addSpellings(address, token string) {
	for _, at := range waysOfAt {
		r.emails[strings.Replace(address, "@", at, 1)] = strings.Replace(token, "@", at, 1)
	}
}
