// Does what kubectl does for exec, attach and port-forward, with kubectl's own library, at any URL: a kubelet's, or one that a runtime answers.
//
// usage: stream-client spdy|websocket exec|forward [-tty] [-port PORT] [-until TEXT] [-seconds N] URL
//
// websocket is as kubectl: v5.channel.k8s.io, or SPDY where the server does not take that. Standard input is what is sent; exec also attaches.
// Reads to the end, or until TEXT has come. Prints {"out", "err", "error"}; {"refused"} if the streams were not opened.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/httpstream"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/client-go/transport/spdy"
	"k8s.io/client-go/util/exec"
)

var (
	tty     = flag.Bool("tty", false, "a terminal")
	port    = flag.String("port", "", "of the pod")
	until   = flag.String("until", "", "end when this has come")
	seconds = flag.Int("seconds", 15, "end then at the latest")
	config  = &rest.Config{TLSClientConfig: rest.TLSClientConfig{Insecure: true}}
)

// A sink keeps what comes, and calls done when the text has come that is waited for.
type sink struct {
	sync.Mutex
	bytes.Buffer
	done func()
}

func (s *sink) Write(data []byte) (int, error) {
	s.Lock()
	defer s.Unlock()
	n, err := s.Buffer.Write(data)
	if s.done != nil && *until != "" && strings.Contains(s.Buffer.String(), *until) {
		s.done()
	}
	return n, err
}

func (s *sink) text() string {
	s.Lock()
	defer s.Unlock()
	return s.Buffer.String()
}

// A source gives all that is sent, and then says nothing until the streams end.
type source struct {
	io.Reader
	ended <-chan struct{}
}

func (s *source) Read(data []byte) (int, error) {
	n, err := s.Reader.Read(data)
	if errors.Is(err, io.EOF) {
		<-s.ended
	}
	return n, err
}

func falls(err error) bool {
	return httpstream.IsUpgradeFailure(err) || httpstream.IsHTTPSProxyError(err)
}

func executor(protocol string, place *url.URL) (remotecommand.Executor, error) {
	spdyExecutor, err := remotecommand.NewSPDYExecutor(config, http.MethodPost, place)
	if err != nil || protocol == "spdy" {
		return spdyExecutor, err
	}
	websocketExecutor, err := remotecommand.NewWebSocketExecutor(config, http.MethodGet, place.String())
	if err != nil {
		return nil, err
	}
	return remotecommand.NewFallbackExecutor(websocketExecutor, spdyExecutor, falls)
}

func dialer(protocol string, place *url.URL) (httpstream.Dialer, error) {
	transport, upgrader, err := spdy.RoundTripperFor(config)
	if err != nil {
		return nil, err
	}
	spdyDialer := spdy.NewDialer(upgrader, &http.Client{Transport: transport}, http.MethodPost, place)
	if protocol == "spdy" {
		return spdyDialer, nil
	}
	websocketDialer, err := portforward.NewSPDYOverWebsocketDialer(place, config)
	if err != nil {
		return nil, err
	}
	return portforward.NewFallbackDialer(websocketDialer, spdyDialer, falls), nil
}

func run(ctx context.Context, protocol string, place *url.URL, given []byte, out, errors *sink) error {
	one, err := executor(protocol, place)
	if err != nil {
		return err
	}
	options := remotecommand.StreamOptions{Stdout: out, Tty: *tty}
	if !*tty {
		options.Stderr = errors
	}
	if len(given) > 0 {
		options.Stdin = &source{bytes.NewReader(given), ctx.Done()}
	}
	return one.StreamWithContext(ctx, options)
}

// forward is one connection to a port: the first stream is for errors, the second for data.
func forward(ctx context.Context, protocol string, place *url.URL, given []byte, out, errors *sink) error {
	one, err := dialer(protocol, place)
	if err != nil {
		return err
	}
	connection, _, err := one.Dial(portforward.PortForwardProtocolV1Name)
	if err != nil {
		return err
	}
	defer connection.Close()
	headers := http.Header{}
	headers.Set(corev1.StreamType, corev1.StreamTypeError)
	headers.Set(corev1.PortHeader, *port)
	headers.Set(corev1.PortForwardRequestIDHeader, "0")
	errorStream, err := connection.CreateStream(headers)
	if err != nil {
		return err
	}
	errorStream.Close()
	headers.Set(corev1.StreamType, corev1.StreamTypeData)
	data, err := connection.CreateStream(headers)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { _, err := io.Copy(errors, errorStream); ended <- err }()
	go func() { _, err := io.Copy(out, data); ended <- err }()
	if _, err := data.Write(given); err != nil {
		return err
	}
	for range 2 {
		select {
		case <-ended:
		case <-ctx.Done():
			return nil
		}
	}
	return nil
}

// verdict is what the server said in the end.
func verdict(err error) any {
	var exit exec.ExitError
	var status interface{ Status() metav1.Status }
	switch {
	case err == nil:
		return nil
	case errors.As(err, &exit):
		return map[string]any{"exit": exit.ExitStatus()}
	case errors.As(err, &status):
		return map[string]any{"reason": status.Status().Reason, "message": status.Status().Message}
	}
	return map[string]any{"message": err.Error()}
}

func main() {
	if len(os.Args) < 4 || flag.CommandLine.Parse(os.Args[3:]) != nil || flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: stream-client spdy|websocket exec|forward [-tty] [-port PORT] [-until TEXT] [-seconds N] URL")
		os.Exit(64)
	}
	place, err := url.Parse(flag.Arg(0))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(64)
	}
	given, err := io.ReadAll(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(*seconds)*time.Second)
	defer cancel()
	out, failed := &sink{done: cancel}, &sink{}
	does := run
	if os.Args[2] == "forward" {
		does = forward
	}
	err = does(ctx, os.Args[1], place, given, out, failed)
	said := map[string]any{"out": out.text(), "err": failed.text(), "error": verdict(err)}
	if *until != "" && strings.Contains(out.text(), *until) {
		said["error"] = nil
	}
	json.NewEncoder(os.Stdout).Encode(said)
}
