# What the tests on fixture nodes share.
# shellcheck shell=bash

bats_require_minimum_version 1.5.0

# shellcheck source=tests/eventually.bash
source "${BASH_SOURCE[0]%/*}/../eventually.bash"

: "${NODE_BUILD:?names the folder of the programs}"
HERE=$BATS_TEST_DIRNAME

# The same language as jq's, and it starts in a tenth of the time.
jq() {
    gojq "$@"
}

# boot FIXTURE [NAME]: boots a node, with what its description says as variables, and waits for the kubelet's first calls.
boot() {
    describe "$1"
    NODE=${BATS_FILE_TMPDIR:?}/${2:-node}
    "$HERE/node" boot "$1" "$NODE"
    mark_files
    eventually 20 calls_directly
}

# describe FIXTURE
describe() {
    unit=kubelet.service program=/usr/bin/kubelet runtime_name= ends_in=crigate/crigate.sock
    # shellcheck source=/dev/null
    source "$HERE/fixtures/$1/description"
    runtime_name=${runtime_name:-$runtime}
}

halt() {
    "$HERE/node" halt "$NODE"
    rm -r "$NODE"
}

# inside COMMAND...: on the node.
inside() {
    "$HERE/node" in "$NODE" "$@"
}

# crigate ARGUMENT...: on the node, as its owner types it.
crigate() {
    inside crigate "$@"
}

# write PATH: a file of the node gets what is on standard input.
write() {
    inside tee "$1" >/dev/null
}

# has TEXT: whether the last command that `run` ran printed it.
has() {
    [[ $output == *"$1"* ]] || {
        echo "not in the output: $1"
        return 1
    }
}

# mark_files: gives the fixture's files what a replacement may lose: an owner, a mode, extended attributes.
mark_files() {
    local file
    for file in $changes; do
        inside python3 -c '
import os, sys
path = sys.argv[1]
if os.path.isfile(path):
    before = os.stat(path)
    os.chmod(path, 0o640)
    os.chown(path, 0, 7)
    os.setxattr(path, "security.selinux", b"system_u:object_r:kubelet_t:s0\0")
    os.setxattr(path, "trusted.note", b"of the owner")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))' "$file"
    done
}

# snapshot: all that an installation may touch.
snapshot() {
    inside python3 - /etc /usr/lib/systemd /usr/lib/tmpfiles.d /var/lib/kubelet <"$HERE/snapshot.py"
}

# unchanged FILE: whether the node's files are as they were when `snapshot` wrote that file.
unchanged() {
    snapshot | diff "$1" -
}

# last_call: the line of the kubelet's log that says where its calls go, or that they fail.
last_call() {
    inside grep -E 'calls (answered|failed)|command failed' /run/kubelet.log | tail -n 1
}

# called_path: where the kubelet's calls are answered: the path of the socket, without the detour by /var/run.
called_path() {
    last_call | sed -nE "s,.*calls answered: $runtime_name at (unix://)?(/var)?(/[^ ]*) .*,\3,p"
}

# has_called: whether the kubelet's process of now has made its calls. Lines of one before it say nothing of that.
has_called() {
    inside grep -qE "\[$(kubelet_pid)\] calls (answered|failed)" /run/kubelet.log
}

# restart_kubelet: as its owner does, and waits until the new process makes its calls.
restart_kubelet() {
    inside systemctl restart "$unit"
    eventually 20 has_called
}

calls_directly() {
    [ "$(called_path)" = "$socket" ]
}

calls_through() {
    local path
    path=$(called_path)
    [[ $path == */"$ends_in" && $path != "$socket" ]]
}

healthy() {
    [ "$(inside python3 -c '
import urllib.request
print(urllib.request.urlopen("http://127.0.0.1:10248/healthz").read().decode())')" = ok ]
}

# is_off: whether nothing of crigate runs, or would at the next boot.
is_off() {
    local unit
    for unit in crigate.service crigate.socket crigate-docker.service; do
        ! inside systemctl is-active --quiet "$unit" && ! inside systemctl is-enabled --quiet "$unit" || return 1
    done
}

# kubelet_pid: the unit's main process, or the one that this has started, as k0s does.
kubelet_pid() {
    local pid
    pid=$(inside systemctl show --property MainPID --value "$unit")
    [ "$unit" != k0sworker.service ] || pid=$(inside pgrep --parent "$pid" --exact kubelet)
    echo "$pid"
}

# explain_failure: what there is to know of the node.
explain_failure() {
    local file
    for file in /run/kubelet.log /run/crigate.log; do
        echo "--- $file"
        inside tail -n 25 "$file" 2>/dev/null || true
    done
    inside systemctl status --no-pager "$unit" crigate.service crigate.socket "$runtime.service" 2>/dev/null | head -n 60 || true
}
