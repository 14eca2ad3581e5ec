#!/usr/bin/env python3
"""What clang warns of, over all sources of the tree, without code being generated: a quarter of a build's time.

	scripts/clang.py BUILD_DIR [JOBS]

BUILD_DIR is configured with clang and -DCMAKE_EXPORT_COMPILE_COMMANDS=ON; nothing needs to be built in it. A warning is
an error. Generated sources are left out: the builds with gcc have them.
"""
import concurrent.futures
import json
import os
import shlex
import subprocess
import sys

def check(command):
	"""The messages about one source; empty: none."""
	words = shlex.split(command["command"])
	at = words.index("-o")
	del words[at:at + 2]
	words.remove("-c")
	words = [word for word in words if not word.startswith(("-fsanitize", "-fno-sanitize"))]
	done = subprocess.run(words + ["-fsyntax-only", "-Werror"], cwd=command["directory"], capture_output=True, text=True)
	return done.stderr if done.returncode != 0 or done.stderr else ""

def main():
	build = os.path.abspath(sys.argv[1])
	jobs = int(sys.argv[2]) if len(sys.argv) > 2 else len(os.sched_getaffinity(0))
	with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
		commands = json.load(file)
	once = {command["file"]: command for command in commands if not command["file"].startswith(build + "/")}
	if not once:
		sys.exit(f"clang.py: {build} names no source of the tree")
	with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
		messages = [message for message in pool.map(check, once.values()) if message]
	sys.stderr.writelines(messages)
	print(f"clang: {len(once)} sources, {len(messages)} with warnings")
	sys.exit(1 if messages else 0)

main()
