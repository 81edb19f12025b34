import asyncio
import dataclasses
import logging
import os
import signal
import subprocess
import sys
import threading
import time
import unittest
from unittest import mock

from asyncflow import Done, NewTask, Status, Worker, signals
from asyncflow.loop import Loop
from asyncflow.run import Stop
from asyncflow.testing import FakeFlow

from .fixtures import unreachable


class LifeTest(unittest.TestCase):
    """A worker with its threads, from start to stop."""

    def setUp(self):
        self.flow = FakeFlow("lark")
        self.worker = Worker(client=self.flow, grace=10)
        self.began = threading.Event()
        # Whoever runs the tests may have switched Ctrl-C off.
        ctrl_c = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, ctrl_c)

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
        told = self.terminate_at_the_start()
        asyncio.run(self.worker.serve())
        self.assertEqual(("SIGTERM", "STOPPED"), (told[0], self.worker.state), "both are told")

    async def served(self, *workers, **options):
        """The workers on one loop, once all have started."""
        serving = [asyncio.ensure_future(worker.serve(**options)) for worker in workers]
        while not all(worker.state == "RUNNING" for worker in workers):
            await asyncio.sleep(0)
        return asyncio.gather(*serving)

    def test_workers_of_one_loop_stop_at_one_signal(self):
        before = signal.getsignal(signal.SIGTERM)
        other = Worker(client=self.flow, grace=10)
        for worker in (self.worker, other):
            worker.stage("lark", "a")(lambda run: Done())

        async def application():
            serving = await self.served(self.worker, other)
            os.kill(os.getpid(), signal.SIGTERM)
            await asyncio.wait_for(serving, 10)

        asyncio.run(application())
        self.assertEqual(["STOPPED"] * 2, [self.worker.state, other.state])
        self.assertIs(before, signal.getsignal(signal.SIGTERM))

    def test_application_that_heeds_signals_hears_them_beside_the_worker(self):
        self.worker.stage("lark", "a")(lambda run: Done())
        self.addCleanup(signal.signal, signal.SIGTERM, signal.getsignal(signal.SIGTERM))

        async def application():
            asked, loop = asyncio.Event(), asyncio.get_running_loop()
            signal.signal(signal.SIGTERM, lambda *_: loop.call_soon_threadsafe(asked.set))
            serving = await self.served(self.worker)
            os.kill(os.getpid(), signal.SIGTERM)
            await asyncio.wait_for(asked.wait(), 10)
            await asyncio.wait_for(serving, 10)

        asyncio.run(application())
        self.assertEqual("STOPPED", self.worker.state)

    def test_ctrl_c_ends_what_serves_without_a_cancel(self):
        self.worker.stage("lark", "a")(lambda run: Done())
        self.worker._sender.adopt = lambda: os.kill(os.getpid(), signal.SIGINT)
        asyncio.run(self.worker.serve())
        self.assertEqual("STOPPED", self.worker.state)

    def test_worker_may_leave_the_signals_alone(self):
        self.worker.stage("lark", "a")(lambda run: Done())
        told = []
        handler = lambda *_: told.append("SIGTERM")  # noqa: E731
        self.addCleanup(signal.signal, signal.SIGTERM, signal.signal(signal.SIGTERM, handler))

        async def application():
            serving = await self.served(self.worker, signals=False)
            os.kill(os.getpid(), signal.SIGTERM)
            while not told:
                await asyncio.sleep(0)
            state = self.worker.state
            serving.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await asyncio.wait_for(serving, 10)
            return state

        self.assertEqual("RUNNING", asyncio.run(application()))
        self.assertEqual("STOPPED", self.worker.state)

    def test_handler_that_an_application_puts_back_later_acts_as_the_one_before(self):
        told = []
        handler = lambda *_: told.append("SIGTERM")  # noqa: E731
        self.addCleanup(signal.signal, signal.SIGTERM, signal.signal(signal.SIGTERM, handler))
        with signals.heeded(lambda: told.append("stop"), lambda _: False):
            left = signal.getsignal(signal.SIGTERM)
        signal.signal(signal.SIGTERM, left)
        signal.raise_signal(signal.SIGTERM)
        self.assertEqual((["SIGTERM"], handler), (told, signal.getsignal(signal.SIGTERM)))

    def test_handlers_that_call_each_other_come_to_an_end(self):
        told = []
        with signals.heeded(lambda: told.append("first"), lambda _: True):
            inner = signal.getsignal(signal.SIGTERM)
            signal.signal(signal.SIGTERM, lambda *_: (told.append("application"), inner(*_)))
            with signals.heeded(lambda: told.append("second"), lambda _: True):
                signal.raise_signal(signal.SIGTERM)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
        self.assertEqual(["first", "second", "application"], told)

    def test_child_of_a_handler_ends_by_a_signal_and_leaves_the_worker_alone(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            worker = Worker(client=self.flow, grace=10)

            @worker.stage("lark", "a")
            def handler(run):
                lives, begins = os.pipe()
                child = os.fork()
                if child == 0:
                    try:
                        signal.alarm(10)
                        os.write(begins, b".")
                        while True:
                            threading.Event().wait(0.05)
                    except KeyboardInterrupt:  # as without a worker
                        os._exit(130)
                os.read(lives, 1)
                ended = 0
                while not ended:  # Python 3.13.0 itself misses a first one at times
                    os.kill(child, number)
                    threading.Event().wait(0.02)
                    ended, status = os.waitpid(child, os.WNOHANG)
                stopping = worker.state
                os.kill(os.getpid(), signal.SIGTERM)
                return Done(f"{os.WTERMSIG(status)} {os.WEXITSTATUS(status) if os.WIFEXITED(status) else '-'} {stopping}")

            task_id = self.create()
            worker.run()
            expected = {signal.SIGTERM: "15 - RUNNING", signal.SIGINT: "0 130 RUNNING"}
            self.assertEqual(expected[number], self.flow.get(task_id).result)

    def test_child_process_has_a_worker_that_has_not_started(self):
        self.worker.stage("lark", "a")(lambda run: Done("ok"))
        ends = []
        self.worker.when_run_ends(ends.append)
        self.worker.start()
        self.addCleanup(self.worker.stop)
        mine = self.worker.worker_id, self.worker._start_id
        locks = [self.worker._lock, self.worker._runs._lock, self.worker._progress]
        with locks[0], locks[1], locks[2]:  # as by other threads
            child = os.fork()
            if child == 0:
                signal.alarm(10)
                try:
                    worker = self.worker
                    is_new = worker.state == "NEW" and worker.worker_id != mine[0] and worker._start_id != mine[1]
                    self.create()
                    is_able = worker.run_due() == 1 and len(ends) == 1
                    os._exit(0 if is_new and is_able and worker.stop() else 1)
                finally:
                    os._exit(2)
        self.assertEqual((child, 0), os.waitpid(child, 0))
        self.assertEqual(("RUNNING", mine[0]), (self.worker.state, self.worker.worker_id))

    def test_stop_by_a_handler_only_begins_and_its_result_counts(self):
        async def later(run):
            self.worker.stop()
            return Done(f"cancelled {run.cancelled}")

        for handler in (lambda run: (self.worker.stop(), Done(f"cancelled {run.cancelled}"))[1], later):
            self.worker = Worker(client=self.flow, grace=10)
            self.worker.stage("lark", "a")(handler)
            task_id = self.create()
            self.worker.start()
            self.assertTrue(self.worker._stopped.wait(10))
            self.assertEqual("cancelled False", self.flow.get(task_id).result)

    def test_stop_by_a_listener_loses_no_result(self):
        self.worker.stage("lark", "a")(lambda run: Done("ok"))
        self.worker.when_run_ends(lambda end: self.worker.stop())
        task_id = self.create()
        self.worker.start()
        self.assertTrue(self.worker._stopped.wait(10))
        self.assertEqual("ok", self.flow.get(task_id).result)

    def test_stop_by_a_listener_on_the_thread_of_the_heartbeats_keeps_no_lease_waiting(self):
        @self.worker.stage("lark", "a")
        def handler(run):
            self.flow.cancel(run.task.task_id)
            self.worker._heart._idle_beat = 0.0
            self.worker._beating.wake()
            run.wait(10)
            return Done()

        @self.worker.when_run_ends
        def ended(end):
            left.append((threading.current_thread().name, end.outcome))
            self.worker.stop()
            left.append(self.worker.state)

        left = []
        self.create()
        self.worker.start()
        self.assertTrue(self.worker._stopped.wait(10))
        self.assertEqual([("asyncflow-heartbeats", "cancelled"), "STOPPING"], left)

    def test_stop_of_another_worker_by_a_handler_waits_for_it(self):
        other = Worker(client=self.flow, grace=10)
        other.stage("wren", "a")(lambda run: Done())
        other.start()
        self.worker.stage("lark", "a")(lambda run: Done(f"{other.stop()} {other.state}"))
        task_id = self.create()
        self.worker.run_due()
        self.assertEqual("True STOPPED", self.flow.get(task_id).result)

    def test_stop_without_a_thread_is_made_by_its_caller(self):
        self.worker.stage("lark", "a")(lambda run: Done())
        self.worker.start()
        refused = RuntimeError("can't create new thread at interpreter shutdown")
        with mock.patch.object(threading.Thread, "start", side_effect=refused):
            self.assertTrue(self.worker.stop())
        self.assertEqual("STOPPED", self.worker.state)
        self.assertTrue(self.worker.stop())

    def test_stop_when_the_interpreter_ends_waits_for_what_runs(self):
        program = (
            "import atexit, threading\n"
            "from asyncflow import Done, NewTask, Worker\n"
            "from asyncflow.testing import FakeFlow\n"
            "flow = FakeFlow('lark')\n"
            "worker, began = Worker(client=flow, grace=10), threading.Event()\n"
            "def handler(run):\n"
            "    began.set()\n"
            "    threading.main_thread().join()\n"
            "    return Done('after the main thread')\n"
            "worker.stage('lark', 'a')(handler)\n"
            "task_id = flow.create(NewTask('lark', 'a', 'ada')).task_id\n"
            "atexit.register(lambda: print(worker.stop(), flow.get(task_id).result))\n"
            "worker.start()\n"
            "began.wait()\n"
        )
        source = os.path.join(os.path.dirname(__file__), "..", "src")
        ended = subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONPATH": source}, stdout=subprocess.PIPE, timeout=60
        )
        self.assertEqual(b"True after the main thread\n", ended.stdout)

    def test_signal_for_which_there_is_no_thread_is_heeded_later(self):
        self.worker.stage("lark", "a")(lambda run: Done())
        start = threading.Thread.start
        refused = threading.Event()

        def start_unless_signalled(thread):
            if thread.name == "asyncflow-signal":
                refused.set()
                raise RuntimeError("can't start new thread")
            start(thread)

        self.worker._sender.adopt = lambda: refused.is_set() or os.kill(os.getpid(), signal.SIGTERM)
        with mock.patch.object(threading.Thread, "start", start_unless_signalled):
            self.worker.run()
        self.assertEqual((True, "STOPPED"), (refused.is_set(), self.worker.state))

    def test_start_without_threads_fails_and_leaves_none(self):
        self.worker.stage("lark", "a")(lambda run: Done())
        start, threads = threading.Thread.start, {*threading.enumerate()}

        def start_unless_it_polls(thread):
            if thread.name == "asyncflow-lark-poller":
                raise RuntimeError("can't start new thread")
            start(thread)

        with mock.patch.object(threading.Thread, "start", start_unless_it_polls):
            with self.assertRaises(RuntimeError):
                self.worker.start()
        for thread in {*threading.enumerate()} - threads:
            thread.join(10)
        self.assertEqual(set(), {*threading.enumerate()} - threads)
        self.assertTrue(self.worker.stop())

    def test_runs_wait_for_threads_and_the_worker_says_so(self):
        start = threading.Thread.start
        has_threads = threading.Event()
        refusals = []

        def start_if_there_are_threads(thread):
            if thread.name == "asyncflow-lark-1" and not has_threads.is_set():
                refusals.append(self.worker)
                raise RuntimeError("can't start new thread")
            start(thread)

        self.worker = Worker(client=self.flow, threads=1)
        self.worker.stage("lark", "a")(lambda run: (self.began.set(), Done("ok"))[1])
        task_id = self.create()
        self.worker._assemble()
        self.worker._feed.turn()
        lark = self.worker._types["lark"]
        with mock.patch.object(threading.Thread, "start", start_if_there_are_threads):
            pauses = [lark.loop._step() for _ in range(3)]
            self.assertEqual("can't start new thread", self.worker.view().types[0].problem)
            self.assertEqual([0.0, 1.0, 1.0], pauses)  # the first holds the task
            has_threads.set()
            lark.loop._step()
        self.assertIsNone(self.worker.view().types[0].problem)
        self.assertTrue(self.began.wait(10))
        lark.pool.close()
        for thread in [*lark.pool.threads]:
            thread.join(10)
        self.worker._sender.turn()
        self.assertEqual("ok", self.flow.get(task_id).result)

    def run_beside(self, handler):
        """A good async task after that of the handler, on the same loop; returns both."""

        @self.worker.stage("lark", "good")
        async def good(run):
            await asyncio.sleep(0)
            return Done("ok")

        self.worker.stage("lark", "a")(handler)
        bad = self.create()
        self.worker.run_due()
        fine = self.flow.create(NewTask("lark", "good", "ada")).task_id
        self.worker.run_due()
        self.assertEqual("ok", self.flow.get(fine).result)
        return self.flow.get(bad)

    def test_exit_of_an_async_handler_ends_its_own_run_alone(self):
        for thrown in (SystemExit(3), KeyboardInterrupt(), GeneratorExit(), asyncio.CancelledError()):

            async def handler(run):
                raise thrown

            self.worker = Worker(client=self.flow)
            with self.subTest(thrown):
                task = self.run_beside(handler)
                self.assertEqual((Status.WAITING, 1), (task.status, task.crt_retry_num))

    def test_what_ends_the_loop_of_async_handlers_ends_no_other_handler(self):
        async def leave():
            raise SystemExit(3)

        async def exit_beside(run):
            asyncio.ensure_future(leave())
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            return Done("went on")

        async def stop_loop(run):
            asyncio.get_running_loop().stop()
            return Done("went on")

        async def exit_callback(run):
            asyncio.get_running_loop().call_soon(sys.exit)
            await asyncio.sleep(0)
            return Done("went on")

        for handler in (exit_beside, stop_loop, exit_callback):
            self.worker = Worker(client=self.flow)
            with self.subTest(handler):
                self.assertEqual("went on", self.run_beside(handler).result)

    def test_loop_of_async_handlers_begins_with_the_first_thread_that_there_is(self):
        async def handler(run):
            return Done("ok")

        refused = RuntimeError("can't start new thread")
        self.worker.stage("lark", "a")(handler)
        task_id = self.create()
        with mock.patch.object(threading.Thread, "start", side_effect=refused):
            self.worker.run_due()
        self.assertIs(Status.WAITING, self.flow.get(task_id).status)
        self.flow.advance(60)
        self.worker.run_due()
        self.assertEqual("ok", self.flow.get(task_id).result)

    def test_run_whose_loop_the_application_has_closed_can_be_stopped(self):
        loop = asyncio.new_event_loop()
        self.worker._event_loop.use(loop)  # it never runs
        seen = []

        async def handler(run):
            return Done()

        @self.worker.stage("lark", "a")
        def around(run):
            waiting = threading.Thread(target=lambda: seen.append(waits(run)))
            waiting.start()
            while run._run._when_stopped is None:
                pass
            loop.close()
            run._run.stop(Stop.SHUT_DOWN, 0.0)
            waiting.join(10)
            return Done()

        def waits(run):
            coroutine = handler(run)
            try:
                self.worker._types["lark"].pool._runner._await(coroutine, [run._run])
            except RuntimeError as e:
                return str(e)
            finally:
                coroutine.close()

        self.create()
        self.worker.run_due()
        self.assertEqual(["Event loop is closed"], seen)

    def test_no_thread_ends_by_what_user_code_raises(self):
        turns = []

        def step():
            turns.append(len(turns))
            if len(turns) < 4:
                raise (SystemExit(1), KeyboardInterrupt(), GeneratorExit())[len(turns) - 1]
            return None

        class Rude(logging.Handler):
            def emit(self, record):
                raise SystemExit("no log")

        handler = Rude()
        logging.getLogger("asyncflow").addHandler(handler)
        self.addCleanup(logging.getLogger("asyncflow").removeHandler, handler)
        loop = Loop("test", step)
        loop._woken.wait = lambda pause: None
        loop.start()
        loop.thread.join(10)
        self.assertEqual([0, 1, 2, 3], turns)

    def test_settings_that_the_server_would_refuse_are_refused_at_once(self):
        for settings in (
            {"worker_id": " w"},
            {"worker_id": "w\n"},
            {"worker_id": "w" * 65},
            {"worker_id": "w\ud800"},
            {"version": -1},
            {"version": 1 << 31},
            {"threads": 0},
            {"grace": -1},
            {"grace": float("nan")},
            {"labels": {"gpu": "caf\udce9"}},
            {"labels": {"caf\udce9": "x"}},
        ):
            with self.subTest(settings), self.assertRaises(ValueError):
                Worker(client=self.flow, **settings)
        for settings in ({"version": "7"}, {"version": 1.5}, {"threads": 2.5}, {"worker_id": 7}):
            with self.subTest(settings), self.assertRaises(TypeError):
                Worker(client=self.flow, **settings)
        with self.assertRaises(ValueError):
            self.worker.stop(float("nan"))

    def test_labels_are_texts(self):
        from pathlib import Path

        worker = Worker(client=self.flow, labels={"gpus": 2, 3: Path("/x"), "é": None})
        self.assertEqual({"gpus": "2", "3": "/x", "é": "None"}, worker._describe()["labels"])

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
