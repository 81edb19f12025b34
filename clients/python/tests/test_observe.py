import asyncio
import contextvars
import logging
import os
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock

from asyncflow import (
    AsyncFlowClient,
    Done,
    NewTask,
    NonRetryable,
    RunFields,
    TypeView,
    Worker,
    WorkerView,
)
from asyncflow.pool import STUCK_AFTER
from asyncflow.spool import Spool
from asyncflow.testing import FakeFlow

from .fixtures import Bench, unreachable

TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
SPAN = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01"

LOG = logging.getLogger("tests.handlers")


class Lines(logging.Handler):
    """The fields of each line."""

    def __init__(self):
        super().__init__()
        self.addFilter(RunFields())
        self.seen = []

    def emit(self, record):
        self.seen.append((record.task_id, record.task_stage, record.task_attempt, record.trace_id))
        self.hold_trace_id = record.hold_trace_id


class LogFieldsTest(unittest.TestCase):
    def setUp(self):
        self.bench = Bench()
        self.lines = Lines()
        LOG.addHandler(self.lines)
        LOG.propagate = False
        self.addCleanup(LOG.removeHandler, self.lines)

    def test_lines_of_a_handler_name_its_run(self):
        for asynchronous in (False, True):
            bench = Bench()
            self.lines.seen.clear()

            def log(run):
                LOG.warning("hello")
                return Done()

            async def log_after_a_switch(run):
                await asyncio.sleep(0)
                return log(run)

            bench.worker.stage("lark", "a")(log_after_a_switch if asynchronous else log)
            task_id = bench.create()
            bench.worker.run_due()
            LOG.warning("outside")
            self.assertEqual(
                [(task_id, "a", 1, bench.task(task_id).trace_id), ("", "", "", "")], self.lines.seen
            )
            self.assertEqual(32, len(self.lines.seen[0][3]))
            self.assertEqual("", self.lines.hold_trace_id)

    def test_lines_have_the_trace_of_the_create(self):
        bench = Bench(trace_parent=lambda: TRACE)

        @bench.worker.stage("lark", "a")
        def handler(run):
            LOG.warning("hello")
            return Done()

        task_id = bench.create()
        bench.worker.run_due()
        self.assertEqual("0af7651916cd43dd8448eb211c80319c", self.lines.seen[0][3])
        self.assertEqual(bench.task(task_id).trace_id, self.lines.hold_trace_id)

    def test_lines_of_a_batch_name_all_its_tasks(self):
        @self.bench.worker.batch_stage("lark", "a")
        def handler(runs):
            LOG.warning("hello")
            return [Done() for _ in runs]

        ids = [self.bench.create(), self.bench.create()]
        self.bench.worker.run_due()
        self.assertEqual([(",".join(ids), "a", 1)], [line[:3] for line in self.lines.seen])

    def test_lines_of_what_a_handler_left_behind_name_no_run(self):
        left = []

        @self.bench.worker.stage("lark", "a")
        def handler(run):
            left.append(contextvars.copy_context())
            left[0].run(LOG.warning, "hello")
            return Done()

        task_id = self.bench.create()
        self.bench.worker.run_due()
        left[0].run(LOG.warning, "later")
        self.assertEqual([task_id, ""], [line[0] for line in self.lines.seen])

    def test_lines_of_a_handler_whose_run_was_cancelled_name_it_until_it_returns(self):
        @self.bench.worker.stage("lark", "a")
        def handler(run):
            self.bench.worker._ends.cancelled(run._run)
            LOG.warning("hello")
            return Done()

        task_id = self.bench.create()
        self.bench.worker.run_due()
        self.assertEqual([task_id], [line[0] for line in self.lines.seen])


