"""A small history, and the commands that are disturbed in it (docs/security.md, P3).

A Place is a folder with a home, a repository and a remote, prepared once; each attempt begins with a copy of it under the
same path. Values of the benchmark are constant, so that the undisturbed end is known row by row.
"""
import gzip
import glob
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import time

SOURCE = os.path.realpath(__file__ + "/../../../..")
PATIENCE = 600
CONFIG = """\
sandbox: off
build: sh build.sh
metrics:
  wall: {judge: false}
  max-rss: {judge: false}
benchmarks:
  score:
    command: sh prog.sh
    warmup: 0
    repeats: 3
    allocations: false
    metrics:
      score: {unit: points, better: lower, regex: 'score ([0-9]+)'}
  count:
    command: cat count
    warmup: 0
    repeats: 2
    allocations: false
    metrics:
      count: {unit: things, better: lower, deterministic: true, regex: '([0-9]+)'}
"""
# Builds that take some time, four at once, of commits that each need one; a file for each of them while it is at work.
IN_LANES = """\
sandbox: off
build:
  steps: ['at=$FAULT_PLACE/tmp/at.$$; : >$at; sh prog.sh; sleep 0.5; rm $at']
  parallel: 4
  jobs: 4
  pass-env: [FAULT_PLACE]
benchmarks:
  count:
    command: cat count
    warmup: 0
    repeats: 1
    allocations: false
    metrics:
      count: {unit: things, better: lower, deterministic: true, regex: '([0-9]+)'}
"""
COMMITS, LANES = 8, 4
# What is counted of a database: each run, build, confirmation and jump under names that are the same in every copy.
ROWS = """
SELECT 'run', v.subject, b.name, t.aside, r.kind, r.outcome, group_concat(m.name || ' ' || CAST(s.value AS INTEGER))
FROM runs r JOIN batches t ON t.key = r.batch JOIN revisions v ON v.key = r.revision
JOIN benchmarks b ON b.key = r.benchmark LEFT JOIN samples s ON s.run = r.key AND s.metric IN
(SELECT key FROM metrics WHERE name IN ('score', 'count')) LEFT JOIN metrics m ON m.key = s.metric GROUP BY r.key
UNION ALL SELECT 'build', v.subject, '', 0, 0, d.outcome, '' FROM builds d JOIN revisions v ON v.key = d.revision
UNION ALL SELECT 'confirmation', v.subject, b.name, c.settled, c.direction, c.answer, c.metric FROM confirmations c
JOIN revisions v ON v.key = c.after JOIN benchmarks b ON b.key = c.benchmark
UNION ALL SELECT 'jump', o.subject, b.name, n.subject, CAST(100 * j.relative AS INTEGER), j.regression, m.name FROM jumps j
JOIN revisions o ON o.key = j.before JOIN revisions n ON n.key = j.after JOIN benchmarks b ON b.key = j.benchmark
JOIN metrics m ON m.key = j.metric AND m.name IN ('score', 'count')
UNION ALL SELECT 'bundle', count(*), '', 0, 0, 0, '' FROM bundles"""
# What a killed process leaves where the name of a file that is being written, or of a folder in use, would be.
TEMPORARY = re.compile(r"\.perfevo-[0-9a-f]{16}$|\.part$|-journal$")


