"""HTTP/1.1 to one flowsvr: pooled connections, the key, TLS, and errors as exceptions."""

from __future__ import annotations

import copy
import http.client
import io
import ipaddress
import json
import logging
import os
import re
import select
import socket
import ssl
import threading
import time
import urllib.parse
from typing import Any, BinaryIO, Callable, Dict, List, Mapping, Optional, Tuple, Union

from .forks import after_fork
from .model import Code, FlowError, FlowUnreachable
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


class _Connection(http.client.HTTPConnection):
    """A connection with one limit for a whole call: each read and write has what is left of it.

    After ``stream`` the limit is that of a silence. ``home`` is where it waits for the next call.
    """

    def __init__(self, host: str, port: int, tls: Optional[ssl.SSLContext], home: Any) -> None:
        super().__init__(host, port)
        self.default_port = 443 if tls else 80
        self.response_class = self._response  # type: ignore[assignment]
        self.home = home
        self._tls = tls
        self._limit = 0.0
        self._end: Optional[float] = None

    def begin(self, limit: float) -> None:
        """Begins a call."""
        self._limit = limit
        self._end = time.monotonic() + limit

    def stream(self) -> None:
        """From now on the answer may take any time, but not be silent."""
        self._end = None

    def left(self) -> float:
        """Seconds until the call must end."""
        if self._end is None:
            return self._limit
        left = self._end - time.monotonic()
        if left <= 0:
            raise socket.timeout(f"it is not complete within {self._limit:g} s")
        return left

    def connect(self) -> None:
        """Connects to the first address that answers; none takes the time of the others."""
        end = time.monotonic() + min(CONNECT_TIMEOUT, self.left())
        addresses = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
        failure = OSError(f"{self.host} has no address")
        for tried, (family, kind, protocol, _, address) in enumerate(addresses):
            sock = socket.socket(family, kind, protocol)
            try:
                sock.settimeout(max(0.01, end - time.monotonic()) / (len(addresses) - tried))
                sock.connect(address)
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                sock.settimeout(max(0.01, end - time.monotonic()))
                self.sock = self._tls.wrap_socket(sock, server_hostname=self.host) if self._tls else sock
                return
            except OSError as e:
                sock.close()
                failure = e
            except BaseException:
                sock.close()
                raise
        raise failure

    def send(self, data: Any) -> None:
        """Sends a part of a request."""
        self.sock.settimeout(self.left())
        super().send(data)

    def _response(self, sock: socket.socket, *arguments: Any, **named: Any) -> http.client.HTTPResponse:
        incoming: Any = _Incoming(self, sock)
        return http.client.HTTPResponse(incoming, *arguments, **named)


