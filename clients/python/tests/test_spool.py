import errno
import json
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from asyncflow.model import Report, to_wire
from asyncflow.spool import PAUSE, Spool, directory

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

    def test_home_is_meant_by_a_tilde(self):
        self.assertEqual(Path.home() / "x", directory("~/x"))
        self.assertEqual(Path("/x/y"), directory("/x/y"))
