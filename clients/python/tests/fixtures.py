"""A clock that tests move, and workers on a server in memory."""

from __future__ import annotations

from typing import Any

from asyncflow import FlowUnreachable, NewTask, Worker
from asyncflow.testing import FakeFlow


class Clock:
    """The monotonic clock of a worker, moved by hand."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds


class Bench:
    """A worker of the type ``lark``, its server, and the clocks of both."""

    def __init__(self, trace_parent: Any = None, **settings: Any) -> None:
        self.flow = FakeFlow("lark", trace_parent=trace_parent)
        self.clock = Clock()
        self.worker = Worker(client=self.flow, worker_id="w1", clock=self.clock, **settings)

    def create(self, stage: str = "a", context: Any = None, **members: Any) -> str:
        return self.flow.create(NewTask("lark", stage, "ada", context, **members)).task_id

    def advance(self, seconds: float) -> None:
        """Moves both clocks."""
        self.clock.advance(seconds)
        self.flow.advance(seconds)

    def task(self, task_id: str) -> Any:
        return self.flow.get(task_id)


def unreachable(*paths: str) -> Any:
    """For FakeFlow.fail_calls and lose_answers: these calls get no answer."""
    return lambda path: FlowUnreachable(path) if path in paths else None
