"""SIGTERM and SIGINT, which stop all workers that heed them in this process."""

from __future__ import annotations

import contextlib
import os
import signal
from typing import Any, Callable, Dict, Iterator, List, Tuple

_NUMBERS = (signal.SIGTERM, signal.SIGINT)

_stops: List[Callable[[], None]] = []
_process = 0
_is_handling = False

#: The handler that each signal had before, and whether it is called, too.
_earlier: Dict[int, Tuple[Any, bool]] = {}


@contextlib.contextmanager
def heeded(stop: Callable[[], None], shares_with: Callable[[Any], bool]) -> Iterator[None]:
    """Calls ``stop``, which must not block, at each signal; on the main thread. ``shares_with``
    says of the handler that was there before whether it is called, too."""
    global _process
    if _process != os.getpid():
        _stops.clear()  # those of the parent
        _process = os.getpid()
    for number in _NUMBERS:
        if signal.getsignal(number) is not _handle:
            earlier = signal.signal(number, _handle)
            _earlier[number] = earlier, callable(earlier) and shares_with(earlier)
    _stops.append(stop)
    try:
        yield
    finally:
        _stops.remove(stop)
        for number in _NUMBERS:
            if not _stops and signal.getsignal(number) is _handle:
                _restore(number)


def _restore(number: int) -> None:
    earlier, _ = _earlier[number]
    signal.signal(number, signal.SIG_DFL if earlier is None else earlier)


def _handle(number: int, frame: Any) -> None:
    global _is_handling
    if not _stops or _process != os.getpid():
        # A child process inherits this handler, and a program may put it back later.
        _restore(number)
        signal.raise_signal(number)
    elif not _is_handling:  # an earlier handler may call this one in its turn
        _is_handling = True
        try:
            for stop in [*_stops]:
                stop()
            earlier, is_called = _earlier[number]
            if is_called:
                earlier(number, frame)
        finally:
            _is_handling = False
