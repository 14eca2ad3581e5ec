#!/usr/bin/env python3
"""perfevo.yml as nobody should write it: each is answered (docs/security.md, P4).

	configs.py PERFEVO FOLDER SCHEMA.json [--every K]

Every key that the schema knows is given each of the values below, so that a new key is tried without a line here; then
come files that are no config at all. Each is read by 'perfevo status' and 'perfevo track --dry-run', in 1 GiB of memory.
answers.py says what an answer is.
"""
import json
import os
import sys

import answers

CONFIG = "build: 'true'\nbenchmarks:\n  hello: {command: echo hello}\n"
VALUES = ["", "null", "true", "0", "-1", "1", "99999999999999999999", "1e309", ".nan", "''", "text", "[]", "{}", "[[[[]]]]",
	  "{a: {b: {c: d}}}", "[1, x, null]", '"\\e]0;title\\a"', '"\\x9b31m"', '"\\u202egnp.exe"', "'{name} {parameter} {'", "'%s%n'",
	  "'" + "(" * 5000 + "'", "'(((a{1,250}){1,250}){1,250}){1,250}'", "'../../../../etc/passwd'", "/dev/zero", "!!binary aGk=",
	  "!!python/object:os.system 1", "&a [*a]", "*unknown", "'" + "x" * 70000 + "'", "|\n        a\n        perfevo: all is well"]


def paths_of(node, schema, path=()):
	"""The paths of the keys below a node of the schema; a name of the user's is 'hello'."""
	if "$ref" in node:
		yield from paths_of(schema["definitions"][node["$ref"].rsplit("/", 1)[1]], schema, path)
	for part in ("oneOf", "anyOf", "allOf"):
		for other in node.get(part, []):
			yield from paths_of(other, schema, path)
	for key, below in node.get("properties", {}).items():
		yield path + (key,)
		yield from paths_of(below, schema, path + (key,))
	if isinstance(node.get("additionalProperties"), dict):
		yield path + ("hello",)
		yield from paths_of(node["additionalProperties"], schema, path + ("hello",))


def config_with(path, value):
	"""CONFIG, but for one key."""
	text = "" if path[0] == "build" else "build: 'true'\n"
	if path[0] != "benchmarks":
		text += "benchmarks:\n  hello: {command: echo hello}\n"
	for depth, key in enumerate(path):
		text += "  " * depth + key + ":" + ("\n" if depth + 1 < len(path) else " " + value + "\n")
	if path[0] == "benchmarks" and len(path) > 2 and path[2] != "command":
		text += "    command: echo hello\n"
	return text


def bombs():
	yield b""
	yield b"\0"
	yield b"\xff\xfe\0\0"
	yield bytes(range(256))
	yield CONFIG.encode("utf-16")
	yield b"[" * 100000
	yield b"{a: " * 100000
	yield b"- " * 100000
	yield b"a: &a [x, x]\n" + b"".join(b"%c: &%c [*%c, *%c, *%c, *%c, *%c, *%c, *%c, *%c]\n" % ((98 + i, 98 + i) + (97 + i,) * 8)
					 for i in range(12))
	yield b"x" * (100 << 20)
	yield b"#" * (3 << 20)
	yield CONFIG.encode() * 2
	yield CONFIG.encode() + b"build: 'false'\n"
	yield b"root:$6$abcdef$secret:19000:0:99999:7:::\n"
	yield b"%YAML 9.9\n---\n" + CONFIG.encode()
	yield b"--- a\n--- b\n"
	yield b"benchmarks:\n" + b"".join(b"  b%d: {command: 'true'}\n" % i for i in range(9000)) + b"build: 'true'\n"
	yield (b"x-env: &e\n" + b"".join(b"  V%d: x\n" % i for i in range(5000)) + b"build: 'true'\nbenchmarks:\n"
	       + b"".join(b"  b%d: {command: 'true', env: *e}\n" % i for i in range(3000)))
	yield b"benchmarks:\n  b:\n    command: 'true'\n    parameters: {" + b", ".join(b"p%d: [1, 2, 3]" % i for i in range(40)) + b"}\n"


def links():
	"""What a config may be in place of a file: (kind, target)."""
	yield from (("link", "/dev/zero"), ("link", "/etc/shadow"), ("link", "/etc/passwd"), ("link", "perfevo.yml"),
		    ("link", "missing"), ("fifo", None), ("folder", None))


def put(repo, case):
	path = repo + "/perfevo.yml"
	if os.path.isdir(path) and not os.path.islink(path):
		os.rmdir(path)
	elif os.path.lexists(path):
		os.remove(path)
	if isinstance(case, bytes):
		with open(path, "wb") as file:
			file.write(case)
	elif case[0] == "link":
		os.symlink(case[1], path)
	elif case[0] == "fifo":
		os.mkfifo(path)
	else:
		os.mkdir(path)


def try_config(perfevo, folder, case):
	put(folder + "/repo", case)
	for words in (["status"], ["track", "-n"]):
		wrong = answers.wrong_with(perfevo, folder, words)
		if wrong is not None:
			return f"{words}: {wrong}"
	if not isinstance(case, bytes):
		done = answers.run(perfevo, folder, [perfevo, "status"])
		if b"root:" in done.stderr + done.stdout:
			return f"it shows the content of another file: {done.stderr!r}"
	return None


def main():
	perfevo, folder = (os.path.abspath(path) for path in sys.argv[1:3])
	every = int(sys.argv[sys.argv.index("--every") + 1]) if "--every" in sys.argv else 1
	with open(sys.argv[3], encoding="utf-8") as file:
		schema = json.load(file)
	workers = [f"{folder}/{i}" for i in range(os.cpu_count())]
	for worker in workers:
		answers.make_repository(perfevo, worker, CONFIG)
	keys = [config_with(path, value).encode() for path in dict.fromkeys(paths_of(schema, schema)) for value in VALUES]
	cases = keys[::every] + list(bombs()) + list(links())
	bad = answers.try_all(workers, cases, lambda at, case: try_config(perfevo, at, case))
	for case, answer in bad:
		print(repr(case[-200:]) if isinstance(case, bytes) else case, "->", answer)
	print(f"{len(cases)} configs, {len(bad)} without an answer", file=sys.stderr)
	return 1 if bad else 0


sys.exit(main())
