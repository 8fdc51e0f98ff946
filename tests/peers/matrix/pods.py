"""The pods of the matrix, and what is compared of them. A name is used once: a kubelet lets a new static pod wait for an old one of its name."""
import machine
import kubelet

IMAGE = "docker.io/library/busybox:e2e"
SERVE = "echo begins; echo error >&2; exec httpd -f -p 8080 -h /www"
WAIT = "trap exit TERM; echo waits; sleep 100000 & wait"


def container(name, script, **more):
    return {"name": name, "image": IMAGE, "imagePullPolicy": "IfNotPresent", "command": ["/bin/sh", "-c", script], **more}


def pod(name, containers, annotations=None, **spec):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default", "labels": {"app": name}, "annotations": annotations or {}},
            "spec": {"terminationGracePeriodSeconds": 2, "containers": containers, **spec}}


def probe(*words):
    # Patient: a runtime that stands still for a while is no reason to restart a container.
    return {"exec": {"command": list(words)}, "periodSeconds": 6, "timeoutSeconds": 5, "failureThreshold": 60}


def ten(minor):
    """Ten pods that a kubelet of 1.MINOR understands."""
    probes = {"livenessProbe": probe("true"), "readinessProbe": probe("test", "-e", "/tmp/ready")}
    if minor >= 18:
        probes["startupProbe"] = probe("true")
    hooks = {"postStart": {"exec": {"command": ["touch", "/tmp/started"]}}, "preStop": {"exec": {"command": ["touch", "/tmp/stopped"]}}}
    sidecar = [container("prepare", "echo prepared >/data/prepared", volumeMounts=[{"name": "data", "mountPath": "/data"}])]
    if minor >= 29:
        sidecar.append(container("sidecar", WAIT, restartPolicy="Always"))
    restricted = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}, "readOnlyRootFilesystem": True}
    user, annotations = {"runAsUser": 1000, "runAsNonRoot": True}, {}
    if minor >= 19:
        user["seccompProfile"] = {"type": "RuntimeDefault"}
    else:
        # The name of the default profile until 1.10.
        annotations = {"seccomp.security.alpha.kubernetes.io/pod": "runtime/default" if minor >= 11 else "docker/default"}
    data = [{"name": "data", "emptyDir": {}}]
    return [
        pod("plain", [container("main", SERVE, env=[{"name": "WORD", "value": "given"}])]),
        pod("several", [container(name, WAIT, volumeMounts=[{"name": "data", "mountPath": "/data"}]) for name in ["one", "two", "three"]], volumes=data),
        pod("crash", [container("main", "echo crashes; exit 3")]),
        pod("probes", [container("main", "touch /tmp/ready; " + WAIT, **probes)]),
        pod("hooks", [container("main", WAIT, lifecycle=hooks)]),
        pod("sidecar", [container("main", "cat /data/prepared; " + WAIT, volumeMounts=[{"name": "data", "mountPath": "/data"}])],
            initContainers=sidecar, volumes=data),
        pod("host", [container("main", WAIT)], hostNetwork=True),
        pod("tty", [container("main", "while read line; do echo \"heard $line\"; done", tty=True, stdin=True)]),
        pod("user", [container("main", WAIT, securityContext=restricted)], annotations, securityContext=user),
        pod("port", [container("main", SERVE, ports=[{"containerPort": 8080, "hostPort": 18080}])]),
    ]


def state_of(status):
    """What a container's status says, without what is of this run. One that crashes again and again is between states at any moment."""
    if status.get("restartCount", 0) > 0:
        ended = (status.get("lastState") or {}).get("terminated") or (status.get("state") or {}).get("terminated") or {}
        return {"restarts": "some", "exit": ended.get("exitCode"), "reason": ended.get("reason"), "id": bool(status.get("containerID"))}
    kind, state = next(iter((status.get("state") or {"none": {}}).items()))
    return {"restarts": "none", "state": kind, "reason": state.get("reason"), "exit": state.get("exitCode"), "ready": status.get("ready"),
            "started": status.get("started"), "image": status.get("image"), "id": bool(status.get("containerID"))}


def state(found):
    """What the kubelet says of a pod, without what is of this run."""
    status = found.get("status", {})
    crashes = any(one.get("restartCount") for one in status.get("containerStatuses") or [])
    address = status.get("podIP") or "none"
    return {
        "phase": status.get("phase"), "qos": status.get("qosClass"), "address": address if address in (machine.ADDRESS, "none") else "its own",
        "conditions": None if crashes else {one["type"]: one["status"] for one in status.get("conditions") or []},
        "containers": {one["name"]: state_of(one) for one in status.get("containerStatuses") or []},
        "init": {one["name"]: state_of(one) for one in status.get("initContainerStatuses") or []},
    }


def settled(name):
    """Whether a pod is where it goes: it runs, or it has crashed again."""
    status = kubelet.pods().get(name, {}).get("status", {})
    containers = status.get("containerStatuses") or []
    if name == "crash":
        return any(one.get("restartCount", 0) >= 1 for one in containers)
    return status.get("phase") == "Running" and bool(containers) and all(one.get("ready") for one in containers)


def identities(without=("crash",)):
    """The ids and the restarts of all containers, by pod and container."""
    found = {}
    for name, one in kubelet.pods().items():
        if name not in without:
            for status in (one.get("status", {}).get("containerStatuses") or []):
                found[f"{name}/{status['name']}"] = (status.get("containerID"), status.get("restartCount"))
    return found
