#!/usr/bin/env python3
"""Kill perfevo in every phase, then let it go on (docs/security.md, P3).

	kills.py PERFEVO SHIM FOLDER [--kills N] [--power N] [--seed S] [PHASE...]

FOLDER is fresh. Who dies is perfevo, its launchers or all of the process group, by SIGKILL at the n-th call of perfevo that
changes a file or sends a message, with n drawn from the calls of the undisturbed phase; in the phase `lanes` at a random
moment while four builds are at work. After each kill: the file is whole, what it held before the phase is there, and every
process ends by itself, builds too. The same command then ends with the status and rows of the undisturbed one, and no
temporary file is left.

Each --power-th time the power goes: all processes end, and of files beside the database what was not synced is lost (power.py).
Temporary files may be left then.
"""
import argparse
import os
import random
import shutil
import sys

import power
from phases import COMMITS, LANES, PHASES, Place

# They choose what to run by what they know and what it costs, or begin another batch, with its neighbours, where one was
# left: the conclusions are the same, the runs need not be.
SEQUENTIAL = ("explore", "bisect", "hook", "compare")
VICTIMS = ("self", "launcher", "group")


def beyond(some, others):
	"""The rows that there are more often among some than among others."""
	return [row for row, n in some.items() if n > others.get(row, 0)]


def settle(place, phase, words):
	"""Let the words run to their end, in the background as well."""
	status, out = place.run(words)
	place.wait()
	if phase == "hook": # the commit of the killed hook is there; what is queued is measured at the next one
		status, out = place.run([place.perfevo, "track", "--no-open", "-q", "--last", "9"])
	return status, out, place.rows()


def keeps_all(phase, before, now):
	return [] if phase == "gc" else [row for row in beyond(before, now) if row[0] not in ("confirmation", "bundle")]


def cut_power(place, words, n, chance):
	stashes = place.folder + "/stash"
	shutil.rmtree(stashes, ignore_errors=True)
	os.mkdir(stashes)
	killed, said = place.preloaded(words, FAULT_KILL=n, FAULT_WHOM="group", FAULT_POWER=stashes)
	place.end_all()
	place.wait(20)
	return killed, said, power.lose(place.path, stashes, chance)


def attempt(place, phase, words, whom, n, wanted, chance):
	place.restore()
	before, losses = place.rows(), []
	if whom == "power":
		killed, said, losses = cut_power(place, words, n, chance)
	elif phase == "lanes":
		killed, said = place.killed_in_flight(words, whom, chance.randint(1, COMMITS // LANES), chance.random() / 4)
	else:
		killed, said = place.preloaded(words, FAULT_KILL=n, FAULT_WHOM=whom)
	wrong = []
	if place.wait():
		wrong.append(f"processes are left: {place.processes()}")
		place.end_all()
	at_work = place.builds()
	now = place.rows()
	wrong += [f"lost: {row}" for row in keeps_all(phase, before, now)]
	status, out, rows = settle(place, phase, words)
	told = phase == "nightly" and "news from a change of" in said # once is enough
	if status != wanted[0] and not told:
		wrong.append(f"then {status}, not {wanted[0]}: {out[-300:]}")
	if phase == "explore" and not any(row[0] == "jump" for row in rows): # which commits it settles on, too
		wrong.append("no jump was found")
	missing, more = beyond(wanted[1], rows), beyond(rows, wanted[1])
	same = ("jump",) if phase in SEQUENTIAL else ("run", "build", "confirmation", "jump", "bundle")
	wrong += [f"in the end missing: {row}" for row in missing if row[0] in same and phase != "explore"]
	wrong += [f"in the end too much: {row}" for row in more if row[0] in same and row[0] != "build" and phase != "explore"]
	if phase == "bisect" and " c5" not in out:
		wrong.append(f"another culprit: {out[-300:]}")
	wrong += [f"left: {name}" for name in place.temporary() if whom != "power"]
	return killed, at_work, (wrong + losses if wrong else []), len(losses)


def main():
	parser = argparse.ArgumentParser()
	parser.add_argument("perfevo")
	parser.add_argument("shim")
	parser.add_argument("folder")
	parser.add_argument("phases", nargs="*")
	parser.add_argument("--kills", type=int, default=len(PHASES))
	parser.add_argument("--power", type=int, default=0)
	parser.add_argument("--seed", type=int, default=1)
	args = parser.parse_args()
	chance, bad, done, died, side_by_side, lost = random.Random(args.seed), 0, 0, 0, 0, 0
	names = args.phases or list(PHASES)
	for k, phase in enumerate(names):
		place = Place(args.folder, args.perfevo, args.shim)
		prepare, command = PHASES[phase]
		place.make()
		prepare(place)
		place.keep()
		words = command(place)
		_, calls, _ = place.counted(words)
		place.restore()
		status, _, rows = settle(place, phase, words)
		if not rows:
			print(f"{phase}: nothing is stored undisturbed")
			bad += 1
		for i in range(k, args.kills, len(names)):
			whom = VICTIMS[(i // len(names) + k) % len(VICTIMS)]
			if args.power and i % args.power == 0:
				whom = "power"
			n = chance.randint(1, calls)
			try:
				killed, at_work, wrong, losses = attempt(place, phase, words, whom, n, (status, rows), chance)
			except ValueError as error:
				killed, at_work, wrong, losses = 0, 0, [str(error)], 0
			done += 1
			died += killed < 0
			lost += losses
			side_by_side += at_work == LANES
			if wrong:
				bad += 1
				print(f"{phase}: {whom} killed at call {n} of {calls}:", *wrong[:12], sep="\n  ", flush=True)
		print(f"{phase}: {calls} calls; {done} kills so far", file=sys.stderr, flush=True)
	print(f"{done} kills, {died} of which ended the command, {side_by_side} with four builds at work, {lost} losses, {bad} faults",
	      file=sys.stderr)
	return bad > 0


if __name__ == "__main__":
	sys.exit(main())
