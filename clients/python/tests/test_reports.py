import datetime
import sys
import tempfile
import unittest
from decimal import Decimal
from pathlib import Path

from asyncflow import Code, Done, Fail, FlowError, FlowUnreachable, Next, NewTask, Status
from asyncflow.model import Report
from asyncflow.run import Lease, Limits, Run, State
from asyncflow.spool import Spool

from .fixtures import Bench, unreachable


class ReportsTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = Path(directory.name)
        self.bench = self.new_bench(None)
        self.sent = []
        report = self.bench.flow.report
        self.bench.flow.report = lambda reports: (self.sent.append([*reports]), report(reports))[1]

    def new_bench(self, flow):
        bench = Bench()
        bench.flow = flow or bench.flow
        bench.worker.client = bench.flow
        bench.spool = bench.worker._spool = bench.worker._sender._spool = Spool(self.root)
        self.addCleanup(bench.spool.close)
        return bench

    def files(self):
        return sorted(file.name for file in self.root.glob("[0-9]*/*.json"))

    def run_one(self, result):
        self.bench.worker.stage("lark", "a")(lambda run: result)
        task_id = self.bench.create()
        self.bench.worker.run_due()
        return task_id

    def again(self):
        """The next try, when its time has come."""
        self.bench.clock.advance(5)
        self.bench.worker._sender.turn()

    def test_report_without_an_answer_is_kept_and_repeated_by_its_id(self):
        self.bench.flow.lose_answers(unreachable("task/set_tasks"))
        task_id = self.run_one(Done("once"))
        self.assertEqual(1, len(self.files()))
        self.bench.flow.lose_answers(None)
        self.again()
        first, second = self.sent
        self.assertEqual(first[0].report_id, second[0].report_id)
        self.assertEqual("once", self.bench.task(task_id).result)
        self.assertEqual([], self.files())
        self.assertEqual(0, len(self.bench.worker._runs))

    def test_next_start_delivers_what_was_left(self):
        self.bench.flow.fail_calls(unreachable("task/set_tasks"))
        task_id = self.run_one(Done("kept"))
        self.bench.worker._sender.keep_all()
        self.bench.spool.close()
        self.bench.flow.fail_calls(None)
        heir = self.new_bench(self.bench.flow)
        heir.worker._sender._client = self.bench.flow
        heir.worker._sender.adopt()
        self.assertTrue(heir.worker._sender.is_behind, "nothing is held before it is delivered")
        heir.worker._sender.turn()
        self.assertEqual("kept", self.bench.task(task_id).result)
        self.assertFalse(heir.worker._sender.is_behind)
        self.assertEqual([], self.files())

    def submit(self, outcome="SUCCESS"):
        """A run whose report is queued, and not sent yet."""
        self.bench.create()
        (task,) = self.bench.flow.hold("lark", "w1", "h" + outcome, limit=1, stages=["a"]).tasks
        run = Run(task, None, Lease.held(self.bench.clock(), None, Limits(30.0, 30.0, 10.0, 100)))
        run.advance(State.QUEUED, State.REPORTING)
        self.bench.worker._runs.add(run)
        self.bench.worker._sender.submit(run, Report(task.task_id, "w1", 1, outcome, "r" + outcome))
        return run

    def test_stop_keeps_the_reports_of_runs_and_tells_which(self):
        other = Spool(self.root)
        other.keep(Report("1_lark_task_1", "w0", 1, "SUCCESS", "left"))
        other.close()
        self.bench.worker._sender.adopt()
        run = self.submit()
        self.submit("RELEASE")
        self.assertEqual({run}, self.bench.worker._sender.keep_all())
        self.assertEqual(["left.json", "rSUCCESS.json"], self.files())

    def test_stop_forgets_a_report_that_is_settled_before_it_is_kept(self):
        self.submit()
        keep = self.bench.spool.keep
        self.bench.spool.keep = lambda report: (self.bench.worker._sender.turn(), keep(report))[1]
        self.assertEqual(set(), self.bench.worker._sender.keep_all())
        self.assertEqual([], self.files())

    def test_stop_says_farewell_though_a_report_outlives_its_run(self):
        states = []
        heartbeat = self.bench.flow.heartbeat

        def listen(worker_id, tasks, start_id, description):
            states.append(description["states"]["worker"])
            return heartbeat(worker_id, tasks, start_id, description)

        self.bench.flow.heartbeat = listen
        self.bench.worker.stage("lark", "a")(lambda run: Done())
        self.bench.worker._assemble()
        self.bench.worker._heart.turn()
        self.bench.worker._runs.settle(self.submit())
        self.bench.worker._finish()
        self.assertEqual("STOPPED", states[-1])

    def test_too_few_answers_are_as_none(self):
        self.bench.flow.report = lambda reports: []
        self.bench.flow.fail_calls(unreachable("worker/heartbeat"))
        self.bench.worker._heart.turn()
        self.run_one(Done())
        self.assertTrue(self.bench.worker._sender.is_behind)

    def test_large_text_is_uploaded_when_the_store_answers_again(self):
        self.bench.flow.fail_calls(unreachable("store"))
        task_id = self.run_one(Next("b", "x" * 5000))
        self.assertEqual(Status.EXECUTING, self.bench.task(task_id).status)
        self.assertEqual(1, len(self.files()))
        self.bench.flow.fail_calls(None)
        self.again()
        self.assertEqual("x" * 5000, self.bench.flow.text_of(self.bench.task(task_id).task_context))

    def test_large_text_of_an_earlier_process_is_uploaded_too(self):
        task_id = self.bench.create()
        self.bench.flow.hold("lark", "w0", "h", limit=1, stages=["a"])
        left = Report(task_id, "w0", 1, "SUCCESS", "r1", result="y" * 5000)
        other = Spool(self.root)
        other.keep(left)
        other.close()
        self.bench.worker._sender.adopt()
        self.bench.worker._sender.turn()
        self.assertEqual("y" * 5000, self.bench.flow.text_of(self.bench.task(task_id).result))

    def test_lost_lease_ends_the_report(self):
        def handler(run):
            self.bench.flow.advance(31)
            self.bench.flow.hold("lark", "other", "h", limit=1, stages=["a"])
            return Done("late")

        self.bench.worker.stage("lark", "a")(handler)
        task_id = self.bench.create()
        self.bench.worker.run_due()
        self.assertEqual("other", self.bench.task(task_id).worker_id)
        self.assertEqual(0, len(self.bench.worker._runs))
        self.assertEqual([], self.files())

    def test_refused_report_becomes_a_failure_that_says_why(self):
        task_id = self.run_one(Done(creates=[NewTask("no_such_type", "a", "ada")]))
        self.again()
        task = self.bench.task(task_id)
        self.assertEqual(Status.FAILED, task.status)
        self.assertIn("refused with 8042", task.schedule_log)

    def test_report_of_no_task_is_set_aside(self):
        self.bench.flow.fail_calls(unreachable("task/set_tasks"))
        task_id = self.run_one(Done())
        del self.bench.flow._server._rows[task_id]
        self.bench.flow.fail_calls(None)
        self.again()
        self.assertEqual(1, len([*self.root.glob("set-aside/*.json")]))
        self.assertEqual(0, len(self.bench.worker._runs))

    def test_batch_that_is_refused_as_a_whole_is_sent_in_halves(self):
        report = self.bench.flow.report

        def picky(reports):
            if len(reports) > 1:
                raise FlowError(Code.TOO_LARGE, "too large")
            return report(reports)

        self.bench.worker.batch_stage("lark", "a")(lambda runs: [Done(run.context) for run in runs])
        ids = [self.bench.create("a", n) for n in range(5)]
        self.bench.flow.report = picky
        self.bench.worker.run_due()
        self.assertEqual([*"01234"], [self.bench.task(task_id).result for task_id in ids])

    def test_report_that_fails_alone_for_long_is_given_up(self):
        self.bench.flow.fail_calls(
            lambda path: FlowError(Code.INTERNAL, "a bug") if path == "task/set_tasks" else None
        )
        self.run_one(Done())
        self.assertFalse(self.bench.worker._sender.is_behind, "other work goes on")
        self.bench.clock.advance(599)
        self.bench.worker._sender.turn()
        self.assertEqual(1, len(self.bench.worker._runs))
        self.again()
        self.assertEqual(0, len(self.bench.worker._runs))
        self.assertEqual(1, len([*self.root.glob("set-aside/*.json")]))

    def test_outage_is_never_given_up(self):
        self.bench.flow.fail_calls(unreachable("task/set_tasks", "worker/heartbeat"))
        self.bench.worker._heart.turn()
        task_id = self.run_one(Done())
        self.bench.clock.advance(86_400)
        self.bench.worker._sender.turn()
        self.bench.flow.fail_calls(None)
        self.again()
        self.assertEqual(Status.SUCCESS, self.bench.task(task_id).status)

    def test_result_that_is_no_json_fails_its_task_alone(self):
        tomorrow = datetime.datetime.now()
        results = {
            "run_at": Done(creates=[NewTask("lark", "b", "ada", run_at=tomorrow)]),
            "workers of a create": Done(creates=[NewTask("lark", "b", "ada", worker_ids={"w1"})]),
            "half a character": Fail("x", creates=[NewTask("lark", "b", "\ud800")]),
            "workers": Next("b", worker_ids={"w1"}),
            "priority": Next("b", priority=Decimal(1)),
            "stage": Next(b"b"),
            "no number": Next("b", priority=float("nan")),
            "digits": Next("b", priority=10**5000),
        }
        for stage, result in results.items():
            self.bench.worker.stage("lark", stage)(lambda run, result=result: result)
        self.bench.worker.stage("lark", "good")(lambda run: Done("ok"))
        bad = [self.bench.create(stage) for stage in results]
        good = self.bench.create("good")
        self.bench.worker.run_due()
        self.assertEqual("ok", self.bench.task(good).result)
        for task_id in bad:
            task = self.bench.task(task_id)
            if task.task_stage != "digits" or sys.version_info >= (3, 11):
                self.assertIs(Status.FAILED, task.status, task.task_stage)
        self.assertEqual(1, len(self.sent), "no report was sent again")

    def test_create_that_its_handler_changes_later_is_sent_as_it_was(self):
        workers = ["w1"]
        self.bench.flow.fail_calls(unreachable("task/set_tasks"))
        self.run_one(Done(creates=[NewTask("lark", "b", "ada", worker_ids=workers)]))
        workers.append(object())
        self.bench.flow.fail_calls(None)
        self.again()
        (made,) = self.bench.flow.list_of_user("ada", Status.WAITING).tasks
        self.assertEqual(["w1"], made.worker_ids)

    def test_report_that_cannot_be_sent_holds_no_other_up(self):
        """Whatever a report of an earlier process or a bug brings along."""
        report = self.bench.flow.report

        def picky(reports):
            if any(each.outcome == "SUCCESS" and each.result == "bad" for each in reports):
                raise TypeError("Object of type datetime is not JSON serializable")
            return report(reports)

        self.bench.worker.batch_stage("lark", "a")(lambda runs: [Done(run.text) for run in runs])
        ids = [self.bench.create("a", text) for text in ("1", "2", "bad", "3", "4")]
        self.bench.flow.report = picky
        self.bench.worker.run_due()
        self.assertEqual(["1", "2", None, "3", "4"], [self.bench.task(task_id).result for task_id in ids])
        self.assertEqual(1, len(self.bench.worker._runs))
        self.assertFalse(self.bench.worker._sender.is_behind)
        self.bench.clock.advance(601)
        for _ in range(2):  # a RETRY takes its place
            self.bench.worker._sender.turn()
        self.assertEqual(0, len(self.bench.worker._runs))

    def test_text_that_cannot_be_stored_holds_no_other_up(self):
        self.bench.worker.stage("lark", "good")(lambda run: Done("ok"))
        good = self.bench.create("good")
        self.bench.flow.put = lambda *_: (_ for _ in ()).throw(MemoryError())
        self.run_one(Done("x" * 5000))
        self.assertEqual("ok", self.bench.task(good).result)
        self.assertEqual(1, len(self.bench.worker._runs))
        del self.bench.flow.put
        self.again()
        self.assertEqual(0, len(self.bench.worker._runs))

    def test_stop_keeps_what_can_be_kept(self):
        self.bench.flow.fail_calls(unreachable("task/set_tasks"))
        run = self.submit()
        bad = self.submit("SNOOZE")
        (pending,) = [p for p in self.bench.worker._sender._waiting if p.run is bad]
        object.__setattr__(pending.report, "creates", [object()])
        self.assertEqual({run}, self.bench.worker._sender.keep_all())
        self.assertEqual(["rSUCCESS.json"], self.files())

    def test_what_a_gateway_finds_too_large_fails_with_this_reason(self):
        refusal = FlowError(Code.TOO_LARGE, "store: something takes no body of this size", 413)
        self.bench.flow.fail_calls(lambda path: refusal if path == "store" else None)
        task_id = self.run_one(Done("x" * 5000))
        self.again()
        task = self.bench.task(task_id)
        self.assertIs(Status.FAILED, task.status)
        self.assertIn("takes no body of this size", task.schedule_log)

    def blocked(self, *paths):
        """A firewall that lets none of these calls through."""
        self.bench.flow.fail_calls(lambda path: FlowUnreachable(path, 403) if path in paths else None)

    def find_no_way(self, result):
        """Runs a task whose report finds no way, until its time is over; the heartbeats arrive."""
        self.bench.worker._heart.turn()
        task_id = self.run_one(result)
        for _ in range(5):
            self.bench.advance(5)
            self.bench.worker._heart.turn()
            self.bench.worker._sender.turn()
        self.assertIs(Status.EXECUTING, self.bench.task(task_id).status, "it is tried until then")
        self.assertEqual(1, len(self.files()))
        self.bench.advance(4.6)
        self.bench.worker._heart.turn()
        for _ in range(2):
            self.bench.worker._sender.turn()
        return task_id

    def test_report_that_alone_finds_no_way_is_tried_again_with_this_reason(self):
        report = self.bench.flow.report

        def firewall(reports):
            if any(each.result == "<script>" for each in reports):
                raise FlowUnreachable("HTTP 403", 403)
            return report(reports)

        self.bench.flow.report = firewall
        task = self.bench.task(self.find_no_way(Done("<script>")))
        self.assertIn("found no way to flowsvr, while other calls did: HTTP 403", task.schedule_log)
        self.assertEqual((Status.WAITING, 1), (task.status, task.crt_retry_num))
        self.assertEqual([], self.files())
        self.assertEqual(1, len([*self.root.glob("set-aside/*.json")]), "people find what it was")
        self.assertEqual(0, len(self.bench.worker._runs))

    def test_upload_that_is_never_let_through_is_tried_again_with_this_reason(self):
        self.blocked("store")
        task = self.bench.task(self.find_no_way(Done("x" * 5000)))
        self.assertIn("found no way", task.schedule_log)

    def test_firewall_that_lets_nothing_through_is_an_outage(self):
        self.bench.worker._heart.turn()
        self.blocked("task/set_tasks", "worker/heartbeat", "store")
        task_id = self.run_one(Done("kept"))
        for _ in range(3):
            self.bench.clock.advance(6)
            self.bench.worker._heart.turn()
            self.bench.worker._sender.turn()
        self.bench.clock.advance(86_400)
        self.bench.worker._sender.turn()
        self.assertEqual(1, len(self.files()))
        self.bench.flow.fail_calls(None)
        self.again()
        self.assertEqual("kept", self.bench.task(task_id).result)

    def test_refused_key_is_waited_for(self):
        refusal = FlowError(Code.NOT_AUTHENTICATED, "no key", 401)
        self.bench.flow.fail_calls(lambda path: refusal if path == "task/set_tasks" else None)
        task_id = self.run_one(Done())
        self.assertTrue(self.bench.worker._sender.is_behind)
        self.bench.flow.fail_calls(None)
        self.again()
        self.assertEqual(Status.SUCCESS, self.bench.task(task_id).status)

    def test_reasons_are_cut_and_cleaned(self):
        from asyncflow.reports import fit

        self.assertEqual("a\ufffdb?c", fit("a\0b\ud800c"))
        self.assertEqual(1000, len(fit("é" * 2000)))
