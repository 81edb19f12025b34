import dataclasses
import threading
import unittest

from asyncflow import Done, NonRetryable, Status
from asyncflow.model import Code, FlowError, FlowUnreachable, LeaseState, Pulse
from asyncflow.run import Lease, Limits, Run

from .fixtures import Bench, unreachable

LIMITS = Limits(lease=30.0, max_processing=60.0, long_poll=10.0, tasks_a_hold=100)


class LeaseTest(unittest.TestCase):
    def test_lease_counts_from_the_start_of_the_request(self):
        lease = Lease.held(100.0, 30_000, LIMITS)
        self.assertEqual((106.0, 129.75, 159.0), (lease.renew_at, lease.trusted_until, lease.deadline))
        self.assertEqual(130.0, lease.start_by)

    def test_repeated_hold_tells_its_age(self):
        lease = Lease.held(100.0, 20_000, LIMITS, repeated=True)
        self.assertEqual((119.75, 150.0), (lease.trusted_until, lease.hard_end))

    def test_renewal_never_brings_the_hard_end_nearer(self):
        lease = Lease.held(100.0, 30_000, LIMITS).renewed(150.0, 10_000)
        self.assertEqual((159.75, 160.0, 30.0), (lease.trusted_until, lease.hard_end, lease.length))

    def test_shortened_leases_are_renewed_sooner(self):
        self.assertEqual(111.0, Lease.held(100.0, 30_000, LIMITS).renewed(110.0, 5_000).renew_at)

    def test_answer_of_a_long_park_is_stale(self):
        lease = Lease.held(100.0, 30_000, LIMITS)
        self.assertFalse(lease.is_stale(110.0))
        self.assertTrue(lease.is_stale(116.0))


    def test_lease_is_trusted_longer_in_an_outage_and_never_beyond_the_hard_end(self):
        lease = Lease.held(100.0, 30_000, LIMITS)
        patient = lease.trusted_for(20.0)
        self.assertEqual(149.75, patient.trusted_until)
        self.assertEqual(149.75, patient.not_renewed(129.75).trusted_until)
        self.assertEqual(160.0, lease.trusted_for(300.0).trusted_until)
        self.assertEqual(159.75, patient.renewed(140.0, 20_000).trusted_until)
        self.assertEqual(lease, patient.trusted_for(0.0))


CANNOT_WRITE = FlowError(Code.UNAVAILABLE, "the database is read-only", 503, True)
UNREACHABLE = FlowUnreachable("what answers (HTTP 502) is not flowsvr", 502)


class OutageTest(unittest.TestCase):
    """The server answers heartbeats, and cannot write."""

    def setUp(self):
        self.bench = Bench(outage_patience=20.0)
        self.heart = self.bench.worker._heart
        self.answers = []
        self.heart._client.heartbeat = self.beat
        lease = Lease.held(self.bench.clock(), 30_000, LIMITS)
        self.run = Run(self.bench.task(self.bench.create()), None, lease)
        self.bench.worker._runs.add(self.run)
        self.end = lease.trusted_until

    def beat(self, *told):
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def extension_after(self, *answers):
        self.answers = [*answers]
        while self.answers:
            self.bench.clock.advance(6.0)
            self.heart.turn()
        return round(self.run.lease.trusted_until - self.end, 3)

    def test_run_is_kept_while_the_server_cannot_write(self):
        self.assertEqual(20.0, self.extension_after(CANNOT_WRITE))

    def test_no_answer_alone_keeps_no_run_and_ends_no_patience(self):
        for failure in UNREACHABLE, FlowError(Code.LIMIT_EXCEEDED, "too many", 429, True):
            self.run.lease = self.run.lease.trusted_for(0.0)
            self.assertEqual(0.0, self.extension_after(failure))
            self.assertEqual(20.0, self.extension_after(CANNOT_WRITE, failure))

    def test_any_other_answer_ends_the_patience(self):
        self.assertEqual(0.0, self.extension_after(CANNOT_WRITE, FlowError(Code.KEY_ENDED, "", 401)))
        held = self.run.task
        renewal = Pulse([LeaseState(held.task_id, held.lease_epoch, "EXTENDED", 30_000)])
        self.extension_after(CANNOT_WRITE, renewal)
        self.assertEqual(29.75, round(self.run.lease.trusted_until - self.bench.clock(), 3))


