"""A flowsvr in memory, for tests of handlers and of applications.

::

    flow = FakeFlow("hello")
    worker = make_worker(flow)                   # Worker(client=flow), with its stages
    made = flow.create(NewTask("hello", "greet", "ada", {"name": "Ada"}))
    worker.run_due()                             # on this thread; no server, no sleep
    assert flow.get(made.task_id).result == "Hello, Ada!"

It keeps the contract where a worker or an application with a FlowClient can see it, and refuses
what the server refuses, with the same code; it knows no keys, jobs, schedules and operators. Time
stands still until the test moves it.
"""

from __future__ import annotations

import io
import json
import re
import threading
import urllib.parse
from typing import Any, BinaryIO, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from .client import FlowClient, is_key, object_key
from .connection import Cut
from .model import Code, FlowError, Status, TaskType
from .trace import parent_of_call, valid

DEFAULTS: Dict[str, Any] = {
    "schedule_limit": 100,
    "schedule_interval": 10,
    "max_processing_time": 30,
    "max_retry_num": 3,
    "retry_interval": 10,
    "max_retry_interval": None,
    "lease_seconds": 30,
    "max_delivery": 10,
    "paused": 0,
}

INT = 2**31 - 1
LONG = 2**63 - 1
TEN_YEARS = 315_360_000_000

