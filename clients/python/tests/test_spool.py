import dataclasses
import errno
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from asyncflow.model import Report, to_wire
from asyncflow.spool import PAUSE, Spool, _Claim, directory

from .fixtures import Clock

ANOTHER_PROCESS = """
import sys
from pathlib import Path
from asyncflow.model import Report
from asyncflow.spool import Spool

spool = Spool(Path(sys.argv[1]))
spool.keep(Report("1_lark_task_1", "w0", 1, "SUCCESS", "r0", result="left"))
print("kept", flush=True)
sys.stdin.read()
"""


def report(name="r1", text="ok", task_id="1_lark_task_1", outcome="SUCCESS"):
    return Report(task_id, "w1", 1, outcome, name, result=text)


class SpoolTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = Path(directory.name) / "spool"

    def spool(self, **limits):
        spool = Spool(self.root, **limits)
        self.addCleanup(spool.close)
        return spool

    def test_nothing_is_written_before_it_is_needed(self):
        self.spool().adopt()
        self.assertFalse(self.root.exists())

    def test_file_has_the_report_as_the_wire_has_it_and_only_its_owner_reads_it(self):
        self.spool().keep(report())
        (file,) = self.root.glob("*/r1.json")
        self.assertEqual(
            '{"taskId": "1_lark_task_1", "workerId": "w1", "leaseEpoch": 1, "outcome": "SUCCESS",'
            ' "reportId": "r1", "result": "ok"}',
            file.read_text(),
        )
        self.assertEqual(0o700, stat.S_IMODE(file.parent.stat().st_mode))
        self.assertEqual(0o600, stat.S_IMODE(file.stat().st_mode))

    def test_directory_without_reports_is_deleted(self):
        spool = self.spool()
        spool.keep(report())
        spool.forget(report())
        spool.close()
        self.assertEqual([], [*self.root.iterdir()])

    def test_only_a_process_that_has_ended_is_inherited(self):
        source = str(Path(__file__).parents[1] / "src")
        other = subprocess.Popen(
            [sys.executable, "-c", ANOTHER_PROCESS, str(self.root)],
            env={"PYTHONPATH": source},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        with other:
            other.stdout.readline()
            spool = self.spool()
            self.assertEqual([], spool.adopt())
            other.kill()
            other.wait()
        (left,) = spool.adopt()
        self.assertEqual(("r0", "left"), (left.report_id, left.result))
        self.assertEqual([], spool.adopt(), "once")
        spool.forget(left)
        self.assertEqual([], [*self.root.iterdir()])

    def test_unfinished_and_unreadable_files_are_not_in_the_way(self):
        first = self.spool()
        first.keep(report())
        (file,) = self.root.glob("*/r1.json")
        file.with_name("r2.tmp").write_text('{"taskId"')
        file.with_name("r3.json").write_text("no report")
        first.close()
        heir = self.spool()
        self.assertEqual(["r1"], [left.report_id for left in heir.adopt()])
        self.assertEqual(["r3.json"], [file.name for file in self.root.glob("set-aside/*")])

    def test_report_of_a_worker_in_java_keeps_all_that_it_says(self):
        said = {
            "taskId": "1_lark_task_1",
            "workerId": "w0",
            "leaseEpoch": 1,
            "outcome": "FAIL",
            "reportId": "r1",
            "errMsg": "no voice",
            "localRetries": 3,
            "creates": [{"taskType": "lark", "taskStage": "a", "userId": "ada"}],
            "traceParent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        }
        first = self.spool()
        first.keep(report())
        (file,) = self.root.glob("*/r1.json")
        file.write_text(json.dumps(said))
        first.close()
        (left,) = self.spool().adopt()
        self.assertEqual(said, to_wire(left))

    def test_report_waits_for_the_objects_of_its_run(self):
        first = self.spool()
        first.keep(report("laden", outcome="NEXT_STAGE"))
        first.keep(report("retried", outcome="RETRY"))
        first.keep(report("other", task_id="2_lark_task_1"))
        first.close()
        sound = self.root / "objects" / "w1" / "1_lark_task_1~a~1~sound.wav"
        sound.parent.mkdir(parents=True)
        sound.write_bytes(b"sound")
        heir = self.spool()
        adopted = heir.adopt()
        self.assertEqual({"retried", "other"}, {left.report_id for left in adopted})
        for left in adopted:
            heir.forget(left)
        self.assertEqual([], heir.adopt())
        sound.unlink()  # a worker in Java has delivered it
        self.assertEqual(["laden"], [left.report_id for left in self.spool().adopt()])

    def test_full_spool_refuses_and_says_so(self):
        spool = self.spool(most_reports=1)
        self.assertTrue(spool.keep(report("r1")))
        self.assertTrue(spool.full)
        self.assertFalse(spool.keep(report("r2")))
        self.assertTrue(spool.keep(report("r1")), "it is there already")
        spool.forget(report("r1"))
        self.assertTrue(spool.keep(report("r2")))

    def test_too_many_bytes_are_refused(self):
        self.assertFalse(self.spool(most_bytes=50).keep(report()))

    def test_disk_that_cannot_be_written_is_no_exception(self):
        self.root.parent.joinpath("spool").write_text("a file")
        self.assertFalse(self.spool().keep(report()))

    def test_disk_without_locks_is_left_clean_and_tried_again_later(self):
        clock = Clock()
        spool = self.spool(clock=clock)
        no_locks = OSError(errno.ENOLCK, "no locks available")
        with mock.patch("fcntl.lockf", side_effect=no_locks) as lock:
            for _ in range(3):
                self.assertFalse(spool.keep(report()))
            self.assertEqual([], [*self.root.iterdir()])
            self.assertEqual(1, lock.call_count)
            spool.try_again()
            self.assertFalse(spool.keep(report()))
            self.assertEqual(2, lock.call_count, "the last chance of a stop")
        clock.advance(PAUSE)
        self.assertTrue(spool.keep(report()))

    def test_directory_that_is_deleted_is_made_again_with_all_that_is_still_needed(self):
        for delete in (
            lambda own: shutil.rmtree(self.root),
            lambda own: shutil.rmtree(own),
            lambda own: (own / "lock").unlink(),  # by age, before the reports
        ):
            spool = self.spool()
            self.assertTrue(spool.keep(report("r1")))
            for name in ("r2", "r3"):
                (own,) = {lock.parent for lock in self.root.glob("*/lock")}
                delete(own)
                self.assertTrue(spool.keep(report(name)))
                self.assertTrue(spool.keep(report("r1")))
                kept = {file.name for file in self.root.glob("*/*.json") if (file.parent / "lock").exists()}
                self.assertEqual({"r1.json", name + ".json"}, kept)
                spool.forget(report(name))
            spool.close()
            heir = self.spool()
            self.assertEqual(["r1"], [left.report_id for left in heir.adopt()])
            heir.close()
            shutil.rmtree(self.root)

    def test_report_whose_file_alone_is_deleted_is_kept_again(self):
        spool = self.spool()
        spool.keep(report())
        (file,) = self.root.glob("*/*.json")
        file.unlink()
        self.assertTrue(spool.keep(report()))
        self.assertTrue(file.exists())
        self.assertEqual(1, spool.size)

    def test_adopted_directory_that_is_deleted_is_kept_again(self):
        first = self.spool()
        first.keep(report())
        first.close()
        heir = self.spool()
        heir.adopt()
        shutil.rmtree(self.root)
        self.assertTrue(heir.keep(report()))
        self.assertEqual((1, 1), (len([*self.root.glob("*/r1.json")]), heir.size))

    def test_report_whose_file_is_gone_is_forgotten_without_a_word(self):
        spool = self.spool()
        spool.keep(report())
        (file,) = self.root.glob("*/r1.json")
        file.unlink()
        with self.assertRaises(AssertionError), self.assertLogs("asyncflow"):
            spool.forget(report())
        self.assertEqual(0, spool.size)

    def test_keeping_never_raises(self):
        spool = self.spool()
        for bad in (object(), {1}, b"x", "\ud800" * 3):
            kept = spool.keep(dataclasses.replace(report(), result=bad))
            self.assertEqual(isinstance(bad, str), kept)
            spool.forget(report())
        for failure in (OSError("full"), ValueError("closed"), MemoryError()):
            with mock.patch("os.fsync", side_effect=failure):
                self.assertFalse(spool.keep(report()))
        self.assertTrue(spool.keep(report()))

    def test_disk_that_is_full_keeps_no_half_of_a_report(self):
        spool = self.spool()
        spool.keep(report("r1"))
        with mock.patch("os.fsync", side_effect=OSError(errno.ENOSPC, "no space left")):
            self.assertFalse(spool.keep(report("r2")))
        self.assertEqual([], [*self.root.glob("*/*.tmp")])

    def test_files_of_others_are_not_in_the_way_whatever_they_have(self):
        first = self.spool()
        first.keep(report())
        (file,) = self.root.glob("*/r1.json")
        whole = json.loads(file.read_text())
        for number, (name, value) in enumerate(
            (("reportId", 7), ("reportId", {}), ("leaseEpoch", "1"), ("taskId", None), ("outcome", []),
             ("result", 5), ("errMsg", {}), ("taskContext", 1.5), ("workerId", False))
        ):  # fmt: skip
            file.with_name(f"odd{number}.json").write_text(json.dumps({**whole, name: value}))
        file.with_name("deep.json").write_text("[" * 100_000)
        file.with_name("list.json").write_text("[]")
        file.with_name("x.tmp").mkdir()
        first.close()
        heir = self.spool()
        self.assertEqual(["r1"], [left.report_id for left in heir.adopt()])
        self.assertEqual(11, len([*self.root.glob("set-aside/*.json")]))

    def test_child_process_neither_owns_nor_fears_what_its_parent_has(self):
        spool = self.spool()
        spool.keep(report())
        (own,) = {file.parent for file in self.root.glob("*/r1.json")}
        with _Claim._guard:  # as by another thread
            child = os.fork()
            if child == 0:
                signal.alarm(10)
                try:
                    mine = Spool(self.root)
                    is_left_alone = mine.adopt() == [] and mine.keep(report("r2"))
                    mine.close()
                    os._exit(0 if is_left_alone and (own / "lock").exists() else 1)
                finally:
                    os._exit(2)
        self.assertEqual((child, 0), os.waitpid(child, 0))
        self.assertEqual({"r1", "r2"}, {left.report_id for left in (report(), *spool.adopt())})

    def test_home_is_meant_by_a_tilde(self):
        self.assertEqual(Path.home() / "x", directory("~/x"))
        self.assertEqual(Path("/x/y"), directory("/x/y"))
