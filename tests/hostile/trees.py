#!/usr/bin/env python3
"""Trees that no honest commit has: each is answered, writes nowhere else, and keeps no other commit from being measured
(docs/security.md, P1).

	trees.py PERFEVO FOLDER [--every K]

A history of good commits with a hostile one between each two of them. Each hostile commit is tracked by itself (every Kth),
then all together: then every good commit has its runs. Objects are written as bytes, because git itself refuses most of them.
answers.py says what an answer is.
"""
import hashlib
import os
import sys
import zlib

import answers
from answers import GIT, run

CONFIG = "build: 'true'\nbenchmarks:\n  hello: {command: cat good, warmup: 0, repeats: 2, allocations: false}\n"
LONG = 255


class Repository:
	def __init__(self, perfevo, folder):
		self.perfevo, self.folder, self.objects = perfevo, folder, folder + "/repo/.git/objects"
		answers.make_repository(perfevo, folder, CONFIG)

	def put(self, kind, data):
		"""A loose object; its id."""
		whole = b"%s %d\0" % (kind, len(data)) + data
		name = hashlib.sha1(whole).hexdigest()
		path = f"{self.objects}/{name[:2]}/{name[2:]}"
		os.makedirs(os.path.dirname(path), exist_ok=True)
		if not os.path.exists(path):
			with open(path, "wb") as file:
				file.write(zlib.compress(whole, 1))
		return name

	def blob(self, data):
		return self.put(b"blob", data)

	def tree(self, entries):
		"""entries: [(mode, name, id)], in the order that is given."""
		return self.put(b"tree", b"".join(b"%s %s\0" % (mode, name) + bytes.fromhex(at) for mode, name, at in entries))

	def commit(self, tree, parent, subject):
		who = b"A <a@example.org> 1700000000 +0000"
		lines = [b"tree " + tree.encode()] + ([b"parent " + parent.encode()] if parent else [])
		return self.put(b"commit", b"\n".join(lines + [b"author " + who, b"committer " + who, b"", subject]))


def deep(repo, depth, leaf):
	at = leaf
	for _ in range(depth):
		at = repo.tree([(b"40000", b"d", at)])
	return at


def bomb(repo, levels, width):
	at = repo.tree([(b"100644", b"f%02d" % i, repo.blob(b"x" * 1000)) for i in range(width)])
	for _ in range(levels):
		at = repo.tree([(b"40000", b"d%02d" % i, at) for i in range(width)])
	return at


def hostile_entries(repo, outside):
	"""(subject, entries beside the good ones)"""
	evil, missing = repo.blob(b"evil"), "12" * 20
	folder = repo.tree([(b"100644", b"inside", evil)])
	link = lambda target: repo.blob(target) # the target of a link is a blob's content

	for name in (b"..", b".", b"", b".git", b".GIT", b".Git", b"git~1", b"GIT~1", b".git ", b".git.", b".git::$INDEX_ALLOCATION",
		     b".g\xe2\x80\x8cit", b".gi\xe2\x80\x8dt", b"\xef\xbb\xbf.git", b"a/b", b"/abs", b"../up", b"a/../../up", b"a\\..\\..\\up",
		     b"x" * LONG, b"x" * (LONG + 1), b"x" * 5000, b"nl\nname", b"esc\x1b]0;x\x07", b"\xff\xfe", b"c1\xc2\x9b31m", b"bidi\xe2\x80\xaegnp",
		     b"-rf", b"--help", b"$(touch pwned)", b"`touch pwned`", b"; touch pwned", b"perfevo.yml", b"CON", b"nul", b" ", b"\t"):
		yield b"file " + name[:40], [(b"100644", name, evil)]
	for name in (b"..", b".", b"", b".git", b"git~1", b"a/b", b"x" * (LONG + 1)):
		yield b"folder " + name[:40], [(b"40000", name, folder)]
	for target in (b"", b"/", b"/etc/passwd", outside, outside + b"/victim", b"../../../../../../../../" + outside, b".", b"..", b"self", b"a\0b",
		       b"x" * 4095, b"x" * 4096, b"x" * 70000, b"/proc/self/root" + outside, b"/dev/stdin", b"nl\nname"):
		yield b"link to " + target[:20].replace(b"\0", b"0"), [(b"120000", b"self", link(target))]
		yield b"through link to " + target[:20].replace(b"\0", b"0"), [(b"120000", b"self", link(target)), (b"40000", b"self", folder)]
	yield b"folder, then link", [(b"40000", b"twice", folder), (b"120000", b"twice", link(outside))]
	yield b"file twice", [(b"100644", b"twice", evil), (b"100755", b"twice", repo.blob(b"other"))]
	yield b"case", [(b"120000", b"Case", link(outside)), (b"40000", b"case", folder)]
	for mode in (b"0", b"100666", b"104755", b"102777", b"20666", b"60666", b"10644", b"140000", b"777777", b"40755", b"x", b"-1"):
		yield b"mode " + mode, [(mode, b"moded", evil)]
	for kind in (b"100644", b"40000", b"120000"):
		yield b"missing " + kind, [(kind, b"gone", missing)]
	yield b"blob as folder", [(b"40000", b"wrong", evil)]
	yield b"tree as file", [(b"100644", b"wrong", folder)]
	for name in (b"sub", b"..", b".git/modules", b"-x"):
		yield b"submodule " + name, [(b"160000", name, missing), (b"100644", b".gitmodules", repo.blob(
			b'[submodule "../../../x"]\n\tpath = ' + name + b"\n\turl = ext::sh -c 'touch " + outside + b"/pwned'\n"))]
	for attributes in (b"* filter=evil\n", b"* working-tree-encoding=UTF-7\n", b"* ident\n" * 50000, b"[attr]x x\n* x\n", b"\0", b"x" * 100000):
		yield b"attributes", [(b"100644", b".gitattributes", repo.blob(attributes))]
	yield b"deep", [(b"40000", b"d", deep(repo, 3000, folder))]
	yield b"bomb", [(b"40000", b"d", bomb(repo, 9, 10))]
	yield b"wide", [(b"100644", b"w%06d" % i, evil) for i in range(5000)]


