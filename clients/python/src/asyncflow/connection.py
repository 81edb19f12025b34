"""HTTP/1.1 to one flowsvr: pooled connections, the key, TLS, and errors as exceptions."""

from __future__ import annotations

import copy
import http.client
import io
import ipaddress
import json
import logging
import os
import select
import socket
import ssl
import threading
import time
import urllib.parse
from typing import Any, BinaryIO, Callable, Dict, List, Mapping, Optional, Tuple, Union

from .model import FlowError, FlowUnreachable
from .trace import parent_of_call

log = logging.getLogger("asyncflow")

CONNECT_TIMEOUT = 3.0
REQUEST_TIMEOUT = 10.0

#: A server closes idle connections; one that was idle for so long is not trusted any more.
LONGEST_IDLE = 10.0

Body = Union[bytes, BinaryIO]


class KeyFile:
    """The key in a file, read again whenever the file changes.

    While the file is missing or empty, the last key counts, so a key is replaced without a
    restart.
    """

    def __init__(self, path: Union[str, os.PathLike[str]]) -> None:
        self._path = path
        self._stamp = self._stat()
        self._key = self._read()

    def __call__(self) -> str:
        try:
            stamp = self._stat()
            if stamp != self._stamp:
                self._key = self._read()
                self._stamp = stamp
        except (OSError, ValueError):
            pass  # it is being replaced
        return self._key

    def _stat(self) -> Tuple[int, int, int]:
        found = os.stat(self._path)
        return found.st_mtime_ns, found.st_ino, found.st_size

    def _read(self) -> str:
        with open(self._path, encoding="utf-8") as file:
            key = file.read().strip()
        if not key:
            raise ValueError("an empty file has no key in it")
        return checked_key(key)


def checked_key(key: str) -> str:
    """A key that a header can carry. The error does not contain it."""
    if not all("!" <= c <= "~" for c in key):
        raise ValueError("a key consists of printable ASCII characters without white space")
    return key


