import unittest
from dataclasses import dataclass

from asyncflow import Done, Fail, NewTask, Next, NonRetryable, Retry, Snooze, Status

from .fixtures import Bench


class StagesTest(unittest.TestCase):
    """What handlers return, and what becomes of their tasks."""

    def setUp(self):
        self.bench = Bench()
        self.stage = self.bench.worker.stage

    def run_one(self, handler, context=None):
        self.stage("Lark", "a")(handler)
        task_id = self.bench.create("a", context)
        self.bench.worker.run_due()
        return self.bench.task(task_id)

    def test_stages_follow_one_another(self):
        self.stage("lark", "a")(lambda run: Next("b", {"n": run.context["n"] + 1}))
        self.stage("lark", "b")(lambda run: Next("c"))
        self.stage("lark", "c")(lambda run: Done({"n": run.context["n"]}))
        task_id = self.bench.create("a", {"n": 1})
        self.assertEqual(3, self.bench.worker.run_due())
        self.assertEqual('{"n":2}', self.bench.task(task_id).result)

    def test_text_is_kept_as_it_is(self):
        task = self.run_one(lambda run: Done(run.text + " é"), "no JSON")
        self.assertEqual("no JSON é", task.result)

    def test_retry_comes_after_its_delay(self):
        attempts = []

        def handler(run):
            attempts.append(run.attempt)
            return Retry("busy", after=5) if run.attempt == 1 else Done()

        task = self.run_one(handler)
        self.assertEqual((Status.WAITING, 1), (task.status, task.crt_retry_num))
        self.bench.advance(4)
        self.assertEqual(0, self.bench.worker.run_due())
        self.bench.advance(1)
        self.bench.worker.run_due()
        self.assertEqual([1, 2], attempts)
        self.assertEqual(Status.SUCCESS, self.bench.task(task.task_id).status)

    def test_exception_means_retry_and_is_explained(self):
        def handler(run):
            try:
                raise KeyError("voice")
            except KeyError as e:
                raise RuntimeError("no voice") from e

        task = self.run_one(handler)
        self.assertEqual((Status.WAITING, 1), (task.status, task.crt_retry_num))
        for words in ("RuntimeError: no voice", "caused by KeyError", "in handler"):
            self.assertIn(words, task.schedule_log)

    def test_non_retryable_fails_for_good(self):
        def handler(run):
            raise NonRetryable("no such bird")

        task = self.run_one(handler)
        self.assertEqual(Status.FAILED, task.status)
        self.assertIn('"no such bird"', task.schedule_log)

    def test_context_that_is_no_json_fails_for_good(self):
        self.assertEqual(Status.FAILED, self.run_one(lambda run: Done(run.context), "{").status)

    def test_forgotten_return_fails_for_good(self):
        task = self.run_one(lambda run: None)
        self.assertEqual(Status.FAILED, task.status)
        self.assertIn("returned NoneType", task.schedule_log)

    def test_result_that_is_no_json_fails_for_good(self):
        for value in (object(), float("nan"), "\ud800"):
            bench = Bench()
            bench.worker.stage("lark", "a")(lambda run, value=value: Done(value))
            task_id = bench.create()
            bench.worker.run_due()
            self.assertEqual(Status.FAILED, bench.task(task_id).status)

    def test_exit_of_a_handler_ends_its_own_run_alone(self):
        def handler(run):
            raise SystemExit(1)

        self.assertEqual(Status.WAITING, self.run_one(handler).status)

    def test_snooze_counts_no_attempt(self):
        task = self.run_one(lambda run: Snooze(60))
        self.assertEqual((Status.WAITING, 0), (task.status, task.crt_retry_num))

    def test_result_with_odd_members_ends_its_task_all_the_same(self):
        for result in (Snooze(float("inf")), Retry("x", after="soon"), Done(creates=7)):
            bench = Bench()
            bench.worker.stage("lark", "a")(lambda run, result=result: result)
            task_id = bench.create()
            bench.worker.run_due()
            self.assertEqual(Status.FAILED, bench.task(task_id).status, result)

    def test_delay_of_another_kind_is_refused_with_what_it_must_be(self):
        with self.assertRaisesRegex(TypeError, "seconds or a timedelta, not '5'"):
            NewTask("lark", "a", "ada", delay="5").to_wire()

    def test_exception_may_be_a_reason(self):
        self.assertIn("no voice", self.run_one(lambda run: Retry(OSError("no voice"))).schedule_log)

    def test_fail(self):
        self.assertEqual(Status.FAILED, self.run_one(lambda run: Fail("spoilt")).status)

    def test_tasks_are_created_with_the_report(self):
        self.stage("lark", "b")(lambda run: Done())
        self.run_one(lambda run: Done(creates=[NewTask("lark", "b", "bob", {"x": 1})]))
        created = self.bench.flow.list_of_user("bob").tasks
        self.assertEqual([Status.SUCCESS], [task.status for task in created])

    def test_context_as_a_dataclass(self):
        @dataclass
        class Letter:
            to: str

        self.assertEqual("Eve", self.run_one(lambda r: Done(r.context_as(Letter).to), {"to": "Eve"}).result)

    def test_context_of_another_shape_fails_for_good(self):
        @dataclass
        class Letter:
            to: str

        self.assertEqual(Status.FAILED, self.run_one(lambda r: Done(r.context_as(Letter)), {}).status)

    def test_large_texts_go_through_the_store(self):
        large = "é" * 3000
        self.stage("lark", "b")(lambda run: Done(run.text + "!"))
        task = self.run_one(lambda run: Next("b", large))
        self.assertRegex(task.task_context, r'^\{"\$stored":"1_lark_task_1/a/1/_context","bytes":6000}$')
        self.assertEqual(large + "!", self.bench.flow.text_of(task.result))

    def test_text_that_is_too_large_for_the_store_fails_for_good(self):
        self.assertEqual(Status.FAILED, self.run_one(lambda run: Done("x" * (16 << 20) + "x")).status)

    def test_objects_of_a_run_are_read_by_the_next(self):
        self.stage("lark", "b")(lambda run: Done(run.open(run.context["wav"]).read().decode()))
        task = self.run_one(lambda run: Next("b", {"wav": run.store("a.wav", b"sound")}))
        self.assertEqual("sound", task.result)

    def test_reserved_and_bad_names_of_objects_are_refused(self):
        names = []

        def handler(run):
            for name in ("_context", "../x", ""):
                with self.assertRaises(ValueError):
                    run.store(name, b"")
                names.append(name)
            return Done()

        self.run_one(handler)
        self.assertEqual(3, len(names))

    def test_object_that_is_gone_is_no_reason_to_retry(self):
        gone = '{"$stored":"7_lark_task_1/a/1/_context","bytes":5000}'
        self.assertEqual(Status.FAILED, self.run_one(lambda run: Done(run.text), gone).status)

    def test_async_handler(self):
        async def handler(run):
            return Done(run.context["n"])

        self.assertEqual("7", self.run_one(handler, {"n": 7}).result)

    def test_a_stage_has_one_handler(self):
        self.stage("lark", "a")(lambda run: Done())
        with self.assertRaises(ValueError):
            self.stage("Lark", "a")(lambda run: Done())


