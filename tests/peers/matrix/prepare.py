"""What all pairs share, made once: images, a registry that holds them, and the folders of the matrix."""
import json
import pathlib
import shutil
import subprocess
import time

TOOLS, TESTS = "k8s-staging-cri-tools/test-image", "e2e-test-images"
# Image of the registry: which of the images of the end-to-end tests stands in for it. As in tests/e2e/conformance/critest.
IMAGES = {
    "library/busybox:e2e": "busybox", "pause:e2e": "pause", "pause:3.9": "different-4", f"{TESTS}/busybox:1.29-2": "busybox",
    f"{TESTS}/nginx:1.14-2": "server", f"{TESTS}/httpd:2.4.39-4": "server", "k8s-staging-cri-tools/hostnet-nginx-ARCHITECTURE": "server-12003",
    f"{TOOLS}-latest:latest": "different-4", f"{TOOLS}-tag:test": "different-4", f"{TOOLS}-tag:all": "different-4", f"{TOOLS}-tags:1": "different-4",
    f"{TOOLS}-tags:2": "different-4", f"{TOOLS}-tags:3": "different-4", f"{TOOLS}-1:latest": "different-1", f"{TOOLS}-2:latest": "different-2",
    f"{TOOLS}-3:latest": "different-3", f"{TOOLS}-user-uid:latest": "user-uid", f"{TOOLS}-user-uid-group:latest": "user-uid-group",
    f"{TOOLS}-user-username:latest": "user-name", f"{TOOLS}-user-username-group:latest": "user-name-group", f"{TOOLS}-predefined-group:latest": "user-of-group",
}
PORT = 5997


def run(*words):
    return subprocess.run([str(word) for word in words], check=True, text=True, capture_output=True).stdout


def fill(registry, images):
    """In a network of its own, so that no port of the machine is taken."""
    architecture = run("dpkg", "--print-architecture").strip()
    config = registry.parent / "registry.yaml"
    config.write_text(f'version: 0.1\nlog: {{level: warn}}\nstorage: {{filesystem: {{rootdirectory: {registry}}}}}\nhttp: {{addr: "127.0.0.1:{PORT}"}}\n')
    copies = "\n".join(f"skopeo copy --quiet --insecure-policy --dest-tls-verify=false docker-archive:{images / image}.tar "
                       f"docker://127.0.0.1:{PORT}/{name.replace('ARCHITECTURE', architecture)}" for name, image in IMAGES.items())
    script = f"ip link set lo up\ndocker-registry serve {config} >{registry.parent}/registry.log 2>&1 &\nuntil (exec 3<>/dev/tcp/127.0.0.1/{PORT}) 2>/dev/null; do sleep 0.1; done\nset -e\n{copies}\nkill %1\n"
    run("unshare", "--net", "--pid", "--fork", "--kill-child", "bash", "-c", script)


def everything(build, repository):
    folder = pathlib.Path(build) / "peers/matrix"
    folder.mkdir(parents=True, exist_ok=True)
    images = pathlib.Path(build) / "e2e/images"
    run(repository / "tests/e2e/images/build", images)
    registry = folder / "registry"
    if not (registry / "made").exists() or (registry / "made").stat().st_mtime < (images / "made").stat().st_mtime:
        shutil.rmtree(registry, ignore_errors=True)
        registry.mkdir()
        fill(registry, images)
        (registry / "made").write_text(f"{time.time()}\n")


def version(peers, name):
    file = pathlib.Path(peers) / name / "build.json"
    return json.loads(file.read_text()).get("version", name) if file.exists() else name


def runtime(peers, name, answered):
    """What a runtime says of itself. Behind cri-dockerd that is Docker Engine."""
    if name == "cri-dockerd":
        return f"{name} {version(peers, name)} with {answered or 'docker'}"
    return answered or name
