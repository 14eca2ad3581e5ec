"""What an answer is, and how many cases are tried side by side (docs/security.md, P4 and P5).

An answer is an exit status of 0, 1, 125, 128 or 129 within 30 s of processor time, with text without control characters, of which nothing
foreign has a say; with 128 or 129 it is a sentence. What writes elsewhere than it may is seen by the error message where
the file system is read-only (lib.sh).
"""
import os
import queue
import resource
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor

ANSWERS = (0, 1, 125, 128, 129)
# The dearest case, a tree of a million calls inside each other, takes 2 to 6; what grows faster than its input, minutes.
SECONDS = 30
# What waits for ever uses no processor; what waits for its turn on a busy machine does not wait this long.
PATIENCE = 600
# Address space is no measure where a sanitizer reserves terabytes of it.
MEMORY = 1 << 30
GIT = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
SANITIZERS = ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS")


def limit():
	if not any(os.environ.get(name) for name in SANITIZERS):
		resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
		resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def run(perfevo, folder, args, limited=False):
	"""In FOLDER/repo, with a home of its own."""
	env = {"HOME": folder + "/home", "PATH": os.path.dirname(perfevo) + ":/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC",
	       "TMPDIR": folder + "/tmp", "GIT_CONFIG_NOSYSTEM": "1", "TERM": "dumb"}
	env.update({name: os.environ[name] for name in SANITIZERS if os.environ.get(name)})
	return subprocess.run(args, cwd=folder + "/repo", env=env, stdin=subprocess.DEVNULL, capture_output=True,
			      timeout=PATIENCE, check=False, preexec_fn=limit if limited else None)


def make_repository(perfevo, folder, config):
	"""FOLDER/repo with two commits."""
	for name in ("home", "tmp", "repo"):
		os.makedirs(f"{folder}/{name}")
	with open(folder + "/repo/perfevo.yml", "w", encoding="utf-8") as file:
		file.write(config)
	for args in (["init", "-q"], ["add", "perfevo.yml"], ["commit", "-qm", "one"], ["commit", "-q", "--allow-empty", "-m", "two"]):
		run(perfevo, folder, GIT + args).check_returncode()


def forbidden(data):
	"""The first character that nothing foreign may print, or None."""
	for char in data.decode("utf-8", "surrogateescape"):
		code = ord(char)
		if (code < 32 and char not in "\n\t\r") or 127 <= code < 160 or 0x202A <= code <= 0x202E or 0x2066 <= code <= 0x2069:
			return repr(char)
	return None


def wrong_with(perfevo, folder, words, own_output=True):
	"""What is wrong with the answer to a command line; None: nothing. own_output: standard output is text for people."""
	try:
		done = run(perfevo, folder, [perfevo] + [os.fsencode(word) for word in words], limited=True)
	except subprocess.TimeoutExpired:
		return "it waits for ever"
	except OSError as error: # an argument that the kernel refuses is not perfevo's matter
		return None if error.errno == 7 else str(error)
	if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
		return f"no answer within {SECONDS} s of processor time"
	if done.returncode not in ANSWERS:
		return f"exit status {done.returncode}: {done.stderr[-300:]!r}"
	if b"Sanitizer" in done.stderr or b"runtime error" in done.stderr:
		return done.stderr[-2000:].decode(errors="replace")
	if done.returncode in (128, 129) and not done.stderr:
		return f"exit status {done.returncode} without a word"
	if b"out of memory" in done.stderr:
		return f"out of {MEMORY >> 20} MiB: {done.stderr[-300:]!r}"
	if b"Read-only file system" in done.stderr and "passwd" not in words[-1]:
		return f"it wrote elsewhere: {done.stderr[-300:]!r}"
	bad = forbidden(done.stderr) or (forbidden(done.stdout) if own_output else None)
	return f"prints {bad}: {(done.stdout + done.stderr)[-300:]!r}" if bad else None


def try_all(folders, cases, attempt):
	"""[(case, what is wrong)] of attempt(folder, case), each folder used by one case at a time."""
	free = queue.SimpleQueue()
	for folder in folders:
		free.put(folder)

	def one(case):
		folder = free.get()
		try:
			return attempt(folder, case)
		finally:
			free.put(folder)

	with ThreadPoolExecutor(len(folders)) as pool:
		answers = list(pool.map(one, cases))
	return [(case, answer) for case, answer in zip(cases, answers) if answer is not None]
