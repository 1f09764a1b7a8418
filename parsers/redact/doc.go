// Package redact puts tokens in place of what names people, machines and
// workloads in a bundle, and removes secrets, so that it can be given away and
// still be analyzed.
//
// What is a name is learnt: from the facts that were read of the bundle, and
// from places in its text where only a name can stand. A token has the length
// of what it stands for, so that tables stay aligned and formats that count
// bytes stay whole, and is the same everywhere, so that what belonged together
// still does. Words of Kubernetes itself stay: without them nothing could be
// concluded.
package redact