class _Incoming(io.RawIOBase):
    """What arrives on a connection, within the limit of its call."""

    def __init__(self, connection: _Connection, sock: socket.socket) -> None:
        self._connection = connection
        self._sock = sock
        self._bytes: Any = sock.makefile("rb", 0)

    def makefile(self, _: str) -> BinaryIO:
        """All that a response asks of its socket."""
        return io.BufferedReader(self)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> Optional[int]:
        self._sock.settimeout(self._connection.left())
        return self._bytes.readinto(buffer)  # type: ignore[no-any-return]

    def close(self) -> None:
        self._bytes.close()
        super().close()


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
        if not timeout > 0:
            raise ValueError("timeout must be seconds above 0")
        parts = urllib.parse.urlsplit(url)
        path = parts.path.rstrip("/")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("url must be an http or https URL, such as http://127.0.0.1:8081")
        if parts.query or parts.fragment or "@" in parts.netloc or path == "/api":
            raise ValueError("url must be the address of flowsvr without /api, user and query")
        self._host = parts.hostname
        self._port = parts.port or (443 if parts.scheme == "https" else 80)
        self._prefix = path
        self._key = key
        self._timeout = timeout
        self._trace_parent = trace_parent
        self._is_secure = parts.scheme == "https"
        self._tls = (tls or ssl.create_default_context()) if self._is_secure else None
        self._renew()
        after_fork(self)
        #: The server as part of a file name, spelled as the Java SDK does.
        scheme = url.strip().split(":")[0]
        place = parts.netloc + urllib.parse.unquote(path)
        self.name = re.sub("[^A-Za-z0-9.-]+", "_", f"{scheme}_{place}")
        if key is not None and not self._is_secure and not _is_loopback(self._host):
            log.warning(
                "the key is sent to %s without TLS, so the network can read it: use an https URL",
                parts.netloc,
            )

    def post(
        self, path: str, body: Any, extra_wait: float = 0, cut: Optional[Cut] = None
    ) -> Any:
        """Sends JSON and returns the ``result`` of the answer."""
        data = _json(body)
        headers = {"Content-Type": "application/json"}
        return self._with_key("POST", path, data, headers, extra_wait, cut).envelope()["result"]

    def send(
        self,
        method: str,
        path: str,
        body: Optional[Body],
        headers: Mapping[str, str],
        extra_wait: float = 0,
    ) -> BinaryIO:
        """Puts an object, or gets one as a stream, of any size unless ``extra_wait`` limits it."""
        answer = self._with_key(method, path, body, headers, extra_wait, None)
        if method == "GET":
            return io.BufferedReader(answer, 1 << 16)
        answer.envelope()
        return io.BytesIO()

    def _with_key(
        self,
        method: str,
        path: str,
        body: Optional[Body],
        headers: Mapping[str, str],
        extra_wait: float,
        cut: Optional[Cut],
    ) -> Answer:
        """Sends a request; the answer has status 200, and its body has not been read yet."""
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
        connection.begin(self._timeout + extra_wait)
        try:
            try:
                if connection.sock is None:
                    connection.connect()
                if cut is not None:
                    cut.watch(connection.sock)
                try:
                    connection.request(method, self._prefix + path, body, sent)
                except (BrokenPipeError, ConnectionResetError):
                    connection.home = None  # a refusal of a body may come before it is sent
                response = connection.getresponse()
            except BaseException:
                connection.close()
                raise
            # From here on the answer takes care of the connection.
            answer = Answer(self, connection, response, path)
            if response.status != 200:
                answer.envelope()
                raise _unreadable(path, response.status)
            if method == "GET":
                answer.require_object()
                if not extra_wait:
                    connection.stream()
            if cut is not None:
                answer.load()
            return answer
        except (OSError, http.client.HTTPException) as e:
            raise self._silence(path, e) from e
        finally:
            if cut is not None:
                cut.watch(None)

    def _take(self) -> _Connection:
        with self._lock:
            while self._idle:
                since, connection = self._idle.pop()
                if time.monotonic() - since < LONGEST_IDLE and _is_open(connection):
                    return connection
                connection.close()
        return _Connection(self._host, self._port, self._tls, self._idle)

    def give_back(self, connection: _Connection) -> None:
        """Keeps a connection whose answer has been read, for the next call."""
        if connection.sock is not None and connection.home is self._idle:
            with self._lock:
                self._idle.append((time.monotonic(), connection))
        else:
            connection.close()

    def with_timeout(self, timeout: float) -> Connections:
        """The same server and key, with connections of its own and another time limit."""
        other = copy.copy(self)
        other._timeout = timeout
        other._renew()
        after_fork(other)
        return other

    def _renew(self) -> None:
        self._idle: List[Tuple[float, _Connection]] = []
        self._lock = threading.Lock()

    def forked(self) -> None:
        """This is a child process: the connections are its parent's, and so are their answers."""
        inherited = self._idle
        self._renew()
        for _, connection in inherited:
            connection.close()  # its copy alone

    def close(self) -> None:
        """Closes the idle connections."""
        with self._lock:
            for _, connection in self._idle:
                connection.close()
            self._idle.clear()

    def _silence(self, path: str, cause: Exception) -> FlowUnreachable:
        place = f"{self._host}:{self._port}"
        return FlowUnreachable(f"{path}: no answer from {place}: {cause or type(cause).__name__}")


