#!/usr/bin/env python3
"""Every command, every option, with values that nobody would type: each gets an answer (docs/security.md, P5).

	command_lines.py PERFEVO FOLDER [--every K]

FOLDER is fresh and empty; a repository with a measured commit is made in it, one for each worker. The options and what they take are read
from 'perfevo COMMAND --help', so that a new one is tried without a line here. --every K tries each K-th case only. answers.py says what an answer is.
"""
import os
import re
import sys

import answers
from answers import run

CONFIG = """\
build: 'true'
benchmarks:
  hello: {command: echo hello, warmup: 0, repeats: 2, allocations: false}
"""

TEXTS = ["", "-", "--", "0", "-1", "1", "99999999999", "18446744073709551616", "4294967296", "nan", "1e309", "-5s", "0s",
	 "99999999h", "200 years ago", "0x10", "1.5", " ", "%s%n%n%n", "(" * 50000, "a{1,250}" * 3, "(((a{1,250}){1,250}){1,250})",
	 "[", "\\", "*", "a" * 65536, "\x1b]0;title\x07", "\u009b31m", "\u202egnp.exe", "\udcff\udcfe", "a\nperfevo: all is well",
	 "HEAD", "HEAD~1", "HEAD..HEAD", "..", "@{upstream}", "refs/heads/main:nothing", "HEAD^{tree}", "; touch pwned",
	 "../../../../etc/passwd"]
FILES = ["missing", "empty", "folder", "fifo", "binary", "/dev/zero", "/dev/null", "loop", "long/" * 1000]


def prepare(perfevo, folder):
	answers.make_repository(perfevo, folder, CONFIG)
	repo = folder + "/repo"
	os.makedirs(repo + "/folder")
	open(repo + "/empty", "w", encoding="utf-8").close()
	with open(repo + "/binary", "wb") as file:
		file.write(bytes(range(256)) * 16)
	os.mkfifo(repo + "/fifo")
	os.symlink("loop", repo + "/loop")
	run(perfevo, folder, [perfevo, "track", "-q", "--no-open"]).check_returncode()


def commands_of(perfevo, folder):
	text = run(perfevo, folder, [perfevo, "help"]).stdout.decode()
	part = text.split("\nCommands\n")[1].split("\n\n")[0]
	return [line.split()[0] for line in part.splitlines()]


def options_of(perfevo, folder, command):
	"""[(option, whether it takes a value, the name of what it takes)]"""
	text = run(perfevo, folder, [perfevo, command, "--help"]).stdout.decode()
	found = []
	for match in re.finditer(r"^ +(?:-\w, )?(--[a-z-]+)(?: ([^ \n]+))?", text, re.M):
		found.append((match[1], match[2]))
	return found


def values_of(kind):
	if kind is None:
		return []
	return FILES + TEXTS if kind in ("FILE", "DIR") else TEXTS


def cases_of(perfevo, folder):
	"""The command lines, in an order that never changes."""
	seen = set()
	for command in commands_of(perfevo, folder):
		lines = [[command]] + [[command, value] for value in FILES + TEXTS]
		lines += [[command, "HEAD", value] for value in TEXTS[:8]] + [[command, "a", "b", "c", "d"]]
		for option, kind in options_of(perfevo, folder, command):
			lines.append([command, option])
			lines += [[command, f"{option}={value}"] for value in values_of(kind)]
			lines.append([command, option + "x"])
		for line in lines:
			general = tuple(line[1:]) if len(line) == 2 and line[1].split("=")[0] in GENERAL else tuple(line)
			if general not in seen:
				seen.add(general)
				yield line


GENERAL = {"-C", "--directory", "--config", "--store", "--quiet", "--color", "--no-pager", "--help"}
# What would install something for the user who runs the tests, or wait for one.
NEVER = {("nightly", "--install"), ("nightly", "--remove")}


def main():
	perfevo, folder = (os.path.abspath(path) for path in sys.argv[1:3])
	every = int(sys.argv[sys.argv.index("--every") + 1]) if "--every" in sys.argv else 1
	workers = [f"{folder}/{i}" for i in range(os.cpu_count())]
	for worker in workers:
		prepare(perfevo, worker)
	lines = [line for line in cases_of(perfevo, workers[0]) if tuple(line[:2]) not in NEVER][::every]
	# What is exported is for programs: its text is what was asked for.
	bad = answers.try_all(workers, lines, lambda at, line: answers.wrong_with(perfevo, at, line, line[0] != "export"))
	for line, answer in bad:
		print([word[:80] for word in line], "->", answer)
	print(f"{len(lines)} command lines, {len(bad)} without an answer", file=sys.stderr)
	return 1 if bad else 0


sys.exit(main())
