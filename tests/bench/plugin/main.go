// A plugin on grpc-go, as koordlet is one: it answers each hook with what it was sent. The bench calls it directly, through the bare
// pass-through and through crigate.
//
// usage: bench-plugin SOCKET
package main

import (
	"context"
	"log"
	"net"
	"os"

	"google.golang.org/grpc"

	"crigate/tests/bench/plugin/hook"
)

type handler = func(any, context.Context, func(any) error, grpc.UnaryServerInterceptor) (any, error)

func answerPod(_ any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
	request := new(hook.PodSandboxHookRequest)
	if err := decode(request); err != nil {
		return nil, err
	}
	return &hook.PodSandboxHookResponse{
		Labels:       request.Labels,
		Annotations:  request.Annotations,
		CgroupParent: request.CgroupParent,
		Resources:    request.Resources,
	}, nil
}

func answerContainer(_ any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
	request := new(hook.ContainerResourceHookRequest)
	if err := decode(request); err != nil {
		return nil, err
	}
	return &hook.ContainerResourceHookResponse{
		ContainerAnnotations: request.ContainerAnnotations,
		ContainerResources:   request.ContainerResources,
		PodCgroupParent:      request.PodCgroupParent,
		ContainerEnvs:        request.ContainerEnvs,
	}, nil
}

func main() {
	if len(os.Args) != 2 {
		log.Fatalf("usage: %s SOCKET", os.Args[0])
	}
	listener, err := net.Listen("unix", os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	methods := map[string]handler{
		"PreRunPodSandboxHook":            answerPod,
		"PostStopPodSandboxHook":          answerPod,
		"PreCreateContainerHook":          answerContainer,
		"PreStartContainerHook":           answerContainer,
		"PostStartContainerHook":          answerContainer,
		"PostStopContainerHook":           answerContainer,
		"PreUpdateContainerResourcesHook": answerContainer,
	}
	service := grpc.ServiceDesc{ServiceName: "runtime.v1alpha1.RuntimeHookService", HandlerType: (*any)(nil)}
	for name, answer := range methods {
		service.Methods = append(service.Methods, grpc.MethodDesc{MethodName: name, Handler: answer})
	}
	server := grpc.NewServer()
	server.RegisterService(&service, struct{}{})
	log.Fatal(server.Serve(listener))
}
