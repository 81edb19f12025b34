import asyncio
import http.server
import json
import os
import tempfile
import threading
import unittest
import urllib.parse

from asyncflow import (
    AsyncFlowClient,
    Code,
    FlowClient,
    FlowError,
    FlowUnreachable,
    NewTask,
    ObjectGone,
    Status,
    Task,
    TaskType,
    trace,
)
from asyncflow.connection import Cut
from asyncflow.model import from_wire
from asyncflow.run import Run

TASK = {
    "taskId": "7_lark_task_1",
    "taskType": "lark",
    "taskStage": "a",
    "userId": "ada",
    "status": 4,
    "newMember": {"of": "a later server"},
}


class Server:
    """A server of HTTP that answers as it was told, and keeps the requests."""

    def __init__(self) -> None:
        self.requests = []
        self.answers = []
        self.waiting = threading.Event()
        self.release = threading.Event()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                size = int(self.headers.get("Content-Length", 0))
                outer.requests.append((self.path, self.headers, self.rfile.read(size), self.client_address))
                status, body = outer.answers.pop(0)
                if status == 0:
                    outer.waiting.set()
                    outer.release.wait(10)
                    self.close_connection = True
                    return
                data = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_PUT = do_POST

            def log_message(self, *_: object) -> None:
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        self.thread = threading.Thread(target=self.http.serve_forever, args=(0.01,), daemon=True)
        self.thread.start()

    def close(self) -> None:
        self.release.set()
        self.http.shutdown()
        self.http.server_close()


def ok(result):
    return 200, {"msg": "ok", "code": 0, "result": result}


def refusal(status, code, **members):
    return status, {"msg": "no", "code": code, "result": None, **members}


