"""Keeps undelivered reports on disk, for the next start of a worker.

One file for each report, written atomically, in the layout of the Java SDK: workers of both
kinds may share the directory, and each one delivers what another has left behind::

    spool/http_10.0.0.7_8081/      reports for one server
        4711-5c1b…/                reports of one process, which holds the lock
            lock
            8b0a….json             a report, by its reportId
        set-aside/                 what cannot be read or settled, for people
        objects/                   objects of runs of workers in Java, which deliver them

A process that finds the lock of another one free adopts its reports, because that process has
ended. If two deliver the same report, the server recognizes it by its reportId.
A report whose run has objects here stays where it is, for a worker in Java: the objects go first.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
import shutil
import threading
import time
import uuid
from pathlib import Path
from typing import IO, Callable, Dict, List, Optional, Set, Tuple, Union

from .model import Report, from_wire, to_wire

log = logging.getLogger("asyncflow")

MOST_REPORTS = 10_000
MOST_BYTES = 64 << 20

#: Seconds until a directory that could not be made is tried again.
PAUSE = 60.0


def directory(path: Union[str, Path]) -> Path:
    """A path with its ``~``, which is the working directory if there is no writable home."""
    home = os.path.expanduser("~")
    usable = os.path.isabs(home) and os.access(home, os.W_OK)
    parts = Path(path).parts
    if parts[:1] == ("~",) and not usable:
        return Path.cwd().joinpath(*parts[1:])
    return Path(path).expanduser()


class _Claim:
    """A directory that this process owns by a lock, which ends with the process."""

    #: Of this process. Opening one of their locks a second time would release it.
    _ours: Set[Path] = set()
    _guard = threading.Lock()

    def __init__(self, path: Path, lock: IO[bytes]) -> None:
        self.path = path
        self._lock = lock

    @classmethod
    def make(cls, root: Path) -> _Claim:
        """Creates a directory that only its owner may read, with its lock already held."""
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = root.resolve() / f"{os.getpid()}-{uuid.uuid4()}"
        hidden = path.with_name("." + path.name)
        hidden.mkdir(mode=0o700)
        lock: Optional[IO[bytes]] = None
        try:
            lock = open(hidden / "lock", "xb")
            fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            with cls._guard:
                cls._ours.add(path)
            hidden.rename(path)
            return cls(path, lock)
        except OSError:
            cls._forget(path, lock)
            shutil.rmtree(hidden, ignore_errors=True)
            raise

    @classmethod
    def take(cls, directory: Path) -> Optional[_Claim]:
        """Claims the directory of a process that has ended; None if it lives."""
        path = directory.resolve()
        with cls._guard:
            if path.name.startswith(".") or path in cls._ours:
                return None
            cls._ours.add(path)
        lock: Optional[IO[bytes]] = None
        try:
            lock = open(path / "lock", "r+b")
            fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if (path / "lock").exists():  # its owner may have discarded it meanwhile
                return cls(path, lock)
        except (FileNotFoundError, NotADirectoryError, BlockingIOError):
            pass
        except OSError as e:
            log.warning("reports in %s cannot be adopted; it is tried again: %s", path, e)
        cls._forget(path, lock)
        return None

    @classmethod
    def _forget(cls, path: Path, lock: Optional[IO[bytes]]) -> None:
        if lock is not None:
            lock.close()
        with cls._guard:
            cls._ours.discard(path)

    @property
    def stands(self) -> bool:
        """Whether another process would find the directory, which a cleaner may have deleted."""
        try:
            return os.path.samestat(os.stat(self.path / "lock"), os.fstat(self._lock.fileno()))
        except FileNotFoundError:
            return False

    def abandon(self) -> None:
        """Gives up a directory that does not stand any more."""
        self._forget(self.path, self._lock)

    @classmethod
    def forked(cls) -> None:
        """This is a child process, which holds none of the locks."""
        cls._ours = set()
        cls._guard = threading.Lock()

    def close(self) -> None:
        """Releases the directory with its content, and deletes it if it is empty."""
        try:
            if [file.name for file in self.path.iterdir()] == ["lock"]:
                (self.path / "lock").unlink()
                self.path.rmdir()
        except OSError as e:
            log.debug("%s stays, and is read again later: %s", self.path, e)
        finally:
            self._forget(self.path, self._lock)


os.register_at_fork(after_in_child=_Claim.forked)


class Spool:
    """The reports of one worker on disk. Thread-safe; never raises, for a worker works without
    a disk, too."""

    def __init__(
        self,
        root: Path,
        most_reports: int = MOST_REPORTS,
        most_bytes: int = MOST_BYTES,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._root = root
        self._most_reports = most_reports
        self._most_bytes = most_bytes
        self._clock = clock
        self._not_before = clock()
        self._kept: Dict[str, Tuple[_Claim, Path, int]] = {}
        self._own: Optional[_Claim] = None
        self._bytes = 0
        self._lock = threading.Lock()
        self._is_refusing = False
        self._is_closed = False

    def keep(self, report: Report) -> bool:
        """Keeps a report; False if there is no room for it, so that it is in memory alone."""
        try:
            data = json.dumps(to_wire(report)).encode()
            with self._lock:
                return self._keep(report.report_id or "", data)
        except Exception as e:  # a disk has many ways to fail, and none must end a worker
            return self._refuse(str(e))

    def _keep(self, name: str, data: bytes) -> bool:
        claim = self._kept[name][0] if name in self._kept else self._own
        if claim is not None and not claim.stands:
            self._lose(claim)
        if name in self._kept:
            if self._kept[name][1].exists():
                return True
            self._bytes -= self._kept.pop(name)[2]
        if self._is_closed or self._is_full(len(data)):
            return self._refuse("it is full")
        if self._own is None:
            if self._clock() < self._not_before:
                return False
            self._not_before = self._clock() + PAUSE  # if this fails
            self._own = _Claim.make(self._root)
            self._not_before = self._clock()
        file = self._own.path / (name + ".json")
        _write(file, data)
        self._kept[name] = (self._own, file, len(data))
        self._bytes += len(data)
        self._is_refusing = False
        return True

    def _lose(self, claim: _Claim) -> None:
        """A cleaner has deleted a directory: what is still needed of it is kept in another one."""
        log.warning("%s was deleted; what is not delivered yet is kept again", claim.path)
        for name in [name for name, kept in self._kept.items() if kept[0] is claim]:
            self._bytes -= self._kept.pop(name)[2]
        claim.abandon()
        if claim is self._own:
            self._own = None

    def _refuse(self, why: str) -> bool:
        if not self._is_refusing:
            log.warning("spool %s: %s; further reports are in memory alone", self._root, why)
        self._is_refusing = True
        return False

    def _is_full(self, more: int = 0) -> bool:
        return len(self._kept) >= self._most_reports or self._bytes + more > self._most_bytes

    @property
    def full(self) -> bool:
        """Whether there is no room for another report."""
        with self._lock:
            return self._is_full()

    def forget(self, report: Report) -> None:
        """Deletes a settled report, if it was kept."""
        self._remove(report, lambda file: file.unlink(missing_ok=True))

    def set_aside(self, report: Report) -> None:
        """Moves a report that cannot be settled to a place where people find it."""
        self._remove(report, self._shelve)

    def _remove(self, report: Report, how: Callable[[Path], object]) -> None:
        with self._lock:
            entry = self._kept.pop(report.report_id or "", None)
            if entry is None:
                return
            claim, file, size = entry
            self._bytes -= size
            try:
                how(file)
            except OSError as e:
                log.warning("%s stays, and is sent again after a restart: %s", file, e)
            self._close_if_done(claim)

    def _shelve(self, file: Path) -> None:
        shelf = self._root / "set-aside"
        shelf.mkdir(mode=0o700, parents=True, exist_ok=True)
        file.replace(shelf / file.name)
        log.warning("%s is set aside in %s", file.name, shelf)

    def _close_if_done(self, claim: _Claim) -> None:
        if claim is not self._own and all(kept[0] is not claim for kept in self._kept.values()):
            claim.close()

    def adopt(self) -> List[Report]:
        """Adopts the reports of processes that have ended; returns the new ones."""
        adopted: List[Report] = []
        with self._lock:
            try:
                found = [path for path in self._root.iterdir() if path.is_dir()]
            except FileNotFoundError:
                return []
            except OSError as e:
                log.warning("spool %s cannot be read; it is tried again: %s", self._root, e)
                return []
            for directory in found:
                claim = None if self._is_full() or self._is_closed else _Claim.take(directory)
                if claim is not None:
                    adopted += self._adopt(claim)
        return adopted

    def _adopt(self, claim: _Claim) -> List[Report]:
        reports: List[Report] = []
        try:
            laden = self._laden()
            files = sorted(claim.path.iterdir())
        except OSError as e:
            log.warning("spool %s cannot be read; it is tried again: %s", claim.path, e)
            self._close_if_done(claim)
            return []
        for file in files:
            try:
                if file.suffix == ".tmp":
                    file.unlink()  # its writer ended before it was whole
                if file.suffix != ".json":
                    continue
                data = file.read_bytes()
                report = _whole(from_wire(Report, json.loads(data)))
            except Exception as e:
                log.warning("%s is no report: %s", file, e)
                try:
                    self._shelve(file)
                except OSError as unmoved:
                    log.warning("%s cannot be set aside: %s", file, unmoved)
                continue
            assert report.report_id is not None
            is_laden = (report.task_id, str(report.lease_epoch)) in laden
            if is_laden and report.outcome in ("NEXT_STAGE", "SUCCESS"):
                log.debug("%s is left to a worker in Java, with the objects of its run", file)
                continue
            self._kept[report.report_id] = (claim, file, len(data))
            self._bytes += len(data)
            reports.append(report)
        self._close_if_done(claim)
        if reports:
            log.info("delivering %d reports that were left in %s", len(reports), claim.path)
        return reports

    def try_again(self) -> None:
        """The next report is tried, even if a directory for it could not be made just before."""
        with self._lock:
            self._not_before = self._clock()

    def _laden(self) -> Set[Tuple[str, str]]:
        """Tasks and epochs of the runs whose objects are not delivered yet."""
        files = self._root.glob("objects/*/*~*~*~*")  # {task id}~{stage}~{epoch}~{name}
        parts = [file.name.split("~", 3) for file in files]
        return {(task_id, epoch) for task_id, _, epoch, _ in parts}

    def close(self) -> None:
        """Releases the kept reports, for another process to adopt."""
        with self._lock:
            self._is_closed = True
            claims = {id(kept[0]): kept[0] for kept in self._kept.values()}
            if self._own is not None:
                claims[id(self._own)] = self._own
            for claim in claims.values():
                claim.close()

    @property
    def size(self) -> int:
        """The number of kept reports."""
        return len(self._kept)

    def __str__(self) -> str:
        return str(self._root)


def _write(file: Path, data: bytes) -> None:
    """Writes atomically: a crash leaves the whole file, or none with that name."""
    unfinished = file.with_suffix(".tmp")
    try:
        with open(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        unfinished.replace(file)
    except OSError:
        unfinished.unlink(missing_ok=True)  # a full disk gets its room back
        raise
    directory = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


#: The members of a report without which it is none, and those that are texts if they are there.
_NEEDED = {"task_id": str, "worker_id": str, "lease_epoch": int, "outcome": str, "report_id": str}
_TEXTS = ("task_stage", "task_context", "result", "err_msg")


def _whole(report: Report) -> Report:
    bad = [name for name, kind in _NEEDED.items() if not isinstance(getattr(report, name), kind)]
    bad += [name for name in _TEXTS if not isinstance(getattr(report, name), (str, type(None)))]
    if bad or not report.report_id:
        raise ValueError(f"it lacks {', '.join(bad) or 'its id'}")
    return report
