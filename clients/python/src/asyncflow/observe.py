"""What those on call see of runs: the fields of log lines, and the ends of runs."""

from __future__ import annotations

import contextvars
import logging
from dataclasses import dataclass
from typing import Optional, Sequence, Tuple

from .run import Run

_current: contextvars.ContextVar[Tuple[Run, ...]] = contextvars.ContextVar(
    "asyncflow_runs", default=()
)


def entered(runs: Sequence[Run]) -> contextvars.Token[Tuple[Run, ...]]:
    """What this thread logs from here on belongs to these runs, which are a batch."""
    return _current.set((*runs,))


def left(token: contextvars.Token[Tuple[Run, ...]]) -> None:
    """What this thread logs belongs to them no more."""
    _current.reset(token)


class RunFields(logging.Filter):
    """Gives each log record the fields ``task_id``, ``stage``, ``attempt`` and ``trace_id`` of the
    run whose handler logs, which are empty texts outside of runs.

    Add it to a handler of ``logging``; one of a logger does not see what other loggers write. In a
    batch, ``task_id`` has the ids of all its tasks, with commas, and the rest is of the first.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Lets every record pass."""
        runs = _current.get()
        first = runs[0].task if runs else None
        record.task_id = ",".join(run.task.task_id for run in runs)
        record.stage = first.task_stage if first else ""
        record.attempt = first.attempt if first else ""
        record.trace_id = (first.trace_id or "") if first else ""
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
