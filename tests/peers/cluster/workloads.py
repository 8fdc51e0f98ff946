"""The objects that the tests ask the cluster for."""

from second import HANDLER

IMAGE = "registry.k8s.io/busybox:e2e"
# What runs until it is asked to end, and then does at once.
WAIT = 'trap "exit 0" TERM; while :; do sleep 1 & wait $!; done'
# The same with a line each second, numbered, and a web server.
TALK = 'trap "exit 0" TERM; httpd -p 80 -h /www; n=0; while n=$((n + 1)); do echo "line $n"; sleep 1 & wait $!; done'
# For each runtime: the name by which objects are called, and the RuntimeClass.
RUNTIMES = {"primary": None, "second": HANDLER}


def pod_spec(command, runtime_class=None, **more):
    container = {"name": "main", "image": IMAGE, "imagePullPolicy": "IfNotPresent", "command": ["sh", "-c", command], **more}
    spec = {"containers": [container], "terminationGracePeriodSeconds": 5, "automountServiceAccountToken": False,
            "enableServiceLinks": False}
    return {**spec, "runtimeClassName": runtime_class} if runtime_class else spec


def runtime_class():
    return {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": HANDLER}, "handler": HANDLER}


def pod(name, command, runtime_class=None, labels=None, **more):
    metadata = {"name": name, "namespace": "default", "labels": {"app": name, **(labels or {})}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": pod_spec(command, runtime_class, **more)}


def deployment(name, replicas, runtime_class=None):
    template = {"metadata": {"labels": {"app": name}}, "spec": pod_spec(WAIT, runtime_class)}
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    spec = {"replicas": replicas, "selector": {"matchLabels": {"app": name}}, "strategy": strategy, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "namespace": "default"}, "spec": spec}


def job(name, completions, parallelism, runtime_class=None):
    pod_template = {"metadata": {"labels": {"app": name}}, "spec": {**pod_spec("echo done", runtime_class), "restartPolicy": "Never"}}
    spec = {"completions": completions, "parallelism": parallelism, "backoffLimit": 0, "template": pod_template}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name, "namespace": "default"}, "spec": spec}
