package main

import (
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A key of KubeletConfiguration that the fixtures have or that matters here, and the minor version in which it came, if after 1.11.
type configKey struct {
	since int
	// Whether its value is a mapping or a list.
	nested bool
}

var configKeys = map[string]configKey{
	"address":                          {},
	"apiVersion":                       {},
	"authentication":                   {nested: true},
	"authorization":                    {nested: true},
	"cgroupDriver":                     {},
	"clusterDNS":                       {nested: true},
	"clusterDomain":                    {},
	"containerLogMaxSize":              {},
	"containerRuntimeEndpoint":         {since: 27},
	"cpuManagerReconcilePeriod":        {},
	"crashLoopBackOff":                 {since: 32, nested: true},
	"evictionHard":                     {nested: true},
	"evictionPressureTransitionPeriod": {},
	"failCgroupV1":                     {since: 31},
	"failSwapOn":                       {},
	"featureGates":                     {nested: true},
	"fileCheckFrequency":               {},
	"healthzBindAddress":               {},
	"healthzPort":                      {},
	"httpCheckFrequency":               {},
	"imageMaximumGCAge":                {since: 29},
	"imageMinimumGCAge":                {},
	"imageServiceEndpoint":             {since: 27},
	"kind":                             {},
	"kubeReserved":                     {nested: true},
	"logging":                          {since: 19, nested: true},
	"maxPods":                          {},
	"memorySwap":                       {since: 22, nested: true},
	"nodeStatusReportFrequency":        {since: 14},
	"nodeStatusUpdateFrequency":        {},
	"protectKernelDefaults":            {},
	"resolvConf":                       {},
	"rotateCertificates":               {},
	"runtimeRequestTimeout":            {},
	"shutdownGracePeriod":              {since: 20},
	"shutdownGracePeriodCriticalPods":  {since: 20},
	"staticPodPath":                    {},
	"streamingConnectionIdleTimeout":   {},
	"syncFrequency":                    {},
	"systemReserved":                   {nested: true},
	"volumeStatsAggPeriod":             {},
}

// A value of a configuration file, and where it is.
type configValue struct {
	value, origin string
}

// readConfig adds the values of a file to those of the files before it. A key that the release does not know is logged and ignored,
// as kubelets do with the configuration's version v1beta1; anything else that is wrong ends them.
func readConfig(path string, release release, values map[string]configValue) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("failed to load kubelet config file: %w", err)
	}
	var document yaml.Node
	if err := yaml.Unmarshal(content, &document); err != nil {
		return fmt.Errorf("failed to load kubelet config file %s: %w", path, err)
	}
	if len(document.Content) != 1 || document.Content[0].Kind != yaml.MappingNode {
		return fmt.Errorf("failed to load kubelet config file %s: no mapping", path)
	}
	pairs := document.Content[0].Content
	found := map[string]configValue{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if err := readKey(path, release, pairs[i], pairs[i+1], found); err != nil {
			return err
		}
	}
	if found["kind"].value != "KubeletConfiguration" || found["apiVersion"].value != "kubelet.config.k8s.io/v1beta1" {
		return fmt.Errorf("failed to load kubelet config file %s: it is no KubeletConfiguration of v1beta1", path)
	}
	for key, value := range found {
		values[key] = value
	}
	return nil
}

func readKey(path string, release release, key, value *yaml.Node, found map[string]configValue) error {
	known, ok := configKeys[key.Value]
	if !ok || release.minor < known.since {
		log.Printf("Using lenient decoding as strict decoding failed: %s:%d: unknown field %q", path, key.Line, key.Value)
		return nil
	}
	scalar := value.Kind == yaml.ScalarNode
	if known.nested == scalar && value.Tag != "!!null" {
		return fmt.Errorf("failed to load kubelet config file %s:%d: %s has another type", path, key.Line, key.Value)
	}
	// What kubeadm has no value for, it writes as "".
	if scalar && value.Tag != "!!null" && value.Value != "" {
		found[key.Value] = configValue{value.Value, fmt.Sprintf("%s:%d", path, value.Line)}
	}
	return nil
}

// readConfigFolder reads the drop-ins of a folder in their order. Other files are no concern of the kubelet's.
func readConfigFolder(folder string, release release, values map[string]configValue) error {
	return filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".conf") {
			return err
		}
		return readConfig(path, release, values)
	})
}
