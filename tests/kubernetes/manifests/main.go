// Whether the manifests in deploy/kubernetes are what Kubernetes takes, and whether the Helm chart with its default values is the same as
// the kustomization base. Nothing is asked of a cluster.
//
// usage: manifests FOLDER          FOLDER is deploy/kubernetes
//
// kustomize builds each kustomization, and Helm's engine renders the chart, as their programs do. Each object is decoded into the type
// that Kubernetes' API has for it; a field that the type does not have, and one that stands twice, is an error. Then come promises of
// docs/kubernetes.md.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// Objects by kind, namespace and name, each as JSON in one form.
type objects map[string]string

func newOf(apiVersion, kind string) (any, error) {
	switch apiVersion + " " + kind {
	case "v1 Namespace":
		return &corev1.Namespace{}, nil
	case "v1 ServiceAccount":
		return &corev1.ServiceAccount{}, nil
	case "v1 ConfigMap":
		return &corev1.ConfigMap{}, nil
	case "v1 Pod":
		return &corev1.Pod{}, nil
	case "apps/v1 DaemonSet":
		return &appsv1.DaemonSet{}, nil
	case "node.k8s.io/v1 RuntimeClass":
		return &nodev1.RuntimeClass{}, nil
	}
	return nil, fmt.Errorf("no type is known for %s %s", apiVersion, kind)
}

type header struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Namespace string `json:"namespace"`
		Name      string `json:"name"`
	} `json:"metadata"`
}

func hasObject(document string) bool {
	for _, line := range strings.Split(document, "\n") {
		if text := strings.TrimSpace(line); text != "" && !strings.HasPrefix(text, "#") {
			return true
		}
	}
	return false
}

// add decodes one document strictly and looks at it.
func (found objects) add(document string) error {
	var head header
	if err := yaml.Unmarshal([]byte(document), &head); err != nil {
		return err
	}
	name := fmt.Sprintf("%s %s/%s", head.Kind, head.Metadata.Namespace, head.Metadata.Name)
	object, err := newOf(head.APIVersion, head.Kind)
	if err != nil {
		return err
	}
	if err := yaml.UnmarshalStrict([]byte(document), object); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if set, ok := object.(*appsv1.DaemonSet); ok {
		if err := checkDaemonSet(set); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if _, twice := found[name]; twice {
		return fmt.Errorf("%s stands twice", name)
	}
	text, err := json.Marshal(object)
	found[name] = string(text)
	return err
}

func (found objects) addAll(text string) error {
	for _, document := range strings.Split("\n"+text, "\n---") {
		if hasObject(document) {
			if err := found.add(document); err != nil {
				return err
			}
		}
	}
	return nil
}

// ---- promises ----

func isUnprivileged(container corev1.Container) error {
	context := container.SecurityContext
	switch {
	case context == nil || context.Privileged != nil && *context.Privileged:
		return errors.New("is privileged, or does not say that it is not")
	case context.RunAsNonRoot == nil || !*context.RunAsNonRoot || context.RunAsUser == nil || *context.RunAsUser == 0:
		return errors.New("may run as root")
	case context.AllowPrivilegeEscalation == nil || *context.AllowPrivilegeEscalation:
		return errors.New("may get more rights")
	case context.ReadOnlyRootFilesystem == nil || !*context.ReadOnlyRootFilesystem:
		return errors.New("may write to its root")
	case context.Capabilities == nil || !slices.Equal(context.Capabilities.Drop, []corev1.Capability{"ALL"}) || len(context.Capabilities.Add) > 0:
		return errors.New("has capabilities")
	case context.SeccompProfile == nil || context.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault:
		return errors.New("has no seccomp profile")
	}
	for _, mount := range container.VolumeMounts {
		if mount.Name != "report" || !mount.ReadOnly {
			return fmt.Errorf("mounts %s", mount.Name)
		}
	}
	return nil
}

func checkDaemonSet(set *appsv1.DaemonSet) error {
	pod := set.Spec.Template
	for name, value := range set.Spec.Selector.MatchLabels {
		if pod.Labels[name] != value {
			return fmt.Errorf("its pods do not have the label %s=%s that it selects", name, value)
		}
	}
	if len(pod.Spec.NodeSelector) == 0 {
		return errors.New("begins on all nodes at once")
	}
	if set.Labels["app.kubernetes.io/name"] != "crigate" {
		return nil
	}
	if pod.Spec.HostPID || pod.Spec.HostIPC || pod.Spec.HostNetwork {
		return errors.New("has namespaces of the host")
	}
	if pod.Spec.AutomountServiceAccountToken == nil || *pod.Spec.AutomountServiceAccountToken {
		return errors.New("has a token")
	}
	for _, container := range pod.Spec.Containers {
		if err := isUnprivileged(container); err != nil {
			return fmt.Errorf("container %s %w", container.Name, err)
		}
	}
	return nil
}

// ---- where they come from ----

func kustomization(folder string) (objects, error) {
	found := objects{}
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), folder)
	if err != nil {
		return nil, err
	}
	text, err := built.AsYaml()
	if err != nil {
		return nil, err
	}
	return found, found.addAll(string(text))
}

