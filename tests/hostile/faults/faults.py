#!/usr/bin/env python3
"""Commands whose memory, descriptors or clock fail (docs/security.md, P3).

	faults.py PERFEVO SHIM FOLDER [--tries N]

FOLDER is fresh. For each of 20 commands, each in a copy of a measured repository: the n-th allocation fails, for n spread
over all that it makes; 8 to 64 descriptors may be open; the time of day jumps by up to ten years. It ends with 0, 1, 125, 128
or 129, with 128 and 129 it says why; the store is whole and holds what it held; and the same command then ends as the
undisturbed one does. --tries is how often a command is disturbed by each of the three (6).
"""
import argparse
import random
import resource
import sys

from phases import COMMITS, Place, doctored, track

PROFILE = ('[{"name": "main", "ph": "B", "ts": 0, "pid": 1, "tid": 1}, {"name": "work", "ph": "B", "ts": 2, "pid": 1, "tid": 1},'
	   ' {"name": "work", "ph": "E", "ts": 9, "pid": 1, "tid": 1}, {"name": "main", "ph": "E", "ts": 12, "pid": 1, "tid": 1}]')
ANSWERS = (0, 1, 125, 128, 129)
COMMANDS = [["status"], ["log"], ["log", "--format", "json"], ["show", "HEAD~1"], ["export"], ["export", "--format", "json"],
	    ["report", "-o", "r.html", "--no-open"], ["gc"], ["gc", "--keep-last", "3"], ["changes", "HEAD~2..HEAD~1"], ["check"],
	    ["compare", "HEAD~6", "HEAD~1"], ["bisect", "-b", "score", "-m", "score", "HEAD~7", "HEAD~1"], ["push"], ["pull"],
	    ["accept", "score", "--rev", "HEAD~3", "--why", "known"], ["hooks", "install"], ["ci", "--base", "HEAD~1"], ["import", "--bench", "score", "calls.json"],
	    ["track", "--no-open", "--last", str(COMMITS)]]


def prepare(place):
	place.make()
	doctored(place)
	place.write("calls.json", PROFILE)
	place.write(".git/info/exclude", "r.html\ncalls.json\n")
	place.must(["git", "push", "-q", "origin", "main"])
	place.keep()


def shocks(chance, allocations, tries):
	"""[(what it is called, the shim's settings, the limit)]"""
	step = max(allocations // tries, 1)
	for i in range(tries):
		n = i * step + chance.randint(1, step)
		yield f"allocation {n}", {"FAULT_MALLOC": n}, None
	for i in range(tries):
		n = 8 + (56 * i) // max(tries - 1, 1)
		yield f"{n} descriptors", {}, lambda n=n: resource.setrlimit(resource.RLIMIT_NOFILE, (n, n))
	for i in range(tries):
		yield f"clock {i}", {"FAULT_CLOCK": chance.randint(1, 10**6)}, None


def lost(words, before, now):
	if words[0] == "gc" or words[0] == "track":
		return []
	return [row for row, n in before.items() if row[0] in ("run", "build") and n > now.get(row, 0)]


def attempt(place, words, shock, wanted):
	name, faults, limit = shock
	place.restore()
	before = place.rows()
	status, out = place.preloaded([place.perfevo, *words], limit=limit, **faults)
	wrong = []
	if status not in ANSWERS:
		wrong.append(f"ends with {status}: {out[-300:]}")
	elif status > 127 and not out.strip():
		wrong.append(f"{status} without a word")
	if place.wait():
		wrong.append("processes are left")
		place.end_all()
	wrong += [f"lost: {row}" for row in lost(words, before, place.rows())]
	status, out = place.run([place.perfevo, *words])
	if status != wanted and not (words[0] == "accept" and "already" in out):
		wrong.append(f"then {status}, not {wanted}: {out[-300:]}")
	place.wait()
	place.rows()
	return [f"{' '.join(words)}, {name}: {text}" for text in wrong]


def main():
	parser = argparse.ArgumentParser()
	parser.add_argument("perfevo")
	parser.add_argument("shim")
	parser.add_argument("folder")
	parser.add_argument("--tries", type=int, default=6)
	args = parser.parse_args()
	place, chance, tried, bad = Place(args.folder, args.perfevo, args.shim), random.Random(1), 0, 0
	prepare(place)
	for words in COMMANDS:
		place.restore()
		allocations, _, wanted = place.counted([place.perfevo, *words])
		if wanted not in ANSWERS:
			print(f"{words}: {wanted} undisturbed")
			bad += 1
		for shock in shocks(chance, allocations, args.tries):
			try:
				wrong = attempt(place, words, shock, wanted)
			except ValueError as error:
				wrong = [f"{words}, {shock[0]}: {error}"]
			tried += 1
			bad += bool(wrong)
			print("".join(text + "\n" for text in wrong), end="", flush=True)
		print(f"{' '.join(words)}: {allocations} allocations, status {wanted}", file=sys.stderr, flush=True)
	print(f"{tried} disturbed commands, {bad} faults", file=sys.stderr)
	return bad > 0


if __name__ == "__main__":
	sys.exit(main())
