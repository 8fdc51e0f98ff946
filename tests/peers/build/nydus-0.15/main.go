// The CRI image service of nydus-snapshotter, as the snapshotter serves it, without the rest: that needs nydusd.
//
// usage: nydus SOCKET SOCKET_OF_THE_RUNTIME
package main

import (
	"context"
	"log"
	"net"
	"os"

	"github.com/containerd/nydus-snapshotter/pkg/auth"
	"google.golang.org/grpc"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: nydus SOCKET SOCKET_OF_THE_RUNTIME")
	}
	os.Remove(os.Args[1])
	listener, err := net.Listen("unix", os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	server := grpc.NewServer()
	auth.AddImageProxy(context.Background(), server, os.Args[2])
	log.Fatal(server.Serve(listener))
}
