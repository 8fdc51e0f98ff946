"""What of the cluster's tests needs no cluster: that the judge of a watch finds what it is for, and the options."""

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))

# pylint: disable=wrong-import-position
import checks
import control_plane
import judge
import leftovers
import machine
import options
import results
import sources


def load(name):
    """A program of this folder, as a module."""
    loader = importlib.machinery.SourceFileLoader(name, str(HERE / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


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
    def test_a_node_that_is_ready_throughout_is_well(self):
        self.assertEqual(judge.not_ready(lines(node("True"), node("True"))), [])

    def test_a_node_that_is_not_ready_at_first_or_ever_is_found(self):
        self.assertEqual(len(judge.not_ready(lines(node("False"), node("True"), node("True")))), 1)
        self.assertEqual(len(judge.not_ready(lines(node("False"), node("False")))), 1)

    def test_a_watch_without_a_node_is_found(self):
        self.assertEqual(judge.not_ready([]), ["the watch shows no node"])

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

    def test_what_a_kubelet_tries_again_is_found(self):
        for reason in ("Failed", "FailedSync", "FailedCreatePodContainer", "FailedPodSandBoxStatus", "InspectFailed", "ExceededGracePeriod",
                       "ContainerGCFailed"):
            self.assertEqual(judge.bad_events(lines(event(reason))), [f"{reason} (1 times): of {reason}"])

    def test_an_event_may_be_allowed_of_one_pod(self):
        watched = lines(event("FailedSync", involvedObject={"name": "a"}), event("FailedSync", uid="2", involvedObject={"name": "b"}),
                        event("Failed", uid="3", involvedObject={"name": "a"}))
        self.assertEqual(judge.bad_events(watched, {("a", "FailedSync")}), ["FailedSync (1 times): of FailedSync", "Failed (1 times): of Failed"])

    def test_a_line_that_was_cut_off_does_not_count_elsewhere_it_is_a_mistake(self):
        self.assertEqual(len(list(judge.changes(lines(pod()) + ['{"type": "MOD']))), 1)
        with self.assertRaises(ValueError):
            list(judge.changes(['{"type": "MOD'] + lines(pod())))

    def test_a_watch_that_failed_is_no_watch(self):
        with self.assertRaises(ValueError):
            judge.restarts(lines({"message": "too old"}, kind="ERROR"))

    def test_pods_of_one_label_are_counted_alone(self):
        seen = lines(pod(metadata={"labels": {"app": "many"}}), pod(uid="2", metadata={"labels": {"app": "other"}}), pod(uid="3"))
        self.assertEqual((judge.pods_seen(seen, "many"), judge.pods_seen(seen)), (1, 3))

    def test_a_job_ends_complete_or_failed(self):
        for kind in ("Complete", "Failed"):
            conditions = [{"type": "FailureTarget", "status": "True"}, {"type": kind, "status": "True"}]
            self.assertEqual(judge.end_of_job({"status": {"conditions": conditions}})["type"], kind)
        self.assertIsNone(judge.end_of_job({"status": {"conditions": [{"type": "Complete", "status": "False"}]}}))
        self.assertIsNone(judge.end_of_job({}))

    def test_a_gap_in_numbers_is_found(self):
        self.assertIsNone(judge.longest_gap([3, 4, 5]))
        self.assertEqual(judge.longest_gap([3, 5, 6]), (3, 5))
        self.assertEqual(judge.longest_gap([3, 3]), (3, 3))


class FakeMachine:
    """Has one process of crigate after the other, and writes what `reload` makes crigate log."""

    def __init__(self, folder, logged, pids):
        self.log, self.logged, self.pids = Path(folder) / "crigate.log", logged, list(pids)
        self.log.write_text("cannot take over: long ago\n", encoding="utf-8")

    def path(self, _):
        return self.log

    def main_pid(self, _):
        return self.pids.pop(0) if len(self.pids) > 1 else self.pids[0]

    def run(self, *command, **_):
        if command[0] == "systemctl":
            with self.log.open("a", encoding="utf-8") as file:
                file.write(self.logged)
        return subprocess.CompletedProcess(command, 0, "".join(f"{pid} crigate\n" for pid in self.pids), "")


class Takeovers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for name, seconds in (("TAKEOVER_SECONDS", 0), ("OUTCOME_SECONDS", 0), ("LEFT_SECONDS", 0)):
            patched = unittest.mock.patch.object(checks, name, seconds)
            patched.start()
            self.addCleanup(patched.stop)

    def place(self, logged, *pids):
        return checks.Place(FakeMachine(self.folder, logged, pids), None, None, self.folder, 1)

    def take_over(self, logged, *pids):
        takeovers = checks.Takeovers(self.place(logged, *pids))
        takeovers.take_over()
        return takeovers.done, takeovers.refused

    def test_one_that_comes_and_one_that_is_refused_are_counted(self):
        self.assertEqual(self.take_over("I: taken over\n", "1", "2"), (1, 0))
        self.assertEqual(self.take_over(f"E: cannot take over: {judge.REFUSED}; try again\n", "1"), (0, 1))

    def test_one_that_does_not_come_for_another_reason_is_a_fault(self):
        for logged, pids, text in (("E: cannot take over: too late\n", ["1"], "crigate is not taken over: too late"),
                                   ("I: reads\n", ["1"], "does not say why: I: reads"),
                                   (f"cannot take over: {judge.REFUSED}\n", ["1", "1", "0"], "crigate has gone")):
            with self.assertRaisesRegex(machine.Failure, text):
                self.take_over(logged, *pids)

    def test_the_thread_ends_with_its_fault(self):
        for logged, text in (("E: cannot take over: too late\n", "takeovers ended: .*too late"), (f"cannot take over: {judge.REFUSED}\n", "rollout")):
            with self.assertRaisesRegex(machine.Failure, text), checks.taken_over(self.place(logged, "1")) as takeovers:
                while takeovers.is_alive() and takeovers.refused == 0:
                    time.sleep(0.01)
                control_plane.must(takeovers.error, "rollout status failed")
            self.assertFalse(takeovers.is_alive())

    def test_processes_that_do_not_end_or_are_forced_to_are_found(self):
        with unittest.mock.patch.object(checks, "TAKEOVER_SECONDS", 60):
            with self.assertRaisesRegex(machine.Failure, "not one process of the gateway is left, but .'1 crigate', '2 crigate'"):
                with checks.taken_over(self.place("", "1", "2")):
                    pass
            with self.assertRaisesRegex(machine.Failure, "crigate's log: E: 3 calls did not end in time; cancelling them"):
                with checks.taken_over(place := self.place("I: stopping\nE: 3 calls did not end in time; cancelling them\n", "1")):
                    place.machine.run("systemctl")
            with checks.taken_over(self.place("", "1")):
                pass

    def test_crigate_logs_these_texts(self):
        core = "".join(file.read_text(encoding="utf-8") for file in (sources.REPOSITORY / "core").rglob("*.c"))
        for text in (judge.REFUSED, "cannot take over: %s", *judge.FORCED):
            self.assertIn(text, core)


class Steps(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_the_second_runtime_is_back_after_a_failure(self):
        place = unittest.mock.Mock()
        place.second.kill.side_effect = machine.Failure("still answers")
        place.cluster.await_pods.return_value = []
        with unittest.mock.patch.object(checks, "watched"), self.assertRaisesRegex(machine.Failure, "still answers"):
            checks.second_killed(place)
        place.second.restart.assert_called_once_with()

    def attach(self, script):
        cluster = unittest.mock.Mock()
        cluster.start_kubectl = lambda *_, **options: subprocess.Popen(["sh", "-c", script], start_new_session=True, **options)
        checks.check_attach(checks.Place(None, cluster, None, self.folder, 1), "pod")

    def test_attach_hears_its_input(self):
        self.attach("exec cat")

    def test_the_words_of_an_attach_that_ended_are_told(self):
        for script in ("exec <&-; echo no such pod; sleep 0.2", "echo no such pod; read line", "echo no such pod"):
            with self.assertRaisesRegex(machine.Failure, "attach: kubectl has ended: 'no such pod"):
                self.attach(script)

    def test_a_watch_that_ends_early_is_found_and_a_failure_is_not_hidden_by_it(self):
        with unittest.mock.patch.object(checks, "STATUS_SECONDS", 0.1):
            for inner in (None, "the check failed"):
                cluster = unittest.mock.Mock()
                cluster.watch = lambda path, out, new: subprocess.Popen(["echo", path], stdout=out, start_new_session=True)
                with self.assertRaisesRegex(machine.Failure, inner or "a watch ended before its time"):
                    with checks.watched(checks.Place(None, cluster, None, self.folder, 1), "check") as watch:
                        for process in watch.processes:
                            process.wait()
                        control_plane.must(not inner, inner)


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
        for wrong in ("0", "25.1", "nan", "many"):
            self.assertIn(f"--minutes: {wrong}: must be more than 0, and at most 25", self.refused("build", "--minutes", wrong))
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


class Ends(unittest.TestCase):
    """Of runs that are over, and of those that were killed."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_the_machine_is_halted_whatever_happens(self):
        for pid, broken in (("1", None), ("1", OSError("no space")), (None, None)):
            halting = unittest.mock.Mock(pid=pid)
            halting.keep_logs.side_effect = broken
            with contextlib.redirect_stdout(io.StringIO()) as out, self.assertRaises(KeyError), machine.halted(halting, "logs"):
                raise KeyError("a check")
            halting.halt.assert_called_once_with()
            self.assertEqual(halting.keep_logs.called, pid is not None)
            self.assertEqual(out.getvalue(), "not all logs are kept: no space\n" if broken else "")

    def test_halting_collects_what_has_ended(self):
        for keeper, told in (("sleep 0.5", ""), ("sleep 60", "the machine's cgroups are not all removed\n")):
            halting = machine.Machine(self.folder, self.folder, None)
            strays = [os.posix_spawn("/bin/true", ["true"], {}) for _ in range(3)]
            halting.pid, halting.keeper = str(strays[0]), subprocess.Popen(keeper.split())
            with contextlib.redirect_stdout(io.StringIO()) as out, unittest.mock.patch.object(machine, "HALT_SECONDS", 1 if told else 60):
                halting.halt()
            self.assertEqual(out.getvalue(), told)
            for stray in strays:
                with self.assertRaises(ChildProcessError):
                    os.waitpid(stray, os.WNOHANG)
            halting.keeper.kill()
            halting.keeper.wait()

    def main_of(self, name, outcome):
        """The exit status of a program whose cluster does not start, or has nothing checked."""
        program = load(name)
        instead = {"options_.missing": [], "options_.second_kind": "crio", "options_.enter_namespaces": "1", "options_.strip": "crigate",
                   "options_.chosen": [], "sources.version": "1.0", "results_.about": {"commit": "1", "runtimes": []}, "Machine.halt": None}
        with contextlib.ExitStack() as patches:
            for what, value in instead.items():
                owner, attribute = what.split(".")
                patches.enter_context(unittest.mock.patch.object(getattr(program, owner), attribute, return_value=value))
            patches.enter_context(unittest.mock.patch.object(program, "STEPS", [], create=True))
            patches.enter_context(unittest.mock.patch.object(getattr(program, "Installation", program), "bring_up", side_effect=[outcome]))
            patches.enter_context(unittest.mock.patch.object(sys, "argv", [name, str(self.folder)]))
            patches.enter_context(contextlib.redirect_stdout(io.StringIO()))
            patches.enter_context(contextlib.redirect_stderr(io.StringIO()))
            return program.main()

    def test_a_cluster_that_does_not_start_is_a_result_until_one_starts(self):
        (self.folder / "peers").mkdir()
        for name, title in (("run", "The cluster starts"), ("daemonset", "DaemonSet: The cluster starts")):
            for outcome, status in ((subprocess.CalledProcessError(1, "debootstrap"), 1), ("it runs", 0)):
                self.assertEqual(self.main_of(name, outcome), status)
                found = json.loads((self.folder / "peers/results/cluster.json").read_text(encoding="utf-8"))["checks"]
                self.assertEqual([check["passed"] for check in found if check["name"] == title], [status == 0])

    def test_what_killed_runs_left_is_removed(self):
        ended = subprocess.Popen(["true"])
        ended.wait()
        peers, cgroups = self.folder / "build/peers", self.folder / "cgroup"
        left, lives = f"crigate-cluster-{ended.pid}-a_b", f"crigate-cluster-{os.getpid()}-c"
        others = ["crigate-cluster-old", "etcd"]
        for name in (left, lives, *others):
            (peers / name / "node").mkdir(parents=True)
            for where in (cgroups / "memory", cgroups):
                (where / f"crigate-machine-build-peers-{name}-node/kubepods/pod1").mkdir(parents=True)
        (cgroups / "memory" / f"crigate-matrix-{ended.pid}-a").mkdir()
        leftovers.remove(self.folder / "build", cgroups)
        self.assertEqual({folder.name for folder in peers.iterdir()}, {lives, *others})
        machines = {f"crigate-machine-build-peers-{name}-node" for name in (lives, *others)}
        self.assertEqual({folder.name for folder in cgroups.iterdir()}, machines | {"memory"})
        self.assertEqual({folder.name for folder in (cgroups / "memory").iterdir()}, machines | {f"crigate-matrix-{ended.pid}-a"})

    def test_a_cgroup_that_stays_is_told(self):
        (self.folder / "crigate-machine-crigate-cluster-0-a-node/full").mkdir(parents=True)
        (self.folder / "crigate-machine-crigate-cluster-0-a-node/full/file").touch()
        with contextlib.redirect_stdout(io.StringIO()) as out, unittest.mock.patch.object(leftovers, "SECONDS", 0):
            leftovers.remove(self.folder / "build", self.folder)
        self.assertIn("a cgroup is left: ", out.getvalue())

    def test_the_folder_of_a_run_has_its_process_id(self):
        (self.folder / "peers").mkdir()
        with leftovers.work_folder(self.folder, "17") as folder:
            self.assertRegex(Path(folder).name, f"^{leftovers.NAME}$")
            self.assertIn("-17-", folder)
        self.assertFalse(Path(folder).exists())


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "results/cluster.json"

    def attempt(self, check):
        written = results.Results(self.file)
        written.about = {"commit": "1"}
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as errors:
            passed = written.attempt("The cluster starts", check)
        return passed, json.loads(self.file.read_text(encoding="utf-8"))["checks"], errors.getvalue()

    def test_whatever_a_check_raises_is_its_result(self):
        def fail():
            try:
                control_plane.must(False, "the first")
            finally:
                control_plane.must(False, "the second")

        for check, detail, traced in ((fail, "the second; before that: the first", False),
                                      (lambda: subprocess.run(["false"], check=True), "returned non-zero exit status 1", True),
                                      (lambda: {}["name"], "'name'", True)):
            passed, written, errors = self.attempt(check)
            self.assertEqual((passed, [one["passed"] for one in written]), (False, [False]))
            self.assertIn(detail, written[0]["detail"])
            self.assertEqual("Traceback" in errors, traced)
        self.assertEqual(self.attempt(lambda: "it runs")[:2], (True, [{"name": "The cluster starts", "passed": True, "detail": "it runs"}]))

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
