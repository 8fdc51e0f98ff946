package main

import (
	"fmt"
	"log"
	"strconv"

	"github.com/spf13/pflag"
)

// A setting in force, and where its value comes from.
type setting struct {
	name, value, origin string
}

type settings struct {
	containerRuntime setting // "" from 1.27 on
	runtimeEndpoint  setting
	imageEndpoint    setting
	cgroupDriver     setting
	healthzAddress   setting
	healthzPort      setting
}

// The places where settings come from. A flag wins over drop-ins, the last of these over the others, and all of them over the file.
type sources struct {
	flags  *pflag.FlagSet
	config map[string]configValue
}

// find looks for a setting by the name of its flag and by its key, either of which may be "".
func (sources *sources) find(flag, key, otherwise string) setting {
	if flag != "" && sources.flags.Changed(flag) {
		return setting{flag, sources.flags.Lookup(flag).Value.String(), "flag"}
	}
	if value, ok := sources.config[key]; ok {
		return setting{key, value.value, value.origin}
	}
	if flag == "" {
		flag = key
	}
	return setting{flag, otherwise, "default"}
}

func readSources(arguments []string, release release) (*sources, error) {
	flags, err := parseFlags(arguments, release)
	if err != nil || flags == nil {
		return nil, err
	}
	sources := &sources{flags, map[string]configValue{}}
	if path := flags.Lookup("config").Value.String(); path != "" {
		if err := readConfig(path, release, sources.config); err != nil {
			return nil, err
		}
	}
	if folder := flags.Lookup("config-dir"); folder != nil && folder.Changed {
		if err := readConfigFolder(folder.Value.String(), release, sources.config); err != nil {
			return nil, err
		}
	}
	return sources, nil
}

// defaultEndpoint is where a release looks for its runtime.
func defaultEndpoint(release release) string {
	if release.minor < 24 {
		return "unix:///var/run/dockershim.sock"
	}
	return "unix:///run/containerd/containerd.sock"
}

// readContainerRuntime checks the flag that releases had as long as some runtime was built in.
func readContainerRuntime(sources *sources, release release) (setting, error) {
	if release.minor >= 27 {
		return setting{}, nil
	}
	otherwise := "remote"
	if release.minor < 24 {
		otherwise = "docker"
	}
	found := sources.find("container-runtime", "", otherwise)
	if found.value == "remote" {
		return found, nil
	}
	if found.value == "docker" && release.minor < 24 {
		return found, askDocker(sources)
	}
	return found, fmt.Errorf("unsupported CRI runtime: %q", found.value)
}

func kubeletSettings(arguments []string, release release) (*settings, error) {
	sources, err := readSources(arguments, release)
	if err != nil || sources == nil {
		return nil, err
	}
	runtime, err := readContainerRuntime(sources, release)
	if err != nil {
		return nil, err
	}
	result := &settings{
		containerRuntime: runtime,
		runtimeEndpoint:  sources.find("container-runtime-endpoint", "containerRuntimeEndpoint", defaultEndpoint(release)),
		imageEndpoint:    sources.find("image-service-endpoint", "imageServiceEndpoint", ""),
		cgroupDriver:     sources.find("cgroup-driver", "cgroupDriver", "cgroupfs"),
		healthzAddress:   sources.find("healthz-bind-address", "healthzBindAddress", "127.0.0.1"),
		healthzPort:      sources.find("healthz-port", "healthzPort", "10248"),
	}
	return result, result.check()
}

func (settings *settings) check() error {
	if _, err := strconv.ParseUint(settings.healthzPort.value, 10, 16); err != nil {
		return fmt.Errorf("invalid configuration: healthzPort %q", settings.healthzPort.value)
	}
	if driver := settings.cgroupDriver.value; driver != "cgroupfs" && driver != "systemd" {
		return fmt.Errorf("invalid configuration: cgroupDriver %q", driver)
	}
	if settings.runtimeEndpoint.value == "" {
		return fmt.Errorf("the containerRuntimeEndpoint was not specified in the configuration")
	}
	if settings.imageEndpoint.value == "" {
		settings.imageEndpoint.value = settings.runtimeEndpoint.value
		settings.imageEndpoint.origin += ", as the runtime's"
	}
	return nil
}

func (settings *settings) log() {
	for _, setting := range []setting{settings.containerRuntime, settings.runtimeEndpoint, settings.imageEndpoint,
		settings.cgroupDriver, settings.healthzPort} {
		if setting.name != "" {
			log.Printf("setting %s = %s (%s)", setting.name, setting.value, setting.origin)
		}
	}
}