class RunEndsTest(unittest.TestCase):
    def setUp(self):
        self.bench = Bench()
        self.ends = []
        self.bench.worker.when_run_ends(self.ends.append)

    def run_one(self, handler):
        self.bench.worker.stage("lark", "a")(handler)
        self.bench.create()
        self.bench.worker.run_due()
        return [(end.task_type, end.task_stage, end.outcome, end.took) for end in self.ends]

    def test_each_end_is_told_with_its_time(self):
        def handler(run):
            self.bench.clock.advance(2.5)
            return Done()

        self.assertEqual([("lark", "a", "success", 2.5)], self.run_one(handler))

    def test_failures_are_told(self):
        def handler(run):
            raise NonRetryable("no")

        self.assertEqual([("lark", "a", "fail", 0.0)], self.run_one(handler))

    def test_end_of_time_is_told_as_such(self):
        def handler(run):
            self.bench.clock.advance(30)
            return Done()

        self.assertEqual([("lark", "a", "timed_out", 30.0)], self.run_one(handler))
        (task,) = self.bench.flow.all("lark")
        self.assertEqual(1, task.crt_retry_num, "it is reported as a retry")

    def test_handler_that_outlives_its_time_is_told_as_timed_out(self):
        def handler(run):
            self.bench.clock.advance(29.5)
            self.bench.worker._deadlines.turn()
            return Done()

        self.assertEqual([("lark", "a", "timed_out", 29.5)], self.run_one(handler))

    def test_cancelled_run_is_told_once(self):
        def handler(run):
            self.bench.worker._ends.cancelled(run._run)
            return Done()

        self.assertEqual([("lark", "a", "cancelled", 0.0)], self.run_one(handler))

    def test_listener_that_fails_costs_no_report(self):
        for thrown in (RuntimeError("no metrics"), SystemExit(3), KeyboardInterrupt()):
            self.setUp()

            @self.bench.worker.when_run_ends
            def listener(end):
                raise thrown

            self.assertEqual("success", self.run_one(lambda run: Done())[0][2])
            self.assertEqual([], self.bench.worker._runs.all())

    def test_listener_that_exits_ends_no_thread_of_the_worker(self):
        told = []

        @self.bench.worker.when_run_ends
        def listener(end):
            told.append((end.outcome, len(self.bench.worker._runs)))
            raise SystemExit(3)

        def handler(run):
            self.bench.flow.cancel(run.task.task_id)
            self.bench.clock.advance(7)
            self.bench.worker._heart.turn()
            return Done()

        self.run_one(handler)
        self.assertEqual([("cancelled", 0)], told, "it is settled before")

    def test_listener_is_told_when_the_report_is_on_its_way(self):
        told = []
        sender = self.bench.worker._sender
        self.bench.worker.when_run_ends(lambda end: told.append(len(sender._unsettled())))
        self.run_one(lambda run: Done())
        self.assertEqual([1], told)


class TracesTest(unittest.TestCase):
    """What handlers call and create stays in the trace of the task."""

    def setUp(self):
        self.parents = [TRACE]
        self.bench = Bench(trace_parent=lambda: self.parents.pop() if self.parents else None)

    def created(self):
        """The traces of the tasks of the stage b."""
        return [task.trace_parent for task in self.bench.flow.all("lark") if task.task_stage == "b"]

    def run_one(self, handler):
        self.bench.worker.stage("lark", "a")(handler)
        self.bench.create()
        self.bench.worker.run_due()
        return self.created()

    def test_calls_of_a_handler_carry_the_trace_of_its_task(self):
        self.assertEqual([TRACE], self.run_one(lambda run: Done(self.bench.create("b"))))
        self.bench.create("b")
        self.assertEqual([None, TRACE], self.created())

    def test_so_do_calls_of_asyncio(self):
        async def handler(run):
            await AsyncFlowClient(self.bench.flow).create(NewTask("lark", "b", "ada"))
            return Done()

        self.assertEqual([TRACE], self.run_one(handler))

    def test_calls_of_what_a_handler_left_behind_do_not(self):
        left = {}

        async def flush(returned):
            self.bench.create("b")
            await returned.wait()
            self.bench.create("b")

        async def handler(run):
            left["returned"] = asyncio.Event()
            left["loop"] = asyncio.get_running_loop()
            left["flush"] = asyncio.create_task(flush(left["returned"]))
            await asyncio.sleep(0)
            return Done()

        async def flushed():
            left["returned"].set()
            await left["flush"]

        self.assertEqual([TRACE], self.run_one(handler))
        asyncio.run_coroutine_threadsafe(flushed(), left["loop"]).result(10)
        self.assertEqual([None, TRACE], self.created())

    def test_what_the_client_asks_for_comes_first(self):
        def handler(run):
            for parent in (SPAN, "no traceparent"):
                self.parents.append(parent)
                self.bench.create("b")
            return Done()

        self.assertEqual([TRACE, SPAN], self.run_one(handler))

    def test_span_of_the_handler_is_the_parent_of_what_it_makes(self):
        def handler(run):
            run.trace_parent = SPAN
            self.bench.create("b")
            return Done(creates=[NewTask("lark", "b", "ada")])

        self.assertEqual([SPAN, SPAN], self.run_one(handler))

    def test_invalid_span_counts_as_none(self):
        off = "00-" + 32 * "0" + "-" + 16 * "0" + "-00"

        def handler(run):
            for parent in (SPAN, off):
                run.trace_parent = parent
            self.assertEqual(TRACE, run.trace_parent)
            return Done(creates=[NewTask("lark", "b", "ada")])

        self.assertEqual([TRACE], self.run_one(handler))

    def test_calls_of_a_batch_carry_the_trace_that_its_tasks_share(self):
        @self.bench.worker.batch_stage("lark", "a")
        def handler(runs):
            self.bench.create("b")
            return [Done() for _ in runs]

        for parents in ([TRACE, TRACE], [TRACE, SPAN], [TRACE]):
            for parent in parents:
                self.parents.append(parent)
                self.bench.create()
            if len(parents) == 1:
                self.bench.create()
            self.bench.worker.run_due()
        self.assertEqual([None, None, TRACE], self.created())


