"""What applications, workers and flowsvr tell each other: tasks, results, reports, errors.

Names are snake_case here and camelCase on the wire. Members that this version does not know are
ignored, so a newer server can add some.
"""

from __future__ import annotations

import dataclasses
import enum
import json
import re
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Type, TypeVar, Union

T = TypeVar("T")

#: A stretch of time: seconds, or a timedelta.
Delay = Union[int, float, timedelta]


def milliseconds(delay: Delay) -> int:
    """A delay as the wire has it; a negative one counts as zero."""
    seconds = delay.total_seconds() if isinstance(delay, timedelta) else delay
    try:
        return int(max(0, round(seconds * 1000)))
    except TypeError:
        raise TypeError(f"a delay must be a number of seconds or a timedelta, not {delay!r}") from None


class FlowError(Exception):
    """flowsvr refused a call.

    ``code`` is one of the codes of docs/api.md, ``status`` the HTTP status, ``fields`` names each
    bad field and says what is wrong with it.
    """

    def __init__(
        self,
        code: int,
        message: str,
        status: int = 0,
        retryable: bool = False,
        fields: Sequence[Tuple[str, str]] = (),
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.retryable = retryable
        self.fields = tuple(fields)

    @property
    def refuses_key(self) -> bool:
        """Whether another key, or another role of this one, may help."""
        return self.code in (Code.NOT_AUTHENTICATED, Code.KEY_ENDED, Code.VERB_MISSING)

    @property
    def may_pass(self) -> bool:
        """Whether the same call may succeed later, without a change of it."""
        passing = (Code.INTERNAL, Code.WRONG_HOST)
        return self.retryable or self.refuses_key or self.code in passing


#: What a firewall or a gateway answers to a call that it never lets through.
_NEVER = (301, 308, 400, 403, 405, 406, 411, 414, 415, 417, 422, 426, 431, 451, 501, 505)


class FlowUnreachable(FlowError):
    """No answer of flowsvr arrived; the call may have taken effect all the same.

    ``retryable`` unless a firewall or a gateway refused the call with a status, such as 403, with
    which it refuses the same call again; ``status`` is 0 if nothing answered.
    """

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(Code.UNAVAILABLE, message, status, retryable=status not in _NEVER)

    @property
    def may_pass(self) -> bool:
        """A firewall may be mended, too: the caller sees whether other calls get through."""
        return True


class NonRetryable(Exception):
    """A handler raises it to fail its task for good: another attempt would fail as well."""


class Code(enum.IntEnum):
    """The codes of errors that a program may want to tell apart."""

    INVALID_INPUT = 8020
    MALFORMED_BODY = 8021
    NO_SUCH_TASK = 8035
    NO_SUCH_JOB = 8036
    NO_SUCH_OBJECT = 8037
    NO_SUCH_TASK_TYPE = 8042
    LEASE_LOST = 8050
    TRANSITION_NOT_ALLOWED = 8051
    IDEMPOTENCY_CONFLICT = 8052
    TOO_LARGE = 8060
    NOT_AUTHENTICATED = 8070
    KEY_ENDED = 8071
    VERB_MISSING = 8072
    WRONG_HOST = 8074
    LIMIT_EXCEEDED = 8080
    UNAVAILABLE = 8090
    STORE_FULL = 8091
    INTERNAL = 8099


class Status(enum.IntEnum):
    """The status of a task; the numbers are bits."""

    WAITING = 1
    EXECUTING = 2
    SUCCESS = 4
    FAILED = 8
    CANCELLED = 16
    PAUSED = 32

    @property
    def is_final(self) -> bool:
        """Whether only an operator can make the task leave this status."""
        return self in (Status.SUCCESS, Status.FAILED, Status.CANCELLED)


@dataclass(frozen=True)
class Task:
    """A task as the API shows it. Times are epoch milliseconds."""

    task_id: str
    task_type: str
    task_stage: str
    user_id: str
    status: Status
    task_context: str = ""
    result: Optional[str] = None
    priority: int = 0
    order_time: int = 0
    crt_retry_num: int = 0
    max_retry_num: int = 0
    max_retry_interval: int = 0
    unexpected_num: Optional[int] = None
    max_unexpected_retries: Optional[int] = None
    schedule_log: str = ""
    create_time: int = 0
    modify_time: int = 0
    lease_epoch: int = 0
    lease_ms: Optional[int] = None
    worker_id: Optional[str] = None
    delivery_count: int = 0
    trace_id: Optional[str] = None
    job_id: Optional[str] = None
    schedule_id: Optional[str] = None
    fire_time: Optional[int] = None
    progress: Optional[int] = None
    worker_ids: Optional[List[str]] = None
    copy: Optional[Dict[str, int]] = None
    #: The W3C traceparent of the call that created it.
    trace_parent: Optional[str] = None

    @property
    def attempt(self) -> int:
        """The number of the present or next attempt of the stage, from 1."""
        return self.crt_retry_num + (self.unexpected_num or 0) + 1


@dataclass(frozen=True)
class NewTask:
    """A task to create. ``context`` is written as JSON unless it is a text.

    ``delay`` makes it due later, ``run_at`` (epoch milliseconds) at a time. A create may be
    repeated safely if it has an ``idempotency_key``.
    """

    task_type: str
    task_stage: str
    user_id: str
    context: Any = None
    idempotency_key: Optional[str] = None
    priority: Optional[int] = None
    delay: Optional[Delay] = None
    run_at: Optional[int] = None
    max_retry_num: Optional[int] = None
    max_retry_interval: Optional[int] = None
    max_unexpected_retries: Optional[int] = None
    worker_ids: Optional[Sequence[str]] = None
    on_duplicate: Optional[str] = None
    key_ms: Optional[int] = None
    key_until_done: bool = False

    def to_wire(self) -> Dict[str, Any]:
        """The members of ``taskData``."""
        wire = to_wire(self)
        wire.pop("context", None)
        wire.pop("delay", None)
        wire.pop("keyUntilDone", None)
        if self.context is not None:
            wire["taskContext"] = as_text(self.context)
        if self.delay is not None:
            wire["delayMs"] = milliseconds(self.delay)
        if self.key_until_done:
            wire["keyUntilDone"] = 1
        return wire


@dataclass(frozen=True)
class Created:
    """The answer to a create: the task, and whether it is new (``CREATED``)."""

    task_id: str
    outcome: str


@dataclass(frozen=True)
class Page:
    """A page of a list; ``next_cursor`` asks for the next one, None on the last."""

    tasks: List[Task]
    next_cursor: Optional[str]


@dataclass(frozen=True)
class TaskType:
    """The settings of a task type; None keeps what the type has, or takes the server's default."""

    task_type: str
    schedule_limit: Optional[int] = None
    schedule_interval: Optional[int] = None
    max_processing_time: Optional[int] = None
    max_retry_num: Optional[int] = None
    retry_interval: Optional[int] = None
    max_retry_interval: Optional[int] = None
    max_unexpected_retries: Optional[int] = None
    lease_seconds: Optional[int] = None
    max_delivery: Optional[int] = None
    roll_threshold: Optional[int] = None
    retention_days: Optional[int] = None
    max_executing: Optional[int] = None
    rate_limit: Optional[int] = None
    user_rate_limit: Optional[int] = None
    min_worker_version: Optional[int] = None
    paused: Optional[int] = None
    events: Optional[int] = None
    sealed: Optional[int] = None


class Result:
    """What a handler returns; the server derives from it what happens to the task."""


@dataclass(frozen=True)
class Done(Result):
    """The task succeeded. ``result`` is stored with it, as JSON unless it is a text.

    ``creates`` are created in the transaction that ends this task: both happen, or neither.
    """

    result: Any = None
    creates: Sequence[NewTask] = ()


@dataclass(frozen=True)
class Next(Result):
    """The task continues with another stage; a context of None keeps the present one."""

    stage: str
    context: Any = None
    priority: Optional[int] = None
    worker_ids: Optional[Sequence[str]] = None
    creates: Sequence[NewTask] = ()


@dataclass(frozen=True)
class Retry(Result):
    """The attempt failed; the stage runs again, after ``after`` or the type's delay."""

    reason: str
    after: Optional[Delay] = None


@dataclass(frozen=True)
class Fail(Result):
    """The task failed for good."""

    reason: str
    creates: Sequence[NewTask] = ()


@dataclass(frozen=True)
class Snooze(Result):
    """The stage runs again after a while; no attempt is counted."""

    delay: Delay


@dataclass(frozen=True)
class Report:
    """The end of a hold, as the wire has it. ``report_id`` makes it repeatable."""

    task_id: str
    worker_id: str
    lease_epoch: int
    outcome: str
    report_id: Optional[str] = None
    task_stage: Optional[str] = None
    task_context: Optional[str] = None
    priority: Optional[int] = None
    worker_ids: Optional[Sequence[str]] = None
    result: Optional[str] = None
    err_msg: Optional[str] = None
    retry_after_ms: Optional[int] = None
    delay_ms: Optional[int] = None
    unexpected: Optional[bool] = None
    #: Only a worker in Java says how often it ran the handler again.
    local_retries: Optional[int] = None
    #: False for the release of a task whose handler was never called; None for True.
    begun: Optional[bool] = None
    creates: Optional[List[Dict[str, Any]]] = None
    #: That of the tasks in ``creates``; None for the task's own.
    trace_parent: Optional[str] = None

    @property
    def text(self) -> Optional[str]:
        """The one text that may be too large for a row."""
        return self.result if self.outcome == "SUCCESS" else self.task_context

    def with_text(self, text: str) -> Report:
        """The same with another text in that place."""
        if self.outcome == "SUCCESS":
            return dataclasses.replace(self, result=text)
        return dataclasses.replace(self, task_context=text)


@dataclass(frozen=True)
class ReportAnswer:
    """What the server says to one report: ACCEPTED, ALREADY_DONE or REFUSED."""

    outcome: str
    code: int = 0
    msg: str = ""

    @property
    def stands(self) -> bool:
        """Whether the report counts."""
        return self.outcome in ("ACCEPTED", "ALREADY_DONE")


@dataclass(frozen=True)
class Held:
    """The answer to a hold."""

    tasks: List[Task]
    drain: bool = False
    drain_grace_ms: Optional[int] = None
    min_worker_version: int = 0
    paused: bool = False


@dataclass(frozen=True)
class LeaseState:
    """What a heartbeat learns of one task: EXTENDED, LOST or CANCEL."""

    task_id: str
    lease_epoch: int
    state: str
    lease_ms: int = 0


@dataclass(frozen=True)
class Pulse:
    """The answer to a heartbeat."""

    tasks: List[LeaseState] = field(default_factory=list)
    drain: bool = False
    drain_grace_ms: Optional[int] = None


def camel(name: str) -> str:
    """``task_id`` as the wire spells it, ``taskId``."""
    first, *others = name.split("_")
    return first + "".join(word.title() for word in others)


def to_wire(value: Any) -> Dict[str, Any]:
    """The members of a dataclass that have a value."""
    pairs = ((f.name, getattr(value, f.name)) for f in dataclasses.fields(value))
    return {camel(name): member for name, member in pairs if member is not None}


def from_wire(kind: Type[T], wire: Mapping[str, Any]) -> T:
    """A dataclass from the members that it knows."""
    names = [f.name for f in dataclasses.fields(kind)]  # type: ignore[arg-type]
    members = {name: wire[camel(name)] for name in names if wire.get(camel(name)) is not None}
    if kind is Task:
        members["status"] = Status(members["status"])
    return kind(**members)


_SPACE = r" \u1680\u2000-\u2006\u2008-\u200a\u2028\u2029\u205f\u3000"
_NAME = re.compile(
    rf"(?![{_SPACE}])[^\x00-\x1f\x7f-\x9f\ud800-\udfff]{{1,64}}(?<![{_SPACE}])"
)


def checked_name(what: str, name: str) -> str:
    """The name of a stage or a worker, which flowsvr would refuse in another form."""
    if not _NAME.fullmatch(name):
        raise ValueError(
            f"{what} must have 1 to 64 characters, none of them a control character, and no white"
            f" space at its ends, not {name!r}"
        )
    return name


def as_text(value: Any) -> str:
    """A context or a result as it is kept: JSON, unless it is a text already."""
    if isinstance(value, str):
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = dataclasses.asdict(value)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
