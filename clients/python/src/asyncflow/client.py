"""The typed client of flowsvr, for applications and for the worker of this package."""

from __future__ import annotations

import asyncio
import base64
import contextvars
import functools
import hashlib
import os
import re
import ssl
import time
import urllib.parse
from typing import (
    Any,
    AsyncIterator,
    BinaryIO,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Sequence,
    TypeVar,
    Union,
)

from .connection import REQUEST_TIMEOUT, Connections, Cut, KeyFile, checked_key
from .model import (
    Code,
    Created,
    FlowError,
    FlowUnreachable,
    Held,
    LeaseState,
    NewTask,
    Page,
    Pulse,
    Report,
    ReportAnswer,
    Status,
    Task,
    TaskType,
    as_text,
    from_wire,
    to_wire,
)

T = TypeVar("T")

#: The most bytes of UTF-8 that a context or a result may have in a row.
MOST_BYTES_IN_A_ROW = 4096

#: The most bytes of a text in the context store.
MOST_BYTES_OF_A_TEXT = 16 * 1024 * 1024

#: The slowest transfer that is waited for, in bytes a second.
SLOWEST_TRANSFER = 32 * 1024

#: Seconds that the last look of a wait may take.
SHORTEST_LOOK = 0.5

_KEY = re.compile(
    r"[1-9][0-9]{0,18}_[a-z][a-z0-9_]{0,30}_task_[1-9][0-9]{0,8}"
    r"/[A-Za-z0-9_-]{1,64}/[1-9][0-9]{0,9}/[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9_-])?"
)
#: The settings of a type that it need not have.
_REMOVABLE = ("max_retry_interval", "max_unexpected_retries")

_STORED = re.compile(r'\{"\$stored":"([^"\\]{1,300})","bytes":([0-9]{1,18})}')


class ObjectGone(Exception):
    """An object of the context store does not exist any more."""


def object_key(task_id: str, stage: str, epoch: int, name: str) -> str:
    """The key under which a run of a stage stores an object."""
    spelled = re.sub("[^A-Za-z0-9_-]", "_", stage) or "_"
    key = f"{task_id}/{spelled}/{epoch}/{name}"
    if not _KEY.fullmatch(key):
        raise ValueError(f"{name!r} is not a name of an object: letters, digits, '.', '_', '-'")
    return key


def reference_of_text(key: str, size: int) -> str:
    """What stands in a row in place of a text that is in the context store."""
    return f'{{"$stored":"{key}","bytes":{size}}}'


class StoredText(NamedTuple):
    """The object that a context or result refers to, and its size in bytes."""

    key: str
    size: int


def stored_text(text: str) -> Optional[StoredText]:
    """What a context or result refers to; None if it is the text itself."""
    found = _STORED.fullmatch(text)
    if found is None or not _KEY.fullmatch(found.group(1)):
        return None
    return StoredText(found.group(1), int(found.group(2)))


def is_key(text: str) -> bool:
    """Whether an object of the context store may have this key."""
    return _KEY.fullmatch(text) is not None


