#!/usr/bin/env python3
"""A stage in Python: a small network that turns texts into vectors.

Speaks the protocol of docs/engines.md. With PyTorch a batch is one forward pass through a
transformer, on CUDA where there is one; without it, a perceptron in plain Python does the same
with less, so that it runs everywhere. Copy it and replace the two networks by your model.

    python3 reference_engine.py             as a worker starts it
    python3 reference_engine.py --measure   runs a second of texts one by one and in batches

With --plain it is plain Python even where there is PyTorch.
"""

import json
import math
import operator
import queue
import random
import sys
import threading
import time

PROTOCOL = 1
LENGTH = 64  # bytes of a text that are read
SIZE = 8  # numbers of a vector


class OutOfMemory(Exception):
    pass


class TorchNetwork:
    """A transformer with fixed weights."""

    def __init__(self):
        import torch

        self.torch = torch
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        torch.manual_seed(7)
        layer = torch.nn.TransformerEncoderLayer(256, 4, 1024, batch_first=True)
        self.net = torch.nn.Sequential(
            torch.nn.Embedding(257, 256),
            torch.nn.TransformerEncoder(layer, 4, enable_nested_tensor=False),
            torch.nn.Linear(256, SIZE),
        )
        self.net.to(self.device).eval()
        self.vectors(["warm up"])

    def name(self):
        return f"torch {self.torch.__version__} on {self.device}"

    def vectors(self, texts):
        torch = self.torch
        try:
            with torch.inference_mode():
                tokens = torch.tensor([tokens_of(text) for text in texts], device=self.device)
                return self.net(tokens).mean(dim=1).tolist()
        except torch.cuda.OutOfMemoryError as e:
            torch.cuda.empty_cache()
            raise OutOfMemory(str(e)) from e


class PlainNetwork:
    """A perceptron with one hidden layer and fixed weights, four bits each.

    Weights are kept small, as those of large models are, and unpacked row by row as a pass goes
    through them. That is what a batch shares: each row is unpacked once and used for all texts,
    as a GPU fetches the weights from its memory once for all of a batch.
    """

    device = "cpu"

    def __init__(self):
        weights = random.Random(7)
        self.hidden = [PackedRow(weights, LENGTH) for _ in range(64)]
        self.out = [PackedRow(weights, 64) for _ in range(SIZE)]

    def name(self):
        return "plain Python"

    def vectors(self, texts):
        batch = [[token / 256 for token in tokens_of(text)] for text in texts]
        for layer in (self.hidden, self.out):
            columns = [row.times(batch) for row in layer]
            batch = [[math.tanh(value) for value in values] for values in zip(*columns)]
        return batch


class PackedRow:
    """The weights of one neuron, two a byte, each a multiple of a scale from -8 to 7."""

    SCALE = 0.05

    def __init__(self, weights, length):
        self.packed = bytes(weights.randrange(256) for _ in range(length // 2))

    def unpacked(self):
        row = []
        for byte in self.packed:
            row.append(((byte >> 4) - 8) * self.SCALE)
            row.append(((byte & 15) - 8) * self.SCALE)
        return row

    def times(self, batch):
        row = self.unpacked()
        return [sum(map(operator.mul, row, values)) for values in batch]


def tokens_of(text):
    """Bytes as 1 to 256; 0 is nothing."""
    read = [byte + 1 for byte in text.encode("utf-8")[:LENGTH]]
    return read + [0] * (LENGTH - len(read))


def network():
    if "--plain" in sys.argv[1:]:
        return PlainNetwork()
    try:
        return TorchNetwork()
    except ImportError:
        return PlainNetwork()


def say(**message):
    # Nothing but messages may reach the standard output: print() elsewhere goes to stderr.
    sys.__stdout__.write(json.dumps(message, allow_nan=False) + "\n")
    sys.__stdout__.flush()


def text_of(run):
    context = json.loads(run["context"])
    text = context["text"]
    if not isinstance(text, str):
        raise TypeError("text is no string")
    return text


def answer(net, runs):
    texts = {}
    for run in runs:
        try:
            texts[run["id"]] = text_of(run)
        except (ValueError, KeyError, TypeError) as e:
            message = f"the context has no text: {e!r}"
            say(type="error", id=run["id"], kind="fatal", message=message)
    if not texts:
        return
    try:
        vectors = net.vectors(list(texts.values()))
    except OutOfMemory as e:
        for run_id in texts:
            say(type="error", id=run_id, kind="out_of_memory", message=str(e))
        return
    for run_id, vector in zip(texts, vectors):
        result = {"vector": [round(v, 4) for v in vector], "batch": len(texts)}
        try:
            say(type="result", id=run_id, result=result)
        except ValueError as e:  # NaN and Infinity, which JSON does not have
            say(type="error", id=run_id, kind="retryable", message=f"the result is no JSON: {e}")


def listen(inbox, cancelled):
    """Reads in a thread of its own, so that a cancel is seen while a batch waits its turn."""
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "cancel":
            cancelled.update(message["ids"])
        else:
            inbox.put(message)
    inbox.put(None)


def serve():
    sys.stdout = sys.stderr
    hello = json.loads(sys.stdin.readline())
    if hello["protocol"] != PROTOCOL:
        sys.exit(f"the worker speaks protocol {hello['protocol']}, this engine {PROTOCOL}")
    net = network()
    print(f"{net.name()}, for {hello['device']}", file=sys.stderr)
    say(type="ready", protocol=PROTOCOL, engine="reference, " + net.name())
    inbox, cancelled = queue.Queue(), set()
    threading.Thread(target=listen, args=(inbox, cancelled), daemon=True).start()
    while (message := inbox.get()) is not None:
        for run in message["runs"]:
            if run["id"] in cancelled:
                say(type="error", id=run["id"], kind="cancelled")
        answer(net, [run for run in message["runs"] if run["id"] not in cancelled])
        cancelled.clear()


def measure():
    net = network()
    print(net.name())
    alone = 0
    for size in (1, 2, 4, 8, 16, 32, 64):
        texts = [f"Text number {n} of a batch." for n in range(size)]
        net.vectors(texts)
        done, start = 0, time.monotonic()
        while (took := time.monotonic() - start) < 1:
            net.vectors(texts)
            done += size
        alone = alone or done / took
        print(f"batches of {size:2}: {done / took:9.0f} texts/s, {done / took / alone:5.1f} times")


if __name__ == "__main__":
    measure() if "--measure" in sys.argv[1:] else serve()
