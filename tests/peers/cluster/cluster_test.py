"""What of the cluster's tests needs no cluster: that the judge of a watch finds what it is for, and the options."""

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))

# pylint: disable=wrong-import-position
import checks
import judge
import options
import results


def lines(*objects, kind="MODIFIED"):
    return [json.dumps({"type": kind, "object": item}) for item in objects]


def pod(name="a", uid="1", restarts=0, container="containerd://1", **more):
    status = {"name": "main", "restartCount": restarts, "containerID": container, **more.pop("container_more", {})}
    return {"metadata": {"name": name, "uid": uid, **more.pop("metadata", {})}, "status": {"containerStatuses": [status], **more}}


def node(status, reason="KubeletReady"):
    ready = {"type": "Ready", "status": status, "reason": reason, "message": "text", "lastTransitionTime": "2026-01-01T00:00:00Z"}
    return {"metadata": {"name": "worker-1"}, "status": {"conditions": [{"type": "DiskPressure", "status": "False"}, ready]}}


def event(reason, uid="1", **more):
    return {"metadata": {"uid": uid}, "reason": reason, "message": f"of {reason}", **more}


class Restarts(unittest.TestCase):
    def test_pods_that_come_run_and_go_are_well(self):
        coming = {"metadata": {"name": "a", "uid": "1"}, "status": {"phase": "Pending"}}
        going = pod(phase="Failed", metadata={"deletionTimestamp": "now"})
        same_name = pod(uid="2", container="containerd://2")
        self.assertEqual(judge.restarts(lines(coming, pod(container=""), pod(), going, same_name)), [])
        self.assertEqual(judge.pods_seen(lines(coming, pod(), same_name)), 2)

    def test_a_restart_is_found_once_with_its_reason(self):
        last = {"lastState": {"terminated": {"reason": "Error", "exitCode": 137}}}
        found = judge.restarts(lines(pod(), pod(restarts=1, container_more=last), pod(restarts=2, container_more=last)))
        self.assertEqual(found, ["a/main: 2 restarts (Error, exit code 137)"])

    def test_a_restart_of_an_init_container_is_found(self):
        status = {"initContainerStatuses": [{"name": "first", "restartCount": 1}]}
        self.assertEqual(len(judge.restarts(lines({"metadata": {"name": "a", "uid": "1"}, "status": status}))), 1)

    def test_another_container_without_a_count_is_found(self):
        self.assertEqual(judge.restarts(lines(pod(), pod(container="containerd://2"))), ["a/main: another container in its place"])

    def test_a_pod_that_failed_is_found(self):
        self.assertEqual(judge.restarts(lines(pod(phase="Failed", reason="Evicted"))), ["a: failed (Evicted)"])


class Nodes(unittest.TestCase):
    def test_a_node_that_gets_ready_is_well(self):
        self.assertEqual(judge.not_ready(lines(node("False"), node("True"), node("True"))), [])

    def test_each_time_that_it_is_not_ready_is_found(self):
        found = judge.not_ready(lines(node("True"), node("Unknown", "NodeStatusUnknown"), node("Unknown"), node("True"), node("False")))
        self.assertEqual(len(found), 2)
        self.assertIn("NodeStatusUnknown", found[0])

    def test_a_node_that_goes_is_found(self):
        self.assertEqual(len(judge.not_ready(lines(node("True")) + lines(node("True"), kind="DELETED"))), 1)


class Watches(unittest.TestCase):
    def test_bad_events_are_counted_and_others_are_not(self):
        found = judge.bad_events(lines(event("Pulled"), event("BackOff", uid="2"), event("BackOff", uid="2", count=3)))
        self.assertEqual(found, ["BackOff (3 times): of BackOff"])

    def test_a_line_that_was_cut_off_does_not_count_elsewhere_it_is_a_mistake(self):
        self.assertEqual(len(list(judge.changes(lines(pod()) + ['{"type": "MOD']))), 1)
        with self.assertRaises(ValueError):
            list(judge.changes(['{"type": "MOD'] + lines(pod())))

    def test_a_watch_that_failed_is_no_watch(self):
        with self.assertRaises(ValueError):
            judge.restarts(lines({"message": "too old"}, kind="ERROR"))

    def test_a_gap_in_numbers_is_found(self):
        self.assertIsNone(judge.longest_gap([3, 4, 5]))
        self.assertEqual(judge.longest_gap([3, 5, 6]), (3, 5))
        self.assertEqual(judge.longest_gap([3, 3]), (3, 3))


