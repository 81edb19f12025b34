"""One hold of one task, from its answer to its settled report, and how a handler sees it."""

from __future__ import annotations

import dataclasses
import enum
import json
import threading
from dataclasses import dataclass
from typing import (
    Any,
    BinaryIO,
    Callable,
    Dict,
    List,
    NamedTuple,
    Optional,
    Tuple,
    Type,
    TypeVar,
    Union,
)

from .client import FlowClient, ObjectGone, is_key, object_key
from .loop import Backoff
from .model import FlowError, NonRetryable, Task
from .trace import valid

T = TypeVar("T")

#: The number of renewals within the length of a lease.
RENEWALS = 5

#: Deliveries without a report from which on a task may be what kills its workers.
POSSIBLE_POISON = 2

REFERENCE = "stored:"


class Limits(NamedTuple):
    """The settings of a type that matter to its worker, in seconds and tasks."""

    lease: float
    max_processing: float
    long_poll: float
    tasks_a_hold: int


@dataclass(frozen=True)
class Lease:
    """The lease of a held task as far as this worker can know, by its monotonic clock.

    The server sends durations. They count from the start of the request, so the time on the
    network only shortens a lease, and both ends are lower bounds.
    """

    #: When the lease is renewed; several renewals may fail before it is lost.
    renew_at: float
    #: From here on another worker may hold the task, unless there is an outage.
    end: float
    #: The end of max_processing_time.
    hard_end: float
    length: float
    max_processing: float
    #: For how much longer the lease is trusted: the server can renew none at present, nor give the
    #: task to another worker.
    patience: float = 0.0

    @staticmethod
    def held(start: float, lease_ms: Optional[int], limits: Limits, repeated: bool = False) -> Lease:
        """The lease of a task that the request of this start has claimed.

        If the request repeats an earlier one, the lease tells how long ago the claim was.
        """
        left = limits.lease if lease_ms is None else lease_ms / 1000
        length = max(left, limits.lease) if repeated else left
        age = max(0.0, limits.lease - left) if repeated else 0.0
        return Lease(
            start + length / RENEWALS,
            start + left - _trust_margin(length),
            start - age + limits.max_processing,
            length,
            limits.max_processing,
        )

    def renewed(self, start: float, lease_ms: int) -> Lease:
        """The lease after a heartbeat that began at ``start``."""
        left = lease_ms / 1000
        end = start + left
        # Near the hard end a renewal is short, which says nothing about the length of leases.
        length = max(left, 1.0) if end < self.deadline else self.length
        return dataclasses.replace(
            self,
            renew_at=start + length / RENEWALS,
            end=end - _trust_margin(length),
            hard_end=max(self.hard_end, end),
            length=length,
            patience=0.0,
        )

    def not_renewed(self, now: float) -> Lease:
        """The lease after an answer that did not renew it.

        The next try comes after the usual interval, near the end of the lease after half of what
        is left, so that it is not lost for want of one.
        """
        usual = self.length / RENEWALS
        left = self.end - now
        pause = min(usual, left / 2) if left > 0 else usual
        return dataclasses.replace(self, renew_at=now + pause)

    def trusted_for(self, longer: float) -> Lease:
        """The lease trusted for so much longer than its end; 0 after the outage."""
        return dataclasses.replace(self, patience=longer)

    @property
    def trusted_until(self) -> float:
        """When the run is given up: in an outage later than the end of the lease, but not later
        than the hard end."""
        return max(self.end, min(self.end + self.patience, self.hard_end))

    @property
    def start_by(self) -> float:
        """When a run must have started to have half of its time."""
        return self.hard_end - self.max_processing / 2

    @property
    def deadline(self) -> float:
        """When the handler is told to stop."""
        return self.hard_end - self._deadline_margin

    @property
    def report_by(self) -> float:
        """When "timed out" is reported, whatever the handler does: before the server says so."""
        return self.hard_end - self._deadline_margin / 2

    @property
    def _deadline_margin(self) -> float:
        return min(1.0, self.max_processing / 10)

    def is_stale(self, now: float) -> bool:
        """Whether the answer took so long that the lease should be asked for again."""
        return now >= self.start_by or self.end - now < self.length / 2


def _trust_margin(length: float) -> float:
    return min(0.25, length / 50)


class State(enum.Enum):
    """Where a run is."""

    QUEUED = 1
    WORKING = 2
    REPORTING = 3
    ENDED = 4


class Stop(enum.Enum):
    """Why a handler should stop."""

    TIMED_OUT = "its time is over"
    SHUT_DOWN = "the worker stops"
    LOST = "its lease was lost"
    CANCELLED = "the task was cancelled"