class ClientTest(unittest.TestCase):
    def setUp(self):
        self.server = Server()
        self.addCleanup(self.server.close)
        self.client = FlowClient(self.server.url, key="s3cret")
        self.addCleanup(self.client.close)

    def answer(self, *answers):
        self.server.answers += answers

    def test_create_sends_what_the_contract_names(self):
        self.answer(ok({"taskId": "7_lark_task_1", "outcome": "CREATED"}))
        task = NewTask("lark", "a", "ada", {"é": 1}, idempotency_key="k", delay=1.5, key_until_done=True)
        self.assertEqual("7_lark_task_1", self.client.create(task).task_id)
        path, headers, body, _ = self.server.requests[0]
        self.assertEqual("/api/task/createTask", path)
        self.assertEqual("Bearer s3cret", headers["Authorization"])
        self.assertEqual(
            {
                "taskType": "lark",
                "taskStage": "a",
                "userId": "ada",
                "taskContext": '{"é":1}',
                "idempotencyKey": "k",
                "delayMs": 1500,
                "keyUntilDone": 1,
            },
            json.loads(body)["taskData"],
        )

    def test_calls_carry_the_trace_of_their_span(self):
        parents = ["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", None]
        traced = FlowClient(self.server.url, trace_parent=lambda: parents[len(self.server.requests)])
        self.answer(*[ok({"taskId": "7_lark_task_1", "outcome": "CREATED"})] * 2)
        for _ in parents:
            traced.create(NewTask("lark", "a", "ada"))
        self.assertEqual(parents, [headers["traceparent"] for _, headers, _, _ in self.server.requests])
        traced.close()

    def test_calls_of_a_handler_carry_the_trace_of_its_run(self):
        parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        self.answer(*[ok({"taskData": TASK})] * 2)
        run = Run(from_wire(Task, {**TASK, "traceParent": parent}), None, None)
        with trace.handling([run]):
            self.client.get("7_lark_task_1")
        self.client.get("7_lark_task_1")
        self.assertEqual([parent, None], [headers["traceparent"] for _, headers, _, _ in self.server.requests])

    def test_settings_of_a_type_are_removed_by_name(self):
        self.answer(ok(None))
        self.client.save_type(TaskType("lark", retry_interval=5), removed=["max_retry_interval"])
        self.assertEqual(
            {"task_type": "lark", "retry_interval": 5, "max_retry_interval": None},
            json.loads(self.server.requests[0][2]),
        )
        for settings, name in ((TaskType("lark"), "paused"), (TaskType("lark", max_retry_interval=5), "max_retry_interval")):
            with self.assertRaisesRegex(ValueError, name):
                self.client.save_type(settings, removed=[name])

    def test_saves_say_who_makes_them_and_why(self):
        self.answer(*[ok(None)] * 3)
        lark = TaskType("lark", retry_interval=5)
        self.client.save_type(lark, operator="ann", reason="too slow")
        self.client.save_type(lark)
        asyncio.run(AsyncFlowClient(self.client).save_type(lark, operator="ann", reason="too slow"))
        plain = {"task_type": "lark", "retry_interval": 5}
        said = {**plain, "operator": "ann", "reason": "too slow"}
        self.assertEqual([said, plain, said], [json.loads(body) for _, _, body, _ in self.server.requests])

    def test_members_of_later_servers_are_ignored(self):
        self.answer(ok({"taskData": TASK}))
        task = self.client.get("7_lark_task_1")
        self.assertIs(Status.SUCCESS, task.status)

    def test_refusal_names_the_bad_fields(self):
        errors = [{"field": "taskData.userId", "message": "is required"}]
        self.answer(refusal(400, 8020, errors=errors, retryable=False))
        with self.assertRaises(FlowError) as caught:
            self.client.create(NewTask("lark", "a", ""))
        self.assertEqual((Code.INVALID_INPUT, 400), (caught.exception.code, caught.exception.status))
        self.assertEqual((("taskData.userId", "is required"),), caught.exception.fields)

    def test_page_of_a_gateway_is_no_answer(self):
        pages = [(status, b"<html>") for status in (200, 302, 404, 500, 503, 520)]
        others = [(404, {"code": 404}), (404, {"code": "404"}), (500, []), (200, {}), (500, {"code": 0})]
        for page in (*pages, *others):
            self.answer(page)
            with self.subTest(page), self.assertRaisesRegex(FlowUnreachable, f"HTTP {page[0]}.*not flowsvr"):
                self.client.get("7_lark_task_1")

    def test_failure_of_the_server_is_an_answer(self):
        self.answer(refusal(500, 8099))
        with self.assertRaises(FlowError) as caught:
            self.client.get("7_lark_task_1")
        self.assertEqual((Code.INTERNAL, False), (caught.exception.code, caught.exception.retryable))

    def test_nobody_listens(self):
        self.server.close()
        with self.assertRaises(FlowUnreachable) as caught:
            self.client.get("7_lark_task_1")
        self.assertTrue(caught.exception.retryable)

    def test_connection_is_kept_after_answers_and_refusals(self):
        self.answer(ok({"taskData": TASK}), refusal(404, 8035), ok({"taskData": TASK}))
        self.client.get("1")
        with self.assertRaises(FlowError):
            self.client.get("2")
        self.client.get("3")
        self.assertEqual(1, len({request[3] for request in self.server.requests}))

    def test_replaced_key_is_tried_at_once(self):
        with tempfile.TemporaryDirectory() as directory:
            file = os.path.join(directory, "key")
            with open(file, "w") as out:
                out.write("old\n")
            client = FlowClient(self.server.url, key_file=file)
            self.addCleanup(client.close)

            def replace(*_):
                with open(file + ".new", "w") as out:
                    out.write("newer\n")
                os.replace(file + ".new", file)
                return refusal(401, 8070)

            self.server.answers = Answers(replace, lambda: ok({"taskData": TASK}))
            client.get("7_lark_task_1")
        keys = [headers["Authorization"] for _, headers, _, _ in self.server.requests]
        self.assertEqual(["Bearer old", "Bearer newer"], keys)

    def test_waiting_call_is_cut(self):
        self.answer((0, None))
        cut = Cut()
        caught = []

        def hold():
            try:
                self.client.hold("lark", "w", "h", limit=1, stages=["a"], wait=20, cut=cut)
            except FlowUnreachable as e:
                caught.append(e)

        thread = threading.Thread(target=hold)
        thread.start()
        self.assertTrue(self.server.waiting.wait(10))
        cut.now()
        thread.join(5)
        self.assertEqual(1, len(caught))
        with self.assertRaises(FlowUnreachable):
            self.client.hold("lark", "w", "h", limit=1, stages=["a"], cut=cut)
        self.assertEqual(1, len(self.server.requests))

    def test_objects_are_sent_with_their_digest_and_streamed(self):
        key = "7_lark_task_1/a/1/x.wav"
        self.answer(ok(None), (200, b"sound"), refusal(404, 8037))
        self.client.put(key, "w 1", b"sound")
        path, headers, body, _ = self.server.requests[0]
        self.assertEqual(f"/api/store/{key}?workerId={urllib.parse.quote('w 1')}", path)
        self.assertEqual(b"sound", body)
        self.assertRegex(headers["Content-Digest"], "^sha-256=:.{43}=:$")
        with self.client.open(key) as stored:
            self.assertEqual((b"so", b"und"), (stored.read(2), stored.read()))
        with self.assertRaises(ObjectGone):
            self.client.open(key)

    def test_urls_and_keys_that_cannot_work_are_refused(self):
        for url in ("ftp://x", "http://", "http://x/api", "http://x?y=1"):
            with self.assertRaises(ValueError):
                FlowClient(url)
        with self.assertRaises(ValueError) as caught:
            FlowClient("http://127.0.0.1", key="a secret")
        self.assertNotIn("secret", str(caught.exception))


class Answers(list):
    """Answers that are made when they are asked for."""

    def pop(self, index=0):
        return super().pop(index)()

    def __init__(self, *makers):
        super().__init__(makers)
