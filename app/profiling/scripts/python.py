"""Imported by each Python that a profiled benchmark starts (PYTHONPATH, as sitecustomize): samples the main thread each
millisecond of processor time, and leaves a profile of V8's format in the folder PERFEVO_PROFILE.

cProfile would make calls dearer than work, and knows pairs of callers, not paths."""

import atexit
import os
import signal
import sys
import time

INTERVAL_S = 0.001
root = [0, {}]
began = time.process_time()


def sample(_number, frame):
    stack = []
    while frame is not None:
        if frame.f_code.co_filename != __file__:
            stack.append(frame.f_code)
        frame = frame.f_back
    node = root
    while stack:
        node = node[1].setdefault(stack.pop(), [0, {}])
    node[0] += 1


def stop():
    signal.setitimer(signal.ITIMER_PROF, 0)


def write():
    import json

    stop()
    nodes, samples = [], []
    waiting = [(None, root)]
    while waiting:
        code, node = waiting.pop()
        named = code is not None
        samples.extend([id(node)] * node[0])
        nodes.append(
            {
                "id": id(node),
                "callFrame": {
                    "functionName": getattr(code, "co_qualname", code.co_name) if named else "(root)",
                    "scriptId": "0",
                    "url": code.co_filename if named else "",
                    "lineNumber": code.co_firstlineno - 1 if named else -1,
                    "columnNumber": -1,
                },
                "children": [id(child) for child in node[1].values()],
            }
        )
        waiting.extend(node[1].items())
    lasted_us = int((time.process_time() - began) * 1e6)
    ends = [lasted_us * i // max(1, len(samples)) for i in range(len(samples) + 1)]
    name = os.path.join(os.environ["PERFEVO_PROFILE"], str(os.getpid()))
    with open(name, "w") as out:
        json.dump(
            {
                "nodes": nodes,
                "startTime": 0,
                "endTime": lasted_us,
                "samples": samples,
                "timeDeltas": [end - start for start, end in zip(ends, ends[1:])],
            },
            out,
        )


def begin():
    signal.signal(signal.SIGPROF, sample)
    atexit.register(write)
    # A timer outlives exec(), and kills a program that expects none.
    if hasattr(sys, "addaudithook"):
        sys.addaudithook(lambda event, _: stop() if event == "os.exec" else None)
    signal.setitimer(signal.ITIMER_PROF, INTERVAL_S, INTERVAL_S)


# What this module hides is imported in its place.
here = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder) != here]
mine = sys.modules.pop("sitecustomize")
try:
    import sitecustomize  # noqa: F401
except ImportError:
    pass
sys.modules.setdefault("sitecustomize", mine)
begin()
