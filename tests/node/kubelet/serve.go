package main

import (
	"fmt"
	"log"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

const (
	// A kubelet's start waits for the socket of its runtime; here not as long, as the tests have it come at once.
	socketPatience = 3 * time.Second
	round          = time.Second
	// Without an answer for this long, the kubelet is not well.
	staleAfter = 30 * time.Second
)

// A kubelet that calls its runtimes.
type caller struct {
	runtime, images *service
	lastGood        atomic.Int64 // nanoseconds since 1970
	sick            bool
	said            string
}

// awaitSocket waits until somebody listens at the endpoint.
func awaitSocket(service *service) error {
	path := service.connection.Target()[len("passthrough:///"):]
	for end := time.Now().Add(socketPatience); ; time.Sleep(50 * time.Millisecond) {
		connection, err := net.Dial("unix", path)
		if err == nil {
			return connection.Close()
		}
		if time.Now().After(end) {
			return fmt.Errorf("validate service connection: endpoint %q: %w", service.endpoint, err)
		}
	}
}

// versionRequest is {version: "0.1.0"}, as kubelets have it.
func versionRequest() []byte {
	return protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), "0.1.0")
}

func newCaller(settings *settings, release release, sick bool) (*caller, error) {
	result := &caller{sick: sick}
	var err error
	if result.runtime, err = connect(settings.runtimeEndpoint.value, "RuntimeService"); err != nil {
		return nil, err
	}
	if result.images, err = connect(settings.imageEndpoint.value, "ImageService"); err != nil {
		return nil, err
	}
	for _, service := range []*service{result.runtime, result.images} {
		if err := awaitSocket(service); err != nil {
			return nil, err
		}
	}
	if err := result.runtime.validate(release, "Version", versionRequest()); err != nil {
		return nil, err
	}
	return result, result.images.validate(release, "ImageFsInfo", nil)
}

// callAll makes the calls of one round, and says in a line what came.
func (caller *caller) callAll() (string, error) {
	answers := map[string][]byte{}
	for _, method := range []string{"Version", "Status", "ListPodSandbox", "ListContainers"} {
		var request []byte
		if method == "Version" {
			request = versionRequest()
		}
		answer, err := caller.runtime.call(method, request)
		if err != nil {
			return "", fmt.Errorf("%s at %s: %w", method, caller.runtime.endpoint, err)
		}
		answers[method] = answer
	}
	if _, err := caller.images.call("ImageFsInfo", nil); err != nil {
		return "", fmt.Errorf("ImageFsInfo at %s: %w", caller.images.endpoint, err)
	}
	return fmt.Sprintf("calls answered: %s at %s (%s): %d pods, %d containers", textField(answers["Version"], 2), caller.runtime.endpoint,
		caller.runtime.packet, countItems(answers["ListPodSandbox"], 1), countItems(answers["ListContainers"], 1)), nil
}

// relist calls for ever. A line that is as the last is not logged again.
func (caller *caller) relist() {
	for ; ; time.Sleep(round) {
		line, err := caller.callAll()
		if err == nil {
			caller.lastGood.Store(time.Now().UnixNano())
		} else {
			line = "calls failed: " + err.Error()
		}
		if line != caller.said {
			log.Print(line)
			caller.said = line
		}
	}
}

func (caller *caller) healthz(writer http.ResponseWriter, _ *http.Request) {
	if caller.sick || time.Since(time.Unix(0, caller.lastGood.Load())) > staleAfter {
		http.Error(writer, "[-]syncloop failed\nhealthz check failed", http.StatusInternalServerError)
		return
	}
	fmt.Fprint(writer, "ok")
}

func serve(settings *settings, release release, sick bool) error {
	caller, err := newCaller(settings, release, sick)
	if err != nil {
		return fmt.Errorf("failed to run Kubelet: %w", err)
	}
	if settings.healthzPort.value != "0" {
		listener, err := net.Listen("tcp", net.JoinHostPort(settings.healthzAddress.value, settings.healthzPort.value))
		if err != nil {
			return fmt.Errorf("failed to start healthz server: %w", err)
		}
		http.HandleFunc("/healthz", caller.healthz)
		go func() { log.Fatal(http.Serve(listener, nil)) }()
	}
	caller.relist()
	return nil
}
