"""How runs end: each end becomes a report or none, and reports are sent until they are settled."""

from __future__ import annotations

import dataclasses
import json
import logging
import threading
import traceback
import uuid
from typing import Any, Callable, List, Optional, Sequence, Set

from .client import (
    MOST_BYTES_OF_A_TEXT,
    FlowClient,
    is_large,
    object_key,
    reference_of_text,
)
from .loop import UNTIL_WOKEN, Backoff, Trouble, quietly
from .model import (
    Code,
    Done,
    Fail,
    FlowError,
    FlowUnreachable,
    Next,
    NewTask,
    NonRetryable,
    Report,
    Result,
    Retry,
    Snooze,
    Task,
    as_text,
    milliseconds,
)
from .observe import RunEnd
from .run import Run, Runs, State, Stop
from .spool import Spool

log = logging.getLogger("asyncflow")

#: The most reports in one request.
MOST_REPORTS = 1000

#: How long a report is repeated that fails while all other calls work, in seconds.
GIVE_UP_AFTER = 600.0

#: The same for a run whose time is over by the next try; so long that the heartbeats would have
#: failed, too, if the server were away.
PATIENCE_AT_THE_END = 10.0

LONGEST_REASON = 1000


def reason_of(thrown: BaseException) -> str:
    """An exception in the 1,000 characters that the log of a task keeps."""
    try:
        return _reason_of(thrown)
    except BaseException:  # of user code, whose exceptions may fail to describe themselves
        return fit(type(thrown).__name__)


def _reason_of(thrown: BaseException) -> str:
    if isinstance(thrown, NonRetryable) and str(thrown).strip():
        return fit(str(thrown))
    root: BaseException = thrown
    for _ in range(20):  # a chain of causes may be a circle
        cause = root.__cause__ or (None if root.__suppress_context__ else root.__context__)
        if cause is None:
            break
        root = cause
    words = _describe(thrown) + ("" if root is thrown else f"; caused by {_describe(root)}")
    frames = traceback.extract_tb(root.__traceback__)[-5:]
    places = [f"\n  at {frame.filename}:{frame.lineno} in {frame.name}" for frame in reversed(frames)]
    return fit(words + "".join(places))


def _describe(thrown: BaseException) -> str:
    return "".join(traceback.format_exception_only(type(thrown), thrown)).strip()


def fit(text: str) -> str:
    """A text without what the server cannot keep: NUL and halves of surrogate pairs."""
    clean = text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
    return clean if len(clean) <= LONGEST_REASON else clean[: LONGEST_REASON - 1] + "…"


class ReportWriter:
    """Turns the result of a run into its report."""

    def __init__(self, worker_id: str) -> None:
        self._worker_id = worker_id

    def of(self, task: Task, result: Result) -> Report:
        """The report of what a handler returned; NonRetryable if it cannot be written."""
        if isinstance(result, Next):
            return self._report(
                task,
                "NEXT_STAGE",
                task_stage=result.stage,
                task_context=_text(result.context),
                priority=result.priority,
                worker_ids=result.worker_ids,
                creates=_creates(result.creates),
            )
        if isinstance(result, Done):
            creates = _creates(result.creates)
            return self._report(task, "SUCCESS", result=_text(result.result), creates=creates)
        if isinstance(result, Retry):
            after = None if result.after is None else milliseconds(result.after)
            return self._report(task, "RETRY", err_msg=_words(result.reason), retry_after_ms=after)
        if isinstance(result, Fail):
            return self.fail(task, result.reason, _creates(result.creates))
        if isinstance(result, Snooze):
            return self._report(task, "SNOOZE", delay_ms=milliseconds(result.delay))
        raise NonRetryable(
            f"the handler of stage {task.task_stage} returned {type(result).__name__}:"
            " it must return Done, Next, Retry, Fail or Snooze"
        )

    def fail(self, task: Task, reason: str, creates: Optional[List[Any]] = None) -> Report:
        """A failure for good."""
        return self._report(task, "FAIL", err_msg=_words(reason), creates=creates)

    def unexpected(self, task: Task, reason: str) -> Report:
        """A retry for which the handler did not ask."""
        return self._report(task, "RETRY", err_msg=_words(reason), unexpected=True)

    def release(self, task: Task, begun: Optional[bool]) -> Report:
        """The task waits again, untouched; ``begun`` is False if its handler was never called."""
        return self._report(task, "RELEASE", begun=begun)

    def _report(self, task: Task, outcome: str, **members: Any) -> Report:
        name = str(uuid.uuid4())
        checked = {key: m if key in _CHECKED else _plain(m) for key, m in members.items()}
        return Report(task.task_id, self._worker_id, task.lease_epoch, outcome, name, **checked)


