"""etcd, kube-apiserver, kube-controller-manager and kube-scheduler as services of the node, and kubectl."""

import json
import subprocess

from machine import Failure, eventually

ADDRESS = "192.0.2.1"
PROGRAMS = "/opt/peers/control-plane-1.37"
KUBECTL = f"{PROGRAMS}/kubectl"
NODE = "worker-1"
# Tokens, users: there is nothing to keep secret, as the cluster lives for a test, in a network of its own.
TOKENS = "token-of-the-admin,admin,admin,system:masters\ntoken-of-the-node,system:node:worker-1,node,system:nodes\n"
KUBECONFIG = f"""apiVersion: v1
kind: Config
clusters:
- {{name: tests, cluster: {{server: "https://{ADDRESS}:6443", insecure-skip-tls-verify: true}}}}
users:
- {{name: admin, user: {{token: token-of-the-admin}}}}
contexts:
- {{name: tests, context: {{cluster: tests, user: admin}}}}
current-context: tests
"""


class Cluster:
    """A cluster of the one machine."""

    def __init__(self, machine):
        self.machine = machine

    def start(self):
        self._write_keys()
        self.machine.unit("etcd", "/opt/peers/etcd/etcd", "--data-dir=/var/lib/etcd/data", "--unsafe-no-fsync",
                          "--listen-client-urls=http://127.0.0.1:2379", "--advertise-client-urls=http://127.0.0.1:2379")
        self._program("kube-apiserver", "--etcd-servers=http://127.0.0.1:2379", f"--advertise-address={ADDRESS}",
                      "--secure-port=6443", "--cert-dir=/etc/kubernetes/pki/apiserver", "--service-cluster-ip-range=10.96.0.0/16",
                      "--service-account-issuer=https://kubernetes.default.svc",
                      "--service-account-key-file=/etc/kubernetes/pki/sa.pub",
                      "--service-account-signing-key-file=/etc/kubernetes/pki/sa.key", "--token-auth-file=/etc/kubernetes/tokens.csv",
                      "--authorization-mode=AlwaysAllow", "--allow-privileged")
        eventually(180, lambda: self.kubectl("get", "--raw", "/readyz", check=False).stdout == "ok", self._why_not_ready)
        self._program("kube-controller-manager", "--kubeconfig=/etc/kubernetes/admin.conf", "--leader-elect=false",
                      "--service-account-private-key-file=/etc/kubernetes/pki/sa.key",
                      "--root-ca-file=/etc/kubernetes/pki/apiserver/apiserver.crt")
        self._program("kube-scheduler", "--kubeconfig=/etc/kubernetes/admin.conf", "--leader-elect=false")
        # Without it, no pod can be made.
        eventually(60, lambda: self.kubectl("get", "serviceaccount", "default", check=False).returncode == 0, "no service account")

    def _why_not_ready(self):
        return "kube-apiserver is not ready: " + self.machine.run("tail", "-n", "5", "/var/log/kube-apiserver.log", check=False).stdout

    def _program(self, name, *options):
        self.machine.unit(name, f"{PROGRAMS}/{name}", *options)

    def _write_keys(self):
        key = subprocess.run(["openssl", "genrsa", "2048"], check=True, capture_output=True, text=True).stdout
        public = subprocess.run(["openssl", "rsa", "-pubout"], check=True, capture_output=True, text=True, input=key).stdout
        self.machine.write("/etc/kubernetes/pki/sa.key", key, 0o600)
        self.machine.write("/etc/kubernetes/pki/sa.pub", public)
        self.machine.write("/etc/kubernetes/tokens.csv", TOKENS, 0o600)
        self.machine.write("/etc/kubernetes/admin.conf", KUBECONFIG, 0o600)

    def kubectl(self, *arguments, **options):
        return self.machine.run(KUBECTL, *arguments, **options)

    def get(self, *arguments):
        return json.loads(self.kubectl("get", *arguments, "--output", "json").stdout)

    def apply(self, *objects):
        bundle = {"apiVersion": "v1", "kind": "List", "items": list(objects)}
        self.kubectl("apply", "--server-side", "--filename", "-", input=json.dumps(bundle))

    def start_kubectl(self, *arguments, **options):
        return self.machine.start(KUBECTL, *arguments, **options)

    def watch(self, path, file, only_new):
        """What happens to the objects at that path of the API, a line of JSON each: from all that there are now on, or only what is new."""
        version = ""
        if only_new:
            listed = json.loads(self.kubectl("get", "--raw", f"{path}?limit=1").stdout)
            version = f"&resourceVersion={listed['metadata']['resourceVersion']}"
        return self.start_kubectl("get", "--raw", f"{path}?watch=true{version}", stdout=file, stderr=subprocess.STDOUT)

    def node(self):
        return self.get("node", NODE)

    def node_is_ready(self):
        done = self.kubectl("get", "node", NODE, "--output", 'jsonpath={.status.conditions[?(@.type=="Ready")].status}', check=False)
        return done.stdout == "True"

    def pods(self, selector, namespace="default"):
        return self.get("pods", "--namespace", namespace, "--selector", selector)["items"]

    def await_pods(self, selector, count, seconds=120):
        """Until that many are Ready; returns them."""

        def ready():
            pods = [pod for pod in self.pods(selector) if is_ready(pod)]
            return pods if len(pods) >= count else None

        return eventually(seconds, ready, lambda: f"{count} pods {selector} ready: {self.explain(selector)}")

    def explain(self, selector):
        pods = self.kubectl("get", "pods", "--selector", selector, check=False).stdout
        events = self.kubectl("get", "events", "--sort-by", ".lastTimestamp", check=False).stdout.splitlines()[-8:]
        return pods + "\n" + "\n".join(events)


def is_ready(pod):
    conditions = {condition["type"]: condition["status"] for condition in pod["status"].get("conditions", [])}
    return conditions.get("Ready") == "True" and "deletionTimestamp" not in pod["metadata"]


def containers_of(pods):
    """What must stay the same of pods that nobody touches: ids and restarts."""
    return {(pod["metadata"]["name"], status["name"]): (status["containerID"], status["restartCount"])
            for pod in pods for status in pod["status"].get("containerStatuses", [])}


def must(condition, text):
    if not condition:
        raise Failure(text)