class IdleTest(unittest.TestCase):
    """A worker without tasks."""

    def setUp(self):
        self.bench = Bench()
        self.heart = self.bench.worker._heart
        self.heart._is_polling = lambda: self.polls
        self.heart._client.heartbeat = self.beat
        self.polls = True
        self.beats = 0

    def beat(self, *body):
        self.beats += 1
        return Pulse([], False, None)

    def beats_in(self, seconds):
        before = self.beats
        for _ in range(seconds):
            self.heart.turn()
            self.bench.clock.advance(1)
        return self.beats - before

    def test_worker_with_an_open_hold_beats_about_once_a_minute(self):
        self.assertEqual(1, self.beats_in(45))
        self.assertLessEqual(self.beats_in(600), 13)

    def test_worker_whose_hold_ends_beats_again_within_ten_seconds(self):
        self.beats_in(5)
        self.polls = False
        self.assertGreaterEqual(self.beats_in(11), 1)


class LeftOutTest(unittest.TestCase):
    """A task whose table has trouble is not in the answers to heartbeats."""

    def setUp(self):
        self.bench = Bench()
        self.start = self.bench.clock()
        self.beats = []
        self.answer = Pulse()
        self.bench.worker._heart._client.heartbeat = self.beat

    def beat(self, *told):
        self.beats.append(round(self.bench.clock() - self.start, 3))
        return self.answer

    def held(self, lease_ms):
        lease = Lease.held(self.start, lease_ms, LIMITS)
        run = Run(self.bench.task(self.bench.create()), None, lease)
        self.bench.worker._runs.add(run)
        return run

    def beat_until(self, end):
        self.bench.worker._heart.turn()
        while self.bench.clock() < end:
            self.bench.clock.advance(self.bench.worker._heart.turn())

    def test_lease_is_tried_at_its_pace_until_shortly_before_its_end(self):
        run = self.held(30_000)
        self.beat_until(run.lease.trusted_until)
        self.assertEqual([0, 6, 12, 18], self.beats[:4])
        self.assertLess(len(self.beats), 14)
        self.assertTrue(29.6 < self.beats[-1] < 29.75, self.beats)

    def test_pace_of_other_leases_stays_as_it_is(self):
        self.held(30_000)
        other = self.held(5_000)
        held = other.task
        self.answer = Pulse([LeaseState(held.task_id, held.lease_epoch, "EXTENDED", 5_000)])
        self.beat_until(self.start + 20)
        self.assertEqual([*range(20)], self.beats)
        self.assertEqual(1023.9, round(other.lease.trusted_until, 3))


