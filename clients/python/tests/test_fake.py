import asyncio
import inspect
import json
import unittest
from pathlib import Path

from asyncflow import AsyncFlowClient, Code, FlowClient, FlowError, NewTask, Status, TaskType
from asyncflow.model import Report
from asyncflow.client import object_key
from asyncflow.testing import _CALLS, FakeFlow

#: The calls at the bounds of what the server takes, with its answers.
WRONG_CALLS = Path(__file__).parents[3] / "flowsvr/src/test/resources/wrong-calls.json"


def expanded(body):
    """The body, with what it repeats written out."""
    if isinstance(body, list):
        return [expanded(each) for each in body]
    if not isinstance(body, dict):
        return body
    if body.keys() != {"times", "of"}:
        return {name: expanded(value) for name, value in body.items()}
    times, of = body["times"], expanded(body["of"])
    if isinstance(of, str) and "#" not in of:
        return of * times
    return [json.loads(json.dumps(of).replace("#", str(i))) for i in range(times)]


class FakeTest(unittest.TestCase):
    """The server in memory keeps the contract."""

    def setUp(self):
        self.flow = FakeFlow("lark")

    def create(self, **members):
        return self.flow.create(NewTask("lark", "a", "ada", **members)).task_id

    def hold(self, name="h", limit=10):
        return self.flow.hold("lark", "w", name, limit=limit, stages=[]).tasks

    def report(self, task, outcome="SUCCESS", **members):
        report = Report(task.task_id, "w", task.lease_epoch, outcome, **members)
        return self.flow.report([report])[0]

    def test_due_order_is_that_of_priority_then_age(self):
        late, first, second = self.create(delay=5), self.create(priority=60), self.create()
        self.assertEqual([first, second], [task.task_id for task in self.hold()])
        self.flow.advance(5)
        self.assertEqual([late], [task.task_id for task in self.hold("h2")])

    def test_key_names_one_task(self):
        first = self.flow.create(NewTask("lark", "a", "ada", idempotency_key="k"))
        again = self.flow.create(NewTask("lark", "a", "ada", idempotency_key="k"))
        self.assertEqual((first.task_id, "EXISTING"), (again.task_id, again.outcome))
        self.assertEqual(first.task_id, self.flow.find("lark", "k").task_id)
        with self.assertRaises(FlowError) as caught:
            self.flow.create(NewTask("lark", "b", "ada", idempotency_key="k"))
        self.assertEqual(Code.IDEMPOTENCY_CONFLICT, caught.exception.code)

    def test_tasks_of_one_call_are_created_all_or_none(self):
        self.flow.create(NewTask("lark", "a", "ada", idempotency_key="k"))
        fresh = NewTask("lark", "a", "ada", idempotency_key="fresh")
        for clash in (
            NewTask("lark", "b", "ada", idempotency_key="k"),
            NewTask("lark", "b", "ada", idempotency_key="fresh"),
        ):
            with self.assertRaises(FlowError) as caught:
                self.flow.create_all([NewTask("lark", "a", "ada"), fresh, clash])
            self.assertEqual(Code.IDEMPOTENCY_CONFLICT, caught.exception.code)
            self.assertEqual(1, len(self.flow.list("lark").tasks))
        made = self.flow.create_all([fresh, fresh])
        self.assertEqual(["CREATED", "EXISTING"], [each.outcome for each in made])
        self.assertEqual(1, len({each.task_id for each in made}))

    def test_report_whose_tasks_are_refused_changes_nothing(self):
        self.create()
        self.flow.create(NewTask("lark", "a", "ada", delay=60, idempotency_key="k"))
        (task,) = self.hold()
        creates = [NewTask("lark", "b", "ada"), NewTask("lark", "b", "ada", idempotency_key="k")]
        refused = self.report(task, creates=[each.to_wire() for each in creates])
        self.assertEqual(("REFUSED", Code.IDEMPOTENCY_CONFLICT), (refused.outcome, refused.code))
        self.assertEqual(2, len(self.flow.list("lark").tasks))
        self.assertIs(Status.EXECUTING, self.flow.get(task.task_id).status)
        self.assertEqual("ACCEPTED", self.report(task, "FAIL").outcome)
        self.assertIs(Status.FAILED, self.flow.get(task.task_id).status)

    def test_trace_of_the_create_goes_on(self):
        trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        parents = [trace, None]
        self.flow = FakeFlow("lark", trace_parent=lambda: parents.pop(0))
        traced, plain = self.create(), self.create()
        first, second = self.hold()
        self.assertEqual([(traced, trace), (plain, None)], [(t.task_id, t.trace_parent) for t in (first, second)])
        self.report(first, creates=[NewTask("lark", "b", "ada").to_wire()])
        self.report(second, creates=[NewTask("lark", "b", "ada").to_wire()])
        self.assertEqual([trace, None], [task.trace_parent for task in self.hold("h2")])

    def delays(self, **settings):
        self.flow.save_type(TaskType("lark", max_retry_num=6, **settings))
        self.create()
        delays = []
        for _ in range(6):
            (task,) = self.hold(f"h{len(delays)}")
            self.report(task, "RETRY")
            task = self.flow.get(task.task_id)
            delays.append((task.order_time - self.flow._server.now) // 1000)
            self.flow.advance(delays[-1])
        return delays

    def test_retries_with_both_intervals(self):
        self.assertEqual([5, 10, 20, 30, 30, 30], self.delays(retry_interval=5, max_retry_interval=30))

    def test_retries_with_one_interval(self):
        self.assertEqual([1, 2, 4, 8, 10, 10], self.delays(retry_interval=10))

    def test_retries_after_the_cap_is_removed(self):
        self.flow.save_type(TaskType("lark", retry_interval=5, max_retry_interval=30))
        self.flow.save_type(TaskType("lark"), removed=["max_retry_interval"])
        self.assertEqual([1, 2, 4, 5, 5, 5], self.delays())

    def test_retries_with_a_negative_interval(self):
        self.assertEqual([7] * 6, self.delays(retry_interval=-7))

    def test_retries_at_once(self):
        self.assertEqual([0] * 6, self.delays(retry_interval=0))

    def test_each_hold_gets_one_report(self):
        self.create()
        (task,) = self.hold()
        self.assertEqual("ACCEPTED", self.report(task, "SNOOZE", delay_ms=0, report_id="r").outcome)
        self.assertEqual("ALREADY_DONE", self.report(task, "SNOOZE", delay_ms=0, report_id="r").outcome)
        self.assertEqual(Code.LEASE_LOST, self.report(task, report_id="other").code)
        (task,) = self.hold("h2")
        self.report(task)
        self.assertEqual(Code.TRANSITION_NOT_ALLOWED, self.report(task).code)

    def test_late_report_counts_while_nobody_else_holds_the_task(self):
        self.create()
        (task,) = self.hold()
        self.flow.advance(31)
        self.assertIs(Status.WAITING, self.flow.get(task.task_id).status)
        self.assertEqual("ACCEPTED", self.report(task).outcome)

    def test_hold_before_a_retry_may_not_report(self):
        task_id = self.create(priority=60)
        (task,) = self.hold()
        self.flow.cancel(task_id)
        self.flow.retry(task_id)
        self.assertEqual(Code.LEASE_LOST, self.report(task).code)
        waiting = self.flow.get(task_id)
        self.assertEqual((Status.WAITING, self.flow._server.now - 60_000), (waiting.status, waiting.order_time))
        (task,) = self.hold("h2")
        self.assertEqual("ACCEPTED", self.report(task, "FAIL", report_id="r").outcome)
        self.flow.retry(task_id)
        self.assertEqual("ALREADY_DONE", self.report(task, "FAIL", report_id="r").outcome)

    def test_hold_before_a_pause_may_not_report(self):
        task_id = self.create()
        (task,) = self.hold()
        self.flow.advance(31)
        self.flow.pause(task_id)
        self.assertEqual(Code.LEASE_LOST, self.report(task).code)
        self.flow.resume(task_id)
        self.assertEqual(Code.LEASE_LOST, self.report(task).code)
        (task,) = self.hold("h2")
        self.assertEqual("ACCEPTED", self.report(task).outcome)

    def test_lost_worker_costs_no_attempt(self):
        self.flow.save_type(TaskType("lark", lease_seconds=2, max_processing_time=60))
        task_id = self.create()
        (task,) = self.hold()
        self.flow.heartbeat("w", [{"taskId": task_id, "leaseEpoch": task.lease_epoch}])
        self.flow.advance(5)
        lost = self.flow.get(task_id)
        self.assertEqual((Status.WAITING, 0, 1), (lost.status, lost.crt_retry_num, lost.delivery_count))

    def test_attempt_that_beats_until_its_end_has_failed(self):
        self.flow.save_type(TaskType("lark", lease_seconds=2, max_processing_time=3))
        task_id = self.create()
        (task,) = self.hold()
        for _ in range(29):
            self.flow.heartbeat("w", [{"taskId": task_id, "leaseEpoch": task.lease_epoch}])
            self.flow.advance(0.1)
        self.flow.advance(1)
        late = self.flow.get(task_id)
        self.assertEqual((Status.WAITING, 1, 1), (late.status, late.crt_retry_num, late.delivery_count))

    def told(self, call, body):
        """The code and the message of a refusal; 0 and None if there is none."""
        try:
            if call == "store/put":
                self.flow.put(body["key"], body["workerId"], b"abc")
                answer = None
            elif call == "store/open":
                answer = self.flow._http.send("GET", "/api/store/" + body["key"], None, {})
            else:
                answer = self.flow.call(call, **body)
        except FlowError as e:
            return int(e.code), str(e)
        outcomes = answer.get("outcomes") or [] if isinstance(answer, dict) else []
        refused = ((int(each["code"]), each["msg"]) for each in outcomes if isinstance(each, dict))
        return next((each for each in refused if each[0]), (0, None))

    def test_fake_refuses_what_the_server_refuses(self):
        self.flow.save_type(TaskType("refused"))
        others, refused = [], set()
        for item in json.loads(WRONG_CALLS.read_text(encoding="utf-8")):
            if item["call"] in _CALLS or item["call"].startswith("store/"):
                told = self.told(item["call"], expanded(item["body"]))
                refused.update({item["call"]} if told[0] else ())
                if told != (item["code"], item.get("message")):
                    others.append((told, json.dumps(item)[:300]))
        self.assertEqual([], others)
        self.assertEqual({*_CALLS, "store/put", "store/open"}, refused)

    def test_store_takes_what_the_holder_may_write(self):
        task_id = self.create()
        (task,) = self.hold()
        with self.assertRaises(FlowError) as caught:
            self.flow.put(object_key(task_id, "b", task.lease_epoch, "n"), "w", b"")
        self.assertEqual(Code.INVALID_INPUT, caught.exception.code)
        for path in ("no/key", object_key(task_id, "a", task.lease_epoch, "n")):
            with self.assertRaises(FlowError) as caught:
                self.flow._http.send("PUT", "/api/store/" + path, b"", {})
            self.assertEqual(Code.INVALID_INPUT, caught.exception.code)

    def test_poison_fails(self):
        self.flow.save_type(TaskType("lark", max_delivery=2))
        task_id = self.create()
        for n in range(3):
            self.hold(f"h{n}")
            self.flow.advance(31)
        self.assertIs(Status.FAILED, self.flow.get(task_id).status)

    def test_pages(self):
        made = [self.create() for _ in range(5)]
        page = self.flow.list("lark", Status.WAITING, limit=2)
        self.assertEqual(made[:-3:-1], [task.task_id for task in page.tasks])
        self.assertEqual(made[::-1], [task.task_id for task in self.flow.all("lark")])
        self.assertEqual([], self.flow.list_of_user("bob").tasks)

    def test_acts(self):
        task_id = self.create()
        self.flow.pause(task_id)
        self.assertEqual([], self.hold())
        self.flow.resume(task_id)
        self.flow.cancel(task_id)
        self.assertEqual(task_id, self.flow.retry(task_id))
        self.assertEqual(1, len(self.hold()))

    def test_unknown_type(self):
        with self.assertRaises(FlowError) as caught:
            self.flow.create(NewTask("wren", "a", "ada"))
        self.assertEqual(Code.NO_SUCH_TASK_TYPE, caught.exception.code)

    def busy(self, times):
        """So many reads of a task are refused, as by a server that sheds load or has no database."""
        left = [FlowError(Code.UNAVAILABLE, "no database", 503, True)] * times
        self.flow.fail_calls(lambda path: left.pop() if path == "task/getTask" and left else None)

    def test_waits_go_on_through_what_may_pass(self):
        task_id = self.create()
        self.flow.cancel(task_id)
        self.busy(1)
        self.assertIs(Status.CANCELLED, self.flow.wait(task_id, 10, first_pause=0.001).status)
        self.busy(1)
        waiting = AsyncFlowClient(self.flow).wait(task_id, 10)
        self.assertIs(Status.CANCELLED, asyncio.run(waiting).status)

    def test_waits_that_nothing_answers_end_with_their_time(self):
        task_id = self.create()
        self.busy(10_000)
        with self.assertRaises(TimeoutError):
            self.flow.wait(task_id, 0.01, first_pause=0.001)
        with self.assertRaises(asyncio.TimeoutError):
            asyncio.run(AsyncFlowClient(self.flow).wait(task_id, 0.01))

    def test_waits_end_with_what_does_not_pass(self):
        with self.assertRaises(FlowError) as caught:
            asyncio.run(AsyncFlowClient(self.flow).wait("7_lark_task_1", 10))
        self.assertEqual(Code.NO_SUCH_TASK, caught.exception.code)

    def test_async_client(self):
        async def application():
            flow = AsyncFlowClient(self.flow)
            made = await flow.create_all([NewTask("lark", "a", "ada")])
            await flow.cancel(made[0].task_id)
            return await flow.wait(made[0].task_id, 5)

        self.assertIs(Status.CANCELLED, asyncio.run(application()).status)

    def test_asyncio_has_the_calls_of_the_client(self):
        of_workers = {"put", "open", "hold", "report", "heartbeat", "with_timeout", "close"}
        calls = {name: call for name, call in vars(FlowClient).items() if inspect.isfunction(call)}
        for name in sorted(name for name in calls.keys() - of_workers if not name.startswith("_")):
            expected = [*inspect.signature(calls[name]).parameters]
            if name == "wait":
                expected.remove("first_pause")
            same = getattr(AsyncFlowClient, name)
            self.assertEqual(expected, [*inspect.signature(same).parameters], name)

    def test_asyncio_lists_and_acts(self):
        ids = [self.create() for _ in range(3)]

        async def act():
            flow = AsyncFlowClient(self.flow)
            await flow.pause(ids[0])
            page = await flow.list("lark", Status.WAITING, limit=1)
            rest = await flow.list("lark", Status.WAITING, limit=1, cursor=page.next_cursor)
            await flow.save_type(
                TaskType("lark", retry_interval=5), removed=iter(["max_retry_interval"]), operator="ann", reason="why"
            )
            (lark,) = await flow.types()
            tasks = page.tasks + rest.tasks + (await flow.list_of_user("ada", Status.PAUSED)).tasks
            await flow.resume(ids[0])
            return tasks, lark.retry_interval, [task.task_id async for task in flow.all("lark", Status.WAITING)]

        tasks, interval, waiting = asyncio.run(act())
        self.assertEqual(ids[::-1], [task.task_id for task in tasks])
        self.assertEqual((5, ids[::-1]), (interval, waiting))