class BatchesTest(unittest.TestCase):
    def setUp(self):
        self.bench = Bench()

    def run_batch(self, handler, contexts, **options):
        self.bench.worker.batch_stage("lark", "a", **options)(handler)
        ids = [self.bench.create("a", context) for context in contexts]
        self.bench.worker.run_due()
        return [self.bench.task(task_id) for task_id in ids]

    def test_batches_have_the_most_tasks_and_one_key(self):
        batches = []

        def handler(runs):
            batches.append([run.context for run in runs])
            return [Done(run.context) for run in runs]

        tasks = self.run_batch(handler, [1, 2, 3, 4, 5, 6, 7], max_tasks=3, key=lambda r: r.context % 2)
        self.assertEqual([[1, 3, 5], [2, 4, 6], [7]], batches)
        self.assertEqual([*"1234567"], [task.result for task in tasks])

    def test_what_is_yielded_is_reported_at_once(self):
        seen = []

        def handler(runs):
            yield Done("first")
            self.bench.worker._sender.turn()
            seen.append(self.bench.task(runs[0].task.task_id).status)
            yield Done("second")

        self.run_batch(handler, [1, 2])
        self.assertEqual([Status.SUCCESS], seen)

    def test_one_task_may_fail_alone(self):
        tasks = self.run_batch(lambda runs: [Done(), NonRetryable("bad"), OSError("x")], [1, 2, 3])
        expected = [Status.SUCCESS, Status.FAILED, Status.WAITING]
        self.assertEqual(expected, [task.status for task in tasks])

    def test_exception_ends_those_without_a_result(self):
        async def handler(runs):
            yield Done()
            raise ConnectionError("gone")

        tasks = self.run_batch(handler, [1, 2])
        self.assertEqual([Status.SUCCESS, Status.WAITING], [task.status for task in tasks])

    def test_tasks_without_a_result_fail_for_good(self):
        tasks = self.run_batch(lambda runs: [Done()], [1, 2])
        self.assertEqual([Status.SUCCESS, Status.FAILED], [task.status for task in tasks])

    def test_more_results_than_tasks_fail_all_for_good(self):
        tasks = self.run_batch(lambda runs: [Done()] * 3, [1, 2])
        self.assertEqual([Status.FAILED] * 2, [task.status for task in tasks])
        self.assertIn("gave 3 results for 2 tasks", tasks[0].schedule_log)

    def test_no_list_fails_all_for_good(self):
        tasks = self.run_batch(lambda runs: None, [1, 2])
        self.assertEqual([Status.FAILED] * 2, [task.status for task in tasks])

    def test_async_batch_may_return_a_list(self):
        async def handler(runs):
            return [Done(len(runs)) for _ in runs]

        self.assertEqual(["2", "2"], [task.result for task in self.run_batch(handler, [1, 2])])

    def test_task_whose_key_cannot_be_read_runs_alone(self):
        sizes = []

        def handler(runs):
            sizes.append(len(runs))
            return [Done() for _ in runs]

        self.run_batch(handler, [{"v": 1}, {}, {"v": 1}], key=lambda run: run.context["v"])
        self.assertEqual([2, 1], sorted(sizes, reverse=True))