class ViewTest(unittest.TestCase):
    def setUp(self):
        self.bench = Bench(threads=2)
        self.worker = self.bench.worker
        self.seen = []

    def see(self):
        self.seen.append(self.worker.view())

    def view(self):
        """All but the name and the free threads of the one type."""
        (view,) = self.worker.view().types
        return view.queued, view.working, view.reporting, view.overdue, view.stuck

    def test_worker_that_has_not_started_has_all_threads_free(self):
        self.worker.stage("Lark", "a")(lambda run: Done())
        idle = TypeView("lark", "PENDING", 0, 0, 0, 0, 0, 2, None)
        self.assertEqual(WorkerView("w1", "NEW", (idle,), 0, None), self.worker.view())

    def test_runs_are_counted_by_their_states(self):
        @self.worker.stage("lark", "a")
        def handler(run):
            self.see()
            return Done()

        report = self.bench.flow.report
        self.bench.flow.report = lambda reports: (self.see(), report(reports))[1]
        for _ in range(2):
            self.bench.create()
        self.worker.run_due()
        (first,), (second,), (reports,) = (view.types for view in self.seen)
        self.assertEqual((1, 1, 0, 1), (first.queued, first.working, first.reporting, first.free_threads))
        self.assertEqual((0, 1, 1), (second.queued, second.working, second.reporting))
        self.assertEqual((0, 0, 2, 2), (reports.queued, reports.working, reports.reporting, reports.free_threads))
        self.assertEqual((0, 0, 0, 0, 0), self.view())

    def test_poller_says_what_it_does_and_why_holds_fail(self):
        self.worker.stage("lark", "a")(lambda run: Done())
        self.bench.flow.fail_calls(lambda path: self.see() if path == "task/hold_task" else None)
        self.worker._assemble()
        self.worker._feed.turn()
        poller = self.worker._types["lark"].poller
        poller.turn()
        self.assertEqual("POLLING", self.seen[-1].types[0].poller)
        self.bench.flow.fail_calls(unreachable("task/hold_task"))
        poller.turn()
        (view,) = self.worker.view().types
        self.assertEqual(("PENDING", "task/hold_task"), (view.poller, view.problem))
        self.bench.flow.fail_calls(None)
        poller.turn()
        self.assertIsNone(self.worker.view().types[0].problem)
        poller.stop()
        poller.turn()
        self.assertEqual("STOPPED", self.worker.view().types[0].poller)

    def test_handler_that_ignores_its_end_is_overdue_and_then_stuck(self):
        @self.worker.batch_stage("lark", "a")
        def handler(runs):
            for run in runs:
                self.assertEqual((0, 2 - len(self.seen), 0, 0, 0), self.view())
                self.worker._ends.cancelled(run._run)
                self.see()
            self.assertEqual((0, 0, 0, 1, 0), self.view())
            self.assertIsNone(self.worker.view().problem)
            self.bench.clock.advance(STUCK_AFTER + 1)
            self.assertEqual((0, 0, 0, 1, 1), self.view())
            self.assertIn("keep their threads", self.worker.view().problem)
            self.see()
            return [Done() for _ in runs]

        for _ in range(2):
            self.bench.create()
        self.worker.run_due()
        self.assertEqual(3, len(self.seen), "the handler has seen it all")
        self.assertIsNone(self.worker.view().problem)

    def test_handler_whose_result_is_stored_is_not_overdue(self):
        self.worker.stage("lark", "a")(lambda run: Done("x" * 5000))
        self.bench.flow.fail_calls(lambda path: self.see() if path == "store" else None)
        self.bench.create()
        self.worker.run_due()
        (view,) = self.seen[0].types
        self.assertEqual((1, 0, 1), (view.reporting, view.overdue, view.free_threads))

    def test_undelivered_reports_are_counted(self):
        with tempfile.TemporaryDirectory() as directory:
            spool = self.worker._spool = self.worker._sender._spool = Spool(Path(directory))
            self.worker.stage("lark", "a")(lambda run: Done())
            self.bench.create()
            self.bench.flow.fail_calls(unreachable("task/set_tasks"))
            self.worker.run_due()
            self.assertEqual(1, self.worker.view().spooled)
            spool.close()


