import contextlib
import unittest

from asyncflow import Code, Done, FlowError, FlowUnreachable, NewTask, Status, TaskType, Worker
from asyncflow.run import Stop

from .fixtures import Bench, unreachable


class HoldsTest(unittest.TestCase):
    def setUp(self):
        self.bench = Bench()
        self.worker = self.bench.worker
        self.ran = []
        self.worker.stage("lark", "a")(self.handle)
        self.held = []
        hold = self.bench.flow.hold
        self.bench.flow.hold = lambda *a, **k: (self.held.append(a[2]), hold(*a, **k))[1]

    def handle(self, run):
        self.ran.append(run.task.task_id)
        return Done()

    def turn(self):
        """One turn of the poller, as its loop makes it; what is queued stays so."""
        self.worker._assemble()
        self.worker._feed.turn()
        return self.worker._types["lark"].poller.turn()

    def run_queued(self):
        while self.worker._types["lark"].pool.run_next():
            pass
        self.worker._sender.turn()

    def test_lost_answer_is_asked_for_again_by_its_id(self):
        task_id = self.bench.create()
        self.bench.flow.lose_answers(unreachable("task/hold_task"))
        self.turn()
        self.assertEqual(0, len(self.worker._runs))
        self.bench.flow.lose_answers(None)
        self.turn()
        self.assertEqual([self.held[0]] * 2, self.held)
        self.run_queued()
        task = self.bench.task(task_id)
        self.assertEqual((Status.SUCCESS, 1), (task.status, task.lease_epoch))

    def test_refused_hold_is_not_repeated(self):
        refusal = lambda path: FlowError(Code.VERB_MISSING, "no") if "hold" in path else None  # noqa: E731
        self.bench.flow.fail_calls(refusal)
        self.turn()
        self.bench.flow.fail_calls(None)
        self.turn()
        self.assertEqual(2, len({*self.held}))

    def test_no_more_is_held_than_threads_are_free(self):
        self.worker._threads = 3
        for _ in range(5):
            self.bench.create()
        self.turn()
        self.assertEqual(3, len(self.worker._runs))
        self.assertEqual(float("inf"), self.turn())
        self.assertEqual(1, len(self.held))

    def test_nothing_is_held_while_finished_work_waits_for_the_server(self):
        self.bench.create()
        self.turn()
        self.bench.flow.fail_calls(unreachable("task/set_tasks", "worker/heartbeat"))
        self.worker._heart.turn()
        self.run_queued()
        holds = len(self.held)
        self.assertEqual(float("inf"), self.turn())
        self.assertEqual(holds, len(self.held))
        self.bench.flow.fail_calls(None)
        self.worker._sender.hurry()
        self.worker._sender.turn()
        self.turn()
        self.assertGreater(len(self.held), holds)

    def test_task_of_another_stage_is_released(self):
        task_id = self.bench.create("b")
        hold = self.bench.flow.hold
        self.bench.flow.hold = lambda *a, **k: hold(*a, **{**k, "stages": []})  # an old server
        self.turn()
        self.worker._sender.turn()
        task = self.bench.task(task_id)
        self.assertEqual((Status.WAITING, 1, 0), (task.status, task.lease_epoch, task.crt_retry_num))

    def test_possible_poison_runs_alone(self):
        for _ in range(3):
            self.bench.create()
        flow = self.bench.flow
        for loss in range(2):
            flow.hold("lark", f"dead-{loss}", f"h{loss}", limit=1, stages=["a"])
            self.bench.advance(31)
        self.turn()
        (suspect,) = [run for run in self.worker._runs.all() if run.is_possible_poison]
        pool = self.worker._types["lark"].pool
        self.assertEqual(0, pool.room)
        self.assertFalse(pool.run_next(), "it waits until the others are released")
        self.worker._sender.turn()
        self.assertEqual([suspect], self.worker._runs.all())
        self.assertTrue(pool.run_next())
        self.assertEqual([suspect.task.task_id], self.ran)

    def test_three_kills_end_a_poison_task_and_spare_those_beside_it(self):
        flow = self.bench.flow
        flow.save_type(TaskType("lark", max_delivery=2))
        ids = [self.bench.create() for _ in range(6)]
        poison = ids[3]
        kills = 0

        def handle(run):
            nonlocal kills
            if run.task.task_id == poison:
                kills += 1
                flow.fail_calls(lambda path: FlowUnreachable("killed"))
            return Done()

        while flow.get(poison).status is not Status.FAILED:
            before = kills
            worker = Worker(client=flow, worker_id=f"w{kills}", clock=self.bench.clock, threads=8)
            worker.stage("lark", "a")(handle)
            with contextlib.suppress(FlowUnreachable):
                while kills == before:
                    worker.run_due()
            flow.fail_calls(None)
            self.bench.advance(31)
        self.worker.run_due()
        self.assertEqual(3, kills)
        self.assertEqual({Status.SUCCESS}, {flow.get(i).status for i in ids if i != poison})

    def test_release_of_a_run_that_had_begun_clears_the_count(self):
        task_id = self.bench.create()
        self.bench.flow.hold("lark", "dead", "h", limit=1, stages=["a"])
        self.bench.advance(31)

        def handle(run):
            (begun,) = self.worker._runs.all()
            begun.stop(Stop.SHUT_DOWN, self.bench.clock())
            raise RuntimeError("told to stop")

        object.__setattr__(self.worker._stages["lark"]["a"], "handler", handle)
        self.assertEqual(1, self.bench.task(task_id).delivery_count)
        self.turn()
        self.worker._types["lark"].pool.run_next()
        self.worker._sender.turn()
        task = self.bench.task(task_id)
        self.assertEqual((Status.WAITING, 0), (task.status, task.delivery_count))

    def test_queued_run_that_stalls_is_released(self):
        self.worker._threads = 1
        self.worker._assemble()
        pool = self.worker._types["lark"].pool
        for _ in range(2):
            self.bench.create()

        def handle(run):
            self.bench.create()
            from asyncflow.run import Lease, Limits, Run

            (task,) = self.bench.flow.hold("lark", "w1", "more", limit=1, stages=["a"]).tasks
            lease = Lease.held(self.bench.clock(), 30_000, Limits(30.0, 30.0, 10.0, 100))
            queued = Run(task, self.worker._stages["lark"]["a"], lease)
            self.worker._runs.add(queued)
            pool.offer([queued])
            self.bench.clock.advance(1.1)
            self.worker._deadlines.turn()
            self.assertEqual("REPORTING", queued.state.name)
            return Done()

        object.__setattr__(self.worker._stages["lark"]["a"], "handler", handle)
        self.turn()
        pool.run_next()
        self.worker._sender.turn()
        self.assertEqual(0, len(self.worker._runs))

    def test_hold_that_was_cut_by_a_stop_gives_its_tasks_back(self):
        task_id = self.bench.create()
        self.bench.flow.hold("lark", "dead", "h", limit=1, stages=["a"])
        self.bench.advance(31)
        self.bench.flow.lose_answers(unreachable("task/hold_task"))
        self.turn()
        self.bench.flow.lose_answers(None)
        self.worker._types["lark"].poller.stop()
        self.assertIsNone(self.turn())
        self.worker._sender.turn()
        task = self.bench.task(task_id)
        self.assertEqual((Status.WAITING, 1), (task.status, task.delivery_count))

    def test_type_that_does_not_exist_yet_is_waited_for(self):
        self.worker.stage("wren", "a")(self.handle)
        self.worker._assemble()
        self.assertLessEqual(self.worker._feed.turn(), 1.0)
        self.assertIsNone(self.worker._feed.limits("wren"))
        self.bench.flow.save_type(TaskType("Wren", lease_seconds=7))
        self.assertGreater(self.worker._feed.turn(), 40.0)
        self.assertEqual(7.0, self.worker._feed.limits("wren").lease)

    def test_batches_are_asked_for_by_as_many_tasks_as_they_take(self):
        sizes = []

        @self.worker.batch_stage("lark", "many", max_tasks=5)
        def many(runs):
            sizes.append(len(runs))
            return [Done()] * len(runs)

        self.worker._threads = 1
        self.bench.flow.create_all(NewTask("lark", "many", "ada") for _ in range(5))
        self.worker.run_due()
        self.assertEqual([5], sizes)