class _Counted:
    """As much of a file as was counted: more of one that grows would be taken for the next call."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self._left = size

    def read(self, most: int = -1) -> bytes:
        size = self._left if most < 0 else min(most, self._left)
        part = self._file.read(size) if size else b""
        if size and not part:
            raise ValueError("the file became shorter while it was sent")
        self._left -= len(part)
        return part


def _said(operator: str, reason: str) -> Dict[str, str]:
    """What an act says of itself for the record."""
    said = {"operator": operator, "reason": reason}
    return {name: text for name, text in said.items() if text}


def is_large(text: Optional[str]) -> bool:
    """Whether a text does not fit into a row."""
    if text is None or 3 * len(text) <= MOST_BYTES_IN_A_ROW:
        return False  # the usual case; counting bytes makes a copy
    return len(text.encode()) > MOST_BYTES_IN_A_ROW


class FlowClient:
    """The calls of flowsvr. Thread-safe; one client serves all threads.

    Every refusal is a FlowError with the server's code. A FlowUnreachable means that no answer
    of flowsvr arrived: repeat a create with the same idempotency key.

    Arguments that are left out come from the environment: ``FLOW_URL``, ``FLOW_API_KEY``,
    ``FLOW_API_KEY_FILE`` (read again when it changes) and ``FLOW_CA``, a PEM file with the
    authorities to trust in place of the system's.

    What is created keeps the W3C traceparent of its call, and each hold hands it on. In a handler
    that is the ``trace_parent`` of its run. The argument ``trace_parent`` is asked first, before
    each call, for that of the current span, or None.
    """

    _timeout = REQUEST_TIMEOUT

    def __init__(
        self,
        url: Optional[str] = None,
        *,
        key: Optional[str] = None,
        key_file: Optional[str] = None,
        tls: Optional[ssl.SSLContext] = None,
        timeout: float = REQUEST_TIMEOUT,
        trace_parent: Optional[Callable[[], Optional[str]]] = None,
    ) -> None:
        environment = os.environ
        url = url or environment.get("FLOW_URL") or "http://127.0.0.1:8081"
        if key is None and key_file is None:
            key = environment.get("FLOW_API_KEY") or None
            key_file = environment.get("FLOW_API_KEY_FILE") or None
        if key and key_file:
            raise ValueError("either a key or a key_file, not both")
        authorities = environment.get("FLOW_CA")
        if tls is None and authorities and url.startswith("https"):
            tls = ssl.create_default_context(cafile=authorities)
        keys: Optional[Callable[[], str]] = None
        if key_file:
            keys = KeyFile(key_file)
        elif key:
            fixed = checked_key(key)
            keys = lambda: fixed  # noqa: E731
        self._timeout = timeout
        self._http = Connections(url, keys, tls, timeout, trace_parent)

    @property
    def server_name(self) -> str:
        """The server as part of a file name."""
        return self._http.name

    def with_timeout(self, timeout: float) -> FlowClient:
        """The same client with connections of its own and another time limit, in seconds."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._timeout = timeout
        other._http = self._http.with_timeout(timeout)
        return other

    def close(self) -> None:
        """Closes idle connections; the client can still be used."""
        self._http.close()

    def call(self, path: str, **members: Any) -> Any:
        """Any call of docs/api.md, such as ``call("job/getJob", jobId=…)``: its result."""
        return self._http.post("/api/" + path, members)

    def _read(self, path: str, read: Callable[[Any], T], **members: Any) -> T:
        return _read(path, read, self.call(path, **members))

    # Tasks

    def create(self, task: NewTask) -> Created:
        """Creates a task."""
        read = functools.partial(from_wire, Created)
        return self._read("task/createTask", read, taskData=task.to_wire())

    def create_all(self, tasks: Iterable[NewTask]) -> List[Created]:
        """Creates up to 1,000 tasks: all or none."""
        return self._read(
            "task/createTasks",
            lambda made: [Created(*both) for both in zip(made["taskIds"], made["outcomes"])],
            taskDataList=[task.to_wire() for task in tasks],
        )

    def get(self, task_id: str) -> Task:
        """Reads a task."""
        return self._read("task/getTask", _task, taskId=task_id)

    def find(self, task_type: str, idempotency_key: str) -> Task:
        """Reads the task that stands under a key."""
        return self._read("task/getTask", _task, taskType=task_type, idempotencyKey=idempotency_key)

    def list(
        self,
        task_type: str,
        *statuses: Status,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> Page:
        """A page of a type's tasks, newest first; without statuses, those of all."""
        return self._page(
            "task/getTaskList",
            taskType=task_type,
            status=sum(statuses),
            limit=limit,
            cursor=cursor,
        )

    def list_of_user(
        self,
        user_id: str,
        *statuses: Status,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> Page:
        """The same for a user, over all types."""
        return self._page(
            "task/getUserTaskList",
            userId=user_id,
            statusList=sum(statuses),
            limit=limit,
            cursor=cursor,
        )

    def _page(self, path: str, **members: Any) -> Page:
        return self._read(
            path,
            lambda page: Page([from_wire(Task, t) for t in page["taskList"]], page.get("nextCursor")),
            **{name: value for name, value in members.items() if value is not None},
        )

    def all(self, task_type: str, *statuses: Status) -> Iterator[Task]:
        """All tasks of a type, read page by page."""
        cursor: Optional[str] = None
        while True:
            page = self.list(task_type, *statuses, cursor=cursor)
            yield from page.tasks
            cursor = page.next_cursor
            if cursor is None:
                return

    def wait(self, task_id: str, timeout: float, first_pause: float = 0.1) -> Task:
        """Returns the task when it has ended, with success or without; TimeoutError if too late.

        Errors that may pass, such as an outage of the server, are waited out.
        """
        deadline = time.monotonic() + timeout
        pause = first_pause
        while True:
            left = deadline - time.monotonic()
            shorter = min(0.0, max(left, SHORTEST_LOOK) - self._timeout)
            try:
                found = self._http.post("/api/task/getTask", {"taskId": task_id}, shorter)
                task = _read("task/getTask", _task, found)
                if task.status.is_final:
                    return task
                if left <= 0:
                    raise TimeoutError(f"{task_id} has not ended within {timeout} s")
            except FlowError as e:
                if not e.retryable:
                    raise
                if left <= 0:
                    raise TimeoutError(f"{task_id} could not be read for long: {e}") from e
            time.sleep(max(0, min(pause, left)))
            pause = min(2 * pause, 2.0)

    def text_of(self, context_or_result: Optional[str]) -> str:
        """The text of a context or a result, read from the context store if it is there."""
        stored = stored_text(context_or_result or "")
        return context_or_result or "" if stored is None else self._stored(*stored)

    # Acts

    def cancel(self, task_id: str, operator: str = "", reason: str = "") -> None:
        """Cancels a task; its worker learns it with the next heartbeat."""
        self._act("cancel", task_id, operator, reason)

    def retry(self, task_id: str, operator: str = "", reason: str = "") -> str:
        """Runs a failed or cancelled task again; returns its id."""
        made = self._act("retry", task_id, operator, reason)
        return _read("task/retry", lambda made: str(made["taskId"]), made)

    def pause(self, task_id: str, operator: str = "", reason: str = "") -> None:
        """Keeps a task from the workers until it is resumed."""
        self._act("pause", task_id, operator, reason)

    def resume(self, task_id: str, operator: str = "", reason: str = "") -> None:
        """Ends a pause."""
        self._act("resume", task_id, operator, reason)

    def _act(self, act: str, task_id: str, operator: str, reason: str) -> Any:
        return self.call("task/" + act, taskId=task_id, **_said(operator, reason))

    # Types

    def types(self, max_age_ms: int = 0) -> List[TaskType]:
        """All task types; the answer may be ``max_age_ms`` old."""
        return self._read(
            "task_schedule_cfg/list",
            lambda listed: [self._type(item) for item in listed["scheduleCfgList"]],
            maxAgeMs=max_age_ms,
        )

    @staticmethod
    def _type(item: Dict[str, Any]) -> TaskType:
        known = TaskType.__dataclass_fields__
        return TaskType(**{name: value for name, value in item.items() if name in known})

    def save_type(
        self, settings: TaskType, removed: Iterable[str] = (), operator: str = "", reason: str = ""
    ) -> None:
        """Makes a type, or changes the settings that are not None.

        ``removed`` names settings that are None from now on: ``max_retry_interval``,
        ``max_unexpected_retries``. ``operator`` and ``reason`` are for the record of acts.
        """
        members = {name: value for name, value in vars(settings).items() if value is not None}
        for name in removed:
            if name not in _REMOVABLE or name in members:
                raise ValueError(f"{name!r} cannot be removed: only {_REMOVABLE}, if they are None")
            members[name] = None
        self.call("task_schedule_cfg/save", **members, **_said(operator, reason))

    # Jobs

    def create_job(self, job_type: str, user_id: str, job_input: Any = "", **members: Any) -> str:
        """Creates a job; ``members`` are further fields of ``jobData``. Returns its id."""
        data = {"jobType": job_type, "userId": user_id, "jobInput": as_text(job_input), **members}
        return self._read("job/createJob", lambda made: str(made["jobId"]), jobData=data)

    def job(self, job_id: str) -> Dict[str, Any]:
        """Reads a job, as docs/api.md describes it."""
        return self._read("job/getJob", lambda found: dict(found["jobData"]), jobId=job_id)

    # The context store

    def put(self, key: str, worker_id: str, data: Union[bytes, BinaryIO]) -> None:
        """Stores an object of a run: bytes, or a file that can be read twice."""
        digest = hashlib.sha256()
        if isinstance(data, (bytes, bytearray, memoryview)):
            content: Any = bytes(data)
            size = len(content)
            digest.update(content)
        else:
            data.seek(0)
            size = 0
            for part in iter(lambda: data.read(1 << 20), b""):
                digest.update(part)
                size += len(part)
            data.seek(0)
            content = _Counted(data, size)
        headers = {
            "Content-Type": "application/octet-stream",
            "Content-Length": str(size),
            "Content-Digest": f"sha-256=:{base64.b64encode(digest.digest()).decode()}:",
        }
        path = f"/api/store/{key}?workerId={urllib.parse.quote(worker_id, safe='')}"
        with self._http.send("PUT", path, content, headers, size / SLOWEST_TRANSFER) as answer:
            answer.read()

    def open(self, key: str) -> BinaryIO:
        """Streams an object; the caller closes it."""
        return self._open(key, 0)

    def _open(self, key: str, extra_wait: float) -> BinaryIO:
        if not is_key(key):
            raise ValueError(f"{key!r} is no key of an object")
        try:
            return self._http.send("GET", "/api/store/" + key, None, {}, extra_wait)  # type: ignore[return-value]
        except FlowError as e:
            if e.code == Code.NO_SUCH_OBJECT:
                raise ObjectGone(key) from e
            raise

    def _stored(self, key: str, size: int) -> str:
        """A text of the store. What has another size is no answer of flowsvr."""
        if size > MOST_BYTES_OF_A_TEXT:
            raise FlowError(Code.TOO_LARGE, f"{key} is not a text")
        with self._open(key, max(1, size) / SLOWEST_TRANSFER) as file:
            data = file.read(size + 1)
        if len(data) != size:
            raise FlowUnreachable(f"{key}: what answers has not its {size} bytes, so it is not flowsvr")
        return data.decode()

    # Work

    def hold(
        self,
        task_type: str,
        worker_id: str,
        hold_id: str,
        *,
        limit: int,
        stages: Sequence[str],
        wait: float = 0,
        start_id: Optional[str] = None,
        version: int = 0,
        cut: Optional[Cut] = None,
    ) -> Held:
        """Takes due tasks. The same ``hold_id`` gets the tasks of a lost answer again."""
        body: Dict[str, Any] = {
            "taskType": task_type,
            "workerId": worker_id,
            "holdId": hold_id,
            "limit": limit,
            "stages": [*stages],
            "waitMs": int(wait * 1000),
        }
        if start_id:
            body["startId"] = start_id
        if version:
            body["workerVersion"] = version
        answer = self._http.post("/api/task/hold_task", body, extra_wait=wait, cut=cut)
        return _read("task/hold_task", _held, answer)

    def report(self, reports: Sequence[Report]) -> List[ReportAnswer]:
        """Reports the ends of holds, up to 1,000; the answers are in the same order."""
        return self._read(
            "task/set_tasks",
            lambda answers: [from_wire(ReportAnswer, answer) for answer in answers["outcomes"]],
            reports=[to_wire(report) for report in reports],
        )

    def heartbeat(
        self,
        worker_id: str,
        tasks: Sequence[Dict[str, Any]],
        start_id: Optional[str] = None,
        worker: Optional[Dict[str, Any]] = None,
    ) -> Pulse:
        """Renews the leases of held tasks: ``{"taskId", "leaseEpoch", "progress"}`` each."""
        body: Dict[str, Any] = {"workerId": worker_id, "tasks": [*tasks]}
        if start_id:
            body["startId"] = start_id
        if worker is not None:
            body["worker"] = worker
        return self._read("worker/heartbeat", _pulse, **body)


def _read(path: str, read: Callable[[Any], T], result: Any) -> T:
    """What an answer says; it may be of something else that has envelopes, or of a later flowsvr."""
    try:
        return read(result)
    except (LookupError, TypeError, ValueError, AttributeError) as e:
        raise FlowUnreachable(
            f"/api/{path}: flowsvr's answer cannot be read ({type(e).__name__}: {e}); check that the"
            " versions of client and server are compatible"
        ) from e


def _task(result: Any) -> Task:
    return from_wire(Task, result["taskData"])


def _held(result: Any) -> Held:
    return Held(
        [from_wire(Task, task) for task in result.get("taskList") or ()],
        bool(result.get("drain")),
        result.get("drainGraceMs"),
        result.get("minWorkerVersion") or 0,
        bool(result.get("paused")),
    )


def _pulse(result: Any) -> Pulse:
    leases = [from_wire(LeaseState, lease) for lease in result.get("tasks") or ()]
    return Pulse(leases, bool(result.get("drain")), result.get("drainGraceMs"))


class AsyncFlowClient:
    """The calls of a FlowClient for asyncio: each one runs in a thread of the loop's executor."""

    def __init__(self, client: Optional[FlowClient] = None) -> None:
        #: The client whose calls these are.
        self.blocking = client or FlowClient()

    @staticmethod
    async def _run(call: Callable[..., T], *arguments: Any, **named: Any) -> T:
        loop = asyncio.get_running_loop()
        caller = contextvars.copy_context()  # it says which trace the call belongs to
        return await loop.run_in_executor(
            None, functools.partial(caller.run, call, *arguments, **named)
        )

    async def call(self, path: str, **members: Any) -> Any:
        """Any call of docs/api.md."""
        return await self._run(self.blocking.call, path, **members)

    async def create(self, task: NewTask) -> Created:
        """Creates a task."""
        return await self._run(self.blocking.create, task)

    async def create_all(self, tasks: Iterable[NewTask]) -> List[Created]:
        """Creates up to 1,000 tasks: all or none."""
        return await self._run(self.blocking.create_all, [*tasks])

    async def get(self, task_id: str) -> Task:
        """Reads a task."""
        return await self._run(self.blocking.get, task_id)

    async def find(self, task_type: str, idempotency_key: str) -> Task:
        """Reads the task that stands under a key."""
        return await self._run(self.blocking.find, task_type, idempotency_key)

    async def list(
        self,
        task_type: str,
        *statuses: Status,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> Page:
        """A page of a type's tasks, newest first; without statuses, those of all."""
        call = self.blocking.list
        return await self._run(call, task_type, *statuses, limit=limit, cursor=cursor)

    async def list_of_user(
        self,
        user_id: str,
        *statuses: Status,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> Page:
        """The same for a user, over all types."""
        call = self.blocking.list_of_user
        return await self._run(call, user_id, *statuses, limit=limit, cursor=cursor)

    async def all(self, task_type: str, *statuses: Status) -> AsyncIterator[Task]:
        """All tasks of a type, read page by page."""
        cursor: Optional[str] = None
        while True:
            page = await self.list(task_type, *statuses, cursor=cursor)
            for task in page.tasks:
                yield task
            cursor = page.next_cursor
            if cursor is None:
                return

    async def cancel(self, task_id: str, operator: str = "", reason: str = "") -> None:
        """Cancels a task; its worker learns it with the next heartbeat."""
        await self._run(self.blocking.cancel, task_id, operator, reason)

    async def retry(self, task_id: str, operator: str = "", reason: str = "") -> str:
        """Runs a failed or cancelled task again; returns its id."""
        return await self._run(self.blocking.retry, task_id, operator, reason)

    async def pause(self, task_id: str, operator: str = "", reason: str = "") -> None:
        """Keeps a task from the workers until it is resumed."""
        await self._run(self.blocking.pause, task_id, operator, reason)

    async def resume(self, task_id: str, operator: str = "", reason: str = "") -> None:
        """Ends a pause."""
        await self._run(self.blocking.resume, task_id, operator, reason)

    async def types(self, max_age_ms: int = 0) -> List[TaskType]:
        """All task types; the answer may be ``max_age_ms`` old."""
        return await self._run(self.blocking.types, max_age_ms)

    async def save_type(
        self, settings: TaskType, removed: Iterable[str] = (), operator: str = "", reason: str = ""
    ) -> None:
        """Makes a type, or changes the settings that are not None; ``removed`` ones become None."""
        await self._run(self.blocking.save_type, settings, [*removed], operator, reason)

    async def text_of(self, context_or_result: Optional[str]) -> str:
        """The text of a context or a result."""
        return await self._run(self.blocking.text_of, context_or_result)

    async def create_job(self, job_type: str, user_id: str, job_input: Any = "", **members: Any) -> str:
        """Creates a job; returns its id."""
        return await self._run(self.blocking.create_job, job_type, user_id, job_input, **members)

    async def job(self, job_id: str) -> Dict[str, Any]:
        """Reads a job."""
        return await self._run(self.blocking.job, job_id)

    async def wait(self, task_id: str, timeout: float) -> Task:
        """Returns the task when it has ended; asyncio.TimeoutError if too late.

        Errors that may pass are waited out.
        """

        async def ended() -> Task:
            pause = 0.1
            while True:
                try:
                    task = await self.get(task_id)
                    if task.status.is_final:
                        return task
                except FlowError as e:
                    if not e.retryable:
                        raise
                await asyncio.sleep(pause)
                pause = min(2 * pause, 2.0)

        return await asyncio.wait_for(ended(), timeout)
