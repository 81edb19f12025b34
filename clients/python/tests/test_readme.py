import io
import json
import logging
import re
import threading
import unittest
import urllib.request
from http.server import ThreadingHTTPServer
from pathlib import Path
from unittest import mock

from asyncflow import NewTask, Worker
from asyncflow.testing import FakeFlow

HOME = Path(__file__).parents[1]
PROGRAM = re.compile(r"`(\w+\.py)`:\n\n```python\n(.*?)```", re.DOTALL)


class ReadmeTest(unittest.TestCase):
    """Its programs that need no server; PythonSdkIT runs the others on one."""

    def setUp(self):
        self.flow = FakeFlow("hello", "speech")

    def load(self, name):
        """The program as a module that is imported; its worker works for the server in memory."""
        programs = dict(PROGRAM.findall((HOME / "README.md").read_text()))

        def worker(**settings):
            return Worker(client=self.flow, **settings)

        module = {"__name__": name}
        with mock.patch("asyncflow.Worker", worker):
            exec(compile(programs[name], name, "exec"), module)
        return module

    def run_all(self, module, *tasks):
        ids = [self.flow.create(task).task_id for task in tasks]
        module["worker"].run_due()
        return [self.flow.get(task_id) for task_id in ids]

    def test_speaker_splits_and_speaks(self):
        speech = {"voice": "af", "text": " Hello "}
        (task,) = self.run_all(self.load("speaker.py"), NewTask("speech", "split", "ada", speech))
        sound = json.loads(task.result)["sound"]
        self.assertEqual(b"Hello", self.flow.open(sound[len("stored:") :]).read())

    def test_observed_lines_name_the_task_and_its_trace(self):
        root = logging.getLogger()
        before = root.handlers, root.level
        self.addCleanup(lambda: (setattr(root, "handlers", before[0]), root.setLevel(before[1])))
        root.handlers = []
        module = self.load("observed.py")
        lines = io.StringIO()
        module["log"].setStream(lines)
        worker = Worker(client=self.flow)

        @worker.stage("hello", "greet")
        def greet(run):
            logging.info("hello")

        (task,) = self.run_all({"worker": worker}, NewTask("hello", "greet", "ada"))
        self.assertIn(f" INFO [{task.task_id} {task.trace_id}] hello\n", lines.getvalue())

    def test_measured_metrics_are_those_of_the_table(self):
        module = self.load("measured.py")
        self.run_all(module, NewTask("hello", "greet", "ada", {"name": "Ada"}))
        text = module["metrics"]()
        for line in (
            "asyncflow_worker_healthy 1",
            "asyncflow_worker_leases_lost_total 0",
            'asyncflow_worker_run_seconds_bucket{type="hello",stage="greet",outcome="success",le="+Inf"} 1',
            'asyncflow_worker_run_seconds_count{type="hello",stage="greet",outcome="success"} 1',
            'asyncflow_worker_runs{type="hello",state="working"} 0',
            "asyncflow_worker_spool_reports 0",
            'asyncflow_worker_threads_free{type="hello"} 16',
        ):
            self.assertIn(line + "\n", text)
        table = {
            name: (*sorted(re.findall(r"\w+", labels)),)
            for name, labels in re.findall(
                r"^\| `(asyncflow_worker_\w+)` \| \w+ \|(.*?)\|",
                (HOME.parents[1] / "docs" / "operating.md").read_text(),
                re.MULTILINE,
            )
        }
        shown = re.findall(r"^(\w+)(\{.*\})? [0-9.e-]+$", text, re.MULTILINE)
        self.assertEqual(text.count("\n"), len(shown))
        for name, labels in shown:
            row = re.sub("(?<=run_seconds)_(bucket|count|sum)$", "", name)
            named = (*sorted({*re.findall(r'(\w+)="', labels)} - {"le"}),)
            self.assertEqual(table[row], named, name)

    def test_measured_ends_have_the_buckets_of_the_fleet(self):
        module = self.load("measured.py")
        meters = HOME.parents[1] / "worker-sdk/src/main/java/io/asyncflow/worker/autoconfigure/WorkerMeters.java"
        seconds = {"Millis": 0.001, "Seconds": 1, "Minutes": 60, "Hours": 3600, "Days": 86400}
        java = [
            int(number) * seconds[unit]
            for unit, number in re.findall(r"Duration\.of(\w+)\((\d+)\)", meters.read_text())
        ]
        self.assertEqual([*java, float("inf")], [float(bound) for bound in module["BOUNDS"]])

    def test_measured_metrics_are_served(self):
        module = self.load("measured.py")
        server = ThreadingHTTPServer(("127.0.0.1", 0), module["Metrics"])
        self.addCleanup(server.server_close)
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        with urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/metrics", timeout=10) as answer:
            self.assertEqual(module["metrics"](), answer.read().decode())
        thread.join(10)
