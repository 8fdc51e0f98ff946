// The runtime hooks of a koordlet, as koordlet runs them: its own server, its own plugins, its own flags and its own file for the
// folder of plugins. Left out is what needs a cluster: nodes, pods and policies come from nowhere, so only what a call itself says
// has an effect.
package main

import (
	"flag"
	"os"
	"os/signal"
	"syscall"

	"github.com/koordinator-sh/koordinator/pkg/koordlet/runtimehooks"
	"github.com/koordinator-sh/koordinator/pkg/koordlet/statesinformer"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/klog/v2"
)

// nowhere is what koordlet knows of the cluster: nothing.
type nowhere struct{ statesinformer.StatesInformer }

func (nowhere) RegisterCallbacks(statesinformer.RegisterType, string, string, statesinformer.UpdateCbFn) {}

func main() {
	klog.InitFlags(nil)
	config := runtimehooks.NewDefaultConfig()
	config.InitFlags(flag.CommandLine)
	flag.Parse()
	hook, err := runtimehooks.NewRuntimeHook(nowhere{}, config, runtime.NewScheme(), fake.NewSimpleClientset(), "node")
	if err != nil {
		klog.Fatal(err)
	}
	stop := make(chan struct{})
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	go func() { <-signals; close(stop) }()
	if err := hook.Run(stop); err != nil {
		klog.Fatal(err)
	}
}
