"""An engine that goes wrong as the context of a task says, the first time that it is run.

    faulty_engine.py DIRECTORY BROKEN-DEVICE

The first run of a task leaves a file in the directory, by the task's name and with the number of
the process that runs it. On the broken device no run ever finds the memory that it needs.
"""

import json
import os
import resource
import sys
import time

DIRECTORY, BROKEN_DEVICE = sys.argv[1:]
SPARE_BYTES = 64 << 20


def say(**message):
    print(json.dumps(message), flush=True)


def is_first(task):
    mark = os.path.join(DIRECTORY, task)
    if os.path.exists(mark):
        return False
    with open(mark + ".new", "w") as file:
        file.write(str(os.getpid()))
    os.rename(mark + ".new", mark)
    return True


def wait():
    while True:
        time.sleep(1)


def loop():
    while True:
        pass


def eat():
    """Takes more memory than the system gives it."""
    with open("/proc/self/statm") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + SPARE_BYTES, resource.RLIM_INFINITY))
    eaten = []
    try:
        while True:
            eaten.append(bytearray(1 << 20))
    except MemoryError:
        eaten.clear()  # there must be some to say so
        raise


def hold(run):
    while not os.path.exists(os.path.join(DIRECTORY, "release")):
        say(type="progress", id=run["id"], percent=50)
        time.sleep(0.2)


def do(run, hello):
    if hello["device"] == BROKEN_DEVICE:
        raise MemoryError("the device has none")
    if is_first(run["taskId"]):
        act = run["context"]
        if act == "HOLD":
            hold(run)
        elif act in ACTS:
            ACTS[act]()
    place = f"{hello['device']}/{hello['slot']}"
    say(type="result", id=run["id"], result=f"{os.environ['WORKER']} {place} {os.getpid()}")


ACTS = {"WAIT": wait, "LOOP": loop, "EAT": eat, "SLOW": lambda: time.sleep(0.1)}


def main():
    hello = json.loads(sys.stdin.readline())
    say(type="ready", protocol=1, engine="faulty")
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] != "run":
            continue
        for run in message["runs"]:
            try:
                do(run, hello)
            except MemoryError as e:
                say(type="error", id=run["id"], kind="out_of_memory", message=str(e))


main()