class Answer(io.RawIOBase):
    """A successful answer. Leaving the context returns its connection to the pool."""

    def __init__(
        self,
        pool: Connections,
        connection: _Connection,
        response: http.client.HTTPResponse,
        path: str,
    ) -> None:
        self._pool = pool
        self._connection = connection
        self._response = response
        self._path = path
        self._loaded: Optional[bytes] = None
        #: How many bytes must still come; None if that is unknown.
        self._expected: Optional[int] = None
        self.status = response.status

    def load(self) -> None:
        """Reads the whole body now."""
        self._loaded = self.read()

    def envelope(self) -> Dict[str, Any]:
        """Reads the answer to its end, as JSON with a result; a refusal is raised."""
        with self:
            try:
                return _envelope(self._path, self.status, self.read())
            except FlowError as e:
                if isinstance(e, FlowUnreachable) or e.status in (401, 413):
                    self._connection.close()  # what a stranger says next is no answer either
                raise

    def require_object(self) -> None:
        """A page of a gateway is no object, whatever its status, and neither is a part of one."""
        response = self._response
        kind = response.getheader("Content-Type", "")
        size = response.getheader("X-Body-Bytes", "")  # a gateway may take Content-Length away
        is_object = kind.startswith("application/octet-stream") and response.getheader("X-Trace-Id")
        if not is_object or not (response.chunked or response.length is not None):
            self._connection.close()
            raise _unreadable(self._path, self.status)
        self._expected = int(size) if size.isdecimal() else None

    def read(self, size: int = -1) -> bytes:
        """The body, or the next part of it. Never ends early: a broken connection is an error."""
        if self._loaded is not None:
            loaded, self._loaded = self._loaded, None
            return loaded
        try:
            data = self._response.read(None if size < 0 else size)
            if size > 0 and not data and self._response.length:
                raise http.client.IncompleteRead(b"", self._response.length)
            self._count(len(data), is_end=size < 0 or (size > 0 and not data))
            return data
        except (OSError, http.client.HTTPException) as e:
            raise self._pool._silence(self._path, e) from e

    def _count(self, size: int, is_end: bool) -> None:
        if self._expected is not None:
            self._expected -= size
            if self._expected < 0 or (is_end and self._expected > 0):
                self._connection.close()
                raise http.client.HTTPException("the body has not as many bytes as X-Body-Bytes says")

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


def _json(body: Any) -> bytes:
    try:
        return json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
    except UnicodeEncodeError:
        return json.dumps(body).encode()  # half a surrogate pair: flowsvr says in which field


def _envelope(path: str, status: int, body: bytes) -> Dict[str, Any]:
    try:
        envelope = json.loads(body)
        code = envelope["code"]
        is_success = code == 0 and status == 200 and "result" in envelope
        fields = [(bad.get("field", ""), bad.get("message", "")) for bad in envelope.get("errors") or ()]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise _unreadable(path, status) from None
    # Another number is no code of flowsvr, such as {"code": 404} of a gateway.
    if type(code) is not int or not (is_success or 8000 <= code < 9000):
        raise _unreadable(path, status)
    if is_success:
        return envelope  # type: ignore[no-any-return]
    message = f"{path}: {envelope.get('msg')} ({code})"
    raise FlowError(code, message, status, bool(envelope.get("retryable")), fields)


def _unreadable(path: str, status: int) -> FlowError:
    """What an answer means that is not flowsvr's: its status alone says it."""
    between = f"{path}: something between here and flowsvr"
    if status == 413:
        return FlowError(Code.TOO_LARGE, f"{between} takes no body of this size (HTTP 413)", status)
    if status == 401:
        return FlowError(Code.NOT_AUTHENTICATED, f"{between} refuses the key (HTTP 401)", status)
    return FlowUnreachable(
        f"{path}: what answers (HTTP {status}) is not flowsvr; check that the URL is right and that"
        " no proxy answers in its place",
        status,
    )


def _is_open(connection: _Connection) -> bool:
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
