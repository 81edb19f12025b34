"""The worker: stages, settings, and its life from start to stop."""

from __future__ import annotations

import asyncio
import collections.abc
import contextlib
import functools
import importlib.metadata
import logging
import operator
import os
import re
import signal
import socket
import ssl
import threading
import time
import uuid
from collections import Counter
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, TypeVar, Union

from . import signals as process_signals
from .client import FlowClient
from .forks import after_fork
from .heart import DeadlineWatch, Heart
from .loop import Loop
from .model import checked_name
from .observe import RunEnd, TypeView, WorkerView
from .poller import Admission, Poller, TypeSettings
from .pool import EventLoop, Pool, Runner
from .reports import ReportSender, ReportWriter, RunEnds, fit
from .run import Run, Runs, Stage, StageRun, State, Stop
from .spool import Spool, directory
from .trace import current_runs

log = logging.getLogger("asyncflow")

Handler = TypeVar("Handler", bound=Callable[..., Any])

#: Seconds that the last reports may take after the grace.
LAST_REPORTS = 5.0

#: Seconds that a heartbeat may take: a slow answer must not cost leases.
HEARTBEAT_TIMEOUT = 3.0

#: Seconds between looks for what other workers of this machine have left in the spool.
ADOPTION_INTERVAL = 60.0

#: In place of a directory: the one that the environment names.
FROM_ENVIRONMENT = "environment:"

_GRACE = "ASYNCFLOW_WORKER_SHUTDOWNGRACE"
_PATIENCE = "ASYNCFLOW_WORKER_OUTAGEPATIENCE"
_SPOOL = "ASYNCFLOW_WORKER_SPOOLDIR"

_DURATION = re.compile("([0-9]{1,9})(ms|s|m|h|d|)")
_SECONDS = {"ms": 0.001, "": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}

#: As in flowsvr: its own types begin with flow_, and names of tables end in _task_ and digits.
_TYPE = re.compile("(?!flow_)(?!.*_task(?:_[0-9]+)?$)[a-z][a-z0-9_]{0,30}")

#: The most stages of a type that one hold may name.
MOST_STAGES = 64


def new_worker_id() -> str:
    """Host, process and a random part: tasks of an earlier process are not this one's."""
    tail = f"-{os.getpid()}-{uuid.uuid4().hex[:8]}"
    host = re.sub("[^A-Za-z0-9._-]", "_", socket.gethostname()) or "worker"
    return host[: 64 - len(tail)] + tail


def _seconds_of_environment(name: str, default: float) -> float:
    """A time as Spring Boot reads it: a number without a unit has milliseconds."""
    text = os.environ.get(name, "").strip()
    if not text:
        return default
    found = _DURATION.fullmatch(text.lower())
    if found is None:
        raise ValueError(f"{name} must be a time such as 60s or 5m, not {text!r}")
    return int(found.group(1)) * _SECONDS[found.group(2)]


def _spool_of_environment() -> Optional[str]:
    text = os.environ.get(_SPOOL, "").strip()
    return None if text.lower() == "none" else text or "~/.asyncflow/spool"


def _sdk_version() -> str:
    try:
        return "python/" + importlib.metadata.version("asyncflow")
    except importlib.metadata.PackageNotFoundError:  # the sources are on the path
        return "python"


def _whole(what: str, number: int, least: int) -> int:
    """A setting that is a whole number, of whatever type."""
    try:
        whole = operator.index(number)
    except TypeError:
        raise TypeError(f"{what} must be a whole number, not {number!r}") from None
    if not least <= whole < 1 << 31:
        raise ValueError(f"{what} must be at least {least}, not {whole}")
    return whole


def _label(text: Any) -> str:
    """A part of a label as text, without which all heartbeats would be refused."""
    try:
        str(text).encode()
    except UnicodeEncodeError as e:
        raise ValueError(f"labels must be valid Unicode, not {text!r}") from e
    return str(text)


def _is_shared(earlier: Any) -> bool:
    """Whether a handler of signals is the application's own. Python's, and that of asyncio, which
    cancels the task that serves, only end what the stop of the worker ends."""
    is_of_asyncio = isinstance(earlier, functools.partial) and (
        earlier.keywords.get("main_task") is asyncio.current_task()
    )
    return earlier is not signal.default_int_handler and not is_of_asyncio