#: Members that are texts, or what JSON made of something, already.
_CHECKED = ("task_context", "result", "err_msg", "creates")


def _text(value: Any) -> Optional[str]:
    if value is None:
        return None
    try:
        text = as_text(value)
        size = len(text.encode())
    except (TypeError, ValueError, RecursionError) as e:
        raise NonRetryable(f"a context or result cannot be written as JSON: {e}") from e
    if size > MOST_BYTES_OF_A_TEXT:
        raise NonRetryable(
            f"a context or result of {size} bytes is too large: at most {MOST_BYTES_OF_A_TEXT};"
            " StageRun.store takes objects of any size"
        )
    return text


def _creates(tasks: Sequence[NewTask]) -> Optional[List[Any]]:
    try:
        return _plain([task.to_wire() for task in tasks]) or None
    except (TypeError, ValueError) as e:
        raise NonRetryable(f"a task to create cannot be written as JSON: {e}") from e


def _plain(value: Any) -> Any:
    """What JSON makes of a value, at once: later it would fail the reports of all tasks."""
    if value is None:
        return None
    return json.loads(json.dumps(value, ensure_ascii=False, allow_nan=False).encode())


def _words(reason: object) -> str:
    """A reason as text; an exception is one, too."""
    words = "" if reason is None else str(reason).strip()
    return fit(words) if words else "the handler gave no reason"


@dataclasses.dataclass(eq=False)
class _Pending:
    """A report that is not settled. ``run`` is None if another process has left it."""

    report: Report
    run: Optional[Run]
    stage: Optional[str]
    failures: int = 0
    failing_since: Optional[float] = None
    not_before: float = 0.0
    is_stranded: bool = False

    @property
    def has_texts(self) -> bool:
        """Whether something between may dislike what the report says; its reason alone may pass."""
        return self.report.creates is not None or self.report.text is not None

    def __str__(self) -> str:
        report = self.report
        return f"{report.task_id} (epoch {report.lease_epoch}, {report.outcome})"


def _patience(pending: _Pending) -> float:
    """For how long a report is repeated, which would come too late after the end of its run."""
    is_last = pending.run is not None and pending.not_before >= pending.run.lease.report_by
    return PATIENCE_AT_THE_END if is_last and pending.has_texts else GIVE_UP_AFTER