class Place:
	def __init__(self, folder, perfevo, shim):
		self.folder, self.perfevo, self.shim = os.path.realpath(folder), perfevo, shim
		self.path = self.folder + "/at"
		self.repo = self.path + "/repo"
		self.database = self.repo + "/.git/perfevo/perfevo.db"
		self.count = self.folder + "/count"

	def env(self, **more):
		env = {"HOME": self.path + "/home", "PATH": os.path.dirname(self.perfevo) + ":/usr/bin:/bin", "LC_ALL": "C.UTF-8",
		       "TZ": "UTC", "TMPDIR": self.path + "/tmp", "GIT_CONFIG_NOSYSTEM": "1", "TERM": "dumb",
		       "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_COMMITTER_NAME": "A",
		       "GIT_COMMITTER_EMAIL": "a@example.org", "GIT_AUTHOR_DATE": "1704067200 +0000",
		       "GIT_COMMITTER_DATE": "1704067200 +0000", "FAULT_PLACE": self.path,
		       "PERFEVO_BACKGROUND": "normal"} # at idle priority it waits for every other test
		env.update(more)
		return env

	def run(self, words, cwd=None, limit=None, **more):
		"""Its exit status and messages; in a process group of its own, all of which has ended when it returns."""
		with subprocess.Popen(words, cwd=cwd or self.repo, env=self.env(**more), stdin=subprocess.DEVNULL,
				      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
				      preexec_fn=limit) as process:
			out, _ = process.communicate(timeout=PATIENCE)
		return process.returncode, out.decode(errors="replace")

	def must(self, words, **more):
		status, out = self.run(words, **more)
		if status != 0:
			raise RuntimeError(f"{words}: {status}: {out}")
		return out

	def preloaded(self, words, limit=None, **faults):
		more = {name: str(value) for name, value in faults.items()}
		return self.run(words, limit=limit, LD_PRELOAD=self.shim, FAULT_IN="perfevo", **more)

	def counted(self, words):
		"""The most allocations and calls of a process of perfevo while the words run, and their exit status."""
		if os.path.exists(self.count):
			os.unlink(self.count)
		status, _ = self.preloaded(words, FAULT_COUNT=self.count)
		self.wait()
		with open(self.count, encoding="utf-8") as file:
			lines = [line.split() for line in file]
		return max(int(line[1]) for line in lines), max(int(line[2]) for line in lines), status

	# --- History ---

	def write(self, name, text):
		with open(f"{self.repo}/{name}", "w", encoding="utf-8") as file:
			file.write(text)

	def save(self, subject):
		self.must(["git", "add", "-A"])
		self.must(["git", "-c", "maintenance.auto=false", "commit", "-q", "--allow-empty", "-m", subject])

	def make(self):
		shutil.rmtree(self.path, ignore_errors=True)
		for name in ("home", "tmp", "repo"):
			os.makedirs(f"{self.path}/{name}")
		self.must(["git", "init", "-q", "--template=", "-b", "main"])
		os.mkdir(self.repo + "/.git/info")
		self.write("perfevo.yml", CONFIG)
		self.write("build.sh", ":\n")
		for i in range(COMMITS):
			self.write("prog.sh", f"echo score {100 if i < 5 else 150} # {i}\n")
			self.write("count", f"{i // 4}{i // 4}\n")
			self.save(f"c{i}")
		self.must(["git", "init", "-q", "--template=", "--bare", "-b", "main", self.path + "/hub.git"])
		self.must(["git", "remote", "add", "origin", self.path + "/hub.git"])

	def keep(self):
		"""What restore() brings back: objects in a pack, as a copy costs by the file and the folder."""
		for repo in (self.repo, self.path + "/hub.git"):
			self.must(["git", "repack", "-a", "-d", "-q"], cwd=repo)
		shutil.rmtree(self.folder + "/kept", ignore_errors=True)
		shutil.copytree(self.path, self.folder + "/kept", symlinks=True)

	def restore(self):
		shutil.rmtree(self.path, ignore_errors=True)
		shutil.copytree(self.folder + "/kept", self.path, symlinks=True)

	# --- What is there ---

	def processes(self):
		mark, found = f"FAULT_PLACE={self.path}\0".encode(), []
		for pid in filter(str.isdigit, os.listdir("/proc")):
			try:
				with open(f"/proc/{pid}/environ", "rb") as file:
					if mark in file.read() + b"\0":
						found.append(int(pid))
			except OSError:
				pass
		return found

	def at_work(self):
		return set(glob.glob(self.path + "/tmp/at.*"))

	def builds(self):
		"""How many were at work when they were killed, since this was last asked."""
		left = self.at_work()
		for path in left:
			os.unlink(path)
		return len(left)

	def killed_in_flight(self, words, whom, group, delay):
		"""As run(), killed so long after all of that group of builds began."""
		with subprocess.Popen(words, cwd=self.repo, env=self.env(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
				      stderr=subprocess.STDOUT, start_new_session=True) as process:
			seen, now = set(), set()
			while process.poll() is None and not (len(now) == LANES and len(seen) == LANES * group):
				now = self.at_work()
				seen |= now
				time.sleep(0.01)
			time.sleep(delay)
			if process.poll() is not None:
				pass
			elif whom == "group":
				os.killpg(process.pid, signal.SIGKILL)
			elif whom == "self":
				process.kill()
			else:
				subprocess.run(["pkill", "-KILL", "-P", str(process.pid), "-x", "perfevo-launch"], check=False)
			out, _ = process.communicate(timeout=PATIENCE)
		return process.returncode, out.decode(errors="replace")

	def wait(self, seconds=PATIENCE):
		"""Until no process of this place is left; those that are."""
		end = time.monotonic() + seconds
		while (left := self.processes()) and time.monotonic() < end:
			time.sleep(0.02)
		return left

	def end_all(self):
		for pid in self.processes():
			try:
				os.kill(pid, signal.SIGKILL)
			except OSError:
				pass

	def rows(self):
		"""{row: how often}, after the file was found whole; raises ValueError where it is not."""
		if not os.path.exists(self.database):
			return {}
		db = sqlite3.connect(self.database)
		try:
			for check, answer in (("integrity_check", [("ok",)]), ("foreign_key_check", [])):
				if (found := db.execute("PRAGMA " + check).fetchall()) != answer:
					raise ValueError(f"{check}: {found[:3]}")
			if not db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'batches'").fetchall():
				return {}
			rows = {}
			for row in db.execute(ROWS):
				rows[row] = rows.get(row, 0) + 1
			return rows
		finally:
			db.close()

	def temporary(self):
		found = []
		for top in (self.repo, self.path + "/home", self.path + "/tmp"):
			for folder, _, files in os.walk(top):
				found += [os.path.join(folder, name)[len(self.path) + 1:] for name in files if TEMPORARY.search(name)]
		return found


# --- Phases: {name: (prepare, words, what ends the work)} ---

def track(place, *more):
	return [place.perfevo, "track", "--no-open", "-q", "--last", str(COMMITS), *more]


def tracked(place):
	place.must(track(place, "--no-confirm"))


def confirmed(place):
	place.must(track(place))


def hooked(place):
	confirmed(place)
	place.must([place.perfevo, "hooks", "install", "--post-commit"])


def shared(place):
	"""What another machine measured, on the remote; here nothing is measured yet."""
	other = place.path + "/tmp/machine"
	os.makedirs(other)
	with open(other + "/clang", "w", encoding="utf-8") as file:
		file.write("#!/bin/sh\necho another compiler\n")
	os.chmod(other + "/clang", 0o755)
	place.must(["git", "push", "-q", "origin", "main"])
	place.must(["git", "clone", "-q", place.path + "/hub.git", place.path + "/clone"], cwd=place.path)
	path = f"{other}:{os.path.dirname(place.perfevo)}:/usr/bin:/bin"
	place.must(track(place), cwd=place.path + "/clone", PATH=path)
	place.must([place.perfevo, "push"], cwd=place.path + "/clone", PATH=path)


def of_schema_9(place):
	folder = os.path.dirname(place.database)
	os.makedirs(folder)
	db = sqlite3.connect(place.database)
	with gzip.open(SOURCE + "/tests/store/schema_9.sql.gz", "rt", encoding="utf-8") as file:
		db.executescript("PRAGMA journal_mode = WAL;" + file.read())
	db.close()


def in_lanes(place):
	place.write("perfevo.yml", IN_LANES)


def doctored(place):
	confirmed(place)
	place.write("prog.sh", "echo score 100 # other\n")
	place.save("c-more")


PHASES = {
	"track": (lambda place: None, lambda p: track(p, "--no-confirm")),
	"lanes": (in_lanes, lambda p: track(p, "--no-confirm")),
	"confirm": (tracked, track),
	"explore": (lambda place: None, lambda p: [p.perfevo, "track", "--no-open", "-q", "--adaptive", "--no-confirm"]),
	"bisect": (lambda place: None, lambda p: [p.perfevo, "bisect", "-b", "score", "-m", "score", "HEAD~7", "HEAD"]),
	"hook": (hooked, lambda p: ["git", "commit", "-q", "--allow-empty", "-m", "hooked"]),
	"nightly": (lambda place: None, lambda p: [p.perfevo, "nightly", "--last", "4"]),
	"push": (confirmed, lambda p: [p.perfevo, "push", "-q"]),
	"pull": (shared, lambda p: [p.perfevo, "pull", "-q"]),
	"upgrade": (of_schema_9, lambda p: track(p, "--no-confirm")),
	"gc": (doctored, lambda p: [p.perfevo, "gc", "--keep-last", "4", "--cache"]),
	"compare": (tracked, lambda p: [p.perfevo, "compare", "-q", "HEAD~5", "HEAD"]),
}
