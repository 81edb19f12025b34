import asyncio
import http.client
import http.server
import io
import json
import os
import signal
import socket
import sys
import tempfile
import threading
import time
import unittest
import urllib.parse
from unittest import mock

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

KEY = "7_lark_task_1/a/1/x.wav"

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
                status, body, *headers = outer.answers.pop(0)
                if callable(body):
                    body(self.wfile)
                    self.close_connection = True
                    return
                if status == 0:
                    outer.waiting.set()
                    outer.release.wait(10)
                    self.close_connection = True
                    return
                data = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                for name, value in headers:
                    self.send_header(name, value)
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


def an_object(data):
    """An object, as flowsvr sends it."""
    return 200, data, ("Content-Type", "application/octet-stream"), ("X-Trace-Id", "7")


#: The head of an object without its end.
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nX-Trace-Id: 7\r\n"


def refusal(status, code, **members):
    return status, {"msg": "no", "code": code, "result": None, **members}


def raw(*parts, pause=None):
    """An answer as its bytes, after which the connection ends; ``pause`` comes after each part."""

    def write(out):
        try:
            for part in parts:
                out.write(part)
                if pause is not None:
                    pause()
        except OSError:
            pass  # the client has closed it

    return 0, write


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

    def test_success_without_a_result_that_can_be_read_is_no_answer(self):
        calls = (
            lambda: self.client.get("1"),
            lambda: self.client.create(NewTask("lark", "a", "ada")),
            lambda: self.client.create_all([]),
            lambda: self.client.list("lark"),
            lambda: self.client.types(),
            lambda: self.client.retry("1"),
            lambda: self.client.create_job("lark", "ada"),
            lambda: self.client.job("1"),
            lambda: self.client.hold("lark", "w", "h", limit=1, stages=["a"]),
            lambda: self.client.report([]),
            lambda: self.client.heartbeat("w", []),
        )
        for call in calls:
            for result in (None, [], 7, "ok"):
                self.answer(ok(result))
                with self.subTest(result), self.assertRaisesRegex(FlowUnreachable, "cannot be read"):
                    call()
        odd = ({"code": 0}, {"code": "0", "result": {}}, {"code": False, "result": {}}, {"code": 0.0, "result": {}})
        odder = (b"[" * 100_000, b'{"code":Infinity,"result":{}}', b'{"code":8020,"errors":[7]}', b"")
        for body in (*odd, *odder):
            self.answer((200, body))
            with self.subTest(str(body)[:40]), self.assertRaisesRegex(FlowUnreachable, "not flowsvr"):
                self.client.get("1")

    def test_stranger_is_not_asked_again_on_the_same_connection(self):
        self.answer((200, b"<html>"), ok({"taskData": TASK}))
        with self.assertRaises(FlowUnreachable):
            self.client.get("1")
        self.client.get("1")
        self.assertEqual(2, len({request[3] for request in self.server.requests}))

    def test_body_that_is_too_large_for_a_gateway_is_too_large(self):
        for call in (lambda: self.client.get("1"), lambda: self.client.put(KEY, "w", b"x" * 100)):
            self.answer((413, b"<html>"))
            with self.assertRaises(FlowError) as caught:
                call()
            self.assertEqual((Code.TOO_LARGE, 413), (caught.exception.code, caught.exception.status))
            self.assertFalse(caught.exception.may_pass)

    def test_gateway_that_refuses_the_key_may_take_another_one(self):
        self.answer((401, b"<html>"))
        with self.assertRaises(FlowError) as caught:
            self.client.get("1")
        self.assertEqual(Code.NOT_AUTHENTICATED, caught.exception.code)
        self.assertTrue(caught.exception.refuses_key)

    def test_refusal_of_a_body_is_read_before_it_is_sent(self):
        """As of a gateway that answers and closes without reading on."""
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        client = FlowClient(f"http://127.0.0.1:{listener.getsockname()[1]}", timeout=10)

        def refuse():
            sock, _ = listener.accept()
            with sock:
                sock.recv(1)
                sock.sendall(b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n")
                sock.shutdown(socket.SHUT_RD)
                while sock.recv(1 << 16):
                    pass

        thread = threading.Thread(target=refuse)
        thread.start()
        request = http.client.HTTPConnection.request

        def broken(connection, *arguments):
            request(connection, *arguments)
            raise BrokenPipeError

        with mock.patch.object(http.client.HTTPConnection, "request", broken):
            with self.assertRaises(FlowError) as caught:
                client.put(KEY, "w", b"x" * 1000)
        thread.join(10)
        self.assertEqual(Code.TOO_LARGE, caught.exception.code)
        self.assertEqual([], client._http._idle, "what was not sent would be taken for the next call")

    def test_what_a_firewall_refuses_is_not_worth_a_repeat(self):
        """By the table of docs/operating.md, as in Java."""
        for status in (301, 308, 400, 403, 405, 406, 411, 414, 415, 417, 422, 426, 431, 451, 501, 505):
            self.answer((status, b"<html>"))
            with self.assertRaises(FlowUnreachable) as caught:
                self.client.get("1")
            self.assertEqual((status, False), (caught.exception.status, caught.exception.retryable))

    def test_bodies_that_end_early_are_no_answers(self):
        encoding = b"Transfer-Encoding: chunked\r\n\r\n5\r\nsound\r\n"
        chunked = HEAD + encoding
        counted = HEAD + b"X-Body-Bytes: %d\r\n" + encoding + b"0\r\n\r\n"
        for answer in (
            HEAD + b"Content-Length: 9\r\n\r\nsound",
            chunked,
            chunked + b"5\r\nso",
            counted % 6,  # a gateway sends what it has got in chunks
            counted % 4,
            HEAD + b"\r\nsound",  # to the end of the connection, whatever that means
        ):
            for read in (lambda f: f.read(), lambda f: [*iter(lambda: f.read(2), b"")]):
                self.answer(raw(answer))
                with self.subTest(str(answer)[:60]), self.assertRaises(FlowUnreachable):
                    with self.client.open(KEY) as stored:
                        read(stored)
        for whole in (chunked + b"0\r\n\r\n", counted % 5):
            self.answer(raw(whole))
            self.assertEqual(b"sound", self.client.open(KEY).read())
            self.client.close()

    def test_page_is_no_object_and_no_text(self):
        text = f'{{"$stored":"{KEY}","bytes":5000}}'
        page = b"<html>We are down for maintenance</html>"
        strange = (200, b"x" * 5000, ("Content-Type", "application/octet-stream"))
        for answer in ((200, page), (200, page * 125), strange, an_object(b"x" * 4999), an_object(b"x" * 5001)):
            self.answer(answer)
            with self.subTest(str(answer)[:60]), self.assertRaises(FlowUnreachable):
                self.client.text_of(text)
        self.answer((200, page), an_object(b"x" * 5000))
        with self.assertRaises(FlowUnreachable):
            self.client.open(KEY)
        self.assertEqual("x" * 5000, self.client.text_of(text))

    def test_page_after_an_upload_is_no_success(self):
        self.answer((200, b"<html>"))
        with self.assertRaises(FlowUnreachable):
            self.client.put(KEY, "w", b"sound")

    def test_text_that_is_none_is_not_fetched(self):
        with self.assertRaises(FlowError) as caught:
            self.client.text_of(f'{{"$stored":"{KEY}","bytes":99999999999}}')
        self.assertEqual(Code.TOO_LARGE, caught.exception.code)
        for key in ("../../task/getTask", "7_lark_task_1/a/1/x y", ""):
            with self.assertRaises(ValueError):
                self.client.open(key)
        self.assertEqual([], self.server.requests)

    def test_file_that_changes_while_it_is_sent_ends_its_call_alone(self):
        class Changing(io.BytesIO):
            reads = 0

            def read(self, size=-1):
                self.reads += 1
                return super().read(size)

        growing = Changing(b"sound")
        seek = growing.seek

        def grow(place):
            if growing.reads:
                growing.seek = seek
                seek(0, io.SEEK_END)
                growing.write(b" and more")
            return seek(place)

        growing.seek = grow
        self.answer(ok(None), ok({"taskData": TASK}))
        self.client.put(KEY, "w", growing)
        self.assertEqual(b"sound", self.server.requests[0][2])
        self.client.get("1")
        self.assertEqual(1, len({request[3] for request in self.server.requests}))

    def test_time_limit_is_that_of_the_whole_call(self):
        body = json.dumps(ok({"taskData": TASK})[1]).encode()
        head = HEAD + b"Content-Length: %d\r\n\r\n" % len(body)
        client = FlowClient(self.server.url, timeout=0.2)
        text = f'{{"$stored":"{KEY}","bytes":{len(body)}}}'
        for call in (lambda: client.get("1"), lambda: client.put(KEY, "w", b""), lambda: client.text_of(text)):
            pause = threading.Event()
            drip = [bytes([byte]) for byte in head + body]
            self.answer(raw(*drip, pause=lambda: pause.wait(0.02)))
            begin = time.monotonic()
            with self.assertRaisesRegex(FlowUnreachable, "no answer"):
                call()
            pause.set()
            self.assertLess(time.monotonic() - begin, 2)

    def test_stream_may_take_any_time_but_not_be_silent(self):
        client = FlowClient(self.server.url, timeout=0.2)
        head = HEAD + b"Content-Length: 40\r\n\r\n"
        pause = threading.Event()
        self.addCleanup(pause.set)
        self.answer(raw(head, *[b"xx"] * 20, pause=lambda: pause.wait(0.02)))
        self.assertEqual(b"x" * 40, client.open(KEY).read())
        self.answer(raw(head, b"x" * 39, pause=lambda: pause.wait(10)))
        with self.assertRaises(FlowUnreachable), client.open(KEY) as stored:
            stored.read()

    def test_wait_ends_in_time_though_no_answer_comes(self):
        self.answer((0, None), (0, None))
        begin = time.monotonic()
        with self.assertRaises(TimeoutError):
            self.client.wait("1", timeout=0.1)
        self.assertLess(time.monotonic() - begin, 5)

    def test_child_process_has_connections_of_its_own(self):
        self.answer(*[ok({"taskData": TASK})] * 3)
        self.client.get("1")
        with self.client._http._lock:  # as by another thread
            child = os.fork()
            if child == 0:
                signal.alarm(10)
                try:
                    os._exit(self.client.get("1").task_id != TASK["taskId"])
                finally:
                    os._exit(2)
        self.assertEqual((child, 0), os.waitpid(child, 0))
        self.client.get("1")
        parent, ofchild, again = [request[3] for request in self.server.requests]
        self.assertNotEqual(parent, ofchild)
        self.assertEqual(parent, again)

    def test_connection_of_the_parent_is_not_kept_by_the_child(self):
        self.answer(an_object(b"sound"))
        stored = self.client.open(KEY)
        self.client._http.forked()
        self.assertEqual(b"sound", stored.read())
        stored.close()
        self.assertEqual([], self.client._http._idle)

    def test_spool_directory_is_spelled_as_in_java(self):
        for url, name in (
            ("http://[::1]:8081", "http_1_8081"),
            ("http://10.0.0.7:8081/", "http_10.0.0.7_8081"),
            ("https://flow.example.org/a__b", "https_flow.example.org_a_b"),
            ("HTTP://Flow:80", "HTTP_Flow_80"),
        ):
            self.assertEqual(name, FlowClient(url).server_name)

    def test_source_of_spans_that_fails_costs_no_call(self):
        for ask in (lambda: 1 / 0, sys.exit, lambda: b"00", object):
            self.answer(ok({"taskData": TASK}))
            client = FlowClient(self.server.url, trace_parent=ask)
            client.get("1")
            client.close()
        self.assertEqual([None] * 4, [headers["traceparent"] for _, headers, _, _ in self.server.requests])

    def test_half_a_character_is_sent_so_that_the_server_can_name_the_field(self):
        self.answer(refusal(400, 8020))
        with self.assertRaises(FlowError):
            self.client.create(NewTask("lark", "a", "caf\udce9"))
        self.assertEqual("caf\udce9", json.loads(self.server.requests[0][2])["taskData"]["userId"])

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

    def test_address_that_does_not_answer_leaves_time_for_the_others(self):
        find = socket.getaddrinfo
        with socket.socket() as full:
            full.bind(("127.0.0.1", 0))
            full.listen(0)
            waiting = [socket.socket() for _ in range(4)]  # more than it lets in
            for each in waiting:
                self.addCleanup(each.close)
                each.setblocking(False)
                each.connect_ex(full.getsockname())
            silent = find(*full.getsockname(), type=socket.SOCK_STREAM)
            self.answer(ok({"taskData": TASK}))
            client = FlowClient(self.server.url, timeout=0.5)
            self.addCleanup(client.close)
            with mock.patch("socket.getaddrinfo", lambda *a, **k: silent + find(*a, **k)):
                client.get("1")
            with mock.patch("socket.getaddrinfo", lambda *_, **__: []), self.assertRaises(FlowUnreachable):
                FlowClient(self.server.url).get("1")

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
        key = KEY
        self.answer(ok(None), an_object(b"sound"), refusal(404, 8037))
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
        for url in ("ftp://x", "http://", "http://x/api", "http://x?y=1", "http://:secret@x"):
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