@dataclass(frozen=True)
class Stage:
    """A stage of a type and its handler. ``max_tasks`` is above 0 if it runs batches."""

    task_type: str
    name: str
    handler: Callable[..., Any]
    max_tasks: int = 0
    key: Optional[Callable[[StageRun], Any]] = None

    @property
    def is_batched(self) -> bool:
        """Whether the handler takes several runs."""
        return self.max_tasks > 0


class Run:
    """The hold of one task.

    Several threads may want to end it at the same moment. Each change names the state that it
    starts from; the first one wins, and the others are told so.
    """

    def __init__(self, task: Task, stage: Optional[Stage], lease: Lease) -> None:
        self.task = task
        self.stage = stage
        self.lease = lease
        self.progress: Optional[int] = None
        self.stop_cause: Optional[Stop] = None
        self.stopped_at = 0.0
        self.started_at: Optional[float] = None
        self.stopped = threading.Event()
        self.batch_key: Any = self
        #: Of what the run calls and creates.
        self.trace_parent = task.trace_parent
        self._state = State.QUEUED
        self._when_stopped: Optional[Callable[[], None]] = None
        self._lock = threading.Lock()

    @property
    def state(self) -> State:
        """The present state."""
        return self._state

    @property
    def hold(self) -> Tuple[str, int]:
        """What the hold is known by."""
        return self.task.task_id, self.task.lease_epoch

    @property
    def is_possible_poison(self) -> bool:
        """Whether the last holds of the task ended without a report."""
        return self.task.delivery_count >= POSSIBLE_POISON

    def advance(self, expected: State, to: State) -> bool:
        """Changes the state, unless the run has left the expected one."""
        with self._lock:
            if self._state is not expected:
                return False
            self._state = to
            return True

    def stop(self, cause: Stop, now: float) -> bool:
        """Tells a running handler to stop; False if it was told before, or does not run."""
        with self._lock:
            if self._state is not State.WORKING or self.stop_cause is not None:
                return False
            self._stop(cause, now)
        self._tell()
        return True

    def is_timed_out(self, now: float) -> bool:
        """Whether its time is over.

        The first look after the deadline stops the run, whichever thread looks: once a handler
        can know, its result does not count, even if a renewal moves the deadline.
        """
        if self.stop_cause is None and now >= self.lease.deadline:
            self.stop(Stop.TIMED_OUT, now)
        return self.stop_cause is Stop.TIMED_OUT

    def drop(self, cause: Stop, now: float) -> bool:
        """Ends the run without a report; False if its report is on its way."""
        with self._lock:
            if self._state not in (State.QUEUED, State.WORKING):
                return False
            self._stop(cause, now)
            self._state = State.ENDED
        self._tell()
        return True

    def _stop(self, cause: Stop, now: float) -> None:
        self.stop_cause = cause
        self.stopped_at = now
        self.stopped.set()

    def when_stopped(self, listener: Callable[[], None]) -> None:
        """Calls the listener, which must not block, when the handler should stop."""
        with self._lock:
            self._when_stopped = listener
            is_late = self.stopped.is_set()
        if is_late:
            listener()

    def _tell(self) -> None:
        if self._when_stopped is not None:
            self._when_stopped()

    def __str__(self) -> str:
        task = self.task
        return f"{task.task_id} ({task.task_stage}, epoch {task.lease_epoch})"


class Runs:
    """All tasks that this worker holds: queued, running, or with a report on its way."""

    def __init__(self) -> None:
        self._runs: Dict[Tuple[str, int], Run] = {}
        self._lock = threading.Lock()
        self._listeners: List[Callable[[], None]] = []

    def add(self, run: Run) -> bool:
        """Adds a run; False if it is held already, because an answer arrived twice."""
        with self._lock:
            is_new = self._runs.setdefault(run.hold, run) is run
        self._tell()
        return is_new

    def settle(self, run: Run) -> None:
        """Removes a run that has ended."""
        with self._lock:
            self._runs.pop(run.hold, None)
        self._tell()

    def find(self, task_id: str, epoch: int) -> Optional[Run]:
        """The run of a hold."""
        return self._runs.get((task_id, epoch))

    def all(self) -> List[Run]:
        """A copy of all."""
        with self._lock:
            return [*self._runs.values()]

    def is_reporting(self, task_type: str) -> bool:
        """Whether a report of the type is on its way."""
        return any(
            run.state is State.REPORTING and run.task.task_type == task_type for run in self.all()
        )

    def when_changed(self, listener: Callable[[], None]) -> None:
        """Calls the listener when a run was added or has ended."""
        self._listeners.append(listener)

    def _tell(self) -> None:
        for listener in self._listeners:
            listener()

    def __len__(self) -> int:
        return len(self._runs)


