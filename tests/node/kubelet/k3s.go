package main

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"
)

const (
	k3sConfig   = "/etc/rancher/k3s/config.yaml"
	k3sEndpoint = "unix:///run/k3s/containerd/containerd.sock"
	k3sKey      = "container-runtime-endpoint"
)

// argumentOf finds the value that one of the kubelet's arguments gives to the option.
func argumentOf(arguments []any, option string) (string, bool) {
	for i := len(arguments) - 1; i >= 0; i-- {
		if name, value, ok := strings.Cut(fmt.Sprint(arguments[i]), "="); ok && strings.TrimLeft(name, "-") == option {
			return value, true
		}
	}
	return "", false
}

// k3sSettings reads what a k3s of the release would give to the kubelet in it: only its own flags and files have a say.
func k3sSettings(arguments []string, release release) (*settings, error) {
	if len(arguments) == 1 && arguments[0] == "--version" {
		fmt.Printf("k3s version %s+k3s1 (0123abcd)\ngo version go1.22.9\n", release.text)
		return nil, nil
	}
	if len(arguments) == 0 || arguments[0] != "server" && arguments[0] != "agent" {
		return nil, fmt.Errorf("k3s: no such command: %q", arguments)
	}
	log.Printf("k3s %s, started with %q", release.text, arguments)
	endpoint := setting{k3sKey, k3sEndpoint, "default"}
	dropIns, _ := filepath.Glob(k3sConfig + ".d/*.yaml")
	for _, path := range append([]string{k3sConfig}, dropIns...) {
		if err := readK3s(path, &endpoint); err != nil {
			return nil, err
		}
	}
	flags := pflag.NewFlagSet("k3s", pflag.ContinueOnError)
	flags.ParseErrorsWhitelist.UnknownFlags = true
	flags.String(k3sKey, "", "")
	if err := flags.Parse(arguments[1:]); err != nil {
		return nil, err
	}
	if flags.Changed(k3sKey) {
		endpoint = setting{k3sKey, flags.Lookup(k3sKey).Value.String(), "flag"}
	}
	result := &settings{
		runtimeEndpoint: endpoint,
		imageEndpoint:   setting{"image-service-endpoint", "", "default"},
		cgroupDriver:    setting{"cgroup-driver", "systemd", "default"},
		healthzAddress:  setting{"healthz-bind-address", "127.0.0.1", "default"},
		healthzPort:     setting{"healthz-port", "10248", "default"},
	}
	return result, result.check()
}

func readK3s(path string, endpoint *setting) error {
	content, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	values := map[string]any{}
	if err := yaml.Unmarshal(content, &values); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if value, ok := values[k3sKey].(string); ok {
		*endpoint = setting{k3sKey, strings.TrimSpace(value), path}
	}
	if list, ok := values["kubelet-arg"].([]any); ok {
		if value, ok := argumentOf(list, k3sKey); ok {
			*endpoint = setting{k3sKey, value, path}
		}
	}
	return nil
}
