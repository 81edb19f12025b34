"""The threads of one type: they take queued runs and call handlers."""

from __future__ import annotations

import asyncio
import collections.abc
import concurrent.futures
import inspect
import logging
import threading
from collections import deque
from typing import Any, AsyncIterator, Callable, Deque, Iterable, Iterator, List, Optional, Sequence, Set

from .client import FlowClient, stored_text
from .loop import Trouble, quietly
from .model import NonRetryable
from .reports import RunEnds
from .run import Run, Stage, StageRun, State
from .trace import handling

log = logging.getLogger("asyncflow")

#: Queued runs are released when no thread has begun or ended a run for so many seconds.
LONG_RUN = 1.0

#: A handler that still runs so many seconds after it was told to stop is stuck.
STUCK_AFTER = 10.0


class EventLoop:
    """The event loop of the ``async`` handlers: the application's, or one on a thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: Optional[asyncio.AbstractEventLoop] = None
        #: That of the loop; None if it is the application's.
        self.thread: Optional[threading.Thread] = None

    def use(self, loop: asyncio.AbstractEventLoop) -> None:
        """Runs handlers on the application's loop."""
        self._loop = loop

    def get(self) -> asyncio.AbstractEventLoop:
        """The loop, which begins with the first handler that needs it."""
        with self._lock:
            if self._loop is None:
                loop = asyncio.new_event_loop()
                thread = threading.Thread(
                    target=_run_for_good, args=(loop,), name="asyncflow-asyncio", daemon=True
                )
                try:
                    thread.start()
                except RuntimeError:  # there is no thread; the next handler tries again
                    loop.close()
                    raise
                self._loop, self.thread = loop, thread
            return self._loop


def _run_for_good(loop: asyncio.AbstractEventLoop) -> None:
    """Runs a loop again that user code has ended, by ``stop`` or an exit of a task of its own."""
    while not loop.is_closed():
        try:
            loop.run_forever()
            log.error("a handler has stopped the event loop of the async handlers; it goes on")
        except BaseException as e:
            quietly(log.error, "the event loop of the async handlers goes on", exc_info=e)


class Runner:
    """Calls handlers on the calling thread, and ends their runs."""

    def __init__(
        self,
        ends: RunEnds,
        client: FlowClient,
        worker_id: str,
        clock: Callable[[], float],
        loop: EventLoop,
    ) -> None:
        self._ends = ends
        self._client = client
        self._worker_id = worker_id
        self._clock = clock
        self._loop = loop

    def seen(self, run: Run) -> StageRun:
        """The run as its handler sees it."""
        return StageRun(run, self._client, self._worker_id, self._clock)

    def run(self, runs: Sequence[Run]) -> None:
        """Executes a run, or the runs of a batch."""
        started = [run for run in runs if self._start(run)]
        if not started:
            return
        stage = started[0].stage
        assert stage is not None
        with handling(started):
            if stage.is_batched:
                self._run_together(stage, started)
            else:
                self._run_alone(stage, started[0])

    def _start(self, run: Run) -> bool:
        # The watch over deadlines does both, but after a freeze of the process this may run first.
        now = self._clock()
        if now >= run.lease.trusted_until:
            self._ends.lost(run, "its lease had run out when a thread was free")
        elif now >= run.lease.start_by:
            self._ends.release(run, "less than half of its time was left when a thread was free")
        run.started_at = now
        return run.advance(State.QUEUED, State.WORKING)

    def _run_alone(self, stage: Stage, run: Run) -> None:
        try:
            result = stage.handler(self.seen(run))
            if inspect.isawaitable(result):
                result = self._await(result, [run])
        except BaseException as thrown:  # SystemExit, too, ends only its own run
            self._ends.raised(run, thrown)
        else:
            self._ends.returned(run, result)

    def _run_together(self, stage: Stage, runs: List[Run]) -> None:
        """Ends each run as soon as the handler gives its result, in the order of the runs."""
        end: BaseException = NonRetryable("the handler gave no result for this task")
        unended = deque(runs)
        try:
            for result in self._results(stage.handler([self.seen(run) for run in runs]), runs):
                if not unended:
                    log.error("stage %s gave more results than there are tasks", stage.name)
                    break
                run = unended.popleft()
                if isinstance(result, BaseException):
                    self._ends.raised(run, result)
                else:
                    self._ends.returned(run, result)
        except BaseException as thrown:
            end = thrown
        for run in unended:
            self._ends.raised(run, end)

    def _results(self, given: Any, runs: List[Run]) -> Iterable[Any]:
        if inspect.isasyncgen(given):
            return self._iterate(given, runs)
        if inspect.isawaitable(given):
            given = self._await(given, runs)
        if given is None or isinstance(given, (str, bytes)):
            raise NonRetryable("the handler of a batch must give one result for each of its tasks")
        if isinstance(given, collections.abc.Sized) and len(given) > len(runs):
            # Whose result each of them is, cannot be known.
            raise NonRetryable(f"the handler gave {len(given)} results for {len(runs)} tasks")
        return given  # type: ignore[no-any-return]

    def _iterate(self, results: AsyncIterator[Any], runs: List[Run]) -> Iterator[Any]:
        while True:
            try:
                yield self._await(results.__anext__(), runs)
            except StopAsyncIteration:
                return

    def _await(self, awaitable: Any, runs: Sequence[Run]) -> Any:
        """Waits for a coroutine on the loop; it is cancelled when all of its runs should stop."""

        loop = self._loop.get()
        outcome: concurrent.futures.Future[Any] = concurrent.futures.Future()
        tasks: List[asyncio.Task[Any]] = []

        async def wait() -> Any:
            try:
                return await awaitable, None
            except (SystemExit, KeyboardInterrupt) as thrown:  # would end the loop for all handlers
                return None, thrown

        def begin() -> None:
            tasks.append(loop.create_task(wait()))
            tasks[0].add_done_callback(end)

        def end(task: asyncio.Task[Any]) -> None:
            thrown = asyncio.CancelledError() if task.cancelled() else task.exception()
            if thrown is None:
                outcome.set_result(task.result())
            else:
                outcome.set_exception(thrown)

        def look() -> None:
            if all(run.stopped.is_set() or run.state is not State.WORKING for run in runs):
                try:
                    loop.call_soon_threadsafe(lambda: tasks[0].cancel())  # after begin
                except RuntimeError as closed:  # by the application, so it never ends
                    if not outcome.done():
                        outcome.set_exception(closed)

        loop.call_soon_threadsafe(begin)  # in this thread's context, which names the runs
        for run in runs:
            run.when_stopped(look)
        result, thrown = outcome.result()
        if thrown is not None:
            raise thrown
        return result


