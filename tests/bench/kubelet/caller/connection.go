package main

import (
	"context"
	"fmt"
	"net"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"

	"crigate/tests/bench/kubelet/raw"
)

// What kubelets have (seen in cri-client 0.36). Keep-alive and the user agent are grpc-go's defaults there, too.
const (
	mostMessageBytes  = 16 << 20
	minConnectTimeout = 5 * time.Second
	firstBackoff      = 100 * time.Millisecond
	lastBackoff       = 3 * time.Second
	callDeadline      = 2 * time.Minute
)

// connect does not wait for the process at the address, "unix:///run/x.sock".
func connect(address string) (*grpc.ClientConn, error) {
	path, ok := strings.CutPrefix(address, "unix://")
	if !ok {
		return nil, fmt.Errorf("%s is not the address of a Unix socket", address)
	}
	dial := func(ctx context.Context, path string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", path)
	}
	parameters := grpc.ConnectParams{Backoff: backoff.DefaultConfig, MinConnectTimeout: minConnectTimeout}
	parameters.Backoff.BaseDelay = firstBackoff
	parameters.Backoff.MaxDelay = lastBackoff
	return grpc.NewClient("passthrough:///"+path,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithAuthority("localhost"),
		grpc.WithContextDialer(dial),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(mostMessageBytes)),
		grpc.WithConnectParams(parameters))
}

// request is what is sent on one connection, and how long the answer was the first time.
type request struct {
	connection *grpc.ClientConn
	method     string
	message    raw.Message
	answerSize int
}

// call makes one call, and returns the length of the answer.
func (request *request) call() (int, error) {
	ctx, cancel := context.WithTimeout(context.Background(), callDeadline)
	defer cancel()
	var answer raw.Size
	err := request.connection.Invoke(ctx, request.method, &request.message, &answer)
	return answer.Bytes, err
}

// checkedCall makes one call, whose answer must be as long as the first.
func (request *request) checkedCall() error {
	size, err := request.call()
	if err == nil && size != request.answerSize {
		err = fmt.Errorf("answered with %d bytes, and with %d before", size, request.answerSize)
	}
	return err
}