class StageRun:
    """One run of one stage, as its handler sees it. Thread-safe; valid until the handler returns."""

    def __init__(self, run: Run, client: FlowClient, worker_id: str, clock: Callable[[], float]) -> None:
        self._run = run
        self._client = client
        self._worker_id = worker_id
        self._clock = clock
        self._text: Optional[str] = None

    @property
    def task(self) -> Task:
        """The task as it was held, with its ids, its user and its times."""
        return self._run.task

    @property
    def stage(self) -> str:
        """The stage to run."""
        return self._run.task.task_stage

    @property
    def trace_parent(self) -> Optional[str]:
        """The W3C traceparent of what the run calls and creates: that of the call that created the
        task, until the handler sets that of a span of its own. An invalid one counts as none."""
        return self._run.trace_parent

    @trace_parent.setter
    def trace_parent(self, of_span: Optional[str]) -> None:
        self._run.trace_parent = valid(of_span) or self._run.task.trace_parent

    @property
    def attempt(self) -> int:
        """The number of this attempt of the stage, from 1."""
        return self._run.task.attempt

    @property
    def idempotency_key(self) -> str:
        """Unique for this run. Use it in the names of what the run leaves outside."""
        task = self._run.task
        return f"{task.task_id}:{task.task_stage}:{task.lease_epoch}"

    @property
    def text(self) -> str:
        """The context as it was written; one that is in the context store is read from there."""
        if self._text is None:
            try:
                self._text = self._repeat(lambda: self._client.text_of(self._run.task.task_context))
            except ObjectGone as e:
                raise NonRetryable(f"the context {e} is no longer in the store") from e
        return self._text

    @property
    def context(self) -> Any:
        """The context as JSON; NonRetryable if it is none."""
        try:
            return json.loads(self.text)
        except ValueError as e:
            raise NonRetryable(f"the context is no JSON: {e}") from e

    def context_as(self, kind: Type[T]) -> T:
        """The context, a JSON object, as the arguments of ``kind``, such as a dataclass.

        NonRetryable if it is no JSON, or null; ValueError if it is JSON of another kind, which a
        worker of another version may have: a retry may find one that can read it.
        """
        members = self.context
        if members is None:
            raise NonRetryable(f"the context cannot be read as {kind.__name__}: it is null")
        try:
            return kind(**members)
        except TypeError as e:
            raise ValueError(f"the context cannot be read as {kind.__name__}: {e}") from e

    @property
    def remaining(self) -> float:
        """Seconds until the handler has to end; 0 when they have passed."""
        now = self._clock()
        return 0.0 if self._run.is_timed_out(now) else max(0.0, self._run.lease.deadline - now)

    @property
    def cancelled(self) -> bool:
        """Whether the handler should stop, and why it does not matter what it returns: the task
        was cancelled, its lease or its time has ended, or the worker stops."""
        return self.remaining == 0 or self._run.stopped.is_set()

    def wait(self, seconds: float) -> bool:
        """Sleeps, but not longer than the run may last; returns ``cancelled``."""
        self._run.stopped.wait(min(seconds, self.remaining))
        return self.cancelled

    def progress(self, percent: float) -> None:
        """Sets the progress, 0 to 100, which the next heartbeat carries as a whole number."""
        if not 0 <= percent <= 100:
            raise ValueError(f"progress is 0 to 100, not {percent}")
        self._run.progress = int(round(percent))

    def store(self, name: str, data: Union[bytes, BinaryIO]) -> str:
        """Stores bytes or an open file for all workers; returns a reference.

        Put the reference unchanged into a context or a result: the server collects objects to
        which none refers. While no server answers, the call waits as long as the run may last.
        """
        if name.startswith("_"):
            raise ValueError("names that begin with _ are reserved")
        task = self._run.task
        key = object_key(task.task_id, task.task_stage, task.lease_epoch, name)
        self._repeat(lambda: self._client.put(key, self._worker_id, data))
        return REFERENCE + key

    def open(self, reference: str) -> BinaryIO:
        """Streams an object that a run has stored; the caller closes it."""
        key = reference[len(REFERENCE) :]
        if not reference.startswith(REFERENCE) or not is_key(key):
            raise NonRetryable(f"{reference!r} is no reference of a stored object")
        return self._repeat(lambda: self._client.open(key))

    def _repeat(self, call: Callable[[], T]) -> T:
        """Repeats a call through an outage, and until a refused key is replaced."""
        backoff = Backoff()
        while True:
            try:
                return call()
            except FlowError as e:
                if not (e.retryable or e.refuses_key) or self.wait(backoff.next()):
                    raise

    def __str__(self) -> str:
        return str(self._run)