#: What the bodies of calls may hold: a field is required if its name ends with an exclamation mark.
#: ``name``, ``ascii``, ``text`` and ``bytes`` are texts of at most so many characters or bytes,
#: ``number`` has bounds, ``names`` at most so many texts of at most so many characters, ``objects``
#: so many items. The tests hold it to the table of calls that the server is held to.
TASK: Dict[str, Tuple[Any, ...]] = {
    "taskType!": ("type",),
    "userId!": ("name", 128),
    "taskStage!": ("name", 64),
    "scheduleLog": ("bytes", 65_535),
    "taskContext": ("bytes", 4096),
    "priority": ("number", 0, 31_536_000),
    "delayMs": ("number", 0, TEN_YEARS),
    "runAt": ("epoch",),
    "maxRetryNum": ("number", 0, 10_000),
    "maxRetryInterval": ("number", 0, 31_536_000),
    "maxUnexpectedRetries": ("number", 0, 10_000),
    "workerIds": ("names", 64, 64, 1),
    "idempotencyKey": ("key",),
    "onDuplicate": ("choice", "SAME", "KEEP", "REPLACE", "RERUN"),
    "keyMs": ("number", 1000, 2_592_000_000),
    "keyUntilDone": ("number", 0, 1),
    "context": ("misnomer", "taskContext"),
    "traceParent": ("text", LONG),
}
REPORT: Dict[str, Tuple[Any, ...]] = {
    "taskId!": ("task id",),
    "workerId!": ("name", 64, 0),
    "leaseEpoch!": ("number", 0, INT),
    "outcome!": ("choice", "NEXT_STAGE", "SUCCESS", "RETRY", "FAIL", "SNOOZE", "RELEASE"),
    "reportId": ("name", 64),
    "context": ("misnomer", "taskContext"),
    "traceParent": ("text", LONG),
}
CREATES = ("objects", 0, 100, TASK)
NO_CREATES = ("misplaced", "is only for NEXT_STAGE, SUCCESS and FAIL")
LOCAL_RETRIES = ("number", 0, 10_000)
#: The further fields of a report of each outcome.
OUTCOMES: Dict[Any, Dict[str, Tuple[Any, ...]]] = {
    "NEXT_STAGE": {
        "taskStage!": ("name", 64),
        "taskContext": ("bytes", 4096),
        "priority": ("number", 0, 31_536_000),
        "workerIds": ("names", 64, 64),
        "creates": CREATES,
    },
    "SUCCESS": {"result": ("bytes", 4096), "creates": CREATES},
    "RETRY": {
        "retryAfterMs": ("number", 0, TEN_YEARS),
        "unexpected": ("flag",),
        "localRetries": LOCAL_RETRIES,
        "creates": NO_CREATES,
    },
    "FAIL": {"localRetries": LOCAL_RETRIES, "creates": CREATES},
    "SNOOZE": {"delayMs!": ("number", 0, TEN_YEARS), "creates": NO_CREATES},
    "RELEASE": {"begun": ("flag",), "creates": NO_CREATES},
}
PAGE: Dict[str, Tuple[Any, ...]] = {"limit": ("number", 1, 1000), "cursor": ("cursor",)}
REASON: Dict[str, Tuple[Any, ...]] = {"operator": ("text", 128), "reason": ("text", 1000)}
ACT: Dict[str, Tuple[Any, ...]] = {
    "taskId!": ("task id",),
    "expectedEpoch": ("number", 0, INT),
    "expectedStatus": ("choice", "1", "2", "4", "8", "16", "32"),
    **REASON,
}
HELD = {"taskId!": ("task id",), "leaseEpoch!": ("number", 0, INT), "progress": ("number", 0, 100)}
#: By the path of the call.
FIELDS: Dict[str, Dict[str, Tuple[Any, ...]]] = {
    "task_schedule_cfg/list": {"maxAgeMs": ("number", 0, 60_000)},
    "task_schedule_cfg/save": {
        "task_type!": (
            "type",
            "",
            "must match [a-z][a-z0-9_]{0,30} without regard to case, and not end in _task or _task_ and digits",
        ),
        "schedule_limit": ("number", 1, 1000),
        "schedule_interval": ("number", 1, 86_400),
        "max_processing_time": ("number", 1, 946_080_000),
        "max_retry_num": ("number", 0, 10_000),
        "retry_interval": ("number", -31_536_000, 31_536_000),
        "max_retry_interval": ("number", 0, 31_536_000),
        "max_unexpected_retries": ("number", 0, 10_000),
        "lease_seconds": ("number", 1, 86_400),
        "max_delivery": ("number", 1, 10_000),
        "roll_threshold": ("number", 1, 10**12),
        "retention_days": ("number", 0, 36_500),
        "max_executing": ("number", 0, 1_000_000),
        "rate_limit": ("number", 0, 1_000_000),
        "user_rate_limit": ("number", 0, 1_000_000),
        "min_worker_version": ("number", 0, 1_000_000_000),
        "paused": ("number", 0, 1),
        "events": ("number", 0, 2),
        "sealed": ("number", -1, 1),
        "expected_modify_time": ("number", 0, LONG),
        "create_time": ("ignored",),
        "modify_time": ("ignored",),
        **REASON,
        "*": ("nothing else",),
    },
    "task/createTask": {"taskData!": ("object", TASK)},
    "task/createTasks": {"taskDataList!": ("objects", 1, 1000, TASK)},
    "task/getTask": {},
    "task/getTaskList": {"taskType!": ("type", "flow_"), "status": ("bits",), **PAGE},
    "task/getUserTaskList": {"userId!": ("name", 128), "statusList": ("bits",), **PAGE},
    "task/cancel": ACT,
    "task/retry": ACT,
    "task/pause": {**ACT, "stop": ("number", 0, 1), "until": ("misplaced", "is not known here")},
    "task/resume": ACT,
    "task/hold_task": {
        "taskType!": ("type",),
        "status": ("number", 0, 1),
        "limit": ("number", 0, 1000),
        "workerId": ("name", 64),
        "waitMs": ("number", 0, 30_000),
        "holdId": ("name", 64),
        "stages": ("names", 64, 64),
        "prefer": ("names", 64, 64),
        "othersAfterMs": ("number", 0, 10_000),
        "startId": ("name", 64),
        "workerVersion": ("number", 0, INT),
    },
    "task/set_tasks": {"reports!": ("objects", 1, 1000, {})},
    "worker/heartbeat": {
        "workerId!": ("name", 64),
        "tasks": ("objects", 0, 1000, HELD),
        "worker": ("worker", {"host": ("text", 255), "sdkVersion": ("text", 64)}),
        "startId": ("name", 64),
    },
}
BY_ID = {"taskId": ("task id",)}
BY_KEY = {
    "taskType!": ("type", "flow_"),
    "idempotencyKey!": ("key",),
    "taskId": ("misplaced", "must not be given together with idempotencyKey"),
}

#: The settings of a type that null removes.
REMOVABLE = ("max_retry_interval", "max_unexpected_retries")

#: The members of a create that stand in the row as they are.
KEPT = ("userId", "taskStage", "taskContext", "scheduleLog", "priority", "workerIds")

Row = Dict[str, Any]


class FakeFlow(FlowClient):
    """A FlowClient whose server is in memory. Thread-safe, as a real one is."""

    def __init__(
        self,
        *types: Union[str, TaskType],
        trace_parent: Optional[Callable[[], Optional[str]]] = None,
    ) -> None:
        self._server = _Server(trace_parent)
        self._http = self._server  # type: ignore[assignment]
        for each in types:
            self.save_type(TaskType(each) if isinstance(each, str) else each)

    def with_timeout(self, timeout: float) -> FlowClient:
        """This client: calls in memory take no time."""
        return self

    def advance(self, seconds: float) -> None:
        """Moves the server's clock."""
        self._server.now += round(seconds * 1000)

    def fail_calls(self, error: Optional[Callable[[str], Optional[Exception]]]) -> None:
        """Asks before each call whether it fails: the function gets its path. None: none does."""
        self._server.before = error

    def lose_answers(self, error: Optional[Callable[[str], Optional[Exception]]]) -> None:
        """The same after each call: it has taken effect, and its answer is lost."""
        self._server.after = error


