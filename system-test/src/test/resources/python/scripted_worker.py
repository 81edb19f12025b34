"""A worker whose handlers do what their task says; an event is a line of JSON."""

import asyncio
import json
import logging
import os
import sys

from asyncflow import AsyncFlowClient, Done, NewTask, Next, RunFields, Worker

lines = logging.StreamHandler(sys.stderr)
lines.addFilter(RunFields())
logging.basicConfig(
    level=logging.INFO,
    handlers=[lines],
    format="%(levelname)s [%(task_stage)s %(trace_id)s] %(message)s",
)
name = os.environ["WORKER_NAME"]
task_type = os.environ["TASK_TYPE"]
worker = Worker(
    worker_id=f"{name}-{os.getpid()}",
    threads=int(os.environ.get("THREADS", "8")),
    grace=float(os.environ.get("GRACE", "5")),
    spool_dir=os.environ["SPOOL"],
)


def say(event, run, **more):
    print(json.dumps({"event": event, "task": run.task.task_id, **more}), flush=True)


@worker.stage(task_type, "first")
def first(run):
    say("first", run, attempt=run.attempt)
    if run.context.get("fails", 0) >= run.attempt:
        raise OSError("told to fail")
    return Next("many", {"text": "é" * run.context.get("length", 1)})


@worker.batch_stage(task_type, "many", max_tasks=10)
def many(runs):
    for run in runs:
        say("many", run, size=len(runs))
        yield Next("last", run.context)


@worker.stage(task_type, "last")
async def last(run):
    return Done(run.context["text"] + "!")


@worker.stage(task_type, "hang")
def hang(run):
    say("hang", run)
    while not run.wait(3600):
        pass
    say("stopped", run)
    return Done("stopped")


@worker.stage(task_type, "doze")
async def doze(run):
    say("doze", run)
    try:
        await asyncio.sleep(3600)
    finally:
        say("woken", run)


@worker.stage(task_type, "traced")
async def traced(run):
    """Creates a task by a call and one by its result, in a span of its own if it is told one."""
    run.trace_parent = run.context.get("span")
    called, reported = (
        NewTask(task_type, "none", "python", idempotency_key=f"{how} by {run.task.task_id}")
        for how in ("called", "reported")
    )
    await AsyncFlowClient(worker.client).create(called)
    logging.info("runs")
    return Done(creates=[reported])


@worker.stage(task_type, "gate")
def gate(run):
    """Ends when the test makes the file; its result is large if it says so."""
    say("gate", run)
    while not os.path.exists(os.environ["GATE"]):
        if run.wait(0.05):
            return Done("stopped")
    say("done", run)
    return Done("by " + str(os.getpid()))


print("polls", flush=True)
worker.run()
print("ended", flush=True)
