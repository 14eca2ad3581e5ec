#!/usr/bin/env python3
"""Whether samples are fair: shares of time in programs of 0.5 to 10 ms whose phases are loops of known length.

sampler.py BUILD [RUNS] [ROUNDS]

Each program is run RUNS times (200) below libperfevo_sample.so, with the interval that `perfevo profile` takes for it, and
that ROUNDS times (5), by each clock. Printed: for each length and clock the samples of a run, the share of each phase less
the truth in points (mean and extreme of the rounds), the same in standard errors, which come from between runs, and what
part of the shares is within three of them. The last line is how many shares of how many are within three standard errors
and within two points."""

import math
import os
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile

PHASES = {"first": 10, "second": 40, "third": 5, "fourth": 20, "fifth": 25}  # per cent, in this order
PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static volatile unsigned long sink;
/* A chain of multiplications: as many cycles each time, wherever code and data lie. */
#define PHASE(name) __attribute__((noipa, aligned(64))) static void name(long n) \\
{ unsigned long x = sink; for (; n > 0; n--) x = x * 6364136223846793005u + 1; sink = x; }
%s
static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}
int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 0;
	if (n == 0) {
		double best = 1e99;
		for (int i = 0; i < 200; i++) {
			double from = now();
			first(100000);
			double ns = now() - from;
			best = ns < best ? ns : best;
		}
		printf("%%f\\n", best / 100000);
	}
	warm(1); /* data and code are in memory */
	%s
	return 0;
}
"""
NODE = struct.Struct("=QII")
CHUNK, CHUNKS_AT, CHUNK_SIZE = struct.Struct("=8I"), 32768, 65536


def interval_ns(cpu_ns):
    """As app/profiling/collect_samples.c chooses it."""
    return int(min(997000, max(50000, cpu_ns / 20)))


def functions(program):
    found = {}
    for line in subprocess.check_output(["nm", "-S", program], text=True).splitlines():
        at, size, _, name = (line.split() + [""] * 4)[:4]
        if name in PHASES:
            found[name] = (int(at, 16), int(at, 16) + int(size, 16))
    return found


def counts(path, where):
    """Samples of each phase in one file."""
    out = dict.fromkeys(PHASES, 0)
    with open(path, "rb") as file:
        data = file.read()
    for at in range(CHUNKS_AT, len(data), CHUNK_SIZE):
        used = CHUNK.unpack_from(data, at)[3]
        for i in range(used):
            address, _, samples = NODE.unpack_from(data, at + CHUNK.size + i * NODE.size)
            for name, (begin, end) in where.items():
                if begin <= address < end:
                    out[name] += samples
    return out


def runs(build, program, n, interval, clock, wanted, where):
    out = []
    for _ in range(wanted):
        folder = tempfile.mkdtemp()
        subprocess.run([program, str(n)], check=True, env={
            "LD_PRELOAD": f"{build}/runtime/libperfevo_sample.so", "PERFEVO_SAMPLE_DIR": folder,
            "PERFEVO_SAMPLE_INTERVAL": str(interval), "PERFEVO_SAMPLE_CLOCK": clock})
        out.append(counts(os.path.join(folder, os.listdir(folder)[0]), where))
        shutil.rmtree(folder)
    return out


def share(found, name):
    """A phase's share of all samples in points, and its standard error, of a ratio of sums over runs."""
    total = sum(sum(run.values()) for run in found)
    ratio = sum(run[name] for run in found) / total
    spread = sum((run[name] - ratio * sum(run.values())) ** 2 for run in found)
    return 100 * ratio, 100 * math.sqrt(spread * len(found) / (len(found) - 1)) / total


def main():
    build = os.path.abspath(sys.argv[1])
    wanted, rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 200, int(sys.argv[3]) if len(sys.argv) > 3 else 5
    folder = tempfile.mkdtemp()
    source, program = os.path.join(folder, "phases.c"), os.path.join(folder, "phases")
    with open(source, "w") as out:
        out.write(PROGRAM % ("\n".join(f"PHASE({name})" for name in ("warm", *PHASES)),
                             " ".join(f"{name}(n * {part} / 100);" for name, part in PHASES.items())))
    subprocess.run(["gcc", "-O2", "-no-pie", "-o", program, source], check=True)
    where = functions(program)
    ns = float(subprocess.check_output([program], text=True))
    good, close, tried = 0, 0, 0
    print(f"{'':14}{'interval':>9}{'samples':>9}  {'off, points':>16}{'off, errors':>13}")
    for ms in (0.5, 1, 3, 10):
        for clock in ("perf", "timer"):
            n, interval = int(ms * 1e6 / ns), interval_ns(ms * 1e6)
            off, errors, samples = [], [], []
            for _ in range(rounds):
                found = runs(build, program, n, interval, clock, wanted, where)
                samples.append(sum(sum(run.values()) for run in found) / wanted)
                for name, part in PHASES.items():
                    points, error = share(found, name)
                    off.append(points - part)
                    errors.append((points - part) / error)
            good += sum(abs(e) <= 3 for e in errors)
            close += sum(abs(o) <= 2 for o in off)
            tried += len(off)
            print(f"{ms:4} ms {clock:6}{interval / 1000:6.0f} µs{statistics.mean(samples):9.2f}"
                  f"  rms {math.sqrt(statistics.mean(o * o for o in off)):4.2f} max {max(map(abs, off)):4.2f}"
                  f"  rms {math.sqrt(statistics.mean(e * e for e in errors)):4.2f} max {max(map(abs, errors)):4.2f}",
                  flush=True)
    shutil.rmtree(folder)
    print(f"within 3 standard errors: {good}/{tried}; within 2 points: {close}/{tried}")
    return 0 if good >= 0.99 * tried and close == tried else 1


sys.exit(main())