class Cut:
    """Ends a waiting call from another thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._socket: Optional[socket.socket] = None
        self._is_cut = False

    def now(self) -> None:
        """Ends the call, or the next one before it begins."""
        with self._lock:
            self._is_cut = True
            if self._socket is not None:
                try:
                    # Past TLS, whose own shutdown would talk to the server first.
                    socket.socket.shutdown(self._socket, socket.SHUT_RDWR)
                except OSError:
                    pass  # it has just been closed

    def watch(self, sock: Optional[socket.socket]) -> None:
        """Names the socket of the call that begins, or None when it has ended."""
        with self._lock:
            self._socket = sock
            if self._is_cut and sock is not None:
                raise FlowUnreachable("the call was cut")


class Connections:
    """Calls to one server. Thread-safe: each call has a connection of its own while it lasts."""

    def __init__(
        self,
        url: str,
        key: Optional[Callable[[], str]] = None,
        tls: Optional[ssl.SSLContext] = None,
        timeout: float = REQUEST_TIMEOUT,
        trace_parent: Optional[Callable[[], Optional[str]]] = None,
    ) -> None:
        parts = urllib.parse.urlsplit(url)
        path = parts.path.rstrip("/")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("url must be an http or https URL, such as http://127.0.0.1:8081")
        if parts.query or parts.fragment or parts.username or path == "/api":
            raise ValueError("url must be the address of flowsvr without /api, user and query")
        self._host = parts.hostname
        self._port = parts.port
        self._prefix = path
        self._key = key
        self._timeout = timeout
        self._trace_parent = trace_parent
        self._is_secure = parts.scheme == "https"
        self._tls = (tls or ssl.create_default_context()) if self._is_secure else None
        self._idle: List[Tuple[float, http.client.HTTPConnection]] = []
        self._lock = threading.Lock()
        #: The server as part of a file name.
        self.name = "".join(
            c if c.isascii() and (c.isalnum() or c in ".-") else "_"
            for c in f"{parts.scheme}_{parts.netloc}{path}"
        )
        if key is not None and not self._is_secure and not _is_loopback(self._host):
            log.warning(
                "the key is sent to %s without TLS, so the network can read it: use an https URL",
                parts.netloc,
            )

    def post(
        self, path: str, body: Any, extra_wait: float = 0, cut: Optional[Cut] = None
    ) -> Any:
        """Sends JSON and returns the ``result`` of the answer."""
        data = json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogatepass")
        headers = {"Content-Type": "application/json"}
        with self.send("POST", path, data, headers, extra_wait, cut) as answer:
            return _envelope(path, answer.status, answer.read()).get("result")

    def send(
        self,
        method: str,
        path: str,
        body: Optional[Body],
        headers: Mapping[str, str],
        extra_wait: float = 0,
        cut: Optional[Cut] = None,
    ) -> Answer:
        """Sends a request; the answer is a success whose body has not been read yet."""
        key = self._key() if self._key else None
        try:
            return self._send(method, path, body, headers, extra_wait, cut, key)
        except FlowError as refused:
            # A refused call has done nothing. The key may have been replaced meanwhile.
            again = self._key() if self._key and refused.refuses_key else key
            if again == key or not (body is None or isinstance(body, bytes)):
                raise
            return self._send(method, path, body, headers, extra_wait, cut, again)

    def _send(
        self,
        method: str,
        path: str,
        body: Optional[Body],
        headers: Mapping[str, str],
        extra_wait: float,
        cut: Optional[Cut],
        key: Optional[str],
    ) -> Answer:
        sent: Dict[str, str] = {"Accept": "application/json", **headers}
        if key:
            sent["Authorization"] = "Bearer " + key
        parent = parent_of_call(self._trace_parent)
        if parent:
            sent["traceparent"] = parent
        connection = self._take()
        try:
            try:
                if connection.sock is None:
                    connection.timeout = CONNECT_TIMEOUT
                    connection.connect()
                    assert connection.sock is not None
                    connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                connection.sock.settimeout(self._timeout + extra_wait)
                if cut is not None:
                    cut.watch(connection.sock)
                connection.request(method, self._prefix + path, body, sent)
                response = connection.getresponse()
            except BaseException:
                connection.close()
                raise
            # From here on the answer takes care of the connection.
            answer = Answer(self, connection, response, path)
            if response.status != 200:
                with answer:
                    _envelope(path, response.status, answer.read())
                raise _unreadable(path, response.status)
            if cut is not None:
                answer.load()
            return answer
        except (OSError, http.client.HTTPException) as e:
            raise self._silence(path, e) from e
        finally:
            if cut is not None:
                cut.watch(None)

    def _take(self) -> http.client.HTTPConnection:
        with self._lock:
            while self._idle:
                since, connection = self._idle.pop()
                if time.monotonic() - since < LONGEST_IDLE and _is_open(connection):
                    return connection
                connection.close()
        if self._is_secure:
            return http.client.HTTPSConnection(
                self._host, self._port, timeout=CONNECT_TIMEOUT, context=self._tls
            )
        return http.client.HTTPConnection(self._host, self._port, timeout=CONNECT_TIMEOUT)

    def give_back(self, connection: http.client.HTTPConnection) -> None:
        """Keeps a connection whose answer has been read, for the next call."""
        if connection.sock is not None:
            with self._lock:
                self._idle.append((time.monotonic(), connection))

    def with_timeout(self, timeout: float) -> Connections:
        """The same server and key, with connections of its own and another time limit."""
        other = copy.copy(self)
        other._timeout = timeout
        other._idle = []
        other._lock = threading.Lock()
        return other

    def close(self) -> None:
        """Closes the idle connections."""
        with self._lock:
            for _, connection in self._idle:
                connection.close()
            self._idle.clear()

    def _silence(self, path: str, cause: Exception) -> FlowUnreachable:
        place = f"{self._host}:{self._port}" if self._port else self._host
        return FlowUnreachable(f"{path}: no answer from {place}: {cause or type(cause).__name__}")


class Answer(io.RawIOBase):
    """A successful answer. Leaving the context returns its connection to the pool."""

    def __init__(
        self,
        pool: Connections,
        connection: http.client.HTTPConnection,
        response: http.client.HTTPResponse,
        path: str,
    ) -> None:
        self._pool = pool
        self._connection = connection
        self._response = response
        self._path = path
        self._loaded: Optional[bytes] = None
        self.status = response.status

    def load(self) -> None:
        """Reads the whole body now."""
        self._loaded = self.read()

    def read(self, size: int = -1) -> bytes:
        """The body, or the next part of it. Never ends early: a broken connection is an error."""
        if self._loaded is not None:
            loaded, self._loaded = self._loaded, None
            return loaded
        try:
            data = self._response.read(None if size < 0 else size)
            if size > 0 and not data and self._response.length:
                raise http.client.IncompleteRead(b"", self._response.length)
            return data
        except (OSError, http.client.HTTPException) as e:
            raise self._pool._silence(self._path, e) from e

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def __enter__(self) -> Answer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Gives the connection back, or closes it if the body was not read to its end."""
        if self.closed:
            return
        super().close()
        if self._response.isclosed() and not self._response.will_close:
            self._pool.give_back(self._connection)
        else:
            self._connection.close()


def _envelope(path: str, status: int, body: bytes) -> Dict[str, Any]:
    try:
        envelope = json.loads(body)
        code = int(envelope["code"])
    except (ValueError, KeyError, TypeError):
        raise _unreadable(path, status) from None
    if code == 0 and status == 200:
        return envelope  # type: ignore[no-any-return]
    if not 8000 <= code < 9000:  # no code of flowsvr, such as {"code": 404} of a gateway
        raise _unreadable(path, status)
    fields = [(bad.get("field", ""), bad.get("message", "")) for bad in envelope.get("errors") or ()]
    message = f"{path}: {envelope.get('msg')} ({code})"
    raise FlowError(code, message, status, bool(envelope.get("retryable")), fields)


def _unreadable(path: str, status: int) -> FlowUnreachable:
    return FlowUnreachable(
        f"{path}: what answers (HTTP {status}) is not flowsvr; check that the URL is right and that"
        " no proxy answers in its place"
    )


def _is_open(connection: http.client.HTTPConnection) -> bool:
    """Whether the server has not closed an idle connection: then it would be readable."""
    sock = connection.sock
    if sock is None:
        return False
    try:
        poll = select.poll()
        poll.register(sock, select.POLLIN)
        return not poll.poll(0)
    except (OSError, ValueError):
        return False


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
