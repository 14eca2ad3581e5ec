#!/usr/bin/env python3
"""What one limit of jobs for builds side by side is worth, beside shares that are fixed when a build begins.

  bench/jobs.py [--seeds 20]

Simulated: N builds in as many lanes as there are processors. A build configures itself and links with one process, and
between these compiles so many files, each as long as a lognormal draw; the builds of a range differ by such a factor, too.
`shares` are those of core/exec/build_lanes.c, `limit` is a jobserver (core/exec/jobserver.h) all of whose clients keep to
it. Both as multiples of the bound: the work over the processors, or the longest chain of one build; medians over seeds.
"""
import argparse
import heapq
import random
import statistics

CONFIGURE, COMPILE, LINK = range(3)
# name: files, seconds of configuring, linking and a file, spread of a range's builds
KINDS = {
	"10 files": (10, .2, .1, .1, .2),
	"100 files": (100, 3, 1, .3, .3),
	"100 files, a long link": (100, 3, 15, .3, .3),
	"one file": (1, 0, 0, 5, .2),
}


def draw(chance, files, configure, link, seconds, spread):
	factor = chance.lognormvariate(0, spread)
	return configure * factor, [chance.lognormvariate(0, .6) * seconds * factor for _ in range(files)], link * factor


def bound(builds, processors):
	work = sum(c + sum(files) + l for c, files, l in builds)
	return max(work / processors, max(c + max(files) + l for c, files, l in builds))


class Simulation:
	def __init__(self, builds, processors, limited):
		self.builds, self.processors, self.limited = builds, processors, limited
		self.now, self.events, self.at_work = 0.0, [], {}
		self.tokens, self.next = processors, 0

	def later(self, seconds, build):
		heapq.heappush(self.events, (self.now + seconds, len(self.events), build))

	def begin(self):
		"""As many as there are lanes; each has one job without asking."""
		while self.next < len(self.builds) and len(self.at_work) < self.processors:
			used = sum(one["share"] for one in self.at_work.values())
			waiting = min(len(self.builds) - self.next, self.processors - len(self.at_work))
			left = max(self.processors - used, 0)
			configure, files, _ = self.builds[self.next]
			self.at_work[self.next] = {"phase": CONFIGURE, "files": list(files), "running": 1,
						   "share": left // waiting if left > waiting else 1}
			self.tokens -= 1
			self.later(configure, self.next)
			self.next += 1

	def may(self, one):
		if one["phase"] != COMPILE or not one["files"]:
			return False
		if one["running"] == 0:
			return True
		return self.tokens > 0 if self.limited else one["running"] < one["share"]

	def compile(self):
		while ready := [build for build, one in self.at_work.items() if self.may(one)]:
			for build in ready:
				one = self.at_work[build]
				if self.may(one):
					self.tokens -= one["running"] > 0
					one["running"] += 1
					self.later(one["files"].pop(), build)

	def end(self, build):
		one = self.at_work[build]
		if one["phase"] == LINK:
			del self.at_work[build]
			self.tokens += 1
			return
		one["running"] -= 1
		if one["phase"] == COMPILE:
			self.tokens += one["running"] > 0
		if one["phase"] == CONFIGURE:
			one["phase"] = COMPILE
		elif not one["files"] and one["running"] == 0:
			one["phase"] = LINK
			self.later(self.builds[build][2], build)

	def seconds(self):
		self.begin()
		while self.events:
			self.now, _, build = heapq.heappop(self.events)
			self.end(build)
			self.begin()
			self.compile()
		return self.now


def main():
	parser = argparse.ArgumentParser()
	parser.add_argument("--seeds", type=int, default=20)
	seeds = parser.parse_args().seeds
	print(f"{'processors':>10} {'builds':>6} {'shares':>7} {'limit':>7}  kind")
	for processors in 2, 8:
		for name, kind in KINDS.items():
			for n in 2, 4, 8, 12, 24, 100:
				over = {False: [], True: []}
				for seed in range(seeds):
					chance = random.Random(seed)
					builds = [draw(chance, *kind) for _ in range(n)]
					for limited, values in over.items():
						took = Simulation(builds, processors, limited).seconds()
						values.append(took / bound(builds, processors))
				shares, limit = (statistics.median(over[limited]) for limited in (False, True))
				print(f"{processors:10} {n:6} {shares:7.2f} {limit:7.2f}  {name}")


if __name__ == "__main__":
	main()
