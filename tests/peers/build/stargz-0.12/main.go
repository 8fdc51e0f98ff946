// The CRI image service of stargz-snapshotter, as its containerd-stargz-grpc serves it, without the snapshotter: that needs FUSE.
//
// usage: stargz SOCKET SOCKET_OF_THE_RUNTIME
package main

import (
	"context"
	"log"
	"net"
	"os"

	"github.com/containerd/stargz-snapshotter/service/keychain/cri"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	runtime "k8s.io/cri-api/pkg/apis/runtime/v1alpha2"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: stargz SOCKET SOCKET_OF_THE_RUNTIME")
	}
	os.Remove(os.Args[1])
	listener, err := net.Listen("unix", os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	_, service := cri.NewCRIKeychain(context.Background(), func() (runtime.ImageServiceClient, error) {
		connection, err := grpc.Dial("unix://"+os.Args[2], grpc.WithTransportCredentials(insecure.NewCredentials()))
		return runtime.NewImageServiceClient(connection), err
	})
	server := grpc.NewServer()
	runtime.RegisterImageServiceServer(server, service)
	log.Fatal(server.Serve(listener))
}
