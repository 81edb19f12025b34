"""Which runs, and which trace, the calling code belongs to."""

from __future__ import annotations

import contextlib
import contextvars
import logging
import re
from typing import TYPE_CHECKING, Callable, Iterator, Optional, Sequence, Tuple

from .loop import quietly

if TYPE_CHECKING:
    from .run import Run

log = logging.getLogger("asyncflow")

_FORM = re.compile(
    "(?!ff)[0-9a-f]{2}-((?!0{32})[0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}", re.ASCII
)


class _Handling:
    """The runs of a handler, none once it has returned: copies of its context may outlive it."""

    def __init__(self, runs: Tuple[Run, ...]) -> None:
        self.runs = runs


_NONE = _Handling(())

_handling: contextvars.ContextVar[_Handling] = contextvars.ContextVar("asyncflow_runs", default=_NONE)


def valid(trace_parent: Optional[str]) -> Optional[str]:
    """A W3C traceparent; None if it has another form, as that of a tracer that is off."""
    return trace_parent if trace_parent is not None and _FORM.fullmatch(trace_parent) else None


def trace_id(trace_parent: Optional[str]) -> Optional[str]:
    """The trace of a traceparent, 32 hexadecimal digits."""
    found = None if trace_parent is None else _FORM.fullmatch(trace_parent)
    return found.group(1) if found else None


@contextlib.contextmanager
def handling(runs: Sequence[Run]) -> Iterator[None]:
    """What is done in this context, or in a copy of it, belongs to these runs, which are a batch."""
    present = _Handling((*runs,))
    token = _handling.set(present)
    try:
        yield
    finally:
        present.runs = ()
        _handling.reset(token)


def current_runs() -> Tuple[Run, ...]:
    """The runs whose handler calls this and has not returned."""
    return _handling.get().runs


def parent_of_call(ask: Optional[Callable[[], Optional[str]]]) -> Optional[str]:
    """The traceparent that a call sends: what ``ask`` says, else that of the runs whose handler
    calls, if it is the same for all of them."""
    asked = _asked(ask) if ask is not None else None
    if asked is not None:
        return asked
    parents = {run.trace_parent for run in current_runs()}
    return parents.pop() if len(parents) == 1 else None


def _asked(ask: Callable[[], Optional[str]]) -> Optional[str]:
    try:
        return valid(ask())
    except BaseException as e:  # of user code: the heartbeats of a worker go on
        quietly(log.warning, "trace_parent failed, so the call belongs to no span: %r", e)
        return None
