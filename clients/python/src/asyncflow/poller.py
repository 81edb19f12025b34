"""Asks the server for the tasks of one type."""

from __future__ import annotations

import logging
import random
import threading
import uuid
from typing import Callable, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

from .client import FlowClient
from .connection import Cut
from .loop import UNTIL_WOKEN, Backoff, Trouble
from .model import Code, FlowError, Held, Task
from .pool import Pool
from .reports import RunEnds
from .run import POSSIBLE_POISON, Lease, Limits, Run, Runs, Stage

log = logging.getLogger("asyncflow")

#: Seconds between reads of the settings of types, and while one is missing.
INTERVAL = 60.0
INTERVAL_WHILE_MISSING = 1.0

#: How old the server's copy of them may be, so that a fleet of workers causes few reads.
MAX_AGE_MS = 5000

#: How many useless answers in a row are accepted without a pause.
PATIENCE = 3


class TypeSettings:
    """Reads the settings of the types again and again, so that changes need no restart, and a
    worker may start before the server or the type exists."""

    def __init__(self, client: FlowClient, task_types: Set[str], changed: Callable[[], None]) -> None:
        self._client = client
        self._task_types = task_types
        self._changed = changed
        self._backoff = Backoff()
        self._trouble = Trouble("reads of the settings of types")
        self._missing: Set[str] = set()
        self._limits: Dict[str, Limits] = {}

    def limits(self, task_type: str) -> Optional[Limits]:
        """The limits of a type; None while it or the server is missing."""
        return self._limits.get(task_type)

    def turn(self) -> float:
        """Reads them once; returns the seconds until the next time."""
        try:
            types = self._client.types(1000 if self._missing else MAX_AGE_MS)
        except FlowError as e:
            is_first = not self._limits
            meanwhile = (
                "no tasks are asked for until they work" if is_first else "the last values stay in use"
            )
            self._trouble.failed(e, meanwhile)
            return self._backoff.next()
        self._trouble.worked()
        self._backoff.reset()
        read = {
            item.task_type.lower(): Limits(
                lease=float(item.lease_seconds or 30),
                max_processing=float(item.max_processing_time or 30),
                long_poll=min(float(item.schedule_interval or 10), 30.0),
                tasks_a_hold=item.schedule_limit or 100,
            )
            for item in types
            if item.task_type.lower() in self._task_types
        }
        missing = self._task_types - read.keys()
        for name in sorted(missing - self._missing):
            log.warning("flowsvr has no task type %r yet; polling starts as soon as it has", name)
        self._missing = missing
        if read != self._limits:
            self._limits = read
            self._changed()
        return (INTERVAL_WHILE_MISSING if missing else INTERVAL) * (1 - random.random() / 5)


class Admission:
    """Turns the tasks of an answer into runs, and queues or releases them.

    A task that kills its worker ends the runs beside it, too, and these become due together with
    it. So of possible poison one task runs, once the release of all others is acknowledged. A
    release before the start keeps the count of deliveries, so each suspect runs alone, here or
    elsewhere, until one run has cleared it; the poison is the task that never reports.
    """

    def __init__(self, stages: Dict[str, Stage], pool: Pool, runs: Runs, ends: RunEnds) -> None:
        self._stages = stages
        self._pool = pool
        self._runs = runs
        self._ends = ends

    def take(self, tasks: Sequence[Tuple[Task, Lease]]) -> int:
        """Queues what can run, releases the rest; returns the number of queued runs."""
        suspects = [held for held in tasks if held[0].delivery_count >= POSSIBLE_POISON]
        if suspects:
            suspect = max(suspects, key=lambda held: held[0].delivery_count)
            # First, for the suspect starts when these releases have been delivered.
            self.release([held for held in tasks if held is not suspect], "another one runs alone")
            log.info("%s was lost %d times in a row: it runs alone", *_named(suspect[0]))
            tasks = [suspect]
        queued: List[Run] = []
        for task, lease in tasks:
            run = Run(task, self._stages.get(task.task_stage), lease)
            if not self._runs.add(run):
                continue
            if run.stage is None:
                self._ends.release(run, "this worker has no handler for its stage")
            else:
                queued.append(run)
        if queued and not self._pool.offer(queued):
            for run in queued:
                self._ends.release(run, "the worker stops")
        return len(queued)

    def release(self, tasks: Sequence[Tuple[Task, Lease]], why: str) -> None:
        """Releases tasks that this worker will not run."""
        for task, lease in tasks:
            run = Run(task, self._stages.get(task.task_stage), lease)
            if self._runs.add(run):
                self._ends.release(run, why)


def _named(task: Task) -> Tuple[str, int]:
    return task.task_id, task.delivery_count


class _Answer(NamedTuple):
    hold_id: str
    start: float
    tasks: List[Tuple[Task, Lease]]