class Pool:
    """Queued runs of one type, and at most ``size`` threads for them, started on demand."""

    def __init__(
        self,
        task_type: str,
        size: int,
        runner: Runner,
        is_reporting: Callable[[], bool],
        freed: Callable[[], None],
        clock: Callable[[], float],
    ) -> None:
        self._task_type = task_type
        self._size = size
        self._runner = runner
        self._is_reporting = is_reporting
        self._freed = freed
        self._clock = clock
        self._changed = threading.Condition()
        self._queue: Deque[Run] = deque()
        self._running: List[List[Run]] = []
        self._trouble = Trouble(f"starts of threads for type {task_type}")
        #: Those that take runs.
        self.threads: Set[threading.Thread] = set()
        self._last_move = clock()
        self._is_closed = False

    @property
    def room(self) -> int:
        """How many more runs or batches could start at once; 0 beside possible poison.

        A task that kills its worker takes the runs beside it along, so it runs without new ones.
        """
        with self._changed:
            self._forget_ended()
            if self._is_closed or any(run.is_possible_poison for run in self._held()):
                return 0
            return max(0, self._size - len(self._running) - len(self._queue))

    def _held(self) -> Iterator[Run]:
        yield from self._queue
        for runs in self._running:
            yield from (run for run in runs if run.state is State.WORKING)

    def _forget_ended(self) -> None:
        self._queue = deque(run for run in self._queue if run.state is State.QUEUED)

    @property
    def free_threads(self) -> int:
        """How many handlers could start."""
        return self._size - len(self._running)

    @property
    def overdue(self) -> int:
        """How many handlers go on although all of their runs have ended."""
        with self._changed:
            return sum(map(_is_overdue, self._running))

    @property
    def stuck(self) -> List[Run]:
        """Runs whose handlers were told to stop long ago and go on; of a batch the first one."""
        late = self._clock() - STUCK_AFTER
        with self._changed:
            batches = [*self._running]
        return [batch[0] for batch in batches if _is_stuck(batch, late)]

    @property
    def stalled(self) -> List[Run]:
        """Queued runs that another worker may start sooner: no thread here makes progress."""
        with self._changed:
            is_stalled = self.free_threads <= 0 and self._clock() - self._last_move > LONG_RUN
            return [*self._queue] if is_stalled else []

    @property
    def running(self) -> List[Run]:
        """The runs whose handlers have not returned."""
        with self._changed:
            return [run for batch in self._running for run in batch]

    def offer(self, runs: Sequence[Run]) -> bool:
        """Queues runs, all at once, so that none starts before the rest of its batch is there.

        False if the pool is closed.
        """
        for run in runs:
            self._tell_batch(run)
        with self._changed:
            if self._is_closed:
                return False
            self._queue.extend(runs)
            self._changed.notify_all()
        return True

    def _tell_batch(self, run: Run) -> None:
        """Sets the key of the batch, by user code, which must not run under a lock."""
        stage = run.stage
        if stage is None or not stage.is_batched:
            return
        if stage.key is None:
            run.batch_key = ""
        elif stored_text(run.task.task_context) is None:  # else alone: no batch waits for a store
            try:
                run.batch_key = stage.key(self._runner.seen(run))
            except BaseException as e:
                quietly(log.debug, "%s is run alone, for its batch is unknown: %s", run, e)

    def start_threads(self) -> bool:
        """Starts threads for the queued runs; False if the system has none at present."""
        with self._changed:
            wanted = min(self._size, len(self._running) + len(self._queue))
            while len(self.threads) < wanted:
                name = f"asyncflow-{self._task_type}-{len(self.threads) + 1}"
                # A handler that never ends must not keep the process from ending.
                thread = threading.Thread(target=self._work, name=name, daemon=True)
                try:
                    thread.start()
                except RuntimeError as e:
                    self._trouble.failed(e, "tried again until there are some")
                    return False
                self.threads.add(thread)
            self._trouble.worked()
        return True

    @property
    def problem(self) -> Optional[str]:
        """Why runs cannot start at present; None if they can."""
        return self._trouble.problem

    def wake(self) -> None:
        """Looks again whether a run can start."""
        with self._changed:
            self._changed.notify_all()

    def close(self) -> List[Run]:
        """Accepts no more runs and returns the queued ones; running ones go on."""
        with self._changed:
            self._is_closed = True
            waiting = [*self._queue]
            self._queue.clear()
            self._changed.notify_all()
        return waiting

    def run_next(self) -> bool:
        """Executes the next run or batch on the calling thread; False if there is none."""
        with self._changed:
            batch = self._next()
        if batch is not None:
            self._perform(batch)
        return batch is not None

    def _work(self) -> None:
        while True:
            try:
                batch = self._take()
                if batch is None:
                    return
                self._perform(batch)
            except BaseException as e:
                what = "unexpected failure in a thread of %s, which goes on"
                quietly(log.error, what, self._task_type, exc_info=e)

    def _take(self) -> Optional[List[Run]]:
        """Waits for a batch; None once the pool is closed."""
        with self._changed:
            batch = self._next()
            while batch is None and not self._is_closed:
                self._changed.wait()
                batch = self._next()
            return batch

    def _perform(self, batch: List[Run]) -> None:
        try:
            self._runner.run(batch)
        finally:
            with self._changed:
                self._running.remove(batch)
                self._last_move = self._clock()
            self._freed()

    def _next(self) -> Optional[List[Run]]:
        """The first queued run that can start, with the runs of its batch; marks them running."""
        self._forget_ended()
        for first in self._queue:
            # Possible poison waits until the reports of the runs before it are delivered.
            if not (first.is_possible_poison and self._is_reporting()):
                batch = [first, *self._batch_of(first)]
                chosen: Set[int] = {id(run) for run in batch}
                self._queue = deque(run for run in self._queue if id(run) not in chosen)
                self._running.append(batch)
                self._last_move = self._clock()
                return batch
        return None

    def _batch_of(self, first: Run) -> List[Run]:
        stage = first.stage
        if stage is None or not stage.is_batched or first.is_possible_poison:
            return []
        others = (
            run
            for run in self._queue
            if run is not first and run.stage is stage and _same(run.batch_key, first.batch_key)
        )
        return [run for run, _ in zip(others, range(stage.max_tasks - 1))]


def _is_overdue(batch: Sequence[Run]) -> bool:
    # A handler that has just returned, and whose report is on its way, was not told to stop.
    return any(run.stopped.is_set() for run in batch) and all(
        run.state is not State.WORKING for run in batch
    )


def _is_stuck(batch: Sequence[Run], late: float) -> bool:
    stopped = [run for run in batch if run.stopped.is_set()]
    others_run = any(run.state is State.WORKING and not run.stopped.is_set() for run in batch)
    return bool(stopped) and not others_run and max(run.stopped_at for run in stopped) < late


def _same(one: Any, other: Any) -> bool:
    try:
        return bool(one == other)
    except BaseException:  # of user code: the runs would be lost
        return False
