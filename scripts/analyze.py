#!/usr/bin/env python3
"""Faults that the analyzers of clang and gcc see without running anything, in all product sources or in those named.

	scripts/analyze.py BUILD_DIR [clang|gcc|both] [JOBS] [FILE.c...]

BUILD_DIR is configured with gcc (compile_commands.json says how each file is compiled). Reports are printed as they come;
one that no answer below is for fails the run. Assertions are compiled in: what a reader is told by one, so are the analyzers.
"""
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys

# False reports, at the place where they are, and why they are false.
ANSWERED = {
	("core/base/arena.c", "-Wanalyzer-malloc-leak"): "the block is in the list of its arena",
	("probe/launcher/perfevo-cc1.c", "clang-analyzer-unix.Malloc"): "arguments last until the compiler takes the process over",
	("probe/runtime/alloc.c", "clang-analyzer-optin.portability.UnixAPI"): "it hands on what the program asks for",
	("probe/runtime/calls_exits.c", "clang-analyzer-core.CallAndMessage"): "what is set before the other one is there when that is",
	("vcs/encoding.c", "-Wanalyzer-malloc-leak"): "what iconv_open(3) did not open is no leak",
}

# Checks that are not made: one asks for functions that the C library does not have, the other takes every va_list of
# clang 14 on x86-64 for uninitialized.
CHECKS = "-*,clang-analyzer-*,-clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling,-clang-analyzer-valist.Uninitialized"

# Rooms that take no bytes of others: what gcc 12 says there (9 reports in 134 files) is that a pointer which another file
# gives may be null. Files that are named are read all the same.
LEFT_TO_CLANG = re.compile(r"/(app|cmd|compare|report|runtime)/")

# What they cannot see, as they read one file at a time.
HEADER = """
#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/json/writer.h"
/* A failure is never PE_OK. */
#define pe_fail(err, code, ...) __extension__({ (void)(pe_fail)((err), (code), __VA_ARGS__); (int)(code); })
#define pe_fail_errno(...) __extension__({ (void)(pe_fail_errno)(__VA_ARGS__); (int)PE_ESYS; })
#define pe_json_begin_maybe(json, key, there) ((pe_json_begin_maybe)((json), (key), (there)) && (there))
/* Who is out of memory does not return. */
void *pe_arena_alloc(struct pe_arena *arena, size_t n, size_t size) __attribute__((returns_nonnull));
void *pe_realloc(void *old, size_t n, size_t size) __attribute__((returns_nonnull));
"""

REPORT = re.compile(r"^(.*?):\d+:\d+: (?:warning|error): .* \[([^\[\]]*)\]$", re.MULTILINE)

def clang_words(command, header, build):
	return ["clang-tidy", "--quiet", "-p", build, "--extra-arg=-UNDEBUG", f"--extra-arg=-I{os.getcwd()}",
		f"--extra-arg=-include{header}", f"--checks={CHECKS}", command["file"]]

def gcc_words(command, header, _):
	words = shlex.split(command["command"])
	words = ["gcc"] + [word for word in words[1:] if word not in ("-c", "-Werror") and not word.endswith("/cc")]
	at = words.index("-o")
	del words[at:at + 2]
	return words + ["-S", "-o", os.devnull, "-UNDEBUG", f"-I{os.getcwd()}", "-D_GNU_SOURCE=", "-include", header, "-fanalyzer", "-fdiagnostics-plain-output"]

TOOLS = {"clang": clang_words, "gcc": gcc_words}

def read(tool, command, header, build):
	"""The reports on one file: its whole text, and (file, check) of each."""
	done = subprocess.run(TOOLS[tool](command, header, build), cwd=command["directory"], capture_output=True, text=True)
	text = done.stdout if tool == "clang" else done.stderr
	found = [(os.path.relpath(os.path.join(command["directory"], path), os.getcwd()), check.split(",")[0])
		for path, check in REPORT.findall(text)]
	found = [one for one in found if "analyzer" in one[1]]
	if done.returncode != 0 and not found:
		sys.exit(f"analyze.py: {tool} cannot read {command['file']}\n{done.stderr}")
	return text, found

def main():
	build = os.path.abspath(sys.argv[1])
	rest = sys.argv[2:]
	wanted = rest.pop(0) if rest and rest[0] in ("clang", "gcc", "both") else "both"
	jobs = int(rest.pop(0)) if rest and rest[0].isdigit() else len(os.sched_getaffinity(0))
	named = {os.path.abspath(path) for path in rest}
	os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
	product = re.compile(re.escape(os.getcwd()) + r"/(?!tests/|bench/|build/|.*node_modules/).*\.c$")
	with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
		commands = {one["file"]: one for one in json.load(file) if product.match(one["file"])}
	commands = [one for path, one in sorted(commands.items()) if not named or path in named]
	if not commands:
		sys.exit(f"analyze.py: {build} names no such source of the tree")
	header = os.path.join(build, "analyze.h")
	with open(header, "w", encoding="utf-8") as file:
		file.write(HEADER)
	open_reports, used = 0, set()
	for tool in TOOLS if wanted == "both" else [wanted]:
		chosen = [one for one in commands if tool == "clang" or named or not LEFT_TO_CLANG.search(one["file"][len(os.getcwd()):])]
		with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
			for text, found in pool.map(lambda one: read(tool, one, header, build), chosen):
				unanswered = [one for one in found if one not in ANSWERED]
				used.update(found)
				open_reports += len(unanswered)
				if unanswered:
					print(text, flush=True)
		print(f"{tool}: {len(chosen)} files read", flush=True)
	vain = [one for one in ANSWERED if one not in used and wanted == "both" and not named]
	for path, check in vain:
		print(f"nothing to answer: {path} {check}")
	print(f"{open_reports} reports without an answer, {len(used & ANSWERED.keys())} answered")
	sys.exit(1 if open_reports or vain else 0)

main()