class _Server:
    name = ""

    def __init__(self, trace_parent: Optional[Callable[[], Optional[str]]]) -> None:
        self.trace_parent = trace_parent
        self.now = 1_700_000_000_000
        self.before: Optional[Callable[[str], Optional[Exception]]] = None
        self.after: Optional[Callable[[str], Optional[Exception]]] = None
        self._lock = threading.RLock()
        self._types: Dict[str, Dict[str, Any]] = {}
        self._rows: Dict[str, Row] = {}
        self._keys: Dict[Tuple[str, str], Tuple[str, str]] = {}
        self._objects: Dict[str, bytes] = {}
        self._number = 0

    def close(self) -> None:
        pass

    def post(self, path: str, body: Any, extra_wait: float = 0, cut: Optional[Cut] = None) -> Any:
        name = path[len("/api/") :]
        self._fail(self.before, name)
        with self._lock:
            self._sweep()
            call = _CALLS.get(name)
            if call is None:
                raise FlowError(Code.INVALID_INPUT, f"{path}: the fake has no such call", 404)
            # As it would be on the wire: nothing of the caller's is shared.
            sent = json.loads(json.dumps(body, allow_nan=False))
            _require(sent, FIELDS[name])
            answer = json.loads(json.dumps(call(self, sent)))
        self._fail(self.after, name)
        return answer

    def send(
        self,
        method: str,
        path: str,
        body: Union[bytes, BinaryIO, None],
        headers: Mapping[str, str],
        extra_wait: float = 0,
        cut: Optional[Cut] = None,
    ) -> io.BytesIO:
        key, _, query = path[len("/api/store/") :].partition("?")
        self._fail(self.before, "store")
        with self._lock:
            if method == "GET":
                if key not in self._objects:
                    raise FlowError(Code.NO_SUCH_OBJECT, f"there is no object {key}", 404)
                return io.BytesIO(self._objects[key])
            worker = urllib.parse.parse_qs(query, keep_blank_values=True).get("workerId")
            if not is_key(key) or worker is None:
                raise FlowError(Code.INVALID_INPUT, "the key or the workerId is invalid", 400)
            task_id, _, epoch, name = key.split("/")
            row = self._row(task_id)
            self._judge(row, int(epoch), worker[0])
            if key != object_key(task_id, row["taskStage"], int(epoch), name):
                raise FlowError(Code.INVALID_INPUT, "key cannot be written: another stage holds it", 400)
            self._objects[key] = body if isinstance(body, bytes) else body.read() if body else b""
        self._fail(self.after, "store")
        return io.BytesIO()

    @staticmethod
    def _fail(judge: Optional[Callable[[str], Optional[Exception]]], name: str) -> None:
        error = judge(name) if judge else None
        if error is not None:
            raise error

    # Types

    def list_types(self, _: Any) -> Any:
        return {"scheduleCfgList": [*self._types.values()]}

    def save_type(self, item: Any) -> None:
        name = item["task_type"].lower()
        of_act = ("operator", "reason", "expected_modify_time", "create_time", "modify_time")
        settings = {
            each: value
            for each, value in item.items()
            if each not in of_act and (value is not None or each in REMOVABLE)
        }
        self._types[name] = {**DEFAULTS, **self._types.get(name, {}), **settings}

    def _type(self, name: str) -> Dict[str, Any]:
        settings = self._types.get(name.lower())
        if settings is None:
            raise FlowError(Code.NO_SUCH_TASK_TYPE, f"there is no task type {name.lower()}; /api/task_schedule_cfg/save creates one", 404)
        return settings

    # Tasks

    def create(self, body: Any) -> Any:
        return self._create([body["taskData"]], parent_of_call(self.trace_parent))[0]

    def create_all(self, body: Any) -> Any:
        made = self._create(body["taskDataList"], parent_of_call(self.trace_parent))
        return {"taskIds": [m["taskId"] for m in made], "outcomes": [m["outcome"] for m in made]}

    def _create(self, tasks: List[Row], trace_parent: Optional[str]) -> List[Row]:
        """Creates all tasks or, if one is refused, none."""
        for task in tasks:
            self._type(task["taskType"])
        self._require_same_bodies(tasks)
        return [self._insert(task, trace_parent) for task in tasks]

    def _require_same_bodies(self, tasks: List[Row]) -> None:
        bodies = {key: body for key, (_, body) in self._keys.items()}
        for task in tasks:
            key = _key(task)
            if key is not None and bodies.setdefault(key, _body(task)) != _body(task):
                raise FlowError(Code.IDEMPOTENCY_CONFLICT, "the key has another body", 409)

    def _insert(self, data: Row, trace_parent: Optional[str]) -> Row:
        key = _key(data)
        if key is not None and key in self._keys:
            return {"taskId": self._keys[key][0], "outcome": "EXISTING"}
        task_type = data["taskType"].lower()
        settings = self._types[task_type]
        self._number += 1
        task_id = f"{self._number}_{task_type}_task_1"
        row: Row = {
            "taskId": task_id,
            "taskType": task_type,
            "status": 1,
            "priority": 0,
            "taskContext": "",
            "scheduleLog": "",
            "orderTime": self._due(data),
            "crtRetryNum": 0,
            "maxRetryNum": data.get("maxRetryNum", settings["max_retry_num"]),
            "maxRetryInterval": data.get("maxRetryInterval", settings["max_retry_interval"] or 0),
            "createTime": self.now,
            "leaseEpoch": 0,
            "deliveryCount": 0,
            **{name: data[name] for name in KEPT if data.get(name) is not None},
        }
        if trace_parent:
            row["traceParent"] = trace_parent
        self._rows[task_id] = row
        if key is not None:
            self._keys[key] = (task_id, _body(data))
        return {"taskId": task_id, "outcome": "CREATED"}

    def _due(self, data: Row) -> int:
        if data.get("runAt"):
            return int(data["runAt"])
        if data.get("delayMs") is not None:
            return self.now + int(data["delayMs"])
        return self.now - int(data.get("priority", 0)) * 1000

    def _row(self, task_id: str) -> Row:
        row = self._rows.get(task_id)
        if row is None:
            raise FlowError(Code.NO_SUCH_TASK, f"there is no task {task_id}", 404)
        return row

    def get(self, body: Any) -> Any:
        by_key = body.get("idempotencyKey") is not None
        _require(body, BY_KEY if by_key else BY_ID)
        if by_key:
            self._type(body["taskType"])
            known = self._keys.get((body["taskType"].lower(), body["idempotencyKey"]))
            if known is None:
                what = f"no task of the type {body['taskType'].lower()} has the key {body['idempotencyKey']}"
                raise FlowError(Code.NO_SUCH_TASK, what, 404)
            return {"taskData": self._shown(self._row(known[0]))}
        return {"taskData": self._shown(self._row(body["taskId"]))}

    def _shown(self, row: Row) -> Row:
        shown = {name: value for name, value in row.items() if not name.startswith("_")}
        if row["status"] == 2:
            shown["leaseMs"] = row["_leaseEnd"] - self.now
        return shown

    def list_tasks(self, body: Any) -> Any:
        self._type(body["taskType"])
        chosen = (r for r in self._rows.values() if r["taskType"] == body["taskType"].lower())
        return self._page(chosen, body.get("status"), body)

    def list_of_user(self, body: Any) -> Any:
        chosen = (row for row in self._rows.values() if row["userId"] == body["userId"])
        return self._page(chosen, body.get("statusList"), body)

    def _page(self, rows: Iterator[Row], status: Any, body: Any) -> Any:
        bits = 0
        for piece in _names(str(status or "")):
            bits |= int(piece)
        newest = sorted(rows, key=_number, reverse=True)
        before = int(body.get("cursor") or self._number + 1)
        limit = int(body.get("limit") or 100)
        fit = [row for row in newest if _number(row) < before and (not bits or row["status"] & bits)]
        page = fit[:limit]
        more = str(_number(page[-1])) if len(fit) > limit else None
        return {"taskList": [self._shown(row) for row in page], "nextCursor": more}

    def cancel(self, body: Any) -> None:
        row = self._row(body["taskId"])
        self._require(row, row["status"] in (1, 2, 16, 32))
        row["status"] = 16

    def retry(self, body: Any) -> Any:
        row = self._row(body["taskId"])
        self._require(row, row["status"] in (8, 16))
        self._end_holds(row)
        due = self.now - row["priority"] * 1000
        row.update(status=1, crtRetryNum=0, deliveryCount=0, orderTime=due)
        return {"taskId": row["taskId"]}

    def pause(self, body: Any) -> None:
        row = self._row(body["taskId"])
        self._require(row, row["status"] in (1, 32))
        self._end_holds(row)
        row["status"] = 32

    def resume(self, body: Any) -> None:
        row = self._row(body["taskId"])
        self._require(row, row["status"] in (1, 32))
        row["status"] = 1

    @staticmethod
    def _end_holds(row: Row) -> None:
        """Refuses reports of holds until now, except the repeat of an accepted one."""
        row["_reported"] = row.get("_reported") or (row["leaseEpoch"], None)

    @staticmethod
    def _require(row: Row, holds: bool) -> None:
        if not holds:
            status = Status(row["status"]).name
            raise FlowError(Code.TRANSITION_NOT_ALLOWED, f"the task is {status}", 409)

    # Work

    def hold(self, body: Any) -> Any:
        settings = self._type(body["taskType"])
        answer = {}
        if body.get("reports") is not None:
            _require(body, FIELDS["task/set_tasks"])
            answer = self.report(body)
        worker, hold_id = body.get("workerId") or "", body.get("holdId")
        again = [
            row
            for row in self._rows.values()
            if hold_id and row["status"] == 2 and row["_hold"] == (worker, hold_id)
        ]
        if again or settings["paused"]:
            return {**answer, "taskList": [self._shown(row) for row in again]}
        stages = body.get("stages") or None
        due = [
            row
            for row in self._rows.values()
            if row["taskType"] == body["taskType"].lower()
            and row["status"] == 1
            and row["orderTime"] <= self.now
            and (stages is None or row["taskStage"] in stages)
            and worker in (row.get("workerIds") or [worker])
        ]
        due.sort(key=lambda row: (row["orderTime"], _number(row)))
        held = due[: int(body.get("limit") or settings["schedule_limit"])]
        for row in held:
            end = self.now + settings["max_processing_time"] * 1000
            row.update(
                status=2,
                leaseEpoch=row["leaseEpoch"] + 1,
                deliveryCount=row["deliveryCount"],
                workerId=worker,
                traceId=f"{self._number:032x}",
                _hold=(worker, hold_id),
                _hardEnd=end,
                _leaseEnd=min(end, self.now + settings["lease_seconds"] * 1000),
                _beatTime=None,
                _reported=None,
            )
        return {**answer, "taskList": [self._shown(row) for row in held]}

    def _sweep(self) -> None:
        """Gives tasks back whose leases have ended."""
        for row in self._rows.values():
            if row["status"] == 2 and row["_leaseEnd"] <= self.now:
                row["deliveryCount"] += 1
                if row["deliveryCount"] > self._types[row["taskType"]]["max_delivery"]:
                    row["status"] = 8
                elif self._timed_out(row):
                    self._attempt_failed(row, None)
                else:  # the worker is lost
                    row["status"] = 1

    def _timed_out(self, row: Row) -> bool:
        """Whether the worker has beaten until the attempt had to end."""
        settings = self._types[row["taskType"]]
        whole = min(settings["lease_seconds"], settings["max_processing_time"]) * 1000
        beaten, end = row["_beatTime"], row["_leaseEnd"]
        return bool(end >= row["_hardEnd"] and beaten and end - beaten <= whole * 3 // 10)

    def report(self, body: Any) -> Any:
        reports = enumerate(body["reports"])
        return {"outcomes": [self._answer(report, f"reports[{i}]") for i, report in reports]}

    def _answer(self, report: Any, path: str) -> Any:
        is_object = isinstance(report, dict)
        answer = {"taskId": report.get("taskId") if is_object else None, "code": 0, "msg": "ok"}
        try:
            if not is_object:
                raise FlowError(Code.INVALID_INPUT, path + " must be an object", 400)
            outcome = report.get("outcome")
            of_outcome = OUTCOMES.get(outcome, {}) if isinstance(outcome, str) else {}
            _require(report, {**REPORT, **of_outcome}, path + ".")
            row = self._row(report["taskId"])
            if row.get("_reported") == (report["leaseEpoch"], report.get("reportId") or object()):
                return {**answer, "outcome": "ALREADY_DONE"}
            self._judge(row, report["leaseEpoch"], report["workerId"])
            self._accept(row, report)
        except FlowError as e:
            return {**answer, "outcome": "REFUSED", "code": e.code, "msg": str(e)}
        return {**answer, "outcome": "ACCEPTED"}

    def _judge(self, row: Row, epoch: int, worker: str) -> None:
        """Refuses a hold that may not report any more."""
        self._require(row, not Status(row["status"]).is_final)
        is_last = row["leaseEpoch"] == epoch and row.get("workerId") == worker
        if not is_last or row["_reported"] is not None:
            raise FlowError(Code.LEASE_LOST, "the lease is lost", 409)

    def _accept(self, row: Row, report: Row) -> None:
        outcome = report["outcome"]
        # Before the row is written: a report whose tasks are refused changes nothing.
        parent = valid(report.get("traceParent")) or row.get("traceParent")
        self._create(report.get("creates") or [], parent)
        if outcome == "SUCCESS":
            row.update(status=4, **({} if report.get("result") is None else {"result": report["result"]}))
        elif outcome == "NEXT_STAGE":
            changed = ("taskStage", "taskContext", "priority", "workerIds")
            row.update({name: report[name] for name in changed if report.get(name) is not None})
            row.update(status=1, crtRetryNum=0, orderTime=self.now - row["priority"] * 1000)
        elif outcome == "RETRY":
            self._attempt_failed(row, report.get("retryAfterMs"))
        elif outcome == "FAIL":
            row.update(status=8)
        elif outcome == "SNOOZE":
            row.update(status=1, orderTime=self.now + report["delayMs"])
        else:
            row.update(status=1)
        if outcome != "RELEASE" or report.get("begun") not in (False, "false"):
            row["deliveryCount"] = 0
        row.update(_reported=(report["leaseEpoch"], report.get("reportId")))
        log = {"traceId": row["traceId"], "errMsg": report.get("errMsg", "")}
        row["scheduleLog"] = json.dumps({"lastData": log}, ensure_ascii=False)

    def _attempt_failed(self, row: Row, after_ms: Optional[int]) -> None:
        if row["crtRetryNum"] >= row["maxRetryNum"]:
            row["status"] = 8
            return
        row["crtRetryNum"] += 1
        delay = self._delay(row) if after_ms is None else after_ms
        row.update(status=1, orderTime=self.now + delay)

    def _delay(self, row: Row) -> int:
        settings = self._types[row["taskType"]]
        first, cap = settings["retry_interval"], row["maxRetryInterval"]
        if first < 0:
            return int(-first) * 1000
        if not cap:  # a type with retry_interval alone gives 1, 2, 4, … up to it
            first, cap = min(1, first), first
        doubled: int = first * 2 ** (row["crtRetryNum"] - 1)
        return min(doubled, int(cap)) * 1000

    def beat(self, body: Any) -> Any:
        return {
            "tasks": [self._renewed(body["workerId"], held) for held in body.get("tasks") or ()],
            "drain": False,
        }

    def _renewed(self, worker: str, held: Row) -> Any:
        row = self._rows.get(held["taskId"])
        answer = {"taskId": held["taskId"], "leaseEpoch": held["leaseEpoch"]}
        is_last = row is not None and row["leaseEpoch"] == held["leaseEpoch"]
        if row is None or not is_last or row.get("workerId") != worker:
            return {**answer, "state": "LOST"}
        if row["status"] == 16:
            return {**answer, "state": "CANCEL"}
        if row["status"] != 2:
            return {**answer, "state": "LOST"}
        lease = self._types[row["taskType"]]["lease_seconds"] * 1000
        row.update(_leaseEnd=min(row["_hardEnd"], self.now + lease), _beatTime=self.now)
        if held.get("progress") is not None:
            row["progress"] = held["progress"]
        return {**answer, "state": "EXTENDED", "leaseMs": row["_leaseEnd"] - self.now}


def _require(body: Row, fields: Mapping[str, Tuple[Any, ...]], path: str = "") -> None:
    """Raises a FlowError that names each field that holds what it may not."""
    bad = [*_refusals(body, fields, path)]
    if bad:
        is_large = all(large for _, _, large in bad)
        message = "; ".join(f"{name} {what}" for name, what, _ in bad[:3])
        message += f"; and {len(bad) - 3} more" if len(bad) > 3 else ""
        named = [(name, what) for name, what, _ in bad[:100]]
        code, status = (Code.TOO_LARGE, 413) if is_large else (Code.INVALID_INPUT, 400)
        raise FlowError(code, message, status, fields=named)


def _refusals(
    body: Row, fields: Mapping[str, Tuple[Any, ...]], path: str
) -> Iterator[Tuple[str, str, bool]]:
    """The path of each invalid field, what is wrong, and whether that is its size alone.

    Valid ones are written as the server reads them: a number for its digits, none for null.
    """
    for name, rule in fields.items():
        required, name = name.endswith("!"), name.rstrip("!")
        if name == "*":
            for unknown in body.keys() - {each.rstrip("!") for each in fields}:
                yield path + unknown, "is unknown", False
            continue
        value = body.get(name)
        if value is None and rule[0] == "object":
            value = {}
        if value is None:
            if required:
                yield path + name, "is required", False
            elif "*" not in fields:  # where null removes a setting
                body.pop(name, None)
        elif required and value == "" and rule[2:] != (0,):
            yield path + name, "must not be empty", False
        elif rule[0] in ("object", "worker"):
            if not isinstance(value, dict):
                yield path + name, "must be an object", False
                continue
            yield from _refusals(value, rule[1], f"{path}{name}.")
            if rule[0] == "worker":
                if not isinstance(value.get("stages") or [], list):
                    yield path + name + ".stages", "must be a list of texts such as lark/sendmsg", False
                if len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")) > 16_384:
                    yield path + name, "must be at most 16384 bytes of JSON", True
        elif rule[0] == "objects":
            if not isinstance(value, list):
                yield path + name, "must be a list of objects", False
            elif not rule[1] <= len(value) <= rule[2]:
                yield path + name, f"must have {rule[1]} to {rule[2]} items, not {len(value)}", False
            else:
                for i, item in enumerate(value):
                    if isinstance(item, dict):
                        yield from _refusals(item, rule[3], f"{path}{name}[{i}].")
                    elif rule[3]:
                        yield f"{path}{name}[{i}]", "must be an object", False
                if rule[3] is TASK and len({str(sorted(_workers(item))) for item in value} - {"[]"}) > 100:
                    yield path + name, "must have at most 100 different sets of workerIds", False
        else:
            what = _FORMS[rule[0]](value, *rule[1:])
            if what:
                yield path + name, what, rule[0] == "bytes" and "bytes" in what
            elif rule[0] in ("number", "epoch"):
                body[name] = _number_of(value)
                if value == "":
                    del body[name]
            elif rule[0] == "names":
                body[name] = _names(value)
            elif rule[0] != "flag":
                body[name] = str(value)
    yield from _misfits(body, fields, path)


def _workers(task: Any) -> Sequence[str]:
    workers = task.get("workerIds") if isinstance(task, dict) else None
    return [str(each) for each in workers] if isinstance(workers, list) else []


def _misfits(
    body: Row, fields: Mapping[str, Tuple[Any, ...]], path: str
) -> Iterator[Tuple[str, str, bool]]:
    """What fields may not hold together."""
    if fields is TASK:
        if body.get("delayMs") is not None and body.get("runAt") is not None:
            yield path + "runAt", "must not be given together with delayMs", False
        for name in ("onDuplicate", "keyMs", "keyUntilDone"):
            if body.get(name) is not None and body.get("idempotencyKey") is None:
                yield path + name, "needs an idempotencyKey", False
    elif fields is BY_ID and body.get("taskId") is None:
        yield "taskId", "is required, or taskType and idempotencyKey in its place", False
    elif fields is FIELDS["task/hold_task"]:
        if body.get("holdId") and not body.get("workerId"):
            yield path + "workerId", "is required with a holdId", False
        stages, prefer = _names(body.get("stages")), _names(body.get("prefer"))
        if stages and not {*prefer} <= {*stages}:
            yield path + "prefer", "must be a subset of stages", False


def _text(value: Any, most: int, *_: Any) -> Optional[str]:
    if not isinstance(value, (str, int)) or isinstance(value, bool):
        return "must be a text"
    text = str(value)
    if "\0" in text:
        return "must not contain the character NUL"
    if any("\ud800" <= c <= "\udfff" for c in text):
        return "is not valid Unicode"
    return f"must be at most {most} characters long" if len(text) > most else None


def _name(value: Any, most: int, *_: Any) -> Optional[str]:
    what = _text(value, LONG)
    if what is None and any(ord(c) < 32 or 127 <= ord(c) < 160 for c in str(value)):
        what = "must not contain control characters"
    elif what is None and str(value) != str(value).strip():
        what = "must not begin or end with white space"
    return what or _text(value, most)


def _ascii(value: Any, most: int) -> Optional[str]:
    what = _text(value, LONG)
    if what is None and not all(" " <= c <= "~" for c in str(value)):
        what = "must be printable ASCII"
    return what or _text(value, most)


def _idempotency_key(value: Any) -> Optional[str]:
    return _ascii(value, 128) or ("must not be empty" if value == "" else None)


def _bytes(value: Any, most: int) -> Optional[str]:
    what = _text(value, LONG)
    if what is None and len(str(value).encode()) > most:
        what = f"must be at most {most} bytes of UTF-8 long"
    return what


def _number_of(value: Any) -> Optional[int]:
    """A whole number of 64 bits, also as digits in a text; None for anything else."""
    if isinstance(value, str) and re.fullmatch("-?[0-9]{1,19}", value):
        value = int(value)
    fits = isinstance(value, int) and not isinstance(value, bool) and -LONG - 1 <= value <= LONG
    return value if fits else None


def _whole(value: Any, least: int, most: int) -> Optional[str]:
    number = _number_of(value)
    if number is None:
        return None if value == "" else "must be a whole number"
    return None if least <= number <= most else f"must be between {least} and {most}"


def _epoch(value: Any) -> Optional[str]:
    what = _whole(value, 0, 253_402_300_799_999)
    if what is None and 0 < (_number_of(value) or 0) < 100_000_000_000:
        what = f"must be epoch milliseconds; {value} looks like seconds: multiply it by 1000"
    return what


def _type_name(
    value: Any, reserved: str = "", rule: str = "is not a valid task type"
) -> Optional[str]:
    name, what = str(value).lower(), _text(value, LONG)
    if what:
        return what
    if not re.fullmatch("[a-z][a-z0-9_]{0,30}", name) or re.search("_task(_[0-9]+)?$", name):
        return rule
    if name.startswith("flow_") and not reserved:
        return "begins with flow_, as only types of the server itself do"
    return None


def _task_id(value: Any) -> Optional[str]:
    what = _text(value, LONG)
    if what:
        return what
    parts = re.fullmatch("([1-9][0-9]{0,18})_(.*)_task_([1-9][0-9]{0,9})", str(value))
    is_id = parts and int(parts[1]) <= LONG and int(parts[3]) <= INT and parts[2] == parts[2].lower()
    return None if parts and is_id and not _type_name(parts[2], "flow_") else "is not a task id"


def _names(value: Any) -> List[str]:
    """A list of names, or a text with commas."""
    if isinstance(value, str):
        return [piece.strip() for piece in value.split(",") if piece.strip()]
    return [str(each) for each in value] if isinstance(value, list) else []


def _list_of_names(value: Any, most: int, longest: int, least: int = 0) -> Optional[str]:
    if not isinstance(value, (str, list)):
        return "must be a text with commas or a list of texts"
    if isinstance(value, list) and not all(isinstance(each, (str, int)) for each in value):
        return "must be a list of texts"
    names = _names(value)
    if len(names) < least:
        return "must name at least one"
    if len(names) > most:
        return f"must name at most {most}"
    if any(len(name) > longest for name in names):
        return f"must have names of at most {longest} characters"
    return "must name only what can be a name" if any(n == "" or _name(n, longest) for n in names) else None


def _cursor(value: Any) -> Optional[str]:
    what = _ascii(value, 64)
    is_number = re.fullmatch("([1-9][0-9]{0,18})?", str(value)) and int(value or 0) <= LONG
    return what or (None if is_number else "must be a nextCursor of an earlier answer")


def _bits(value: Any) -> Optional[str]:
    pieces = [_number_of(piece) for piece in _names(str(value))]
    fit = _text(value, LONG) is None and all(bits is not None and 0 <= bits <= 63 for bits in pieces)
    each = ", ".join(f"{status.value} ({status.name})" for status in Status)
    return None if fit else f"must be one of {each}, a sum of them, or several with commas"


def _choice(value: Any, *names: str) -> Optional[str]:
    return None if str(value) in names else f"must be one of {', '.join(names[:-1])} and {names[-1]}"


_FORMS: Dict[str, Callable[..., Optional[str]]] = {
    "text": _text,
    "name": _name,
    "key": _idempotency_key,
    "bytes": _bytes,
    "number": _whole,
    "epoch": _epoch,
    "type": _type_name,
    "task id": _task_id,
    "names": _list_of_names,
    "cursor": _cursor,
    "bits": _bits,
    "choice": _choice,
    "flag": lambda value: None if value in (True, False, "true", "false", "") else "must be true or false",
    "ignored": lambda value: None,
    "misplaced": lambda value, what: what,
    "misnomer": lambda value, right: f"is not known here; the field is called {right}",
}


def _key(data: Row) -> Optional[Tuple[str, str]]:
    """The key of a create, which is its type's own; None if it has none."""
    key = data.get("idempotencyKey")
    return (data["taskType"].lower(), key) if key else None


def _body(data: Row) -> str:
    return json.dumps(data, sort_keys=True)


def _number(row: Row) -> int:
    return int(row["taskId"].split("_")[0])


_CALLS: Dict[str, Callable[[_Server, Any], Any]] = {
    "task_schedule_cfg/list": _Server.list_types,
    "task_schedule_cfg/save": _Server.save_type,
    "task/createTask": _Server.create,
    "task/createTasks": _Server.create_all,
    "task/getTask": _Server.get,
    "task/getTaskList": _Server.list_tasks,
    "task/getUserTaskList": _Server.list_of_user,
    "task/cancel": _Server.cancel,
    "task/retry": _Server.retry,
    "task/pause": _Server.pause,
    "task/resume": _Server.resume,
    "task/hold_task": _Server.hold,
    "task/set_tasks": _Server.report,
    "worker/heartbeat": _Server.beat,
}
