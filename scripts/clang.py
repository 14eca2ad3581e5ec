#!/usr/bin/env python3
"""What clang warns of, without code being generated: a quarter of a build's time.

	scripts/clang.py BUILD_DIR [JOBS]

BUILD_DIR is configured with clang and -DCMAKE_EXPORT_COMPILE_COMMANDS=ON; nothing needs to be built in it. What is built
there has had its warnings, and is left out, if they are errors in it (PERFEVO_WERROR). A warning is an error here, too.
Generated sources and tests are left out: the builds with gcc have them.
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

def is_built(command):
	"""Whether the object is there, and newer than its source."""
	words = shlex.split(command["command"])
	try:
		made = os.path.getmtime(os.path.join(command["directory"], words[words.index("-o") + 1]))
	except OSError:
		return False
	return made >= os.path.getmtime(command["file"])

def main():
	build = os.path.abspath(sys.argv[1])
	jobs = int(sys.argv[2]) if len(sys.argv) > 2 else len(os.sched_getaffinity(0))
	with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
		commands = json.load(file)
	tests = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tests") + "/"
	once = {command["file"]: command for command in commands if not command["file"].startswith((build + "/", tests))}
	if not once:
		sys.exit(f"clang.py: {build} names no source of the tree")
	built = [file for file, command in once.items() if is_built(command)]
	for file in built:
		del once[file]
	with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
		messages = [message for message in pool.map(check, once.values()) if message]
	sys.stderr.writelines(messages)
	print(f"clang: {len(once)} sources, {len(messages)} with warnings; {len(built)} more are built")
	sys.exit(1 if messages else 0)

main()
