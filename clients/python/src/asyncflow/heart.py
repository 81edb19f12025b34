"""Keeps the leases of held tasks, and the time of running ones."""

from __future__ import annotations

import logging
import random
from typing import Any, Callable, Dict, List, Optional

from .client import FlowClient
from .loop import UNTIL_WOKEN, Backoff, Trouble
from .model import Code, FlowError, FlowUnreachable, LeaseState, Pulse
from .reports import RunEnds
from .run import Run, Runs, State, Stop

log = logging.getLogger("asyncflow")

MOST_TASKS = 1000

#: Seconds between the signs of life, beats or holds, of a worker without tasks.
IDLE_INTERVAL = 10.0

#: Seconds between its beats while an open hold shows that it lives.
POLLING_INTERVAL = 60.0

#: Seconds that a stop waits for its last beat.
FAREWELL = 1.0

#: Seconds for which beats carry leases alone, once more was refused.
BARE = 600.0

#: Seconds that a handler may take to react when a stopping worker tells it to stop.
SHUT_DOWN_PATIENCE = 0.5


class Heart:
    """Sends heartbeats: one renews all leases, at each fifth of the shortest."""

    def __init__(
        self,
        worker_id: str,
        start_id: str,
        client: FlowClient,
        runs: Runs,
        ends: RunEnds,
        describe: Callable[[], Dict[str, Any]],
        is_polling: Callable[[], bool],
        drain: Callable[[Optional[int]], None],
        mended: Callable[[], None],
        patience: float,
        clock: Callable[[], float],
    ) -> None:
        self._worker_id = worker_id
        self._start_id = start_id
        self._client = client
        self._runs = runs
        self._ends = ends
        self._describe = describe
        self._is_polling = is_polling
        self._drain = drain
        self._mended = mended
        self._patience = patience
        self._clock = clock
        self._backoff = Backoff()
        self._trouble = Trouble("heartbeats")
        self._idle_beat = clock()
        self._described_until = clock()
        self._not_before = clock()
        self._told_of_tasks = False
        self._bare_until = clock()
        self._is_heard = False

    @property
    def works(self) -> bool:
        """Whether the last beat was answered."""
        return not self._trouble.lasts

    def turn(self) -> float:
        """Sends a beat if one is due; returns the seconds until the next."""
        if self._due_at() <= self._clock():
            if self._is_beat_unnecessary():
                self._idle_beat = self._clock() + _shortened(IDLE_INTERVAL)
            else:
                self._beat()
        return max(0.0, self._due_at() - self._clock())

    def farewell(self) -> None:
        """Tells the server that the worker has stopped and holds nothing, so that operators do not
        take it for lost. Tried once, if the last beat was heard, and for a moment.
        """
        if self._is_heard:
            client = self._client.with_timeout(FAREWELL)
            try:
                self._send([], client)
                client.close()
            except Exception as e:
                log.debug("the server does not hear that this worker has stopped: %s", e)

    def _due_at(self) -> float:
        renewal = min((run.lease.renew_at for run in self._runs.all()), default=UNTIL_WOKEN)
        return max(min(renewal, self._idle_beat), self._not_before)

    def _is_beat_unnecessary(self) -> bool:
        """Whether an open hold says enough: there are no tasks, and the server knows it."""
        is_quiet = self._is_polling() and not self._runs.all() and not self._told_of_tasks
        return is_quiet and self._is_heard and self._clock() < self._described_until

    def _beat(self) -> None:
        runs = self._runs.all()
        start = self._clock()
        try:
            for first in range(0, max(1, len(runs)), MOST_TASKS):
                self._beat_for(runs[first : first + MOST_TASKS])
        except Exception as e:
            self._trust(runs, e)
            shortest = min((run.lease.length / 5 for run in runs), default=IDLE_INTERVAL)
            self._not_before = self._clock() + min(self._backoff.next(), shortest)
            self._idle_beat = self._not_before
            self._is_heard = False
            self._trouble.failed(e, "tried again until they work")
            return
        self._is_heard = True
        is_mended = self._trouble.lasts
        self._trouble.worked()
        self._backoff.reset()
        self._not_before = start + 0.1
        self._idle_beat = start + _shortened(IDLE_INTERVAL)
        self._described_until = start + _shortened(POLLING_INTERVAL)
        self._told_of_tasks = bool(runs)
        if is_mended:
            self._mended()

    def _trust(self, runs: List[Run], failure: Exception) -> None:
        """A server that can write nothing can give no task to another worker either: runs go on.
        What is no answer, such as the 502 of a gateway, or may pass by itself, changes nothing in
        that. A renewal ends it for a run, and so does another refusal."""
        if not isinstance(failure, FlowError):
            return
        if failure.code == Code.UNAVAILABLE and not isinstance(failure, FlowUnreachable):
            patience = self._patience
        elif not failure.retryable:
            patience = 0.0
        else:
            return
        for run in runs:
            run.lease = run.lease.trusted_for(patience)

    def _beat_for(self, runs: List[Run]) -> None:
        start = self._clock()
        tasks = [_held(run) for run in runs]
        pulse = self._send(tasks, self._client)
        for lease in pulse.tasks:
            run = self._runs.find(lease.task_id, lease.lease_epoch)
            if run is not None:
                self._apply(run, lease, start)
        for run in runs:
            if run.lease.renew_at <= start:
                run.lease = run.lease.not_renewed(self._clock())
        if pulse.drain:
            self._drain(pulse.drain_grace_ms)

    def _send(self, tasks: List[Dict[str, Any]], client: FlowClient) -> Pulse:
        """What says more than which leases to renew must not cost leases: if a beat is refused, or
        cannot be written, it is sent without its description and the progress of tasks."""
        if self._clock() >= self._bare_until:
            try:
                return client.heartbeat(self._worker_id, tasks, self._start_id, self._describe())
            except Exception as e:
                if isinstance(e, FlowError) and (e.retryable or e.refuses_key):
                    raise
                refusal = e
        else:
            refusal = None
        bare = [{name: held[name] for name in ("taskId", "leaseEpoch")} for held in tasks]
        pulse = client.heartbeat(self._worker_id, bare, self._start_id)
        if refusal is not None:
            log.warning(
                "for %.0f s heartbeats carry neither the description of this worker nor the progress"
                " of its tasks, which are refused: %s",
                BARE,
                refusal,
            )
            self._bare_until = self._clock() + BARE
        return pulse

    def _apply(self, run: Run, lease: LeaseState, start: float) -> None:
        if lease.state == "EXTENDED":
            run.lease = run.lease.renewed(start, lease.lease_ms)
        elif lease.state == "CANCEL":
            self._ends.cancelled(run)
        else:
            self._ends.lost(run, "the server says that its lease is lost")


