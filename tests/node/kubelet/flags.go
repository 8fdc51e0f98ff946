package main

import (
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/spf13/pflag"
)

type flagKind int

const (
	text flagKind = iota
	boolean
	number
	duration
	list
)

// A flag of the kubelet: the minor versions in which it came, if after 1.9, and in which it was gone. A kubelet that gets a flag that
// it does not know ends.
type flagRow struct {
	name        string
	kind        flagKind
	since, gone int
}

var flagRows = []flagRow{
	{name: "allow-privileged", kind: boolean, gone: 15},
	{name: "anonymous-auth", kind: boolean},
	{name: "authentication-token-webhook", kind: boolean},
	{name: "authorization-mode"},
	{name: "bootstrap-kubeconfig"},
	{name: "cadvisor-port", kind: number, gone: 12},
	{name: "cert-dir"},
	{name: "cgroup-driver"},
	{name: "client-ca-file"},
	{name: "cloud-provider"},
	{name: "cluster-dns", kind: list},
	{name: "cluster-domain"},
	{name: "cni-bin-dir", gone: 24},
	{name: "cni-cache-dir", since: 18, gone: 24},
	{name: "cni-conf-dir", gone: 24},
	{name: "config"},
	{name: "config-dir", since: 28},
	{name: "container-runtime", gone: 27},
	{name: "container-runtime-endpoint"},
	{name: "docker-endpoint", gone: 24},
	{name: "dynamic-config-dir", gone: 24},
	{name: "eviction-hard"},
	{name: "fail-swap-on", kind: boolean},
	{name: "feature-gates"},
	{name: "healthz-bind-address"},
	{name: "healthz-port", kind: number},
	{name: "hostname-override"},
	{name: "image-pull-progress-deadline", kind: duration, gone: 24},
	{name: "image-service-endpoint"},
	{name: "kubeconfig"},
	{name: "logtostderr", kind: boolean, gone: 26},
	{name: "max-pods", kind: number},
	{name: "network-plugin", gone: 24},
	{name: "node-ip"},
	{name: "node-labels"},
	{name: "pod-infra-container-image", gone: 35},
	{name: "pod-manifest-path"},
	{name: "read-only-port", kind: number},
	{name: "register-with-taints"},
	{name: "resolv-conf"},
	{name: "root-dir"},
	{name: "rotate-certificates", kind: boolean},
	{name: "runtime-cgroups"},
	{name: "runtime-request-timeout", kind: duration},
	{name: "streaming-connection-idle-timeout", kind: duration},
}

// flagSet has the flags of a release.
func flagSet(release release) *pflag.FlagSet {
	flags := pflag.NewFlagSet("kubelet", pflag.ContinueOnError)
	flags.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		return pflag.NormalizedName(strings.ReplaceAll(name, "_", "-"))
	})
	for _, row := range flagRows {
		if !release.within(row.since, row.gone) {
			continue
		}
		switch row.kind {
		case text:
			flags.String(row.name, "", "")
		case boolean:
			flags.Bool(row.name, false, "")
		case number:
			flags.Int32(row.name, 0, "")
		case duration:
			flags.Duration(row.name, 0, "")
		case list:
			flags.StringSlice(row.name, nil, "")
		}
	}
	flags.StringP("v", "v", "0", "")
	flags.Bool("version", false, "")
	return flags
}

// parseFlags reads a command line. No flags and no error: it wanted the version only, which is printed.
func parseFlags(arguments []string, release release) (*pflag.FlagSet, error) {
	flags := flagSet(release)
	if err := flags.Parse(arguments); err != nil {
		return nil, fmt.Errorf("failed to parse kubelet flag: %w", err)
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("unknown command %s", flags.Arg(0))
	}
	if wanted, _ := flags.GetBool("version"); wanted {
		fmt.Println("Kubernetes", release.text)
		return nil, nil
	}
	if flags.Changed("config-dir") && release.minor < 30 && os.Getenv("KUBELET_CONFIG_DROPIN_DIR_ALPHA") == "" {
		return nil, fmt.Errorf("--config-dir needs KUBELET_CONFIG_DROPIN_DIR_ALPHA in the environment")
	}
	log.Printf("Kubernetes %s, started with %q", release.text, arguments)
	return flags, nil
}