func chart(folder string, set map[string]any) (objects, error) {
	found := objects{}
	loaded, err := loader.Load(folder)
	if err != nil {
		return nil, err
	}
	release := chartutil.ReleaseOptions{Name: "crigate", Namespace: "crigate-system", Revision: 1, IsInstall: true}
	values, err := chartutil.ToRenderValues(loaded, set, release, chartutil.DefaultCapabilities)
	if err != nil {
		return nil, err
	}
	rendered, err := engine.Engine{Strict: true}.Render(loaded, values)
	if err != nil {
		return nil, err
	}
	for name, text := range rendered {
		if !strings.HasSuffix(name, ".yaml") {
			continue
		}
		if err := found.addAll(text); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return found, nil
}

func same(one, other objects) error {
	for name, text := range one {
		if other[name] != text {
			return fmt.Errorf("%s differs:\n%s\n%s", name, text, other[name])
		}
	}
	if len(one) != len(other) {
		return fmt.Errorf("%d objects, and %d", len(one), len(other))
	}
	return nil
}

// checkValues: whether what may be set arrives.
func checkValues(folder string) error {
	found, err := chart(folder, map[string]any{
		"image":          map[string]any{"repository": "example.com/it", "tag": "7", "pullSecrets": []any{map[string]any{"name": "secret"}}},
		"namespace":      map[string]any{"name": "elsewhere", "create": false},
		"installOptions": []any{"--runtime", "kata=unix:///run/kata.sock"},
		"maxUnavailable": 3,
	})
	if err != nil {
		return err
	}
	set := found["DaemonSet elsewhere/crigate"]
	for _, text := range []string{`"image":"example.com/it:7"`, `"imagePullSecrets":[{"name":"secret"}]`, `"maxUnavailable":3`,
		`"args":["install","--host","/host","--runtime","kata=unix:///run/kata.sock"]`} {
		if !strings.Contains(set, text) {
			return fmt.Errorf("%s did not arrive in %s", text, set)
		}
	}
	if len(found) != 2 {
		return fmt.Errorf("%d objects without the namespace", len(found))
	}
	return nil
}

// refuses: whether this program finds mistakes at all.
func refuses() error {
	good := "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: it\n"
	if err := (objects{}).addAll(good); err != nil {
		return err
	}
	for _, bad := range []string{good + "  nome: it\n", good + "  name: it\n", strings.Replace(good, "Namespace", "Namespaces", 1), good + "---\n" + good} {
		if (objects{}).addAll(bad) == nil {
			return fmt.Errorf("taken although it has a mistake:\n%s", bad)
		}
	}
	return nil
}

func check(folder string, out io.Writer) error {
	if err := refuses(); err != nil {
		return err
	}
	var base objects
	for _, name := range []string{"base", "uninstall", "second-runtime"} {
		found, err := kustomization(filepath.Join(folder, name))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if name == "base" {
			base = found
		}
		fmt.Fprintf(out, "%s: %d objects\n", name, len(found))
	}
	charted, err := chart(filepath.Join(folder, "chart"), map[string]any{})
	if err != nil {
		return fmt.Errorf("chart: %w", err)
	}
	if err := same(base, charted); err != nil {
		return fmt.Errorf("base and chart: %w", err)
	}
	if err := checkValues(filepath.Join(folder, "chart")); err != nil {
		return fmt.Errorf("chart: %w", err)
	}
	fmt.Fprintln(out, "chart: the same as base")
	return nil
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: manifests FOLDER")
		os.Exit(64)
	}
	var out bytes.Buffer
	err := check(os.Args[1], &out)
	os.Stdout.Write(out.Bytes())
	if err != nil {
		fmt.Fprintln(os.Stderr, "manifests:", err)
		os.Exit(1)
	}
}
