"""Which runs, and which trace, the calling code belongs to."""

from __future__ import annotations

import contextvars
import re
from typing import TYPE_CHECKING, Callable, Optional, Sequence, Tuple

if TYPE_CHECKING:
    from .run import Run

_FORM = re.compile(
    "(?!ff)[0-9a-f]{2}-((?!0{32})[0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}", re.ASCII
)

_runs: contextvars.ContextVar[Tuple[Run, ...]] = contextvars.ContextVar("asyncflow_runs", default=())


def valid(trace_parent: Optional[str]) -> Optional[str]:
    """A W3C traceparent; None if it has another form, as that of a tracer that is off."""
    return trace_parent if trace_parent is not None and _FORM.fullmatch(trace_parent) else None


def trace_id(trace_parent: Optional[str]) -> Optional[str]:
    """The trace of a traceparent, 32 hexadecimal digits."""
    found = None if trace_parent is None else _FORM.fullmatch(trace_parent)
    return found.group(1) if found else None


def entered(runs: Sequence[Run]) -> contextvars.Token[Tuple[Run, ...]]:
    """What this thread does from here on belongs to these runs, which are a batch."""
    return _runs.set((*runs,))


def left(token: contextvars.Token[Tuple[Run, ...]]) -> None:
    """What this thread does belongs to them no more."""
    _runs.reset(token)


def current_runs() -> Tuple[Run, ...]:
    """The runs whose handler calls this."""
    return _runs.get()


def parent_of_call(ask: Optional[Callable[[], Optional[str]]]) -> Optional[str]:
    """The traceparent that a call sends: what ``ask`` says, else that of the runs whose handler
    calls, if it is the same for all of them."""
    asked = valid(ask()) if ask is not None else None
    if asked is not None:
        return asked
    parents = {run.trace_parent for run in _runs.get()}
    return parents.pop() if len(parents) == 1 else None
