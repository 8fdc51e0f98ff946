// A runtime on grpc-go, as real ones are: its frames differ from those of a runtime on C core. It answers from memory. The answer to
// a request that it has not seen before comes from another runtime, BEHIND, so that it knows nothing of CRI but names.
//
// usage: bench-runtime LISTEN BEHIND   (addresses as unix:///path)
package main

import (
	"context"
	"fmt"
	"log"
	"net"
	"os"
	"strings"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"crigate/tests/bench/kubelet/raw"
)

const mostMessageBytes = 16 << 20

// What the runtime answers; the rest is UNIMPLEMENTED, as it is in a runtime of an earlier version.
var services = map[string][]string{
	"runtime.v1.RuntimeService": {"Version", "Status", "RuntimeConfig", "ListPodSandbox", "PodSandboxStatus", "ListContainers",
		"ContainerStatus", "CreateContainer"},
	"runtime.v1.ImageService": {"ListImages", "ImageStatus", "ImageFsInfo"},
}

type answer struct {
	message raw.Message
	err     error
}

type memory struct {
	behind  *grpc.ClientConn
	answers sync.Map // answer, by method and request
}

// answer comes from memory if the call was made before.
func (memory *memory) answer(ctx context.Context, method string, request *raw.Message) (*raw.Message, error) {
	key := method + "\x00" + string(request.Bytes)
	known, ok := memory.answers.Load(key)
	if !ok {
		first := &answer{}
		first.err = memory.behind.Invoke(ctx, method, request, &first.message)
		if ctx.Err() != nil {
			return nil, status.FromContextError(ctx.Err()).Err()
		}
		known, _ = memory.answers.LoadOrStore(key, first)
	}
	found := known.(*answer)
	if found.err != nil {
		return nil, found.err
	}
	return &found.message, nil
}

// method is the handler of one RPC, of the form that generated stubs have.
func method(service, rpc string) grpc.MethodDesc {
	path := "/" + service + "/" + rpc
	return grpc.MethodDesc{
		MethodName: rpc,
		Handler: func(server any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
			var request raw.Message
			if err := decode(&request); err != nil {
				return nil, err
			}
			return server.(*memory).answer(ctx, path, &request)
		},
	}
}

func serve(listen, behind string) error {
	path, ok := strings.CutPrefix(listen, "unix://")
	if !ok {
		return fmt.Errorf("%s is not the address of a Unix socket", listen)
	}
	connection, err := grpc.NewClient(behind, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithAuthority("localhost"),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(mostMessageBytes)))
	if err != nil {
		return err
	}
	server := grpc.NewServer(grpc.MaxRecvMsgSize(mostMessageBytes), grpc.MaxSendMsgSize(mostMessageBytes))
	memory := &memory{behind: connection}
	for service, rpcs := range services {
		description := grpc.ServiceDesc{ServiceName: service, HandlerType: (*any)(nil)}
		for _, rpc := range rpcs {
			description.Methods = append(description.Methods, method(service, rpc))
		}
		server.RegisterService(&description, memory)
	}
	listener, err := net.Listen("unix", path)
	if err != nil {
		return err
	}
	return server.Serve(listener)
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatalf("usage: %s LISTEN BEHIND", os.Args[0])
	}
	log.Fatalf("bench-runtime: %v", serve(os.Args[1], os.Args[2]))
}
