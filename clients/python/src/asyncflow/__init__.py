"""Workers and a client for Asyncflow, by the standard library alone.

A worker registers a handler for each stage that it runs; an application creates tasks with a
FlowClient, or an AsyncFlowClient. ``asyncflow.testing`` has a server in memory for tests.
"""

from .client import AsyncFlowClient, FlowClient, ObjectGone
from .model import (
    Code,
    Created,
    Done,
    Fail,
    FlowError,
    FlowUnreachable,
    NewTask,
    Next,
    NonRetryable,
    Page,
    Retry,
    Snooze,
    Status,
    Task,
    TaskType,
)
from .observe import RunEnd, RunFields, TypeView, WorkerView
from .run import StageRun
from .worker import Worker

__all__ = [
    "AsyncFlowClient",
    "Code",
    "Created",
    "Done",
    "Fail",
    "FlowClient",
    "FlowError",
    "FlowUnreachable",
    "NewTask",
    "Next",
    "NonRetryable",
    "ObjectGone",
    "Page",
    "Retry",
    "RunEnd",
    "RunFields",
    "Snooze",
    "StageRun",
    "Status",
    "Task",
    "TaskType",
    "TypeView",
    "Worker",
    "WorkerView",
]
