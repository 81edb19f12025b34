import asyncio
import dataclasses
import os
import signal
import threading
import time
import unittest
from unittest import mock

from asyncflow import Done, NewTask, Status, Worker
from asyncflow.testing import FakeFlow

from .fixtures import unreachable


class LifeTest(unittest.TestCase):
    """A worker with its threads, from start to stop."""

    def setUp(self):
        self.flow = FakeFlow("lark")
        self.worker = Worker(client=self.flow, grace=10)
        self.began = threading.Event()

    def create(self):
        return self.flow.create(NewTask("lark", "a", "ada")).task_id

    def test_work_is_done_and_the_stop_leaves_nothing_behind(self):
        self.worker.stage("lark", "a")(lambda run: (self.began.set(), Done("ok"))[1])
        task_id = self.create()
        self.worker.start()
        self.assertTrue(self.began.wait(10))
        self.assertTrue(self.worker.stop())
        self.assertEqual("ok", self.flow.get(task_id).result)
        self.assertEqual("STOPPED", self.worker.state)

    def test_worker_that_stops_says_so_with_its_last_heartbeat(self):
        beats = []
        heard = threading.Event()
        heartbeat = self.flow.heartbeat

        def listen(worker_id, tasks, start_id=None, description=None):
            answer = heartbeat(worker_id, tasks, start_id, description)
            beats.append((tasks, description["states"]["worker"]))
            heard.set()
            return answer

        self.flow.heartbeat = listen
        self.worker.stage("lark", "a")(lambda run: Done("ok"))
        self.worker.start()
        self.assertTrue(heard.wait(10))
        self.assertTrue(self.worker.stop())
        self.assertEqual(([], "STOPPED"), beats[-1])
        self.assertEqual(1, [state for _, state in beats].count("STOPPED"))

    def test_handler_that_outlives_the_grace_is_told_and_its_task_released(self):
        @self.worker.stage("lark", "a")
        def handler(run):
            self.began.set()
            while not run.wait(60):
                pass
            raise RuntimeError("told to stop")

        task_id = self.create()
        self.worker.start()
        self.assertTrue(self.began.wait(10))
        self.assertTrue(self.worker.stop(0))
        task = self.flow.get(task_id)
        self.assertEqual((Status.WAITING, 0), (task.status, task.crt_retry_num))

    def test_sigterm_drains(self):
        @self.worker.stage("lark", "a")
        def handler(run):
            os.kill(os.getpid(), signal.SIGTERM)
            return Done("finished in the grace")

        task_id = self.create()
        before = signal.getsignal(signal.SIGTERM)
        self.worker.run()
        self.assertEqual("finished in the grace", self.flow.get(task_id).result)
        self.assertIs(before, signal.getsignal(signal.SIGTERM))

    def terminate_at_the_start(self):
        """SIGTERM in the first moment; returns what is not heard by the worker then."""
        missed = []

        def handler(*_):
            missed.append("SIGTERM")
            threading.Thread(target=self.worker.stop).start()

        self.addCleanup(signal.signal, signal.SIGTERM, signal.signal(signal.SIGTERM, handler))
        self.worker.stage("lark", "a")(lambda run: Done())
        self.worker._sender.adopt = lambda: os.kill(os.getpid(), signal.SIGTERM)
        return missed

    def test_sigterm_while_the_worker_starts_drains(self):
        missed = self.terminate_at_the_start()
        before = signal.getsignal(signal.SIGTERM)
        self.worker.run()
        self.assertEqual(([], "STOPPED"), (missed, self.worker.state))
        self.assertIs(before, signal.getsignal(signal.SIGTERM))

    def test_sigterm_while_the_worker_starts_on_a_loop_drains(self):
        missed = self.terminate_at_the_start()
        asyncio.run(self.worker.serve())
        self.assertEqual(([], "STOPPED"), (missed, self.worker.state))

    def test_start_that_fails_leaves_the_signals_as_they_were(self):
        before = signal.getsignal(signal.SIGTERM)
        with self.assertRaises(RuntimeError):
            self.worker.run()
        self.assertIs(before, signal.getsignal(signal.SIGTERM))

    def test_sigterm_during_a_drain_begins_the_grace_and_a_second_one_ends_it(self):
        left = []

        def grace_ends():
            with self.worker._progress:
                is_known = lambda: self.worker._grace_end < float("inf")  # noqa: E731
                return self.worker._progress.wait_for(is_known, 10)

        @self.worker.stage("lark", "a")
        def handler(run):
            self.worker._drain(None)
            with self.worker._progress:
                self.worker._progress.wait_for(lambda: self.worker.state == "STOPPING", 10)
            os.kill(os.getpid(), signal.SIGTERM)
            left.append(grace_ends() and self.worker._grace_end - time.monotonic())
            left.append(run.cancelled)
            os.kill(os.getpid(), signal.SIGTERM)
            left.append(run.wait(10))
            raise RuntimeError("told to stop")

        task_id = self.create()
        with self.assertLogs("asyncflow", "INFO") as log:
            self.worker.run()
        self.assertGreater(left[0], 5)
        self.assertEqual([False, True], left[1:])
        task = self.flow.get(task_id)
        self.assertEqual((Status.WAITING, 0), (task.status, task.crt_retry_num))
        self.assertNotIn("inf s", "".join(log.output))

    def test_drain_by_the_server_ends_the_worker(self):
        self.worker.stage("lark", "a")(lambda run: (self.worker._drain(None), Done("last"))[1])
        task_id = self.create()
        self.worker.run()
        self.assertEqual("last", self.flow.get(task_id).result)

    def test_each_answer_that_says_drain_costs_no_thread_and_may_shorten_the_grace(self):
        released = threading.Event()
        self.addCleanup(released.set)

        @self.worker.stage("lark", "a")
        def handler(run):
            self.began.set()
            released.wait(10)
            return Done("last")

        task_id = self.create()
        self.worker.start()
        self.assertTrue(self.began.wait(10))
        self.worker._drain(90_000)
        self.assertEqual("STOPPING", self.worker.state)
        threads = {*threading.enumerate()}
        for _ in range(20):
            self.worker._drain(60_000)
        self.assertEqual(set(), {*threading.enumerate()} - threads)
        self.assertLess(self.worker._grace_end - time.monotonic(), 61)
        released.set()
        self.assertTrue(self.worker.stop())
        self.assertEqual("last", self.flow.get(task_id).result)

    def test_stop_that_fails_ends_the_worker_all_the_same(self):
        def fail():
            raise RuntimeError("can't start new thread")

        self.worker.stage("lark", "a")(lambda run: Done())
        self.worker._heart.farewell = fail
        self.worker.start()
        with self.assertLogs("asyncflow", "ERROR") as log:
            self.worker._drain(None)
            self.assertTrue(self.worker._stopped.wait(10))
        self.assertIn("can't start new thread", log.output[0])
        self.assertEqual("STOPPED", self.worker.state)

    def test_drain_for_which_there_is_no_thread_is_heeded_later(self):
        self.worker.stage("lark", "a")(lambda run: Done())
        self.worker.start()
        refused = RuntimeError("can't start new thread")
        with mock.patch.object(threading.Thread, "start", side_effect=refused):
            with self.assertLogs("asyncflow", "WARNING") as log:
                self.worker._drain(None)
        self.assertIn("can't start new thread", log.output[0])
        self.assertEqual("RUNNING", self.worker.state)
        self.worker._drain(None)
        self.assertTrue(self.worker._stopped.wait(10))

    def test_drain_for_which_there_is_no_thread_loses_no_task_of_the_same_answer(self):
        hold, start = self.flow.hold, threading.Thread.start
        refused = threading.Event()

        def start_unless_it_stops(thread):
            if thread.name == "asyncflow-stop" and not self.began.is_set():
                refused.set()
                raise RuntimeError("can't start new thread")
            start(thread)

        def hold_and_drain(*args, **options):
            return dataclasses.replace(hold(*args, **options), drain=True)

        self.flow.hold = hold_and_drain
        self.worker.stage("lark", "a")(lambda run: (self.began.set(), Done("ok"))[1])
        task_id = self.create()
        with mock.patch.object(threading.Thread, "start", start_unless_it_stops):
            self.worker.start()
            self.addCleanup(self.worker.stop)
            self.assertTrue(self.began.wait(10))
            self.assertTrue(refused.is_set())
            self.assertTrue(self.worker._stopped.wait(10))
        self.assertEqual("ok", self.flow.get(task_id).result)

    def test_async_handlers_run_on_the_loop_of_the_application(self):
        loops = []

        @self.worker.stage("lark", "a")
        async def handler(run):
            loops.append(asyncio.get_running_loop())
            threading.Thread(target=self.worker.stop).start()
            return Done()

        task_id = self.create()

        async def application():
            await asyncio.wait_for(self.worker.serve(), 10)
            return asyncio.get_running_loop()

        self.assertEqual([asyncio.run(application())], loops)
        self.assertIs(Status.SUCCESS, self.flow.get(task_id).status)

    def test_labels_of_another_kind_are_refused_with_what_they_must_be(self):
        with self.assertRaisesRegex(TypeError, "names with their values.*not \\['gpu'\\]"):
            Worker(client=self.flow, labels=["gpu"])

    def test_settings_that_could_never_be_read_are_not_said_to_stay_in_use(self):
        self.worker.stage("lark", "a")(lambda run: Done())
        self.worker._assemble()
        for words in ("no tasks are asked for until", "the last values stay in use"):
            self.flow.fail_calls(unreachable("task_schedule_cfg/list"))
            with self.assertLogs("asyncflow", "WARNING") as log:
                self.worker._feed.turn()
            self.assertIn(words, log.output[0])
            self.flow.fail_calls(None)
            self.worker._feed.turn()

    def test_a_worker_starts_once_and_needs_stages(self):
        with self.assertRaises(RuntimeError):
            Worker(client=self.flow).start()
        self.worker.stage("lark", "a")(lambda run: Done())
        self.worker.start()
        self.addCleanup(self.worker.stop)
        with self.assertRaises(RuntimeError):
            self.worker.start()
