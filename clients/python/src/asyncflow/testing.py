"""A flowsvr in memory, for tests of handlers and of applications.

::

    flow = FakeFlow("hello")
    worker = make_worker(flow)                   # Worker(client=flow), with its stages
    made = flow.create(NewTask("hello", "greet", "ada", {"name": "Ada"}))
    worker.run_due()                             # on this thread; no server, no sleep
    assert flow.get(made.task_id).result == "Hello, Ada!"

It keeps the contract where a worker or an application with a FlowClient can see it; it knows no
keys, jobs, schedules and operators. Time stands still until the test moves it.
"""

from __future__ import annotations

import io
import json
import threading
from typing import Any, BinaryIO, Callable, Dict, Iterator, List, Mapping, Optional, Tuple, Union

from .client import FlowClient
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
            answer = json.loads(json.dumps(call(self, json.loads(json.dumps(body)))))
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
                    raise FlowError(Code.NO_SUCH_OBJECT, f"no object {key}", 404)
                return io.BytesIO(self._objects[key])
            task_id, _, epoch, _ = key.split("/")
            row = self._row(task_id)
            self._judge(row, int(epoch), query[len("workerId=") :])
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
        settings = {each: value for each, value in item.items() if each not in ("operator", "reason")}
        self._types[name] = {**DEFAULTS, **self._types.get(name, {}), **settings}

    def _type(self, name: str) -> Dict[str, Any]:
        settings = self._types.get(name.lower())
        if settings is None:
            raise FlowError(Code.NO_SUCH_TASK_TYPE, f"no task type {name}", 404)
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
            self._check(task)
        self._require_same_bodies(tasks)
        return [self._insert(task, trace_parent) for task in tasks]

    def _check(self, data: Row) -> None:
        self._type(data.get("taskType", ""))
        bad = [name for name in ("userId", "taskStage") if not data.get(name)]
        if bad:
            fields = [("taskData." + name, "is required") for name in bad]
            raise FlowError(Code.INVALID_INPUT, f"{bad[0]} is required", 400, fields=fields)
        if len(data.get("taskContext", "").encode()) > 4096:
            raise FlowError(Code.TOO_LARGE, "taskContext has more than 4096 bytes", 413)

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
            raise FlowError(Code.NO_SUCH_TASK, f"no task {task_id}", 404)
        return row

    def get(self, body: Any) -> Any:
        if "idempotencyKey" in body:
            known = self._keys.get((body["taskType"].lower(), body["idempotencyKey"]))
            if known is None:
                raise FlowError(Code.NO_SUCH_TASK, "no task has this key", 404)
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
        return self._page(chosen, body.get("status", 0), body)

    def list_of_user(self, body: Any) -> Any:
        chosen = (row for row in self._rows.values() if row["userId"] == body["userId"])
        return self._page(chosen, body.get("statusList", 0), body)

    def _page(self, rows: Iterator[Row], bits: int, body: Any) -> Any:
        newest = sorted(rows, key=_number, reverse=True)
        before = int(body.get("cursor") or self._number + 1)
        limit = body.get("limit", 100)
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
        worker, hold_id = body.get("workerId", ""), body.get("holdId")
        again = [
            row
            for row in self._rows.values()
            if hold_id and row["status"] == 2 and row["_hold"] == (worker, hold_id)
        ]
        if again or settings["paused"]:
            return {"taskList": [self._shown(row) for row in again]}
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
        held = due[: body.get("limit") or settings["schedule_limit"]]
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
                _hasBeaten=False,
                _reported=None,
            )
        return {"taskList": [self._shown(row) for row in held]}

    def _sweep(self) -> None:
        """Gives tasks back whose leases have ended."""
        for row in self._rows.values():
            if row["status"] == 2 and row["_leaseEnd"] <= self.now:
                row["deliveryCount"] += 1
                if row["_hasBeaten"]:
                    self._attempt_failed(row, None)
                else:
                    row["status"] = 1
                    row["orderTime"] = self.now
                most = self._types[row["taskType"]]["max_delivery"]
                if row["status"] == 1 and row["deliveryCount"] > most:
                    row["status"] = 8

    def report(self, body: Any) -> Any:
        return {"outcomes": [self._answer(report) for report in body["reports"]]}

    def _answer(self, report: Row) -> Any:
        answer = {"taskId": report["taskId"], "code": 0, "msg": "ok"}
        try:
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
        text = report.get("result" if outcome == "SUCCESS" else "taskContext") or ""
        if len(text.encode()) > 4096:
            raise FlowError(Code.TOO_LARGE, "the text has more than 4096 bytes", 413)
        # Before the row is written: a report whose tasks are refused changes nothing.
        parent = valid(report.get("traceParent")) or row.get("traceParent")
        self._create(report.get("creates") or [], parent)
        if outcome == "SUCCESS":
            row.update(status=4, **({"result": text} if report.get("result") is not None else {}))
        elif outcome == "NEXT_STAGE":
            changed = ("taskStage", "taskContext", "priority", "workerIds")
            row.update({name: report[name] for name in changed if name in report})
            row.update(status=1, crtRetryNum=0, orderTime=self.now - row["priority"] * 1000)
        elif outcome == "RETRY":
            self._attempt_failed(row, report.get("retryAfterMs"))
        elif outcome == "FAIL":
            row.update(status=8)
        elif outcome == "SNOOZE":
            row.update(status=1, orderTime=self.now + report["delayMs"])
        else:
            row.update(status=1)
        row.update(deliveryCount=0, _reported=(report["leaseEpoch"], report.get("reportId")))
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
            "tasks": [self._renewed(body["workerId"], held) for held in body.get("tasks", ())],
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
        row.update(_leaseEnd=min(row["_hardEnd"], self.now + lease), _hasBeaten=True)
        if "progress" in held:
            row["progress"] = held["progress"]
        return {**answer, "state": "EXTENDED", "leaseMs": row["_leaseEnd"] - self.now}


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
