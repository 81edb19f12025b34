"""What those on call see: the fields of log lines, the ends of runs, and what a worker does."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Optional, Tuple

from .trace import current_runs, trace_id


class RunFields(logging.Filter):
    """Gives each log record the fields ``task_id``, ``task_stage``, ``task_attempt``, ``trace_id``
    and ``hold_trace_id`` of the run whose handler logs, which are empty texts outside of runs, also
    in what a handler that has returned left behind.

    ``trace_id`` is that of the run's ``trace_parent``, or that of the hold if there is none;
    ``hold_trace_id`` is always that of the hold, which is in the task's history.

    Add it to a handler of ``logging``; one of a logger does not see what other loggers write. In a
    batch, ``task_id`` has the ids of all its tasks, with commas, and the rest is of the first.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Lets every record pass."""
        runs = current_runs()
        record.task_id = ",".join(run.task.task_id for run in runs)
        record.task_stage = record.task_attempt = record.trace_id = record.hold_trace_id = ""
        if runs:
            task = runs[0].task
            record.task_stage = task.task_stage
            record.task_attempt = task.attempt
            of_hold = task.trace_id or ""
            record.hold_trace_id = of_hold
            record.trace_id = trace_id(runs[0].trace_parent) or of_hold
        return True


@dataclass(frozen=True)
class RunEnd:
    """The end of a run on a worker, for metrics.

    ``outcome`` is that of its report in lower case, such as ``success``; ``timed_out`` if it reached
    its deadline, which is reported as a retry, ``lost`` if another worker may hold the task,
    ``cancelled`` if it was cancelled. ``took`` are the seconds since its handler began, None if it
    had not.
    """

    task_type: str
    task_stage: str
    outcome: str
    took: Optional[float]


@dataclass(frozen=True)
class TypeView:
    """One type of a worker."""

    task_type: str
    #: PENDING, POLLING while a hold is open, or STOPPED.
    poller: str
    #: Tasks that wait for a thread.
    queued: int
    #: Tasks in handlers.
    working: int
    #: Tasks with an undelivered report.
    reporting: int
    #: Handlers that go on although their run has ended: they keep their threads.
    overdue: int
    #: Those of them that were told to stop at least ten seconds ago.
    stuck: int
    #: How many handlers could start.
    free_threads: int
    #: Why holds fail at present; None if they do not.
    problem: Optional[str]


@dataclass(frozen=True)
class WorkerView:
    """A snapshot of what a worker does, for metrics, health checks and people."""

    worker_id: str
    #: NEW, RUNNING, STOPPING or STOPPED.
    state: str
    types: Tuple[TypeView, ...]
    #: Undelivered reports on disk.
    spooled: int
    #: Why the worker is unhealthy, which only a restart mends; None if it is healthy. A server that
    #: does not answer does not make it unhealthy.
    problem: Optional[str]