def broken_trees(repo):
	"""(subject, bytes of a tree)"""
	yield b"no tree", b"garbage"
	yield b"cut short", b"100644 name\0" + b"\1" * 7
	yield b"no name", b"100644 \0" + b"\1" * 20
	yield b"no mode", b" name\0" + b"\1" * 20
	yield b"long mode", b"1" * 100000 + b" name\0" + b"\1" * 20


def measured(repo):
	"""All that is stored, as text: the ids of commits with values are in it."""
	return run(repo.perfevo, repo.folder, [repo.perfevo, "export", "--samples", "--format", "csv"]).stdout.decode()


def main():
	perfevo, folder = (os.path.abspath(path) for path in sys.argv[1:3])
	every = int(sys.argv[sys.argv.index("--every") + 1]) if "--every" in sys.argv else 1
	os.makedirs(folder + "/outside")
	outside = (folder + "/outside").encode()
	with open(folder + "/outside/victim", "w", encoding="utf-8") as file:
		file.write("precious\n")
	repo = Repository(perfevo, folder + "/0")
	parent, good, hostile = None, [], []
	bad = []

	def add(tree, subject):
		nonlocal parent
		parent = repo.commit(tree, parent, subject)
		return parent

	def add_good():
		good.append(add(repo.tree([(b"100644", b"good", repo.blob(b"%d\n" % len(good)))]), b"good"))

	trees = [(subject, repo.tree(sorted(entries + [(b"100644", b"good", repo.blob(b"0\n"))], key=lambda e: e[1])))
		 for subject, entries in hostile_entries(repo, outside)]
	trees += [(subject, repo.put(b"tree", data)) for subject, data in broken_trees(repo)]
	for i, (subject, tree) in enumerate(trees):
		if i % 20 == 0:
			add_good()
		hostile.append((subject, add(tree, subject)))
	add_good()
	run(perfevo, repo.folder, GIT + ["update-ref", "refs/heads/main", parent]).check_returncode()
	for subject, commit in hostile[::every]:
		wrong = answers.wrong_with(perfevo, repo.folder, ["track", "-q", "--no-open", f"{commit}~1..{commit}"])
		if wrong is not None:
			bad.append((subject, wrong))
	for words in (["track", "-q", "--no-open", "--all", "--last", "1000"], ["log"], ["status"], ["report", "-o", "page.html"]):
		try:
			done = run(perfevo, repo.folder, [perfevo] + words)
		except Exception as error: # what it is, is printed
			bad.append((words, repr(error)))
			continue
		if done.returncode != 0 or answers.forbidden(done.stderr + done.stdout):
			bad.append((words, done.stderr[-500:]))
	stored = measured(repo)
	bad += [("a good commit", "was not measured") for commit in good if commit not in stored]
	with open(folder + "/outside/victim", encoding="utf-8") as file:
		if os.listdir(folder + "/outside") != ["victim"] or file.read() != "precious\n":
			bad.append(("outside", os.listdir(folder + "/outside")))
	for subject, answer in bad:
		print(subject, "->", answer)
	print(f"{len(hostile)} hostile trees among {len(good)} good ones, {len(bad)} faults", file=sys.stderr)
	return 1 if bad else 0


sys.exit(main())
