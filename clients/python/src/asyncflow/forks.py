"""What a process that was forked must not share with its parent."""

from __future__ import annotations

import os
import weakref
from typing import Any

_things: weakref.WeakSet[Any] = weakref.WeakSet()


def after_fork(thing: Any) -> None:
    """Calls ``thing.forked()`` in each child of this process, before anything else runs there."""
    _things.add(thing)


def _forked() -> None:
    for thing in [*_things]:
        thing.forked()


os.register_at_fork(after_in_child=_forked)