def _shortened(interval: float) -> float:
    """Keeps workers that were started together apart."""
    return interval * (1 - random.random() / 5)


def _held(run: Run) -> Dict[str, Any]:
    held: Dict[str, Any] = {"taskId": run.task.task_id, "leaseEpoch": run.task.lease_epoch}
    if run.progress is not None:
        held["progress"] = run.progress
    return held


class DeadlineWatch:
    """Enforces the ends of leases and attempts by this machine's clock alone, even if the server
    is silent or a heartbeat hangs."""

    def __init__(
        self,
        runs: Runs,
        ends: RunEnds,
        stalled: Callable[[], List[Run]],
        clock: Callable[[], float],
    ) -> None:
        self._runs = runs
        self._ends = ends
        self._stalled = stalled
        self._clock = clock

    def turn(self) -> float:
        """Looks at all runs; returns the seconds until it has to look again."""
        for run in self._runs.all():
            if run.state is State.QUEUED:
                self._look_at_queued(run)
            elif run.state is State.WORKING:
                self._look_at_working(run)
        for run in self._stalled():
            self._ends.release(run, "no thread here would start it soon")
        runs = self._runs.all()
        if not runs:
            return UNTIL_WOKEN
        next_look = min(map(_next_moment, runs))
        return min(max(next_look - self._clock(), 0.005), 1.0)

    def _look_at_queued(self, run: Run) -> None:
        now = self._clock()
        if now >= run.lease.trusted_until:
            self._ends.lost(run, "its lease was not renewed in time")
        elif now >= run.lease.start_by:
            self._ends.release(run, "it waited too long to start with half of its time")

    def _look_at_working(self, run: Run) -> None:
        now = self._clock()
        lease = run.lease
        if now >= lease.trusted_until and now < lease.deadline:
            self._ends.lost(run, "its lease was not renewed in time")
        elif now >= lease.report_by:
            run.is_timed_out(now)  # after a freeze, the handler has not been told yet
            self._ends.timed_out(run)
        elif run.stop_cause is Stop.SHUT_DOWN:
            if now >= run.stopped_at + SHUT_DOWN_PATIENCE:
                self._ends.shut_down(run)
        else:
            run.is_timed_out(now)


def _next_moment(run: Run) -> float:
    lease = run.lease
    if run.state is State.QUEUED:
        return min(lease.trusted_until, lease.start_by)
    if run.state is not State.WORKING:
        return UNTIL_WOKEN
    if run.stop_cause is Stop.SHUT_DOWN:
        return min(run.stopped_at + SHUT_DOWN_PATIENCE, lease.report_by)
    if run.stop_cause is Stop.TIMED_OUT:
        return lease.report_by
    return min(lease.deadline, lease.trusted_until)