class Poller:
    """Holds tasks of one type, one call at a time.

    Each hold has a new id and keeps it until it is answered, through errors and restarts of the
    server: a repeat gets the tasks of a lost answer.

    If some stages run batches and others do not, a turn first asks for each kind by itself, as
    many tasks as fit; only if nothing is due, one hold for all stages waits.
    """

    def __init__(
        self,
        task_type: str,
        stages: Dict[str, Stage],
        pool: Pool,
        admission: Admission,
        client: FlowClient,
        worker_id: str,
        start_id: str,
        version: int,
        limits: Callable[[], Optional[Limits]],
        drain: Callable[[Optional[int]], None],
        mended: Callable[[], None],
        ended: Callable[[], None],
        clock: Callable[[], float],
    ) -> None:
        self._task_type = task_type
        self._stages = stages
        self._pool = pool
        self._admission = admission
        self._client = client
        self._worker_id = worker_id
        self._start_id = start_id
        self._version = version
        self._limits = limits
        self._drain = drain
        self._mended = mended
        self._ended = ended
        self._clock = clock
        self._backoff = Backoff()
        self._trouble = Trouble(f"holds of type {task_type}")
        self._cut = Cut()
        self._stopping = threading.Event()
        self._unanswered: Optional[str] = None
        self._last_limits: Optional[Limits] = None
        self._useless = 0
        self._told_version = 0
        self.is_polling = False
        self.has_ended = False

    @property
    def state(self) -> str:
        """PENDING, POLLING while a hold is open, or STOPPED."""
        return "STOPPED" if self.has_ended else "POLLING" if self.is_polling else "PENDING"

    @property
    def problem(self) -> Optional[str]:
        """Why holds fail at present; None if they do not."""
        return self._trouble.problem

    @property
    def is_stopping(self) -> bool:
        """Whether it ends with its next turn."""
        return self._stopping.is_set()

    def stop(self) -> None:
        """Ends the poller soon, and a parked hold at once."""
        self._stopping.set()
        self._cut.now()

    def turn(self) -> Optional[float]:
        """One turn; returns the seconds until the next, None at the end."""
        if self._stopping.is_set():
            self._end()
            return None
        limits = self._limits()
        if limits is None or (self._unanswered is None and self._pool.room == 0):
            return UNTIL_WOKEN
        self._last_limits = limits
        self.is_polling = True
        try:
            useful = self._poll(limits)
        except FlowError as e:
            if self._stopping.is_set():
                self._end()
                return None
            self._trouble.failed(e, "tried again until they work")
            return self._backoff.next()
        finally:
            self.is_polling = False
        if self._trouble.lasts:
            self._trouble.worked()
            self._mended()
        self._useless = 0 if useful else self._useless + 1
        if self._useless <= PATIENCE:
            self._backoff.reset()
            return 0.0
        return self._backoff.next()  # answers that come back empty at once must not spin

    def _poll(self, limits: Limits) -> bool:
        """Whether the turn brought tasks, or waited for them."""
        kinds = self._kinds()
        if self._unanswered is None and len(kinds) > 1 and self.poll_once(limits):
            return True
        room = self._pool.room
        tasks_a_start = kinds[0][1] if len(kinds) == 1 else 1
        limit = max(1, min(room * tasks_a_start, limits.tasks_a_hold))
        wait = limits.long_poll * (1 - random.random() / 10) if room else 0.0
        answer = self._hold([*self._stages], limit, wait, limits)
        if not answer.tasks:
            return room == 0 or self._clock() - answer.start >= wait / 2
        if any(lease.is_stale(self._clock()) for _, lease in answer.tasks):
            # A repeat never parks, so the leases of its answer are fresh.
            answer = self._hold([*self._stages], limit, 0.0, limits, answer.hold_id)
        return self._admission.take(answer.tasks) > 0

    def poll_once(self, limits: Limits) -> int:
        """Asks for each kind of stages without waiting; returns how many tasks were queued."""
        queued = 0
        for names, tasks_a_start in self._kinds():
            limit = min(self._pool.room * tasks_a_start, limits.tasks_a_hold)
            if limit > 0:
                queued += self._admission.take(self._hold(names, limit, 0.0, limits).tasks)
        return queued

    def _hold(
        self,
        names: List[str],
        limit: int,
        wait: float,
        limits: Limits,
        again: Optional[str] = None,
        cut: bool = True,
    ) -> _Answer:
        repeated = again or self._unanswered
        hold_id = self._unanswered = repeated or str(uuid.uuid4())
        start = self._clock()
        try:
            held = self._client.hold(
                self._task_type,
                self._worker_id,
                hold_id,
                limit=limit,
                stages=names,
                wait=wait,
                start_id=self._start_id,
                version=self._version,
                cut=self._cut if cut else None,
            )
        except FlowError as e:
            if not (e.retryable or e.code in (Code.INTERNAL, Code.UNAVAILABLE)):
                self._unanswered = None  # it has held nothing
            raise
        self._unanswered = None
        self._heed(held)
        tasks = [
            (task, Lease.held(start, task.lease_ms, limits, repeated is not None))
            for task in held.tasks
        ]
        return _Answer(hold_id, start, tasks)

    def _heed(self, held: Held) -> None:
        if held.drain:
            self._drain(held.drain_grace_ms)
        if held.min_worker_version not in (0, self._told_version):
            log.warning(
                "type %s needs workers of version %d or later: this one gets no tasks of it",
                self._task_type,
                held.min_worker_version,
            )
        self._told_version = held.min_worker_version

    def _end(self) -> None:
        """Releases the tasks that a cut hold may have claimed."""
        if self._unanswered is not None and self._last_limits is not None:
            try:
                names = [*self._stages]
                answer = self._hold(names, 1, 0.0, self._last_limits, cut=False)
                self._admission.release(answer.tasks, "the worker stops")
            except FlowError as e:
                log.info(
                    "tasks of the last hold of %s, if any, are left to their leases: %s",
                    self._task_type,
                    e,
                )
        self.has_ended = True
        self._ended()

    def _kinds(self) -> List[Tuple[List[str], int]]:
        """Stages that are asked for together, and how many tasks one start of theirs takes."""
        single = [stage.name for stage in self._stages.values() if not stage.is_batched]
        batched = [([s.name], s.max_tasks) for s in self._stages.values() if s.is_batched]
        return [*batched, *([(single, 1)] if single else [])]