class Options(unittest.TestCase):
    def refused(self, *arguments):
        text = io.StringIO()
        with contextlib.redirect_stderr(text), self.assertRaises(SystemExit) as end:
            options.parse(arguments, "about")
        self.assertEqual(end.exception.code, 2)
        return text.getvalue()

    def test_what_is_asked_for(self):
        got = options.parse(["build", "--minutes", "0.5", "--only", "job,streams"], "about")
        self.assertEqual((got.minutes, got.only), (0.5, ["job", "streams"]))
        names = [check.__name__ for check in options.chosen(got.only)]
        self.assertEqual(names, ["ready", "runtime_class", "streams", "job", "nothing_left"])
        self.assertEqual(options.chosen(None), checks.CHECKS)

    def test_what_there_is_not_is_refused(self):
        self.assertIn("no such check: jobs; there are ready,", self.refused("build", "--only", "jobs"))
        self.refused("build", "--minutes", "0")
        self.refused()

    def test_what_is_missing_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            build = Path(folder)
            self.assertIsNone(options.second_kind(build, None))
            found = options.missing(build, None)
            self.assertTrue(any("etcd/etcd" in line for line in found))
            self.assertTrue(any("crio-1.36 or containerd-2.4" in line for line in found))
            for kind, peer in (("containerd", "containerd-2.4"), ("crio", "crio-1.36")):
                (build / "peers" / peer).mkdir(parents=True)
                (build / "peers" / peer / kind).touch()
                self.assertEqual(options.second_kind(build, None), kind)
            self.assertEqual(options.second_kind(build, "containerd"), "containerd")

    def test_the_programs_run(self):
        listed = subprocess.run([HERE / "run", "build", "--list"], check=True, capture_output=True, text=True).stdout.split()
        self.assertEqual(listed, [check.__name__ for check in checks.CHECKS])
        for program in ("run", "daemonset"):
            text = subprocess.run([HERE / program, "--help"], check=True, capture_output=True, text=True).stdout
            self.assertIn("BUILD_FOLDER", text)


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "results/cluster.json"

    def write(self, commit, *found):
        written = results.Results(self.file)
        written.about = {"commit": commit}
        with contextlib.redirect_stdout(io.StringIO()) as out:
            for name, passed in found:
                written.add(name, passed, "detail")
        return written, out.getvalue(), json.loads(self.file.read_text(encoding="utf-8"))

    def test_each_check_is_printed_and_written(self):
        written, out, got = self.write("1", ("one", True), ("two", False))
        self.assertEqual(got["checks"], [{"name": "one", "passed": True, "detail": "detail"},
                                         {"name": "two", "passed": False, "detail": "detail"}])
        self.assertIn("FAILED: two\n", out)
        self.assertEqual(written.failed(), ["two"])

    def test_checks_of_another_run_stay_if_the_commit_is_the_same(self):
        self.write("1", ("one", True), ("two", False))
        written, _, got = self.write("1", ("two", True))
        self.assertEqual([(check["name"], check["passed"]) for check in got["checks"]], [("one", True), ("two", True)])
        self.assertEqual(written.failed(), [])
        self.assertEqual(len(self.write("2", ("two", True))[2]["checks"]), 1)

    def test_a_run_with_fewer_runtimes_adds_to_that_with_more(self):
        written = results.Results(self.file)
        for commit, runtimes, expected in (("1", ["a", "b"], 2), ("1", ["a"], 2), ("2", ["a"], 1)):
            written.before = {"about": written.about, "checks": []}
            written.describe({"commit": commit, "runtimes": runtimes})
            self.assertEqual(len(written.about["runtimes"]), expected)


if __name__ == "__main__":
    unittest.main()
