"""Background loops, and the waits between tries."""

from __future__ import annotations

import logging
import random
import threading
import time
from typing import Any, Callable, Optional

log = logging.getLogger("asyncflow")

#: What a step returns to wait until it is woken.
UNTIL_WOKEN = float("inf")


class Loop:
    """Calls a step again and again, on a thread of its own.

    A step returns the seconds until the next turn, or None to end. It also runs when it is woken.
    """

    def __init__(self, name: str, step: Callable[[], Optional[float]]) -> None:
        self._name = name
        self._step = step
        self._woken = threading.Event()
        self._stopping = False
        self._failure: Optional[str] = None
        #: None before the start.
        self.thread: Optional[threading.Thread] = None

    def start(self) -> None:
        """Starts the thread. It does not keep the process alive."""
        thread = threading.Thread(target=self._run, name=self._name, daemon=True)
        thread.start()
        self.thread = thread

    def wake(self) -> None:
        """Begins the next turn now."""
        self._woken.set()

    def stop(self, patience: float = 1.0) -> None:
        """Ends the loop after its present turn, for which it waits a moment."""
        self._stopping = True
        self.wake()
        if self.thread is not None and self.thread is not threading.current_thread():
            self.thread.join(patience)

    def _run(self) -> None:
        while not self._stopping:
            self._woken.clear()  # first: a wake-up during the step counts for the next turn
            try:
                pause = self._step()
                self._failure = None
            except BaseException as e:  # SystemExit of user code, too, would end the loop for good
                pause = 1.0
                quietly(self._tell, e)
            if pause is None:
                return
            if not self._stopping:
                self._woken.wait(None if pause == UNTIL_WOKEN else pause)

    def _tell(self, failure: BaseException) -> None:
        """With its stack trace only the first time in a row."""
        is_known, self._failure = self._failure == repr(failure), repr(failure)
        level = logging.DEBUG if is_known else logging.ERROR
        log.log(level, "unexpected failure in %s, which goes on", self._name, exc_info=failure)


def quietly(act: Callable[..., Any], *arguments: Any, **named: Any) -> None:
    """Calls what may run user code, such as a handler of ``logging`` or the text of an exception,
    where a failure of it must not be that of the caller."""
    try:
        act(*arguments, **named)
    except BaseException:  # nothing is known of it, and to log it may be what fails
        pass


class Backoff:
    """Waits that double from 0.1 s to 5 s with each failure in a row, less up to a half."""

    def __init__(self, chance: Callable[[], float] = random.random) -> None:
        self._chance = chance
        self._failures = 0

    def next(self) -> float:
        """Records a failure; returns the wait."""
        self._failures += 1
        return self.after(self._failures)

    def reset(self) -> None:
        """Records a success."""
        self._failures = 0

    def after(self, failures: int) -> float:
        """The wait after so many failures in a row, from 1."""
        doubled = 0.1 * float(2 ** min(failures - 1, 10))
        return min(doubled, 5.0) * (1 - self._chance() / 2)


class Trouble:
    """Logs the beginning and the end of an outage, and nothing in between."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._kind: Optional[str] = None
        self._since = 0.0
        #: Why calls fail at present; None if they do not.
        self.problem: Optional[str] = None

    @property
    def lasts(self) -> bool:
        """Whether the last call failed."""
        return self._kind is not None

    def failed(self, error: Exception, meanwhile: str) -> None:
        """Records a failure; another kind of failure is logged, too."""
        kind = f"{type(error).__name__} {getattr(error, 'code', '')}"
        if kind != self._kind:
            log.warning("%s fail: %s; %s", self._what, error, meanwhile)
        if self._kind is None:
            self._since = time.monotonic()
        self._kind = kind
        self.problem = str(error)

    def worked(self) -> None:
        """Records a success."""
        if self._kind is not None:
            log.info("%s work again after %.0f s", self._what, time.monotonic() - self._since)
            self._kind = None
            self.problem = None