class HeldTaskTest(unittest.TestCase):
    """What happens beside a handler, here by its own thread, while it runs."""

    def setUp(self):
        self.bench = Bench()
        self.worker = self.bench.worker

    def during_a_run(self, act):
        seen = []

        @self.worker.stage("lark", "a")
        def handler(run):
            act(run)
            seen.append(run.cancelled)
            return Done("late")

        task_id = self.bench.create()
        self.worker.run_due()
        self.task = self.bench.task(task_id)
        return seen[0]

    def test_heartbeat_renews_at_a_fifth_of_the_lease(self):
        def act(run):
            run.progress(40)
            self.bench.advance(5.9)
            self.worker._heart.turn()
            before = run._run.lease.renew_at
            self.bench.advance(0.2)
            self.worker._heart.turn()
            self.assertEqual(6.1, round(run._run.lease.renew_at - before, 3))
            self.assertEqual(40, self.bench.task(run.task.task_id).progress)

        self.worker._heart.turn()
        self.assertFalse(self.during_a_run(act))
        self.assertEqual(Status.SUCCESS, self.task.status)

    def test_handler_goes_on_beyond_its_lease_in_an_outage_and_its_report_counts(self):
        def act(run):
            lease = dataclasses.replace(run._run.lease, hard_end=self.bench.clock() + 60)
            run._run.lease = lease.trusted_for(5.0)
            self.bench.clock.advance(lease.trusted_until - self.bench.clock() + 4.9)
            self.worker._deadlines.turn()

        self.assertFalse(self.during_a_run(act))
        self.assertEqual(Status.SUCCESS, self.task.status)

    def test_cancelled_task_is_dropped(self):
        def act(run):
            self.bench.flow.cancel(run.task.task_id)
            self.bench.advance(7)
            self.worker._heart.turn()

        self.assertTrue(self.during_a_run(act))
        self.assertEqual((Status.CANCELLED, None), (self.task.status, self.task.result))

    def test_lost_lease_is_told_to_the_handler_and_not_reported(self):
        def act(run):
            self.bench.flow.advance(31)
            self.bench.flow.hold("lark", "other", "h", limit=1, stages=["a"])
            self.bench.clock.advance(7)
            self.worker._heart.turn()

        self.assertTrue(self.during_a_run(act))
        self.assertEqual((Status.EXECUTING, "other"), (self.task.status, self.task.worker_id))
        self.assertEqual(0, len(self.worker._runs))

    def test_lease_ends_by_the_workers_own_clock_while_the_server_is_silent(self):
        def act(run):
            self.bench.flow.fail_calls(unreachable("worker/heartbeat"))
            self.bench.clock.advance(28)
            self.worker._heart.turn()
            self.assertFalse(run.cancelled)
            self.bench.clock.advance(1.9)
            self.worker._deadlines.turn()

        self.bench.flow.call("task_schedule_cfg/save", task_type="lark", max_processing_time=300)
        self.assertTrue(self.during_a_run(act))
        self.assertEqual(Status.EXECUTING, self.task.status)

    def test_run_that_ignores_its_deadline_is_reported_before_the_server_ends_it(self):
        def act(run):
            for _ in range(4):
                self.bench.advance(7)
                self.worker._heart.turn()
            self.bench.advance(1.1)
            self.worker._deadlines.turn()
            self.assertEqual(0, run.remaining)
            self.bench.advance(0.5)
            self.worker._deadlines.turn()
            self.worker._sender.turn()
            self.assertEqual(Status.WAITING, self.bench.task(run.task.task_id).status)

        self.assertTrue(self.during_a_run(act))
        self.assertEqual((Status.WAITING, 1), (self.task.status, self.task.crt_retry_num))
        self.assertIn("timed out after 30000 ms", self.task.schedule_log)

    def test_what_returns_after_the_deadline_has_timed_out(self):
        def act(run):
            for _ in range(4):
                self.bench.advance(7)
                self.worker._heart.turn()
            self.bench.advance(1.1)
            self.worker._deadlines.turn()

        self.assertTrue(self.during_a_run(act))
        self.assertEqual((Status.WAITING, 1), (self.task.status, self.task.crt_retry_num))

    def until_the_deadline(self, run):
        """Without a turn of the watch, which comes a moment later."""
        for _ in range(4):
            self.bench.advance(7)
            self.worker._heart.turn()
        self.bench.advance(1.1)

    def test_result_of_a_handler_that_sees_its_time_end_does_not_count(self):
        seen = []

        def act(run):
            self.until_the_deadline(run)
            seen.append(run.wait(0.3))

        self.assertTrue(self.during_a_run(act))
        self.assertEqual([True], seen)
        self.assertEqual((Status.WAITING, 1), (self.task.status, self.task.crt_retry_num))
        self.assertIn("timed out after 30000 ms", self.task.schedule_log)

    def test_what_ends_after_the_deadline_has_timed_out_even_if_the_handler_did_not_look(self):
        for end in (Done("late"), NonRetryable("late")):
            bench = self.bench = Bench()
            self.worker = bench.worker

            @self.worker.stage("lark", "a")
            def handler(run):
                self.until_the_deadline(run)
                if isinstance(end, Exception):
                    raise end
                return end

            task_id = bench.create()
            bench.worker.run_due()
            task = bench.task(task_id)
            self.assertEqual((Status.WAITING, 1), (task.status, task.crt_retry_num))
            self.assertIn("timed out after 30000 ms", task.schedule_log)

    def test_no_renewal_gives_time_back_that_a_handler_has_seen_end(self):
        seen = []

        def act(run):
            self.until_the_deadline(run)
            seen.append(run.remaining)
            run._run.lease = run._run.lease.renewed(self.bench.clock(), 9000)
            seen.append(run._run.lease.deadline > self.bench.clock())
            seen.append(run.remaining)

        self.assertTrue(self.during_a_run(act))
        self.assertEqual([0, True, 0], seen)
        self.assertEqual((Status.WAITING, 1), (self.task.status, self.task.crt_retry_num))

    def test_refused_description_costs_no_lease(self):
        from asyncflow import Code, FlowError

        sent = []
        beat = self.bench.flow.heartbeat

        def picky(worker_id, tasks, start_id=None, worker=None):
            sent.append(worker is not None)
            if worker is not None:
                raise FlowError(Code.INVALID_INPUT, "too long")
            return beat(worker_id, tasks, start_id)

        self.worker._heart._client.heartbeat = picky
        self.worker._heart.turn()
        self.bench.clock.advance(61)
        self.worker._heart.turn()
        self.assertEqual([True, False, False], sent)

    def test_what_a_beat_cannot_carry_costs_no_lease(self):
        """Neither a description nor a progress, whatever is the matter with it."""
        from asyncflow import Code, FlowError, FlowUnreachable

        for failure in (
            FlowError(Code.INVALID_INPUT, "tasks[0].progress must be a whole number"),
            FlowError(Code.MALFORMED_BODY, "not UTF-8"),
            FlowError(Code.TOO_LARGE, "too large"),
            FlowError(Code.INTERNAL, "a bug"),
            FlowUnreachable("a firewall", 403),
            TypeError("Object of type int64 is not JSON serializable"),
            UnicodeEncodeError("utf-8", "\udce9", 0, 1, "surrogates not allowed"),
        ):
            self.setUp()
            sent = []
            beat = self.bench.flow.heartbeat

            def picky(worker_id, tasks, start_id=None, worker=None):
                sent.append((worker is not None, [*tasks[0]] if tasks else None))
                if worker is not None or any("progress" in held for held in tasks):
                    raise failure
                return beat(worker_id, tasks, start_id)

            def act(run):
                self.worker._heart._client.heartbeat = picky
                run.progress(40)
                self.bench.clock.advance(7)
                self.worker._heart.turn()
                seen.append(run._run.lease.renew_at - self.bench.clock())

            seen = []
            with self.subTest(failure):
                self.assertFalse(self.during_a_run(act))
                bare = ["taskId", "leaseEpoch"]
                self.assertEqual([(True, [*bare, "progress"]), (False, bare)], sent)
                self.assertGreater(seen[0], 0, "the lease was renewed")

    def test_beat_without_an_answer_is_not_repeated_at_once(self):
        from asyncflow import Code, FlowError, FlowUnreachable

        for failure in (FlowUnreachable("away"), FlowError(Code.NOT_AUTHENTICATED, "no"), FlowError(8080, "limit", 429, True)):
            self.setUp()
            sent = []
            self.worker._heart._client.heartbeat = lambda *a: (sent.append(a), self.fail_by(failure))
            self.worker._heart.turn()
            self.assertEqual(1, len(sent))

    def fail_by(self, failure):
        raise failure

    def test_async_handler_is_cancelled_with_its_task(self):
        begun = threading.Event()
        ended = threading.Event()

        @self.worker.stage("lark", "a")
        async def handler(run):
            import asyncio

            begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()

        self.bench.create()
        thread = threading.Thread(target=self.worker.run_due)
        thread.start()
        self.assertTrue(begun.wait(10))
        (run,) = self.worker._runs.all()
        self.worker._ends.cancelled(run)
        self.assertTrue(ended.wait(10))
        thread.join(10)
        self.assertFalse(thread.is_alive())
