//go:build tools

// Package tools pins the programs that the end-to-end tests put in front of the gateway.
// crictl is named in go.mod. critest is a test of cri-tools, and go.mod only keeps what it needs if something imports it.
package tools

import (
	_ "sigs.k8s.io/cri-tools/pkg/benchmark"
	_ "sigs.k8s.io/cri-tools/pkg/validate"
)
