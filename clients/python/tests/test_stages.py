import io
import sys
import unittest
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from unittest import mock

from asyncflow import Done, Fail, NewTask, Next, NonRetryable, Retry, Snooze, StageRun, Status

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

    def test_exceptions_that_cannot_be_described_end_their_runs_alone(self):
        class Mute(RuntimeError):
            def __str__(self):
                raise SystemExit("no words")

        class MuteForGood(NonRetryable):
            def __str__(self):
                raise RuntimeError("no words")

        class Causeless(RuntimeError):
            @property
            def __cause__(self):
                raise RuntimeError("no cause")

        for kind, status in ((Mute, Status.WAITING), (MuteForGood, Status.FAILED), (Causeless, Status.WAITING)):

            def handler(run):
                raise kind()

            self.bench = Bench()
            self.stage = self.bench.worker.stage
            with self.subTest(kind):
                task = self.run_one(handler)
                self.assertIs(status, task.status)
                self.assertIn(kind.__name__, task.schedule_log)

    def test_result_that_fails_while_it_is_read_fails_its_task(self):
        class Rude:
            def __str__(self):
                raise SystemExit("no words")

            __repr__ = __str__

        for result in (Fail(Rude()), Retry(Rude()), Rude(), Done(Rude()), Snooze(Rude()), Next(Rude())):
            self.bench = Bench()
            self.stage = self.bench.worker.stage
            self.assertIs(Status.FAILED, self.run_one(lambda run: result).status)

    def test_delay_may_be_any_number(self):
        class Int64(int):
            """As those of numpy, whose products are of their kind, too."""

            def __mul__(self, other):
                return Int64(int(self) * other)

            def __round__(self, digits=None):
                return self

        self.assertIs(int, type(NewTask("lark", "a", "ada", delay=Int64(2)).to_wire()["delayMs"]))
        self.assertIs(Status.WAITING, self.run_one(lambda run: Snooze(Fraction(1, 3))).status)

    def test_progress_may_be_any_number_and_is_sent_as_a_whole_one(self):
        seen = []

        def handler(run):
            for percent in (100 / 12, Decimal("99.6"), Fraction(1, 3), True, 40):
                run.progress(percent)
                seen.append(run._run.progress)
            for bad in (-1, 100.1, float("nan"), float("inf")):
                with self.assertRaises(ValueError):
                    run.progress(bad)
            with self.assertRaises(TypeError):
                run.progress("40")
            return Done()

        self.assertIs(Status.SUCCESS, self.run_one(handler).status)
        self.assertEqual(([8, 100, 0, 1, 40], {int}), (seen, {*map(type, seen)}))

    def test_names_that_the_server_would_refuse_are_refused_at_once(self):
        names = ("", " a", "a ", "a\n", "\u3000a", "a\0", "a\x85b", "\ud800", "x" * 65)
        for name in names:
            with self.subTest(name), self.assertRaises(ValueError):
                self.stage("lark", name)
        for task_type in ("flow_x", "x_task", "x_task_7", "7x", "x" * 32, "x\n", ""):
            with self.subTest(task_type), self.assertRaises(ValueError):
                self.stage(task_type, "a")
        for name in ("a,b", "a\u00a0", "\U0001f600" * 64, "x y"):
            self.stage("lark", name)(lambda run: Done())
        for bad in ({"max_tasks": 0}, {"max_tasks": 1 << 31}):
            with self.assertRaises(ValueError):
                self.bench.worker.batch_stage("lark", "b", **bad)
        for bad in ({"max_tasks": 2.5}, {"max_tasks": "2"}, {"key": "voice"}):
            with self.assertRaises(TypeError):
                self.bench.worker.batch_stage("lark", "b", **bad)
        with self.assertRaises(TypeError):
            self.stage("lark", "b")(None)

    def test_more_stages_than_a_hold_may_name_are_refused(self):
        for n in range(64):
            self.stage("lark", f"s{n}")(lambda run: Done())
        self.stage("wren", "a")(lambda run: Done())
        with self.assertRaisesRegex(ValueError, "more than 64 stages"):
            self.stage("lark", "one more")(lambda run: Done())

    def test_reference_that_leads_elsewhere_is_none(self):
        for reference in ("stored:../../task/getTask", "stored:7_lark_task_1/a/1/x y", "stored:", "a.wav"):
            self.bench = Bench()
            self.stage = self.bench.worker.stage
            task = self.run_one(lambda run: Done(run.open(reference)))
            self.assertIs(Status.FAILED, task.status)
            self.assertIn("is no reference of a stored object", task.schedule_log)

    def test_text_that_is_not_whole_is_waited_for(self):
        answers = [b"<html>down</html>", b"x" * 5000]
        self.stage("lark", "b")(lambda run: Done(len(run.text)))
        wait = StageRun.wait
        self.bench.flow._http.send = self.upload_or(lambda: io.BytesIO(answers.pop(0)))
        with mock.patch.object(StageRun, "wait", lambda run, seconds: wait(run, 0)):
            task = self.run_one(lambda run: Next("b", "x" * 5000))
        self.assertEqual(("5000", 0), (task.result, task.crt_retry_num))

    def upload_or(self, download):
        send = self.bench.flow._http.send
        return lambda method, *rest: download() if method == "GET" else send(method, *rest)

    def test_bytes_of_any_kind_can_be_stored(self):
        self.stage("lark", "b")(lambda run: Done(run.open(run.context["wav"]).read().decode()))
        for data in (bytearray(b"sound"), memoryview(b"sound"), io.BytesIO(b"sound")):
            self.bench = Bench()
            self.bench.worker.stage("lark", "b")(lambda run: Done(run.open(run.text).read().decode()))
            self.stage = self.bench.worker.stage
            self.assertEqual("sound", self.run_one(lambda run: Next("b", run.store("a.wav", data))).result)

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

    def test_context_of_another_shape_is_tried_again_as_another_version_may_read_it(self):
        @dataclass
        class Letter:
            to: str

        self.stage("lark", "a")(lambda run: Done(run.context_as(Letter).to))
        ends = {}
        for context in ("{}", '{"to":"Eve","since":2}', '["Eve"]', "7", "", "null", "no JSON"):
            task_id = self.bench.create("a", context)
            self.bench.worker.run_due()
            ends[context] = self.bench.task(task_id).status
        self.assertEqual({Status.WAITING}, {*list(ends.values())[:4]}, ends)
        self.assertEqual({Status.FAILED}, {*list(ends.values())[4:]}, ends)

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

    def test_key_that_raises_anything_runs_its_task_alone(self):
        class Odd:
            def __eq__(self, other):
                raise SystemExit("no comparison")

        for key in (sys.exit, lambda run: Odd()):
            self.bench = Bench()
            tasks = self.run_batch(lambda runs: [Done(len(runs)) for _ in runs], [1, 2], key=key)
            self.assertEqual(["1", "1"], [task.result for task in tasks])

    def test_exception_without_words_fails_no_other_task_of_its_batch(self):
        class Mute(RuntimeError):
            def __str__(self):
                raise SystemExit("no words")

        tasks = self.run_batch(lambda runs: [Done(), Mute(), Done()], [1, 2, 3])
        expected = [Status.SUCCESS, Status.WAITING, Status.SUCCESS]
        self.assertEqual(expected, [task.status for task in tasks])