class ReportSender:
    """Sends reports until each is settled.

    A turn sends all reports that arrived during the previous one, so a single report never waits
    and many share one request. A report without an answer is kept in the spool and repeated
    with its id, through outages of any length and restarts of the server and the worker.
    """

    def __init__(
        self,
        client: FlowClient,
        runs: Runs,
        writer: ReportWriter,
        spool: Optional[Spool],
        clock: Callable[[], float],
        wake: Callable[[], None],
        caught_up: Callable[[], None],
    ) -> None:
        self._client = client
        self._runs = runs
        self._writer = writer
        self._spool = spool
        self._clock = clock
        self._wake = wake
        self._caught_up = caught_up
        self._backoff = Backoff()
        self._trouble = Trouble("reports")
        self._lock = threading.Lock()
        self._waiting: List[_Pending] = []
        self._sending: List[_Pending] = []
        #: Whether all other calls work at present; then a failure may be the report's own.
        self.others_work: Callable[[], bool] = lambda: False

    def submit(self, run: Run, report: Report) -> None:
        """Queues the report of a run, which must be REPORTING.

        The calling thread stores a text that is too large for a row, so that uploads run side by
        side. If that fails, the upload is repeated before the report is sent.
        """
        pending = _Pending(report, run, run.task.task_stage)
        try:
            self._move_text(pending)
        except Exception as e:  # a lack of memory, too, must not lose the report
            log.debug("%s: its text could not be stored; it is tried again: %s", run, e)
        self._add(pending)

    def _add(self, pending: _Pending) -> None:
        with self._lock:
            self._waiting.append(pending)
        self._wake()

    def adopt(self) -> None:
        """Delivers what processes that have ended left in the spool."""
        for report in self._spool.adopt() if self._spool else ():
            # Nothing new is held before these are settled.
            self._add(_Pending(report, None, None, is_stranded=True))

    @property
    def is_behind(self) -> bool:
        """Whether finished work waits for the server.

        A worker that held more before it reports would get tasks again that it has done.
        """
        stranded = any(pending.is_stranded for pending in self._unsettled())
        return stranded or (self._spool is not None and self._spool.full)

    def hurry(self) -> None:
        """Sends what waits now: the server has answered another call."""
        with self._lock:
            stranded = [pending for pending in self._waiting if pending.is_stranded]
            for pending in stranded:
                pending.not_before = 0.0
        if stranded:
            self._wake()

    def turn(self) -> float:
        """Sends what is due; returns the seconds until more is."""
        was_behind = self.is_behind
        now = self._clock()
        with self._lock:
            due = [pending for pending in self._waiting if pending.not_before <= now][:MOST_REPORTS]
            self._waiting = [pending for pending in self._waiting if pending not in due]
            self._sending = due
        try:
            self._send(self._stored(due))
        finally:
            with self._lock:
                self._waiting += self._sending  # what an unexpected failure has left
                self._sending = []
                next_due = min((p.not_before for p in self._waiting), default=UNTIL_WOKEN)
        if was_behind and not self.is_behind:
            self._caught_up()
        return max(0.0, next_due - self._clock())

    def _stored(self, due: List[_Pending]) -> List[_Pending]:
        """Those whose texts are in rows or in the store; the others wait."""
        ready = []
        for pending in due:
            try:
                if is_large(pending.report.text):
                    self._keep(pending)  # an upload may take long, and the process may be killed
                    self._move_text(pending)
                ready.append(pending)
            except Exception as e:
                error = _as_flow_error(e)
                if error.may_pass:
                    self._later([pending], error)
                else:
                    self._refused(pending, error.code, str(error))
        return ready

    def _move_text(self, pending: _Pending) -> None:
        report = pending.report
        text = report.text
        if text is None or not is_large(text):
            return
        stage = pending.stage or self._client.get(report.task_id).task_stage
        name = "_result" if report.outcome == "SUCCESS" else "_context"
        key = object_key(report.task_id, stage, report.lease_epoch, name)
        data = text.encode()
        try:
            self._client.put(key, report.worker_id, data)
        except FlowError as e:
            # The hold is over, or has reported and the answer was lost: the report tells which.
            if e.code not in (Code.LEASE_LOST, Code.TRANSITION_NOT_ALLOWED):
                raise
        pending.report = report.with_text(reference_of_text(key, len(data)))

    def _send(self, batch: List[_Pending]) -> None:
        """Sends reports in one request; a batch that is refused as a whole is sent in halves."""
        if not batch:
            return
        try:
            answers = self._client.report([pending.report for pending in batch])
            if len(answers) != len(batch):
                raise FlowUnreachable(f"{len(batch)} reports got {len(answers)} answers")
        except Exception as e:
            error = _as_flow_error(e)
            is_too_much = error.code == Code.MALFORMED_BODY or error is not e
            if error.may_pass and not (is_too_much and len(batch) > 1):
                self._later(batch, error)
            elif len(batch) == 1:
                self._refused(batch[0], error.code, str(error))
            else:
                self._send(batch[: len(batch) // 2])
                self._send(batch[len(batch) // 2 :])
            return
        self._trouble.worked()
        for pending, answer in zip(batch, answers):
            if answer.stands:
                self._settled(pending)
                self._end(pending)
            elif FlowError(answer.code, "", retryable=answer.code in _RETRYABLE).may_pass:
                self._repeat(pending, True, answer.msg)
            else:
                self._refused(pending, answer.code, answer.msg)

    def _later(self, batch: Sequence[_Pending], error: FlowError) -> None:
        self._trouble.failed(error, "kept, and repeated until they are accepted")
        is_own = error.code == Code.INTERNAL or (
            error.code == Code.UNAVAILABLE and self.others_work()
        )
        for pending in batch:
            self._repeat(pending, is_own, str(error))

    def _repeat(self, pending: _Pending, is_own: bool, why: str) -> None:
        """Sends a report again later; ``is_own`` if all other calls work."""
        self._keep(pending)
        now = self._clock()
        pending.failures += 1
        pending.not_before = now + self._backoff.after(pending.failures)
        pending.is_stranded = not is_own
        if not is_own:
            pending.failing_since = None
        elif pending.failing_since is None:
            pending.failing_since = now
        elif now - pending.failing_since >= _patience(pending):
            self._give_up(pending, why)
            return
        with self._lock:
            self._waiting.append(pending)
            if pending in self._sending:
                self._sending.remove(pending)

    def _give_up(self, pending: _Pending, why: str) -> None:
        self._set_aside(pending)
        if not pending.has_texts:
            log.error("%s: its report is given up: %s", pending, why)
            self._end(pending)
            return
        reason = f"the report {pending.report.outcome} found no way to flowsvr, while other calls did: {why}"
        log.error("%s: %s; it is reported as RETRY", pending, reason)
        self._replace(pending, "RETRY", reason, unexpected=True)

    def _replace(self, pending: _Pending, outcome: str, reason: str, **members: Any) -> None:
        """Sends another report, which says why the one before did not arrive."""
        old, name = pending.report, str(uuid.uuid4())
        who = (old.task_id, old.worker_id, old.lease_epoch)
        new = Report(*who, outcome, name, err_msg=_words(reason), **members)
        self._add(_Pending(new, pending.run, pending.stage))

    def _keep(self, pending: _Pending) -> bool:
        # A released task returns by itself when its lease ends.
        if self._spool is None or pending.report.outcome == "RELEASE":
            return False
        return self._spool.keep(pending.report)

    def _settled(self, pending: _Pending) -> None:
        self._leaves(pending)
        if self._spool is not None:
            self._spool.forget(pending.report)

    def _set_aside(self, pending: _Pending) -> None:
        self._leaves(pending)
        if self._spool is not None:
            self._spool.set_aside(pending.report)

    def _leaves(self, pending: _Pending) -> None:
        """Before the spool and the run hear of it: a stop keeps what has not left."""
        with self._lock:
            if pending in self._sending:
                self._sending.remove(pending)

    def _end(self, pending: _Pending) -> None:
        run = pending.run
        if run is not None and run.advance(State.REPORTING, State.ENDED):
            self._runs.settle(run)

    def _refused(self, pending: _Pending, code: int, why: str) -> None:
        """Handles the refusal of one report for good, by its code."""
        report = pending.report
        if code in (Code.LEASE_LOST, Code.TRANSITION_NOT_ALLOWED):
            log.warning("%s: its report does not count: %s", pending, why)
            self._settled(pending)
        elif code == Code.NO_SUCH_TASK:
            log.warning("%s: its report finds no task: %s", pending, why)
            self._set_aside(pending)
        elif report.outcome == "FAIL" and report.creates is None:
            log.error("%s: even FAIL is refused (%s); its lease is left to run out", pending, why)
            self._set_aside(pending)
        else:
            log.warning("%s: its report is refused (%s); it is reported as FAIL", pending, why)
            self._settled(pending)
            self._replace(pending, "FAIL", f"the report {report.outcome} was refused with {code}: {why}")
            return
        self._end(pending)

    def keep_all(self) -> Set[Run]:
        """Keeps what is not settled for the next start; returns the runs whose reports no longer
        need the lease."""
        if self._spool is not None:
            self._spool.try_again()  # it is the last chance
        kept = [pending for pending in self._unsettled() if self._keep(pending)]
        unsettled = self._unsettled()
        runs: Set[Run] = set()
        for pending in kept:
            if pending not in unsettled:
                self._settled(pending)  # meanwhile, maybe before it was kept
            elif pending.run is not None:
                runs.add(pending.run)
        return runs

    def _unsettled(self) -> Set[_Pending]:
        with self._lock:
            return {*self._waiting, *self._sending}


def _as_flow_error(failure: Exception) -> FlowError:
    """Any other failure of a call counts as one of flowsvr, which may be the report's own."""
    if isinstance(failure, FlowError):
        return failure
    log.error("unexpected failure of a report", exc_info=failure)
    return FlowError(Code.INTERNAL, _describe(failure))


_RETRYABLE = (Code.LIMIT_EXCEEDED, Code.UNAVAILABLE, Code.STORE_FULL)


def _in_trace_of(run: Run, report: Report) -> Report:
    """What a run creates belongs to the span of its handler, not beside it."""
    if report.creates is None or run.trace_parent == run.task.trace_parent:
        return report  # the server takes that of the task
    return dataclasses.replace(report, trace_parent=run.trace_parent)


class RunEnds:
    """Ends runs: each way in which a run can end has one method, which sends a report or none.

    Each does nothing if the run has already ended in another way.
    """

    def __init__(
        self,
        writer: ReportWriter,
        sender: ReportSender,
        runs: Runs,
        clock: Callable[[], float],
        listeners: Sequence[Callable[[RunEnd], None]],
    ) -> None:
        self._writer = writer
        self._sender = sender
        self._runs = runs
        self._clock = clock
        #: They hear of the end of each run that has started or was lost.
        self._listeners = listeners

    def _tell(self, run: Run, outcome: str) -> None:
        if not self._listeners:
            return
        took = None if run.started_at is None else self._clock() - run.started_at
        end = RunEnd(run.task.task_type, run.task.task_stage, outcome.lower(), took)
        for listener in self._listeners:
            try:
                listener(end)
            except BaseException as e:  # of user code: the task has ended all the same
                quietly(log.error, "a listener of the ends of runs failed", exc_info=e)

    def returned(self, run: Run, result: Result) -> None:
        """The handler returned; after its deadline that does not count."""
        if run.is_timed_out(self._clock()):
            self.timed_out(run)
            return
        try:
            report = _in_trace_of(run, self._writer.of(run.task, result))
        except (NonRetryable, MemoryError) as e:
            self.raised(run, e)
        except BaseException as odd:  # such as a delay of infinity, or user code that it has
            what = f"the result, a {type(result).__name__}, cannot be reported: {_describe(odd)}"
            self.raised(run, NonRetryable(what))
        else:
            self._report(run, report)

    def raised(self, run: Run, thrown: BaseException) -> None:
        """The handler raised. If it was told to stop, or after its deadline, that decides."""
        if run.is_timed_out(self._clock()):
            self.timed_out(run)
            return
        if run.stop_cause is Stop.SHUT_DOWN:
            self.shut_down(run)
            return
        reason = reason_of(thrown)
        if isinstance(thrown, NonRetryable):
            if self._report(run, self._writer.fail(run.task, reason)):
                log.warning("%s is reported as FAIL: %s", run, reason)
        elif self._report(run, self._writer.unexpected(run.task, reason)):
            quietly(log.warning, "%s failed and is reported as RETRY", run, exc_info=thrown)

    def timed_out(self, run: Run) -> None:
        """The run has reached its deadline."""
        reason = f"timed out after {run.lease.max_processing * 1000:.0f} ms"
        if self._report(run, self._writer.unexpected(run.task, reason), told="TIMED_OUT"):
            log.warning("%s %s and is reported as RETRY", run, reason)

    def shut_down(self, run: Run) -> None:
        """The run did not end within the grace of a worker that stops."""
        if self._report(run, self._writer.release(run.task, None)):
            log.info("%s is released: the worker stops", run)

    def release(self, run: Run, why: str) -> bool:
        """This worker has not begun the task, and will not, or not soon enough."""
        if not run.advance(State.QUEUED, State.REPORTING):
            return False
        self._sender.submit(run, self._writer.release(run.task, False))
        log.info("%s is released: %s", run, why)
        return True

    def lost(self, run: Run, why: str) -> None:
        """Another worker may hold the task."""
        if run.drop(Stop.LOST, self._clock()):
            self._runs.settle(run)
            log.warning("%s is dropped and not reported: %s", run, why)
            self._tell(run, "LOST")

    def cancelled(self, run: Run) -> None:
        """The task was cancelled."""
        if run.drop(Stop.CANCELLED, self._clock()):
            self._runs.settle(run)
            log.info("%s was cancelled; it is dropped and not reported", run)
            self._tell(run, "CANCELLED")

    def _report(self, run: Run, report: Report, told: Optional[str] = None) -> bool:
        if not run.advance(State.WORKING, State.REPORTING):
            return False
        self._sender.submit(run, report)
        self._tell(run, told or report.outcome)  # now a stop that it begins finds the report
        return True
