package main

import (
	"context"
	"fmt"
	"net"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding"
	_ "google.golang.org/grpc/encoding/proto" // registered first, so that ours replaces it
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
)

// What kubelets have (seen in cri-client 0.36).
const (
	firstBackoff = 100 * time.Millisecond
	lastBackoff  = 3 * time.Second
	callDeadline = 2 * time.Minute
)

// codec carries messages as bytes, so that no stubs of CRI are needed.
type codec struct{}

func (codec) Name() string {
	return "proto"
}

func (codec) Marshal(value any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(*value.(*[]byte))}, nil
}

func (codec) Unmarshal(data mem.BufferSlice, value any) error {
	*value.(*[]byte) = data.Materialize()
	return nil
}

func init() {
	encoding.RegisterCodecV2(codec{})
}

// A service of a runtime, as a release calls it.
type service struct {
	endpoint   string
	name       string // "RuntimeService"
	connection *grpc.ClientConn
	packet     string // "runtime.v1"
}

func connect(endpoint, name string) (*service, error) {
	path := strings.TrimPrefix(endpoint, "unix://")
	if !strings.HasPrefix(path, "/") {
		return nil, fmt.Errorf("endpoint %q: only unix sockets are supported", endpoint)
	}
	dial := func(ctx context.Context, path string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", path)
	}
	parameters := grpc.ConnectParams{Backoff: backoff.DefaultConfig, MinConnectTimeout: 5 * time.Second}
	parameters.Backoff.BaseDelay = firstBackoff
	parameters.Backoff.MaxDelay = lastBackoff
	connection, err := grpc.NewClient("passthrough:///"+path, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithAuthority("localhost"), grpc.WithContextDialer(dial), grpc.WithConnectParams(parameters),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(16<<20)))
	return &service{endpoint: endpoint, name: name, connection: connection}, err
}

func (service *service) call(method string, request []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), callDeadline)
	defer cancel()
	var answer []byte
	err := service.connection.Invoke(ctx, "/"+service.packet+"."+service.name+"/"+method, &request, &answer)
	return answer, err
}

// packages of CRI that a release tries, in that order.
func packages(release release) []string {
	switch {
	case release.minor < 10:
		return []string{"runtime"}
	case release.minor < 23:
		return []string{"runtime.v1alpha2"}
	case release.minor < 26:
		return []string{"runtime.v1", "runtime.v1alpha2"}
	}
	return []string{"runtime.v1"}
}

// validate finds the package that the service has, by a call that has no effect.
func (service *service) validate(release release, method string, request []byte) (err error) {
	for _, service.packet = range packages(release) {
		if _, err = service.call(method, request); status.Code(err) != codes.Unimplemented {
			break
		}
	}
	if err != nil {
		err = fmt.Errorf("validate service connection: validate CRI API for endpoint %q: %w", service.endpoint, err)
	}
	return err
}

// countItems counts the fields of that number in a message.
func countItems(message []byte, field protowire.Number) (count int) {
	for len(message) > 0 {
		number, _, length := protowire.ConsumeField(message)
		if length < 0 {
			return count
		}
		if number == field {
			count++
		}
		message = message[length:]
	}
	return count
}

// textField is the last field of that number in a message.
func textField(message []byte, field protowire.Number) (text string) {
	for len(message) > 0 {
		number, kind, length := protowire.ConsumeField(message)
		if length < 0 {
			return text
		}
		if number == field && kind == protowire.BytesType {
			_, _, start := protowire.ConsumeTag(message)
			content, _ := protowire.ConsumeBytes(message[start:])
			text = string(content)
		}
		message = message[length:]
	}
	return text
}