class DescriptionTest(unittest.TestCase):
    def test_sdk_tells_its_language(self):
        self.assertRegex(Bench().worker._describe()["sdkVersion"], "^python(/.+)?$")

    def test_handlers_that_keep_their_threads_are_said_once(self):
        bench = Bench(threads=1)
        begun, release = threading.Event(), threading.Event()

        @bench.worker.stage("lark", "a")
        def handler(run):
            begun.set()
            release.wait(10)
            return Done()

        bench.create()
        thread = threading.Thread(target=bench.worker.run_due)
        thread.start()
        self.assertTrue(begun.wait(10))
        (run,) = bench.worker._runs.all()
        bench.worker._ends.cancelled(run)
        self.assertEqual("healthy", bench.worker._describe()["states"]["health"])
        bench.clock.advance(STUCK_AFTER + 1)
        with self.assertLogs("asyncflow", "INFO") as log:
            for _ in range(2):
                states = bench.worker._describe()["states"]
            release.set()
            thread.join(10)
            self.assertEqual("healthy", bench.worker._describe()["states"]["health"])
        self.assertEqual("1", states["stuck"])
        self.assertIn(f"keep their threads: {run}", states["health"])
        self.assertEqual(1, sum("keep their threads" in line for line in log.output))
        self.assertIn("no handler keeps its thread any more", log.output[-1])


class EnvironmentTest(unittest.TestCase):
    """What the Helm chart sets for the workers of a fleet."""

    GRACE = "ASYNCFLOW_WORKER_SHUTDOWNGRACE"
    SPOOL = "ASYNCFLOW_WORKER_SPOOLDIR"

    def worker(self, environment, **settings):
        with mock.patch.dict(os.environ, environment), mock.patch("asyncflow.worker.Spool") as spool:
            flow = FakeFlow("lark")
            flow._server.name = "server"
            worker = Worker(client=flow, **settings)
        return worker._grace, str(spool.call_args.args[0]) if spool.called else None

    def test_environment_gives_grace_and_spool(self):
        chart = {self.GRACE: "60s", self.SPOOL: "/data/spool"}
        self.assertEqual((60, "/data/spool/server"), self.worker(chart))

    def test_arguments_win(self):
        chart = {self.GRACE: "60s", self.SPOOL: "/data/spool"}
        self.assertEqual((5, "/own/server"), self.worker(chart, grace=5, spool_dir="/own"))
        self.assertEqual((60, None), self.worker(chart, spool_dir=None))

    def test_without_either_the_defaults_count(self):
        grace, spool = self.worker({self.GRACE: "", self.SPOOL: ""})
        self.assertEqual(20, grace)
        self.assertTrue(spool.endswith(".asyncflow/spool/server"))

    def test_patience_is_five_minutes_and_that_of_the_environment_or_the_argument(self):
        def patience(environment, **settings):
            with mock.patch.dict(os.environ, environment):
                return Worker(client=FakeFlow("lark"), **settings)._outage_patience

        chart = {"ASYNCFLOW_WORKER_OUTAGEPATIENCE": "90s"}
        self.assertEqual((300, 90, 0), (patience({}), patience(chart), patience(chart, outage_patience=0)))
        with self.assertRaisesRegex(ValueError, "outage_patience"):
            patience({}, outage_patience=-1)

    def test_values_are_those_of_spring(self):
        for text, seconds in (("500ms", 0.5), ("1500", 1.5), ("5m", 300), ("1H", 3600)):
            self.assertEqual(seconds, self.worker({self.GRACE: text})[0])
        self.assertIsNone(self.worker({self.SPOOL: "none"})[1])
        with self.assertRaisesRegex(ValueError, "SHUTDOWNGRACE.*60s.*'soon'"):
            self.worker({self.GRACE: "soon"})
