package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// Where the containers of the node's Docker are kept, which cri-dockerd has as well.
const dockerState = "/var/lib/docker.json"

// askDocker looks whether Docker is there, as a kubelet with Docker built in does before anything else.
func askDocker(sources *sources) error {
	endpoint := sources.find("docker-endpoint", "", "unix:///var/run/docker.sock").value
	for end := time.Now().Add(socketPatience); ; time.Sleep(50 * time.Millisecond) {
		connection, err := net.Dial("unix", strings.TrimPrefix(endpoint, "unix://"))
		if err == nil {
			return connection.Close()
		}
		if time.Now().After(end) {
			return fmt.Errorf("failed to get docker version (--container-runtime=docker): endpoint %q: %w", endpoint, err)
		}
	}
}

// startDockershim serves CRI for Docker at the endpoint that the kubelet then calls, for as long as the kubelet runs.
func startDockershim(settings *settings, release release) error {
	dialect := "v1alpha2"
	switch {
	case release.minor < 10:
		dialect = "v1_9"
	case release.minor < 13:
		dialect = "v1_12"
	}
	shim := exec.Command("/usr/bin/crisim", "--listen", settings.runtimeEndpoint.value, "--api", dialect, "--name", "docker",
		"--runtime-version", "20.10.24", "--containers", "4", "--images", "3", "--state", dockerState, "--status-config", "")
	shim.Stderr = os.Stderr
	shim.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return shim.Start()
}