def _problem_of(stuck: List[Run]) -> Optional[str]:
    if not stuck:
        return None
    names = ", ".join(map(str, stuck[:3]))
    return f"{len(stuck)} handlers ignore that they should stop and keep their threads: {names}"


class _Type:
    """What serves one type: its poller, its loop and its threads."""

    def __init__(self, poller: Poller, loop: Loop, pool: Pool) -> None:
        self.poller = poller
        self.loop = loop
        self.pool = pool


class Worker:
    """Runs the stages that are registered with it.

    ::

        worker = Worker("http://127.0.0.1:8081")

        @worker.stage("hello", "greet")
        def greet(run):
            return Done(f"Hello, {run.context['name']}!")

        worker.run()

    A handler is a function or an ``async`` function. It gets a StageRun and returns Done, Next,
    Retry, Fail or Snooze. If it raises NonRetryable, the task fails; any other exception means
    retry. A stage may be repeated, so a handler must stand that.

    ``threads`` is the most handlers of one type at once, ``grace`` how many seconds they may go
    on after a stop, ``outage_patience`` how many beyond their leases while the server says that its
    database can write nothing. ``spool_dir`` keeps undelivered reports; None keeps them in memory
    alone. Left out, all three come from the environment, as for a worker in Spring Boot:
    ``ASYNCFLOW_WORKER_SHUTDOWNGRACE``, such as ``60s``, ``ASYNCFLOW_WORKER_OUTAGEPATIENCE`` and
    ``ASYNCFLOW_WORKER_SPOOLDIR``, where ``none`` is memory alone; else they are 20 seconds, 300
    seconds and ``~/.asyncflow/spool``.
    ``version`` is that of the program: a type may ask for a lowest one. ``labels`` are names with
    values, such as ``{"gpu": "a100"}``, that operators see beside the worker.
    """

    def __init__(
        self,
        url: Optional[str] = None,
        *,
        key: Optional[str] = None,
        key_file: Optional[str] = None,
        tls: Optional[ssl.SSLContext] = None,
        client: Optional[FlowClient] = None,
        worker_id: Optional[str] = None,
        threads: int = 16,
        grace: Optional[float] = None,
        outage_patience: Optional[float] = None,
        spool_dir: Union[str, Path, None] = FROM_ENVIRONMENT,
        version: int = 0,
        labels: Optional[Mapping[str, str]] = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        grace = _seconds_of_environment(_GRACE, 20.0) if grace is None else grace
        if outage_patience is None:
            outage_patience = _seconds_of_environment(_PATIENCE, 300.0)
        if spool_dir == FROM_ENVIRONMENT:
            spool_dir = _spool_of_environment()
        if not grace >= 0:
            raise ValueError(f"grace must be at least 0 seconds, not {grace!r}")
        if not outage_patience >= 0:
            raise ValueError(f"outage_patience must be at least 0 seconds, not {outage_patience!r}")
        if labels is not None and not isinstance(labels, collections.abc.Mapping):
            raise TypeError(
                f"labels must be names with their values, such as {{'gpu': 'a100'}}, not {labels!r}"
            )
        #: The client of this worker, for handlers that make calls of their own.
        self.client = client or FlowClient(url, key=key, key_file=key_file, tls=tls)
        self._given_id = checked_name("worker_id", worker_id) if worker_id else None
        self._threads = _whole("threads", threads, 1)
        self._grace = grace
        self._outage_patience = outage_patience
        self._version = _whole("version", version, 0)
        self._labels = {_label(name): _label(value) for name, value in (labels or {}).items()}
        self._clock = clock
        server = self.client.server_name  # a server in memory has none
        self._spool_root = directory(spool_dir) / server if spool_dir and server else None
        self._sdk_version = _sdk_version()
        self._stages: Dict[str, Dict[str, Stage]] = {}
        self._listeners: List[Callable[[RunEnd], None]] = []
        self._make()
        after_fork(self)

    def forked(self) -> None:
        """This is a child process. What runs, holds tasks and owns files is its parent's worker; here
        is one that has not started, with an id of its own."""
        self._make()

    def _make(self) -> None:
        """Makes all parts of a worker that has not started."""
        self.worker_id = self._given_id or new_worker_id()
        self._start_id = str(uuid.uuid4())
        self._types: Dict[str, _Type] = {}
        self._event_loop = EventLoop()
        self._lock = threading.Lock()
        self._state = "NEW"
        self._grace_end = float("inf")
        self._was_signalled = False
        self._unheeded: Optional[float] = None
        self._is_unhealthy = False
        self._progress = threading.Condition()
        self._is_stopping = False
        self._stopped = threading.Event()
        self._spool = Spool(self._spool_root) if self._spool_root else None
        self._runs = Runs()
        writer = ReportWriter(self.worker_id)
        self._sender = ReportSender(
            self.client,
            self._runs,
            writer,
            self._spool,
            self._clock,
            wake=lambda: self._reporting.wake(),
            caught_up=self._wake_pollers,
        )
        self._ends = RunEnds(writer, self._sender, self._runs, self._clock, self._listeners)
        self._beats = self.client.with_timeout(HEARTBEAT_TIMEOUT)
        self._heart = Heart(
            self.worker_id,
            self._start_id,
            self._beats,
            self._runs,
            self._ends,
            self._describe,
            lambda: any(each.poller.is_polling for each in self._types.values()),
            self._drain,
            self._sender.hurry,
            self._outage_patience,
            self._clock,
        )
        self._sender.others_work = lambda: self._heart.works
        self._deadlines = DeadlineWatch(self._runs, self._ends, self._stalled, self._clock)
        self._reporting = Loop("asyncflow-reports", self._sender.turn)
        self._beating = Loop("asyncflow-heartbeats", self._heart.turn)
        self._watching = Loop("asyncflow-deadlines", self._deadlines.turn)
        self._adopting = Loop("asyncflow-spool", self._adopt)
        self._runs.when_changed(self._runs_changed)

    # Stages

    def stage(self, task_type: str, name: str) -> Callable[[Handler], Handler]:
        """Registers the handler of a stage; it gets one StageRun."""
        return self._register(task_type, name, 0, None)

    def batch_stage(
        self,
        task_type: str,
        name: str,
        *,
        max_tasks: int = 16,
        key: Optional[Callable[[StageRun], Any]] = None,
    ) -> Callable[[Handler], Handler]:
        """Registers a handler that runs several tasks at once, such as a model does.

        It gets a list of up to ``max_tasks`` due tasks with the same ``key``; none waits for a
        batch to fill. It returns or yields a result, or an exception, for each of them in the
        same order. What it yields is reported at once.
        """
        if key is not None and not callable(key):
            raise TypeError(f"key must be a function of a StageRun, not {key!r}")
        return self._register(task_type, name, _whole("max_tasks", max_tasks, 1), key)

    def _register(
        self, task_type: str, name: str, max_tasks: int, key: Optional[Callable[[StageRun], Any]]
    ) -> Callable[[Handler], Handler]:
        task_type = task_type.lower()
        if not _TYPE.fullmatch(task_type):
            raise ValueError(
                f"{task_type!r} cannot be a task type: take a letter, then up to 30 of a-z, 0-9 and _, not"
                " beginning with flow_ nor ending in _task or _task_ and digits"
            )
        checked_name("a stage", name)

        def register(handler: Handler) -> Handler:
            if not callable(handler):
                raise TypeError(f"the handler of {task_type}/{name} must be a function, not {handler!r}")
            stages = self._stages.setdefault(task_type, {})
            if self._state != "NEW" or self._types:
                raise RuntimeError("stages are registered before the worker starts")
            if name in stages:
                raise ValueError(f"{task_type}/{name} has a handler already")
            if len(stages) == MOST_STAGES:
                raise ValueError(
                    f"type {task_type} has more than {MOST_STAGES} stages: give some a type of their own"
                )
            stages[name] = Stage(task_type, name, handler, max_tasks, key)
            return handler

        return register

    def when_run_ends(self, listener: Callable[[RunEnd], None]) -> Callable[[RunEnd], None]:
        """Calls the listener at the end of each run, on the thread that ends it: keep it short."""
        self._listeners.append(listener)
        return listener

    # Life

    @property
    def state(self) -> str:
        """NEW, RUNNING, STOPPING or STOPPED."""
        return self._state

    def run(self) -> None:
        """Starts, and returns when the worker has stopped: after SIGTERM or SIGINT, or because
        the server drained it. A second signal ends the grace. Call it on the main thread."""
        with contextlib.ExitStack() as heeding:
            with self._lock:  # a signal in the meantime stops what has started
                heeding.enter_context(process_signals.heeded(self._signalled, lambda _: False))
                self._start()
            while not self._stopped.wait(0.5):  # a signal just before a wait does not end it
                self._heed_again()

    async def serve(self, signals: bool = True) -> None:
        """The same in an asyncio application: ``async`` handlers run on its loop.

        At SIGTERM and SIGINT handlers of signals that the application has set before are called,
        too, and several workers of a process stop together. With ``signals=False`` none is heeded:
        cancel this call, or call ``stop`` on another thread.
        """
        loop = asyncio.get_running_loop()
        self._event_loop.use(loop)
        is_main = threading.current_thread() is threading.main_thread()
        with contextlib.ExitStack() as heeding:
            with self._lock:
                if signals and is_main:
                    heeding.enter_context(process_signals.heeded(self._signalled, _is_shared))
                self._start()
            try:
                while not self._stopped.is_set():
                    await asyncio.sleep(0.1)  # a signal just before a wait does not end it
                    self._heed_again()
            except asyncio.CancelledError:
                await loop.run_in_executor(None, self.stop)
                raise

    def _signalled(self) -> None:
        # Not by the state: the first signal may come in the middle of a drain.
        grace = 0.0 if self._was_signalled else self._grace
        self._was_signalled = True
        try:
            # Not here, where the main thread may hold any lock.
            threading.Thread(target=self._heed, args=(grace,), name="asyncflow-signal").start()
        except RuntimeError:
            self._unheeded = grace  # there is no thread: run and serve look again

    def _heed_again(self) -> None:
        grace, self._unheeded = self._unheeded, None
        if grace is not None:
            self._heed(grace)

    def _heed(self, grace: float) -> None:
        """Begins the stop that a signal has asked for."""
        try:
            self._begin_stop(grace)
        except RuntimeError as e:
            log.warning("the stop does not begin (%s); it is tried again", e)
            self._unheeded = grace

    def start(self) -> None:
        """Starts the worker's threads and returns. A signal handler of your own must not call
        ``stop`` meanwhile, which would wait for this: ``run`` and ``serve`` heed signals."""
        with self._lock:
            self._start()

    def _start(self) -> None:
        if self._state != "NEW":
            raise RuntimeError(f"a worker starts once; this one is {self._state}")
        self._assemble()
        self._state = "RUNNING"
        # Before the first hold: a report that was left may be of a task that would be held.
        self._sender.adopt()
        loops = [*self._loops(), *(each.loop for each in self._types.values())]
        try:
            for loop in loops:
                loop.start()
        except RuntimeError:  # there is no thread
            for loop in loops:
                loop.stop(0)
            self._state = "STOPPED"
            self._is_stopping = True
            self._stopped.set()
            raise
        log.info("worker %s started: %s", self.worker_id, sorted(self._types))

    def _loops(self) -> List[Loop]:
        return [self._feeding, self._reporting, self._beating, self._watching, self._adopting]

    def _is_own_call(self) -> bool:
        """Whether a stop would wait for the thread or the handler that calls."""
        loops = [*self._loops(), *(each.loop for each in self._types.values())] if self._types else []
        own = {self._event_loop.thread, *(loop.thread for loop in loops)}
        own.update(*(each.pool.threads for each in self._types.values()))
        runs = current_runs()
        return threading.current_thread() in own or any(self._runs.find(*r.hold) is r for r in runs)

    def run_due(self) -> int:
        """Runs what is due now, and what that makes due, on this thread; returns how many tasks.

        For tests of handlers, with a FakeFlow: no thread is started, and no lease is renewed.
        """
        self._assemble()
        ran = 0
        while True:
            self._feed.turn()
            held, is_idle = 0, True
            for name, each in self._types.items():
                limits = self._feed.limits(name)
                held += each.poller.poll_once(limits) if limits is not None else 0
                while each.pool.run_next():
                    is_idle = False
            self._sender.turn()
            if held == 0 and is_idle:
                return ran
            ran += held

    def _assemble(self) -> None:
        if self._types:
            return
        if not self._stages:
            raise RuntimeError("the worker has no stages")
        self._feed = TypeSettings(self.client, {*self._stages}, self._wake_pollers)
        self._feeding = Loop("asyncflow-settings", self._feed.turn)
        runner = Runner(self._ends, self.client, self.worker_id, self._clock, self._event_loop)
        self._types = {name: self._type(name, runner) for name in self._stages}

    def _type(self, name: str, runner: Runner) -> _Type:
        stages = self._stages[name]
        pool = Pool(
            name,
            self._threads,
            runner,
            lambda: self._runs.is_reporting(name),
            lambda: loop.wake(),
            self._clock,
        )
        poller = Poller(
            name,
            stages,
            pool,
            Admission(stages, pool, self._runs, self._ends),
            self.client,
            self.worker_id,
            self._start_id,
            self._version,
            lambda: None if self._sender.is_behind else self._feed.limits(name),
            self._drain,
            self._sender.hurry,
            self._signal_progress,
            self._clock,
        )

        def turn() -> Optional[float]:
            if not (pool.start_threads() or poller.is_stopping):
                return 1.0  # nothing more is held while nothing can run it
            pause = poller.turn()
            return pause if pool.start_threads() or pause is None else min(pause, 1.0)

        loop = Loop(f"asyncflow-{name}-poller", turn)
        return _Type(poller, loop, pool)

    def stop(self, grace: Optional[float] = None) -> bool:
        """Stops the worker: it asks for no more tasks, releases queued ones, and tells running
        handlers to stop when the grace is over; then it releases their tasks, too.

        Returns when that is done; False if a task waits for the end of its lease. During a stop,
        another call with a shorter grace counts. Called by a handler or a listener of this worker,
        for which the stop waits, it only begins the stop.
        """
        grace = self._grace if grace is None else grace
        if not grace >= 0:
            raise ValueError(f"grace must be at least 0 seconds, not {grace!r}")
        is_own = self._is_own_call()
        try:
            self._begin_stop(grace)
        except RuntimeError:  # there is no thread, as when the interpreter ends
            if is_own:
                raise
            self._begin_stop(grace, here=True)
        if not is_own:
            self._stopped.wait()
        return len(self._runs) == 0

    def _begin_stop(self, grace: float, here: bool = False) -> None:
        """Begins the stop, or shortens the grace of one that has begun; ``here`` does it all."""
        work: Optional[Callable[[], None]] = None
        with self._lock:
            self._grace_end = min(self._grace_end, self._clock() + grace)
            if not self._is_stopping:
                before, self._state = self._state, "STOPPING"
                work = self._wind_down if before == "RUNNING" else self._finish
                if not here:
                    try:
                        # Not a daemon: it keeps the process until the last report is kept.
                        threading.Thread(
                            target=self._end, args=(work,), name="asyncflow-stop", daemon=False
                        ).start()
                    except RuntimeError:  # there is no thread; the next call tries again
                        self._state = before
                        raise
                self._is_stopping = True
        self._signal_progress()
        if here and work is not None:
            self._end(work)

    def _end(self, work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException:
            log.exception("worker %s has not stopped well", self.worker_id)
        finally:
            self._state = "STOPPED"
            self._stopped.set()

    def _drain(self, grace_ms: Optional[int]) -> None:
        """The server drains this worker; each answer says so again. Called by its loops, so it
        must not wait."""
        if self._state == "RUNNING":
            log.info("flowsvr drains this worker: it finishes what it runs and stops")
        if self._state == "RUNNING" or grace_ms is not None:
            try:
                self._begin_stop(float("inf") if grace_ms is None else grace_ms / 1000)
            except RuntimeError as e:  # the tasks of the same answer are run all the same
                log.warning("the stop does not begin (%s); the next answer tries it again", e)

    def _wind_down(self) -> None:
        grace = self._grace_end - self._clock()
        left = "all the time they need" if grace == float("inf") else f"{grace:.0f} s"
        log.info("worker %s stops; runs have %s to end", self.worker_id, left)
        for each in self._types.values():
            each.poller.stop()
            each.loop.wake()
            for run in each.pool.close():
                self._ends.release(run, "the worker stops")
        if not self._await_settled(lambda: self._grace_end):
            for each in self._types.values():
                for run in each.pool.running:
                    run.stop(Stop.SHUT_DOWN, self._clock())
            self._watching.wake()
            end = self._clock() + LAST_REPORTS
            self._await_settled(lambda: end)
        self._finish()

    def _await_settled(self, end: Callable[[], float]) -> bool:
        with self._progress:
            while not self._is_settled():
                left = end() - self._clock()
                if left <= 0:
                    return False
                self._progress.wait(min(left, 60.0))  # a longer one may be too long for Python
        return True

    def _is_settled(self) -> bool:
        return len(self._runs) == 0 and all(e.poller.has_ended for e in self._types.values())

    def _finish(self) -> None:
        for loop in self._loops() if self._types else ():
            loop.stop()
        kept = self._sender.keep_all()
        unsettled = sum(run not in kept for run in self._runs.all())
        spooled = self._spool.size if self._spool else 0
        if self._spool:
            self._spool.close()
        self._state = "STOPPED"  # as the farewell says
        if self._types and not unsettled:
            self._heart.farewell()
        self._beats.close()
        self.client.close()
        if unsettled or spooled:
            log.warning(
                "worker %s stopped; %d reports are left to its next start in %s, %d tasks to"
                " their leases",
                self.worker_id,
                spooled,
                self._spool,
                unsettled,
            )
        else:
            log.info("worker %s stopped; nothing is left behind", self.worker_id)

    def _adopt(self) -> float:
        self._sender.adopt()
        return ADOPTION_INTERVAL

    def _runs_changed(self) -> None:
        self._beating.wake()
        self._watching.wake()
        for each in self._types.values():
            each.pool.wake()
            each.loop.wake()
        self._signal_progress()

    def _wake_pollers(self) -> None:
        for each in self._types.values():
            each.loop.wake()

    def _signal_progress(self) -> None:
        with self._progress:
            self._progress.notify_all()

    def _stalled(self) -> List[Run]:
        return [run for each in self._types.values() for run in each.pool.stalled]

    def view(self) -> WorkerView:
        """A snapshot of what the worker does, for metrics, health checks and people."""
        types = self._types
        held = Counter((run.task.task_type, run.state) for run in self._runs.all())
        stuck = {name: each.pool.stuck for name, each in types.items()}

        def view_of(name: str) -> TypeView:
            each = types.get(name)
            return TypeView(
                task_type=name,
                poller=each.poller.state if each else "PENDING",
                queued=held[name, State.QUEUED],
                working=held[name, State.WORKING],
                reporting=held[name, State.REPORTING],
                overdue=each.pool.overdue if each else 0,
                stuck=len(stuck.get(name, ())),
                free_threads=each.pool.free_threads if each else self._threads,
                problem=each.poller.problem or each.pool.problem if each else None,
            )

        return WorkerView(
            self.worker_id,
            self._state,
            tuple(view_of(name) for name in [*self._stages]),
            self._spool.size if self._spool else 0,
            _problem_of([run for runs in stuck.values() for run in runs]),
        )

    def _describe(self) -> Dict[str, Any]:
        """What operators see of this worker."""
        now = self.view()
        self._tell_health(now.problem)
        return {
            "host": fit(socket.gethostname()),
            "sdkVersion": self._sdk_version,
            **({"version": self._version} if self._version else {}),
            "stages": [f"{name}/{stage}" for name, both in self._stages.items() for stage in both],
            "labels": self._labels,
            "freeThreads": {each.task_type: each.free_threads for each in now.types},
            "states": {
                "worker": now.state,
                "health": now.problem or "healthy",
                "stuck": str(sum(each.stuck for each in now.types)),
                "spooled": str(now.spooled),
            },
        }

    def _tell_health(self, problem: Optional[str]) -> None:
        """Says once that handlers keep their threads, and once that it is over."""
        if problem is not None and not self._is_unhealthy:
            log.warning("%s; reported with every heartbeat until it is over", problem)
        elif problem is None and self._is_unhealthy:
            log.info("no handler keeps its thread any more")
        self._is_unhealthy = problem is not None
