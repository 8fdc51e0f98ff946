// A stand-in for the kubelet on the fixture nodes. It reads flags, configuration files and drop-ins by the rules of the release that
// it is told to be, logs where each setting comes from, calls the runtime as that release does, and serves /healthz. It runs no pods.
//
// What it stands for is in /etc/kubelet-stand-in, a line `name=value` each:
//
//	version=v1.31.4    the release, which `kubelet --version` prints
//	fault=exit         ends at once; `hang` makes no call and serves nothing, `sick` calls and serves 500 at /healthz
//	fault_at=ENDPOINT  the fault shows only with this runtime endpoint
//
// Started as `k3s`, it is a k3s of that release.
package main

import (
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
)

const (
	standInFile = "/etc/kubelet-stand-in"
	logFile     = "/run/kubelet.log"
)

// settingsOf reads what the command line says and leads to. An empty result: the command line wanted no more than a text.
func settingsOf(program string, arguments []string, release release) (*settings, error) {
	if program == "k3s" {
		return k3sSettings(arguments, release)
	}
	return kubeletSettings(arguments, release)
}

func run(program string, arguments []string) error {
	standIn, err := readStandIn(standInFile)
	if err != nil {
		return err
	}
	settings, err := settingsOf(program, arguments, standIn.release)
	if err != nil || settings == nil {
		return err
	}
	settings.log()
	if standIn.fault != "" && (standIn.faultAt == "" || standIn.faultAt == settings.runtimeEndpoint.value) {
		log.Printf("fault: %s", standIn.fault)
	} else {
		standIn.fault = ""
	}
	switch standIn.fault {
	case "exit":
		return fmt.Errorf("failed to run Kubelet: it was told to end")
	case "hang":
		select {}
	}
	if settings.containerRuntime.value == "docker" {
		if err := startDockershim(settings, standIn.release); err != nil {
			return err
		}
	}
	return serve(settings, standIn.release, standIn.fault == "sick")
}

func main() {
	if file, err := os.OpenFile(logFile, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644); err == nil {
		log.SetOutput(io.MultiWriter(os.Stderr, file))
	}
	log.SetFlags(log.Ltime | log.Lmicroseconds | log.Lmsgprefix)
	log.SetPrefix(fmt.Sprintf("[%d] ", os.Getpid()))
	if err := run(filepath.Base(os.Args[0]), os.Args[1:]); err != nil {
		log.Printf("command failed: %v", err)
		os.Exit(1)
	}
}
